-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- allot.coverage: lines of policies that ran, those that could, and what asking costs: nothing.

local allot = require "allot.core"
local coverage = require "allot.fixture.coverage"
local fixture = require "allot.fixture"
local shell = require "spec.support.house.shell"

local POLICY = [[
return policy {
  name = "x",
  quota = {
    fill "f" {
      by = function (share, demand)
        if demand > 100 then
          return 7
        end
        return share
      end,
      up_to = function (owned) return owned end,
    },
    fill "g" { by = function (share) return share end },
  },
  victims = order { function (ran) return math.max(ran, 1) end },
}
]]

local function decide(plan, policies)
  local made = assert(allot.plan(plan, { policies = policies }))
  return assert(allot.cycle(made, assert(allot.state(made,
    '{"now": 0, "consumers": {"/a": {"demand": 3}, "/b": {"demand": 9}}}'))))
end

local PLAN = '{"version": 1, "slots": 8, "policy": "x.lua", '
  .. '"consumers": [{"name": "a", "owned": 4}, {"name": "b", "owned": 4}]}'

local function counted(name, line, from)
  for _, row in ipairs(allot.coverage()[name] or {}) do
    if row.line == line and row.from == from then return row.times end
  end
  return 0
end

describe("allot.coverage", function ()
  after_each(function () allot.coverage(false) end)

  it("counts lines of the file and of its functions", function ()
    assert.is_true(allot.coverage(true))
    decide(PLAN, { ["x.lua"] = POLICY })
    assert.is_true(counted("x.lua", 1, 0) > 0)
    assert.equal(1, counted("x.lua", 2, 0))
    assert.equal(2, counted("x.lua", 6, 5)) -- once for each consumer
    assert.equal(2, counted("x.lua", 9, 5))
    assert.equal(0, counted("x.lua", 7, 5))
    assert.equal(2, counted("x.lua", 11, 11))
    assert.equal(0, counted("x.lua", 15, 15)) -- nobody gives tasks back
    assert.is_true(counted("x.lua", 15, 0) > 0)
  end)

  it("counts files that plans name, and nothing of the library", function ()
    allot.coverage(true)
    local file = os.tmpname() .. ".lua"
    shell.write(file, POLICY)
    decide((PLAN:gsub("x%.lua", file)))
    os.remove(file)
    assert.is_true(counted(file, 9, 5) > 0)
    for name in pairs(allot.coverage()) do assert.equal(file, name) end
  end)

  it("begins anew, and ends", function ()
    allot.coverage(true)
    decide(PLAN, { ["x.lua"] = POLICY })
    allot.coverage(true)
    assert.same({}, allot.coverage())
    decide(PLAN, { ["x.lua"] = POLICY })
    allot.coverage(false)
    local before = counted("x.lua", 6, 5)
    assert.equal(2, before)
    decide(PLAN, { ["x.lua"] = POLICY })
    assert.equal(before, counted("x.lua", 6, 5))
    assert.has_error(function () allot.coverage(1) end)
  end)

  it("counts more lines than it has places for at first", function ()
    local lines = {}
    for i = 1, 700 do lines[i] = ("local v%d = %d"):format(i % 150, i) end
    for i = 1, 700, 100 do lines[i] = "do " .. lines[i] end
    for i = 100, 700, 100 do lines[i] = lines[i] .. " end" end
    allot.coverage(true)
    decide(PLAN, { ["x.lua"] = table.concat(lines, "\n")
      .. '\nreturn policy { name = "x", quota = { fill "f" {} } }\n' })
    assert.equal(701, #allot.coverage()["x.lua"])
  end)

  it("changes neither what is decided nor what budgets mean", function ()
    local loop = [[
return policy { name = "x", quota = { fill "f" { by = function (share)
  local n = 0
  for i = 1, %d do
    n = n + i
  end
  return share + n - n
end } } }
]]
    local function run(count)
      local plan = assert(allot.plan(PLAN, { policies = { ["x.lua"] = loop:format(count) } }))
      local decision, message = allot.cycle(plan, assert(allot.state(plan,
        '{"now": 0, "consumers": {"/a": {"demand": 3}, "/b": {"demand": 9}}}')))
      return decision and decision:json() or message, plan:use().instructions
    end
    for _, count in ipairs { 1000, 100000, 100000000 } do
      allot.coverage(false)
      local plain, instructions = run(count)
      allot.coverage(true)
      local covered, same = run(count)
      assert.equal(plain, covered)
      assert.equal(instructions, same)
    end
    assert.truthy((run(100000000)):find("more than its 10000000 instructions", 1, true))
  end)
end)

describe("what can run", function ()
  local function active(text)
    local out = {}
    for i, row in ipairs(assert(coverage.active(text))) do
      out[i] = row.line .. ":" .. row.from
    end
    return table.concat(out, " ")
  end

  it("is each line of each function, but for what Lua adds", function ()
    -- a function is made at its `end`, and the list of fills is complete at its bracket
    assert.equal("1:0 2:0 3:0 4:0 6:5 7:5 9:5 10:0 11:0 11:11 13:0 13:13 14:0 15:0 15:15",
      active(POLICY))
    assert.equal("1:0", active "return f(...)\n")
    assert.equal("3:2 4:0", active "\nlocal function f(x)\n  return g(x)\nend\n")
    -- lines far apart, numbers of every kind, texts short and long
    assert.equal("1:0 302:0 303:0", active("local a = 1.5" .. ("\n"):rep(301) .. 'local b = "'
      .. ("x"):rep(100) .. '"\nreturn a, b, 7, 1e300, -1, nil, true, 123456789012'))
  end)

  it("is what luac lists", function ()
    if os.execute "luac5.4 -v >/dev/null 2>&1" == nil then return pending "no luac5.4" end
    for _, path in ipairs(shell.lines "find policies examples lua -name '*.lua' | sort") do
      local listed, lines, from, skip = {}, {}, 0, nil
      for _, line in ipairs(shell.lines("luac5.4 -p -l " .. path)) do
        from = tonumber(line:match "^%a+ <[^,]*:(%d+),") or from
        local at, code = line:match "^%s+%d+%s+%[(%d+)%]%s+(%u+)"
        if line:match "^%a+ <" then skip = nil end
        if at and code ~= "VARARGPREP" and skip ~= "TAILCALL" then
          lines[#lines + 1] = { at .. ":" .. from, code }
        end
        if line:match "^%a+ <" or not at then lines[#lines + 1] = false end
        skip = code
      end
      -- the last instruction of each function is Lua's own
      lines[#lines + 1] = false
      for i, row in ipairs(lines) do
        if row and lines[i + 1] ~= false then listed[row[1]] = true end
      end
      for _, row in ipairs(assert(coverage.active(shell.read(path), path))) do
        local key = row.line .. ":" .. row.from
        assert.is_true(listed[key], path .. " " .. key)
        listed[key] = nil
      end
      assert.is_nil(next(listed), path)
    end
  end)

  it("is nothing where the file does not compile", function ()
    local none, message = coverage.active("return = 1", "bad.lua")
    assert.is_nil(none)
    assert.truthy(message:find("bad.lua:1:", 1, true))
    assert.is_nil((coverage.report("return = 1", "bad.lua")))
  end)
end)

describe("fixture.coverage", function ()
  local path

  before_each(function ()
    path = os.tmpname() .. ".lua"
    shell.write(path, POLICY)
  end)
  after_each(function () os.remove(path) end)

  it("tells the percentage and the lines that never ran", function ()
    fixture.cover()
    fixture("a b: a wants 3", path):decide()
    local report, words = fixture.coverage(path)
    assert.equal(report.all, report.ran + 2)
    assert.same({ { line = 7, from = 5, text = "return 7" }, { line = 15, from = 15,
      text = "victims = order { function (ran) return math.max(ran, 1) end }," } }, report.missed)
    assert.truthy(words:find(path .. ":7: return 7\n", 1, true))
    assert.truthy(words:find("(its function is never called)", 1, true))
    assert.covered(path, report.percent)
    assert.error_matches(function () fixture.covered(path) end, "expected 100 %% of the lines")
  end)

  it("reaches all of it", function ()
    fixture.cover()
    fixture("a b: a wants 3", path):decide()
    fixture("a{own=2} b: a wants 200, b wants 9 runs t1 t2", path):decide()
    fixture.covered(path)
    assert.equal(100, (fixture.coverage(path)).percent)
  end)

  it("is not about properties, which no case runs", function ()
    shell.write(path, (POLICY:gsub("\n}%s*$", [[

  properties = {
    "steady", property "one line" (function (case) return case.rows ~= nil end),
    property "several lines" (function (case)
      for _, row in pairs(case.rows) do
        local function small(n) return n < 9 end
        if not small(row.quota) then return false end
      end
      return true
    end),
  },
}
]])))
    fixture.cover()
    fixture("a b: a wants 3", path):decide()
    fixture("a{own=2} b: a wants 200, b wants 9 runs t1 t2", path):decide()
    assert.matches("property", shell.read(path))
    fixture.covered(path)
    shell.write(path, (shell.read(path):gsub("properties = {", "properties = { -- more lines", 1)))
    fixture.cover()
    fixture("a b: a wants 3", path):decide()
    assert.equal(2, #fixture.coverage(path).missed) -- as without properties
  end)

  it("counts nothing of a file that was never used", function ()
    fixture.cover()
    assert.equal(0, (fixture.coverage(path)).ran)
  end)
end)
