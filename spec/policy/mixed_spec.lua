-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Mixed plans: first-level branches that go by policies of their own (H-15).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"

local plan, state = case.plan, case.state

-- A site's ownership without lending: what is owned stays as planned.
local EXACT = [[
return policy {
  name = "exact", scale = false,
  quota = { fill "owned" { by = "owned", up_to = "owned" } },
}
]]

--- O owns 40 exactly; X and Y own 30 each under hybrid.
local function mixed(limit)
  return plan {
    slots = 100,
    { "O", owned = 40, policy = "site.lua" },
    { "X", owned = 30, limit = limit }, { "Y", owned = 30 },
  }
end

local function quotas(short, now)
  local out = {}
  for path, row in pairs(case.by_path(engine.cycle(short, now, nil, EXACT).groups.default)) do
    out[path] = row.quota
  end
  return out
end

local function hungry(slots)
  return state { slots = slots, O = { 1000 }, X = { 1000 }, Y = { 1000 } }
end

describe("ownership beside hybrid", function ()
  it("HV-12 (H-15): 70 slots are 40, 15, 15", function ()
    assert.same({ ["/O"] = 40, ["/X"] = 15, ["/Y"] = 15 }, quotas(mixed(), hungry(70)))
  end)

  it("HV-12 (H-15): 130 slots are 40, 45, 45", function ()
    assert.same({ ["/O"] = 40, ["/X"] = 45, ["/Y"] = 45 }, quotas(mixed(), hungry(130)))
  end)

  it("HV-12 (H-15): limits do not scale: 40, 40, 50", function ()
    assert.same({ ["/O"] = 40, ["/X"] = 40, ["/Y"] = 50 }, quotas(mixed(40), hungry(130)))
  end)

  it("keeps exact ownership from the others when its owner is idle", function ()
    local now = state { slots = 100, X = { 1000 }, Y = { 1000 } }
    assert.same({ ["/O"] = 0, ["/X"] = 30, ["/Y"] = 30 }, quotas(mixed(), now))
  end)

  it("gives exact ownership what there is of a group that is smaller than it", function ()
    assert.same({ ["/O"] = 25, ["/X"] = 0, ["/Y"] = 0 }, quotas(mixed(), hungry(25)))
  end)

  it("tells what is owned: exactly as planned, and scaled to what is left", function ()
    local rows = case.by_path(engine.cycle(mixed(), hungry(70), nil, EXACT).groups.default)
    assert.equal("40", rows["/O"].owned)
    assert.equal("15", rows["/X"].owned)
    assert.same({ owned = 40 }, rows["/O"].parts)
  end)

  it("takes back from one branch what another branch owns (H-10)", function ()
    local now = state { slots = 100, O = { 40, 10 }, X = { 100, 60 }, Y = { 30, 30 } }
    local decision = engine.cycle(mixed(), now, nil, EXACT)
    assert.equal(1, #decision.reclaims)
    local reclaim = decision.reclaims[1]
    assert.equal("/X", reclaim.consumer)
    assert.equal(30, reclaim.slots)
    assert.same({ { consumer = "/O", slots = 30 } }, reclaim["for"])
  end)

  it("goes down the branch: children divide by its policy", function ()
    local deep = plan {
      slots = 20,
      { "O", policy = "site.lua", { "a", owned = 6 }, { "b", owned = 4 } },
      { "H", { "c", owned = 6 }, { "d", owned = 4 } },
    }
    local now = state { slots = 20, ["O/a"] = { 9 }, ["H/c"] = { 9 } }
    local found = quotas(deep, now)
    assert.equal(6, found["/O/a"]) -- b's 4 are not lent
    assert.equal(9, found["/H/c"]) -- d's 4 are
  end)

  it("explains a consumer by its own policy's fills", function ()
    local _, decision = engine.cycle(mixed(), hungry(70), nil, EXACT)
    local text = table.concat(decision:explain "/O", "\n")
    assert.matches("/O owns 40 slots", text, 1, true)
    assert.matches("40 owned", text, 1, true)
  end)
end)

describe("a branch's policy", function ()
  local allot = require "allot"
  local function fails(text)
    local made, _, report = allot.plan(text, {
      file = "plan.json", policies = { ["site.lua"] = EXACT },
    })
    assert.is_nil(made)
    return report[1]
  end

  it("is one for all of it", function ()
    local first = fails [[{"consumers": [{"name": "a", "children": [
      {"name": "b", "policy": "site.lua"}]}]}]]
    assert.equal("E-policy", first.code)
    assert.equal(2, first.line)
    assert.matches("first%-level", first.message)
  end)

  it("that is unknown is told where it stands", function ()
    local first = fails [[{"consumers": [
      {"name": "a", "policy": "hybird"}]}]]
    assert.equal(2, first.line)
    assert.matches("hybrid", (first.message or "") .. (first.hint or ""))
  end)

  it("brings its attributes", function ()
    local text = [[{"consumers": [{"name": "a", "owned": 3, "policy": "zeal.lua", "zeal": 2},
      {"name": "b", "owned": 1}]}]]
    local made, message = allot.plan(text, { policies = { ["zeal.lua"] = [[
      return policy { name = "z", attributes = { zeal = { type = "integer", default = 1 } },
        quota = { fill "z" { by = "zeal" } } }]] } })
    assert(made, message)
  end)
end)

describe("a mixed plan", function ()
  --- The random case with a policy named in some first-level branches.
  local function mix(other)
    local gen = require "spec.support.cases.gen"
    return function (seed)
      local made = gen.tree(seed)
      made.policy = EXACT
      for i, branch in ipairs(made.plan.consumers) do
        if (seed + i) % 2 == 0 then branch.policy = other end
      end
      return made
    end
  end

  local function numbers(decision)
    local out = {}
    for name, group in pairs(decision.groups) do
      for _, row in ipairs(group.consumers) do
        out[#out + 1] = ("%s%s %s %d %d %d %d"):format(name, row.path, row.exact, row.quota,
          row.granted, row.over, row.reclaimed)
      end
    end
    table.sort(out)
    return out
  end

  property("whose branches name the plan's own policy is no other plan", { runs = 200 },
    function (it)
      local with = engine.cycle(it.plan, it.state, nil, EXACT)
      local names = {}
      for i, branch in ipairs(it.plan.consumers) do
        names[i], branch.policy = branch.policy or false, nil
      end
      local without = engine.cycle(it.plan, it.state, nil, EXACT)
      for i, branch in ipairs(it.plan.consumers) do branch.policy = names[i] or nil end
      assert.same(numbers(without), numbers(with))
    end, function (seed)
      local made = mix("hybrid")(seed)
      made.plan.policy = "hybrid"
      for _, group in pairs(made.plan.groups or {}) do group.policy = nil end
      return made
    end)

  it("shares slots among branches of one policy as siblings, not one by one", function ()
    -- Both name the same file: b borrows what a leaves, within their common part.
    local lent = [[return policy { name = "lent", scale = false, quota = {
      fill "owned" { by = "owned", up_to = "owned" }, fill "borrowed" { by = 1 } } }]]
    local short = plan {
      slots = 30, { "a", owned = 10, policy = "site.lua" },
      { "b", owned = 10, policy = "site.lua" }, { "c", owned = 10 },
    }
    local now = state { slots = 30, a = { 2 }, b = { 99 }, c = { 99 } }
    local rows = case.by_path(engine.cycle(short, now, nil, lent).groups.default)
    assert.equal(2, rows["/a"].quota)
    assert.equal(18, rows["/b"].quota)
    assert.equal(10, rows["/c"].quota)
  end)

  property("entitles nobody to slots that are not there (architecture, invariants)", { runs = 300 },
    function (it)
      for _, group in pairs(engine.cycle(it.plan, it.state, nil, EXACT).groups) do
        local sum = 0
        for _, row in ipairs(group.consumers) do
          if not row.path:find("/", 2, true) then sum = sum + row.quota end
          assert.is_true(row.quota <= row.need, row.path)
        end
        assert.is_true(sum <= group.slots)
      end
    end, mix "site.lua")
end)

describe("slots on their way to a ledger's leaf from another policy's", function ()
  it("are its own once they are there: no quota is beyond what is there (C-5, H-15)", function ()
    local flight = {
      id = "f", consumer = "/X", slots = 3, deadline = 9,
      ["for"] = { { consumer = "/O", slots = 3 } },
    }
    local short = plan {
      slots = 10, { "O", owned = 2, policy = "ownership" }, { "X", owned = 8 },
    }
    local now = state { O = { 9, 0 }, X = { 9, 10 }, reclaims = { flight } }
    local group = engine.cycle(short, now).groups.default
    case.check({ O = { quota = 2, earmarked = 3 }, X = { quota = 8 } }, group)
  end)
end)

describe("ready-made policies", function ()
  -- Of 44 slots O has its 20 (H-15); the other 24 of 40 are six tenths: 12, 6 and 6.
  it("stand beside one another, each with its own share_limit (H-15, 5.3)", function ()
    local short = plan {
      slots = 60, policy = "hybrid",
      { "O", owned = 20, policy = "ownership", share_limit = 3 }, { "X", owned = 20 },
      { "Y", owned = 10 },
      { "S", owned = 10, policy = "share_ratio", { "a", share_limit = 1 }, { "b" } },
    }
    local now = state { slots = 44, O = { 99 }, X = { 99 }, Y = { 99 }, ["S/a"] = { 9 },
      ["S/b"] = { 99 } }
    local rows = case.by_path(engine.cycle(short, now).groups.default)
    local found = {}
    for _, path in ipairs { "/O", "/X", "/Y", "/S", "/S/a", "/S/b" } do
      found[#found + 1] = rows[path].quota
    end
    assert.same({ 20, 12, 6, 6, 1, 5 }, found)
  end)
end)

describe("the balance of the first level", function ()
  local allot = require "allot"
  local document = require "spec.support.cases.document"

  local function warned(short)
    local _, report = assert(allot.plan(document.encode(plan(short)), {}))
    return report and report[1] and report[1].code
  end

  it("is nothing where ownership stands beside hybrid, or is told (H-1)", function ()
    local o, x = { "O", owned = 4, policy = "ownership" }, { "X", owned = 3 }
    assert.equal("W-balance", warned { slots = 10, o, x })
    assert.is_nil(warned { slots = 7, o, x })
    assert.is_nil(warned { slots = 10, { "Y", owned = 4 }, x })
    assert.is_nil(warned { slots = 10, policy = "ownership", { "Y", owned = 4 }, x })
  end)
end)

describe("quota that no fill passed on", function ()
  it("takes no task from anybody (C-5, C-6)", function ()
    local capped = [[return policy { name = "capped",
      attributes = { cap = { type = "integer", default = none } },
      quota = { fill "capped" { by = 1, up_to = function (cap) return cap end } } }]]
    local short = plan {
      slots = 12, policy = "site.lua", { "P", { "c", cap = 1 }, { "d", cap = 1 } }, { "B" },
    }
    local now = state { slots = 12, ["P/c"] = { 9 }, ["P/d"] = { 9 }, B = { 10, 10 } }
    local decision = engine.cycle(short, now, nil, capped)
    assert.equal(6, case.by_path(decision.groups.default)["/P"].quota) -- its children take 2
    assert.same({ ["P/c"] = 1, ["P/d"] = 1 }, case.grants(decision))
    assert.same({}, decision.reclaims)
  end)
end)

describe("slots on their way to a branch of another policy", function ()
  it("count once: nothing more is reclaimed for it (C-6)", function ()
    local short = plan {
      slots = 11, { "R", owned = 0, grace = 60 }, { "O", owned = 1, policy = "ownership" },
      { "S", owned = 10, policy = "share_ratio", { "a" }, { "b" }, { "c", share = 8 } },
    }
    local now = state {
      slots = 11, now = 1001,
      R = { 3, 3 }, ["S/a"] = { 100, 5 }, ["S/b"] = { 100, 3 },
      reclaims = { { id = "r1", consumer = "/R", slots = 2, deadline = 1060,
                     ["for"] = { { consumer = "/S/b", slots = 2 } } } },
    }
    local decision = engine.cycle(short, now)
    assert.equal(10, case.by_path(decision.groups.default)["/S"].quota)
    assert.same({}, decision.reclaims)
  end)
end)
