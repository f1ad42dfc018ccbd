-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shared lease (rules.md 3, LV-1 ... LV-7, A-40 ... A-45): contracts through documents, one by one
--- and over thousands of cycles.

local engine = require "spec.support.cases.engine"
local kit = require "spec.support.cases.queue_kit"
local json = require "dkjson"
local Random = require "allot.check.random"

local DELAY = 600

local function contract(more)
  local out = { name = "L", provider = "P", consumer = "C", slots = 10 }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function plan_of(...)
  return { version = 1, policy = "shared_lease", leases = { ... } }
end

--- (available, used) of both sides, and what else is told.
local function sides(a, b, more)
  local out = {
    provider = { available = a[1], used = a[2], demand = a[3] },
    consumer = { available = b[1], used = b[2], demand = b[3] }, phase = "ok", since = 0,
  }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function text_of(lease)
  return ("(%d,%d)|(%d,%d)"):format(lease.provider.available, lease.provider.used,
    lease.consumer.available, lease.consumer.used)
end

local function lease_after(plan, now, state, more)
  local document = { now = now, leases = state and { L = state } }
  for key, value in pairs(more or {}) do document[key] = value end
  return engine.cycle(plan, document).leases.L
end

-- ---- Vectors -----------------------------------------------------------------------------------

describe("LV-1, L-5: a contract of 10 slots", function ()
  it("begins as (9,0)|(1,0), offered, as long as the consumer uses nothing", function ()
    local lease = lease_after(plan_of(contract()), 1000)
    assert.same({ "(9,0)|(1,0)", "conn" }, { text_of(lease), lease.phase })
    lease = lease_after(plan_of(contract()), 90000,
      sides({ 9, 5 }, { 1, 0 }, { phase = "conn" }))
    assert.same({ "(9,5)|(1,0)", "conn", 0 }, { text_of(lease), lease.phase, lease.moved })
  end)

  it("is made when the consumer's first job runs: (9,u)|(1,1)", function ()
    local lease = lease_after(plan_of(contract()), 5000,
      sides({ 9, 4 }, { 1, 1 }, { phase = "conn" }))
    assert.same({ "(9,4)|(1,1)", "ok", 5000, "made" },
      { text_of(lease), lease.phase, lease.since, lease.why.code })
  end)

  it("A-42: is evaluated first a delay after that, not before", function ()
    local made = sides({ 9, 4 }, { 1, 1 }, { since = 5000 })
    local lease = lease_after(plan_of(contract()), 5000 + DELAY - 1, made)
    assert.same({ "(9,4)|(1,1)", "waits", 5000 }, { text_of(lease), lease.why.code, lease.since })
    lease = lease_after(plan_of(contract()), 5000 + DELAY, made)
    assert.same({ "(4,4)|(6,1)", 5600 }, { text_of(lease), lease.since })
  end)
end)

describe("the rule of idle slots (L-6)", function ()
  for _, row in ipairs {
    { "LV-2", { 9, 3 }, { 1, 1 }, "(3,3)|(7,1)", 6, "consumer" },
    { "LV-3", { 3, 3 }, { 7, 2 }, "(8,3)|(2,2)", 5, "provider" },
    { "LV-4", { 8, 6 }, { 2, 0 }, "(8,6)|(2,0)", 0 },
    { "LV-5", { 4, 1 }, { 6, 4 }, "(1,1)|(9,4)", 3, "consumer" },
    { "A-41: a side falls to what it uses, be it nothing", { 9, 9 }, { 1, 0 }, "(10,9)|(0,0)", 1,
      "provider" },
    { "A-41: and slots come back, as 0 idle are fewer", { 10, 8 }, { 0, 0 }, "(8,8)|(2,0)", 2,
      "consumer" },
  } do
    it(row[1] .. ": " .. row[4], function ()
      local lease = lease_after(plan_of(contract()), DELAY, sides(row[2], row[3]))
      assert.same({ row[4], row[5], row[6], row[5] > 0 and "inactive" or "ok", DELAY },
        { text_of(lease), lease.moved, lease.to, lease.phase, lease.since })
    end)
  end
end)

