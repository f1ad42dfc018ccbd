-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `inside`: pending tasks that take the place of running ones of their own leaf (C-13,
--- engine/whole/inside.h).

local allot = require "allot"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local function policy(rule, more)
  return ([[
return policy {
  name = "site",
  task_attributes = { kind = { type = "integer" } },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "spare" { by = 1 },
  },
  %s
  %s
}]]):format(rule and "inside = " .. rule .. "," or "", more or "")
end

local HIGHER = policy 'relation { higher "priority" }'

local function plan(pending)
  return {
    version = 1, slots = 20, policy = "site.lua",
    consumers = { { name = "a", owned = 10 }, { name = "b", owned = 10 } },
    options = pending and { pending = pending },
  }
end

local function running(id, slots, started, more)
  local out = { id = id, consumer = "/a", slots = slots, started = started }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function waiting(id, slots, priority, more)
  local out = { id = id, consumer = "/a", slots = slots, state = "pending", priority = priority }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

--- The leaf /a is full, and so is /b.
local function state(tasks, more)
  local out = {
    now = 100, slots = 20, consumers = { ["/b"] = { demand = 10, allocated = 10 } }, tasks = tasks,
  }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

--- Victims by the pending task that takes their place.
local function swaps(made)
  local out = {}
  for _, reclaim in ipairs(made.reclaims) do
    if reclaim.why.code == "inside" then
      assert.same({ { consumer = reclaim.consumer, slots = reclaim.slots } }, reclaim["for"])
      out[reclaim.why.pending] = table.concat(reclaim.tasks, " ")
    end
  end
  return out
end

local function decide(now, text, pending)
  local made, decision = engine.cycle(plan(pending), now, nil, text or HIGHER)
  return swaps(made), decision, made
end

local full = {
  running("l1", 4, 1), running("l2", 4, 5), running("l3", 2, 9),
}

