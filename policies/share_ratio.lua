-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Share ratio: no consumer owns slots; all slots are shared in proportion to `share`.
--
-- Siblings divide what their parent has by their ratios, as far as they need it; slots that some do
-- not need go to the others. The options say how far consumers may take slots back.
--
-- By default a consumer is sure only of its planned share: the whole slots that its ratio gives
-- among all its siblings, busy or not. Slots beyond that are first come, first served: a consumer
-- keeps such slots until another wants its planned share; then the worst rank loses them first.
-- With `adjust_share_to_workload` the ratio holds among busy consumers at all times: shares are
-- computed anew from present demand, and a consumer that has more than its share gives slots back.
--
-- Shares are enforced at the leaves: a leaf that lacks slots gets them from any leaf that has too
-- many, whatever their branches, and ranks of leaves are compared. With `enforce_share` = "parent"
-- siblings settle first, and only then branches: a branch that has its planned share or more gets
-- nothing from others for a leaf of its own. Without `reclaim_shared` nothing is reclaimed: slots
-- return as work ends.
--
-- When a consumer gives back, tasks of its least important session go first, and of these the task
-- that ran least: the least work is lost. The options `preemption` and `selective` change this.

--- What each consumer would have if all were busy, then what consumers hold beyond that.
local function as_planned()
  return {
    fill "planned" { by = "share", up_to = part },
    fill "kept" { by = "share", up_to = held, order = order { "rank" } },
    fill "shared" { by = "share" },
  }
end

local function by_workload()
  return { fill "shared" { by = "share" } }
end

return policy {
  name = "share_ratio",
  doc = "All slots are shared in proportion to share ratios.",
  attributes = {
    share_limit = {
      type = "integer",
      min = 0,
      default = none,
      limit = true,
      doc = "most slots it may use",
    },
  },
  options = preemption.options {
    adjust_share_to_workload = {
      type = "boolean",
      default = false,
      doc = "the ratio holds among those who are busy, not only as planned",
    },
    enforce_share = {
      type = "string",
      values = { "leaf", "parent" },
      default = "leaf",
      doc = "who gives back: any leaf with too many slots, or siblings before other branches",
    },
    reclaim_shared = {
      type = "boolean",
      default = true,
      doc = "slots above a share are reclaimed when others are owed them",
    },
  },
  quota = function (options)
    return options.adjust_share_to_workload and by_workload() or as_planned()
  end,
  round = "rank",
  distribute = order { "rank" },
  enforce = function (options)
    return options.enforce_share
  end,
  reclaim = function (options)
    return options.reclaim_shared
      and fill { order = order { desc "rank" }, by = "over", up_to = "over" }
  end,
  victims = preemption.victims,
  properties = function (options)
    return options.adjust_share_to_workload
      and { "demand_monotone", "envy_free", "steady" }
      or { "demand_monotone" }
  end,
}
