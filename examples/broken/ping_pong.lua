-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: slots go to consumers that hold none; these then hold slots, and others get them.

return policy {
  name = "ping_pong",
  quota = {
    fill "newcomers" {
      by = function (allocated) return allocated == 0 and 1 or 0 end,
    },
    fill "others" { by = 1 },
  },
}
