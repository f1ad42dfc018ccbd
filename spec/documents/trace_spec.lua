-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What policies print and log: run --trace, and the option `log` of core.plan.

local core = require "allot.core"
local shell = require "spec.support.house.shell"

local POLICY = [[
print("loading", nil, true)
return policy {
  name = "site",
  quota = { fill "owned" { by = function (owned)
    log("own", owned)
    return owned
  end } },
}
]]
local PLAN = '{"slots": 30, "policy": "%s", "consumers": [{"name": "A", "owned": 10}, '
  .. '{"name": "B", "owned": 5}]}'
local STATE = '{"now": 0, "consumers": {"/A": {"demand": 5}, "/B": {"demand": 2}}}'

describe("allot run --trace", function ()
  local folder, words
  setup(function ()
    folder = shell.directory()
    words = { folder .. "/plan.json", folder .. "/state.json" }
    shell.write(words[1], PLAN:format("site.lua"))
    shell.write(words[2], STATE)
  end)
  teardown(function () shell.remove(folder) end)

  local function with(policy, ...)
    shell.write(folder .. "/site.lua", policy)
    return shell.command("run", words[1], words[2], ...)
  end

  it("shows lines with their places on standard error", function ()
    local status, out, err = with(POLICY, "--trace")
    assert.equal(0, status)
    local file = folder .. "/site.lua"
    assert.equal(file .. ":1: print: loading\tnil\ttrue\n" .. file .. ":5: log: own\t10\n"
      .. file .. ":5: log: own\t5\n", err)
    assert.is_nil(out:find("loading", 1, true))
  end)

  it("shows nothing without, and nothing in the document", function ()
    local _, plain, silent = with(POLICY, "--format", "json")
    local _, traced, loud = with(POLICY, "--format", "json", "--trace")
    assert.equal("", silent)
    assert.matches("log: own", loud)
    assert.equal(plain, traced)
    assert.truthy(core.decode(traced))
  end)

  it("cuts a flood and says how much of it", function ()
    local status, _, err = with("for i = 1, 5000 do log(i) end\n" .. POLICY, "--trace")
    assert.equal(0, status)
    assert.matches(":1: log: 100\n", err)
    assert.is_nil(err:find("log: 101\n", 1, true))
    assert.matches("log: %(4901 more lines were left out%)\n", err)
    assert.matches("log: own\t10\n", err)
  end)

  it("cuts a flood of many policies, too", function ()
    local rows = {}
    for i = 1, 15 do
      rows[i] = ('{"name": "P%d", "owned": 1, "policy": "s%d.lua"}'):format(i, i)
      shell.write(("%s/s%d.lua"):format(folder, i), "for i = 1, 90 do log(i) end\n" .. POLICY)
    end
    local plan = folder .. "/many.json"
    shell.write(plan, '{"slots": 3000, "policy": "site.lua", "consumers": ['
      .. table.concat(rows, ",") .. "]}")
    shell.write(folder .. "/site.lua", POLICY)
    local line = ("echo '{\"now\": 0}' | %s run --trace %s -"):format(shell.allot, plan)
    local status, _, err = shell.run(line)
    assert.equal(0, status)
    assert.equal(1001, select(2, err:gsub("\n", "")))
    assert.matches("allot: log: %(%d+ more lines were left out%)\n$", err)
  end)

  it("makes controls and long lines harmless", function ()
    local _, _, err = with("log('a\\27[31m') log(('x'):rep(4000))\n" .. POLICY, "--trace")
    assert.matches("log: a%?%[31m\n", err)
    assert.matches("log: " .. ("x"):rep(2000) .. "%.%.%.\n", err)
    for line in err:gmatch("[^\n]+") do assert.is_true(#line < 2200) end
  end)

  it("is there in explain, and no option of check", function ()
    shell.write(folder .. "/site.lua", POLICY)
    local _, _, err = shell.command("explain", words[1], words[2], "/A", "--trace")
    assert.matches("log: own\t10\n", err)
    assert.equal(2, (shell.command("check", words[1], "--trace")))
  end)
end)

describe("core.plan's log", function ()
  local function listen(policy)
    local heard = {}
    local plan = assert(core.plan(PLAN:format("site"), {
      policies = { site = policy },
      log = function (level, text, where) heard[#heard + 1] = { level, text, where } end,
    }))
    return plan, heard
  end

  it("is told in order, of loading and of every cycle", function ()
    local plan, heard = listen(POLICY)
    assert.same({ { "print", "loading\tnil\ttrue", "site:1" } }, heard)
    local state = assert(core.state(plan, STATE))
    assert(core.cycle(plan, state))
    assert.same({ "log", "own\t10", "site:5" }, heard[2])
    assert.same({ "log", "own\t5", "site:5" }, heard[3])
    assert(core.cycle(plan, state))
    assert.equal(5, #heard)
  end)

  it("is told also when the policy fails", function ()
    local heard = {}
    local plan = core.plan(PLAN:format("site"), {
      policies = { site = "log 'so far'\nerror 'no'" },
      log = function (_, text) heard[#heard + 1] = text end,
    })
    assert.is_nil(plan)
    assert.same({ "so far" }, heard)
  end)

  it("may decide again, and may raise", function ()
    local plan, state
    local depth, deepest = 0, 0
    plan = assert(core.plan(PLAN:format("site"), {
      policies = { site = POLICY },
      log = function (level)
        if level == "print" then return end
        depth = depth + 1
        deepest = math.max(deepest, depth)
        if depth < 3 then assert(core.cycle(plan, state)) end
        depth = depth - 1
      end,
    }))
    state = assert(core.state(plan, STATE))
    assert(core.cycle(plan, state))
    assert.equal(3, deepest)
    local angry = assert(core.plan(PLAN:format("site"), {
      policies = { site = POLICY },
      log = function (level) assert(level == "print", "heard") end,
    }))
    local other = assert(core.state(angry, STATE))
    assert.error_matches(function () core.cycle(angry, other) end, "heard")
    assert.error_matches(function () core.cycle(angry, other) end, "heard")
  end)

  it("is a function", function ()
    assert.error_matches(function () core.plan("{}", { log = 5 }) end,
      "option log is a function, not a number")
  end)
end)
