-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `takes`: which consumers may take slots from which (C-6, engine/reclaim/takes.h).

local allot = require "allot"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

local function policy(rule, more)
  return ([[
return policy {
  name = "site",
  attributes = {
    priority = { type = "integer", default = 0 }, open = { type = "boolean", default = true },
  },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "spare" { by = 1 },
  },
  takes = %s,
  %s
}]]):format(rule, more or "")
end

local LOWER = policy 'relation { higher "priority" }'
local ANY = policy "function () return true end"

local function site(short)
  short.policy = "site.lua"
  return plan(short)
end

--- Reclaims as case.reclaims, and the lines that explain a consumer.
local function decide(short, now, text, path)
  local made, decision = engine.cycle(site(short), state(now), nil, text)
  return case.reclaims(made), path and table.concat(decision:explain(path), "\n"), made
end

describe("takes", function ()
  local three = {
    slots = 20, { "a", owned = 10, priority = 5 }, { "b", owned = 5, priority = 3 },
    { "c", owned = 5, priority = 5 },
  }

  it("lets a consumer take from those of lower priority alone", function ()
    local now = { a = { 10, 0 }, b = { 10, 8 }, c = { 20, 12 } }
    assert.same({ b = { 3, a = 3 } }, (decide(three, now, LOWER)))
    assert.same({ b = { 3, a = 3 }, c = { 7, a = 7 } }, (decide(three, now, ANY)))
  end)

  it("is explained to who lacks slots, and to who keeps them", function ()
    local now = { a = { 10, 0 }, b = { 10, 8 }, c = { 20, 12 } }
    local _, text = decide(three, now, LOWER, "/a")
    assert.matches("It still lacks 7: it may take no more from those above their quota (takes).",
      text, 1, true)
    _, text = decide(three, now, LOWER, "/c")
    assert.matches("It is over by 7, but no consumer that lacks slots may take them (takes): it "
      .. "keeps them.", text, 1, true)
  end)

  it("takes a function of claimant and giver, with their columns and paths", function ()
    local rule = policy [[function (claimant, giver)
      return giver.open and claimant.path < giver.path and claimant.parent == giver.parent
        and claimant.quota > claimant.allocated
        and giver.over > 0
    end]]
    local now = { a = { 10, 0 }, b = { 10, 8 }, c = { 20, 12 } }
    assert.same({ b = { 3, a = 3 }, c = { 7, a = 7 } }, (decide(three, now, rule)))
    local closed = {
      slots = 20, { "a", owned = 10 }, { "b", owned = 5, open = false }, { "c", owned = 5 },
    }
    assert.same({ c = { 7, a = 7 } }, (decide(closed, now, rule)))
  end)

  it("asks tests in their order, a function only for those that are left", function ()
    local rule = policy [[relation { higher "priority",
      function (claimant, giver) return giver.priority < claimant.priority or error "asked" end }]]
    local now = { a = { 10, 0 }, b = { 10, 8 }, c = { 20, 12 } }
    assert.same({ b = { 3, a = 3 } }, (decide(three, now, rule)))
  end)

  it("tries siblings first, then other branches (C-6)", function ()
    local tree = {
      slots = 20, { "X", { "a", owned = 5, priority = 5 }, { "b", owned = 5, priority = 5 } },
      { "Y", { "c", owned = 5, priority = 1 }, { "d", owned = 5 } },
    }
    local now = { ["X/a"] = { 5 }, ["X/b"] = { 9, 8 }, ["Y/c"] = { 12, 12 } }
    assert.same({ ["Y/c"] = { 2, ["X/a"] = 2 } }, (decide(tree, now, LOWER)))
    assert.same({ ["X/b"] = { 3, ["X/a"] = 3 }, ["Y/c"] = { 2, ["X/a"] = 2 } },
      (decide(tree, now, ANY)))
  end)

  it("lets nobody exceed a limit from outside, and leaves it to siblings to give way", function ()
    local tree = {
      slots = 20,
      { "X", limit = 10, { "a", owned = 5, priority = 5 }, { "b", owned = 5, priority = 5 } },
      { "Y", { "c", owned = 5, priority = 1 }, { "d", owned = 5 } },
    }
    -- X holds 8 of 10: only 2 come from Y.
    local now = { ["X/a"] = { 5 }, ["X/b"] = { 9, 8 }, ["Y/c"] = { 12, 12 } }
    assert.same({ ["Y/c"] = { 2, ["X/a"] = 2 } }, (decide(tree, now, LOWER)))
  end)

  it("never keeps what a limit or the group's size takes (C-6)", function ()
    local tree = {
      slots = 20, { "X", limit = 10, { "a", owned = 5 } }, { "Y", { "c", owned = 5 } },
    }
    local none = policy "function () return false end"
    assert.same({ ["X/a"] = { 2 } }, (decide(tree, { ["X/a"] = { 12, 12 } }, none)))
    -- What a limit frees serves whoever lacks slots.
    assert.same({ ["X/a"] = { 2, ["Y/c"] = 2 } },
      (decide(tree, { ["X/a"] = { 12, 12 }, ["Y/c"] = { 10, 8 } }, none)))
    assert.same({ a = { 4 } }, (decide(three, { slots = 16, a = { 20, 20 } }, none)))
  end)

  it("takes another way where an earlier claimant can do with others", function ()
    -- hi may take from both; mid from lo alone, which stands first in the order of reclaim.
    local four = {
      slots = 12, { "hi", owned = 3, priority = 3 }, { "mid", owned = 3, priority = 2 },
      { "eq", owned = 3, priority = 2, rank = 1 }, { "lo", owned = 3, priority = 1, rank = 2 },
    }
    local now = { hi = { 3 }, mid = { 3 }, eq = { 9, 6 }, lo = { 9, 6 } }
    assert.same({ eq = { 3, hi = 3 }, lo = { 3, mid = 3 } }, (decide(four, now, LOWER)))
  end)

  it("takes from hosts that serve the claimant alone (E-30)", function ()
    -- /a runs on big hosts only: /b and /c are over there by 3 and 4, /c by 3 more elsewhere; only
    -- /b is of lower priority.
    local rule = policy('relation { higher "priority" }',
      "requirements = { big = function (size) return size == 1 end },")
    local four = {
      slots = 20, hosts = { h1 = { slots = 10, size = 1 }, h2 = { slots = 10, size = 0 } },
      { "a", owned = 10, priority = 5, requires = "big" }, { "b", owned = 5, priority = 3 },
      { "c", owned = 5, priority = 5 },
    }
    local function on(id, consumer, host, slots)
      return { id = id, consumer = "/" .. consumer, host = host, slots = slots, started = 1 }
    end
    local now = { a = { 10 }, b = { 8, 8 }, c = { 12, 12 }, tasks = {
      on("b1", "b", "h1", 6), on("b2", "b", "h2", 2), on("c1", "c", "h1", 4),
      on("c2", "c", "h2", 8) } }
    local made, _, decision = decide(four, now, rule)
    assert.same({ b = { 3, a = 3 } }, made)
    assert.same({ "b1" }, decision.reclaims[1].tasks)
    made = decide(four, now, policy("function () return true end",
      "requirements = { big = function (size) return size == 1 end },"))
    assert.same({ b = { 3, a = 3 }, c = { 4, a = 4 } }, made)
  end)

  it("shares what a class of claimants takes as reclaim says (C-7)", function ()
    local now = { a = { 10 }, b = { 10, 5 }, c = { 10, 7 }, d = { 10, 8 } }
    local four = {
      slots = 20, { "a", owned = 8, priority = 1 }, { "b", owned = 4 }, { "c", owned = 4 },
      { "d", owned = 4 },
    }
    local made, _, decision = decide(four, now, LOWER)
    assert.same({ b = { 1, a = 1 }, c = { 3, a = 3 }, d = { 4, a = 4 } }, made)
    assert.equal("over-quota", decision.reclaims[1].why.code)
  end)
end)

