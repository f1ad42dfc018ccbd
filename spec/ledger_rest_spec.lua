-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a ledger has called back, once it is in flight, leaves nothing more to decide (C-6, C-11).

local apply = require "allot.apply"
local case = require "spec.support.case"
local engine = require "spec.support.engine"
local gen_tight = require "spec.support.gen_tight"
local property = require "spec.support.property"

local assert = require "luassert"

--- Decides, and again with all of that in flight: the first decision is as expected, the second
--- decides nothing.
local function rests(short, now, reclaims, grants)
  local plan, state = case.plan(short), case.state(now)
  local decision = engine.cycle(plan, state)
  assert.same(reclaims, case.reclaims(decision))
  assert.same(grants or {}, case.grants(decision))
  local after = apply.after(state, decision, { seconds = 0, returns = "at deadline" })
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

describe("under ownership alone", function ()
  local function lift(list)
    for _, node in ipairs(list) do
      if node.children then
        node.limit = nil
        lift(node.children)
      end
    end
  end

  --- Not below limits of parents: there rule 5 may still serve a claimant in two cycles.
  property("one decision is all, while it is in flight", { runs = 600, valid = engine.valid },
    function (it)
      local decision = engine.cycle(it.plan, it.state)
      local options = { seconds = 0, returns = "at deadline" }
      assert(apply.rests(engine.cycle(it.plan, apply.after(it.state, decision, options))))
    end, function (seed)
      local it = gen_tight.case(seed)
      it.plan.policy = "ownership"
      lift(it.plan.consumers)
      gen_tight.each_leaf(it.plan.consumers, "", function (_, leaf) leaf.grace = 60 end)
      return it
    end)
end)
