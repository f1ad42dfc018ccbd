-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Capped: owners first, then all consumers by share, none above its share limit.
--
-- Slots that owners leave go in proportion to `share` to consumers that want more than they own,
-- each up to its `share_limit`.

return policy {
  name = "capped",
  attributes = {
    share_limit = { type = "integer", min = 0, default = none, doc = "most slots by share" },
  },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "shared" {
      by = function (share, demand, owned)
        return demand > owned and share or 0
      end,
      up_to = function (owned, share_limit)
        return math.min(owned + share_limit, 1000000000)
      end,
    },
  },
  round = "largest_remainder",
  properties = { "owners_first", "steady", "demand_monotone" },
}
