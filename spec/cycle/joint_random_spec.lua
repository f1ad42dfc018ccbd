-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts that are not all alike: quotas are within what hosts hold together (H-17), no slot idles
--- that somebody who may run there wants (H-18), who makes way moves once (H-19), and decisions
--- come to rest.

local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local world = require "spec.support.cases.host_world"

-- Each cycle before the last serves somebody: who is lent slots can be over by them, one after
-- another, where others must run.
local CYCLES = 40

local function claim(holds, format, ...)
  if not holds then error(format:format(...), 0) end
end

local function rows_of(decision)
  local out = {}
  for _, row in ipairs(decision.groups.default.consumers) do out[row.path] = row end
  return out
end

local function given_of(case, host)
  local told = (case.state.hosts or {})[host]
  return told and told.exclusive_to
end

-- What tasks leave free, by host; hosts alone: by host whose it is, if an exclusive consumer's.
local function free_of(case, leaves, tasks)
  local free, alone = {}, {}
  for name, host in pairs(case.plan.hosts) do free[name] = host.slots end
  for _, task in ipairs(tasks) do
    local unit = leaves[task.consumer].unit or "all"
    free[task.host] = free[task.host] - (task.slots or 1)
    claim(free[task.host] >= 0, "%s has too many tasks", task.host)
    claim(not alone[task.host] or alone[task.host] == unit, "%s is for %s and %s", task.host,
      unit, alone[task.host])
    alone[task.host] = unit
  end
  return free, alone
end

local function check_quotas(case, leaves, decision, rows)
  local group, total, wants, sum = decision.groups.default, 0, {}, 0
  for _, leaf in ipairs(leaves) do
    local row = rows[leaf.path]
    for _, above in ipairs(leaf.limits) do
      claim(rows[above.path].quota <= above.limit, "%s: quota above its limit", above.path)
    end
    claim(row.quota <= row.need, "%s: quota %d of a need of %d", leaf.path, row.quota, row.need)
    total, wants[leaf.path], sum = total + row.quota, row.quota, sum + row.quota
  end
  claim(total <= group.slots, "quotas of %d in %d slots", total, group.slots)
  local slots = {}
  for name, host in pairs(case.plan.hosts) do slots[name] = host.slots end
  local held = world.hold(leaves, wants, slots, function (leaf, host)
    return world.may(case.plan, leaf, host, given_of(case, host))
  end)
  claim(held == sum, "hosts hold %d of quotas of %d", held, sum)
end

-- Every grant is on hosts where it may be, and there is room there.
local function check_grants(case, leaves, decision, free, alone)
  for _, grant in ipairs(decision.grants) do
    local placed = 0
    for host, slots in pairs(grant.hosts or {}) do
      claim(world.may(case.plan, leaves[grant.consumer], host, given_of(case, host)),
        "%s is on %s", grant.consumer, host)
      free[host] = free[host] - slots
      claim(free[host] >= 0, "%s: %d slots too many", host, -free[host])
      local unit = leaves[grant.consumer].unit or "all"
      claim(not alone[host] or alone[host] == unit, "%s is for %s and %s", host, unit,
        alone[host])
      alone[host] = unit
      placed = placed + slots
    end
    claim(placed == grant.slots, "%s: %d of %d are placed", grant.consumer, placed, grant.slots)
  end
end

local function at_limit(leaf, rows)
  for _, above in ipairs(leaf.limits) do
    local row = rows[above.path]
    if row.allocated + row.granted + row.held >= above.limit then return true end
  end
  return false
end

