-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Columns of the whole group and of families, and sums over siblings.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- A policy of one fill, up to this Lua expression.
local function capped(up_to)
  return ([[return policy {
    name = "capped",
    attributes = { max_share = { type = "integer", min = 0, max = 100, default = 100 } },
    quota = { fill "fair" { by = "share", up_to = %s } },
  }]]):format(up_to)
end

local PERCENT = "function (group_slots, max_share) return group_slots * max_share // 100 end"

--- The quotas of /a and /b/x, of which max_share is 20, and of /b; all want 99.
local function quotas(policy, slots)
  local short = { slots = 30, policy = "site.lua", { "a", max_share = 20 },
                  { "b", { "x", max_share = 20 }, { "y" } } }
  local now = { slots = slots, a = { 99 }, ["b/x"] = { 99 }, ["b/y"] = { 99 } }
  local rows = case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
  return { rows["/a"].quota, rows["/b"].quota, rows["/b/x"].quota }
end

describe("group_slots", function ()
  it("bounds a consumer by a percentage of its group", function ()
    assert.same({ 6, 24, 6 }, quotas(capped(PERCENT)))
    assert.same({ 6, 24, 6 },
      quotas(capped "function (row) return row.group_slots * row.max_share // 100 end"))
  end)

  it("is what the group has now, not what is planned", function ()
    assert.same({ 8, 32, 8 }, quotas(capped(PERCENT), 40))
    assert.same({ 2, 8, 2 }, quotas(capped(PERCENT), 10))
  end)

  it("is an amount by itself, the same for all", function ()
    assert.same({ 15, 15, 8 }, quotas(capped '"group_slots"'))
    assert.same({ 15, 15, 8 }, quotas((capped("nil"):gsub('"share"', '"group_slots"'))))
  end)
end)

--- What is wrong with a policy's text.
local function fault(policy)
  local loaded, why = require "allot.core".policy(policy)
  assert.is_nil(loaded)
  return type(why) == "table" and (why.message or why[1] and why[1].message) or tostring(why)
end

local PARENT = "function (parent_slots, max_share) return parent_slots * max_share // 100 end"

