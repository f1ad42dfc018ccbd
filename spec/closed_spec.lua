-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hosts that are closed, to drain or to be reclaimed, with reclaims under way (E-34, A-80).

local case = require "spec.support.case"
local engine = require "spec.support.engine"

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
