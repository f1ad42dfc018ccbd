-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a ledger has called back, once it is in flight, leaves nothing more to decide (C-6, C-11).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen_tight = require "spec.support.cases.gen_tight"
local property = require "spec.support.cases.property"

local assert = require "luassert"

--- Decides, and again with all of that in flight: the first decision is as expected, the second
--- decides nothing.
local function rests(short, now, reclaims, grants)
  local plan, state = case.plan(short), case.state(now)
  local decision = engine.cycle(plan, state)
  assert.same(reclaims, case.reclaims(decision))
  assert.same(grants or {}, case.grants(decision))
  local after = engine.after(decision, { seconds = 0, returns = "at deadline" })
  local again = engine.cycle(plan, after)
  assert.same({ {}, {} }, { case.reclaims(again), case.grants(again) })
end

describe("slots that go to nobody are not promised to an owner (C-6, C-11)", function ()
  it("whose parent's limit is full", function ()
    -- B keeps the one that it owns; of A's own, the limit holds none then.
    rests({
      policy = "ownership",
      { "P", limit = 1, { "A", owned = 1 }, { "B", owned = 1, grace = 60 } },
    }, { ["P/A"] = { 1 }, ["P/B"] = { 0, 2 } }, { ["P/B"] = { 1 } })
  end)

  it("beyond its own limit", function ()
    -- Of A's 3 own slots its limit holds 1, which comes back to it first.
    rests({
      policy = "ownership", { "A", owned = 3, limit = 1 }, { "B", grace = 60 },
    }, { A = { 0 }, B = { 3, 3 } }, { B = { 3, A = 1 } })
  end)

  it("more than one limit holds of several owners' slots", function ()
    rests({
      policy = "ownership", { "P", limit = 3, { "A", owned = 2 }, { "B", owned = 2 } },
      { "C", grace = 60 },
    }, { C = { 4, 4 } }, { C = { 4, ["P/A"] = 2, ["P/B"] = 1 } })
  end)
end)

describe("who loses a slot to another lacks it at once (C-6, C-11)", function ()
  it("and takes what is due to it from who has more than its share", function ()
    -- 17 shared slots, the pool has 16: B's last reaches A. B is due 9, C and D none.
    rests({
      policy = "ownership",
      { "P", { "B", grace = 60 }, { "A", owned = 5 } }, { "C", grace = 60 }, { "D", grace = 60 },
    }, { slots = 21, ["P/B"] = { 9, 8 }, ["P/A"] = { 5 }, C = { 0, 6 }, D = { 0, 3 } },
      { C = { 2, ["P/A"] = 1, ["P/B"] = 1 } }, { ["P/A"] = 4 })
  end)
end)

describe("what limits keep from a claimant of a pool (C-11)", function ()
  it("is served by who is over below them, though others are over by more", function ()
    -- A pool of 12: A, C and E are due 1, 2 and 6. P's limit is full, so D has nothing for A.
    rests({
      policy = "ownership",
      { "P", limit = 6, { "A", owned = 3 }, { "C", share = 2, grace = 60 } },
      { "D", grace = 60 }, { "E" },
    }, { slots = 15, ["P/A"] = { 6, 3 }, ["P/C"] = { 8, 3 }, D = { 0, 5 }, E = { 6, 4 } },
      { D = { 2, E = 2 }, ["P/C"] = { 1, ["P/A"] = 1 } })
  end)
end)

describe("who has as much as is planned for it in all pools (E-21)", function ()
  -- Pools of 1 (C11), 2 (C1) and 4: 1 of each is planned for C112, and none for C111.
  local short = {
    policy = "ownership",
    {
      "C1", owned = 17,
      {
        "C11", owned = 9,
        { "C111", rank = 1, grace = 60 }, { "C112", owned = 3 }, { "C113", owned = 5 },
      },
      { "C12", owned = 6 },
    },
    { "C2" }, { "C3", owned = 7 },
  }
  local function now(c111, c112, c3)
    return {
      slots = 28, ["C1/C11/C111"] = { 2, c111 }, ["C1/C11/C112"] = { 12, c112 }, C2 = { 2, 2 },
      C3 = { 8, c3 },
    }
  end

  it("claims none of what others have of any", function ()
    rests(short, now(0, 0, 0), {}, { ["C1/C11/C111"] = 1, ["C1/C11/C112"] = 6, C3 = 8 })
    rests(short, now(1, 6, 8), {})
  end)

  it("has claimed what it lacked of that", function ()
    rests(short, now(2, 5, 8), { ["C1/C11/C111"] = { 1, ["C1/C11/C112"] = 1 } })
  end)
end)

