-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random leaves that give slots back, against the words of C-8, 5.5 and 5.6: which tasks go, first
--- to last, beside slots that none uses. ALLOT_RUNS=n runs so many cases.

local engine = require "spec.support.cases.engine"
local model = require "spec.support.model.victims"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"

local NOW = 1000

local function sessions_of(rng)
  local scheduling, list = rng:pick { "proportional", "minimum", "priority" }, {}
  for i = 1, rng:int(0, 4) do
    list[i] = {
      id = "s" .. i, consumer = "/A", scheduling = scheduling, priority = rng:int(1, 3),
      preemption_rank = rng:once_in(6) and 1 or 0, created = rng:int(0, 2), minimum = rng:int(0, 3),
      demand = rng:once_in(2) and rng:int(0, 9) or nil,
    }
  end
  return list
end

local function tasks_of(rng, sessions)
  local list = {}
  for i = 1, rng:int(0, 14) do
    local shares = rng:once_in(4)
    list[i] = {
      id = ("t%d-%d"):format(rng:int(1, 99), i), consumer = "/A", preempted = rng:int(0, 2),
      started = rng:int(NOW - 4, NOW - 1), slots = not shares and rng:int(1, 3) or 1,
      host = shares and "h" or nil, slot = shares and rng:int(1, 3) or nil,
      session = sessions[1] and not rng:once_in(5) and rng:pick(sessions).id or nil,
    }
  end
  return list
end

-- Tasks with their sessions in the place of ids.
local function with_sessions(tasks, sessions)
  local by_id, out = {}, {}
  for at, one in ipairs(sessions) do
    by_id[one.id] = {
      id = one.id, at = at,
      importance = one.scheduling == "priority" and one.priority or one.preemption_rank,
      joined = one.scheduling == "priority" and one.created or 0,
    }
  end
  for i, task in ipairs(tasks) do
    out[i] = {}
    for key, value in pairs(task) do out[i][key] = value end
    out[i].session = by_id[task.session]
  end
  return out
end

-- Some of A's slots are on their way already: of tasks, and of none.
local function flight_of(rng, tasks, idle)
  local names, slots, taken = {}, rng:int(0, idle), {}
  for _, task in ipairs(tasks) do
    if not task.slot and rng:once_in(4) and not taken[task.id] then
      names[#names + 1], slots, taken[task.id] = task.id, slots + task.slots, true
    end
  end
  return slots > 0 and { consumer = "/A", slots = slots, tasks = names[1] and names } or nil
end

local KEYS = {
  most_recent = { { "importance" }, { "joined", true }, { "ran" } },
  policy_default = { { "importance" }, { "joined", true }, { "session_over", true } },
  fewest = { { "importance" }, { "joined", true }, { "slots", true }, { "ran" } },
}
local FIELDS = {
  "started", "slots", "ran", "preempted", "preemption_rank", "priority", "created", "session_over",
}
local SITE = [[
return policy {
  name = "site",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
  },
  victims = order { %s },
}
]]

-- The policy, its text, and the keys that it goes by: ready-made, or a site's.
local function policy_of(rng)
  local name = rng:pick { "most_recent", "policy_default", "fewest", "site" }
  if KEYS[name] then return { use = "hybrid", preemption = name }, nil, KEYS[name] end
  local keys, words = {}, {}
  for i = 1, rng:int(0, 4) do
    keys[i] = { rng:pick(FIELDS), rng:once_in(2) }
    words[i] = ("%s %q"):format(keys[i][2] and "desc" or "asc", keys[i][1])
  end
  return "site.lua", SITE:format(table.concat(words, ", ")), keys
end

