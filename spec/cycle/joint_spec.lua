-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What hosts hold together (H-17), what is lent (H-18) and who makes way (H-19), case by case.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local POLICY = [[
return policy {
  name = "site", like = "hybrid", doc = "Hybrid, and what hosts are.",
  requirements = {
    gpu = function (gpus) return (gpus or 0) > 0 end,
    big = function (memory) return (memory or 0) >= 64 end,
  },
}
]]

local HOSTS = { g = { slots = 2, gpus = 1 }, n = { slots = 2, gpus = 0 } }

local function plan(consumers)
  consumers.slots, consumers.hosts = nil, consumers.hosts or HOSTS
  consumers.policy = "site.lua"
  return case.plan(consumers)
end

local function task(id, consumer, host)
  return { id = id, consumer = "/" .. consumer, host = host, started = 1 }
end

local function state(demands, tasks)
  local out = { now = 1000, consumers = {}, tasks = tasks }
  for name, demand in pairs(demands) do out.consumers["/" .. name] = { demand = demand } end
  return out
end

local function cycle(document, now)
  local decision, handle = engine.cycle(document, now, nil, POLICY)
  local placed = {}
  for _, grant in ipairs(decision.grants) do placed[grant.consumer:sub(2)] = grant.hosts end
  return decision, placed, function (path)
    return table.concat(handle:explain(path), "\n")
  end
end

describe("quotas (H-17)", function ()
  it("count slots of hosts once, however many require them", function ()
    local decision, placed, told = cycle(plan {
      { "A", owned = 2, requires = "gpu" }, { "B", owned = 2, requires = "gpu" }, { "C" },
    }, state { A = 2, B = 2, C = 10 })
    case.check({
      A = { quota = 1, granted = 1 }, B = { quota = 1, granted = 1 },
      C = { quota = 2, granted = 2 },
      [""] = { idle_left = 0 },
    }, decision.groups.default)
    assert.same({ A = { g = 1 }, B = { g = 1 }, C = { n = 2 } }, placed)
    assert.matches("hosts that it can use have 1 for it beside others", told "/A")
  end)

  it("hold for every set of requirements, not for pairs alone", function ()
    -- a: gpu and big; b: gpu; c: big. Each pair fits, all three together do not.
    local decision = cycle(plan {
      hosts = { a = { slots = 2, gpus = 1, memory = 64 }, b = { slots = 2, gpus = 1 },
        c = { slots = 2, memory = 64 }, d = { slots = 2 } },
      { "A", owned = 4, requires = "gpu" }, { "B", owned = 4, requires = "big" },
      { "C", owned = 0 },
    }, state { A = 4, B = 4, C = 8 })
    case.check({ A = { quota = 3 }, B = { quota = 3 }, C = { quota = 2 } },
      decision.groups.default)
  end)

  it("leave what hosts of a kind cannot hold to others, by the policy's rules", function ()
    local decision = cycle(plan {
      hosts = { g = { slots = 3, gpus = 1 }, n = { slots = 7 } },
      { "A", owned = 4, requires = "gpu" }, { "B", owned = 2, requires = "gpu" },
      { "C", owned = 2 }, { "D", owned = 2 },
    }, state { A = 10, B = 10, C = 10, D = 10 })
    case.check({ A = { quota = 2 }, B = { quota = 1 }, C = { quota = 4 }, D = { quota = 3 } },
      decision.groups.default)
  end)
end)

describe("who owns slots where others run", function ()
  local function document(make_way)
    return plan {
      options = { make_way = make_way },
      { "A", owned = 2, requires = "gpu" }, { "D", owned = 2 }, { "C" },
    }
  end
  local function now()
    return state({ A = 2, D = 2, C = 10 }, { task("d1", "D", "g"), task("d2", "D", "g") })
  end

  it("is told who is there; others are lent what it cannot use (H-18)", function ()
    local decision, placed, told = cycle(document(), now())
    case.check({
      A = { quota = 2, granted = 0 }, D = { quota = 2, reclaimed = 0 },
      C = { quota = 0, granted = 2 }, [""] = { idle_left = 0 },
    }, decision.groups.default)
    assert.same({ C = { n = 2 } }, placed)
    assert.same({}, decision.reclaims)
    assert.matches("/D holds 2, no more than its quota lets it: with make_way", told "/A")
    assert.matches("2 of its grant are lent", told "/C")
    assert.is_true(engine.rests((cycle(document(), engine.after(decision)))))
  end)

  it("gets them with make_way: who could run elsewhere moves (H-19)", function ()
    local decision, placed, told = cycle(document(true), now())
    assert.same({ D = { n = 2 } }, placed)
    assert.same({ D = { 2, A = 2 } }, case.reclaims(decision))
    assert.equal("make-way", decision.reclaims[1].why.code)
    assert.matches("It makes way: 2 elsewhere", told "/D")
    local after = engine.after(decision)
    decision, placed = cycle(document(true), after)
    assert.same({ A = { g = 2 } }, placed)
    assert.same({}, decision.reclaims)
    decision = cycle(document(true), engine.after(decision))
    assert.is_true(engine.rests(decision))
  end)

  it("does not, where its tasks' reclaim is on its way already", function ()
    local decision = cycle(document(true), now())
    local flying = engine.after(decision, { returns = "later" })
    decision = cycle(document(true), flying)
    assert.same({}, decision.grants)
    assert.same({}, decision.reclaims)
  end)

  it("waits where nobody can move: the limit of who would", function ()
    local made = document(true)
    made.consumers[2].limit = 2
    local decision = cycle(made, now())
    assert.same({}, decision.reclaims)
    case.check({ C = { granted = 2 } }, decision.groups.default)
  end)
end)

