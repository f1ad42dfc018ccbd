-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: for some demands a function returns a fraction, or nothing.

return policy {
  name = "rare_type",
  quota = {
    fill "halves" {
      by = function (demand, share)
        if demand == 3 then return nil end
        return demand % 2 == 1 and demand / 2 or share
      end,
    },
  },
}
