-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Columns of the whole group, and sums over siblings.

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
    for body, fault in pairs {
      sum_statc = "unknown column 'statc'",
      sum_quota = "column 'quota' is not known yet at this stage",
    } do
      local core = require "allot.core"
      local loaded, why = core.policy(summing(("function (%s) return 1 end"):format(body)))
      assert.is_nil(loaded)
      why = type(why) == "table" and (why.message or why[1] and why[1].message) or tostring(why)
      assert.truthy(why:find(fault, 1, true), why)
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
