-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Reserves by a policy's rule in place of the plan's (C-1), by hand.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- A policy with this rule, in which what is not reserved is lent to whoever wants it.
local function site(reserve, more)
  return ([[return policy {
    name = "site",
    attributes = {
      lending_limit = { type = "integer", min = 0, default = none, doc = "most slots lent" },
      open = { type = "boolean", default = false },
    },
    reserve = %s,
    quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "borrowed" { by = 1 } }, %s
  }]]):format(reserve, more or "")
end

local KUEUE = [[function (owned, lending_limit) return math.max(owned - lending_limit, 0) end]]

--- The rows of a plan's consumers by path; those that `now` does not name want nothing.
local function rows(short, now, policy, instead)
  short.policy = instead or "site.lua"
  local made, decision = engine.cycle(plan(short), state(now), nil, policy)
  return case.by_path(made.groups.default), decision
end

local function reserves(short, now, policy)
  local found, out = rows(short, now, policy), {}
  for path, row in pairs(found) do out[path] = row.reserve end
  return out
end

describe("a policy's reserve", function ()
  local function two(more)
    local short = { slots = 21, { "a", owned = 9, reserve = 2 }, { "b", owned = 12 } }
    for key, value in pairs(more or {}) do short[2][key] = value end
    return short
  end
  local busy = { a = { 99 } }

  it("is a function of what plans state: Kueue's lending limit (U-1, UV-2)", function ()
    local found = rows(two { lending_limit = 1 }, busy, site(KUEUE))
    assert.same({ 10, 11 }, { found["/a"].quota, found["/b"].reserve })
    found = rows(two(), busy, site(KUEUE))
    assert.same({ 21, 0 }, { found["/a"].quota, found["/b"].reserve })
    found = rows(two { lending_limit = 0 }, busy, site(KUEUE))
    assert.same({ 9, 12 }, { found["/a"].quota, found["/b"].reserve })
  end)

  it("is a column or a number, by default what the plan states", function ()
    for rule, wanted in pairs {
      ['"reserve"'] = { 2, 0 }, ['"lending_limit"'] = { 9, 5 }, ['"owned"'] = { 9, 12 },
      ["0"] = { 0, 0 }, ["7"] = { 7, 7 }, ["100"] = { 9, 12 }, ["nil"] = { 2, 0 },
    } do
      local found = reserves(two { lending_limit = 5 }, busy, site(rule))
      assert.same({ ["/a"] = wanted[1], ["/b"] = wanted[2] }, found, rule)
    end
  end)

  it("reads the plan's reserve, and its sum", function ()
    assert.same({ ["/a"] = 5, ["/b"] = 3 },
      reserves(two(), busy, site "function (reserve) return reserve + 3 end"))
    assert.same({ ["/a"] = 2, ["/b"] = 2 },
      reserves(two(), busy, site "function (sum_reserve) return sum_reserve end"))
    local found = rows(two(), { a = { 3 } }, site("1",
      'distribute = order { function (sum_reserve) return sum_reserve end }'))
    assert.same({ 1, 1 }, { found["/a"].reserve, found["/b"].reserve })
  end)

  it("is at most what is owned now: it shrinks with the group (C-1)", function ()
    local now = { slots = 7, a = { 99 } }
    assert.same({ ["/a"] = 3, ["/b"] = 4 }, reserves(two(), now, site '"owned"'))
    assert.same({ ["/a"] = 3, ["/b"] = 4 }, reserves(two(), now, site "5"))
    assert.same({ ["/a"] = 2, ["/b"] = 0 }, reserves(two(), now, site '"reserve"'))
  end)

  it("is at most the limit, also of all below a parent, and a parent's at least theirs", function ()
    local short = { slots = 30,
      { "p", owned = 20, { "x", owned = 8, limit = 5 }, { "y", owned = 8 } }, { "b", owned = 10 } }
    local now = { ["p/x"] = { 0 }, b = { 99 } }
    assert.same({ ["/p"] = 20, ["/p/x"] = 5, ["/p/y"] = 8, ["/b"] = 10 },
      reserves(short, now, site '"owned"'))
    assert.same({ ["/p"] = 10, ["/p/x"] = 5, ["/p/y"] = 5, ["/b"] = 5 },
      reserves(short, now, site "5"))
    short[1].limit = 9
    local found = rows(short, now, site "8")
    assert.same({ 9, 9, 21 }, { found["/p"].reserve, found["/p"].quota, found["/b"].quota })
    assert.equal(9, found["/p/x"].quota + found["/p/y"].quota)
  end)

  it("is of the branches that go by the policy", function ()
    local short = { slots = 30, { "a", owned = 10, policy = "site.lua" },
                    { "b", owned = 20, reserve = 3 } }
    local found = rows(short, { b = { 99 } }, site("4", "scale = false,"), "hybrid")
    assert.same({ 4, 3 }, { found["/a"].reserve, found["/b"].reserve })
  end)

  it("is never lent in a ledger, too (C-11)", function ()
    local policy = [[return policy {
      name = "site", like = "ownership", reserve = function (owned) return owned // 2 end }]]
    local short = { slots = 20, { "a", owned = 10, lend_limit = 99 },
                    { "b", owned = 10, borrow_limit = 99 } }
    local found = rows(short, { b = { 99 } }, policy)
    assert.same({ 5, 15 }, { found["/a"].reserve, found["/b"].quota })
  end)

  it("is told by explain, with where it comes from", function ()
    local _, decision = rows(two { lending_limit = 1 }, busy, site(KUEUE))
    local said = table.concat(decision:explain "/b", "\n")
    assert.truthy(said:find('Policy "site" reserves 11 of its slots, by the policy\'s function: '
      .. "at most what it owns (C-1).", 1, true), said)
    _, decision = rows(two(), busy, site '"reserve"')
    assert.is_nil(table.concat(decision:explain "/b", "\n"):find("reserves", 1, true))
  end)

  it("is refused where it is none", function ()
    for rule, wanted in pairs {
      ['"demand"'] = "column 'demand' is not known yet in reserve",
      ['"parent_slots"'] = "parent_slots is the same for all siblings",
      ['"ownd"'] = "unknown column 'ownd'",
      ["-1"] = "reserve = -1; a number here is 0 to 1000000000",
      ["part"] = "reserve is a table; it is a column's name, a whole number or a function",
      ['"open"'] = 'reserve = "open" is true or false, and no number',
      ["function (need) return 1 end"] = "column 'need' is not known yet at this stage",
    } do
      local loaded, why = require "allot.core".policy(site(rule))
      assert.is_nil(loaded)
      why = type(why) == "table" and (why.message or why[1] and why[1].message) or tostring(why)
      assert.truthy(why:find(wanted, 1, true), why)
    end
    local ok = pcall(rows, two(), busy, site "function (owned) return owned - 10 end")
    assert.is_false(ok)
  end)
end)
