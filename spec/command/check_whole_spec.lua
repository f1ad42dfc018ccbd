-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `allot check` looks for where tasks start whole or not at all (C-13): decisions that keep
--- it, and the same ones spoilt.

local case = require "spec.support.cases.case"
local core = require "allot.core"
local invariants = require "allot.check.invariants"
local Random = require "allot.check.random"
local Run = require "allot.check.run"
local Target = require "allot.check.target"
local draw = require "allot.check.draw"
local vectors = require "spec.support.model.whole.vectors"
local whole = require "allot.check.whole"
local model = require "spec.support.model.whole"

local function view_of(plan, state, decision)
  return invariants.view(plan, state, decision)
end

local function waits(id, slots, fields)
  local task = { id = id, consumer = "/A", slots = slots, state = "pending", submitted = 1 }
  for key, value in pairs(fields or {}) do task[key] = value end
  return task
end

--- What is found of a decision of the model once `spoil` changed it: path and words.
local function found(check, plan, state, spoil)
  local decision = model.cycle(plan, state)
  assert.is_nil(whole[check](view_of(plan, state, decision)))
  spoil(decision, decision.groups.default or decision.groups.cpu)
  return whole[check](view_of(plan, state, decision))
end

describe("whole tasks", function ()
  for _, vector in ipairs(vectors) do
    it("hold: " .. vector.title, function ()
      local view = view_of(vector.plan, vector.state, model.cycle(vector.plan, vector.state))
      assert.is_nil(whole.tasks_whole(view))
      assert.is_nil(whole.owners_keep(view))
    end)
  end

  it("concern states with pending tasks", function ()
    assert.is_false(whole.concerns {})
    assert.is_false(whole.concerns { tasks = { { id = "a", consumer = "/A" } } })
    assert.is_true(whole.concerns { tasks = { waits("a", 1) } })
  end)
end)

describe("a grant is found out", function ()
  local plan = case.plan { { "A", owned = 8 }, { "B", owned = 2 } }
  local function state()
    return case.state { tasks = {
      waits("a1", 4), waits("a2", 3), waits("b1", 1, { consumer = "/B" }),
      { id = "a0", consumer = "/A", slots = 1, started = 1 },
    } }
  end

  --- What is said when the first grant, to /A, is changed so.
  local function words(change)
    local path, text = found("tasks_whole", plan, state(), function (decision)
      change(decision.grants[1])
    end)
    assert.equal("/A", path)
    return text
  end

  it("that is not the slots of its tasks", function ()
    assert.equal("it gets 6 slots, but the tasks that start have 7", words(function (grant)
      grant.slots = 6
    end))
    assert.equal("it gets 7 slots, but the tasks that start have 4", words(function (grant)
      grant.tasks = { "a1" }
    end))
  end)

  it("that starts what runs, what is another's, or one twice", function ()
    assert.equal("a0 starts, which runs", words(function (grant) grant.tasks[2] = "a0" end))
    assert.equal("b1 starts, which is no task of its", words(function (grant)
      grant.tasks[2] = "b1"
    end))
    assert.equal("nobody starts, which is no task of its", words(function (grant)
      grant.tasks[2] = "nobody"
    end))
    assert.equal("a1 starts twice", words(function (grant) grant.tasks[2] = "a1" end))
  end)

  it("that starts a task in one of its groups alone", function ()
    local both = case.plan { groups = {
      cpu = { slots = 4, consumers = { ["/A"] = { owned = 4 } } },
      gpu = { slots = 1, consumers = { ["/A"] = { owned = 1 } } },
    }, { "A" } }
    local tasks = { waits("a", { cpu = 2, gpu = 1 }), waits("c", 2, { group = "cpu" }) }
    local path, text = found("tasks_whole", both, { now = 0, tasks = tasks }, function (decision)
      table.remove(decision.grants)
    end)
    assert.same({ "/A", "a starts without its slots of gpu" }, { path, text })
  end)
end)

describe("idle slots are found out", function ()
  --- What is found at rest when so many slots more were idle.
  local function idle(short, tasks, more, options)
    local plan, state = case.plan(short), case.state { tasks = tasks }
    plan.options = options
    -- who is called B has all that it wants
    if short[2] then state.consumers = { ["/B"] = { demand = 6, allocated = 6 } } end
    return found("none_idles", plan, state, function (_, group)
      group.idle_left = group.idle_left + more
    end)
  end

  it("that the next task could use", function ()
    local tasks = { waits("a1", 5), waits("a2", 2, { submitted = 2 }) }
    assert.is_nil(idle({ { "A", owned = 4 } }, tasks, 0))
    assert.same({ "/A", "a1 waits, and the slots that it lacks stay idle" },
      { idle({ { "A", owned = 4 } }, tasks, 1) })
  end)

  it("by one that is passed by, only where it is", function ()
    local tasks = { waits("a1", 9), waits("a2", 5, { submitted = 2 }) }
    assert.is_nil(idle({ { "A", owned = 4 } }, tasks, 1))
    assert.same({ "/A", "a2 waits, and the slots that it lacks stay idle" },
      { idle({ { "A", owned = 4 } }, tasks, 1, { pending = "skip" }) })
    assert.same({ "/A", "a2 waits, and the slots that it lacks stay idle" },
      { idle({ policy = { use = "hybrid", pending = "skip" }, { "A", owned = 4 } }, tasks, 1) })
  end)

  it("but not those that limits withhold", function ()
    assert.is_nil(idle({ { "A", owned = 4, limit = 4 } }, { waits("a1", 5) }, 1))
  end)

  it("with those held for the leaf, and what a parent reserves for nobody else", function ()
    local short = { { "P", owned = 4, reserve = 4, { "A" } }, { "B", owned = 6 } }
    local tasks = { waits("a1", 5, { consumer = "/P/A" }) }
    local path, text = idle(short, tasks, 1)
    assert.same({ "/P/A", "a1 waits, and the slots that it lacks stay idle" }, { path, text })
  end)

  it("but not where a task has yet to go", function ()
    local short = { { "A", owned = 4 } }
    assert.is_nil(found("none_idles", case.plan(short), case.state { tasks = { waits("a1", 5) } },
      function (_, group) group.idle_left, group.consumers[1].over = 5, 1 end))
  end)
end)

