-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Booleans are booleans wherever a policy's Lua sees them, and one that is taken for a number is
--- told by name.

local allot = require "allot"
local engine = require "spec.support.cases.engine"
local fixture = require "allot.fixture"
local json = require "dkjson"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"

local function site(fields)
  return 'return policy { name = "site",\n' .. fields .. "\n}"
end

local function plan_of(source, plan)
  plan.policy = "site.lua"
  return allot.plan(json.encode(plan), {
    file = "plan.json", policies = { ["site.lua"] = source },
  })
end

local function decide(source, plan, state)
  local sealed = assert(plan_of(source, plan))
  return allot.cycle(sealed, assert(allot.state(sealed, json.encode(state))))
end

local function quotas(source, plan, state)
  local out = {}
  local decision = json.decode(assert(decide(source, plan, state)):json())
  for _, row in ipairs(decision.groups.default.consumers) do
    out[row.path] = row.quota
  end
  return out
end

local TWO = { slots = 30, consumers = { { name = "a", vip = true }, { name = "b", vip = false } } }
local WANT = { now = 0, consumers = { ["/a"] = { demand = 30 }, ["/b"] = { demand = 30 } } }
local VIP = 'attributes = { vip = { type = "boolean" } },\n'

describe("what is true or false", function ()
  it("of consumers' attributes is so to a function", function ()
    assert.same({ ["/a"] = 20, ["/b"] = 10 }, quotas(site(VIP
      .. 'quota = { fill "x" { by = function (vip) return vip and 2 or 1 end } },'), TWO, WANT))
    assert.same({ ["/a"] = 10, ["/b"] = 20 }, quotas(site(VIP
      .. 'quota = { fill "x" { by = function (vip) return vip == true and 1 or 2 end } },'), TWO,
      WANT))
  end)

  it("is so in a row", function ()
    assert.same({ ["/a"] = 10, ["/b"] = 20 }, quotas(site(VIP
      .. 'quota = { fill "x" { by = function (row) return row.vip and 1 or 2 end } },'), TWO, WANT))
  end)

  it("by default is the default", function ()
    local source = site([[attributes = {
      on = { type = "boolean", default = true }, off = { type = "boolean" } },
    quota = { fill "x" { by = function (on, off)
      return type(on) == "boolean" and type(off) == "boolean" and on and not off and 1 or 0
    end } },]])
    assert.same({ ["/a"] = 15, ["/b"] = 15 }, quotas(source,
      { slots = 30, consumers = { { name = "a" }, { name = "b" } } }, WANT))
  end)

  it("of the plan's own columns, exclusive and rebalance, is so", function ()
    local plan = { slots = 30,
      consumers = { { name = "a", rebalance = false }, { name = "b", exclusive = true } } }
    assert.same({ ["/a"] = 10, ["/b"] = 20 }, quotas(site([[quota = { fill "x" {
      by = function (exclusive, rebalance) return exclusive and rebalance and 2 or 1 end } },]]),
      plan, WANT))
  end)

  it("of tasks, tags too, is so to guards and keys", function ()
    local source = site([[like = "hybrid",
      task_attributes = { pinned = { type = "boolean" }, gold = { type = "tag" } },
      victims = order { function (gold) return gold and 1 or 0 end, "ran" },
      guards = { guard "pin" (function (pinned) return not pinned end) },]])
    local function gone(tasks)
      local list = {}
      for i, task in ipairs(tasks) do
        task.id, task.consumer, task.started = "t" .. i, "/b", i
        list[i] = task
      end
      local made = decide(source, { slots = #tasks, consumers = {
        { name = "a", owned = 1 }, { name = "b" } } },
        { now = 100, consumers = { ["/a"] = { demand = 1 } }, tasks = list })
      return json.decode(assert(made):json()).reclaims[1].tasks
    end
    assert.same({ "t2" }, gone { { pinned = true }, { pinned = false } })
    assert.same({ "t1" }, gone { { tags = { "bronze" } }, { tags = { "gold" } } })
    assert.same({ "t2" }, gone { { tags = { "gold" } }, {} })
  end)

  it("as a key puts false first", function ()
    local plan = { slots = 10, consumers = TWO.consumers }
    for key, first in pairs { ['"vip"'] = "/b", ['desc "vip"'] = "/a" } do
      local got = quotas(site(VIP .. 'quota = { fill "x" { order = order { ' .. key .. " } } },"),
        plan, WANT)
      assert.equal(10, got[first])
    end
  end)

  it("of queues is so to a relation", function ()
    local source = site [[preempts = function (high, low)
      return high.preemptive and not low.preemptive end,]]
    local plan = plan_of(source, { hosts = { h = { slots = 1 } }, queues = {
      { name = "low", priority = 9 }, { name = "high", priority = 1, preemption = "PREEMPTIVE" },
    } })
    local state = { now = 10, jobs = {
      { id = "1", queue = "low", state = "running", slots = 1, hosts = { h = 1 }, started = 1,
        submitted = 1, user = "u" },
      { id = "2", queue = "high", state = "pending", slots = 1, submitted = 2, user = "u" } } }
    local decision = json.decode(assert(allot.cycle(plan,
      assert(allot.state(plan, json.encode(state))))):json())
    assert.equal("1", decision.suspends[1].job)
  end)

  it("in a property's case and a fixture is so", function ()
    local case = fixture("[] a{vip=true} b{vip=false}: a wants 3, b wants 3, a holds 0", site(VIP
      .. 'quota = { fill "x" { by = function (vip) return vip and 1 or 0 end } },'))
    assert.equal(true, case.plan.consumers[1].vip)
    local policy = assert(require "allot.core".policy(site(VIP
      .. 'quota = { fill "x" {} },\nproperties = { property "p" (function (case) '
      .. "return case.plan.consumers[1].vip == true and case.plan.consumers[2].vip == false "
      .. "end) },")))
    assert.is_true(policy:judge(1, { plan = case.plan }))
    for _, it in ipairs(policy:declared().attributes) do assert.equal(false, it.default) end
  end)
