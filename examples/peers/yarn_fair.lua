-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Fair Scheduler of Hadoop YARN. `share` is a queue's weight, `limit` its maxResources.
--
-- Source: Hadoop 3.4, "Fair Scheduler" guide; ComputeFairShares and FairSharePolicy.

local function needy(min_share, need) return math.min(min_share, need) end

return policy {
  name = "yarn_fair",
  doc = "Minimum shares first; then queues' totals go by weight; last, queues of weight 0.",
  attributes = {
    min_share = { type = "integer", min = 0, default = 0, doc = "minResources" },
  },
  quota = {
    fill "min" { by = needy, up_to = needy },
    fill "fair" { by = "share", level = true },
    fill "idle" { by = 1, level = true },
  },
  round = "largest_remainder",
}
