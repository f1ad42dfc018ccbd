-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Documents of whole tasks (C-13): what tasks of a state say, what is refused, what is decided.

local allot = require "allot"
local core = require "allot.core"
local json = require "dkjson"

local ONE = [[{"policy": "hybrid", "consumers": [{"name": "a", "owned": 6}, {"name": "b",
  "owned": 4}]}]]
local TWO = [[{"policy": "hybrid", "consumers": [{"name": "a"}, {"name": "b"}], "groups": {
  "cpu": {"slots": 8, "consumers": {"/a": {"owned": 8}}},
  "gpu": {"slots": 2, "consumers": {"/a": {"owned": 2}}}}, "hosts": {"h": {"slots": 8,
  "group": "cpu"}}}]]

local function state_of(plan, tasks, more)
  local sealed = assert(core.plan(plan))
  return sealed, core.state(sealed, ('{"now": 9, %s"tasks": [%s]}'):format(more or "", tasks))
end

local function decided(plan, tasks, more)
  local sealed, state, message = state_of(plan, tasks, more)
  assert(state, message)
  return json.decode(assert(allot.cycle(sealed, state)):json()), state
end

local function fault(plan, tasks)
  local _, state, message = state_of(plan, tasks)
  assert.is_nil(state)
  return message
end

describe("a task of a state", function ()
  it("that waits is in its leaf's demand, and not in what is allocated (C-13)", function ()
    local row = decided(ONE, [[{"id": "r", "consumer": "/a", "slots": 2},
      {"id": "p", "consumer": "/a", "slots": 3, "state": "pending"}]]).groups.default.consumers[1]
    assert.same({ 5, 2 }, { row.demand, row.allocated })
  end)

  it("leaves a demand that is stated as it is, 0 too (C-13)", function ()
    local row = decided(ONE, [[{"id": "r", "consumer": "/a", "slots": 2}]],
      [["consumers": {"/a": {"demand": 0}}, ]]).groups.default.consumers[1]
    assert.same({ 0, 2 }, { row.demand, row.allocated })
  end)

  it("has slots of several groups (C-13)", function ()
    local groups = decided(TWO, [[{"id": "m", "consumer": "/a", "slots": {"cpu": 4, "gpu": 1}}]])
      .groups
    assert.same({ 4, 1 }, { groups.cpu.consumers[1].allocated, groups.gpu.consumers[1].allocated })
  end)

  it("has its host in the group that has that host", function ()
    assert.truthy((decided(TWO, [[{"id": "m", "consumer": "/a", "host": "h",
      "slots": {"gpu": 1, "cpu": 4}}]])))
    assert.matches('found no slots of "cpu" in it, which is the task\'s group',
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {"gpu": 1}, "host": "h"}]]), 1, true)
    assert.matches('found no slots of "gpu" in it, which is the task\'s group',
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {"cpu": 1}, "group": "gpu"}]]), 1, true)
  end)

  it("that waits is nowhere yet", function ()
    assert.matches('found "pending" beside a host: a task that waits is nowhere yet',
      fault(ONE, [[{"id": "p", "consumer": "/a", "state": "pending", "host": "h"}]]), 1, true)
    assert.matches('found "pending" beside a slot: a task that waits is nowhere yet',
      fault(ONE, [[{"id": "p", "consumer": "/a", "state": "pending", "slot": 3}]]), 1, true)
  end)

  it("of several groups shares no slot", function ()
    assert.matches('found slots by group beside a "slot": such a task shares none',
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {"cpu": 1}, "slot": "s"}]]), 1, true)
  end)

  it("is of slots and groups that there are", function ()
    assert.matches("found {}, allowed slots of at least one group",
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {}}]]), 1, true)
    assert.matches('found the unknown group "gpus"',
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {"gpus": 1}}]]), 1, true)
    assert.matches("found the number 0, allowed an integer 1 ... 1000000000",
      fault(TWO, [[{"id": "m", "consumer": "/a", "slots": {"gpu": 0}}]]), 1, true)
    assert.matches('found "waiting", allowed "running" or "pending"',
      fault(ONE, [[{"id": "m", "consumer": "/a", "state": "waiting"}]]), 1, true)
  end)

  it("is written as it was read (C-13)", function ()
    local tasks = [[{"id":"p","consumer":"/a","slots":{"cpu":4,"gpu":2},"group":"cpu",
      "state":"pending","priority":3}]]
    local _, state = decided(TWO, tasks)
    assert.truthy((state:json():gsub("%s", "")):find((tasks:gsub("%s", "")), 1, true))
  end)
end)

describe("a decision about whole tasks", function ()
  it("names those that start with each grant, and what is held for the next (C-13)", function ()
    local decision = decided(ONE, [[{"id": "p1", "consumer": "/a", "slots": 1, "state": "pending"},
      {"id": "p2", "consumer": "/a", "slots": 5, "state": "pending", "submitted": 1}]],
      [["consumers": {"/b": {"demand": 8, "allocated": 8}}, ]])
    local grant, row = decision.grants[1], decision.groups.default.consumers[1]
    assert.same({ "/a", 1, { "p1" } }, { grant.consumer, grant.slots, grant.tasks })
    assert.same({ 6, 1, 1 }, { row.quota, row.granted, row.held })
  end)

  it("labels what was left and made a task whole (C-13)", function ()
    local plan = [[{"policy": "hybrid", "consumers": [{"name": "a", "owned": 4, "rank": 2},
      {"name": "b", "owned": 4}, {"name": "c", "owned": 4}]}]]
    local row = decided(plan, [[{"id": "a", "consumer": "/a", "slots": 5, "state": "pending"},
      {"id": "b", "consumer": "/b", "slots": 7, "state": "pending"},
      {"id": "c", "consumer": "/c", "slots": 6, "state": "pending"}]]).groups.default.consumers[1]
    assert.same({ 5, 5 }, { row.parts.whole, row.quota })
  end)

  it("has the demand of a group as the state does, whatever tasks can use (C-13)", function ()
    local group = decided(ONE, [[{"id": "p", "consumer": "/a", "slots": 11, "state": "pending"},
      {"id": "q", "consumer": "/b", "slots": 3, "state": "pending"}]]).groups.default
    assert.same({ 14, 0, 3 }, { group.demand, group.consumers[1].quota, group.consumers[2].quota })
  end)

  it("goes by the option `pending` (C-13)", function ()
    local tasks = [[{"id": "p1", "consumer": "/a", "slots": 8, "state": "pending"},
      {"id": "p2", "consumer": "/a", "slots": 3, "state": "pending", "submitted": 1}]]
    local more = [["consumers": {"/b": {"demand": 4, "allocated": 4}}, ]]
    local skip = ONE:gsub('"policy"', '"options": {"pending": "skip"}, "policy"', 1)
    assert.equal(0, #decided(ONE, tasks, more).grants)
    assert.same({ "p2" }, decided(skip, tasks, more).grants[1].tasks)
    local _, message = core.plan((skip:gsub('"skip"', '"some"')))
    assert.matches('found "some", allowed "strict" or "skip"', message, 1, true)
  end)
end)