end)

local function fault(source)
  local plan, _, report = plan_of(source, { slots = 3, consumers = { { name = "a" } } })
  assert.is_nil(plan)
  return report[1]
end

describe("taken for a number is told, by name and line,", function ()
  local function quota_of(body)
    return site(VIP .. 'quota = { fill "x" { by = function (vip, owned)\n' .. body .. "\nend } },")
  end
  local NAMED = "'vip' is true or false, and no number"

  for _, body in ipairs {
    "return vip == 1 and 2 or 3", "if vip ~= 0 then return 1 end return 2",
    "return 1 == vip and 2 or 3", "return (vip == -1) and 2 or 3", "return vip < 1 and 1 or 2",
    "return owned * vip", "return vip + 1", "return math.max(owned, vip == 1 and 2 or 0)",
    "local f = function () return vip == 1 end return f() and 1 or 2",
    "return (-vip)", "return owned >= vip and 1 or 2",
  } do
    it("in " .. body, function ()
      local found = fault(quota_of(body))
      assert.matches(NAMED, found.message, 1, true)
      assert.equal(4, found.line)
    end)
  end

  it("in a row", function ()
    local found = fault(site(VIP .. [[quota = { fill "x" { by = function (row)
      local most = row.owned
      return row.vip == 1 and most or 0 end } },]]))
    assert.matches(NAMED, found.message, 1, true)
    assert.equal(5, found.line)
  end)

  it("in a guard, a key and a relation", function ()
    assert.matches("'pinned' is true or false", fault(site [[like = "hybrid",
      task_attributes = { pinned = { type = "boolean" } },
      guards = { guard "pin" (function (pinned) return pinned == 0 end) },]]).message)
    assert.matches("'gold' is true or false", fault(site [[like = "hybrid",
      task_attributes = { gold = { type = "tag" } },
      victims = order { function (ran, gold) return ran - gold end },]]).message)
    local plan, _, report = plan_of(site [[preempts = function (high, low)
      return low.preemptable == 1 end,]], { hosts = { h = { slots = 1 } },
      queues = { { name = "q" } } })
    assert.is_nil(plan)
    assert.matches("'preemptable' is true or false", report[1].message)
  end)

  it("where a column stands for an amount", function ()
    for _, word in ipairs { "by", "up_to" } do
      assert.matches(word .. ' = "vip" is true or false',
        fault(site(VIP .. 'quota = { fill "x" { ' .. word .. ' = "vip" } },')).message)
    end
    assert.matches('value = "pinned" is true or false', fault(site [[like = "hybrid",
      task_attributes = { pinned = { type = "boolean" } },
      guards = { guard "pin" { value = "pinned", max = 0 } },]]).message)
  end)

  it("when it runs, where the text does not tell", function ()
    local _, _, report = decide(quota_of "return math.max(vip, 1)", TWO, WANT)
    assert.equal("E-policy-run", report[1].code)
    assert.equal("'vip' is true or false, and no number", report[1].hint)
    _, _, report = decide(quota_of "return vip", TWO, WANT)
    assert.matches("returned a boolean, not a whole number", report[1].message)
    assert.equal("'vip' is true or false, and no number", report[1].hint)
    _, _, report = decide(site [[like = "hybrid",
      requirements = { big = function (memory, gpu) return memory > gpu end },]],
      { hosts = { h = { slots = 1, gpu = true, memory = 4 } },
        consumers = { { name = "a", requires = "big" } } },
      { now = 0, consumers = { ["/a"] = { demand = 1 } } })
    assert.equal("'gpu' is true or false, and no number", report[1].hint)
  end)

  for _, body in ipairs {
    "return vip and 1 or 2", "return vip == true and 1 or 0", "return not vip and 1 or 2",
    "vip = vip and 1 or 0 return vip == 1 and 3 or 4", "return (vip and 1 or 0) + owned",
    "for vip = 1, 3 do if vip == 2 then return vip end end",
    "local t = { vip = 1 } return t.vip + 1 --[==[ vip == 1 ]==]",
    "local s = \"vip == 1\" -- vip + 1\nreturn #s",
    "local function f(vip) return vip == 1 and 1 or 0 end return f(owned)",
    "return owned + 1 == 2 and vip and 1 or 2",
  } do
    it("but not in " .. body, function ()
      assert(plan_of(quota_of(body), { slots = 3, consumers = { { name = "a" } } }))
    end)
  end
end)

