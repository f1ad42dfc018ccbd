-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The column `group_slots`: what a group has now.

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
