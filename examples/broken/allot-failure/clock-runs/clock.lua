-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: it reads a clock.

return policy {
  name = "clock",
  quota = {
    fill "by_hour" {
      by = function (share) return os.date("*t").hour < 8 and share or 1 end,
    },
  },
}
