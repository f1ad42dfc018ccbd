-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Tasks, sessions and hosts in documents, and what a policy says of them.

local allot = require "allot"
local json = require "dkjson"

local SITE = [[
return policy {
  name = "site",
  task_attributes = {
    cost = { type = "integer", default = 5, max = 100 },
    until_saved = { type = "integer", default = none },
    nightly = { type = "boolean" },
    gold = { type = "tag" },
  },
  quota = { fill "all" { by = 1 } },
  victims = order {
    "importance", desc "cost", function (ran, gold) return gold and 0 or -ran end,
    desc(function (task) return task.started end),
  },
  guards = {
    min_run_time(60), max_preemptions(3), spare_tagged "inter-active", spare_tagged "gold",
    guard "cheap" { value = "cost", max = 50 },
    guard "cost by time" { value = function (cost, ran) return cost * ran end, min = -1 },
    guard "long" (function (ran) return ran > 5 end),
  },
  sessions = {
    minimum = { fill { by = "minimum", up_to = "minimum" }, fill { by = "priority" } },
    priority = { fill { order = order { desc "priority", "created" } } },
  },
  requirements = {
    big = function (memory, os) return (memory or 0) >= 64 and os == "linux" end,
    named = function (name, slots, group) return name .. slots .. group == "h24default" end,
  },
}]]

local HOSTS = [["hosts": {
  "h1": {"slots": 4, "memory": 128, "os": "linux"},
  "h2": {"slots": 4, "memory": 32, "os": "linux", "gpu": true, "ghz": 2.5, "rack": null}}]]

local function plan_of(source, more)
  return allot.plan(([[{"policy": "site.lua",
    "consumers": [{"name": "A"}, {"name": "B"}]%s}]]):format(more or ""), {
    file = "plan.json", policies = { ["site.lua"] = source },
  })
end

local function state_of(tasks, more)
  return ([[{"now": 1000, "slots": 9,
"tasks": [%s]%s}]]):format(tasks, more or "")
end

local function decision_of(state)
  local plan = assert(plan_of(SITE))
  return json.decode(assert(allot.cycle(plan, assert(allot.state(plan, state)))):json())
end

local function allocated(tasks, more)
  return decision_of(state_of(tasks, more)).groups.default.consumers[1].allocated
end

describe("a slot", function ()
  it("that several tasks share counts once", function ()
    assert.equal(2, allocated [[
      {"id": "a", "consumer": "/A", "host": "h", "slot": 1},
      {"id": "b", "consumer": "/A", "host": "h", "slot": "1"},
      {"id": "c", "consumer": "/A", "host": "h", "slot": 2}]])
  end)

  it("is another on another host, or of another consumer", function ()
    assert.equal(2, allocated [[
      {"id": "a", "consumer": "/A", "host": "h", "slot": 1},
      {"id": "b", "consumer": "/B", "host": "h", "slot": 1},
      {"id": "c", "consumer": "/A", "host": "i", "slot": 1}]])
  end)

  it("without a name is the task's own", function ()
    assert.equal(2, allocated [[
      {"id": "a", "consumer": "/A", "host": "h"},
      {"id": "b", "consumer": "/A", "host": "h", "slot": null}]])
  end)

  it("that is several counts as the task of most", function ()
    assert.equal(3, allocated [[
      {"id": "a", "consumer": "/A", "slot": "x", "slots": 2},
      {"id": "b", "consumer": "/A", "slot": "x", "slots": 3}]])
  end)

  it("counts once too where allocated is checked against tasks", function ()
    assert.equal(1, allocated([[
      {"id": "a", "consumer": "/A", "slot": "x"},
      {"id": "b", "consumer": "/A", "slot": "x"}]],
      [[, "consumers": {"/A": {"allocated": 1}}]]))
  end)
end)

