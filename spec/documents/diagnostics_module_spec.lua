-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the module `allot.core` says of wrong use, and of what fails: those faults that other specs
--- have no use for; and what is said of policies that fail while they run.

local core = require "allot.core"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

local PLAN = '{"version": 1, "policy": "x", "slots": 4, "consumers": [{"name": "alpha"}]}'
local STATE = '{"now": 0, "consumers": {"/alpha": {"demand": 1}}}'
local SOUND = 'return policy { name = "x", quota = { fill "a" {} } }'

local function plan_of(text, options)
  options = options or {}
  options.policies = { x = text or SOUND }
  return assert(core.plan(PLAN, options))
end

local function raises(expected, f, ...)
  local fine, message = pcall(f, ...)
  assert.is_false(fine)
  assert.truthy(tostring(message):find(expected, 1, true), message)
  heard(message)
end

describe("wrong use of the module", function ()
  it("raises", function ()
    local plan, other = plan_of(), plan_of()
    local state = assert(core.state(plan, STATE))
    raises("it is the state of another plan", core.cycle, other, state)
    raises("unknown option 'fil'; known are file", core.plan, PLAN, { fil = 1 })
    raises("option file is a string, not a number", core.plan, PLAN, { file = 1 })
    raises("option policies is a table, not a number", core.plan, PLAN, { policies = 1 })
    raises("option policies is a table of policy texts by name", core.plan, PLAN,
      { policies = { x = 1 } })
    raises("option instead is a string, not a table", core.plan, PLAN,
      { policies = { x = SOUND }, instead = {} })
    raises("option log is a function, not a number", core.plan, PLAN,
      { policies = { x = SOUND }, log = 1 })
    raises("option indent is a number from 0 to 16", core.encode, 1, { indent = 17 })
    raises("a policy's option is a number, a boolean or a text, not a table", core.policy, SOUND,
      { options = { a = {} } })
    local deep = assert(core.policy [[
local t = {}
for _ = 1, 150 do t = { t } end
return { kind = "policy", name = "x", quota = { { kind = "fill", label = "a", by = 1, x = t } } }
]])
    raises("the policy's table is too deep", deep.declared, deep)
    local many = {}
    for i = 1, 100 do many["o" .. i] = i end
    raises("options is a table by name, of ", core.policy, SOUND, { options = many })
    local closing <close> = plan_of()
    local gone = closing
    do local _ <close> = gone end
    raises("it is closed", gone.consumers, gone)
  end)

  it("is told of what cannot be explained", function ()
    local plan = plan_of()
    local decision = assert(core.cycle(plan, assert(core.state(plan, STATE))))
    assert.equal("there is no consumer /alhpa; did you mean /alpha?",
      select(2, decision:explain "/alhpa"))
    assert.equal("there is no consumer /zzzzzzzzz", select(2, decision:explain "/zzzzzzzzz"))
    assert.equal("there is no group g", select(2, decision:explain("/alpha", "g")))
  end)

  it("is told of what is no value of JSON", function ()
    local deep, round = {}, {}
    for _ = 1, 1100 do deep = { deep } end
    round[1] = round
    for expected, value in pairs {
      ["and this is a mixture"] = { 1, a = 2 },
      ["a key that is no text; the keys of an object are texts"] = { [true] = 1 },
      ["tables nest deeper than 1000 levels"] = deep,
      ["a table that is inside itself"] = round,
      ["a number that is infinite or none (NaN)"] = 1 / 0,
      ["a function, which is no value of JSON"] = print,
    } do
      local text, message = core.encode(value)
      assert.is_nil(text)
      assert.truthy(message:find(expected, 1, true), message)
    end
    local list = core.list {}
    list.a = 1
    assert.truthy(select(2, core.encode(list)):find("a list that has other keys", 1, true)
      or select(2, core.encode(list)):find("mixture", 1, true))
    assert.truthy(select(2, core.encode({ 1, 2 }, { most = 1 }))
      :find("a text of more bytes than are allowed", 1, true))
  end)
end)

