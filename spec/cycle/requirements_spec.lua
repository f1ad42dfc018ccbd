-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What consumers require of hosts: grants go where it is met, and slots come back there (E-30).

local allot = require "allot"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

-- Hybrid with requirements on hosts.
local POLICY = [[
return policy {
  name = "site",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  },
  requirements = {
    big = function (memory) return (memory or 0) >= 64 end,
    linux = function (os) return os == "linux" end,
  },
}
]]

local HOSTS = {
  h1 = { slots = 8, memory = 32, os = "linux" },
  h2 = { slots = 8, memory = 64 },
  h3 = { slots = 4, memory = 128, os = "linux" },
}

local function plan(consumers, options)
  consumers.slots, consumers.hosts, consumers.options = 20, HOSTS, options
  consumers.policy = "site.lua"
  return case.plan(consumers)
end

local function task(id, consumer, host, slots, started)
  return { id = id, consumer = "/" .. consumer, host = host, slots = slots, started = started }
end

-- As case.state; what is held is what tasks hold.
local function state(short)
  local out = case.state(short)
  for _, row in pairs(out.consumers) do
    row.allocated = nil
  end
  return out
end

local function cycle(document, now)
  local decision, handle = engine.cycle(document, now, nil, POLICY)
  local placed = {}
  for _, grant in ipairs(decision.grants) do
    placed[grant.consumer:sub(2)] = grant.hosts or {}
  end
  return decision, placed, function (path) return table.concat(handle:explain(path), "\n") end
end

describe("a requirement", function ()
  it("is where grants go", function ()
    local _, placed = cycle(plan {
      { "A", owned = 10, requires = "big" }, { "B", owned = 10, requires = "linux" },
    }, state { A = { 10 }, B = { 10 } })
    assert.same({ A = { h2 = 8, h3 = 2 }, B = { h1 = 8, h3 = 2 } }, placed)
  end)

  it("holds for all below who name none", function ()
    local _, placed = cycle(plan {
      { "P", owned = 10, requires = "big", { "X", owned = 5 },
        { "Y", owned = 5, requires = "linux" } },
    }, state { ["P/X"] = { 2 }, ["P/Y"] = { 2 } })
    assert.same({ ["P/X"] = { h2 = 2 }, ["P/Y"] = { h1 = 2 } }, placed)
  end)

  it("goes before those who take any host", function ()
    local _, placed = cycle(plan({
      { "A", owned = 12 }, { "B", owned = 8, requires = "linux", rank = 1 },
    }), state { A = { 8 }, B = { 12 } })
    assert.same({ A = { h2 = 8 }, B = { h1 = 8, h3 = 4 } }, placed)
  end)

  it("that is not met leaves slots to others: no more are needed than meet it", function ()
    local decision, placed = cycle(plan {
      { "A", owned = 15, requires = "linux" }, { "B", owned = 5 },
    }, state { A = { 15 }, B = { 30 } })
    assert.same({ A = { h1 = 8, h3 = 4 }, B = { h2 = 8 } }, placed)
    case.check({ A = { demand = 15, need = 12, quota = 12 }, B = { quota = 8 } },
      decision.groups.default)
  end)

  it("of two that want the same hosts is shared by the policy's rules (H-17)", function ()
    local decision, placed = cycle(plan {
      { "A", owned = 10, requires = "linux" }, { "B", owned = 10, requires = "linux", rank = 1 },
    }, state { A = { 10 }, B = { 10 } })
    assert.same({ A = { h1 = 6 }, B = { h1 = 2, h3 = 4 } }, placed)
    case.check({
      A = { need = 6, quota = 6, granted = 6 }, B = { need = 6, quota = 6, granted = 6 },
      [""] = { idle_left = 8 },
    }, decision.groups.default)
  end)

  it("keeps exclusive consumers off hosts that others need, who else take what fits (H-14)",
    function ()
      local document = plan {
        { "A", owned = 4, exclusive = true }, { "B", owned = 10, requires = "linux" },
        { "C", owned = 6 },
      }
      local _, placed = cycle(document, state { A = { 4 }, B = { 10 } })
      assert.same({ A = { h2 = 4 }, B = { h1 = 8, h3 = 2 } }, placed)
      _, placed = cycle(document, state { A = { 4 } })
      assert.same({ A = { h3 = 4 } }, placed)
    end)

  it("that no open host meets is told, where somebody wants slots", function ()
    local document = plan { { "A", owned = 10, requires = "big" }, { "B", owned = 10 } }
    local shut = { h2 = { closed = "drain" }, h3 = { slots = 0 } }
    local decision = cycle(document, state { A = { 1 }, hosts = shut })
    assert.equal("W-requires", decision.warnings[1].code)
    assert.matches('/A requires "big": no open host', decision.warnings[1].message)
    case.check({ A = { demand = 1, need = 0 } }, decision.groups.default)
    assert.same({}, { table.unpack(cycle(document, state { A = { 0 }, hosts = shut }).warnings) })
    assert.same({}, { table.unpack(cycle(document, state { A = { 1 } }).warnings) })
  end)

  it("must be one of the policy's", function ()
    local fine, fault = pcall(engine.sealed, plan {
      { "A", owned = 1, requires = "bog" },
    }, POLICY)
    assert.is_false(fine)
    assert.matches("E%-requires", fault)
    assert.matches("bog", fault)
  end)
end)