it("LV-6, L-4: two policies are decided in opposite directions in the same cycle", function ()
  local plan = plan_of(contract(), contract { name = "M", provider = "C", consumer = "P" })
  local decision = engine.cycle(plan, {
    now = DELAY, leases = { L = sides({ 9, 3 }, { 1, 1 }), M = sides({ 3, 3 }, { 7, 2 }) },
  })
  assert.same({ "(3,3)|(7,1)", "consumer" },
    { text_of(decision.leases.L), decision.leases.L.to })
  assert.same({ "(8,3)|(2,2)", "provider" },
    { text_of(decision.leases.M), decision.leases.M.to })
end)

local function exported(export)
  export.name, export.provider = "E", "P"
  local plan = plan_of(export)
  plan.hosts = {
    HostA = { slots = 4, type = "LINUX" }, HostB = { slots = 4, type = "LINUX" },
    HostC = { slots = 3, type = "SOL" },
  }
  local out = {}
  for name, lease in pairs(engine.cycle(plan, { now = 1 }).leases) do out[name] = lease.size end
  return out
end

describe("LV-7: an export policy", function ()
  it("PER_HOST, exclusive, two consumers: one slot on each host each", function ()
    assert.same({ ["E/C1"] = 2, ["E/C2"] = 2 }, exported {
      per_host = { "HostA", "HostB" }, slots = 2, type = "exclusive",
      distribution = { { "C1", 1 }, { "C2", 1 } },
    })
  end)
  it("PER_HOST, shared, two consumers: refused", function ()
    assert.has_error(function ()
      exported {
        per_host = { "HostA", "HostB" }, slots = 2, type = "shared",
        distribution = { { "C1", 1 }, { "C2", 1 } },
      }
    end)
  end)
  it("PER_HOST, shared, one consumer", function ()
    assert.same({ E = 1 }, exported {
      per_host = { "HostA" }, slots = 1, distribution = { { "Cluster5", 1 } },
    })
  end)
  it("RES_SELECT with NHOSTS: whole hosts", function ()
    assert.same({ E = 4 }, exported {
      res_select = "type==LINUX", nhosts = 1, distribution = { { "Cluster5", 1 } },
    })
  end)
end)

-- ---- Ambiguities -------------------------------------------------------------------------------

describe("A-40: both sides idle", function ()
  it("literally, all idle slots go to and fro, a turn each", function ()
    local state, told = sides({ 7, 2 }, { 3, 0 }), {}
    for i = 1, 4 do
      state = lease_after(plan_of(contract()), i * 2 * DELAY, state)
      told[i] = text_of(state)
      state = lease_after(plan_of(contract()), i * 2 * DELAY + 1, state) -- inactive is over
    end
    assert.same({ "(2,2)|(8,0)", "(10,2)|(0,0)", "(2,2)|(8,0)", "(10,2)|(0,0)" }, told)
  end)
  it("damped, nothing goes to a side where nothing waits", function ()
    local plan = plan_of(contract { damper = true })
    local lease = lease_after(plan, DELAY, sides({ 7, 2 }, { 3, 0, 0 }))
    assert.same({ "(7,2)|(3,0)", "no-demand", "ok" },
      { text_of(lease), lease.why.code, lease.phase })
    lease = lease_after(plan, DELAY, sides({ 7, 2 }, { 3, 0, 1 }))
    assert.equal("(2,2)|(8,0)", text_of(lease))
    -- What is not told does not damp.
    lease = lease_after(plan, DELAY, sides({ 7, 2 }, { 3, 0 }))
    assert.equal("(2,2)|(8,0)", text_of(lease))
  end)
end)

