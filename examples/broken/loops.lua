-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: for some numbers a loop does not end.

return policy {
  name = "loops",
  quota = {
    fill "halves" {
      by = function (demand)
        local weight = demand
        while weight ~= 1 do weight = weight // 2 end
        return weight
      end,
    },
  },
}
