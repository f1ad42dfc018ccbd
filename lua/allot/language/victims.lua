-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ready-made orders of victims: lists of keys for `victims`, and options that choose one.
--
-- Both lists take the least important session first: by preemption rank or, where priority
-- schedules sessions, by priority and then the last created. A task on an exclusive host counts as
-- part of the most important session there.

local placed = require "allot.language.placed"
local order = require "allot.language.order"

local victims = {}

-- Built without the words of the language, since no line of a policy is at fault for these.
local function desc(key)
  return { kind = "key", key = key, descending = true, at = "" }
end

local function keys(list)
  return assert(order.keys("", list))
end

--- Then tasks that ran least, all tasks of a slot summed: the least work is lost.
victims.most_recent_task = keys { "importance", desc "joined", "ran" }

--- Then any task of the session that holds most above its part (or least below), chosen again for
--- each slot.
victims.policy_default = keys {
  "importance", desc "joined", desc "session_over", "lot",
}

--- Then the largest tasks: the fewest go.
victims.fewest = keys { "importance", desc "joined", desc "slots", "ran" }

--- A list, one host after another: tasks are compared on each host separately.
function victims.host_by_host(list)
  local out = { "host" }
  for _, key in ipairs(list) do out[#out + 1] = key end
  return keys(out)
end

local PREEMPTION = {
  preemption = {
    type = "string",
    values = { "most_recent", "policy_default", "fewest" },
    default = "most_recent",
    doc = "who of equals goes first: what ran least, the fullest session, or the largest",
  },
  selective = {
    type = "boolean",
    default = true,
    doc = "tasks are compared on all hosts; else one host after another is taken",
  },
}
local CHOICES = {
  most_recent = victims.most_recent_task, policy_default = victims.policy_default,
  fewest = victims.fewest,
}

--- Shared by the ready-made policies: two options, and the order of tasks that they choose.
--
--     options = preemption.options { mine = { type = "boolean" } },
--     victims = preemption.victims,
victims.preemption = {
  --- The two options, and those of the policy itself.
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
    local given = {} -- reading a missing field of `options` itself raises
    for name, value in pairs(options) do given[name] = value end
    local choice = CHOICES[given.preemption]
    if not choice then return nil, "preemption.victims needs options = preemption.options { }" end
    return given.selective and choice or victims.host_by_host(choice)
  end,
}

return victims
