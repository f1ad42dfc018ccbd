-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The ready-made policy "hybrid" gives every number that the rules state (vectors.lua), and its
--- parts tell where a quota comes from.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local vectors = require "spec.support.cases.vectors"

local plan, state = case.plan, case.state

describe("hybrid", function ()
  for _, vector in ipairs(vectors) do
    it(vector.title, function ()
      case.judge(vector, (engine.cycle(vector.plan, vector.state)))
    end)
  end
end)

describe("the parts of a quota", function ()
  local function parts(short, now)
    local out = {}
    for path, row in pairs(case.by_path(engine.cycle(plan(short), state(now)).groups.default)) do
      out[path] = row.parts
    end
    return out
  end

  it("are reserved, owned, borrowed and spare slots (C-3)", function ()
    local found = parts({
      slots = 30,
      { "A", owned = 10, reserve = 4, limit = 17 }, { "Idle", owned = 20 }, { "Zero" },
    }, { A = { 100 }, Zero = { 9 } })
    assert.same({ reserved = 4, owned = 6, borrowed = 7 }, found["/A"])
    assert.same({ spare = 9 }, found["/Zero"])
    assert.same({}, found["/Idle"])
  end)

  it("of A's 23 are 15 owned and 8 borrowed when spread evenly (HV-8)", function ()
    local found = parts({
      slots = 30, policy = { use = "hybrid", evenly = true },
      { "A", owned = 15 }, { "B", owned = 15 }, { "C" },
    }, { A = { 100 }, C = { 100 } })
    assert.equal(15, found["/A"].owned)
    assert.equal(8, found["/A"].borrowed)
    assert.equal(7, found["/C"].borrowed)
  end)
end)

describe("a decision", function ()
  local shrunk = plan { slots = 100, { "X", owned = 10, grace = 30 }, { "Y", owned = 90 } }
  local decision = function ()
    return engine.cycle(shrunk, state { now = 1000, slots = 90, X = { 12, 12 }, Y = { 100, 78 } })
  end

  it("tells its schema, time and policy", function ()
    local made = decision()
    assert.equal("allot/decision/v1", made.schema)
    assert.equal(1000, made.now)
    assert.equal("hybrid", made.policy.name)
    assert.matches("^%x+$", made.policy.sha256)
    assert.equal(64, #made.policy.sha256)
  end)

  it("says by when and why a slot goes back (H-10, C-8)", function ()
    local reclaim = decision().reclaims[1]
    assert.equal("/X", reclaim.consumer)
    assert.equal(30, reclaim.grace)
    assert.equal(1030, reclaim.deadline)
    assert.equal("over-quota", reclaim.why.code)
  end)

  it("has consumers in plan order, parents before children", function ()
    local tree = plan { slots = 9, { "B", { "Z", { "Q" } }, { "A" } }, { "A", rank = 1 }, { "C" } }
    local paths = {}
    for i, row in ipairs(engine.cycle(tree, state {}).groups.default.consumers) do
      paths[i] = row.path
    end
    assert.same({ "/B", "/B/Z", "/B/Z/Q", "/B/A", "/A", "/C" }, paths)
  end)

  it("lists grants best rank first (H-9)", function ()
    local ranked = plan {
      slots = 9, { "A", owned = 3, rank = 2 }, { "B", owned = 3 }, { "C", owned = 3, rank = 1 },
    }
    local order, now = {}, state { A = { 9 }, B = { 9 }, C = { 9 } }
    for i, grant in ipairs(engine.cycle(ranked, now).grants) do
      order[i] = grant.consumer
    end
    assert.same({ "/B", "/C", "/A" }, order)
  end)

  it("explains the numbers of a consumer", function ()
    local _, made = decision()
    local text = table.concat(made:explain "/X", "\n")
    assert.matches("9", text)
    assert.matches("12", text)
    assert.matches("3", text)
  end)
end)