describe("parent_slots", function ()
  it("is what a family divides: the group's slots, below them the parent's quota", function ()
    assert.same({ 6, 24, 4 }, quotas(capped(PARENT)))
    assert.same({ 8, 32, 6 }, quotas(capped(PARENT), 40))
    assert.same({ 6, 24, 4 },
      quotas(capped "function (row) return row.parent_slots * row.max_share // 100 end"))
  end)

  it("is told family by family, each once", function ()
    -- Below /b 24 are divided, of which the weights are 24 + 1 and 24 + 2.
    local policy = [[return policy { name = "site", quota = { fill "all" {
      by = function (parent_slots, share) return parent_slots + share end } } }]]
    local short = { slots = 30, policy = "site.lua", { "a", share = 4 },
                    { "b", share = 106, { "x", share = 1 }, { "y", share = 27 } } }
    local now = { a = { 99 }, ["b/x"] = { 99 }, ["b/y"] = { 99 } }
    local rows = case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
    assert.same({ 6, 24, 8, 16 }, { rows["/a"].quota, rows["/b"].quota, rows["/b/x"].quota,
                                   rows["/b/y"].quota })
  end)

  it("is known where quotas are: to orders of fills, of distribution and of reclaim", function ()
    local policy = [[return policy { name = "site",
      quota = { fill "some" { by = 1, up_to = 2, order = order {
        function (parent_slots, share) return parent_slots > 20 and -share or share end } } },
      distribute = order { function (parent_slots, quota) return parent_slots - quota end },
      reclaim = fill { by = function (parent_slots) return parent_slots end } }]]
    local short = { slots = 21, policy = "site.lua", { "a", share = 1 },
                    { "b", share = 2, { "x", share = 1 }, { "y", share = 2 } } }
    local now = { a = { 1, 21 }, ["b/x"] = { 9 }, ["b/y"] = { 9 } }
    local rows = case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
    assert.same({ 1, 2, 2, 0 }, { rows["/a"].quota, rows["/b"].quota, rows["/b/x"].quota,
                                  rows["/b/y"].quota })
  end)

  it("is of each policy's branches where there are several", function ()
    local policy = [[return policy { name = "site", scale = false, quota = { fill "half" {
      by = 1, up_to = function (parent_slots) return parent_slots // 2 end } } }]]
    local short = { slots = 40, { "a", owned = 20, policy = "site.lua",
                                  { "x", owned = 10 }, { "y", owned = 10 } },
                    { "b", owned = 20 } }
    local now = { ["a/x"] = { 99 }, ["a/y"] = { 99 }, b = { 99 } }
    local rows = case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
    assert.same({ 10, 5 }, { rows["/a"].quota, rows["/a/x"].quota })
  end)

  it("is read by functions alone, and not where it is not known yet", function ()
    local same = "parent_slots is the same for all siblings: a function reads it, or percent"
    for up_to, wanted in pairs {
      ['"parent_slots"'] = same, ["1, order = order { 'parent_slots' }"] = same,
      ["function (sum_parent_slots) return 1 end"] = same,
      ["function (parent_slot) return 1 end"] = "unknown column (and too like one",
      ["function (parent_slots, quota) return 1 end"] = "column 'quota' is not known yet",
    } do
      local why = fault(capped(up_to))
      assert.truthy(why:find(wanted, 1, true), why)
    end
    local known = "column 'parent_slots' is not known yet at this stage"
    for _, quota in ipairs {
      [[fill "a" { by = function (parent_slots) return 1 end, up_to = part }]],
      [[fill "owned" { by = "owned", up_to = "owned" },
        pool "p" { up_to = function (parent_slots) return 1 end }]],
      [[fill "owned" { by = "owned", up_to = "owned" },
        loan "l" { lend_limit = function (parent_slots) return 1 end }]],
    } do
      local why = fault(('return policy { name = "x", quota = { %s } }'):format(quota))
      assert.truthy(why:find(known, 1, true), why)
    end
  end)

  it("fails the cycle where a function fails with it", function ()
    local said = {}
    for _, slots in ipairs { 30, 24 } do
      local short = { slots = slots, policy = "site.lua", { "a", { "x" } } }
      said[#said + 1] = pcall(engine.cycle, plan(short), state { slots = slots, ["a/x"] = { 99 } },
        nil, capped "function (parent_slots) return parent_slots ~= 24 and 9 or -1 end")
    end
    assert.same({ true, false }, said)
  end)
end)

describe("percent", function ()
  it("is of what a family divides, rounded down", function ()
    assert.same({ 6, 24, 4 }, quotas(capped 'percent "max_share"'))
    assert.same({ 8, 32, 6 }, quotas(capped 'percent "max_share"', 40))
    assert.same({ 0, 4, 0 }, quotas(capped 'percent "max_share"', 4))
  end)

  it("bounds totals, with fills before, and does not bind the fills behind", function ()
    local policy = capped('2 }, fill "more" { by = 1, up_to = percent "max_share" }, '
      .. 'fill "rest" { by = 0')
    assert.same({ 6, 24, 4 }, quotas(policy))
  end)

  it("is an attribute or share, and of quota's fills", function ()
    for up_to, wanted in pairs {
      ['percent "owned"'] = "unknown percentage 'owned'",
      ['percent "max_shar"'] = "known are share, max_share",
      ["percent(7)"] = "percent takes the name of a column, not a number",
      ['percent "max share"'] = "percent takes the name of a column, not 'max share'",
    } do
      local why = fault(capped(up_to))
      assert.truthy(why:find(wanted, 1, true), why)
    end
    for _, by in ipairs { "by", "reclaim" } do
      local policy = by == "by" and capped('nil'):gsub('"share"', 'percent "max_share"')
        or capped('nil }, }, reclaim = fill { up_to = percent "max_share"')
      assert.truthy(fault(policy))
    end
  end)

  it("is told by explain where it binds", function ()
    local short = { slots = 30, policy = "site.lua", { "a", max_share = 20 },
                    { "b", { "x", max_share = 20 }, { "y" } } }
    local now = { slots = 30, a = { 99 }, ["b/x"] = { 99 }, ["b/y"] = { 99 } }
    local _, decision = engine.cycle(plan(short), state(now), nil, capped 'percent "max_share"')
    local function said(path) return table.concat(decision:explain(path), "\n") end
    assert.truthy(said "/b/x":find("At most 20 % of the 24 slots that it and its siblings divide, "
      .. "rounded down: 4.", 1, true))
    assert.is_nil(said "/b/y":find("At most", 1, true))
  end)
end)

--- A policy of one fill by 1 and up to an amount, with attributes.
local function summing(up_to)
  return ([[return policy {
    name = "summing",
    attributes = { static = { type = "integer", min = 0, default = 0 },
                   quiet = { type = "boolean", default = false } },
    quota = { fill "all" { by = 1, up_to = %s } },
  }]]):format(up_to)
end

describe("a sum over siblings", function ()
  local function rows_of(policy, more)
    local short = { slots = 40, policy = "site.lua", { "a", static = 30 }, { "b", static = 30,
      { "x", static = 1, quiet = true }, { "y", static = 2, quiet = true }, { "z" } } }
    for key, value in pairs(more or {}) do short[key] = value end
    local now = { a = { 99 }, ["b/x"] = { 3 }, ["b/y"] = { 4 }, ["b/z"] = { 5 } }
    return case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
  end
  local function sums(up_to)
    local rows, out = rows_of(summing(up_to)), {}
    for i, path in ipairs { "/a", "/b", "/b/x", "/b/y", "/b/z" } do out[i] = rows[path].quota end
    return out
  end

  it("is of an attribute, the row's own among them", function ()
    -- 60 asked for of 40: two thirds, of which /b needs 12; below /b there is room for all.
    assert.same({ 20, 12, 1, 2, 0 }, sums [[function (static, group_slots, sum_static)
      return static * group_slots // math.max(sum_static, group_slots) end]])
    assert.same({ 28, 12, 3, 4, 5 }, sums "function (sum_static) return sum_static * 10 end")
  end)

  it("is of demand, where a parent has its children's", function ()
    assert.same({ 40, 0, 0, 0, 0 },
      sums "function (demand, sum_demand) return 2 * demand > sum_demand and 99 or 0 end")
  end)

  it("counts booleans", function ()
    assert.same({ 20, 12, 1, 1, 1 },
      sums "function (sum_quiet) return sum_quiet == 2 and 1 or 20 end")
  end)

  it("is of the group's slots, too, and of no unknown column", function ()
    assert.same({ 28, 12, 3, 4, 5 }, sums "function (sum_group_slots) return sum_group_slots end")
    for body, wanted in pairs {
      sum_statc = "unknown column 'statc'",
      sum_quota = "column 'quota' is not known yet at this stage",
    } do
      local why = fault(summing(("function (%s) return 1 end"):format(body)))
      assert.truthy(why:find(wanted, 1, true), why)
    end
  end)

  it("leaves siblings out that go by another policy", function ()
    local policy = [[return policy { name = "site", scale = false, quota = { fill "owned" {
      by = "owned", up_to = function (owned, sum_share) return owned - sum_share end,
    } } }]]
    local short = { slots = 40, { "a", owned = 20, share = 2, policy = "site.lua" },
                    { "b", owned = 10, share = 7 }, { "c", owned = 10, share = 3,
                      policy = "site.lua" } }
    local now = { a = { 99 }, b = { 99 }, c = { 99 } }
    local rows = case.by_path(engine.cycle(plan(short), state(now), nil, policy).groups.default)
    assert.same({ 15, 5 }, { rows["/a"].quota, rows["/c"].quota })
  end)
end)