describe("what one gets of its pools is theirs at once (C-6, E-23)", function ()
  it("so that what others have beyond their share is in pools farther away", function ()
    -- A's 3 fill P's pool; so B's slot, which nobody is due, is one of the group's pool: C's.
    rests({
      policy = "ownership",
      {
        "P", owned = 3, { "Q", { "S", share = 0, grace = 60 }, { "B", grace = 60 } }, { "A" },
      },
      { "C" }, { "D", grace = 60 },
    }, { slots = 5, ["P/Q/S"] = { 0, 1 }, ["P/Q/B"] = { 0, 1 }, ["P/A"] = { 3 }, C = { 2 },
      D = { 0, 1 } },
      { ["P/Q/S"] = { 1, ["P/A"] = 1 }, ["P/Q/B"] = { 1, C = 1 }, D = { 1, C = 1 } },
      { ["P/A"] = 2 })
  end)

  it("and others can have what is over there", function ()
    -- Pools of 10 and 9: of the former B is due 8 and A 1, of the latter C 5 and D 4.
    rests({
      policy = "ownership",
      {
        "P", { "C" },
        { "Q", owned = 10, { "A", rank = 1, grace = 60 }, { "B" }, { "E", grace = 60 } },
        { "D" },
      },
    }, { slots = 19, ["P/C"] = { 5 }, ["P/Q/A"] = { 1, 2 }, ["P/Q/B"] = { 8 },
      ["P/Q/E"] = { 0, 3 }, ["P/D"] = { 4 } },
      { ["P/Q/A"] = { 1, ["P/Q/B"] = 1 }, ["P/Q/E"] = { 2, ["P/D"] = 2 } },
      { ["P/C"] = 5, ["P/Q/B"] = 7, ["P/D"] = 2 })
  end)
end)

describe("where more is owned than the group has (C-11)", function ()
  -- Of 2 slots B holds both; 3 are owned.
  local function short(first)
    return {
      policy = "ownership", first, { "P", owned = 2, { "A" }, { "B", grace = 60 } },
    }
  end

  it("an owner has its own of who is over in a pool", function ()
    rests(short { "Q", { "O", owned = 1 } }, {
      slots = 2, ["Q/O"] = { 1 }, ["P/A"] = { 1 }, ["P/B"] = { 0, 2 },
    }, { ["P/B"] = { 2, ["Q/O"] = 1, ["P/A"] = 1 } })
  end)

  it("a member of a pool has its share of who is over in another", function ()
    rests(short { "Q", owned = 1, { "O" } }, {
      slots = 2, ["Q/O"] = { 1 }, ["P/A"] = { 1 }, ["P/B"] = { 0, 2 },
    }, { ["P/B"] = { 2, ["Q/O"] = 1, ["P/A"] = 1 } })
  end)

  it("an owner comes before the members of the pool", function ()
    -- B keeps the slot that it deserves.
    rests(short { "Q", { "O", owned = 1 } }, {
      slots = 2, ["Q/O"] = { 1 }, ["P/A"] = { 1 }, ["P/B"] = { 1, 2 },
    }, { ["P/B"] = { 1, ["Q/O"] = 1 } })
  end)
end)

describe("what a limit sets aside for owners", function ()
  it("is not what an inner limit has no room for: own slots in use stay (C-11)", function ()
    -- Q's limit is full with what A uses; so D gets both of C's, of the group's pool.
    rests({
      policy = "ownership",
      {
        "P", limit = 3, { "Q", limit = 1, { "A", owned = 1 }, { "B", owned = 1 } },
        { "R", { "C", grace = 60 }, { "D" } },
      },
    }, { slots = 4, ["P/Q/A"] = { 0, 1 }, ["P/Q/B"] = { 1 }, ["P/R/C"] = { 0, 2 },
      ["P/R/D"] = { 2 } }, { ["P/R/C"] = { 2, ["P/R/D"] = 2 } })
  end)
end)

-- Sites without pools of parents, with these, and with limits besides.
describe("under ownership alone", function ()
  local SITES = { "limits", "pools", "pools and limits" }
  local POLICIES = {
    { "", "ownership" },
    { ", adjusted", { use = "ownership", adjust_share_to_workload = true } },
  }

  local function limits_of(list, out)
    for _, node in ipairs(list) do
      if node.children then
        out[node] = node.limit
        limits_of(node.children, out)
      end
    end
    return out
  end

  local function make(site, policy)
    return function (seed)
      local it = gen_tight.case(seed)
      local limits = limits_of(it.plan.consumers, {})
      it.plan.policy = policy
      if site ~= "limits" then gen_tight.pools(it.random, it.plan.consumers) end
      for node, limit in pairs(limits) do
        if site ~= "pools" then node.limit = limit end
      end
      return it
    end
  end

  local function after(decision, returns)
    return engine.after(decision, { seconds = 0, returns = returns })
  end

  local function in_flight(it)
    gen_tight.each_leaf(it.plan.consumers, "", function (_, leaf) leaf.grace = 60 end)
    local decision = engine.cycle(it.plan, it.state)
    local again = engine.cycle(it.plan, after(decision, "at deadline"))
    assert(engine.rests(again), "decides twice")
  end

  -- What comes back is given to somebody once; nobody gives any more then.
  local function at_once(it)
    local decision = engine.cycle(it.plan, it.state)
    local state = after(decision, "at once")
    decision = engine.cycle(it.plan, state)
    assert(not (decision.reclaims and decision.reclaims[1]), "takes more")
    assert(engine.rests(engine.cycle(it.plan, after(decision, "at once"))), "decides still")
  end

  for _, site in ipairs(SITES) do
    for _, row in ipairs(POLICIES) do
      local opts = { runs = 2000, valid = engine.valid }
      local cases = make(site, row[2])
      property(site .. row[1] .. ": one decision is all, while it is in flight", opts, in_flight,
        cases)
      property(site .. row[1] .. ": one decision takes all, carried out at once", opts, at_once,
        cases)
    end
  end
end)
