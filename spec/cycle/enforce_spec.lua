-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What holds whatever the demand: switches of windows, and attributes that are limits (C-10).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"
local random_of = require("allot.check.random").new

local plan, state = case.plan, case.state

--- 1970-01-01 is a Thursday; the window begins at 17:00.
local SWITCH = 17 * 3600

local function evening(short, consumers, more)
  local window = { from = "17:00", to = "24:00", consumers = consumers }
  for key, value in pairs(more or {}) do window[key] = value end
  short.windows = { window }
  return short
end

--- Both states of a cycle: at the switch, and a second later.
local function at(short, now, seconds, policy)
  now.now = SWITCH + (seconds or 0)
  now.last = now.now - 1
  local decision, handle = engine.cycle(short, now, nil, policy)
  return decision, case.by_path(decision.groups.default), handle
end

local function told(handle, path)
  return table.concat(handle:explain(path), "\n")
end

describe("a switch of windows", function ()
  it("TV-1: more ownership is enforced, demand or not (A-73)", function ()
    local function short()
      return evening(plan { slots = 50, { "A", owned = 10 }, { "B", owned = 25 } },
        { ["/A"] = { owned = 25 } })
    end
    local now = state { A = { 10, 10 }, B = { 100, 40 } }
    local decision, rows, handle = at(short(), now)
    assert.same({ B = { 15, A = 15 } }, case.reclaims(decision))
    assert.equal(25, rows["/A"].need)
    assert.equal(25, rows["/A"].quota)
    assert.matches("what it owns changed: it needs at least that, 25 (C-10)", told(handle, "/A"),
      1, true)
    decision, rows = at(short(), now, 1) -- normal cycles go by demand
    assert.same({}, decision.reclaims)
    assert.equal(10, rows["/A"].need)
    decision = at(short(), now, -1)
    assert.same({}, decision.reclaims)
  end)

  it("TV-2: less ownership is enforced though its user is hungry", function ()
    local short = evening(plan { slots = 15, { "A", owned = 10 }, { "B", owned = 5 } },
      { ["/A"] = { owned = 5 }, ["/B"] = { owned = 10 } })
    local now = state { A = { 100, 10 }, B = { 0, 0 } }
    now.consumers["/B"].allocated = 5
    local decision = at(short, now)
    assert.same({ A = { 5, B = 5 } }, case.reclaims(decision))
    -- Once they are back, and B does not want them, A borrows them again (TV-3).
    now.consumers["/A"].allocated = 5
    decision = at(short, now, 1)
    assert.same({ A = 5 }, case.grants(decision))
  end)

  it("is seen by the first cycle behind it, however late", function ()
    local short = evening(plan { slots = 50, { "A", owned = 10 }, { "B", owned = 25 } },
      { ["/A"] = { owned = 25 } })
    local now = state { now = SWITCH + 600, A = { 10, 10 }, B = { 100, 40 } }
    now.last = SWITCH - 30
    assert.same({ B = { 15, A = 15 } }, case.reclaims((engine.cycle(short, now))))
    now.last = SWITCH
    assert.same({}, engine.cycle(short, now).reclaims)
  end)

  it("forces down to a limit that is lower now, also where quotas would not", function ()
    local short = evening(plan {
      slots = 20, options = { dead_zone = 100 }, { "A", owned = 10, limit = 12 },
      { "B", owned = 10 },
    }, { ["/A"] = { limit = 4 } })
    local now = state { A = { 100, 10 }, B = { 0, 0 } }
    local decision, rows, handle = at(short, now)
    assert.same({ A = { 6 } }, case.reclaims(decision))
    assert.equal("over-window", decision.reclaims[1].why.code)
    assert.equal(6, rows["/A"].forced)
    assert.matches("6 of its slots must go whatever the demand", told(handle, "/A"), 1, true)
    assert.same({}, at(short, now, 1).reclaims) -- damped again
  end)

  it("takes forced slots first, and no more than are needed", function ()
    -- C is owed 6: the 6 that A must give serve it, so that B keeps its own.
    local short = evening(plan {
      slots = 30, { "A", owned = 10, limit = 12, rank = 1 }, { "B", owned = 10, rank = 9 },
      { "C", owned = 10 },
    }, { ["/A"] = { limit = 4 } })
    local now = state { A = { 100, 10 }, B = { 100, 16 }, C = { 10, 4 } }
    assert.same({ A = { 6, C = 6 } }, case.reclaims((at(short, now))))
  end)

  it("is nobody's who does not rebalance: it drains (A-71)", function ()
    local short = evening(plan {
      slots = 50, { "A", owned = 10 }, { "B", owned = 25, rebalance = false },
    }, { ["/A"] = { owned = 25 } })
    local now = state { A = { 10, 10 }, B = { 100, 40 } }
    local decision, rows, handle = at(short, now)
    assert.same({}, decision.reclaims)
    assert.equal(15, rows["/B"].held_back)
    assert.matches("its `rebalance` is off: it drains", told(handle, "/B"), 1, true)
  end)

  it("keeps the group's size whoever drains", function ()
    local short = evening(plan {
      slots = 50, { "A", owned = 10, rebalance = false }, { "B", owned = 40, rebalance = false },
    }, nil, { slots = 30 })
    local now = state { A = { 10, 10 }, B = { 100, 40 } }
    local sum = 0
    for _, reclaim in ipairs((at(short, now)).reclaims) do sum = sum + reclaim.slots end
    assert.equal(20, sum)
  end)

  it("sees ownership that scales with another planned size", function ()
    -- 40 slots are there all the time: A owns 10 of 40, then 10 of 20.
    local short = evening(plan { slots = 40, { "A", owned = 10 }, { "B", owned = 10 } }, nil,
      { slots = 20 })
    local now = state { slots = 40, A = { 0, 0 }, B = { 100, 30 } }
    local decision, rows = at(short, now)
    assert.equal(20, rows["/A"].need)
    assert.same({ B = { 10, A = 10 } }, case.reclaims(decision))
  end)

  it("does not take unchanged ownership for another", function ()
    local short = evening(plan { slots = 40, { "A", owned = 10 }, { "B", owned = 10 } }, nil,
      { slots = 20 })
    local now = state { A = { 0, 0 }, B = { 100, 15 } }
    local decision, rows = at(short, now) -- 10 of 40 before, 10 of 20 now
    assert.equal(0, rows["/A"].need)
    assert.same({}, decision.reclaims)
  end)

  it("finds consumers where other ranks seat them otherwise", function ()
    local short = evening(plan {
      slots = 50, { "A", owned = 10, rank = 2 }, { "B", owned = 25, rank = 1 },
    }, { ["/A"] = { owned = 25, rank = 0 } })
    local now = state { A = { 10, 10 }, B = { 100, 40 } }
    assert.same({ B = { 15, A = 15 } }, case.reclaims((at(short, now))))
  end)
end)

