-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: it builds a table of everything that consumers demand.

return policy {
  name = "memory",
  quota = {
    fill "wishes" {
      by = function (demand)
        local wishes = {}
        for i = 1, demand * 100000 do wishes[i] = { i, demand } end
        return #wishes
      end,
    },
  },
}
