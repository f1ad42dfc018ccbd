-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Capped: owners first, then everybody by share, nobody above a share limit.
--
-- What owners leave goes to all in proportion to `share`, each up to its `share_limit`; and who has
-- waited for nobody (it holds more than it demands) weighs nothing.

return policy {
  name = "capped",
  attributes = {
    share_limit = { type = "integer", min = 0, default = none, doc = "most slots by share" },
  },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "shared" {
      by = function (share, demand, allocated)
        return demand > allocated and share or 0
      end,
      up_to = function (owned, share_limit)
        return math.min(owned + share_limit, 1000000000)
      end,
    },
  },
  round = "largest_remainder",
}