-- The same policy with whole numbers, 0 and 1, in place of booleans: it decides the same.
local BOTH = [[
return policy { name = "both",
  attributes = { vip = { type = "%s", %s }, lent = { type = "%s", %s } },
  quota = {
    fill "owned" { by = "owned",
      up_to = function (owned, vip) return %s and owned or owned // 2 end },
    fill "more" { by = function (row) return %s and 3 or 1 end, order = order { desc "lent" } },
  },
  distribute = order { "vip", "rank" },
  reclaim = fill { by = "over", order = order { desc(function (lent) return %s and 1 or 0 end) } },
}
]]
local FLAGS = BOTH:format("boolean", "default = true", "boolean", "", "vip", "row.lent", "lent")
local NUMBERS = BOTH:format("integer", "default = 1", "integer", "", "vip == 1", "row.lent == 1",
  "lent == 1")

local function make(seed)
  local rng = random.new(seed)
  local plan, rows = { slots = rng:int(5, 40), consumers = {}, policy = "site.lua" }, {}
  for i = 1, rng:int(2, 6) do
    local name = "c" .. i
    plan.consumers[i] = { name = name, owned = rng:int(0, 8), rank = rng:int(0, 3) }
    for _, key in ipairs { "vip", "lent" } do
      if rng:once_in(2) then plan.consumers[i][key] = rng:once_in(2) end
    end
    rows["/" .. name] = { demand = rng:int(0, 20), allocated = rng:int(0, plan.slots // 6) }
  end
  return { plan = plan, state = { now = 0, consumers = rows } }
end

local function numbered(plan)
  local out = { slots = plan.slots, policy = plan.policy, consumers = {} }
  for i, node in ipairs(plan.consumers) do
    out.consumers[i] = {}
    for key, value in pairs(node) do
      if type(value) == "boolean" then value = value and 1 or 0 end
      out.consumers[i][key] = value
    end
  end
  return out
end

describe("what is true or false", function ()
  property("decides as 1 and 0 do", { runs = 2000 }, function (case)
    local flags = engine.cycle(case.plan, case.state, nil, FLAGS)
    local numbers = engine.cycle(numbered(case.plan), case.state, nil, NUMBERS)
    assert.same(numbers.groups, flags.groups)
    assert.same(numbers.grants, flags.grants)
    assert.same(numbers.reclaims, flags.reclaims)
  end, make)
end)
