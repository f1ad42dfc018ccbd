-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: slots go by share before owners have theirs.

return policy {
  name = "owners_last",
  quota = {
    fill "shared" { by = "share" },
    fill "owned" { by = "owned", up_to = "owned" },
  },
  properties = { "owners_first" },
}
