-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: consumers that hold reserved slots of others never give them back.

return policy {
  name = "steals_reserve",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "all" { by = 1 },
  },
  reclaim = false,
  properties = { "reserve_kept" },
}
