-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a ledger has called back, once it is in flight, leaves nothing more to decide (C-6, C-11).

local apply = require "allot.apply"
local case = require "spec.support.case"
local engine = require "spec.support.engine"

local assert = require "luassert"

--- Decides, and again with all of that in flight: the first decision is as expected, the second
--- decides nothing.
local function rests(short, now, reclaims)
  local plan, state = case.plan(short), case.state(now)
  local decision = engine.cycle(plan, state)
  assert.same(reclaims, case.reclaims(decision))
  assert.same({}, case.grants(decision))
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