describe("tasks and sessions", function ()
  it("are read with all that they may say", function ()
    assert.equal(4, allocated([[
      {"id": "a", "consumer": "/A", "session": "s", "tags": ["gold", "odd one"], "cost": 100,
       "nightly": true, "until_saved": null, "preempted": 2, "slots": 4,
       "started": "1970-01-01T00:00:10Z", "submitted": 5}]],
      [[, "sessions": [
      {"id": "s", "consumer": "/A", "priority": 10000, "preemption_rank": 3, "created": 7,
       "scheduling": "minimum", "minimum": 2, "demand": 9},
      {"id": "t", "consumer": "/B", "group": "default", "created": null, "demand": null,
       "scheduling": "priority"}],
      "hosts": {"h1": {"slots": 4, "load": 0.75, "exclusive_to": "/A"},
                "h2": {"slots": 4, "load": null, "exclusive_to": null}}]]))
  end)

  it("may begin with one that states nothing but an attribute", function ()
    assert.equal(1, allocated [[{"id": "a", "consumer": "/A", "cost": 100}]])
  end)
end)

--- Tasks, more of the state, and the finding: code, words, line.
local FAULTS = {
  { '{"id": "a", "consumer": "/A", "cost": 101}', nil, "E-range", "101.*0 %.%.%. 100", 2 },
  { '{"id": "a", "consumer": "/A", "cst": 1}', nil, "E-unknown-key", "cst", 2, "cost" },
  { '{"id": "a", "consumer": "/A", "gold": 1}', nil, "E-unknown-key", "gold", 2 },
  { '{"id": "a", "consumer": "/A", "nightly": 1}', nil, "E-type", "true or false", 2 },
  { '{"id": "a", "consumer": "/A", "preempted": -1}', nil, "E-range", "%-1", 2 },
  { '{"id": "a", "consumer": "/A", "tags": [3]}', nil, "E-type", "3, allowed a string", 2 },
  { '{"id": "a", "consumer": "/A", "session": "s"}',
    ',\n"sessions": [{"id": "s", "consumer": "/B"}]', "E-session", "another consumer's", 2 },
  { "", ',\n"sessions": [{"id": "s", "consumer": "/B", "priority": 0}]', "E-range",
    "1 %.%.%. 10000", 3 },
  { "", ',\n"sessions": [{"id": "s", "consumer": "/B", "scheduling": "prioritty"}]', "E-range",
    "prioritty.*proportional", 3, "priority" },
  { "", ',"sessions": [\n{"id": "s", "consumer": "/B"},\n{"id": "s", "consumer": "/A"}]',
    "E-duplicate-id", "session", 4 },
  { "", ',"sessions": [\n{"id": "s", "consumer": "/B"},\n'
    .. '{"id": "t", "consumer": "/B", "scheduling": "minimum"}]',
    "E-scheduling", "t scheduled by minimum, allowed proportional", 4 },
  { "", ',\n"hosts": {"h": {"slots": 1, "load": -1}}', "E-range", "%-1", 3 },
  { "", ',\n"hosts": {"h": {"slots": 1, "load": 1e7}}', "E-range", "0 ... 1000000", 3 },
  { "", ',\n"hosts": {"h": {"slots": 1, "load": 1000000.5}}', "E-range", "1000000%.5", 3 },
  { "", ',\n"hosts": {"h": {"slots": 1, "exclusive_to": "/a"}}', "E-unknown-path", "/a", 3, "/A" },
}

describe("a state is refused, with the place, for", function ()
  for _, fault in ipairs(FAULTS) do
    it(fault[1] .. (fault[2] or ""):gsub("\n", " "), function ()
      local none, _, report = allot.state(assert(plan_of(SITE)), state_of(fault[1], fault[2]))
      assert.is_nil(none)
      assert.equal(fault[3], report[1].code)
      assert.matches(fault[4], report[1].message)
      assert.equal(fault[5], report[1].line)
      assert.matches(fault[6] or "", report[1].hint or "")
    end)
  end
end)

