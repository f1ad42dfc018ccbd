-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which tasks go first, ready-made: lists of keys for `victims`.
--
-- Both take the least important session first: by preemption rank or, where priority schedules
-- sessions, by priority and then the last created. What runs on an exclusive host counts as the
-- most important session there.

local order = require "allot.order"

local victims = {}

-- Not by the words of the language: nobody's line is to blame for these.
local function desc(key)
  return { kind = "key", key = key, descending = true, at = "" }
end

local function keys(list)
  return assert(order.keys("", list))
end

--- Then what ran least, all tasks of a slot together: the least work is lost.
victims.most_recent_task = keys { "importance", desc "joined", "ran" }

--- Then the session that holds most above what it deserves (or least below), and of it any task.
victims.policy_default = keys {
  "importance", desc "joined", desc "session_over", "lot",
}

--- The same, one host after another: what hosts run is compared on each alone.
function victims.host_by_host(list)
  local out = { "host" }
  for _, key in ipairs(list) do out[#out + 1] = key end
  return keys(out)
end

return victims