it("A-43, L-7: a change is followed by one cycle in which nothing is evaluated", function ()
  local plan = plan_of(contract { reclaim_delay = 0 })
  local first = lease_after(plan, 100, sides({ 9, 3 }, { 1, 1 }))
  assert.same({ "inactive", 6 }, { first.phase, first.moved })
  local second = lease_after(plan, 101, first)
  assert.same({ "ok", 0, 100 }, { second.phase, second.moved, second.since })
  assert.equal(6, lease_after(plan, 102, second).moved)
end)

describe("A-44: hosts that are down", function ()
  local function shrunk(closed, a, b)
    local plan = plan_of { name = "L", provider = "P", consumer = "C", hosts = { "h1", "h2" } }
    plan.hosts = kit.hosts(2, 5)
    return lease_after(plan, 50, sides(a, b), { hosts = closed })
  end
  for _, row in ipairs {
    { "idle slots of the provider go first", { 7, 1 }, { 3, 1 }, "(2,1)|(3,1)" },
    { "then those of the consumer", { 4, 1 }, { 6, 1 }, "(1,1)|(4,1)" },
    { "used ones never", { 5, 4 }, { 5, 5 }, "(4,4)|(5,5)" },
  } do
    it(row[1], function ()
      local lease = shrunk({ h2 = { closed = "drain" } }, row[2], row[3])
      assert.same({ row[4], 5, "inactive", "shrunk" },
        { text_of(lease), lease.size, lease.phase, lease.why.code })
    end)
  end
  it("and back again: what is new is the provider's", function ()
    local lease = shrunk(nil, { 2, 1 }, { 3, 1 })
    assert.same({ "(7,1)|(3,1)", 10, "grown" }, { text_of(lease), lease.size, lease.why.code })
  end)
end)

it("A-45: idle slots move in the order of hosts", function ()
  local plan = plan_of { name = "L", provider = "P", consumer = "C",
    hosts = { h1 = 4, h2 = 4, h3 = 2 } }
  plan.hosts = kit.hosts(3, 4)
  -- The provider has the first 9 and uses 3 of them.
  assert.same({ h1 = 1, h2 = 4, h3 = 1 }, lease_after(plan, DELAY, sides({ 9, 3 }, { 1, 1 })).hosts)
  -- The consumer has the last 7 and uses 2 of them: the 4th to the 8th slot go.
  assert.same({ h1 = 1, h2 = 4 }, lease_after(plan, DELAY, sides({ 3, 3 }, { 7, 2 })).hosts)
end)

-- ---- Over time ---------------------------------------------------------------------------------

--- Both sides start and end jobs, by chance, within what they have; each(before, after) behind
-- every cycle.
local function live(random, plan, cycles, each)
  local sealed, state, now = engine.sealed(plan), nil, 0
  for _ = 1, cycles do
    now = now + random:int(1, 400)
    local text = engine.decide(sealed, { now = now, leases = state and { L = state } })
    local lease = json.decode(text:match '"leases": (%b{})').L
    each(state, lease, now)
    state = lease
    for _, key in ipairs { "provider", "consumer" } do
      local side = state[key]
      side.used = math.max(0, side.used - random:int(0, 2))
      if state.phase ~= "inactive" then
        side.used = math.min(side.available, side.used + random:int(0, 3))
      end
      side.idle, side.demand = nil, nil
    end
    state = json.decode(json.encode(state))
  end
end