describe("a task that goes is found out", function ()
  --- What is found when /A, which owns 4 and runs so many, gives back a task.
  local function gone(runs, columns, slots)
    columns[1], columns.owned = "A", 4
    local plan = case.plan { columns, { "B", owned = 6 } }
    local tasks = { { id = "a", consumer = "/A", slots = runs, started = 1 } }
    return found("owners_keep", plan, case.state { slots = slots, tasks = tasks },
      function (decision)
        decision.reclaims = { {
          group = "default", consumer = "/A", slots = runs, tasks = { "a" }, ["for"] = {},
        } }
      end)
  end

  it("though its leaf runs within what it owns", function ()
    assert.same({ "/A", "a goes, though it runs within what it owns" }, { gone(3, {}) })
  end)

  it("but not above what it wants", function ()
    local plan = case.plan { { "A", owned = 4 }, { "B", owned = 6 } }
    local tasks = { { id = "a", consumer = "/A", slots = 3, started = 1 } }
    local state = case.state { tasks = tasks }
    state.consumers = { ["/A"] = { demand = 2 } }
    assert.is_nil(found("owners_keep", plan, state,
      function (decision)
        decision.reclaims = { {
          group = "default", consumer = "/A", slots = 1, tasks = { "a" }, ["for"] = {},
        } }
      end))
  end)

  it("but not above that, under a limit, or where what is owned is no whole number", function ()
    assert.is_nil(gone(5, {}))
    assert.is_nil(gone(3, { limit = 3 }))
    assert.is_nil(gone(3, {}, 9))
  end)
end)

--- The core starts tasks whole and hybrid keeps what it declares, so decisions are forged.
describe("allot check, where tasks wait,", function ()
  --- The words of what is broken, by its id, where every decision with a task that starts is
  --- changed by `forge(decision, groups.default)`; `stays`: none changes anything.
  local function broken(id, forge, stays)
    local function cycle(plan, state)
      local decision = core.cycle(plan, state)
      return {
        json = function () return decision:json() end,
        apply = function () return state end,
      }
    end
    local made = setmetatable({
      cycle = stays and cycle or nil,
      decode = function (text, options)
        local value = core.decode(text, options)
        for _, grant in ipairs(value.grants or {}) do
          if (grant.tasks or {})[1] then
            forge(value, value.groups.default)
            break
          end
        end
        return value
      end,
    }, { __index = core })
    local target = assert(Target.of_policy(made, core.ready "hybrid", "hybrid"))
    for _, failure in ipairs(Run.of(target, { runs = 600, seed = 1 }).failures) do
      if failure.check.id == id then return failure.text end
    end
  end

  local function nothing() end

  it("draws tasks that wait, of consumers that want what their tasks have", function ()
    local declared = assert(core.policy(core.ready "hybrid", {})):declared()
    local count = 0
    for seed = 1, 200 do
      local random = Random.new(seed)
      local site = draw.plan(random, declared, "hybrid")
      local state = draw.state(random, site)
      if not site.plan.groups then
        draw.tasks(random, state, declared)
        draw.waiting(random, state, declared)
      end
      count = count + (whole.concerns(state) and 1 or 0)
      for _, task in ipairs(whole.concerns(state) and state.tasks or {}) do
        assert.is_nil(task.session)
        if task.state then assert.is_nil(state.consumers[task.consumer].demand) end
      end
    end
    assert.is_true(count > 20)
  end)

  it("finds a grant that is not the slots of its tasks", function ()
    assert.is_nil(broken("tasks-whole", nothing))
    assert.matches("starts, which is no task of its$", broken("tasks-whole", function (decision)
      for _, grant in ipairs(decision.grants) do
        if grant.tasks then grant.tasks[1] = "nobody" end
      end
    end))
  end)

  it("finds that slots idle, where a policy declares that none does", function ()
    assert.is_nil(broken("work_conserving", nothing))
    assert.matches("waits, and the slots that it lacks stay idle$", broken("work_conserving",
      function (decision, group)
        for _, grant in ipairs(decision.grants) do
          group.idle_left = group.idle_left + grant.slots
        end
        decision.grants = {}
      end))
  end)

  it("finds that slots go to and fro", function ()
    assert.is_nil(broken("rest", nothing))
    assert.matches("cycle after cycle, for ever$", broken("rest", function (decision, group)
      decision.reclaims, decision.grants = {}, {
        { group = "default", consumer = group.consumers[1].path, slots = 0 },
      }
    end, true))
  end)
end)