describe("windows switched back and forth", function ()
  it("lead back to the same allotment", function ()
    local short = evening(plan { slots = 40, { "A", owned = 30 }, { "B", owned = 10 } },
      { ["/A"] = { owned = 10 }, ["/B"] = { owned = 30 } })
    local now = state { A = { 100, 30 }, B = { 100, 10 } }
    local function held(from)
      return { A = from.consumers["/A"].allocated, B = from.consumers["/B"].allocated }
    end
    local found = {}
    for round, time in ipairs { SWITCH, SWITCH + 7 * 3600, SWITCH + 24 * 3600 } do
      for step = 0, 3 do
        now.now, now.last = time + step, time + step - 1
        now = engine.after((engine.cycle(short, now)))
      end
      found[round] = held(now)
    end
    assert.same({ { A = 10, B = 30 }, { A = 30, B = 10 }, { A = 10, B = 30 } }, found)
  end)
end)

describe("an attribute that is a limit", function ()
  local SITE = [[return policy { name = "site",
    attributes = { most = { type = "integer", min = 0, default = none, limit = true } },
    quota = { fill "even" { by = 1 } }, reclaim = false }]]

  it("TV-6: holds whatever the demand", function ()
    local short = plan { slots = 20, policy = "site.lua", { "A", most = 5 }, { "B" } }
    local now = state { A = { 100, 10 }, B = { 0, 0 } }
    local decision, handle = engine.cycle(short, now, nil, SITE)
    local rows = case.by_path(decision.groups.default)
    assert.matches("5 of its slots must go whatever the demand: an attribute that is a limit",
      told(handle, "/A"), 1, true)
    assert.same({ A = { 5 } }, case.reclaims(decision))
    assert.equal("over-attribute", decision.reclaims[1].why.code)
    assert.equal(5, rows["/A"].forced)
  end)

  it("TV-6: holds beside a `limit` that is lower, which goes by demand", function ()
    local short = plan { slots = 20, policy = "site.lua", { "A", most = 5, limit = 3 }, { "B" } }
    local now = state { A = { 100, 10 }, B = { 0, 0 } }
    local decision = engine.cycle(short, now, nil, SITE)
    assert.same({ A = { 5 } }, case.reclaims(decision))
    assert.same({ 3, 5 }, { case.by_path(decision.groups.default)["/A"].quota,
      case.by_path(decision.groups.default)["/A"].forced })
    short.policy, short.consumers[1].most, short.consumers[1].share_limit = "share_ratio", nil, 9
    decision = engine.cycle(short, now)
    assert.same({ A = { 1 } }, case.reclaims(decision))
    assert.equal("over-attribute", decision.reclaims[1].why.code)
  end)

  local PERCENT = SITE:gsub("limit = true", 'limit = "percent"')
    :gsub("default = none", "default = 100")

  it("in percent is of what the parent may hold, the group's slots above all", function ()
    local short = plan { slots = 30, policy = "site.lua", { "A", most = 20 },
                         { "B", most = 70, { "x", most = 30 }, { "y" } } }
    local now = state { A = { 3, 9 }, ["B/x"] = { 99 }, ["B/y"] = { 99 } }
    local decision, handle = engine.cycle(short, now, nil, PERCENT)
    local rows = case.by_path(decision.groups.default)
    assert.same({ 3, 21, 6, 15 }, { rows["/A"].quota, rows["/B"].quota, rows["/B/x"].quota,
      rows["/B/y"].quota })
    assert.same({ A = { 3 } }, case.reclaims(decision)) -- 20 % of 30 is 6
    assert.equal("over-attribute", decision.reclaims[1].why.code)
    assert.matches("its most is 6, so its need is 6", told(handle, "/B/x"), 1, true)
    now = state { slots = 9, A = { 9 }, ["B/x"] = { 99 }, ["B/y"] = { 99 } }
    rows = case.by_path(engine.cycle(short, now, nil, PERCENT).groups.default)
    assert.same({ 1, 6, 1, 5 }, { rows["/A"].quota, rows["/B"].quota, rows["/B/x"].quota,
      rows["/B/y"].quota })
  end)

  it("in percent is no limit where it is none, and counts before a reserve", function ()
    local site = SITE:gsub("limit = true", 'limit = "percent"')
    local short = plan { slots = 20, policy = "site.lua", { "A" },
                         { "B", owned = 10, reserve = 8, most = 20 } }
    local rows = case.by_path(engine.cycle(short, state { A = { 99 }, B = { 99 } }, nil,
      site).groups.default)
    assert.same({ 16, 4, 4 }, { rows["/A"].quota, rows["/B"].quota, rows["/B"].reserve })
  end)

  it("of several the lowest holds", function ()
    local site = [[return policy { name = "site", attributes = {
      soft = { type = "integer", min = 0, default = none, limit = true },
      hard = { type = "integer", min = 0, default = none, limit = true },
    }, quota = { fill "even" { by = 1 } } }]]
    local short = plan { slots = 20, policy = "site.lua", { "A", soft = 6, hard = 8 }, { "B" } }
    assert.same({ A = { 4 } }, case.reclaims((engine.cycle(short, state { A = { 100, 10 } }, nil,
      site))))
  end)

  it("drains who does not rebalance, at the switch and behind it (A-71)", function ()
    for _, seconds in ipairs { 0, 1, 600 } do
      local short = evening(plan {
        slots = 20, policy = "share_ratio", { "A", rebalance = false }, { "B" },
      }, { ["/A"] = { share_limit = 5 } })
      local idle = state { A = { 100, 10 }, B = { 0, 0 } }
      assert.same({}, at(short, idle, seconds).reclaims)
      local wanted = state { A = { 100, 10 }, B = { 20, 10 } }
      local decision = at(short, wanted, seconds)
      -- What others are owed it gives as any other does, but not at the switch.
      assert.same(seconds > 0 and { A = { 5, B = 5 } } or {}, case.reclaims(decision))
    end
  end)
end)

