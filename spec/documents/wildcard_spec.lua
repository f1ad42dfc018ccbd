-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Consumers named "*", which stand for children that a plan does not name: in documents, on the
--- command line, in explanations, simulations and the module.

local allot = require "allot"
local core = require "allot.core"
local document = require "spec.support.cases.document"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local simulation = require "spec.support.cases.simulation"

local PLAN = [[{"slots": 100, "policy": "share_ratio", "consumers": [
  {"name": "a", "share": 2, "children": [{"name": "*", "limit": 30}, {"name": "boss"}]},
  {"name": "b"}]}]]
local STATE = [[{"now": 0, "consumers": {"/a/zoe": {"demand": 50}, "/a/alice": {"demand": 50},
  "/a/boss": {"demand": 20}, "/b": {"demand": 100}}}]]

--- The decision about a state, as its document.
local function decide(plan_text, state_text, options)
  local plan = assert(allot.plan(plan_text, options))
  local state = assert(allot.state(plan, state_text))
  return assert(allot.cycle(plan, state)), state
end

--- The codes of the errors of a document that is refused.
local function codes(made, _, report)
  assert.is_nil(made)
  local out = {}
  for i, it in ipairs(report) do out[i] = it.code end
  return table.concat(out, " ")
end

local function plan_codes(consumers, more)
  return codes(allot.plan(('{"slots": 9, "policy": "hybrid", %s "consumers": %s}'):format(
    more or "", consumers)))
end

