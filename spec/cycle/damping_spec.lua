-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Damping: what a site lets a consumer keep of what it is over (C-9 and the plan's options).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"

local plan, state = case.plan, case.state

--- /A owns 10, /B 10 of 20; B holds what A lacks.
local function two(options, demand, held, more)
  local short = plan { slots = 20, options = options, { "A", owned = 10 }, { "B", owned = 10 } }
  local now = state { now = 1000, A = { demand, 20 - held }, B = { 100, held } }
  for path, keys in pairs(more or {}) do
    for key, value in pairs(keys) do now.consumers["/" .. path][key] = value end
  end
  local decision, handle = engine.cycle(short, now)
  return decision, case.by_path(decision.groups.default), handle
end

local function told(handle, path)
  return table.concat(handle:explain(path), "\n")
end

describe("dead_zone", function ()
  it("lets be what is over by no more than it says", function ()
    local decision, rows, handle = two({ dead_zone = 3 }, 100, 13)
    assert.same({}, decision.reclaims)
    assert.equal(3, rows["/B"].over)
    assert.equal(3, rows["/B"].held_back)
    assert.equal(3, rows["/A"].deficit)
    assert.matches("dead_zone holds back the 3 it is over: up to 3", told(handle, "/B"), 1, true)
    assert.matches("held back by guards or damping", told(handle, "/A"), 1, true)
  end)

  it("takes all that is over once it is more", function ()
    local decision, rows = two({ dead_zone = 3 }, 100, 14)
    assert.same({ B = { 4, A = 4 } }, case.reclaims(decision))
    assert.equal(0, rows["/B"].held_back)
  end)
end)

describe("most_reclaimed", function ()
  it("is a part of what is held, rounded down", function ()
    local decision, rows, handle = two({ most_reclaimed = 20 }, 100, 19)
    assert.same({ B = { 3, A = 3 } }, case.reclaims(decision)) -- 20 % of 19 is 3.8
    assert.equal(9, rows["/B"].over)
    assert.equal(6, rows["/B"].held_back)
    assert.matches("most_reclaimed holds back 6: of the 19 it holds at most 20 %",
      told(handle, "/B"), 1, true)
  end)

  it("is one slot at least", function ()
    local decision = two({ most_reclaimed = 1 }, 100, 19)
    assert.same({ B = { 1, A = 1 } }, case.reclaims(decision))
  end)
end)

describe("reclaim_interval", function ()
  it("spares whom slots were taken from less long ago", function ()
    local options = { reclaim_interval = 60 }
    local decision, rows, handle = two(options, 100, 15, { B = { reclaimed_at = 941 } })
    assert.same({}, decision.reclaims)
    assert.equal(5, rows["/B"].held_back)
    assert.matches("reclaim_interval holds back 5: it gave slots back at 941",
      told(handle, "/B"), 1, true)
    decision = two(options, 100, 15, { B = { reclaimed_at = 940 } })
    assert.same({ B = { 5, A = 5 } }, case.reclaims(decision))
    decision = two(options, 100, 15)
    assert.same({ B = { 5, A = 5 } }, case.reclaims(decision))
  end)
end)

describe("claim_delay", function ()
  local options = { claim_delay = 30 }

  it("makes a claimant wait, and says since when it has", function ()
    local decision, rows, handle = two(options, 100, 15)
    assert.same({}, decision.reclaims)
    assert.equal(5, rows["/A"].deficit)
    assert.equal(1000, rows["/A"].waiting_since)
    assert.is_nil(rows["/B"].waiting_since)
    assert.matches("claim_delay holds back its claim until it has waited for 30 s",
      told(handle, "/A"), 1, true)
  end)

  it("is over once the state says that it waited so long", function ()
    local decision = two(options, 100, 15, { A = { waiting_since = 971 } })
    assert.same({}, decision.reclaims)
    decision = two(options, 100, 15, { A = { waiting_since = 970 } })
    assert.same({ B = { 5, A = 5 } }, case.reclaims(decision))
  end)

  it("does not keep idle slots from it (C-5)", function ()
    local short = plan { slots = 20, options = options, { "A", owned = 10 }, { "B", owned = 10 } }
    local decision = engine.cycle(short, state { A = { 9, 2 }, B = { 100, 15 } })
    assert.same({ A = 3 }, case.grants(decision))
    assert.same({}, decision.reclaims)
  end)
end)

describe("damping", function ()
  it("gives way where a limit would be broken (C-6)", function ()
    -- The group shrank to 12: 20 are held, 8 must go whatever is let be.
    local short = plan {
      slots = 20, options = { dead_zone = 100 }, { "A", owned = 10 }, { "B", owned = 10 },
    }
    local now = state { slots = 12, A = { 100, 8 }, B = { 100, 12 } }
    local decision = engine.cycle(short, now)
    assert.same({ A = { 2 }, B = { 6 } }, case.reclaims(decision))
    for _, reclaim in ipairs(decision.reclaims) do
      assert.equal("over-size", reclaim.why.code)
    end
  end)

  it("does not let a parent's limit be broken from outside (C-6)", function ()
    -- /P may hold 10 and does; its /P/b lacks 3 that /P/a is let to keep, so /Q gives nothing.
    local short = plan {
      slots = 20, options = { most_reclaimed = 1 },
      { "P", limit = 10, { "a", owned = 5 }, { "b", owned = 5 } },
      { "Q", { "c", owned = 1 }, { "d", owned = 9 } },
    }
    local now = state {
      slots = 20, ["P/a"] = { 100, 8 }, ["P/b"] = { 100, 2 }, ["Q/c"] = { 100, 10 },
    }
    local decision = engine.cycle(short, now)
    assert.same({ ["P/a"] = { 1, ["P/b"] = 1 } }, case.reclaims(decision))
    assert.equal(3, case.by_path(decision.groups.default)["/P"].deficit)
  end)

  it("is told of parents too", function ()
    local short = plan {
      slots = 20, options = { dead_zone = 4 }, { "A", owned = 10 },
      { "P", { "x", owned = 5 }, { "y", owned = 5 } },
    }
    local now = state { slots = 20, A = { 100, 2 }, ["P/x"] = { 100, 9 }, ["P/y"] = { 100, 9 } }
    local rows = case.by_path(engine.cycle(short, now).groups.default)
    assert.equal(8, rows["/P"].over)
    assert.equal(8, rows["/P"].held_back)
    assert.equal(0, rows["/P"].reclaimed)
  end)

  it("knows its options", function ()
    local allot = require "allot"
    local made, _, report = allot.plan [[{"consumers": [], "options": {"dead_zon": 3}}]]
    assert.is_nil(made)
    assert.matches("dead_zone", report[1].message .. (report[1].hint or ""))
    made = allot.plan [[{"consumers": [], "options": {"most_reclaimed": 0}}]]
    assert.is_nil(made)
  end)

  it("knows times by group, as seconds or text", function ()
    local short = plan {
      options = { reclaim_interval = 60 }, groups = { x = { slots = 20 }, y = { slots = 20 } },
      { "A", owned = 10 }, { "B", owned = 10 },
    }
    local now = { now = "1970-01-01T00:16:40Z", consumers = {
      ["/A"] = { demand = { x = 10, y = 10 }, allocated = { x = 5, y = 5 } },
      ["/B"] = { demand = { x = 20, y = 20 }, allocated = { x = 15, y = 15 },
        reclaimed_at = { x = "1970-01-01T00:16:00Z" } },
    } }
    local decision = engine.cycle(short, now)
    assert.same({}, case.reclaims(decision, "x"))
    assert.same({ B = { 5, A = 5 } }, case.reclaims(decision, "y"))
  end)
end)

--- Random cases with random damping; some leaves gave back or waited before.
local function damped(seed)
  local made = gen.tree(seed)
  local random = require "allot.check.random".new(seed)
  local options = made.plan.options or {}
  made.plan.options = options
  if random:once_in(2) then options.dead_zone = random:int(0, 5) end
  if random:once_in(2) then options.most_reclaimed = random:int(1, 100) end
  if random:once_in(2) then options.reclaim_interval = 60 end
  if random:once_in(2) then options.claim_delay = 60 end
  local keys = {}
  for path in pairs(made.state.consumers or {}) do keys[#keys + 1] = path end
  table.sort(keys)
  for _, path in ipairs(keys) do
    local row = made.state.consumers[path]
    if type(row.allocated) ~= "table" then
      if random:once_in(3) then row.reclaimed_at = made.state.now - random:int(0, 120) end
      if random:once_in(3) then row.waiting_since = made.state.now - random:int(0, 120) end
    end
  end
  return made
end

--- The same plan without damping.
local function plainly(it)
  local options, copy = {}, {}
  for key, value in pairs(it.plan) do copy[key] = value end
  for key, value in pairs(it.plan.options) do options[key] = value end
  options.dead_zone, options.most_reclaimed, options.claim_delay = nil, nil, nil
  options.reclaim_interval = nil
  copy.options = options
  return copy
end

describe("random damping", function ()
  property("takes from each what it may, and no more than is held back less", { runs = 400 },
    function (it)
      for _, group in pairs(engine.cycle(it.plan, it.state).groups) do
        for _, row in ipairs(group.consumers) do
          local label = row.path .. " "
          assert.is_true(row.held_back >= 0, label .. "held_back")
          assert.is_true(row.reclaimed + row.held_back <= row.over, label .. "over")
        end
      end
    end, damped)

  property("changes neither quotas nor grants, nor what is over and lacking", { runs = 300 },
    function (it)
      local with, without = engine.cycle(it.plan, it.state), engine.cycle(plainly(it), it.state)
      for name, group in pairs(with.groups) do
        local rows = case.by_path(without.groups[name])
        for _, row in ipairs(group.consumers) do
          for _, field in ipairs { "quota", "granted", "held", "over", "deficit" } do
            assert.equal(rows[row.path][field], row[field], row.path .. " " .. field)
          end
        end
      end
      assert.same(without.grants, with.grants)
    end, damped)

  property("breaks no limit that is kept without it, and holds every group's size", { runs = 400 },
    function (it)
      local function beyond(decision)
        local out = {}
        for name, group in pairs(decision.groups) do
          local sum = {}
          local function add(path, slots)
            sum[""] = (sum[""] or 0) + slots
            for at in path:gmatch "()/" do
              local above = path:sub(1, at - 1)
              if above ~= "" then sum[above] = (sum[above] or 0) + slots end
            end
            sum[path] = (sum[path] or 0) + slots
          end
          local inner = {}
          for _, row in ipairs(group.consumers) do inner[row.path:match "^(.*)/[^/]+$"] = true end
          for _, row in ipairs(group.consumers) do
            if not inner[row.path] then
              add(row.path, row.allocated - row.in_flight + row.received + row.earmarked
                - row.reclaimed)
            end
          end
          for _, reclaim in ipairs(decision.reclaims) do
            for _, claim in ipairs(reclaim.group == name and reclaim["for"] or {}) do
              add(claim.consumer, claim.slots)
            end
          end
          out[name] = sum
        end
        return out
      end
      local with = beyond(engine.cycle(it.plan, it.state))
      local without = beyond(engine.cycle(plainly(it), it.state))
      local function limits(list, path, check)
        for _, node in ipairs(list) do
          if node.children and node.limit then check(path .. "/" .. node.name, node.limit) end
          limits(node.children or {}, path .. "/" .. node.name, check)
        end
      end
      for name, sums in pairs(with) do
        limits(it.plan.consumers, "", function (path, limit)
          local override = it.plan.groups and it.plan.groups[name].consumers
          if not (override and override[path] and override[path].limit) then
            local most = math.max(limit, without[name][path] or 0)
            assert.is_true((sums[path] or 0) <= most, path .. " in " .. name)
          end
        end)
      end
    end, damped)
end)
