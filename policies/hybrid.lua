-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid: everybody owns slots, and what an owner does not need is lent to those who do.
--
-- A consumer first gets what it reserved: those slots are never lent. Then it gets what it owns, as
-- far as it needs that. Slots that their owners leave idle are borrowed by those who want more, in
-- proportion to what they own; what is still left goes equally to those who own nothing. What is
-- owned grows and shrinks with the cluster.
--
-- With the option `evenly`, owners are served up to what the plan states, whatever the size of the
-- cluster, and everything above that is shared equally by all who want more.
--
-- Slots are whole: lost fractions go to the best rank. Idle slots are handed out by rank, and the
-- worst rank gives back first.
--
-- Of a consumer that gives back, the tasks of its least important session go first, and of these
-- what ran least: the least work is lost. The options `preemption` and `selective` choose others.

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
