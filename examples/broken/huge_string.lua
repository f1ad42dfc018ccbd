-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: it builds strings that grow.

return policy {
  name = "huge_string",
  quota = { fill "tally" { by = function (demand) return #("|"):rep(demand) end } },
}
