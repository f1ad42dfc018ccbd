-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random hosts: what must hold of every placement, and that decisions come to an end.

local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"

local POLICY = [[
return policy {
  name = "site",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  },
  requirements = { big = function (memory) return memory == 1 end },
}
]]

-- Each cycle before the last serves somebody: who is lent slots can be over by them, one after
-- another, where others must run.
local CYCLES = 40

local function consumer(rng, name)
  return {
    name = name, owned = rng:int(0, 6), rank = rng:int(0, 1),
    exclusive = rng:once_in(3) or nil, requires = rng:once_in(4) and "big" or nil,
    limit = rng:once_in(5) and rng:int(0, 9) or nil,
  }
end

-- What leaves are, by path: the nearest exclusive consumer, and what is required.
local function leaves_of(list, above, unit, requires, out)
  for _, node in ipairs(list) do
    local path = above .. "/" .. node.name
    local own = { unit = node.exclusive and path or unit, requires = node.requires or requires }
    if node.children and #node.children > 0 then
      leaves_of(node.children, path, own.unit, own.requires, out)
    else
      own.path = path
      out[#out + 1], out[path] = own, own
    end
  end
  return out
end

-- Tasks that keep the rules: on a host either one exclusive consumer's or others'.
local function add_tasks(rng, leaves, plan, tasks)
  local names = {}
  for name in pairs(plan.hosts) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local host, first = plan.hosts[name], rng:pick(leaves)
    for i = 1, rng:once_in(3) and 0 or rng:int(0, host.slots) do
      local leaf = rng:pick(leaves)
      if leaf.unit ~= first.unit then leaf = first end
      tasks[#tasks + 1] = {
        id = name .. "-" .. i, consumer = leaf.path, host = name, started = rng:int(0, 99),
      }
    end
  end
end

local function make(seed)
  local rng = random.new(seed)
  local plan = { version = 1, policy = "site.lua", hosts = {}, consumers = {} }
  for i = 1, rng:int(1, 5) do
    plan.hosts["h" .. i] = { slots = rng:int(1, 8), memory = rng:int(0, 1) }
  end
  plan.options = { placement = rng:pick { "stacked", "balanced" } }
  for i = 1, rng:int(1, 4) do
    local node = consumer(rng, "c" .. i)
    if rng:once_in(4) then
      node.owned, node.children = nil, { consumer(rng, "x"), consumer(rng, "y") }
    end
    plan.consumers[i] = node
  end
  local leaves = leaves_of(plan.consumers, "", nil, nil, {})
  local state = { now = 100, consumers = {}, tasks = {} }
  for _, leaf in ipairs(leaves) do
    state.consumers[leaf.path] = { demand = rng:int(0, 20) }
  end
  add_tasks(rng, leaves, plan, state.tasks)
  state.tasks = #state.tasks > 0 and state.tasks or nil
  return { plan = plan, state = state, policy = POLICY }
end

local function claim(holds, format, ...)
  if not holds then error(format:format(...), 0) end
end

-- No host has more tasks than slots, nor an exclusive consumer's beside others.
local function check_tasks(case, leaves, tasks)
  local used, whose = {}, {}
  for _, task in ipairs(tasks) do
    local host, unit = task.host, leaves[task.consumer].unit or "all"
    used[host] = (used[host] or 0) + 1
    claim(not whose[host] or whose[host] == unit, "%s is for %s and %s", host, unit, whose[host])
    whose[host] = unit
  end
  for host, slots in pairs(used) do
    claim(slots <= case.plan.hosts[host].slots, "%s has %d tasks", host, slots)
  end
end

-- Shrunk cases must begin as the others do.
local function valid(case)
  for _, task in ipairs(case.state.tasks or {}) do
    if not (task.host and case.plan.hosts and case.plan.hosts[task.host]) then return false end
  end
  if not case.plan.hosts then return false end
  local leaves = leaves_of(case.plan.consumers, "", nil, nil, {})
  return engine.valid(case) and pcall(check_tasks, case, leaves, case.state.tasks or {})
end

-- The tasks once a decision is carried out; every grant is on hosts that serve it.
local function carry_out(case, leaves, tasks, decision, cycle)
  local gone, out = {}, {}
  for _, reclaim in ipairs(decision.reclaims) do
    for _, id in ipairs(reclaim.tasks) do gone[id] = true end
  end
  for _, task in ipairs(tasks) do
    if not gone[task.id] then out[#out + 1] = task end
  end
  for _, grant in ipairs(decision.grants) do
    local placed = 0
    for host, slots in pairs(grant.hosts or {}) do
      local met = not leaves[grant.consumer].requires or case.plan.hosts[host].memory == 1
      claim(met, "%s is on %s", grant.consumer, host)
      for i = 1, slots do
        out[#out + 1] = {
          id = ("%d%s%s-%d"):format(cycle, grant.consumer, host, i), consumer = grant.consumer,
          host = host, started = 100 + cycle,
        }
      end
      placed = placed + slots
    end
    claim(placed == grant.slots, "%s: %d of %d are placed", grant.consumer, placed, grant.slots)
  end
  return out, next(gone) ~= nil or #decision.grants > 0
end

describe("hosts", function ()
  property("keep what is exclusive apart, and come to rest", { runs = 20000, valid = valid },
    function (case)
      local leaves = leaves_of(case.plan.consumers, "", nil, nil, {})
      local tasks, moves = case.state.tasks or {}, true
      check_tasks(case, leaves, tasks)
      local sealed = engine.sealed(case.plan, case.policy)
      for cycle = 1, CYCLES do
        local now = { now = 100 + cycle, consumers = case.state.consumers,
          tasks = #tasks > 0 and tasks or nil }
        local _, handle = engine.decide(sealed, now)
        local decision = require "dkjson".decode(handle:json())
        tasks, moves = carry_out(case, leaves, tasks, decision, cycle)
        check_tasks(case, leaves, tasks)
        if not moves then break end
      end
      claim(not moves, "still moving after %d cycles", CYCLES)
    end, make)

  property("that no task tells serve who takes any (E-30)", { runs = 2000, valid = valid },
    function (case)
      local leaves = leaves_of(case.plan.consumers, "", nil, nil, {})
      for _, task in ipairs(case.state.tasks or {}) do
        local row = case.state.consumers[task.consumer]
        row.allocated = (row.allocated or 0) + 1
      end
      case.state.tasks = nil
      local decision = engine.cycle(case.plan, case.state, nil, case.policy)
      for _, reclaim in ipairs(decision.reclaims) do
        for _, claim_of in ipairs(reclaim["for"]) do
          local to, from = leaves[claim_of.consumer], leaves[reclaim.consumer]
          claim(not (to.requires or to.unit or from.unit), "%s gives %d slots for %s", from.path,
            claim_of.slots, to.path)
        end
      end
    end, make)

  property("change no number where they are all alike", { runs = 2000, valid = valid },
    function (case)
      local function numbers(plan, state)
        local decision = engine.cycle(plan, state, nil, case.policy)
        for _, grant in ipairs(decision.grants) do grant.hosts = nil end
        return decision.groups, decision.grants, decision.reclaims
      end
      local slots = 0
      for _, host in pairs(case.plan.hosts or {}) do slots = slots + host.slots end
      local plan, state = {}, {}
      for key, value in pairs(case.plan) do plan[key] = key ~= "hosts" and value or nil end
      for key, value in pairs(case.state) do state[key] = value end
      state.slots = slots
      assert.same({ numbers(plan, state) }, { numbers(case.plan, case.state) })
    end, function (seed)
      local case = make(seed)
      local function plain(list)
        for _, node in ipairs(list) do
          node.exclusive, node.requires = nil, nil
          plain(node.children or {})
        end
      end
      plain(case.plan.consumers)
      return case
    end)
end)
