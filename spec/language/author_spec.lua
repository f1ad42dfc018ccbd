-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the command has for policy authors: `types`, and `help` for a word of the language.

local core = require "allot.core"
local help = require "allot.reference.help"
local json = require "dkjson"
local shell = require "spec.support.house.shell"
local types = require "allot.reference.types"

local function does(...)
  local status, out, err = shell.command(...)
  assert.equal("0 ", status .. " " .. err)
  return out
end

describe("allot types", function ()
  local at

  before_each(function () at = shell.directory() end)
  after_each(function () shell.remove(at) end)

  it("prints Lua, names for luacheck, a .luarc.json, or the table", function ()
    assert(load(does "types", "=types", "t", {}))
    local env = { stds = {}, files = {} }
    assert(load(does("types", "--format", "luacheck"), "=luacheck", "t", env))()
    assert.truthy(#env.stds.allot.read_globals > 30)
    assert.equal("allot", env.std)
    local luarc = assert(json.decode(does("types", "--format", "luarc")))
    assert.equal("Lua 5.4", luarc["runtime.version"])
    assert.equal("disable", luarc["runtime.builtin"].io)
    local all = assert(json.decode(does("types", "--format", "json")))
    assert.equal("allot/api/v1", all.schema)
    assert.equal("owned", all.columns.consumers[1].name)
    assert.same({ name = "label", type = "string" }, { name = all.entries[2].params[1].name,
      type = all.entries[2].params[1].type })
  end)

  it("writes files into a folder, and again without a word", function ()
    local files = { "allot.lua", "allot.fixture.lua", ".luarc.json" }
    for i, name in ipairs(files) do files[i] = ("%s/%s written\n"):format(at, name) end
    assert.equal(table.concat(files),
      does("types", "--out", at))
    assert.equal(does "types", shell.read(at .. "/allot.lua"))
    assert.equal(types.testing(core.version), shell.read(at .. "/allot.fixture.lua"))
    assert.equal("", does("types", "--out", at))
  end)

  it("writes the files of a format, and no others", function ()
    for format, name in pairs { luacheck = ".luacheckrc", luarc = ".luarc.json",
      json = "allot.json" } do
      local folder = at .. "/" .. format
      assert.equal(("%s/%s written\n"):format(folder, name),
        does("types", "--format", format, "--out", folder))
      assert.equal(does("types", "--format", format), shell.read(folder .. "/" .. name))
      assert.same({ name }, shell.lines("ls -A " .. folder))
    end
    shell.write(at .. "/luacheck/.luacheckrc", "-- mine")
    local out = does("types", "--format", "luacheck", "--out", at .. "/luacheck")
    assert.truthy(out:find("stays as it is", 1, true), out)
    assert.equal("-- mine", shell.read(at .. "/luacheck/.luacheckrc"))
  end)

  it("writes what luacheck passes a policy and its spec by, and finds a stranger by", function ()
    does("types", "--format", "luacheck", "--out", at)
    does("init", "--out", at, "fair")
    local line = "cd %s && luacheck --no-color --no-max-line-length ."
    local status, out = shell.run(line:format(at))
    assert.equal(0, status, out)
    shell.write(at .. "/odd.lua", "return policy { name = os.time() }\n")
    status, out = shell.run(line:format(at))
    assert.equal(1, status, out)
    assert.truthy(out:find("undefined variable", 1, true), out)
    assert.truthy(out:find("os", 1, true), out)
  end)

  it("writes over types that are old, but not over settings of somebody's own", function ()
    shell.write(at .. "/allot.lua", "-- old")
    shell.write(at .. "/.luarc.json", "{}")
    local out = does("types", "--out", at)
    assert.truthy(out:find("/.luarc.json is there already and stays as it is\n", 1, true))
    assert.equal("{}", shell.read(at .. "/.luarc.json"))
    assert.equal(does "types", shell.read(at .. "/allot.lua"))
  end)

  it("says why a file cannot be written", function ()
    shell.write(at .. "/nowhere", "")
    local status, out, err = shell.command("types", "--out", at .. "/nowhere")
    assert.same({ 5, "" }, { status, out })
    assert.truthy(err:find("/nowhere/allot.lua cannot be written: ", 1, true), err)
    assert.truthy(err:find("[E-io]", 1, true))
  end)
end)

describe("help of verbs", function ()
  it("fits 80 columns, summaries in one line with each other", function ()
    local pages = { does "help" }
    for verb in pages[1]:gmatch "\n  (%l+)[^\n]*" do pages[#pages + 1] = does("help", verb) end
    assert.is_true(#pages > 12)
    for _, page in ipairs(pages) do
      for line in page:gmatch "[^\n]+" do assert.is_true(#line <= 80, line) end
    end
    for verb, summary in pairs { run = "decide once", explain = "explain why", diff = "compare" } do
      local lines = pages[1]:match("\n(  " .. verb .. " .-" .. summary .. ")")
      assert.equal(35, #lines:match "[^\n]*$" - #summary + 1, lines)
    end
  end)
end)

describe("allot help", function ()
  it("tells of a word, a key, a column, a code", function ()
    assert.truthy(does("help", "fill"):find("^fill %(label%)\n"))
    assert.truthy(does("help", "round"):find("a key of policy { ... }", 1, true))
    assert.truthy(does("help", "over"):find("slots above its target (C-6)", 1, true))
    assert.truthy(does("help", "E-policy-budget"):find("past its budget", 1, true))
    assert.truthy(does("help", "string.glob"):find("not in stock Lua", 1, true))
  end)

  it("tells of every column that a run prints", function ()
    local at, counted = shell.directory(), 0
    shell.write(at .. "/plan.json", '{"version": 1, "half_life": 60, "policy": "hybrid", '
      .. '"consumers": [{"name": "a", "owned": 4}]}')
    shell.write(at .. "/state.json", '{"now": 0, "consumers": {"/a": {"demand": 1}}}')
    local out = does("run", "--columns", "all", at .. "/plan.json", at .. "/state.json")
    shell.remove(at)
    local text = shell.read "lua/allot/text/queues.lua"
    for title in text:gmatch 'title = "([^"]+)"' do out = out .. "\nconsumer  " .. title end
    for line in out:gmatch "\n(consumer [^\n]+)" do
      for heading in (line .. "  "):gmatch "(%l[%l ]-)%s%s+" do
        assert.truthy(help.text(heading):find("\n  "
          .. heading:gsub(" ", "_") .. "\n", 1, true), heading)
        counted = counted + 1
      end
    end
    assert.is_true(counted > 40)
    assert.matches("heading `own used`: of the slots", does("help", "own used"), 1, true)
  end)

  it("tells of properties and events by name, of peers, and of a property's case", function ()
    local found = { properties = {}, events = {} }
    for _, section in ipairs(require "allot.reference.api.terms") do
      for _, row in ipairs(section[3]) do
        local list = found[section[1]]
        if list then list[#list + 1] = row[1] end
      end
    end
    for name, list in pairs(found) do
      table.sort(list)
      for _, item in ipairs(list) do
        assert.truthy(help.text(name):find("\n  " .. item .. "\n", 1, true), item)
      end
    end
    assert.same(require "allot.language.property".KNOWN, found.properties)
    local events = {}
    for name in shell.read "core/service/events/event.h":gmatch 'XX%([%u_]+, "(%l[%l_]*)", 0' do
      events[#events + 1] = name
    end
    table.sort(events)
    assert.same(events, found.events)
    local init = does("help", "init"):gsub("\n", " ")
    for _, peer in ipairs(core.peer()) do
      assert.truthy(help.text(peer):find("\n  allot init --like " .. peer .. " NAME\n", 1, true))
      assert.truthy(init:find(peer .. "[,.] "), peer)
    end
    assert.is_nil(help.text "shared_lease":find("--like", 1, true))
    assert.matches("the state that the decision leads to", help.text "case", 1, true)
    assert.matches("idle slots come back", help.text "release", 1, true)
  end)

  it("has lists, with a sentence of each word", function ()
    assert.matches("\n  assert.rests (case)\n      The decision changes nothing.\n",
      does("help", "testing"), 1, true)
    for _, topic in ipairs { "language", "library", "core", "columns", "diagnostics" } do
      assert.truthy(select(2, does("help", topic):gsub("\n", "")) > 10, topic)
    end
  end)

  it("prefers a verb, and says what was meant", function ()
    assert.truthy(does("help", "types"):find("^usage: allot types"))
    for topic, near in pairs {
      fil = "fill", rum = "run", qouta = "quota", ["E-rage"] = "E-range",
    } do
      local status, out, err = shell.command("help", topic)
      assert.same({ 2, "" }, { status, out })
      assert.equal(("allot: error: there is no verb or topic %s [E-usage]\n"
        .. "  hint: did you mean %s?\n"):format(topic, near), err)
    end
    local _, _, err = shell.command("help", "zzzzzzzz")
    assert.truthy(err:find("hint: allot help lists the verbs", 1, true))
  end)
end)
