-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid: consumers own slots, and slots that an owner does not need are lent to others.
--
-- A consumer first gets the slots that it reserved: those are never lent. Then it gets the slots
-- that it owns, as far as it needs them. Owners that want more borrow idle slots in proportion to
-- what they own; slots that are still left go equally to consumers that own nothing. Ownership
-- grows and shrinks with the cluster.
--
-- With the option `evenly`, owners get slots up to what the plan states, whatever the size of the
-- cluster, and all consumers that want more share the rest equally.
--
-- Slots are whole: lost fractions go to the best rank. Idle slots are granted by rank, and the
-- worst rank gives back first.
--
-- When a consumer gives back, tasks of its least important session go first, and of these the task
-- that ran least: the least work is lost. The options `preemption` and `selective` change this.

local function by_ownership()
  return {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  }
end

local function evenly()
  return {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "configured" },
    fill "borrowed" { by = 1 },
  }
end

return policy {
  name = "hybrid",
  doc = "Owners first; idle slots are borrowed in proportion to ownership.",
  options = preemption.options {
    evenly = {
      type = "boolean",
      default = false,
      doc = "share equally whatever is above the owned slots that the plan states",
    },
  },
  quota = function (options)
    return options.evenly and evenly() or by_ownership()
  end,
  round = "rank",
  distribute = order { "rank" },
  reclaim = fill { order = order { desc "rank" }, by = "over", up_to = "over" },
  victims = preemption.victims,
  properties = function (options)
    return {
      "work_conserving", "reserve_kept", "steady", "demand_monotone", "envy_free",
      not options.evenly and "owners_first" or nil,
    }
  end,
}