local function make(seed)
  local rng = random.new(seed)
  local sessions = sessions_of(rng)
  local tasks = tasks_of(rng, sessions)
  local used = 0
  for _, unit in ipairs(model.units(with_sessions(tasks, sessions), NOW)) do
    used = used + unit.slots
  end
  local idle = rng:once_in(2) and rng:int(0, 6) or 0
  local holds = math.max(1, used + idle)
  local keeps = rng:int(0, holds)
  local unlisted = rng:once_in(3) and (rng:once_in(3) or rng:int(0, 7)) or nil
  local flight = rng:once_in(3) and flight_of(rng, tasks, idle) or nil
  local use, text, keys = policy_of(rng)
  return {
    policy = text, keys = keys,
    plan = { version = 1, slots = holds, policy = use, consumers = {
      { name = "A", owned = keeps }, { name = "B", owned = holds - keeps },
    } },
    state = { now = NOW, consumers = {
      ["/A"] = { demand = rng:int(keeps, holds), allocated = holds, unlisted = unlisted },
      ["/B"] = { demand = rng:int(0, holds - keeps) },
    }, sessions = sessions[1] and sessions, tasks = tasks[1] and tasks,
      reclaims = flight and { flight } },
  }
end

local function complete(tasks)
  for _, task in ipairs(tasks or {}) do
    if not (task.started and task.slots) then return false end
  end
  return true
end

-- Shrunk cases must begin as the others do.
local function valid(case)
  local two = case.plan.consumers or {}
  local use = case.plan.policy
  return (case.policy or type(use) == "table" and use.use and use.preemption) and two[2] ~= nil
    and two[1].name == "A" and two[2].name == "B" and (case.state.consumers or {})["/A"] ~= nil
    and engine.valid(case) and complete(case.state.tasks)
end

-- The units of A as the model wants them, those that are on their way apart, and their slots.
local function candidates(case, quota)
  local state, stay = case.state, {}
  local sessions, flight = state.sessions or {}, (state.reclaims or {})[1]
  local units = model.units(with_sessions(state.tasks or {}, sessions), NOW)
  local over = model.deserved(sessions, quota, state.consumers["/A"].demand)
  for id, slots in pairs(over) do over[id] = -slots end
  local going, named, by_id = {}, 0, {}
  for _, one in ipairs(sessions) do by_id[one.id] = one end
  for _, id in ipairs(flight and flight.tasks or {}) do going[id] = true end
  for _, unit in ipairs(units) do
    local id = unit.session and unit.session.id
    local priority = sessions[1] and sessions[1].scheduling == "priority"
    unit.importance = unit.session and unit.session.importance or (priority and 1 or 0)
    unit.joined = unit.session and unit.session.joined or 0
    local of = by_id[id] or {}
    unit.preemption_rank, unit.priority = of.preemption_rank or 0, of.priority or 1
    unit.created, unit.session_over = of.created or 0, 0
    if going[unit.tasks[1]] then
      named = named + unit.slots
    else
      stay[#stay + 1] = unit
      if id then over[id] = over[id] + unit.slots end
    end
  end
  for _, unit in ipairs(stay) do
    unit.session_over = unit.session and over[unit.session.id] or 0
  end
  return units, stay, flight and flight.slots - named or 0
end

describe("a leaf that gives back", function ()
  property("first gives what nothing uses, then tasks in order (C-8, 5.5)",
    { runs = 2000, valid = valid },
    function (case)
      local document = engine.cycle(case.plan, case.state, nil, case.policy)
      local reclaim = document.reclaims[1]
      if not reclaim then return end
      local row = document.groups.default.consumers[1]
      local units, stay, flying = candidates(case, row.quota)
      for _, part in ipairs(document.sessions) do
        local told = model.deserved(case.state.sessions, row.quota, row.demand)
        assert.equal(told[part.id], part.quota, "what " .. part.id .. " deserves")
      end
      local of = case.state.consumers["/A"]
      local idle = units[1] and model.idle(of.allocated, units, of.unlisted, flying) or 0
      local wanted = {}
      for _, unit in ipairs((model.pick(stay, case.keys, reclaim.slots - idle))) do
        for _, id in ipairs(unit.tasks) do wanted[#wanted + 1] = id end
      end
      assert.same(wanted, reclaim.tasks)
    end, make)
end)
