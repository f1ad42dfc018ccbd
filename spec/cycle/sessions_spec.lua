-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What sessions deserve of their leaf's quota (rules.md 5.6; XV-5).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local NOW = 10000

local function session(id, fields)
  fields.id, fields.consumer = id, "/A"
  return fields
end

describe("sessions", function ()
  local function quotas(slots, scheduling, sessions)
    for _, one in ipairs(sessions) do one.scheduling = scheduling end
    local document = engine.cycle(case.plan { slots = slots, { "A", owned = slots } },
      case.state { now = NOW, A = { slots, 0 }, sessions = sessions })
    local out = {}
    for i, part in ipairs(document.sessions) do out[i] = part.quota end
    return out
  end

  it("are listed once, also where there are none", function ()
    local plan = case.plan { slots = 2, { "A", owned = 2 } }
    for i = 1, 2 do
      local text = engine.text(plan, case.state {
        now = NOW, A = { 2, 0 }, sessions = i == 2 and { session("s1", {}) } or nil,
      })
      assert.equal(1, select(2, text:gsub('"sessions": ', "")))
    end
  end)

  it("divide a leaf's quota by priority (R_Proportion)", function ()
    assert.same({ 2, 8 }, quotas(10, "proportional", {
      session("s1", { priority = 1 }), session("s2", { priority = 4 }),
    }))
  end)

  it("leave what they do not want to the others, in proportion", function ()
    assert.same({ 1, 3, 6 }, quotas(10, "proportional", {
      session("s1", { priority = 7, demand = 1 }), session("s2", { priority = 1 }),
      session("s3", { priority = 2 }),
    }))
  end)

  it("get lost slots by priority, then creation (C-4)", function ()
    assert.same({ 3, 4, 3 }, quotas(10, "proportional", {
      session("s1", { created = 5 }), session("s2", { created = 2 }),
      session("s3", { created = 9 }),
    }))
  end)

  it("get their minimum first, then by priority (R_MinimumServices)", function ()
    assert.same({ 5, 7 }, quotas(12, "minimum", {
      session("s1", { priority = 1, minimum = 4 }), session("s2", { priority = 9, minimum = 1,
        demand = 7 }),
    }))
    assert.same({ 3, 1 }, quotas(4, "minimum", {
      session("s1", { priority = 1, minimum = 3 }), session("s2", { priority = 9, minimum = 1 }),
    }))
  end)

  it("XV-5: a slot goes to the highest priority, and back down as sessions end", function ()
    local all = {
      session("low", { priority = 1, created = 1 }), session("middle", { priority = 10,
        created = 2 }), session("high", { priority = 100, created = 3 }),
    }
    assert.same({ 1 }, quotas(1, "priority", { all[1] }))
    assert.same({ 0, 1 }, quotas(1, "priority", { all[1], all[2] }))
    assert.same({ 0, 0, 1 }, quotas(1, "priority", all))
    all[3].demand = 0
    assert.same({ 0, 1, 0 }, quotas(1, "priority", all))
    all[2].demand = 0
    assert.same({ 1, 0, 0 }, quotas(1, "priority", all))
  end)

  it("of equal priority go by creation, first first", function ()
    assert.same({ 1, 4 }, quotas(5, "priority", {
      session("s1", { created = 9 }), session("s2", { created = 3, demand = 4 }),
    }))
  end)

  it("of equal priority and creation go as they stand in the list (5.6: all to one)", function ()
    assert.same({ 5, 0, 0 }, quotas(5, "priority", {
      session("s9", {}), session("s1", {}), session("s2", {}),
    }))
    assert.same({ 3, 2, 0 }, quotas(5, "priority", {
      session("s9", { demand = 3 }), session("s1", {}), session("s2", {}),
    }))
  end)
end)
