-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Fills that raise totals (C-15), by hand.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- A policy of these fills, and more of its keys.
local function site(fills, more)
  return ([[return policy {
    name = "site",
    attributes = {
      least = { type = "integer", min = 0, default = 0 },
      most = { type = "integer", min = 0, default = none },
      tier = { type = "integer", min = 0, default = 0 },
    },
    quota = { %s }, %s
  }]]):format(fills, more or "")
end

local MIN = [[fill "min" { by = "least", up_to = "least" }, ]]
local FAIR = MIN .. [[fill "fair" { by = "share", level = true }]]

--- The quotas of a plan's consumers in its order, and the decision. Each wants 30 where `now` does
--- not say otherwise.
local function quotas(short, policy, now)
  short.policy = "site.lua"
  now = now or {}
  for _, row in ipairs(short) do now[row[1]] = now[row[1]] or { 30 } end
  local made, decision = engine.cycle(plan(short), state(now), nil, policy)
  local rows, out = case.by_path(made.groups.default), {}
  for i, row in ipairs(short) do out[i] = rows["/" .. row[1]].quota end
  return out, decision
end

local function three(more)
  local short = { slots = 30, { "a", least = 12 }, { "b" }, { "c" } }
  for i, keys in pairs(more or {}) do
    if type(keys) ~= "table" then short[i] = keys else
      for key, value in pairs(keys) do short[i][key] = value end
    end
  end
  return short
end