--- A random case at a switch: some leaves own, may hold or are ranked otherwise from then on.
local function switched(seed)
  local made = gen.tree(seed)
  local random = random_of(seed)
  local changes = {}
  local function walk(list, path)
    for _, node in ipairs(list) do
      local here = path .. "/" .. node.name
      if node.children then
        walk(node.children, here)
      elseif random:once_in(2) then
        local change = { rank = random:int(0, 3), limit = random:int(0, 20) + (node.reserve or 0) }
        if change.limit == node.limit then change.limit = change.limit + 1 end
        if random:once_in(2) then change.owned = random:int(0, 20) + (node.reserve or 0) end
        if random:once_in(3) then change.rebalance = false end
        changes[here] = change
      end
    end
  end
  walk(made.plan.consumers, "")
  made.plan.windows = { { from = "17:00", to = "24:00", consumers = next(changes) and changes } }
  made.state.now, made.state.last = SWITCH, SWITCH - 1
  if engine.valid(made) then return made end
  for _, change in pairs(changes) do change.owned = nil end
  if engine.valid(made) then return made end
  made.plan.windows = nil
  return made
end

describe("a random switch", function ()
  property("takes what is forced, and for others no more than they lack", {
    runs = 400, valid = engine.valid,
  }, function (it)
    local decision = engine.cycle(it.plan, it.state)
    for name, group in pairs(decision.groups) do
      local rows = case.by_path(group)
      local claimed, given = {}, {}
      for _, reclaim in ipairs(decision.reclaims) do
        if reclaim.group == name then
          local sum = 0
          for _, claim in ipairs(reclaim["for"]) do
            claimed[claim.consumer] = (claimed[claim.consumer] or 0) + claim.slots
            sum = sum + claim.slots
          end
          assert.is_true(sum <= reclaim.slots, reclaim.consumer)
          given[reclaim.consumer] = (given[reclaim.consumer] or 0) + reclaim.slots
        end
      end
      local inner = {}
      for path in pairs(rows) do inner[path:match "^(.*)/[^/]+$"] = true end
      for path, row in pairs(rows) do
        if not inner[path] then
          assert.equal(given[path] or 0, row.reclaimed, path)
          assert.is_true(row.reclaimed + row.held_back <= row.over, path .. " over")
          assert.is_true(row.forced <= row.reclaimed, path .. " forced")
          assert.is_true((claimed[path] or 0) <= row.deficit, path .. " claims")
          local window = it.plan.windows and it.plan.windows[1]
          local change = window and window.consumers and window.consumers[path]
          local most = change and change.limit
          if most and change.rebalance ~= false and not (it.plan.groups or {})[name] then
            assert.is_true(row.allocated - row.in_flight - row.reclaimed <= most, path .. " limit")
          end
        end
      end
    end
  end, switched)
end)
