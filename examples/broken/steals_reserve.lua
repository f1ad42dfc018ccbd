-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: who has got hold of reserved slots is never asked to give them back.

return policy {
  name = "steals_reserve",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "all" { by = 1 },
  },
  reclaim = false,
  properties = { "reserve_kept" },
}