describe("a reclaim (E-30)", function ()
  -- B runs everywhere; the task that started last is not on a host for A.
  local running = {
    task("old", "B", "h2", 8, 10), task("new", "B", "h1", 8, 50), task("newer", "B", "h3", 4, 40),
  }

  it("takes slots on hosts that serve the claimant", function ()
    local decision = cycle(plan {
      { "A", owned = 10, requires = "big" }, { "B", owned = 10 },
    }, state { A = { 4 }, B = { 20 }, tasks = running, now = 100 })
    assert.same({ B = { 4, A = 4 } }, case.reclaims(decision))
    assert.same({ "newer" }, decision.reclaims[1].tasks)
  end)

  it("goes by the policy's order among these, and by it alone for others", function ()
    local function victims(consumer)
      local decision = cycle(plan {
        { "A", owned = 5, requires = "big" }, { "B", owned = 10 }, { "C", owned = 5 },
      }, state { [consumer] = { 4 }, B = { 20 }, tasks = running, now = 100 })
      return decision.reclaims[1].tasks
    end
    assert.same({ "newer" }, victims("A"))
    assert.same({ "new" }, victims("C"))
  end)

  it("is not made where it helps nobody", function ()
    local decision = cycle(plan {
      { "A", owned = 10, requires = "big" }, { "B", owned = 6 }, { "C", owned = 4 },
    }, state {
      A = { 10 }, B = { 8 }, C = { 12 },
      tasks = { task("b", "B", "h1", 8), task("c", "C", "h2", 4), task("d", "C", "h3", 4),
        task("e", "C", "h2", 4) },
    })
    -- B is over by 2, but on no host for A; C by 8, all of them there.
    case.check({ B = { over = 2, reclaimed = 0 }, C = { over = 8, reclaimed = 8 } },
      decision.groups.default)
    assert.same({ C = { 8, A = 8 } }, case.reclaims(decision))
  end)

  describe("by a limit", function ()
    local made = plan {
      { "P", limit = 0, { "X" }, { "Y", exclusive = true } },
      { "A", owned = 10, requires = "big" }, { "B" }, { "C" },
    }
    local on_h1, others = task("x", "P/X", "h1", 8), {
      task("b2", "B", "h2", 8), task("b3", "B", "h3", 4),
    }

    it("is for those alone whom the slots serve (C-6)", function ()
      local now = state { ["P/X"] = { 8 }, A = { 4 }, B = { 0 }, tasks = { on_h1, others[1],
        others[2] } }
      assert.same({ ["P/X"] = { 8 }, B = { 4, A = 4 } }, case.reclaims((cycle(made, now))))
    end)

    it("serves the others before any more are taken (C-6)", function ()
      local now = state { ["P/X"] = { 8 }, A = { 4 }, B = { 0 }, C = { 3 }, tasks = { on_h1,
        others[1], others[2] } }
      assert.same({ ["P/X"] = { 8, C = 3 }, B = { 4, A = 4 } },
        case.reclaims((cycle(made, now))))
    end)

    it("takes each slot for one claimant (C-6)", function ()
      local small = plan {
        { "P", limit = 0, { "X" } }, { "A", owned = 10, requires = "big" },
        { "D", owned = 6, requires = "linux" }, { "B" },
      }
      -- X has 4 on h3, which serve A or D, and 8 on h1, for D alone.
      local now = state { ["P/X"] = { 8 }, A = { 6 }, D = { 4 }, B = { 0 }, tasks = {
        task("x1", "P/X", "h1", 8), task("x3", "P/X", "h3", 4), others[1],
      } }
      local given = case.reclaims((cycle(small, now)))
      assert.same({ ["P/X"] = { 12, A = 4, D = 4 }, B = { 2, A = 2 } }, given)
    end)

    it("does not serve others with a host that somebody has alone", function ()
      local now = state { ["P/Y"] = { 0 }, A = { 0 }, B = { 0 }, C = { 4 } }
      now.consumers["/P/Y"].allocated, now.consumers["/B"].allocated = 8, 12
      local decision, _, told = cycle(made, now)
      assert.same({ ["P/Y"] = { 8 }, B = { 4, C = 4 } }, case.reclaims(decision))
      assert.matches("who lacks slots nearest above it and can use them (C-6, E-30)", told "/P/Y",
        1, true)
      assert.is_nil(told("/P/Y"):find("stay", 1, true))
    end)
  end)
end)