describe("a fill with level = true", function ()
  it("raises totals, whoever has more stays (C-15)", function ()
    for _, rounding in ipairs { "rank", "webster", "ceil_in_order", "largest_remainder" } do
      local round = ('round = "%s"'):format(rounding)
      assert.same({ 12, 9, 9 }, (quotas(three(), site(FAIR, round))))
    end
    local plain = MIN .. [[fill "fair" { by = "share", level = false }]]
    assert.same({ 18, 6, 6 }, (quotas(three(), site(plain))))
  end)

  it("goes by weights, of totals (C-15)", function ()
    -- 2 : 1 : 1 of 30 is 15, 7.5, 7.5; 1 : 2 : 2 leaves a its 12, 9 to each other.
    assert.same({ 15, 8, 7 }, (quotas(three { { share = 2 } }, site(FAIR))))
    assert.same({ 12, 9, 9 }, (quotas(three { {}, { share = 2 }, { share = 2 } }, site(FAIR))))
    assert.same({ 12, 12, 6 }, (quotas(three { {}, { share = 2 } }, site(FAIR))))
  end)

  it("ends at up_to, and takes nothing from who has more (C-15)", function ()
    local capped = MIN .. [[fill "fair" { by = "share", up_to = "most", level = true }]]
    -- b stops at 5, so the others are raised to 12.5, a too.
    assert.same({ 13, 5, 12 }, (quotas(three { {}, { most = 5 } }, site(capped))))
    assert.same({ 12, 9, 9 }, (quotas(three { { most = 10 } }, site(capped))))
  end)

  it("ends at needs (C-15)", function ()
    assert.same({ 13, 4, 13 }, (quotas(three(), site(FAIR), { b = { 4 } })))
  end)

  it("leaves a weight of 0 where it is (C-15)", function ()
    local shares = { { share = 0 }, { share = 1 }, { share = 2 } }
    assert.same({ 12, 6, 12 }, (quotas(three(shares), site(FAIR))))
  end)

  it("meets all aims where slots suffice (C-15)", function ()
    local now = { a = { 14 }, b = { 5 }, c = { 3 } }
    assert.same({ 14, 5, 3 }, (quotas(three(), site(FAIR), now)))
  end)

  it("leaves what it does not give to fills behind it (C-15)", function ()
    -- 12, 8, 8 behind the level; the last two slots are 2/3 each.
    local fills = MIN .. [[fill "fair" { by = "share", up_to = 8, level = true },
      fill "rest" { by = "share" }]]
    assert.same({ 13, 9, 8 }, (quotas(three(), site(fills))))
    -- Two levels: all to 5, then by 1 : 1 : 4, where 13 for c are less than 5 for b and 12 for a.
    fills = MIN .. [[fill "base" { by = 1, up_to = 5, level = true },
      fill "fair" { by = "share", level = true }]]
    assert.same({ 12, 5, 13 }, (quotas(three { {}, {}, { share = 4 } }, site(fills))))
  end)

  it("goes group by group in an order (C-15)", function ()
    local fills = MIN .. [[fill "fair" { by = "share", level = true, order = order { "tier" } }]]
    local short = three { { tier = 0 }, { tier = 0 }, { tier = 1 }, slots = 20 }
    assert.same({ 12, 8, 0 }, (quotas(short, site(fills))))
    -- 14 and 10 are met; of 22 that are left the others have 11 each, 6 of them from before.
    short = three { {}, {}, { tier = 1 }, slots = 46 }
    short[4] = { "d", tier = 1, least = 6 }
    assert.same({ 14, 10, 11, 11 }, (quotas(short, site(fills), { a = { 14 }, b = { 10 } })))
  end)

  it("counts parts of slots (C-1, C-15)", function ()
    local fills = [[fill "owned" { by = "owned", up_to = "owned" },
      fill "fair" { by = 1, level = true }]]
    local function owns(owned, slots, ranks)
      local short = { slots = 20, { "a", owned = owned, rank = ranks }, { "b" }, { "c" } }
      return (quotas(short, site(fills), { slots = slots }))
    end
    assert.same({ 20, 5, 5 }, owns(13, 30)) -- 19.5, 5.25, 5.25
    assert.same({ 19, 6, 5 }, owns(13, 30, 9))
    assert.same({ 4, 3, 3 }, owns(7, 10)) -- 3.5, 3.25, 3.25
    assert.same({ 3, 4, 3 }, owns(7, 10, 9))
    assert.same({ 4, 3, 3 }, owns(3, 10)) -- 3.33 each, 1.5 of a's owned
  end)

  it("counts what is reserved as from before (C-15)", function ()
    local fills = [[fill "fair" { by = "share", level = true }]]
    local short = { slots = 30, { "a", owned = 12, reserve = 12 }, { "b" }, { "c" } }
    assert.same({ 12, 9, 9 }, (quotas(short, site(fills))))
  end)

  it("counts seats of totals under webster, but takes none away (C-15)", function ()
    -- By 53 : 24 : 23 seven seats are 3, 2, 2, whoever has two from before; by remainders 4, 2, 1.
    local function seven(least, rounding)
      local short = { slots = 7, { "a", share = 53, least = least }, { "b", share = 24 } }
      short[3] = { "c", share = 23 }
      return (quotas(short, site(FAIR, ('round = "%s"'):format(rounding))))
    end
    assert.same({ 3, 2, 2 }, seven(2, "webster"))
    assert.same({ 4, 2, 1 }, seven(2, "largest_remainder"))
    assert.same({ 5, 1, 1 }, seven(5, "webster"))
    assert.same({ 7, 0, 0 }, seven(7, "webster"))
  end)

  it("takes no slot back where there are more to share, under webster (C-15)", function ()
    local before = { 0, 0, 0 }
    for slots = 1, 60 do
      local short = { slots = slots, { "a", share = 53, least = 4 }, { "b", share = 24 } }
      short[3] = { "c", share = 23, least = 7 }
      local now = quotas(short, site(FAIR, 'round = "webster"'))
      local sum = 0
      for i = 1, 3 do
        assert.is_true(now[i] >= before[i])
        sum = sum + now[i]
      end
      assert.equal(slots, sum)
      before = now
    end
  end)

  it("is divided on in branches (C-3, C-15)", function ()
    local short = three()
    short[2] = { "b", { "x", least = 6 }, { "y" } }
    local now = { a = { 30 }, ["b/x"] = { 30 }, ["b/y"] = { 30 }, c = { 30 } }
    short.policy = "site.lua"
    local made = engine.cycle(plan(short), state(now), nil, site(FAIR))
    case.check({ a = { quota = 12 }, b = { quota = 9 }, c = { quota = 9 },
      ["b/x"] = { quota = 6 }, ["b/y"] = { quota = 3 } }, made.groups.default)
  end)

  it("is explained by totals (C-15)", function ()
    local _, decision = quotas(three { { least = 8 }, slots = 30 }, site(FAIR), { b = { 4 } })
    local function says(path, text)
      local told = table.concat(assert(decision:explain(path)), "\n")
      assert.truthy(told:find(text, 1, true), told)
    end
    says("/a", "  fair: 5, which raises its total from 8 to 13. Slots ran out here, where totals "
      .. "are raised to 13 per unit of share (C-15).")
    says("/b", "which raises its total from 0 to 4 and meets its need. Slots ran out here")
    _, decision = quotas(three(), site(FAIR))
    says("/a", "  fair: 0, since it has 12 from before. Slots ran out here, where totals are "
      .. "raised to 9 per unit of share (C-15).")
    local two = MIN .. [[fill "fair" { by = 2, level = true }]]
    _, decision = quotas(three(), site(two))
    says("/b", "  fair: 9, which raises its total from 0 to 9. Slots ran out here, where totals "
      .. "are raised to 9 each (C-15).")
  end)
end)
