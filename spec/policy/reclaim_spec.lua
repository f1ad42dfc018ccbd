-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Who gives back how much, and for whom (C-6).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- Reclaims as case.reclaims, and the lines that explain a consumer.
local function decide(short, now, path)
  local made, decision = engine.cycle(plan(short), state(now))
  return case.reclaims(made), path and table.concat(decision:explain(path), "\n"), made
end

describe("what a limit takes", function ()
  -- P may have 2 of the 10 that its leaf has; c has 10 that it does not need, b lacks 5.
  local family = {
    slots = 20, { "X", { "P", limit = 2, { "a" } }, { "b" }, { "c" } }, { "Y" },
  }

  it("serves the next family up before anybody else gives for it (C-6)", function ()
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 } }
    assert.same({ ["X/P/a"] = { 8, ["X/b"] = 5 } }, (decide(family, now)))
  end)

  it("leaves to others what it does not cover (C-6)", function ()
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 9 }, ["X/c"] = { 0, 10 } }
    assert.same({ ["X/P/a"] = { 8, ["X/b"] = 8 }, ["X/c"] = { 1, ["X/b"] = 1 } },
      (decide(family, now)))
  end)

  it("serves the nearest first, then the next one up (C-6)", function ()
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 }, Y = { 7 } }
    assert.same({ ["X/P/a"] = { 8, ["X/b"] = 5, Y = 3 }, ["X/c"] = { 4, Y = 4 } },
      (decide(family, now)))
  end)

  it("serves deficits below the limit itself before all others (C-6)", function ()
    local short = {
      slots = 20, { "X", { "P", limit = 4, { "a" }, { "d" } }, { "b" }, { "c" } },
    }
    local now = { ["X/P/a"] = { 10, 10 }, ["X/P/d"] = { 2 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 } }
    assert.same({ ["X/P/a"] = { 8, ["X/P/d"] = 2, ["X/b"] = 5 } }, (decide(short, now)))
  end)

  it("goes up through limits, each of which counts it once (C-6)", function ()
    local short = {
      slots = 20, { "X", limit = 6, { "P", limit = 2, { "a" } }, { "b" }, { "c" } }, { "Y" },
    }
    -- X holds 20 and may have 6, of which 4 are b's. Of what is free then c's stand last in order.
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 }, Y = { 12 } }
    assert.same({ ["X/P/a"] = { 8, ["X/b"] = 4, Y = 2 }, ["X/c"] = { 10, Y = 10 } },
      (decide(short, now)))
  end)

  it("is handed on under policies that enforce shares at the leaves (C-6, E-22)", function ()
    local short = {
      slots = 20, policy = "share_ratio",
      { "X", { "P", limit = 2, { "a" } }, { "b" }, { "c" } }, { "Y" },
    }
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 } }
    assert.same({ ["X/P/a"] = { 8, ["X/b"] = 5 } }, (decide(short, now)))
  end)

  it("is explained: which limit, and who gets it", function ()
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 5 }, ["X/c"] = { 0, 10 } }
    local _, text, made = decide(family, now, "/X/P/a")
    assert.matches("  5 for /X/b.\n  3 because a limit above it does not hold them.", text, 1, true)
    assert.matches("The limit of /X/P, 2, does not hold 8 of them: they go to who lacks slots " ..
      "nearest above it (C-6).", text, 1, true)
    assert.equal("over-limit", made.reclaims[1].why.code)
  end)

  it("is for somebody where all of it is owed", function ()
    local now = { ["X/P/a"] = { 10, 10 }, ["X/b"] = { 8 }, ["X/c"] = { 0, 10 } }
    local _, _, made = decide(family, now)
    assert.equal("over-quota", made.reclaims[1].why.code)
  end)
end)