describe("slots of which no task tells the host", function ()
  local document = plan {
    { "A", owned = 10, requires = "big" }, { "B", owned = 5 }, { "C", owned = 5 },
  }
  local function given(demand_a, demand_c, tasks)
    local now = state { A = { demand_a }, B = { 20 }, C = { demand_c }, tasks = tasks }
    now.consumers["/B"].allocated = 20
    return now
  end
  local function decide(...)
    return (cycle(document, given(...)))
  end
  local function told(...)
    local _, decision = engine.cycle(document, given(...), nil, POLICY)
    return function (path) return table.concat(decision:explain(path), "\n") end
  end

  it("are not reclaimed for who requires something of hosts, and that is told", function ()
    local decision = decide(10, 0) -- /B has 10 too many; 8 of all slots are on no host for /A
    assert.same({}, decision.reclaims)
    local text = told(10, 0)
    assert.matches("Of the 10 it is over 10 stay: no task tells their hosts", text("/B"))
    assert.matches("no consumer above its quota is on hosts that serve it", text("/A"))
    assert.equal("W-hosts", decision.warnings[1].code)
    assert.matches("of 10 that others have too many.*/A", decision.warnings[1].message)
  end)

  it("are reclaimed for all others", function ()
    assert.same({ B = { 5, C = 5 } }, case.reclaims(decide(10, 5)))
    assert.equal(0, #decide(0, 5).warnings)
  end)

  it("stay where others are told on hosts that serve the claimant", function ()
    local decision = decide(10, 0, { task("t", "B", "h1", 8), task("u", "B", "h2", 4) })
    assert.same({ B = { 4, A = 4 } }, case.reclaims(decision))
    assert.same({ "u" }, decision.reclaims[1].tasks)
  end)
end)

describe("a host given by the state", function ()
  it("is for that consumer and those below it", function ()
    local _, placed = cycle(plan {
      { "P", owned = 10, { "X", owned = 10 } }, { "B", owned = 10 },
    }, state { ["P/X"] = { 10 }, B = { 10 }, hosts = { h1 = { exclusive_to = "/P" } } })
    assert.same({ ["P/X"] = { h1 = 8, h2 = 2 }, B = { h2 = 6, h3 = 4 } }, placed)
  end)

  it("has slots of it where tasks tell no host", function ()
    local now = state { A = { 5 }, B = { 100 }, hosts = { h1 = { exclusive_to = "/A" } } }
    now.consumers["/A"].allocated = 5
    local decision, placed = cycle(plan {
      { "A", owned = 10, exclusive = true }, { "B", owned = 10 },
    }, now)
    assert.same({ B = { h2 = 8, h3 = 4 } }, placed)
    assert.equal(3, decision.groups.default.blocked)
  end)
end)

describe("examples/hosts", function ()
  local shell = require "spec.support.house.shell"

  it("takes back what the GPUs' owner is owed, and keeps payroll's host apart", function ()
    local out = assert(io.popen(shell.allot ..
      " run examples/hosts/plan.json examples/hosts/state.json"))
    local text = out:read("a")
    out:close()
    assert.matches("/solver gets 5 idle slots on node2 (5)", text, 1, true)
    assert.matches("/payroll gets 3 idle slots on node3 (3)", text, 1, true)
    assert.matches("/batch gives back 4: 4 to /training", text, 1, true)
    assert.matches("tasks b%-2, b%-1;", text) -- those on gpu1
  end)
end)

describe("an explanation of a task", function ()
  -- The last started runs where only /C can have it, the other that goes where /B can.
  local now = state {
    now = 10000, A = { 0 }, B = { 4 }, C = { 4 },
    tasks = {
      task("t1", "A", "h1", 8, 300), task("t2", "A", "h2", 4, 100), task("t3", "A", "h2", 4, 200),
      task("t4", "A", "h3", 4, 50),
    },
  }
  local made = plan {
    { "A", owned = 12 }, { "B", owned = 4, requires = "big" }, { "C", owned = 4 },
  }

  it("says that tasks on other hosts serve those whom the slots are for (E-30)", function ()
    local document, decision = engine.cycle(made, now, nil, POLICY)
    assert.same({ "t3", "t1" }, document.reclaims[1].tasks)
    local first = table.concat(decision:explain "t1", "\n")
    assert.matches("The first that stays is t2", first)
    for _, id in ipairs { "t1", "t2", "t3", "t4" } do
      local lines = table.concat(decision:explain(id), "\n")
      assert.matches("Hosts are not all alike.*E%-30", lines)
      assert.not_matches("It would", lines)
    end
  end)
end)

it("what is wrong in several groups at one place is said once", function ()
  local _, _, report = allot.plan [[{"version": 1, "slots": 4, "groups": {"a": {}, "b": {}},
    "consumers": [{"name": "A", "owned": 4, "requires": "big"}]}]]
  assert.equal(1, #report)
  assert.equal("E-requires", report[1].code)
end)