it("a session that nobody told of is a warning where others are told of", function ()
  local tasks = '{"id": "a", "consumer": "/A", "session": "t"}'
  assert.same({}, decision_of(state_of(tasks)).warnings)
  local told = ', "sessions": [{"id": "s", "consumer": "/%s"}]'
  assert.same({}, decision_of(state_of(tasks, told:format "B")).warnings)
  local warnings = decision_of(state_of(tasks, told:format "A")).warnings
  assert.equal("W-session", warnings[1].code)
  assert.equal("tasks[0].session", warnings[1].path)
end)

it("a decision says what each session deserves", function ()
  local decision = decision_of(state_of([[
    {"id": "a", "consumer": "/A", "session": "s", "slots": 2}]], [[,
    "consumers": {"/A": {"demand": 6}}, "sessions": [
    {"id": "s", "consumer": "/A", "demand": 9}, {"id": "t", "consumer": "/A", "priority": 2}] ]]))
  local function of(id, need, quota, held)
    return {
      id = id, group = "default", consumer = "/A", need = need, quota = quota, allocated = held,
    }
  end
  -- s says what it demands, t wants all that /A does; 6 slots in 1:2
  assert.same({ of("s", 9, 2, 2), of("t", 6, 4, 0) }, decision.sessions)
end)

describe("a requirement on hosts", function ()
  --- Slots of /A by host when it requires that, and what was said.
  local function placed(source, requires)
    local plan, message, report = allot.plan(([[{"policy": "site.lua",
      "consumers": [{"name": "A", "requires": "%s"}, {"name": "B"}], %s}]]):format(requires, HOSTS),
      { file = "plan.json", policies = { ["site.lua"] = source } })
    if not plan then return nil, message, report end
    local state = assert(allot.state(plan, '{"now": 0, "consumers": {"/A": {"demand": 3}}}'))
    local decision, failure, found = allot.cycle(plan, state)
    if not decision then return nil, failure, found end
    return json.decode(decision:json()).grants[1].hosts
  end

  it("reads attributes by the names of its parameters", function ()
    assert.same({ h1 = 3 }, placed(SITE, "big"))
  end)

  it("reads what every host has", function ()
    assert.same({ h2 = 3 }, placed(SITE, "named"))
  end)

  it("reads what only some state as nil, and booleans", function ()
    local source = SITE:gsub("big = function.-end,", "big = function (gpu) return gpu == true end,")
    assert.same({ h2 = 3 }, placed(source, "big"))
  end)

  it("reads numbers with a fraction, and null as nil", function ()
    local source = SITE:gsub("big = function.-end,",
      "big = function (ghz, rack) return ghz == 2.5 and rack == nil end,")
    assert.same({ h2 = 3 }, placed(source, "big"))
  end)

  it("that fails tells the line and the host", function ()
    local source = SITE:gsub("big = function.-end,", "big = function (gpu) return gpu > 1 end,")
    local _, _, report = placed(source, "big")
    assert.equal("E-policy-run", report[1].code)
    assert.equal("host h1", report[1].path)
    assert.equal(25, report[1].line) -- of the source, where the function begins
  end)

  it("that gives no yes or no is told", function ()
    local source = SITE:gsub("big = function.-end,", "big = function (memory) return memory end,")
    local _, _, report = placed(source, "big")
    assert.matches("number, not true or false", report[1].message)
  end)

  it("that the policy does not have is told at the consumer", function ()
    local _, _, report = placed(SITE, "bigger")
    assert.equal("E-requires", report[1].code)
    assert.equal("it has \"big\", \"named\"", report[1].hint)
    _, _, report = placed(SITE, "bif")
    assert.equal("did you mean \"big\"?", report[1].hint)
    assert.equal(2, report[1].line)
  end)
end)

