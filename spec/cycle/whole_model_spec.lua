-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The model of whole tasks (C-13) is itself held to numbers computed by hand, and to what the rule
--- says of itself, on random trees with tasks that come and go.

local gen_whole = require "spec.support.cases.gen_whole"
local play = require "spec.support.model.whole.play"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local tasks = require "spec.support.model.whole.tasks"
local told = require "spec.support.model.whole.told"
local vectors = require "spec.support.model.whole.vectors"
local victims = require "spec.support.model.victims"
local watch = require "spec.support.model.whole.watch"
local whole = require "spec.support.model.whole"

local function judge(expect, plan, decision)
  assert.same(told.expected(expect, plan), told.groups(decision))
  assert.equal(expect.passes, decision.passes, "passes")
end

describe("the model of whole tasks", function ()
  for _, vector in ipairs(vectors) do
    it(vector.title .. " (C-13)", function ()
      local state = vector.state
      local decision = whole.cycle(vector.plan, state)
      judge(vector.expect, vector.plan, decision)
      if vector.next then
        state = play.after(state, decision)
        judge(vector.next, vector.plan, whole.cycle(vector.plan, state))
      end
    end)
  end
end)

local NOW = 1000

--- A leaf all of whose tasks run, and so many slots that it comes down to.
local function leaf_case(seed)
  local rng, list, sum = random.new(seed), {}, 0
  for i = 1, rng:int(1, 9) do
    list[i] = { id = "t" .. i, consumer = "/A", slots = rng:int(1, 6) }
    list[i].started, sum = NOW - rng:int(1, 3), sum + list[i].slots
  end
  local state = { now = NOW, tasks = list }
  return { plan = { consumers = { { name = "A" } } }, state = state, quota = rng:int(0, sum) }
end

local function same_victims(case)
  local leaf = tasks.read(case.state, { "default" }).default["/A"]
  local units, sum, goes = {}, 0, {}
  for i, task in ipairs(case.state.tasks) do
    units[i] = { id = task.id, slots = task.slots, ran = NOW - task.started }
    sum = sum + task.slots
  end
  for _, unit in ipairs((victims.pick(units, tasks.KEYS, sum - case.quota))) do
    goes[#goes + 1] = unit.id
  end
  local use, waits = tasks.uses(leaf, { default = case.quota }, true), {}
  for i, task in ipairs(use.waits) do waits[#use.waits + 1 - i] = task.id end
  assert.same(goes, waits)
end

local function complete(case)
  for _, task in ipairs(case.state.tasks or {}) do
    if not task.slots or not task.started then return false end
  end
  return case.state.tasks ~= nil and case.state.now == NOW and case.plan.consumers[1].name == "A"
end

describe("the model of whole tasks, on random trees,", function ()
  property("keeps those that C-8 does not take", { runs = 1000, valid = complete }, same_victims,
    leaf_case)

  property("keeps what C-13 says of itself", { runs = 1000 }, function (it)
    watch.lives(it, function (state) return whole.cycle(it.plan, state) end)
  end, gen_whole.case)
end)
