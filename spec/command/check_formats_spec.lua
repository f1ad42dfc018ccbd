-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `allot check` found, in the formats that programs read; and what the core would be told of.

local json = require "dkjson"
local shell = require "spec.support.house.shell"

local out

local function check(format, line)
  return shell.run(("%s check --seconds 0 --runs 64 --out %s --format %s %s"):format(shell.allot,
    out, format, line))
end

setup(function ()
  out = shell.directory()
  shell.write(out .. "/odd.lua", [[
return policy {
  name = "odd",
  quota = { fill "all" { by = 1 } },
  properties = {
    "steady",
    property "50% <of> \"all\" & more, never: more" (function ()
      return false, "a <b> & 'c': 1, 2"
    end),
  },
}
]])
  shell.write(out .. "/bad.json", '{"version": 1, "consumers": [{"name": "a", "limt": 3}]}\n')
end)
teardown(function () shell.remove(out) end)

local FILES = "examples/broken/owners_last.lua examples/broken/clock.lua hybrid"

describe("github", function ()
  it("is a line for each finding, with file, line and column", function ()
    local status, result = check("github", FILES)
    assert.equal(4, status)
    local lines = {}
    for line in result:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal(2, #lines)
    assert.truthy(lines[1]:find("^::error file=examples/broken/owners_last%.lua,line=8,col=5,"
      .. "title=E%-property::owners_first is not kept: .*%%0Ahint: see it: allot run "), lines[1])
    assert.truthy(lines[2]:find("^::error file=examples/broken/clock%.lua,line=9,col=7,"), lines[2])
  end)

  it("escapes what steers it", function ()
    local _, result = check("github", out .. "/odd.lua")
    assert.truthy(result:find("50%25 <of>", 1, true), result)
    assert.equal(1, select(2, result:gsub("\n", "")))
  end)

  it("tells warnings as such, and nothing where there is nothing", function ()
    local status, result = check("github", "examples/broken/heavy.lua")
    assert.equal(0, status)
    assert.matches("^::warning file=examples/broken/heavy%.lua,title=W%-budget::", result)
    status, result = check("github", "hybrid")
    assert.same({ 0, "" }, { status, result })
  end)
end)

describe("sarif", function ()
  --- What SARIF 2.1.0 asks of a log: types, what is required, what refers to what.
  local function valid(log)
    assert.equal("2.1.0", log.version)
    assert.truthy(log["$schema"]:find("sarif-2.1.0", 1, true))
    assert.equal(1, #log.runs)
    local run = log.runs[1]
    local driver = run.tool.driver
    assert.equal("allot", driver.name)
    local ids = {}
    for i, rule in ipairs(driver.rules) do
      assert.is_nil(ids[rule.id])
      ids[rule.id] = i - 1
      assert.truthy(#rule.shortDescription.text > 20 and #rule.help.text > 20)
      assert.truthy(({ error = 1, warning = 1 })[rule.defaultConfiguration.level])
    end
    for _, result in ipairs(run.results) do
      assert.equal(ids[result.ruleId], result.ruleIndex)
      assert.truthy(({ error = 1, warning = 1 })[result.level])
      assert.equal("string", type(result.message.text))
      for _, location in ipairs(result.locations or {}) do
        local place = location.physicalLocation
        assert.falsy(place.artifactLocation.uri:find "[ \\]")
        local region = place.region
        assert.truthy(not region or region.startLine >= 1 and (region.startColumn or 1) >= 1)
        assert.truthy(not region or (region.endColumn or 1000) > (region.startColumn or 0))
      end
    end
    assert.equal("boolean", type(run.invocations[1].executionSuccessful))
    return run
  end

  it("has rules with help, and results that name them", function ()
    local status, result = check("sarif", FILES)
    assert.equal(4, status)
    local run = valid(assert(json.decode(result)))
    assert.equal(2, #run.results)
    assert.equal("E-property", run.results[1].ruleId)
    assert.equal("owners_first", run.results[1].properties.rule)
    assert.equal(8, run.results[1].locations[1].physicalLocation.region.startLine)
    assert.is_false(run.invocations[1].executionSuccessful)
  end)

  it("is whole where a file is invalid, and where nothing is found", function ()
    local status, result = check("sarif", out .. "/bad.json")
    assert.equal(3, status)
    assert.equal("E-unknown-key", valid(assert(json.decode(result))).results[1].ruleId)
    status, result = check("sarif", "hybrid")
    assert.equal(0, status)
    assert.truthy(result:find('"results": []', 1, true), result)
    assert.is_true(valid(assert(json.decode(result))).invocations[1].executionSuccessful)
  end)
end)

describe("junit", function ()
  --- Well-formed: tags close in order, & and < are escaped. Returns the elements' names, counted.
  local function elements(xml)
    local open, count = {}, {}
    xml = assert(xml:match '^<%?xml version="1.0" encoding="UTF%-8"%?>\n(.*)$', xml)
    for text, close, name, attributes, empty in xml:gmatch "([^<]*)<(/?)(%w+)(.-)(/?)>" do
      assert.falsy(text:gsub("&[%w#]+;", ""):find "[&]", text)
      for value in attributes:gmatch '="([^"]*)"' do
        assert.falsy(value:gsub("&[%w#]+;", ""):find "[&<]", value)
      end
      assert.falsy(attributes:gsub('%s%w+="[^"]*"', ""):find "%S", attributes)
      if close == "/" then
        assert.equal(table.remove(open), name)
      else
        count[name] = (count[name] or 0) + 1
        if empty == "" then open[#open + 1] = name end
      end
    end
    assert.same({}, open)
    return count
  end

  it("is a suite for a file and a case for a check", function ()
    local status, result = check("junit", FILES)
    assert.equal(4, status)
    local count = elements(result)
    assert.equal(3, count.testsuite)
    assert.equal(1, count.failure)
    assert.equal(1, count.error)
    assert.truthy(result:find('classname="examples/broken/owners_last.lua" name="owners_first">', 1,
      true))
    assert.truthy(result:find('classname="hybrid" name="owners_first"/>', 1, true))
  end)

  it("escapes what the policy says", function ()
    local status, result = check("junit", out .. "/odd.lua")
    assert.equal(1, status)
    assert.equal(1, elements(result).failure)
    assert.truthy(result:find('50% &lt;of&gt; &quot;all&quot; &amp; more', 1, true), result)
  end)

  it("is whole where a file is invalid", function ()
    local status, result = check("junit", out .. "/bad.json")
    assert.equal(3, status)
    assert.equal(1, elements(result).error)
  end)
end)

describe("the status", function ()
  it("is the same in every format", function ()
    for _, format in ipairs { "text", "json", "github", "sarif", "junit" } do
      for status, line in pairs {
        [0] = "hybrid", [1] = out .. "/odd.lua", [3] = out .. "/bad.json",
        [4] = "examples/broken/dice.lua", [5] = "nowhere.lua",
      } do
        assert.equal(status, (check(format, line)), format .. " " .. line)
      end
      assert.equal(3, (check(format, "")), format)
    end
  end)
end)

--- The core keeps its invariants, so that a check of them is fed with decisions that are forged.
describe("an invariant that is broken", function ()
  local Run = require "allot.check.run"
  local core = require "allot.core"
  local findings = require "allot.check.findings"
  local Target = require "allot.check.target"

  --- The first finding where every decision is changed by `forge(row)`.
  local function forged(forge)
    local made = setmetatable({
      decode = function (text, options)
        local value = core.decode(text, options)
        for _, group in pairs(value.groups or {}) do
          for _, row in ipairs(group.consumers) do forge(row, value) end
        end
        return value
      end,
    }, { __index = core })
    local target = assert(Target.of_policy(made, core.ready "hybrid", "hybrid"))
    local run = Run.of(target, { runs = 64, seed = 1 })
    local written = {}
    local host = { write = function (path, text) written[path] = text return true end }
    local list = findings.of_run(target, host, { out = "there" }, run, function () return 3 end)
    for _, finding in ipairs(list) do
      if finding.code == "E-invariant" then
        assert.truthy(written[finding.case .. "/plan.json"])
        return finding.message
      end
    end
    error "nothing was found"
  end

  it("is told with its numbers", function ()
    local message = forged(function (row) row.parts.owned = (row.parts.owned or 0) + 1 end)
    assert.matches("^not so: a quota is the sum of its parts, and within the need; "
      .. "/.*'s quota is %d+, but its parts sum to %d+$", message)
    message = forged(function (row) if row.granted > 0 then row.demand = 0 end end)
    assert.matches("^not so: nobody is granted more than its quota and its demand; "
      .. "/.* holds %d+ and gets %d+, but wants 0$", message)
    message = forged(function (row) if row.over > 0 then row.over = row.over - 1 end end)
    assert.matches("^not so: nobody gives back what is within its quota; "
      .. "/.*: %d+ slots are reclaimed, but it is over by %d+$", message)
  end)
end)
