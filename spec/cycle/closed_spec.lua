-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts that are closed, to drain or to be reclaimed, with reclaims under way (E-34, A-80).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- /A owns 10 of 20, /B 10; /C, ranked first, owns nothing. /B's tasks hold 2 slots each.
local function short(more)
  local made = plan {
    slots = 20, { "A", owned = 10 }, { "B", owned = 10, grace = 60 }, { "C", rank = 0 },
  }
  made.consumers[1].rank, made.consumers[2].rank = 1, 1
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

describe("a host closed with reclaim (E-34)", function ()
  local function hosts()
    return short { hosts = { h1 = { slots = 10 }, h2 = { slots = 10 } } }
  end
  local function closed(more)
    local now = state {
      now = 1000, A = { 10, 8 }, hosts = { h2 = { closed = "reclaim" } },
      tasks = {
        { id = "t1", consumer = "/B", slots = 3, host = "h1" },
        { id = "t2", consumer = "/B", slots = 2, host = "h2" },
        { id = "t3", consumer = "/B", slots = 1, host = "h2" },
      },
    }
    now.consumers["/B"] = { demand = 6 }
    for key, value in pairs(more or {}) do now[key] = value end
    return now
  end

  it("gives back what runs there, for nobody, with its time of grace", function ()
    local decision = engine.cycle(hosts(), closed())
    local reclaim = decision.reclaims[1]
    assert.equal("closed-host", reclaim.why.code)
    assert.same({ "t2", "t3" }, reclaim.tasks)
    assert.equal(3, reclaim.slots)
    assert.equal(1060, reclaim.deadline)
    assert.same({}, reclaim["for"])
    local row = case.by_path(decision.groups.default)["/B"]
    assert.equal(6, row.allocated)
    assert.equal(3, row.reclaimed)
    assert.equal(3, row.forced)
  end)

  it("lets its leaf have other slots instead", function ()
    -- 10 slots are left: 5 for each. /B keeps 3 there and lacks 2, which /A gives back.
    local decision = engine.cycle(hosts(), closed())
    local moved = case.reclaims(decision)
    assert.same({ 3, B = 2 }, moved.A)
    local why = decision.reclaims[#decision.reclaims].why.code
    assert.is_true(why == "over-quota" or why == "closed-host" or why == "over-size")
  end)

  it("reclaims each slot once: a reclaim under way gets the shorter time (A-80)", function ()
    local under_way = { {
      id = "r", consumer = "/B", slots = 5, tasks = { "t1", "t2" }, deadline = 1500,
      ["for"] = { { consumer = "/A", slots = 5 } },
    } }
    local decision = engine.cycle(hosts(), closed { reclaims = under_way })
    assert.equal(1060, decision.flights[1].deadline)
    assert.equal(60, decision.flights[1].left)
    local tasks_of = {}
    for _, reclaim in ipairs(decision.reclaims) do
      if reclaim.why.code == "closed-host" then tasks_of = reclaim.tasks end
    end
    assert.same({ "t3" }, tasks_of)
    local rows = case.by_path(decision.groups.default)
    assert.equal(3, rows["/A"].earmarked) -- of 5; the 2 on the closed host are nobody's
    assert.equal(5, rows["/B"].in_flight)
    under_way[1].deadline = 1010
    decision = engine.cycle(hosts(), closed { reclaims = under_way })
    assert.equal(1010, decision.flights[1].deadline)
  end)

  -- /B holds 3 slots on each host. What a reclaim without tasks takes above the 3 on the open one
  -- stands on the closed one, and is not reclaimed there again.
  it("reclaims each slot once, also where a reclaim names no tasks (A-80)", function ()
    local function decide(slots)
      return engine.cycle(hosts(), closed { reclaims = { {
        id = "r", consumer = "/B", slots = slots, deadline = 1500,
        ["for"] = { { consumer = "/A", slots = slots } },
      } } })
    end
    local function by_force(decision)
      for _, reclaim in ipairs(decision.reclaims) do
        if reclaim.why.code == "closed-host" then return reclaim.slots, reclaim.tasks end
      end
    end
    local decision = decide(5)
    local slots, names = by_force(decision)
    assert.same({ 1, { "t3" } }, { slots, names })
    assert.equal(1060, decision.flights[1].deadline)
    local rows = case.by_path(decision.groups.default)
    assert.equal(3, rows["/A"].earmarked) -- of 5; the 2 on the closed host are nobody's
    assert.same({ 5, 6 }, { rows["/B"].in_flight, rows["/B"].allocated })
    assert.is_nil(by_force(decide(6)))
    -- What nobody claims was told to go because of its host.
    local old = { id = "r", consumer = "/B", slots = 2, deadline = 1030 }
    assert.equal(1, (by_force(engine.cycle(hosts(), closed { reclaims = { old } }))))
    decision = decide(3)
    assert.equal(3, by_force(decision))
    assert.equal(1500, decision.flights[1].deadline)
    assert.equal(3, case.by_path(decision.groups.default)["/A"].earmarked)
  end)

  it("is no more to it once they are gone", function ()
    local now = closed { reclaims = { {
      id = "r", consumer = "/B", slots = 3, tasks = { "t2", "t3" }, deadline = 1060,
    } } }
    now.tasks = { now.tasks[1] }
    local decision = engine.cycle(hosts(), now)
    assert.equal("returned", decision.flights[1].phase)
    for _, reclaim in ipairs(decision.reclaims) do
      assert.is_true(reclaim.why.code ~= "closed-host")
    end
  end)

  it("that only drains takes nothing by force", function ()
    local decision = engine.cycle(hosts(), closed { hosts = { h2 = { closed = "drain" } } })
    for _, reclaim in ipairs(decision.reclaims) do
      assert.is_true(reclaim.why.code ~= "closed-host")
    end
    -- Nobody lacks a slot: neither what drains goes, nor anything in its place.
    local alone = state {
      A = { 0, 0 }, hosts = { h2 = { closed = "drain" } },
      tasks = {
        { id = "t1", consumer = "/B", slots = 8, host = "h1", started = 10 },
        { id = "t2", consumer = "/B", slots = 5, host = "h2" },
      },
    }
    alone.consumers["/B"] = { demand = 30 }
    decision = engine.cycle(hosts(), alone)
    assert.same({}, decision.reclaims)
    assert.same({ B = 2 }, case.grants(decision)) -- the idle ones of h1
    -- Somebody does: what drains would serve nobody.
    alone.consumers["/A"] = { demand = 10, allocated = 0 }
    decision = engine.cycle(hosts(), alone)
    assert.same({ "t1" }, decision.reclaims[1].tasks)
  end)
end)

describe("jobs of queues on a host closed with reclaim (C-10, E-34)", function ()
  local function queues()
    return {
      version = 1, hosts = { h1 = { slots = 4 }, h2 = { slots = 4 } },
      queues = {
        { name = "hi", priority = 9, preemptive = true },
        { name = "lo", no_preempt_run_time = 1, max_job_preempt = 1 },
        { name = "ends", terminate_when = { "PREEMPT" } },
      },
    }
  end
  local function now(how, more)
    return {
      now = 5000, hosts = { h2 = { closed = how } },
      jobs = more or {
        { id = "a", queue = "lo", state = "running", hosts = { h1 = 1, h2 = 2 }, started = 100 },
        { id = "b", queue = "ends", state = "running", hosts = { h2 = 1 }, started = 100 },
        { id = "c", queue = "lo", state = "suspended", hosts = { h2 = 1 } },
      },
    }
  end
  local function kills(decision)
    local out = {}
    for i, kill in ipairs(decision.kills) do
      out[i] = ("%s %s %d %d"):format(kill.job, kill.action, kill.slots, kill.why.closed)
      assert.equal("closed-host", kill.why.code)
      assert.is_nil(kill["for"])
      assert.equal(0, kill.preempted)
    end
    return out
  end

  it("go, whatever protects them, and leave it: they are not suspended there", function ()
    local decision = engine.cycle(queues(), now "reclaim")
    assert.same({ "a requeue 3 2", "b kill 1 1" }, kills(decision))
    assert.same({}, decision.suspends)
    assert.same({}, decision.resumes)
    assert.equal(4, decision.groups.default.idle_left)
  end)

  it("run on where it is closed to drain", function ()
    local decision = engine.cycle(queues(), now "drain")
    assert.same({}, decision.kills)
    assert.same({ 3, 3 }, { decision.groups.default.idle, decision.groups.default.idle_left })
  end)

  it("start elsewhere in the next cycle, and then nothing is left to decide", function ()
    local before = now "reclaim"
    before.jobs[1].slots = 3
    local decision = engine.cycle(queues(), before)
    local behind = engine.after(decision, { seconds = 0 })
    decision = engine.cycle(queues(), behind)
    assert.same({ h1 = 3 }, decision.starts[1].hosts)
    assert.same({}, decision.kills)
    decision = engine.cycle(queues(), engine.after(decision, { seconds = 0 }))
    for _, kind in ipairs { "starts", "resumes", "resizes", "suspends", "kills" } do
      assert.same({}, decision[kind])
    end
  end)

  it("are held back while they are told of new slots (A-15)", function ()
    local job = { id = "a", queue = "lo", state = "running", hosts = { h2 = 1 },
      resize = { notifying = true } }
    local decision = engine.cycle(queues(), now("reclaim", { job }))
    assert.same({ "a requeue 1 1" }, kills(decision))
    assert.is_true(decision.kills[1].held)
    assert.equal(0, decision.queues.lo.preempted)
    job.resize = nil
    decision = engine.cycle(queues(), now("reclaim", { job }))
    assert.is_nil(decision.kills[1].held)
  end)

  it("are told why, and what would have spared them", function ()
    local _, handle = engine.cycle(queues(), now "reclaim")
    local told = table.concat(handle:explain "a", "\n")
    for _, words in ipairs {
      "It is killed and pending again in this cycle: 2 slots of it are on hosts that are closed",
      "(C-10, E-34)", "Its queue would have it suspended", "closed to drain it would run on",
    } do
      assert.truthy(told:find(words, 1, true), words .. "\n" .. told)
    end
    told = table.concat(handle:explain "b", "\n")
    assert.truthy(told:find("It is killed in this cycle: 1 slot of it is", 1, true), told)
    assert.falsy(told:find("would have it suspended", 1, true), told)
    told = table.concat(handle:explain "c", "\n")
    assert.truthy(told:find("It stays suspended", 1, true), told)
    assert.truthy(told:find("h2 is closed.", 1, true), told)
  end)
end)