describe("a policy whose takes is wrong", function ()
  local function wrong(text)
    local _, _, report = allot.plan('{"slots": 4, "policy": "site.lua", "consumers": '
      .. '[{"name": "a"}]}', { file = "plan.json", policies = { ["site.lua"] = text } })
    return report[1].message
  end

  local function said(rule, more)
    return wrong(policy(rule, more))
  end

  it("is told what is wrong", function ()
    assert.matches("unknown column 'priorty'", said 'relation { higher "priorty" }', 1, true)
    assert.matches("preemptive_or_preemptable is a test of queues; takes has none",
      said "relation { preemptive_or_preemptable }", 1, true)
    assert.matches("takes is a relation, or a function of who takes and the other; not a number",
      said "7", 1, true)
    assert.matches("takes settles among siblings first: enforce is \"parent\" or left out",
      said('relation { higher "priority" }', 'enforce = "leaf",'), 1, true)
    assert.matches("a test of takes is a function of two: who takes, and the other",
      said "function (a, b, c) return true end", 1, true)
    assert.matches("pools and loans say who takes from whom, so takes goes with fills alone",
      wrong [[return policy {
        name = "x", takes = relation { higher "rank" },
        quota = { fill "owned" { by = "owned", up_to = "owned" }, loan "lent" {} },
      }]], 1, true)
  end)

  it("fails where a function gives no answer", function ()
    local ok, fault = pcall(decide, { slots = 4, { "a", owned = 4 }, { "b" } },
      { a = { 4 }, b = { 4, 4 } }, policy "function (claimant) return claimant.rank end")
    assert.is_false(ok)
    assert.matches("the function of takes returned a number, not true or false", fault, 1, true)
    ok, fault = pcall(decide, { slots = 4, { "a", owned = 4 }, { "b" } },
      { a = { 4 }, b = { 4, 4 } }, policy "function (claimant) return claimant.rnk end")
    assert.is_false(ok)
    assert.matches("unknown column 'rnk'", fault, 1, true)
    ok, fault = pcall(decide, { slots = 4, { "a", owned = 4 }, { "b" } },
      { a = { 4 }, b = { 4, 4 } }, policy "function (a, b) return a.usage < b.usage end")
    assert.is_false(ok)
    assert.matches("column 'usage' needs a plan that states half_life or hist_hours", fault, 1,
      true)
  end)
end)