-- Who wants a slot, and could have it, has it; what is kept idle as a reserve may be anywhere.
-- While an exclusive consumer lacks slots a host may be kept for it, and one that gives slots back
-- leaves hosts whole.
local function check_idle(case, leaves, rows, decision, free, alone)
  local group, leaving = decision.groups.default, {}
  for _, reclaim in ipairs(decision.reclaims) do
    leaving[leaves[reclaim.consumer].unit or "all"] = true
  end
  for _, leaf in ipairs(leaves) do
    local row = rows[leaf.path]
    if leaf.unit and row.quota > row.allocated + row.granted then return end
  end
  for _, leaf in ipairs(leaves) do
    local row = rows[leaf.path]
    if row.demand > row.allocated + row.granted and not at_limit(leaf, rows) then
      local open = 0
      for name, slots in pairs(free) do
        local there = alone[name] or (leaf.unit and "nobody")
        if world.may(case.plan, leaf, name, given_of(case, name)) and
          (there or "all") == (leaf.unit or "all") and not (leaf.unit and leaving[leaf.unit]) then
          open = open + slots
        end
      end
      claim(open <= group.held, "%s wants %d more, and %d slots are idle where it could run",
        leaf.path, row.demand - row.allocated - row.granted, open)
    end
  end
end

local function check_reclaims(leaves, decision, rows, make_way)
  for _, reclaim in ipairs(decision.reclaims) do
    local row = rows[reclaim.consumer]
    local stays = row.allocated - reclaim.slots + (make_way and row.granted + row.held or 0)
    claim(stays >= row.quota or row.quota > row.allocated, "%s gives %d of %d, its quota is %d",
      reclaim.consumer, reclaim.slots, row.allocated, row.quota)
    for _, part in ipairs(reclaim["for"]) do
      claim(leaves[part.consumer], "%s is no leaf", part.consumer)
    end
  end
end

local function valid(case)
  if not case.plan.hosts or not engine.valid(case) then return false end
  local leaves = world.leaves(case.plan)
  for _, task in ipairs(case.state.tasks or {}) do
    if not (task.host and case.plan.hosts[task.host] and leaves[task.consumer] and
      world.may(case.plan, leaves[task.consumer], task.host, given_of(case, task.host))) then
      return false
    end
  end
  return pcall(free_of, case, leaves, case.state.tasks or {})
end

-- What is granted runs as tasks where it was placed, also of who had none before.
local function carried(state, decision)
  local known, fresh = {}, {}
  for _, task in ipairs(state.tasks or {}) do known[task.consumer] = true end
  for i, grant in ipairs(decision.grants) do
    local hosts = {}
    for host in pairs(not known[grant.consumer] and grant.hosts or {}) do
      hosts[#hosts + 1] = host
    end
    table.sort(hosts)
    for _, host in ipairs(hosts) do
      for slot = 1, grant.hosts[host] do
        fresh[#fresh + 1] = { id = ("n%d-%d-%s-%d"):format(state.now, i, host, slot),
          consumer = grant.consumer, host = host, started = state.now }
      end
    end
  end
  local out = engine.after(decision)
  for _, row in pairs(out.consumers) do row.allocated = nil end
  for _, task in ipairs(out.tasks or {}) do table.insert(fresh, task) end
  out.tasks = #fresh > 0 and fresh or nil
  return out
end

local function check(case)
  local leaves, state = world.leaves(case.plan), case.state
  local sealed = engine.sealed(case.plan, case.policy)
  local make_way = (case.plan.options or {}).make_way
  for _ = 1, CYCLES do
    local decision = engine.decided(sealed, state)
    local rows = rows_of(decision)
    local free, alone = free_of(case, leaves, state.tasks or {})
    check_quotas(case, leaves, decision, rows)
    check_grants(case, leaves, decision, free, alone)
    check_idle(case, leaves, rows, decision, free, alone)
    check_reclaims(leaves, decision, rows, make_way)
    if engine.rests(decision) then return end
    state = carried(state, decision)
  end
  claim(false, "still moving after %d cycles", CYCLES)
end

describe("hosts together", function ()
  property("hold quotas, and no slot idles that somebody wants", { runs = 2000, valid = valid },
    check, function (seed) return world.make(seed, {}) end)

  property("do so beside exclusive consumers and given hosts", { runs = 2000, valid = valid },
    check, function (seed) return world.make(seed, { exclusive = true, given = true }) end)

  property("do so where consumers make way", { runs = 2000, valid = valid },
    check, function (seed)
      return world.make(seed, { make_way = true, exclusive = seed % 3 == 0, given = seed % 5 == 0 })
    end)
end)
