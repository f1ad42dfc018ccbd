-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: it throws dice.

return policy {
  name = "dice",
  quota = { fill "lucky" { by = function () return math.random(1, 6) end } },
}
