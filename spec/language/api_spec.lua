-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The table of the API is what there is: in the sandbox, in the module, in the sources; and what
--- is made from it is as good.

local api = require "allot.reference.api"
local codes = require "allot.reference.api.codes"
local columns = require "allot.language.columns"
local core = require "allot.core"
local help = require "allot.reference.help"
local shell = require "spec.support.house.shell"
local types = require "allot.reference.types"

local CONSUMERS = '{"version": 1, "policy": "example", "consumers": [%s{"name": "a", "owned": 4}, '
  .. '{"name": "b"}]}'
local QUEUES = '{"version": 1, "policy": "example", "slots": 4, "queues": [{"name": "a"}]}'
local STATE = '{"now": 0, "consumers": {"/a": {"demand": 1}, "/b": {"demand": 2}}}'

--- Loads a policy's text; nil and what is wrong. Which plan it is for it tells itself.
local function load_policy(text)
  local plan, message = core.plan(CONSUMERS:format "", { policies = { example = text } })
  if not plan and message:find "dispatches queues' jobs" then
    plan, message = core.plan(QUEUES, { policies = { example = text } })
  end
  return plan, message
end

--- The names that a refusal lists: "...; known are a, b, c; did you mean ...?"
local function known_in(policy)
  local plan, message = load_policy(policy)
  assert.is_nil(plan)
  local list = {}
  for name in assert(message:match "known are ([^;]+)", message):gmatch "[^, ]+" do
    list[#list + 1] = name
  end
  table.sort(list)
  return list
end

local function sorted(list)
  table.sort(list)
  return list
end

local function names_in(groups, pattern)
  local list = {}
  for _, entry in ipairs(api.entries) do
    local name = groups[entry.group] and entry.name:match(pattern)
    if name then list[#list + 1] = name end
  end
  return list
end

describe("the table of the API", function ()
  it("has the globals of the sandbox, and no others", function ()
    local list = names_in({ language = true, library = true }, "^[%w_]+$")
    for _, name in ipairs { "math", "string", "table" } do list[#list + 1] = name end
    assert.same(sorted(list), known_in "return nothing_of_that_name")
    for _, name in ipairs { "math", "string", "table" } do
      assert.same(sorted(names_in({ library = true }, "^" .. name .. "%.(%w+)$")),
        known_in(("return %s.nothing_of_that_name"):format(name)))
    end
  end)

  it("has the words of the language, as require \"allot\" gives them", function ()
    local list = {}
    for name in pairs(require "allot.language") do list[#list + 1] = name end
    assert.same(sorted(list), sorted(names_in({ language = true }, ".+")))
  end)

  it("is what policies/README.md teaches: every word, every key of a policy", function ()
    local text, keys = shell.read "policies/README.md", 0
    for _, word in ipairs(require "allot.reference.api.words") do
      assert(text:find("\n| `" .. word.name .. "` | ", 1, true), word.name)
    end
    for _, entry in ipairs(require "allot.reference.api.policy") do
      for _, field in ipairs(entry.name == "allot.PolicySpec" and entry.fields or {}) do
        keys = keys + 1
        assert(text:find("`" .. field[1]:gsub("%?$", "") .. "`", 1, true), field[1])
      end
    end
    assert.is_true(keys > 20)
  end)

  it("has the keys that every word takes", function ()
    local function policy(keys)
      return ('return policy { name = "x", quota = { fill "a" {} }, %s }'):format(keys)
    end
    for word, refused in pairs {
      policy = policy "zzz = 1",
      fill = "return fill { zzz = 1 }",
      pool = 'return pool "a" { zzz = 1 }',
      loan = 'return loan "a" { zzz = 1 }',
      guard = 'return guard "a" { zzz = 1 }',
      attributes = policy 'attributes = { a = { zzz = 1 } }',
      task_attributes = policy 'task_attributes = { a = { zzz = 1 } }',
      options = policy 'options = { a = { zzz = 1 } }',
      damping = policy "damping = { zzz = 1 }",
      sessions = policy "sessions = { zzz = 1 }",
    } do
      local list = {}
      for i, field in ipairs(api.class(word).fields) do list[i] = field[1] end
      assert.same(known_in(refused), sorted(list), word)
    end
  end)

  it("has what the module has", function ()
    local list, made = {}, {}
    for name in pairs(core) do list[#list + 1] = name end
    local said = names_in({ core = true }, "^%l%w*$")
    for _, name in ipairs(names_in({ core = true }, "^core%.(%w+)$")) do said[#said + 1] = name end
    assert.same(sorted(list), sorted(said))
    made.Plan = assert(core.plan(CONSUMERS:format "", { policies = { example =
      'return policy { name = "x", quota = { fill "a" {} } }' } }))
    made.Policy = assert(core.policy(core.ready "hybrid"))
    made.State = assert(core.state(made.Plan, STATE))
    made.Decision = assert(core.cycle(made.Plan, made.State))
    for name, object in pairs(made) do
      list = {}
      for method in pairs(debug.getmetatable(object).__index) do list[#list + 1] = method end
      assert.same(sorted(list), sorted(names_in({ core = true }, "^" .. name .. ":(%w+)$")))
    end
  end)

  it("has what the module of fixtures has", function ()
    local function here(pattern) return sorted(names_in({ testing = true }, pattern)) end
    local function keys(of)
      local list = {}
      for name, value in pairs(of) do
        if type(value) == "function" then list[#list + 1] = name end
      end
      return sorted(list)
    end
    local fixture = require "allot.fixture"
    assert.same(keys(fixture), here "^fixture%.(%w+)$")
    assert.same(keys(fixture.check), here "^assert%.([%w_]+)$")
    local methods = getmetatable(fixture "a").__index
    assert.same(keys(methods), here "^TestCase:([%w_]+)$")
    for _, entry in ipairs(api.entries) do
      local of = entry.group == "testing" and entry.name:match "^TestCase:(.+)$"
      if of then -- the same parameters, by name
        local info = debug.getinfo(methods[of], "u")
        assert.equal(info.nparams, #entry.params + 1, entry.name)
        for i, param in ipairs(entry.params) do
          assert.equal(debug.getlocal(methods[of], i + 1), (param[1]:gsub("%?$", "")), entry.name)
        end
      end
    end
  end)

  it("has the columns that the language knows", function ()
    for rows, list in pairs {
      consumers = columns.names, tasks = columns.tasks, sessions = columns.sessions,
      queues = columns.queues,
    } do
      for i, column in ipairs(core.columns(rows)) do assert.equal(column.name, list[i]) end
      assert.equal(#core.columns(rows), #list)
    end
    assert.equal(#columns.names, columns.known.reclaim) -- what no stage knows nobody can read
    assert.equal(9, #core.columns "leases")
    assert.has_error(function () core.columns "hosts" end)
  end)

  it("is what READMEs and the manual say of columns", function ()
    local text = shell.read "policies/README.md"
    for rows in pairs { consumers = 1, tasks = 1, sessions = 1, queues = 1 } do
      for _, column in ipairs(core.columns(rows)) do
        assert(text:find("`" .. column.name .. "`", 1, true), column.name)
      end
    end
    local documents, page = shell.read "core/json/README.md", shell.read "core/man/allot-plan.5.scd"
    for i = 1, columns.index "configured" - 1 do -- which the plan states
      local name = columns.names[i]
      assert(documents:find("`" .. name .. "` (", 1, true), name)
      assert(page:find("*" .. name .. "* (", 1, true), name)
    end
  end)

  it("has every code of the sources, and no others", function ()
    local there, said = {}, {}
    for _, path in ipairs(shell.lines "find core lua -name '*.[ch]' -o -name '*.lua' | sort") do
      if not path:find "^core/test/" and not path:find "^lua/allot/reference/api/" then
        for code in shell.read(path):gmatch '"([EW]%-[a-z0-9-]+)\\?"' do there[code] = true end
      end
    end
    for _, row in ipairs(codes) do
      assert.is_nil(said[row[1]], row[1] .. " is said twice")
      said[row[1]] = true
      assert.truthy(#row[2] > 20, row[1])
    end
    assert.same(there, said)
  end)
end)

describe("examples of the API", function ()
  local POLICY = '\nreturn policy { name = "example", quota = { fill "all" {} } }'

  it("run in the sandbox", function ()
    local count = 0
    for _, entry in ipairs(api.entries) do
      if entry.group == "language" or entry.group == "library" then
        local text = assert(entry.example, entry.name .. " has no example")
        if not text:find "return policy" then text = text .. POLICY end
        local plan, message = load_policy(text)
        assert(plan, ("%s: %s"):format(entry.name, message))
        count = count + 1
      end
    end
    assert.is_true(count > 60)
  end)

  it("say each key of a policy", function ()
    for _, field in ipairs(api.class "policy".fields) do
      local said = assert(field.example, field[1] .. " has no example")
      assert.truthy(said:find("^" .. field[1] .. " = "), said)
      local keys = { said }
      if field[1] ~= "name" then keys[#keys + 1] = 'name = "example"' end
      local plan, message = load_policy(("return policy { %s }"):format(table.concat(keys, ", ")))
      if not plan and message:find "quota is a list" then
        keys[#keys + 1] = 'quota = { fill "all" {} }'
        plan, message = load_policy(("return policy { %s }"):format(table.concat(keys, ", ")))
      end
      assert(plan, ("%s: %s"):format(field[1], message))
    end
  end)

  it("run as programs", function ()
    local plan_text = CONSUMERS:gsub('"policy": "example", ', ""):format ""
    for _, entry in ipairs(api.entries) do
      if entry.group == "core" then
        local env = setmetatable({ allot = require "allot", plan_text = plan_text,
          state_text = STATE }, { __index = _G })
        assert(load(entry.example, "=" .. entry.name, "t", env))()
      elseif entry.group == "testing" then
        local env = setmetatable({ fixture = require "allot.fixture" }, { __index = _G })
        assert(load(entry.example, "=" .. entry.name, "t", env))()
        core.coverage(false)
      end
    end
  end)
end)

describe("types for editors", function ()
  local stubs = types.stubs(core.version) .. "\n"
  local testing = types.testing(core.version)

  it("are Lua, and know every name", function ()
    assert(load(stubs, "=stubs", "t", {}))
    assert(load(testing, "=testing", "t", {}))
    local both = stubs .. testing .. "\nfunction fixture(" -- which the class's overload is
    for _, entry in ipairs(api.entries) do
      local name = types.place(entry)
      local said = entry.kind == "function" and ("function %s("):format(name) or name .. " = nil"
      local there = both:find("\n" .. said, 1, true)
      assert.equal(entry.group ~= "desk", there ~= nil, name) -- which nobody writes in a file
    end
  end)

  it("speak of types that are there", function ()
    local known = { ["allot.TestCase"] = true }
    for name in stubs:gmatch "%-%-%-@class (%S+)" do known[name] = true end
    for name in stubs:gmatch "%-%-%-@alias (%S+)" do known[name] = true end
    for line in (stubs .. testing):gmatch "%-%-%-@[^\n]+" do
      local what = line:gsub('"[^"]*"', "")
      for name in what:gmatch "allot%.%u%w*" do assert.truthy(known[name], line) end
    end
  end)

  it("are what this repository's own linter goes by", function ()
    assert.truthy(shell.read(".luacheckrc"):find(types.standard(), 1, true))
  end)
end)

describe("help", function ()
  it("has a text for every topic", function ()
    local topics = help.topics()
    assert.is_true(#topics > 200)
    for _, topic in ipairs(topics) do
      local text = assert(help.text(topic))
      assert.truthy(text:find "\n$")
      for line in text:gmatch "[^\n]+" do
        local types_of = line:find "^  [%w_.]+%??: " or line:find "fun%("
        assert.is_true(#line <= 100 or types_of ~= nil, line)
      end
    end
  end)

  it("knows keys, columns and codes", function ()
    assert.truthy(help.text "round":find("webster", 1, true))
    assert.truthy(help.text "in_flight":find("given back", 1, true))
    assert.truthy(help.text "e-range":find("E-range", 1, true))
    assert.truthy(help.text "string.find":find("Not as in stock Lua", 1, true))
  end)

  it("knows the keys of what a state lists", function ()
    assert.truthy(help.text "usage_at":find("Keys of consumers in a state:\n  usage_at: a time\n",
      1, true))
    assert.truthy(help.text "for":find("Keys of reclaims in a state:", 1, true))
  end)

  it("knows each rule that explanations may cite, and nothing beside it", function ()
    local rules = shell.read "core/RULES.md"
    for head in rules:gmatch "\n%* %*%*(.-)%*%*" do
      for number in head:gmatch "%u+%-%d+" do
        assert.truthy(help.text(number):find("^" .. number:gsub("%-", "%%-") .. ", a rule\n  "),
          number)
      end
    end
    assert.equal("P-53, a rule\n  A job that wants to grow preempts no job. Slots that were granted"
      .. " to a job,\n  but not taken up, are taken back before it is preempted.\n",
      help.text "p-53")
    assert.is_nil((help.text "C-99"))
  end)

  it("answers a word of documents by the rule that names it", function ()
    assert.equal(help.text "C-14", help.text "half_life")
    assert.equal(help.text "B-1", help.text "conservative")
  end)

  it("says what was meant", function ()
    local text, fault, near = help.text "fil"
    assert.same({ nil, "there is no topic fil", "fill" }, { text, fault, near })
    assert.is_nil(select(3, help.text "qqqqqqqqqq"))
  end)
end)
