-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Decisions that are carried out leave nothing more to decide (C-6, C-11), under every policy,
--- alone and side by side.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen_tight = require "spec.support.cases.gen_tight"
local property = require "spec.support.cases.property"

local function ratio(level, adjust)
  return { use = "share_ratio", enforce_share = level, adjust_share_to_workload = adjust }
end

local POLICIES = {
  { "hybrid", { use = "hybrid" } },
  { "hybrid, evenly", { use = "hybrid", evenly = true } },
  { "share_ratio by leaves", ratio("leaf", false) },
  { "share_ratio by parents", ratio("parent", false) },
  { "share_ratio by leaves, adjusted", ratio("leaf", true) },
  { "share_ratio by parents, adjusted", ratio("parent", true) },
  { "hybrid beside share_ratio", { use = "hybrid" }, { "hybrid", "share_ratio" } },
  { "ownership", { use = "ownership" } },
  { "ownership, adjusted", { use = "ownership", adjust_share_to_workload = true } },
  { "ownership, shared slots kept", { use = "ownership", reclaim_shared = false } },
  { "ownership beside hybrid", { use = "ownership" }, { "hybrid", "ownership" } },
  { "ownership beside share_ratio", { use = "ownership" }, { "share_ratio", "ownership" } },
  {
    "all side by side", { use = "ownership" }, { "hybrid", "share_ratio", "ownership" },
  },
}

--- Raises unless the last of so many cycles at one time decides nothing.
local function rests(it, cycles, returns)
  local state = it.state
  for i = 1, cycles do
    local decision = engine.cycle(it.plan, state)
    assert(i < cycles or engine.rests(decision), "decides still")
    state = engine.after(decision, { seconds = 0, returns = returns })
  end
end

describe("at rest", function ()
  for _, row in ipairs(POLICIES) do
    local name, policy, branches = table.unpack(row)
    local opts = { runs = 300, valid = engine.valid }

    local function make(flights)
      return function (seed)
        local it = gen_tight.case(seed, flights)
        it.plan.policy = policy
        for _, branch in ipairs(it.plan.consumers) do
          branch.policy = branches and it.random:pick(branches) or nil
        end
        return it
      end
    end

    property(name .. ": after two when slots come back at once", opts, function (it)
      rests(it, 3, "at once")
    end, make(false))

    property(name .. ": after four, whatever was in flight", opts, function (it)
      rests(it, 5, "at once")
    end, make(true))

    --- C-6: what is in flight counts once, so one decision is all there is to decide.
    property(name .. ": after one while all of it is in flight", opts, function (it)
      gen_tight.each_leaf(it.plan.consumers, "", function (_, leaf) leaf.grace = 60 end)
      rests(it, 2, "at deadline")
    end, make(false))
  end
end)

describe("slots that a ledger calls back", function ()
  it("are for who lacks some where their owner wants none (C-6, H-15)", function ()
    -- n212's 3 would be n211's, who wants nothing; n1 lacks 5.
    local short = {
      slots = 25, policy = "hybrid", { "n1", owned = 9, grace = 60 },
      { "n2", policy = "ownership", { "n211", owned = 4 }, { "n212", owned = 1, grace = 60 } },
      { "n3", owned = 11, grace = 60 },
    }
    local it = { plan = case.plan(short), state = case.state {
      slots = 25, n1 = { 8, 3 }, ["n2/n212"] = { 2, 4 }, n3 = { 0, 18 },
    } }
    local decision = engine.cycle(it.plan, it.state)
    local given, owed = 0, 0
    for _, reclaim in pairs(case.reclaims(decision)) do
      given, owed = given + reclaim[1], owed + (reclaim.n1 or 0)
    end
    assert.same({ 5, 5 }, { given, owed })
    rests(it, 2, "at deadline")
  end)
end)
