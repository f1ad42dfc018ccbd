-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A reclaim from its order to the return of its slots (E-31, E-32, E-34, A-77, A-80).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"
local random_of = require("allot.check.random").new

local plan, state = case.plan, case.state

local function codes(decision)
  local out = {}
  for i, warning in ipairs(decision.warnings) do out[i] = warning.code end
  return out
end

--- /A owns 10 of 20, /B 10; /C, ranked first, owns nothing. /B's tasks hold 2 slots each.
local function short(more)
  local made = plan {
    slots = 20, { "A", owned = 10 }, { "B", owned = 10, grace = 60 }, { "C", rank = 0 },
  }
  made.consumers[1].rank, made.consumers[2].rank = 1, 1
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function tasks(...)
  local out = {}
  for i, id in ipairs { ... } do out[i] = { id = id, consumer = "/B", slots = 2 } end
  return out
end

--- The state `seconds` after the order at 1000: tasks that are still there.
local function after(seconds, there, demand_c)
  local now = state { now = 1000 + seconds, A = { 10, 6 }, C = { demand_c or 0, 0 } }
  now.tasks = there[1] and there
  now.consumers["/B"] = { demand = 100, allocated = 10 + 2 * #there }
  now.reclaims = {
    { id = "r1", consumer = "/B", slots = 4, tasks = { "t1", "t2" }, deadline = 1060,
      ["for"] = { { consumer = "/A", slots = 4 } } },
  }
  return now
end

describe("a reclaim", function ()
  it("is ordered with its deadline, once", function ()
    local now = state { now = 1000, A = { 10, 6 }, B = { 100, 14 } }
    local reclaim = engine.cycle(short(), now).reclaims[1]
    assert.equal(60, reclaim.grace)
    assert.equal(1060, reclaim.deadline)
    local decision = engine.cycle(short(), after(0, tasks("t1", "t2")))
    assert.same({}, decision.reclaims)
    assert.equal(4, case.by_path(decision.groups.default)["/B"].in_flight)
    assert.equal(4, case.by_path(decision.groups.default)["/A"].earmarked)
  end)

  -- By a clock that counts whole seconds 1000 may be 1000.9 already: until 1060 it is less than 60.
  it("gives no task less than its grace by a clock that is rounded down (E-31)", function ()
    local made = short()
    for grace, deadline in pairs { [60] = 1061, [1] = 1002, [0] = 1000 } do
      made.consumers[2].grace = grace
      local now = state { now = 1000, A = { 10, 6 }, B = { 100, 14 } }
      now.now_rounded = true
      local reclaim = engine.cycle(made, now).reclaims[1]
      assert.same({ grace, deadline }, { reclaim.grace, reclaim.deadline })
      now.now_rounded = false
      assert.equal(1000 + grace, engine.cycle(made, now).reclaims[1].deadline)
    end
  end)

  it("leaves its tasks the time of grace (E-32)", function ()
    local flight = engine.cycle(short(), after(59, tasks("t1", "t2"))).flights[1]
    assert.equal("interrupted", flight.phase)
    assert.equal(1, flight.left)
    assert.equal(0, flight.returned)
    assert.equal("r1", flight.id)
  end)

  it("whose task ends early frees its slots at once, for its claimant (E-32)", function ()
    local decision, handle = engine.cycle(short(), after(10, tasks "t2", 100))
    assert.matches("2 of what it receives came back from reclaims for it",
      table.concat(handle:explain "/A", "\n"), 1, true)
    assert.same({ A = 2 }, case.grants(decision)) -- though /C is ranked before it
    assert.same({}, decision.reclaims)
    assert.equal(2, decision.flights[1].returned)
    local rows = case.by_path(decision.groups.default)
    assert.equal(2, rows["/B"].in_flight)
    assert.equal(2, rows["/A"].earmarked)
  end)

  it("kills and requeues what is still there at the deadline", function ()
    local decision = engine.cycle(short(), after(60, tasks("t1", "t2")))
    assert.equal("leeway", decision.flights[1].phase)
    assert.equal(120, decision.flights[1].left)
    local ids = {}
    for i, kill in ipairs(decision.kills) do
      ids[i] = kill.task
      assert.equal("r1", kill.reclaim)
      assert.same({ code = "grace-over", deadline = 1060 }, kill.why)
    end
    assert.same({ "t1", "t2" }, ids)
    assert.same({}, codes(decision))
  end)

  it("has a leeway for its slots to return, and is reported behind it (E-31)", function ()
    local decision = engine.cycle(short(), after(179, tasks "t1"))
    assert.equal("leeway", decision.flights[1].phase)
    assert.equal(1, decision.flights[1].left)
    decision = engine.cycle(short(), after(180, tasks "t1"))
    assert.equal("overdue", decision.flights[1].phase)
    assert.equal(0, decision.flights[1].left)
    assert.equal(1, #decision.kills)
    assert.same({ "W-leeway" }, codes(decision))
    assert.matches("reclaim r1: 2 of its 4 slots are not back 120 s after the deadline, "
      .. "and the leeway is 120 s", decision.warnings[1].message, 1, true)
    decision = engine.cycle(short { options = { leeway = 300 } }, after(180, tasks "t1"))
    assert.equal("leeway", decision.flights[1].phase)
    assert.equal(180, decision.flights[1].left)
  end)

  it("holds nothing of tasks that are gone, so that nothing is said of it", function ()
    local now = after(10, {})
    now.consumers["/B"].allocated = 1
    assert.same({}, codes(engine.cycle(short(), now)))
    now.reclaims[1].tasks = nil -- now it may hold them
    assert.same({ "W-in-flight" }, codes(engine.cycle(short(), now)))
  end)

  it("is over when all its tasks are gone", function ()
    local decision = engine.cycle(short(), after(500, {}, 100))
    assert.equal("returned", decision.flights[1].phase)
    assert.equal(4, decision.flights[1].returned)
    assert.same({ A = 4 }, case.grants(decision))
    assert.same({}, decision.kills)
  end)

  it("without tasks holds its slots as long as the state tells of it", function ()
    local now = after(500, {})
    now.consumers["/B"].allocated = 14
    now.reclaims[1].tasks = nil
    local decision = engine.cycle(short(), now)
    assert.equal("overdue", decision.flights[1].phase)
    assert.equal(0, decision.flights[1].returned)
    assert.same({}, decision.kills)
    now.reclaims[1].deadline = nil -- not known: never over
    decision = engine.cycle(short(), now)
    assert.equal("interrupted", decision.flights[1].phase)
    assert.is_nil(decision.flights[1].left)
  end)

  it("holds a slot that several tasks share until the last is gone", function ()
    local shared = {
      { id = "t1", consumer = "/B", host = "h", slot = 1 },
      { id = "t2", consumer = "/B", host = "h", slot = 1 },
    }
    local now = after(1, {})
    now.reclaims[1].slots = 1
    now.reclaims[1]["for"] = nil
    now.tasks = shared
    assert.equal(0, engine.cycle(short(), now).flights[1].returned)
    now.tasks = { shared[2] }
    assert.equal(0, engine.cycle(short(), now).flights[1].returned)
    now.tasks = nil
    assert.equal(1, engine.cycle(short(), now).flights[1].returned)
  end)

  it("takes all that its tasks hold along, so that no other has to go for that (C-8)", function ()
    local now = state { now = 1000, A = { 10, 6 }, B = { 12, 14 } }
    now.tasks = {
      { id = "t1", consumer = "/B", slots = 5 }, { id = "t2", consumer = "/B", slots = 9 },
    }
    now.reclaims = { { id = "r", consumer = "/B", slots = 1, tasks = { "t1" } } }
    local decision = engine.cycle(short(), now)
    assert.equal(5, case.by_path(decision.groups.default)["/B"].in_flight)
    assert.same({}, decision.reclaims)
  end)

  it("names tasks of its own consumer", function ()
    local allot = require "allot"
    local document = require "spec.support.cases.document"
    local now = after(1, tasks("t1", "t2"))
    now.tasks[2].consumer = "/A"
    local made, _, report = allot.state(engine.sealed(short()), document.encode(now))
    assert.is_nil(made)
    assert.equal("E-reclaim-task", report[1].code)
    assert.matches("t2", report[1].message, 1, true)
  end)
end)

describe("the time of grace", function ()
  local function tree(option)
    return plan {
      slots = 30, options = { ancestor_grace = option },
      { "P", grace = 300, { "a", owned = 10 }, { "b", owned = 10, grace = 7 } },
      { "Q", owned = 10 },
    }
  end
  -- /P/b is over by 10 and owes 4 to its sibling, 6 to another branch.
  local now = state { now = 100, ["P/a"] = { 10, 6 }, ["P/b"] = { 30, 20 }, Q = { 10, 4 } }

  it("is the leaf's own (E-31)", function ()
    local decision = engine.cycle(tree(false), now)
    assert.equal(1, #decision.reclaims)
    assert.equal(7, decision.reclaims[1].grace)
    assert.equal(10, decision.reclaims[1].slots)
  end)

  it("is the closest common ancestor's where a site says so (A-77)", function ()
    local decision = engine.cycle(tree(true), now)
    local found = {}
    for _, reclaim in ipairs(decision.reclaims) do
      assert.equal("/P/b", reclaim.consumer)
      assert.equal(1, #reclaim["for"])
      found[reclaim["for"][1].consumer] = { reclaim.slots, reclaim.grace, reclaim.deadline }
    end
    assert.same({ ["/P/a"] = { 4, 300, 400 }, ["/Q"] = { 6, 7, 107 } }, found)
  end)
end)

--- A random case without limits, one cycle on: reclaims are in flight with a task each; some of
--- those are gone, and everybody demands something else.
local function under_way(seed)
  local made = gen.tree(seed)
  local random = random_of(seed)
  local function strip(list)
    for _, node in ipairs(list) do
      node.limit = nil
      strip(node.children or {})
    end
  end
  strip(made.plan.consumers)
  for _, group in pairs(made.plan.groups or {}) do
    for _, columns in pairs(group.consumers or {}) do columns.limit = nil end
  end
  made.state.reclaims = nil
  local decision = engine.cycle(made.plan, made.state)
  local rows = made.state.consumers or {}
  made.state.tasks, made.state.reclaims = {}, {}
  for i, reclaim in ipairs(decision.reclaims) do
    local row = rows[reclaim.consumer]
    local id = "x" .. i
    local claims = reclaim["for"]
    made.state.reclaims[i] = {
      id = "r" .. i, group = reclaim.group, consumer = reclaim.consumer, slots = reclaim.slots,
      tasks = { id }, ["for"] = claims[1] and claims or nil,
    }
    if random:once_in(2) then
      table.insert(made.state.tasks, {
        id = id, group = reclaim.group, consumer = reclaim.consumer, slots = reclaim.slots,
      })
    elseif type(row.allocated) == "table" then
      row.allocated[reclaim.group] = row.allocated[reclaim.group] - reclaim.slots
    else
      row.allocated = row.allocated - reclaim.slots
    end
  end
  local paths = {}
  for path in pairs(rows) do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    if type(rows[path].demand) == "number" and random:once_in(2) then
      rows[path].demand = random:int(0, 50)
    end
  end
  if not made.state.tasks[1] then made.state.tasks = nil end
  if not made.state.reclaims[1] then made.state.reclaims = nil end
  return made
end

describe("slots that come back", function ()
  property("never go to a second claimant", { runs = 400, valid = engine.valid }, function (it)
    local decision = engine.cycle(it.plan, it.state)
    local there = {}
    for _, task in ipairs(it.state.tasks or {}) do there[task.id] = true end
    for name, group in pairs(decision.groups) do
      local rows, pledged, sum = case.by_path(group), {}, 0
      for _, reclaim in ipairs(it.state.reclaims or {}) do
        if (reclaim.group or "default") == name and not there[reclaim.tasks[1]] then
          for _, claim in ipairs(reclaim["for"] or {}) do
            pledged[claim.consumer] = (pledged[claim.consumer] or 0) + claim.slots
          end
        end
      end
      local inner = {}
      for path in pairs(rows) do inner[path:match "^(.*)/[^/]+$"] = true end
      for path, slots in pairs(pledged) do
        pledged[path] = inner[path] and 0
          or math.min(slots, math.max(0, rows[path].quota - rows[path].allocated))
        sum = sum + pledged[path]
      end
      if sum <= group.idle then
        for path, slots in pairs(pledged) do
          assert.is_true(rows[path].received >= slots, path .. " gets what came back for it")
        end
      end
    end
  end, under_way)

  property("are counted once", { runs = 400, valid = engine.valid }, function (it)
    for name, group in pairs(engine.cycle(it.plan, it.state).groups) do
      local sum = 0
      for _, row in ipairs(group.consumers) do
        if not row.path:find("/", 2, true) then sum = sum + row.received end
        assert.is_true(row.received >= 0 and row.in_flight >= 0, row.path)
      end
      assert.equal(group.idle - group.idle_left, sum, name)
    end
  end, under_way)
end)
