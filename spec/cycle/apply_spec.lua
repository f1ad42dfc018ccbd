-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- allot_state_apply: what a state is once a decision is carried out, by its contract.

local core = require "allot.core"
local engine = require "spec.support.cases.engine"
local gen_whole = require "spec.support.cases.gen_whole"
local play = require "spec.support.model.whole.play"
local property = require "spec.support.cases.property"
local watch = require "spec.support.model.whole.watch"

local PLAN = { version = 1, slots = 10, consumers = {
  { name = "a", owned = 8 }, { name = "b", owned = 2, grace = 30 }, { name = "c", grace = 90 },
} }

local function state(more)
  local out = { now = 100, consumers = {
    ["/a"] = { demand = 8, allocated = 1 }, ["/b"] = { demand = 9, allocated = 4 },
    ["/c"] = { demand = 5, allocated = 3 },
  } }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function held(of)
  local out = {}
  for path, row in pairs(of.consumers) do out[path:sub(2)] = row.allocated or 0 end
  return out
end

local function slots_in_flight(of)
  local sum = 0
  for _, reclaim in ipairs(of.reclaims or {}) do sum = sum + reclaim.slots end
  return sum
end

--- Carries out what is decided; what it was decided of must be as it was.
local function after(plan, before, options)
  local decision, made = engine.cycle(plan, before)
  local text = made:json()
  local out = engine.after(decision, options)
  assert.equal(text, made:json())
  return out, decision
end

