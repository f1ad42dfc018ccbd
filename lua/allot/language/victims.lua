-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which tasks go first, ready-made: lists of keys for `victims`, and options that choose one.
--
-- Both lists take the least important session first: by preemption rank or, where priority
-- schedules sessions, by priority and then the last created. What runs on an exclusive host counts
-- as the most important session there.

local placed = require "allot.language.placed"
local order = require "allot.language.order"

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

--- Then the session that holds most above what it deserves (or least below), asked anew for each
--- slot, and of it any task.
victims.policy_default = keys {
  "importance", desc "joined", desc "session_over", "lot",
}

--- A list, one host after another: what hosts run is compared on each alone.
function victims.host_by_host(list)
  local out = { "host" }
  for _, key in ipairs(list) do out[#out + 1] = key end
  return keys(out)
end

local PREEMPTION = {
  preemption = {
    type = "string",
    values = { "most_recent", "policy_default" },
    default = "most_recent",
    doc = "who of equals goes first: what ran least, or the fullest session",
  },
  selective = {
    type = "boolean",
    default = true,
    doc = "tasks are compared on all hosts; else one host after another is taken",
  },
}
local CHOICES = { most_recent = victims.most_recent_task, policy_default = victims.policy_default }

--- What the ready-made policies have in common: two options, and the order of tasks they choose.
--
--     options = preemption.options { mine = { type = "boolean" } },
--     victims = preemption.victims,
victims.preemption = {
  --- The two options, and those of the policy.
  options = placed(function (_, own)
    if own ~= nil and type(own) ~= "table" then
      return nil, ("preemption.options takes a table of options, not a %s"):format(type(own))
    end
    local all = {}
    for name, spec in pairs(own or {}) do
      if PREEMPTION[name] then
        return nil, ("the option '%s' is there already: preemption.options adds it"):format(name)
      end
      all[name] = spec
    end
    for name, spec in pairs(PREEMPTION) do all[name] = spec end
    return all
  end),

  --- The order that the two options of a plan choose.
  victims = function (options)
    local given = {} -- who asks `options` itself for what it has not is told so
    for name, value in pairs(options) do given[name] = value end
    local choice = CHOICES[given.preemption]
    if not choice then return nil, "preemption.victims needs options = preemption.options { }" end
    return given.selective and choice or victims.host_by_host(choice)
  end,
}

return victims