describe("what policies say", function ()
  it("is cut short where it is a flood", function ()
    local told = {}
    local text = "for i = 1, 200 do print(i) end " .. SOUND
    plan_of(text, { log = function (_, line) told[#told + 1] = line end })
    assert.equal("(100 more lines were left out)", told[#told])
  end)
end)

describe("a policy that fails while it runs", function ()
  local function failure(policy)
    local plan = plan_of(policy)
    local state = assert(core.state(plan, STATE))
    local decision, message = core.cycle(plan, state)
    assert.is_nil(decision)
    return message
  end

  it("is told of a row that is kept", function ()
    assert.truthy(failure [[
local kept = {}
return policy {
  name = "x",
  quota = {
    fill { by = function (row) kept.row = row return 1 end },
    fill { by = function (demand) return demand + kept.row.demand end },
  },
}]]:find("a row can only be read while its function runs", 1, true))
  end)

  it("is told of a lease's side that is kept", function ()
    local plan = assert(core.plan('{"version": 1, "policy": "x", "slots": 4, "queues": '
      .. '[{"name": "q"}], "leases": [{"name": "c", "provider": "P", "consumer": "C", '
      .. '"slots": 2}]}', { policies = { x = [[
local kept
return policy {
  name = "x",
  lease = function (provider) kept = provider end,
  dispatch = order { function (slots) return kept and slots + kept.idle or slots end },
}]] } }))
    local state = assert(core.state(plan, '{"now": 10000, "leases": {"c": {"since": 0, "provider": '
      .. '{"available": 1, "used": 0}, "consumer": {"available": 1, "used": 0}}}, "jobs": '
      .. '[{"id": "1", "queue": "q"}, {"id": "2", "queue": "q"}]}'))
    local _, message = core.cycle(plan, state)
    assert.truthy(tostring(message):find("a lease's side can only be read while its function runs",
      1, true), message)
  end)

  it("is told of a column that comes later, and of one that is written", function ()
    local text = 'return policy { name = "x", quota = { fill { by = function (row) %s end } } }'
    assert.truthy(failure(text:format "return row.over")
      :find("column 'over' is not known yet at this stage", 1, true))
    assert.truthy(failure(text:format "row.demand = 1 return 1")
      :find("is only read; it cannot be changed", 1, true))
    assert.truthy(failure(text:format "return -1"):find("allowed is 0 ... 1000000000", 1, true)
      or failure(text:format "return -1"):find("-1", 1, true))
  end)
end)

describe("the command", function ()
  it("is told of time zones that are nowhere", function ()
    local at = shell.directory()
    shell.write(at .. "/p.json", '{"version": 1, "slots": 1, "consumers": [{"name": "a"}], '
      .. '"windows": [{"from": "08:00", "to": "09:00", "timezone": "Europe/Berlin"}]}')
    local _, _, err = shell.run(("TZDIR=/nowhere %s check %s/p.json"):format(shell.allot, at))
    assert.truthy(err:find("and the system has no time zone data", 1, true), err)
    assert.truthy(err:find("install the package tzdata, or set TZDIR", 1, true), err)
    shell.remove(at)
  end)

  it("is told of too many words", function ()
    local _, _, err = shell.run(("%s import %s"):format(shell.allot, ("x "):rep(70)))
    assert.truthy(err:find("import reads at most 64 files", 1, true), err)
  end)

  it("is told of tasks and jobs that are not there", function ()
    local _, _, err = shell.run(shell.allot .. " explain examples/first/plan.json "
      .. "examples/first/state.json t17")
    assert.truthy(err:find("the state has no task t17", 1, true), err)
  end)

  it("is told of contracts that are not there", function ()
    local _, _, err = shell.run(shell.allot .. " explain examples/leases/plan.json "
      .. "examples/leases/state.json qqq")
    assert.truthy(err:find("and the plan has no lease of that name", 1, true), err)
  end)

  it("is told of a plan that would be read twice", function ()
    local _, _, err = shell.run(shell.allot .. " simulate --policy hybrid --policy ownership - "
      .. "examples/first/plan.json examples/log/sample.swf </dev/null")
    assert.truthy(err:find("a plan on standard input can be read only once", 1, true), err)
  end)

  it("is told of an option that comes too often", function ()
    local _, _, err = shell.run(shell.allot .. " simulate" .. (" --policy x"):rep(33) .. " a b")
    assert.truthy(err:find("--policy comes at most 32 times", 1, true), err)
  end)

  it("is told of an option without its word", function ()
    local _, _, err = shell.run(shell.allot .. " run --color")
    assert.truthy(err:find("--color needs auto|always|never", 1, true), err)
  end)
end)