describe("a wildcard", function ()
  it("gives newcomers its values, in the order of their paths", function ()
    local decision = decide(PLAN, STATE)
    local rows = {}
    for _, row in ipairs(allot.decode(decision:json()).groups.default.consumers) do
      rows[#rows + 1] = row.path .. " " .. row.quota
    end
    assert.same({ "/a 67", "/a/* 0", "/a/boss 20", "/a/alice 24", "/a/zoe 23", "/b 33" }, rows)
  end)

  it("may stand in the first level", function ()
    local decision = decide('{"slots": 4, "policy": "share_ratio", "consumers": [{"name": "*"}]}',
      '{"now": 0, "consumers": {"/x": {"demand": 9}, "/y": {"demand": 1}}}')
    local rows = allot.decode(decision:json()).groups.default.consumers
    assert.same({ "/*", "/x", "/y" }, { rows[1].path, rows[2].path, rows[3].path })
    assert.same({ 0, 3, 1 }, { rows[1].quota, rows[2].quota, rows[3].quota })
  end)

  it("states other values in groups and windows", function ()
    local plan = [[{"policy": "share_ratio", "consumers": [{"name": "a",
      "children": [{"name": "*", "limit": 7}]}],
      "groups": {"cpu": {"slots": 50}, "gpu": {"slots": 50,
        "consumers": {"/a/*": {"limit": 2}}}},
      "windows": [{"from": "00:00", "to": "12:00", "group": "cpu",
        "consumers": {"/a/*": {"limit": 3}}}]}]]
    local function quotas(now)
      local decision = decide(plan, ('{"now": %d, "consumers": {"/a/x": {"demand": {"cpu": 50, '
        .. '"gpu": 50}}}}'):format(now))
      local groups = allot.decode(decision:json()).groups
      return { groups.cpu.consumers[3].quota, groups.gpu.consumers[3].quota }
    end
    assert.same({ 3, 2 }, quotas(3600))
    assert.same({ 7, 2 }, quotas(13 * 3600))
  end)

  it("is taken by tasks and sessions of newcomers, too", function ()
    local decision = decide(PLAN, [[{"now": 5, "sessions": [{"id": "s", "consumer": "/a/kim"}],
      "tasks": [{"id": "t", "session": "s", "consumer": "/a/kim"},
        {"id": "u", "consumer": "/a/lee"}]}]])
    local rows = allot.decode(decision:json()).groups.default.consumers
    assert.same({ "/a/kim", "/a/lee" }, { rows[4].path, rows[5].path })
  end)

  it("is no consumer of its own in a state", function ()
    local plan = assert(allot.plan(PLAN))
    assert.equal("E-wildcard",
      codes(allot.state(plan, '{"now": 0, "consumers": {"/a/*": {"demand": 1}}}')))
  end)

  it("stands neither for other levels nor for what is no name", function ()
    local plan = assert(allot.plan(PLAN))
    for _, path in ipairs { "/c", "/a/x/y", "/a/9", "/a/", "/b/x", "/boss/x" } do
      assert.equal("E-unknown-path", codes(allot.state(plan,
        ('{"now": 0, "consumers": {"/a/ok": {"demand": 1}, "%s": {"demand": 1}}}'):format(path))))
    end
  end)

  it("states nothing that only a known number of children can share", function ()
    assert.equal("E-wildcard", plan_codes '[{"name": "*", "owned": 1}]')
    assert.equal("E-wildcard", plan_codes '[{"name": "*", "children": [{"name": "x"}]}]')
    assert.equal("E-wildcard", plan_codes '[{"name": "*", "policy": "share_ratio"}]')
    assert.equal("E-reserve E-wildcard", plan_codes '[{"name": "*", "reserve": 1}]')
    assert.truthy(plan_codes('[{"name": "a"}, {"name": "*", "lend": true}]',
      '"options": {},'):find "E%-wildcard")
    assert.truthy(plan_codes('[{"name": "a"}, {"name": "*", "borrow": ["/a"]}]',
      '"options": {},'):find "E%-wildcard")
    assert.equal("E-duplicate-path", plan_codes '[{"name": "*"}, {"name": "*"}]')
    assert.equal("E-wildcard", plan_codes('[{"name": "*"}]',
      '"windows": [{"from": "08:00", "to": "09:00", "consumers": {"/*": {"owned": 2}}}],'))
  end)
end)

describe("newcomers of a state", function ()
  it("belong to the state that names them", function ()
    local plan = assert(allot.plan(PLAN))
    local one = assert(allot.state(plan, '{"now": 0, "consumers": {"/a/kim": {"demand": 1}}}'))
    local two = assert(allot.state(plan, '{"now": 0, "consumers": {"/a/lee": {"demand": 1}}}'))
    assert.truthy(assert(allot.cycle(plan, one)):json():find("/a/kim", 1, true))
    assert.falsy(assert(allot.cycle(plan, two)):json():find("/a/kim", 1, true))
    assert.equal(5, #plan:consumers() + 1)
  end)

  it("stay after a decision is carried out", function ()
    local decision = decide(PLAN, STATE)
    local after = decision:apply()
    assert.truthy(after:json():find("/a/zoe", 1, true))
  end)

  it("are read with the plan's own policies and log function", function ()
    local lines = {}
    local policy = 'print "loaded"\n' .. core.ready "share_ratio"
    local plan = assert(allot.plan((PLAN:gsub('"share_ratio"', '"p.lua"')), {
      policies = { ["p.lua"] = policy },
      log = function (_, text) lines[#lines + 1] = text end,
    }))
    local state = assert(allot.state(plan, STATE))
    assert.truthy(assert(allot.cycle(plan, state)):json():find("/a/zoe", 1, true))
    assert.same({ "loaded", "loaded" }, lines)
  end)
end)

describe("the command", function ()
  it("checks, explains and compares", function ()
    local at = shell.directory()
    shell.write(at .. "/plan.json", PLAN)
    shell.write(at .. "/state.json", STATE)
    local function command(words)
      local status, out, err = shell.run(("here=$PWD; cd %s && $here/%s %s"):format(at, shell.allot,
        words))
      assert.equal("", err)
      assert.equal(0, status)
      return out
    end
    local out = command "explain plan.json state.json /a/alice"
    assert.truthy(out:find("its limit is 30", 1, true), out)
    assert.truthy(out:find("as /a/* states", 1, true), out)
    out = command "diff plan.json plan.json state.json"
    assert.truthy(out:find("no difference", 1, true), out)
    assert.truthy(command "check plan.json":find("hold:", 1, true))
    shell.remove(at)
  end)

  it("simulates jobs of newcomers, by name and by map", function ()
    local log = simulation.swf(1, 0, 10, 4, 1, 1) .. simulation.swf(2, 4, 10, 2, 2, 1)
    local plan = [[{"slots": 4, "policy": "share_ratio", "consumers": [
      {"name": "g1", "children": [{"name": "*"}]}]}]]
    local run = simulation.of(plan, log)
    assert.equal(1, simulation.consumer(run, "/g1/u1").jobs)
    assert.equal(1, simulation.consumer(run, "/g1/u2").jobs)
    local map = 'return function (job) return { consumer = "/g1/x" .. job.user } end'
    run = simulation.of(plan, log, "--map map.lua", { ["map.lua"] = map })
    assert.equal(1, simulation.consumer(run, "/g1/x2").jobs)
    local wild = map:gsub('x" .. job.user', '*"')
    local files = { ["plan.json"] = plan, log = log, ["map.lua"] = wild }
    local status, _, err = simulation.run(files, "plan.json log --map map.lua")
    assert.equal(3, status)
    assert.truthy(err:find("/g1/* stands for others", 1, true), err)
  end)
end)

describe("random plans", function ()
  local function copy_of(value)
    if type(value) ~= "table" then return value end
    local out = setmetatable({}, getmetatable(value))
    for key, inner in pairs(value) do out[key] = copy_of(inner) end
    return out
  end

  --- Adds wildcards and newcomers to a case: the case with them written out instead.
  local function grow(case, seed)
    local random = Random.new(seed)
    local state = case.state
    state.consumers = state.consumers or {}
    local written = copy_of(case.plan)
    local function visit(list, twin, path)
      for i, node in ipairs(list) do
        if node.children then visit(node.children, twin[i].children, path .. "/" .. node.name) end
      end
      if path ~= "" and random:once_in(3) then return end
      local values = {
        share = random:int(1, 9), rank = random:once_in(2) and random:int(0, 3) or nil,
        limit = random:once_in(3) and random:int(0, 50) or nil,
      }
      local function named(name)
        return { name = name, share = values.share, rank = values.rank, limit = values.limit }
      end
      list[#list + 1] = named "*"
      twin[#twin + 1] = named "*"
      for i = 1, random:int(0, 4) do
        local name = "new" .. i
        twin[#twin + 1] = named(name)
        local demand = random:int(0, 60)
        if case.plan.groups then
          demand = {}
          for group in pairs(case.plan.groups) do demand[group] = random:int(0, 60) end
        end
        state.consumers[path .. "/" .. name] = { demand = demand }
      end
    end
    visit(case.plan.consumers, written.consumers, "")
    return written
  end

  property("decide as if newcomers were written out", { runs = 400 }, function (case)
    local copy = copy_of(case)
    local written = grow(copy, #document.encode(case))
    local options = { policies = { ["site.lua"] = case.policy } }
    local state = document.encode(copy.state)
    local function decided(plan) -- warnings have other places
      return (decide(document.encode(plan), state, options):json():gsub('"warnings": %b[]', ""))
    end
    assert.equal(decided(written), decided(copy.plan))
  end, gen.tree)
end)
