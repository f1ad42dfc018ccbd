-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Decision:apply: the state that a decision leads to, and what its options are.

local engine = require "spec.support.cases.engine"
local heard = require "spec.support.house.heard"
local json = require "dkjson"

--- /a holds all 4 slots though 2 of these are /b's, and one task of /a may take 9 s to end.
local plan = {
  policy = "hybrid", slots = 4, consumers = {
    { name = "a", owned = 2, grace = 9 }, { name = "b", owned = 2 },
  },
}
local state = {
  now = 100, consumers = { ["/a"] = { demand = 4, allocated = 4 }, ["/b"] = { demand = 2 } },
}

local function applied(options)
  local _, decision = engine.cycle(plan, state)
  return (json.decode(decision:apply(options):json()))
end

local function wrong(message, options)
  local _, decision = engine.cycle(plan, state)
  local ok, err = pcall(decision.apply, decision, options)
  assert.is_false(ok)
  heard(err)
  assert.has_match(message, err, 1, true)
end

describe("a decision that is carried out", function ()
  it("leaves its own state as it is, and gives the next, a second later", function ()
    assert.equal(101, applied().now)
    assert.equal(100, state.now)
    assert.equal(160, applied { seconds = 60 }.now)
    assert.equal(100, applied { seconds = 0 }.now)
  end)

  it("has slots back at once, in the next cycle or at their deadline", function ()
    local at_once = applied { returns = "at once" }
    assert.equal(2, at_once.consumers["/a"].allocated)
    local later = applied { returns = "later" }
    assert.equal(4, later.consumers["/a"].allocated)
    assert.equal(109, later.reclaims[1].deadline)
    assert.equal(4, applied { returns = "at deadline", seconds = 8 }.consumers["/a"].allocated)
    assert.equal(2, applied { returns = "at deadline", seconds = 9 }.consumers["/a"].allocated)
  end)

  it("refuses other options", function ()
    wrong([[option returns is "at once", "later" or "at deadline", not soon]], { returns = "soon" })
    wrong("option seconds is a whole number from 0 on, not -1", { seconds = -1 })
    wrong("option seconds is a whole number from 0 on, not 0.5", { seconds = 0.5 })
  end)
end)