--- What the policy says instead of a line of SITE, and words of the message.
local BROKEN = {
  { "desc \"cost\"", "desc \"owned\"", "owned' is a column of consumers.*about tasks" },
  { "desc \"cost\"", "desc \"minimum\"", "minimum' is a column of sessions.*about tasks" },
  { "desc \"cost\"", "desc \"csot\"", "csot.*cost" },
  { "desc \"cost\"", "3", "key 2" },
  { "%(ran, gold%)", "(rna, gold)", "rna.*ran" },
  { "%(ran, gold%)", "(ran, owned)", "owned' is a column of consumers" },
  { "min_run_time%(60%)", "min_run_time(-1)", "min_run_time needs a whole number" },
  { "max_preemptions%(3%)", "max_preemptions(1.5)", "max_preemptions needs a whole number" },
  { "spare_tagged \"gold\"", "spare_tagged \"g o\"", "spare_tagged needs a tag" },
  { "spare_tagged \"gold\"", "spare_tagged \"ran\"", "tag 'ran' has the name of a column" },
  { "spare_tagged \"gold\"", "spare_tagged \"cost\"", "task attribute \"cost\"" },
  { "\"cheap\" {.-}", "\"cheap\" { value = \"cost\" }", "a min or a max" },
  { "\"cheap\" {.-}", "\"cheap\" { value = \"cost\", mx = 3 }", "mx.*max" },
  { "\"cheap\" {.-}", "\"cheap\" { value = \"cost\", max = 1.5 }", "max is a whole number" },
  { "\"cheap\" {.-}", "\"cheap\" { value = \"cost\", min = 2, max = 1 }", "min is above max" },
  { "\"cheap\" {.-}", "\"cheap\" { value = 3, max = 1 }", "value is a number" },
  { "\"cheap\"", "\"long\"", "two guards are called 'long'" },
  { "\"cheap\"", "(3)", "a guard's label" },
  { "min_run_time%(60%)", "60", "guards%[1%] is no guard" },
  { "minimum = {.-}, fill", "minimum = { fill { by = \"rank\" }, fill",
    "rank' is a column of consumers.*about sessions" },
  { "by = \"priority\"", "by = \"created\"", "created.*no amount" },
  { "priority = { fill", "prio = { fill", "prio" },
  { "big = function.-end,", "big = 3,", "requirement 'big' is a function" },
  { "big = function.-end,", "big = function (...) return true end,", "%.%.%." },
  { "cost = { type", "ran = { type", "task attribute 'ran'" },
  { "cost = { type", "id = { type", "task attribute 'id'" },
  { "gold = { type = \"tag\" }", "gold = { type = \"tag\", min = 1 }", "a tag has no min" },
}

describe("a policy does not load because of", function ()
  for _, broken in ipairs(BROKEN) do
    it(broken[2], function ()
      local source, count = SITE:gsub(broken[1], (broken[2]:gsub("%%", "%%%%")), 1)
      assert.equal(1, count)
      local plan, _, report = plan_of(source)
      assert.is_nil(plan)
      assert.equal("site.lua", report[1].file)
      assert.matches(broken[3], report[1].message)
    end)
  end
end)

it("two policies of a plan may not declare an attribute of tasks otherwise", function ()
  local other = SITE:gsub("max = 100", "max = 99"):gsub('"site"', '"other"')
  local plan, _, report = allot.plan([[{"policy": "site.lua",
    "consumers": [{"name": "A", "policy": "other.lua"}, {"name": "B"}]}]], {
    file = "plan.json", policies = { ["site.lua"] = SITE, ["other.lua"] = other },
  })
  assert.is_nil(plan)
  assert.equal("E-policy", report[1].code)
end)

it("rules about tasks may depend on options", function ()
  local source = SITE:gsub("quota =", [[
  options = { spare = { type = "boolean" } },
  quota =]]):gsub("guards = {", [[
  guards = function (options)
    return options.spare and { spare_tagged "vip" } or { min_run_time(1) }
  end,
  requirements_ = {]])
  source = source:gsub("requirements_ = {.-\n  },\n", "")
  assert(plan_of(source))
  local broken = source:gsub("min_run_time%(1%)", "3")
  local plan, _, report = plan_of(broken)
  assert.is_nil(plan)
  assert.matches("guards%[1%] is no guard", report[1].message)
end)
