-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: a function counts its calls, so each result differs.

local calls = 0

return policy {
  name = "remembers",
  quota = {
    fill "in_turn" {
      by = function ()
        calls = calls + 1
        return calls % 3
      end,
    },
  },
}