local function with(...)
  local out = { table.unpack(full) }
  for _, task in ipairs { ... } do out[#out + 1] = task end
  return out
end

describe("inside", function ()
  it("lets a pending task take the place of the fewest victims that it may, in order", function ()
    assert.same({ h = "l3" }, (decide(state(with(waiting("h", 2, 9))))))
    assert.same({ h = "l3 l2" }, (decide(state(with(waiting("h", 5, 9))))))
    assert.same({ h = "l3 l2 l1" }, (decide(state(with(waiting("h", 10, 9))))))
    -- l3 goes first, then l2; without l3 the task fits as well, so l3 is spared.
    assert.same({ h = "l2" }, (decide(state(with(waiting("h", 4, 9))))))
  end)

  it("takes no place without the key, of an equal, or beyond the quota", function ()
    assert.same({}, (decide(state(with(waiting("h", 2, 9))), policy())))
    assert.same({}, (decide(state(with(waiting("h", 2, 1))))))
    assert.same({}, (decide(state(with(waiting("h", 11, 9))))))
  end)

  it("goes on with the next: what is over of a place serves it", function ()
    local tasks = with(waiting("h", 5, 9), waiting("m", 4, 8), waiting("e", 1, 1))
    assert.same({ h = "l3 l2", m = "l1" }, (decide(state(tasks))))
  end)

  it("ends a strict list, and passes by in one with skip", function ()
    local tasks = with(waiting("h", 11, 9), waiting("m", 2, 8))
    assert.same({}, (decide(state(tasks))))
    assert.same({ m = "l3" }, (decide(state(tasks), nil, "skip")))
  end)

  it("keeps guards, and goes by the policy's victims", function ()
    local oldest = policy('relation { higher "priority" }', 'victims = { "started" },')
    assert.same({ h = "l1" }, (decide(state(with(waiting("h", 2, 9))), oldest)))
    local young = policy('relation { higher "priority" }', "guards = { min_run_time(93) },")
    assert.same({ h = "l2" }, (decide(state(with(waiting("h", 2, 9))), young)))
    assert.same({}, (decide(state(with(waiting("h", 9, 9))), young)))
  end)

  it("reads both tasks' columns and attributes", function ()
    local rule = policy [[function (task, other)
      return task.kind > other.kind and other.ran > 92 and task.id ~= other.id
        and task.started == 0
    end]]
    local tasks = { running("l1", 4, 1, { kind = 2 }), running("l2", 4, 5, { kind = 1 }),
      running("l3", 2, 9), waiting("h", 2, 1, { kind = 2 }) }
    assert.same({ h = "l2" }, (decide(state(tasks), rule)))
  end)

  it("counts as reclaimed, and gives most_reclaimed at most, but one task its place", function ()
    local tasks = with(waiting("h", 5, 9), waiting("m", 4, 8))
    local function bounded(percent)
      local doc = plan()
      doc.options = { most_reclaimed = percent }
      local made = engine.cycle(doc, state(tasks), nil, HIGHER)
      local row = made.groups.default.consumers[1]
      return { row.reclaimed, swaps(made) }
    end
    -- Of 10 slots l3 and l2 have 6, and l1 4.
    assert.same({ 10, { h = "l3 l2", m = "l1" } }, bounded(100))
    assert.same({ 6, { h = "l3 l2" } }, bounded(99))
    assert.same({ 6, { h = "l3 l2" } }, bounded(10))
  end)

  it("waits while the leaf gives slots back, or has some in flight", function ()
    local lack = { consumers = { ["/b"] = { demand = 10, allocated = 8 } } }
    lack.slots = 18
    assert.same({}, (decide(state(with(waiting("h", 2, 9)), lack))))
    local flying = {
      reclaims = { { id = "r", consumer = "/a", slots = 2, tasks = { "l3" }, deadline = 200,
        ["for"] = { { consumer = "/a", slots = 2 } } } },
    }
    assert.same({}, (decide(state(with(waiting("h", 2, 9)), flying))))
  end)

  it("is done in the next cycle, and the victim does not come back", function ()
    local now, text = state(with(waiting("h", 5, 9))), HIGHER
    local made = engine.cycle(plan(), now, nil, text)
    for _ = 1, 6 do
      now = engine.after(made, { seconds = 1 })
      made = engine.cycle(plan(), now, nil, text)
    end
    assert.is_true(engine.rests(made))
    local runs = {}
    for _, task in ipairs(now.tasks) do
      if task.state ~= "pending" then runs[#runs + 1] = task.id end
    end
    table.sort(runs)
    assert.same({ "h", "l1" }, runs)
  end)

  it("is explained: to the task, the victim, and their leaf", function ()
    local _, decision, made = decide(state(with(waiting("h", 5, 9))))
    local function text(of) return table.concat(decision:explain(of), "\n") end
    assert.matches("It takes the place of 2 running tasks of /a (l3, l2), and starts once they "
      .. "have gone: the policy's inside allows that (C-13).", text "h", 1, true)
    assert.matches("It is reclaimed: h, a pending task of /a, takes its place, which the policy's "
      .. "inside allows (C-13).", text "l3", 1, true)
    assert.matches("6 of its slots go from running tasks to a pending one of its own, at once "
      .. "(inside, C-13).", text "/a", 1, true)
    assert.matches("nothing of it has to go", text "l1", 1, true)
    assert.equal("inside", made.reclaims[1].why.code)
  end)

  it("takes slots of several groups, where the task needs them", function ()
    local two = {
      version = 1, policy = "site.lua", consumers = { { name = "a" } },
      groups = {
        cpu = { slots = 8, consumers = { ["/a"] = { owned = 8 } } },
        gpu = { slots = 2, consumers = { ["/a"] = { owned = 2 } } },
      },
    }
    local made = engine.cycle(two, { now = 100, slots = { cpu = 8, gpu = 2 }, tasks = {
      { id = "x", consumer = "/a", slots = { cpu = 4, gpu = 2 }, started = 1 },
      { id = "y", consumer = "/a", slots = { cpu = 4 }, started = 2 },
      { id = "h", consumer = "/a", slots = { cpu = 1, gpu = 1 }, priority = 5, state = "pending" },
    } }, nil, HIGHER)
    local gives = {}
    for _, it in ipairs(made.reclaims) do
      gives[it.group] = { it.slots, table.concat(it.tasks, " ") }
    end
    assert.same({ cpu = { 4, "x" }, gpu = { 2, "x" } }, gives)
  end)
end)

describe("a policy whose inside is wrong", function ()
  local function said(rule, more)
    local _, _, report = allot.plan('{"slots": 4, "policy": "site.lua", "consumers": '
      .. '[{"name": "a"}]}', {
        file = "plan.json", policies = { ["site.lua"] = policy(rule, more) },
      })
    return report[1].message
  end

  it("is told what is wrong", function ()
    assert.matches("unknown column of tasks 'priorty'",
      said 'relation { higher "priorty" }', 1, true)
    assert.matches("'owned' is a column of consumers; this rule is about tasks",
      said 'relation { higher "owned" }', 1, true)
    assert.matches("preemptive_or_preemptable is a test of queues; inside has none",
      said "relation { preemptive_or_preemptable }", 1, true)
    assert.matches("inside is a relation, or a function of who takes and the other; not a string",
      said '"x"', 1, true)
    assert.matches("inside cannot compare 'host', which a task has only while it runs; tasks that "
      .. "wait have slots, started, submitted,", said 'relation { higher "host" }', 1, true)
  end)

  it("cannot read what tasks have only while they run", function ()
    for _, column in ipairs { "load", "importance", "session_over", "lot", "queue" } do
      local rule = ("function (task) return task.%s == 0 end"):format(column)
      local ok, message = pcall(decide, state(with(waiting("h", 2, 9))), policy(rule))
      assert.is_false(ok)
      assert.matches(("unknown column '%s'; known are created, id, kind,"):format(column), message,
        1, true)
    end
  end)
end)

-- ---- Random cases -------------------------------------------------------------------------------

local function drawn(seed)
  local random = Random.new(seed)
  local it = { plan = plan(random:once_in(2) and "skip" or nil), state = state {}, policy = HIGHER }
  it.plan.consumers[3] = { name = "c", owned = random:int(0, 4) }
  it.plan.slots = nil
  it.state.consumers = {}
  local held = 0
  for _, path in ipairs { "/a", "/b", "/c" } do
    for i = 1, random:int(0, 7) do
      local pending = random:once_in(2)
      local task = {
        id = path:sub(2) .. i, consumer = path, slots = random:int(1, 4),
        priority = random:int(1, 4),
        state = pending and "pending" or nil, started = not pending and random:int(1, 90) or nil,
      }
      held = held + (pending and 0 or task.slots)
      it.state.tasks[#it.state.tasks + 1] = task
    end
  end
  it.state.slots = math.max(20, held)
  if #it.state.tasks == 0 then it.state.tasks = nil end
  return it
end

property("with inside whole tasks come to rest", { runs = 400, valid = engine.valid },
  function (it)
    local now = it.state
    for cycle = 1, 30 do
      local made = engine.cycle(it.plan, now, nil, it.policy)
      local group = made.groups.default
      assert(group.allocated <= group.slots, "above the group's size")
      for _, reclaim in ipairs(made.reclaims) do
        local rank = {}
        for _, task in ipairs(now.tasks or {}) do rank[task.id] = task.priority or 1 end
        for _, victim in ipairs(reclaim.why.code == "inside" and reclaim.tasks or {}) do
          assert(rank[victim] < rank[reclaim.why.pending], victim .. " goes for its like")
        end
      end
      if engine.rests(made) then return end
      if cycle == 30 then error("no rest", 0) end
      now = engine.after(made, { seconds = 1 })
    end
  end, drawn)
