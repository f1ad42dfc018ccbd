-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shares enforced at leaves or at parents: who gives to whom (E-22, E-21, C-6).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- The policy with options.
local function ratio(options)
  local use = { use = "share_ratio" }
  for key, value in pairs(options or {}) do
    use[key] = value
  end
  return use
end

--- Quotas by path without the first slash, and reclaims as case.reclaims.
local function decide(short, now)
  local made = engine.cycle(plan(short), state(now))
  local quotas = {}
  for path, row in pairs(case.by_path(made.groups.default)) do
    quotas[path:sub(2)] = row.quota
  end
  return quotas, case.reclaims(made)
end

describe("shares enforced", function ()
  --- Two branches of 10 each; A1 has too many, as has B1, and A2 lacks 4.
  local function two(policy, rank)
    return {
      slots = 20, policy = policy,
      { "A", { "A1" }, { "A2" } }, { "B", { "B1", rank = rank }, { "B2" } },
    }
  end
  local crowded = { ["A/A1"] = { 9, 8 }, ["A/A2"] = { 5, 1 }, ["B/B1"] = { 9, 9 },
    ["B/B2"] = { 5, 2 } }

  it("at the parent: siblings settle first, then branches (SV-8, E-22)", function ()
    local _, reclaims = decide(two(ratio { enforce_share = "parent" }), crowded)
    assert.same({ ["A/A1"] = { 3, ["A/A2"] = 3 }, ["B/B1"] = { 4, ["B/B2"] = 3, ["A/A2"] = 1 } },
      reclaims)
  end)

  -- 16 slots: 4 are planned for X and for Y, and Z's 8 are not asked for.
  local function crossed(policy, x, y)
    return {
      slots = 16, policy = policy,
      { "X", { "a", rank = x }, { "b" } }, { "Y", rank = y }, { "Z", share = 2 },
    }
  end
  local short_of_two = { ["X/a"] = { 6, 6 }, ["X/b"] = { 2 }, Y = { 10, 10 } }

  it("at the parent: a branch above its share serves its own leaf (E-22)", function ()
    local _, reclaims = decide(crossed(ratio { enforce_share = "parent" }), short_of_two)
    assert.same({ ["X/a"] = { 2, ["X/b"] = 2 } }, reclaims)
  end)

  it("at the parent: below its share the rest comes from other branches (E-22)", function ()
    local now = { ["X/a"] = { 6, 3 }, ["X/b"] = { 2 }, Y = { 13, 13 } }
    local _, reclaims = decide(crossed(ratio { enforce_share = "parent" }), now)
    assert.same({ ["X/a"] = { 1, ["X/b"] = 1 }, Y = { 1, ["X/b"] = 1 } }, reclaims)
  end)

  it("at the leaves: rank 50 gives before rank 25 in another branch (E-22, S2)", function ()
    local _, reclaims = decide(crossed(ratio {}, 50, 25), short_of_two)
    assert.same({ ["X/a"] = { 2, ["X/b"] = 2 } }, reclaims)
  end)

  it("at the leaves: that is explained (E-22)", function ()
    local _, decision = engine.cycle(plan(crossed(ratio {}, 50, 25)), state(short_of_two))
    local text = table.concat(decision:explain "/X/a", "\n")
    assert.matches("kept: 2, up to the 4 that it keeps, leaves of the best ranks first", text, 1,
      true)
  end)

  it("at the leaves: and the other way round (E-22, S2)", function ()
    local _, reclaims = decide(crossed(ratio {}, 25, 50), short_of_two)
    assert.same({ Y = { 2, ["X/b"] = 2 } }, reclaims)
  end)

  it("at the leaves: a parent's rank is not compared (E-22, S2)", function ()
    local short = {
      slots = 16, policy = ratio {},
      { "X", rank = 9, { "a", rank = 1 }, { "b" } }, { "Y", rank = 2 }, { "Z", share = 2 },
    }
    local _, reclaims = decide(short, short_of_two)
    assert.same({ Y = { 2, ["X/b"] = 2 } }, reclaims)
  end)

  it("at the leaves: nobody goes below its planned share, whatever its rank (E-21)", function ()
    -- Of the 4 that the two lack a can give 2: then it has its planned 2.
    local now = { ["X/a"] = { 6, 4 }, ["X/b"] = { 2 }, Y = { 9, 6 }, Z = { 8, 6 } }
    local _, reclaims = decide(crossed(ratio {}, 50, 25), now)
    assert.same({ 2, 2 }, { reclaims["X/a"][1], reclaims.Y[1] })
  end)

  it("SV-8: what a branch lacks comes from another that uses its share (E-22)", function ()
    for _, level in ipairs { "parent", "leaf" } do
      local now = { ["A/A1"] = { 7, 5 }, ["B/B1"] = { 99, 15 } }
      local quotas, reclaims = decide(two(ratio { enforce_share = level }), now)
      assert.equal(7, quotas.A)
      assert.same({ ["B/B1"] = { 2, ["A/A1"] = 2 } }, reclaims)
    end
  end)

  it("at the leaves: the worst rank gives first, whatever its branch (E-22, E-30)", function ()
    local _, reclaims = decide(two(ratio {}, 1), crowded)
    assert.same({ 4, ["A/A2"] = 4 }, reclaims["B/B1"])
    assert.same({ 3, ["B/B2"] = 3 }, reclaims["A/A1"])
  end)

  it("at the leaves: of one rank in proportion to what is over (E-22, C-7)", function ()
    local now = { ["A/A1"] = { 9, 7 }, ["A/A2"] = { 5, 3 }, ["B/B1"] = { 9, 9 },
      ["B/B2"] = { 5, 1 } }
    local _, reclaims = decide(two(ratio {}), now)
    assert.same({ 2, 4 }, { reclaims["A/A1"][1], reclaims["B/B1"][1] })
  end)

  -- A's 9 are 5 and 4, since A1 stands first (C-4).
  it("at the leaves: a limit above still makes its own members give (C-6)", function ()
    local short = two(ratio {}, 0)
    short[1].limit = 9
    local _, reclaims = decide(short, { ["A/A1"] = { 9, 8 }, ["A/A2"] = { 5, 1 },
      ["B/B1"] = { 11, 11 } })
    assert.same({ ["A/A1"] = { 3, ["A/A2"] = 3 } }, reclaims)
  end)
end)