describe("loans of idle slots (H-18)", function ()
  it("go back once they serve somebody who lacks them", function ()
    local made = plan { { "A", owned = 4 }, { "B", owned = 0, requires = "gpu" } }
    local decision = cycle(made, state({ A = 4, B = 2 }, {
      task("b1", "B", "g"), task("b2", "B", "g"),
    }))
    assert.same({ B = { 2, A = 2 } }, case.reclaims(decision))
  end)

  it("keep limits", function ()
    local made = plan {
      { "A", owned = 2, requires = "gpu" }, { "D", owned = 2 },
      { "P", limit = 1, { "X" }, { "Y" } },
    }
    local decision = cycle(made, state({ A = 2, D = 2, ["P/X"] = 5, ["P/Y"] = 5 }, {
      task("d1", "D", "g"), task("d2", "D", "g"),
    }))
    case.check({ ["P"] = { granted = 1 }, [""] = { idle_left = 1 } }, decision.groups.default)
  end)

  it("are no more than a policy's fills reach", function ()
    local made = plan { { "A", owned = 2, requires = "gpu" }, { "D", owned = 2 }, { "C" } }
    local decision = engine.cycle(made, state({ A = 2, D = 2, C = 10 }, {
      task("d1", "D", "g"), task("d2", "D", "g"),
    }), nil, [[
return policy {
  name = "site", doc = "Nobody gets what others own.",
  quota = { fill "owned" { by = "owned", up_to = "owned" } },
  requirements = { gpu = function (gpus) return (gpus or 0) > 0 end },
}
]])
    case.check({ C = { granted = 0 }, [""] = { idle_left = 2 } }, decision.groups.default)
  end)

  it("fill hosts that an exclusive consumer has alone", function ()
    local decision = cycle(plan {
      hosts = { h1 = { slots = 8 }, h2 = { slots = 8 } },
      { "A", owned = 4, exclusive = true }, { "B", owned = 12 },
    }, state { A = 8, B = 16 })
    case.check({ A = { granted = 8 }, B = { granted = 8 }, [""] = { idle_left = 0 } },
      decision.groups.default)
  end)
end)

describe("hosts for an exclusive consumer", function ()
  -- Carries decisions out until they rest; how many times somebody gave slots back.
  local function settle(made, now)
    local given = 0
    for _ = 1, 10 do
      local decision = cycle(made, now)
      given = given + #decision.reclaims
      if engine.rests(decision) then return decision, given end
      now = engine.after(decision)
    end
    error("still moving")
  end

  it("are no more than its leaves need together (H-18)", function ()
    -- X fits on h2, and Y needs h1, where there is room for X as well.
    local decision, placed = cycle(plan {
      hosts = { h1 = { slots = 2, gpus = 1 }, h2 = { slots = 1 }, h3 = { slots = 2 } },
      { "C" }, { "E", exclusive = true, { "X" }, { "Y", rank = 1, requires = "gpu" } },
    }, state { C = 3, ["E/X"] = 1, ["E/Y"] = 1 })
    case.check({ C = { quota = 3, granted = 3 }, E = { quota = 2, granted = 2 } },
      decision.groups.default)
    assert.same({ h1 = 1 }, placed["E/X"])
  end)

  it("are those that hold all its leaves, not each leaf's own (H-18)", function ()
    local decision = cycle(plan {
      hosts = { h1 = { slots = 2, gpus = 1 }, h2 = { slots = 1 }, h3 = { slots = 4, gpus = 1 } },
      { "C" }, { "E", exclusive = true, { "X" }, { "Y", requires = "gpu" } },
    }, state { C = 1, ["E/X"] = 1, ["E/Y"] = 5 })
    case.check({ C = { quota = 1, granted = 1 }, E = { quota = 6, granted = 6 } },
      decision.groups.default)
  end)

  it("block nothing that it uses until others of it give slots back (H-14, H-18)", function ()
    -- Of the 2 slots that Y gets on another host one is for what X, over by one, still has.
    local decision = cycle(plan {
      hosts = { h3 = { slots = 2 }, h4 = { slots = 4, gpus = 1 }, h5 = { slots = 2 } },
      { "E", exclusive = true, { "X" }, { "Y", owned = 1 } },
      { "P", { "C" }, { "G", requires = "gpu" } },
    }, state({ ["E/X"] = 1, ["E/Y"] = 4, ["P/C"] = 2, ["P/G"] = 1 }, {
      task("t1", "E/X", "h4"), task("t2", "E/X", "h4"),
    }))
    case.check({ ["E/Y"] = { granted = 4 }, ["P/C"] = { granted = 2 } }, decision.groups.default)
  end)

  it("are not its own where it had to leave them again (H-14)", function ()
    -- With the third slot of h1 out of the way E's part of the others is none, so it would leave h1
    -- as soon as it has it.
    local made = plan {
      hosts = { h1 = { slots = 3, gpus = 1 }, h2 = { slots = 1 } },
      { "P", rank = 1, { "E", exclusive = true, requires = "gpu" }, { "F", owned = 1 } },
      { "C", owned = 2 }, { "D", rank = 1, owned = 2 },
    }
    local decision, given = settle(made, state { ["P/E"] = 2, C = 2, D = 1 })
    case.check({ ["P/E"] = { allocated = 0 }, C = { allocated = 2 }, D = { allocated = 1 } },
      decision.groups.default)
    assert.equal(0, given)
  end)
end)