describe("a decision that is carried out", function ()
  it("takes up what is granted, and has back what is reclaimed, at once", function ()
    local out = after(PLAN, state())
    assert.same({ a = 3, b = 2, c = 0 }, held(out))
    assert.same({ 101, 100 }, { out.now, out.last })
    assert.equal(9, out.consumers["/b"].demand)
  end)

  it("keeps what is back for the claimants that it is for until they have it", function ()
    local out = after(PLAN, state())
    local decision
    out, decision = after(PLAN, out)
    for _, flight in ipairs(decision.flights) do assert.equal("returned", flight.phase) end
    assert.same({ a = 8, b = 2, c = 0 }, held(out))
    assert.is_nil(out.reclaims)
  end)

  it("has it back a cycle later", function ()
    local out = after(PLAN, state(), { returns = "later" })
    assert.same({ a = 3, b = 4, c = 3 }, held(out))
    assert.equal(5, slots_in_flight(out))
    assert.same({ { consumer = "/a", slots = 3 } }, out.reclaims[1]["for"])
    out = after(PLAN, out, { returns = "later" })
    assert.same({ a = 3, b = 2, c = 0 }, held(out))
    assert.is_nil(out.reclaims)
  end)

  it("has it back at its deadline", function ()
    local out = after(PLAN, state(), { returns = "at deadline", seconds = 30 })
    assert.same({ a = 3, b = 2, c = 3 }, held(out))
    assert.equal(190, out.reclaims[1].deadline)
    out = after(PLAN, out, { returns = "at deadline", seconds = 59 })
    assert.same({ a = 5, b = 2, c = 3 }, held(out))
    out = after(PLAN, out, { returns = "at deadline", seconds = 1 })
    assert.same({ a = 5, b = 2, c = 0 }, held(out))
    assert.is_nil(out.reclaims)
  end)

  it("takes whole seconds, and three words", function ()
    local _, made = engine.cycle(PLAN, state())
    for words, options in pairs {
      ["option seconds is a whole number from 0 on, not -1"] = { seconds = -1 },
      ["option seconds is a whole number from 0 on, not 1.5"] = { seconds = 1.5 },
      ['option returns is "at once", "later" or "at deadline", not soon'] = { returns = "soon" },
      ["unknown option 'second'; known are seconds, returns"] = { second = 1 },
    } do
      local ok, message = pcall(made.apply, made, options)
      assert.is_false(ok)
      assert.matches(words, message, 1, true)
    end
    assert.equal(9223372036854775807, core.decode(made:apply { seconds = math.maxinteger }:json())
      .now)
  end)

  it("knows deadlines and times that a state tells as dates", function ()
    local before = state { now = "1970-01-01T00:01:40Z", reclaims = {
      { id = "r", consumer = "/c", slots = 3, deadline = "1970-01-01T00:03:00Z" },
    } }
    local out = after(PLAN, before, { returns = "at deadline", seconds = 79 })
    assert.equal(179, out.now)
    assert.equal("r", out.reclaims[1].id)
    out = after(PLAN, out, { returns = "at deadline", seconds = 1 })
    assert.same({ 180, 0 }, { out.now, held(out).c })
  end)

  it("tells who gave when, and who waits since when, if an option asks for it", function ()
    local plan = { options = { reclaim_interval = 1 } }
    for key, value in pairs(PLAN) do plan[key] = value end
    local out = after(plan, state())
    assert.equal(100, out.consumers["/c"].reclaimed_at)
    assert.equal(100, out.consumers["/a"].waiting_since)
    out = after(plan, out)
    assert.equal(100, out.consumers["/c"].reclaimed_at)
    assert.is_nil(out.consumers["/a"].waiting_since) -- it has what it lacked
  end)

  it("waits no longer than claim_delay", function ()
    local plan = { version = 1, slots = 10, options = { claim_delay = 3 }, consumers = {
      { name = "a", owned = 10 }, { name = "b" },
    } }
    local now = { now = 0, consumers = {
      ["/a"] = { demand = 10 }, ["/b"] = { demand = 10, allocated = 10 },
    } }
    for cycle = 0, 3 do
      local decision
      now, decision = after(plan, now)
      assert.equal(cycle == 3 and 1 or 0, #decision.reclaims)
    end
    assert.same({ a = 0, b = 0 }, { a = held(now).a or 0, b = held(now).b })
  end)

  it("has no task gone for slots that none uses (C-8)", function ()
    local out = after({ version = 1, slots = 9, consumers = { { name = "a", owned = 5 },
      { name = "b", owned = 4 } } }, { now = 9, consumers = {
      ["/a"] = { demand = 5, allocated = 2 }, ["/b"] = { demand = 9, allocated = 7, unlisted = 1 },
    }, tasks = { { id = "t", consumer = "/b", slots = 3, started = 1 } } })
    assert.same({ a = 2, b = 4 }, held(out))
    assert.equal("t", out.tasks[1].id)
    assert.equal(1, out.consumers["/b"].unlisted)
  end)

  it("keeps groups apart", function ()
    local plan = { version = 1, groups = { cpu = { slots = 10 }, gpu = { slots = 2 } },
      consumers = { { name = "a", owned = 5 }, { name = "b" } } }
    local out = after(plan, { now = 0, consumers = {
      ["/a"] = { demand = { cpu = 4, gpu = 3 } },
      ["/b"] = { demand = { cpu = 9 }, allocated = { cpu = 10 } },
    } })
    assert.same({ gpu = 2 }, out.consumers["/a"].allocated)
    assert.same({ cpu = 6 }, out.consumers["/b"].allocated)
    out = after(plan, out)
    assert.same({ cpu = 4, gpu = 2 }, out.consumers["/a"].allocated)
  end)
end)

describe("tasks of a state", function ()
  local function ids(of)
    local out = {}
    for i, task in ipairs(of.tasks or {}) do out[i] = task.id end
    return out
  end

  local PLAIN = { version = 1, slots = 4,
    consumers = { { name = "a", owned = 3 }, { name = "b" } } }
  local function tasks(more)
    local out = { now = 50, consumers = { ["/a"] = { demand = 3 }, ["/b"] = { demand = 4 } },
      tasks = { { id = "step-1", consumer = "/a", started = 1 },
        { id = "b1", consumer = "/b", started = 1 }, { id = "b2", consumer = "/b", started = 9 } } }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  it("are made of grants, and end with reclaims", function ()
    local out = after(PLAIN, tasks())
    assert.same({ "step-1", "b1", "step-2" }, ids(out))
    assert.same({ id = "step-2", consumer = "/a", started = 50 }, out.tasks[3])
    assert.is_nil(out.consumers["/a"].allocated)
    out = after(PLAIN, out)
    assert.same({ "step-1", "b1", "step-2", "step-3" }, ids(out))
    assert.is_true(engine.rests((engine.cycle(PLAIN, out))))
  end)

  it("run on while their reclaim is in flight", function ()
    local out = after(PLAIN, tasks(), { returns = "later" })
    assert.same({ "step-1", "b1", "b2", "step-2" }, ids(out))
    assert.same({ "b2" }, out.reclaims[1].tasks)
    assert.same({ "step-1", "b1", "step-2" }, ids((after(PLAIN, out, { returns = "later" }))))
  end)

  it("stand where they were granted", function ()
    local plan = { version = 1, hosts = { h1 = { slots = 2 }, h2 = { slots = 2 } },
      consumers = { { name = "a", owned = 4 } } }
    local out = after(plan, { now = 0, consumers = { ["/a"] = { demand = 4 } },
      tasks = { { id = "t", consumer = "/a", host = "h2" } } })
    local on = {}
    for _, task in ipairs(out.tasks) do on[task.host] = (on[task.host] or 0) + (task.slots or 1) end
    assert.same({ h1 = 2, h2 = 2 }, on)
  end)
end)

describe("whole tasks of a state (C-13)", function ()
  local HOSTS = { version = 1, hosts = { h1 = { slots = 4 }, h2 = { slots = 2 } },
    consumers = { { name = "a", owned = 4 }, { name = "b", owned = 2 } } }
  local function by_id(of)
    local out = {}
    for _, task in ipairs(of.tasks) do out[task.id] = task end
    return out
  end

  it("run where their grant has room for them, from the decision's time on", function ()
    local it = by_id((after(HOSTS, { now = 50, tasks = {
      { id = "w", consumer = "/a", slots = 2, state = "pending", priority = 7, submitted = 9 },
    } })))
    assert.same({ id = "w", consumer = "/a", slots = 2, submitted = 9, started = 50, host = "h1",
      priority = 7 }, it.w)
  end)

  it("wait again where they go, and some wait", function ()
    local it = by_id((after(HOSTS, { now = 50, consumers = { ["/b"] = { demand = 6 } }, tasks = {
      { id = "w", consumer = "/a", slots = 4, state = "pending" },
      { id = "b1", consumer = "/b", slots = 2, host = "h2", started = 1 },
      { id = "b2", consumer = "/b", slots = 4, host = "h1", started = 9, preempted = 1 },
    } })))
    assert.same({ id = "b2", consumer = "/b", slots = 4, state = "pending", preempted = 2 }, it.b2)
    assert.same({ "pending", "h2" }, { it.w.state, it.b1.host })
  end)

  local function some_wait(of)
    for _, task in ipairs(of.tasks or {}) do
      if task.state == "pending" then return true end
    end
  end

  --- A state as the engine writes it, without what the model knows nothing of: it has all that go
  -- wait again, and moves slots only of rows that state some.
  local function plain(sealed, of, waits, rows)
    local out, tasks = core.decode(assert(core.state(sealed, core.encode(of))):json()), {}
    out.last, out.reclaims = nil, nil
    for _, task in ipairs(out.tasks or {}) do
      task.preempted, task.priority = nil, task.state == "pending" and task.priority or nil
      if waits or task.state ~= "pending" then tasks[#tasks + 1] = task end
    end
    out.tasks = tasks
    for path, row in pairs(out.consumers or {}) do
      if (rows[path] or {}).allocated == nil then row.allocated = nil end
    end
    return out
  end

  property("are what a model makes of them, cycle after cycle",
    { runs = 500, valid = engine.valid }, function (it)
      local sealed = engine.sealed(it.plan)
      watch.lives(it, function (now)
        local decision, waits = engine.decided(sealed, now), some_wait(now)
        local rows = now.consumers or {}
        assert.same(plain(sealed, play.after(now, decision), waits, rows),
          plain(sealed, engine.after(decision), waits, rows))
        return decision
      end)
    end, gen_whole.case)
end)

describe("jobs of a state", function ()
  local QUEUES = { version = 1, policy = "preemption", hosts = { h = { slots = 4 } }, queues = {
    { name = "hi", priority = 9, preemptive = true }, { name = "lo", priority = 1 },
  } }
  local function jobs(more)
    return { now = 100, jobs = {
      { id = "l", queue = "lo", slots = 4, state = "running", hosts = { h = 4 }, started = 40 },
      more or { id = "u", queue = "hi", slots = 2 },
    } }
  end
  local function by_id(of)
    local out = {}
    for _, job in ipairs(of.jobs or {}) do out[job.id] = job end
    return out
  end

  it("start, and are suspended; what they did is added up", function ()
    local out = after(QUEUES, jobs(), { seconds = 20 })
    local it = by_id(out)
    assert.equal(120, out.now)
    assert.same({ "running", 100, 0, 100, 2 },
      { it.u.state, it.u.started, it.u.ran, it.u.since, it.u.hosts.h })
    assert.same({ "suspended", 1, 60, 100 }, { it.l.state, it.l.preempted, it.l.ran, it.l.since })
  end)

  it("resume where they were, once there is room", function ()
    local out = after(QUEUES, jobs(), { seconds = 20 })
    out.jobs = { out.jobs[1] }
    local it = by_id((after(QUEUES, out, { seconds = 5 })))
    assert.same({ "running", 120, 60, 20, 4 },
      { it.l.state, it.l.started, it.l.ran, it.l.suspended_for, it.l.hosts.h })
  end)

  it("count from now on what they had run until now", function ()
    local it = by_id((after(QUEUES, { now = 100, jobs = {
      { id = "s", queue = "lo", slots = 4, state = "stopped", hosts = { h = 4 }, ran = 7,
        suspended_for = 5 },
    } }, { seconds = 20 })))
    assert.same({ 7, 5, 100 }, { it.s.ran, it.s.suspended_for, it.s.since })
  end)

  it("have the slots that they asked for (P-50)", function ()
    local it = by_id((after(QUEUES, { now = 100, jobs = {
      { id = "g", queue = "lo", slots = 1, state = "running", hosts = { h = 1 }, started = 40,
        resize = { grow = 2 } },
    } })))
    assert.same({ 3, 3, nil }, { it.g.slots, it.g.hosts.h, it.g.resize })
  end)

  it("wait again where they are requeued, and what they had run is lost", function ()
    local plan = { version = 1, policy = "preemption", hosts = QUEUES.hosts, queues = {
      QUEUES.queues[1], { name = "lo", priority = 1, job_controls = { suspend = "requeue" } },
    } }
    local it = by_id((after(plan, jobs())))
    assert.same({ nil, nil, nil, 1 }, { it.l.state, it.l.hosts, it.l.ran, it.l.preempted })
  end)

  it("are gone where preemption ends them", function ()
    local plan = { version = 1, policy = "preemption", hosts = QUEUES.hosts, queues = {
      QUEUES.queues[1], { name = "lo", priority = 1, job_controls = { suspend = "kill" } },
    } }
    assert.is_nil(by_id((after(plan, jobs()))).l)
  end)
end)

describe("books", function ()
  it("of loans are the decision's", function ()
    local out = after({ version = 1, policy = "ownership", consumers = {
      { name = "a", owned = 6, lend = true }, { name = "b", borrow = true },
    } }, { now = 0, consumers = { ["/b"] = { demand = 4 } } })
    assert.same({ { lender = "/a", borrower = "/b", slots = 4 } }, out.loans)
  end)

  it("of leases are the decision's", function ()
    local plan = { version = 1, policy = "shared_lease", hosts = { big = { slots = 8 } },
      leases = { { name = "n", provider = "p", consumer = "c", hosts = { "big" } } } }
    local out, decision = after(plan, { now = 0 })
    assert.equal(decision.leases.n.phase, out.leases.n.phase)
    assert.equal(decision.leases.n.consumer.available, out.leases.n.consumer.available)
    assert(engine.cycle(plan, out))
  end)
end)
