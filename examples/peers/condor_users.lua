-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- HTCondor's user priorities: slots in inverse proportion to effective priority, which is use of
--- the past times the user's factor.
--
-- A plan states how use fades (`half_life`: PRIORITY_HALFLIFE). Real priority is never below 0.5:
-- the option `floor` is that in slot-seconds, 0.5 / ln 2 of the half-life. Nothing is reclaimed, as
-- by PREEMPTION_REQUIREMENTS = False.
--
-- Source: HTCondor 25 (7491a14, 2026-08), manual, "User Priorities and Negotiation";
-- Accountant.cpp.

local function slice(floor)
  return function (usage, factor)
    return math.min(1000000000000 * floor // (math.max(usage, floor) * factor), 1000000000)
  end
end

return policy {
  name = "condor_users",
  doc = "Slots in inverse proportion to the use of the past and to a factor.",
  attributes = {
    factor = {
      type = "integer", min = 1, max = 10000000, default = 1000, doc = "PRIORITY_FACTOR",
    },
  },
  options = {
    floor = {
      type = "integer", min = 1, max = 9000000, default = 62324, doc = "least use that counts",
    },
  },
  quota = function (options)
    return { fill "slice" { by = slice(options.floor) } }
  end,
  round = "largest_remainder",
  reclaim = false,
}