describe("over 3,000 cycles", function ()
  for seed = 1, 4 do
    it("used slots stay, the sum stays, one side gets all idle, a pause after (" .. seed .. ")",
      function ()
        local random = Random.new(seed)
        local size, delay = random:int(1, 40), random:pick { 0, 100, 600 }
        local plan, moves, since = plan_of(contract { slots = size, reclaim_delay = delay }), 0, nil
        live(random, plan, 3000, function (before, lease, now)
          assert(lease.provider.available + lease.consumer.available == size, "the sum")
          if not before then return end
          for _, key in ipairs { "provider", "consumer" } do
            assert(lease[key].used == before[key].used, "used slots move")
            assert(lease[key].available >= lease[key].used, "used above available")
          end
          if lease.moved == 0 then
            assert(lease.phase ~= "inactive", "a pause for nothing")
            return
          end
          local from = lease.to == "consumer" and "provider" or "consumer"
          assert(before.phase == "ok" and lease.phase == "inactive", "no pause")
          assert(lease[from].available == lease[from].used, "not all idle")
          assert(not since or now - since >= delay, "too soon")
          moves, since = moves + 1, now
        end)
        assert.is_true(moves > 100)
      end)
  end
end)

-- ---- A policy's own rule ------------------------------------------------------------------------

describe("a policy's lease function", function ()
  --- What comes of (9,3)|(1,1): 6 idle at the provider, none at the consumer.
  local function answered(answer, more)
    local plan = plan_of(contract(more))
    plan.policy = "site.lua"
    local decision, handle = engine.cycle(plan,
      { now = 700, leases = { L = sides({ 9, 3 }, { 1, 1, 0 }) } }, nil,
      ('return policy { name = "p", lease = function () return %s end }'):format(answer))
    return decision.leases.L, table.concat(handle:explain "L", "\n")
  end

  it("that gives from a side without idle slots is told so", function ()
    local lease, told = answered '"provider"'
    assert.same({ code = "none-idle", provider_idle = 6, consumer_idle = 0, to = "provider" },
      lease.why)
    assert.equal(0, lease.moved)
    assert.truthy(told:find("Nothing moves: the policy gives the idle slots of C to P, and there "
      .. "are none (L-6).", 1, true), told)
  end)
  it("that moves nothing though one side has more is told so", function ()
    local lease, told = answered "nil"
    assert.same({ code = "policy", provider_idle = 6, consumer_idle = 0 }, lease.why)
    assert.truthy(told:find("policy says so, though P has 6 idle and C 0 (L-6).", 1, true), told)
  end)
  it("that agrees with the rule is told as the rule", function ()
    local lease, told = answered '"consumer"'
    assert.same({ code = "provider-idle", provider_idle = 6, consumer_idle = 0 }, lease.why)
    assert.truthy(told:find("P has 6 idle and C 0, the side with more gives: all 6", 1, true), told)
    lease = answered('"consumer"', { damper = true })
    assert.same({ code = "no-demand", provider_idle = 6, consumer_idle = 0, to = "consumer" },
      lease.why)
  end)
end)

-- ---- Beside queues -----------------------------------------------------------------------------

--- Slots that a provider's queue starts on a host of 10 of which 10 are under contract.
local function starts_beside(lease, more)
  local plan = {
    version = 1, policy = "preemption", hosts = kit.hosts(1, 10), queues = { { name = "q" } },
    leases = { { name = "L", provider = "P", consumer = "C", hosts = { "h1" } } },
  }
  local decision = engine.cycle(plan, {
    now = 700, leases = { L = lease }, jobs = kit.join(kit.burst("q", 12), more or {}),
  })
  return #decision.starts
end

describe("a provider's queues", function ()
  it("use what the contract leaves the provider", function ()
    assert.equal(4, starts_beside(sides({ 4, 0 }, { 6, 6 }, { since = 650 })))
  end)
  it("L-7: start nothing in the cycle of a change, nor lose what runs", function ()
    -- The provider has nothing idle behind the change; what it gets it may use in the next cycle.
    local running = { { id = "r", queue = "q", state = "running", slots = 3, hosts = { h1 = 3 } } }
    assert.equal(0, starts_beside(sides({ 3, 3 }, { 7, 2 }), running))
    local inactive = sides({ 8, 3 }, { 2, 2 }, { since = 650, phase = "inactive" })
    assert.equal(5, starts_beside(inactive, running))
  end)
end)
