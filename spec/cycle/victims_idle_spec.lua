-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slots that no task of the state uses go before any task (C-8).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local NOW = 10000

-- A gives `gives` slots to B of those it holds: its tasks that go, and the decision.
local function going(holds, gives, rest)
  rest.now, rest.A, rest.B = NOW, { holds, holds, rest.unlisted }, { gives, 0 }
  rest.unlisted = nil
  local document, decision = engine.cycle(case.plan { slots = holds,
    { "A", owned = holds - gives }, { "B", owned = gives } }, case.state(rest))
  return document.reclaims[1].tasks, document, decision
end

local function task(id, fields)
  fields.id, fields.consumer = id, "/A"
  return fields
end

local function explained(decision, id)
  return table.concat(assert(decision:explain(id)), "\n")
end

describe("tasks behind slots that none uses (C-8)", function ()
  local function tasks()
    return { task("t1", { slots = 3, started = NOW - 60 }), task("t2", { started = NOW - 9 }) }
  end

  it("go for what those do not cover", function ()
    local names, document = going(7, 3, { tasks = tasks() })
    assert.same({}, names)
    assert.equal(3, document.reclaims[1].slots)
    assert.equal(0, document.reclaims[1].lost)
    assert.same({ "t2" }, (going(7, 4, { tasks = tasks() })))
    assert.same({ "t1" }, (going(7, 6, { tasks = tasks() })))
    assert.same({ "t2", "t1" }, (going(7, 7, { tasks = tasks() })))
  end)

  it("but before those that run what the state does not list", function ()
    assert.same({ "t1" }, (going(7, 3, { tasks = tasks(), unlisted = true })))
    assert.same({ "t2" }, (going(7, 3, { tasks = tasks(), unlisted = 1 })))
    assert.same({}, (going(7, 3, { tasks = tasks(), unlisted = 0 })))
    assert.same({}, (going(7, 3, { tasks = tasks(), unlisted = false })))
    assert.same({ "t2", "t1" }, (going(7, 6, { tasks = tasks(), unlisted = 99 })))
  end)

  it("which are no longer there once they are on their way", function ()
    local function flight(slots, names)
      return { { consumer = "/A", slots = slots, tasks = names,
        ["for"] = { { consumer = "/B", slots = slots } }, deadline = NOW + 60 } }
    end
    assert.same({}, (going(7, 3, { tasks = tasks(), reclaims = flight(1) })))
    assert.same({ "t2" }, (going(7, 4, { tasks = tasks(), reclaims = flight(1) })))
    assert.same({ "t2" }, (going(7, 4, { tasks = tasks(), reclaims = flight(3) })))
    assert.same({ "t1" }, (going(7, 6, { tasks = tasks(), reclaims = flight(3, { "t2" }) })))
  end)

  it("of a leaf without any task nobody is named", function ()
    for _, unlisted in ipairs { false, true } do
      local names, document = going(7, 3, { unlisted = unlisted })
      assert.same({}, names)
      assert.equal(3, document.reclaims[1].slots)
    end
  end)

  it("are told when a task is explained", function ()
    local _, _, decision = going(7, 3, { tasks = tasks() })
    local lines = explained(decision, "t2")
    assert.matches("/A gives 3 slots back that no task uses: they go first", lines)
    assert.matches("It would go if /A gave 1 more", lines)
    _, _, decision = going(7, 4, { tasks = tasks() })
    lines = explained(decision, "t2")
    assert.matches("gives 4 slots back: first 3 that no task uses; the tasks that go for the "
      .. "rest hold 1 slot", lines)
    assert.matches("It would stay if /A gave 1 less", lines)
    assert.matches("It would go if /A gave 1 more", explained(decision, "t1"))
  end)
end)
