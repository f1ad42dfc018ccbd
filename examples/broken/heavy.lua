-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken for large sites: every row takes thousands of steps.

return policy {
  name = "heavy",
  quota = {
    fill "slow" {
      by = function (owned)
        local sum = 0
        for i = 1, 2000 do sum = (sum + i * owned) % 7 end
        return sum
      end,
    },
  },
}
