-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The command: what people and programs see of it (contract.md, section 3).

local json = require "dkjson"
local shell = require "spec.support.house.shell"

local PLAN = [[
{
  "version": 1,
  "policy": "hybrid",
  "consumers": [
    {"name": "physics", "owned": 15},
    {"name": "chemistry", "owned": 9},
    {"name": "guests", "rank": 1, "grace": 60, "limit": 12}
  ]
}
]]
local STATE = [[
{"now": 1700000000, "slots": 24, "consumers": {
  "/physics": {"demand": 20, "allocated": 10},
  "/chemistry": {"demand": 4, "allocated": 2},
  "/guests": {"demand": 20, "allocated": 10}}}
]]
local BAD_PLAN = PLAN:gsub('"limit"', '"limt"')
local SCRIPTED = [[
return policy {
  name = "site",
  quota = { fill "all" { by = function (owned) return %s end } },
}
]]

describe("allot", function ()
  local at

  setup(function ()
    at = shell.directory()
    for name, text in pairs {
      ["plan.json"] = PLAN, ["state.json"] = STATE, ["bad.json"] = BAD_PLAN,
      ["good.lua"] = SCRIPTED:format("owned + 1"),
      ["fails.lua"] = SCRIPTED:format('error("no")'),
      ["endless.lua"] = SCRIPTED:format("(function () while true do end end)()"),
      ["broken.lua"] = "return policy {\n  name = \n}\n",
      ["empty.json"] = "",
    } do
      shell.write(at .. "/" .. name, text)
    end
    for _, name in ipairs { "good", "fails", "endless" } do
      shell.write(("%s/%s.json"):format(at, name), (PLAN:gsub("hybrid", name .. ".lua")))
    end
    shell.allot = shell.lines("realpath " .. shell.allot)[1]
  end)

  teardown(function ()
    shell.remove(at)
  end)

  local function allot(line)
    return shell.run(("cd %s; %s %s"):format(at, shell.allot, line))
  end

  --- The same status and, in JSON, one error document and nothing on standard error.
  local function fails(expected, line, code)
    local status, out, err = allot(line)
    assert.equal(expected, status, line .. "\n" .. out .. err)
    assert.equal("", out)
    assert.truthy(err:find("error: ", 1, true), err)
    assert.truthy(err:find("[" .. code, 1, true), err)
    local json_status, document, silence = allot("--format json " .. line)
    assert.equal(expected, json_status)
    assert.equal("", silence)
    local value, after = json.decode(document)
    assert.equal("allot/error/v1", value.schema)
    assert.equal("", document:sub(after):match("^%s*(.-)$"))
    local codes = {}
    for i, finding in ipairs(value.diagnostics) do
      codes[i] = finding.code
    end
    assert.truthy(table.concat(codes, " "):find(code, 1, true), table.concat(codes, " "))
    return err, value.diagnostics
  end

  local function does(line)
    local status, out, err = allot(line)
    assert.equal(0, status, line .. "\n" .. err)
    assert.equal("", err)
    return out
  end

  describe("usage", function ()
    it("is told for wrong words", function ()
      assert.truthy(fails(2, "", "E-usage"):find("usage: allot VERB", 1, true))
      assert.truthy(fails(2, "rum plan.json", "E-usage"):find("did you mean run?", 1, true))
      assert.truthy(fails(2, "run --colour x", "E-usage"):find("did you mean --color?", 1, true))
      assert.truthy(fails(2, "run plan.json", "E-usage"):find("allot run PLAN STATE", 1, true))
      fails(2, "run a b c", "E-usage")
      fails(2, "run --color", "E-usage")
      fails(2, "run --color pink plan.json state.json", "E-usage")
      fails(2, "run --group x plan.json state.json", "E-usage")
      fails(2, "bench --repeat 0", "E-usage")
      fails(2, "bench --repeat 1x", "E-usage")
      assert.truthy(fails(2, "run -xa a b", "E-usage"):find("there is no option -x ", 1, true))
      assert.truthy(fails(2, "run a b -ax", "E-usage"):find("there is no option -x ", 1, true))
      assert.truthy(fails(2, "run --all=x a b", "E-usage"):find("--all takes no argument", 1, true))
      assert.truthy(fails(2, "bench --shape flt", "E-usage"):find("did you mean flat?", 1, true))
      assert.truthy(fails(2, "bench --shape 10x10", "E-usage")
        :find("hint: there are flat, 10x10x100, 10x100x100, 100x100x100", 1, true))
      fails(2, "help rum", "E-usage")
      assert.truthy(fails(2, "run - -", "E-usage"):find("only once", 1, true))
    end)

    it("tells a wrong format in text", function ()
      local status, out, err = allot("run --format xml plan.json state.json")
      assert.same({ 2, "" }, { status, out })
      assert.truthy(err:find('--format is text|json, not "xml"', 1, true))
    end)

    it("has help for every verb, on standard output", function ()
      local help = does("--help")
      assert.equal(help, does("help"))
      for _, verb in ipairs { "run", "check", "explain", "import", "bench", "version", "help" } do
        assert.truthy(help:find("\n  " .. verb .. " ", 1, true))
        local text = does("help " .. verb)
        assert.equal(text, does(verb .. " --help"))
        assert.truthy(text:find("  allot " .. verb, 1, true), verb .. " has an example")
        for line in text:gmatch("[^\n]+") do
          assert.is_true(#line <= 100, line)
        end
      end
    end)

    it("tells the version", function ()
      assert.equal("allot 0.1.0", does("version"):match("^[^\n]+"))
      assert.equal(does("version"), does("--version"))
      local document = json.decode(does("version --format json"))
      assert.same({ "allot/version/v1", "0.1.0" }, { document.schema, document.version })
      assert.truthy(table.concat(document.policies, " "):find("hybrid", 1, true))
    end)
  end)

  describe("run", function ()
    it("prints a table, grants and reclaims", function ()
      local out = does("run plan.json state.json")
      assert.truthy(out:find("default: 24 slots, policy hybrid, 2 idle, 2023-11-14T22:13:20Z\n", 1,
        true), out)
      local lines = {}
      for line in out:gmatch("[^\n]*") do
        lines[#lines + 1] = line:gsub("%s+", " ")
      end
      local text = table.concat(lines, "\n")
      for _, line in ipairs {
        "consumer own limit demand allocated quota granted reclaimed",
        "/physics 15 20 10 20 = 15 owned + 5 borrowed +2",
        "/chemistry 9 4 2 4 = 4 owned",
        "/guests 0 12 20 10 0 -10",
        "grants, in this order:\n /physics gets 2 idle slots",
        " /guests gives back 10: 8 to /physics, 2 to /chemistry, within 60 s",
        "granted 2, reclaimed 10; 0 of 2 idle slots left",
      } do
        assert.truthy(text:find(line, 1, true), line .. "\nis not in\n" .. text)
      end
      assert.falsy(out:find("\27", 1, true))
      assert.falsy(out:find(" \n", 1, true))
    end)

    it("prints a document, the same every time", function ()
      local out = does("run --format json plan.json state.json")
      assert.equal(out, does("run plan.json state.json -f json"))
      local document = json.decode(out)
      assert.equal("allot/decision/v1", document.schema)
      assert.equal("hybrid", document.policy.name)
      assert.equal(20, document.groups.default.consumers[1].quota)
    end)

    it("reads standard input", function ()
      assert.equal(does("run plan.json state.json"), does("run plan.json - < state.json"))
      assert.equal(does("run plan.json state.json"), does("run - state.json < plan.json"))
      local err = fails(3, "run - state.json < bad.json", "E-unknown-key")
      assert.truthy(err:find("<stdin>:7:", 1, true), err)
    end)

    --- Runs `allot` on a terminal of 80 columns; pending where there is none to be had.
    local function on_terminal(setting, line)
      local command = ([[cd %s; export TERM=xterm %s
        script -qec "stty cols 80; %s %s" /dev/null </dev/null | tr -d '\r']])
        :format(at, setting, shell.allot, line)
      if shell.run("script -qec true /dev/null </dev/null") ~= 0 then
        pending("no terminal to be had here")
        return nil
      end
      return select(2, shell.run(command))
    end

    it("colours when told to, or for a terminal", function ()
      assert.truthy(does("run --color always plan.json state.json"):find("\27[1m", 1, true))
      local out = on_terminal("", "run plan.json state.json")
      if out then
        assert.truthy(out:find("\27[1m", 1, true))
        out = on_terminal("NO_COLOR=1", "run plan.json state.json")
        assert.truthy(out:find("physics", 1, true))
        assert.falsy(out:find("\27", 1, true))
      end
    end)

    it("fits a narrow terminal without losing a digit", function ()
      local long = PLAN:gsub('"physics"', '"' .. ("p"):rep(100) .. '"')
      shell.write(at .. "/long.json", long)
      local state = STATE:gsub("/physics", "/" .. ("p"):rep(100)):gsub("20", "123456789", 1)
      shell.write(at .. "/long-state.json", state)
      local out = on_terminal("NO_COLOR=1", "run long.json long-state.json")
      if out then
        local table_text = out:match("\n\n(.-)\n\n")
        for row in table_text:gmatch("[^\n]+") do
          assert.is_true(#row <= 80, row)
        end
        assert.truthy(table_text:find("/pp.*%.%.%.p+ .* 123456789 "), table_text)
        assert.falsy(table_text:find(" owned", 1, true))
        assert.truthy(
          table_text:find("\n(a wider terminal shows the parts of each quota)", 1, true))
        shell.write(at .. "/short.json", '{"consumers": [{"name": "a", "owned": 1}]}')
        shell.write(at .. "/short-state.json", '{"now": 0, "consumers": {"/a": {"demand": 1}}}')
        local whole = on_terminal("NO_COLOR=1", "run short.json short-state.json")
        assert.truthy(whole:find("= 1 owned", 1, true), whole)
        assert.falsy(whole:find("wider", 1, true))
      end
    end)

    it("leaves out idle consumers of a large plan, but for --all", function ()
      local rows = {}
      for i = 1, 30 do
        rows[i] = ('{"name": "c%d", "owned": 1}'):format(i)
      end
      shell.write(at .. "/large.json",
        ('{"version": 1, "policy": "hybrid", "consumers": [%s]}'):format(table.concat(rows, ",")))
      shell.write(at .. "/large-state.json", '{"now": 0, "consumers": {"/c7": {"demand": 1}}}')
      local out = does("run large.json large-state.json")
      assert.truthy(out:find("/c7 ", 1, true))
      assert.falsy(out:find("/c8 ", 1, true))
      assert.truthy(out:find("(and 29 with nothing: --all)", 1, true))
      local whole = does("run --all large.json large-state.json")
      assert.truthy(whole:find("/c8 ", 1, true))
      assert.falsy(whole:find("with nothing", 1, true))
    end)
  end)

  describe("faults", function ()
    it("of a plan have place, source and hint", function ()
      local err, list = fails(3, "run bad.json state.json", "E-unknown-key")
      assert.truthy(err:find("^bad%.json:7:%d+: error: "), err)
      local source, caret = err:match('\n    7( |[^\n]*)\n     ( *|[^\n]*)\n')
      assert.equal(source:find('"limt"', 1, true), caret:find("^", 1, true))
      assert.equal(#'"limt"', #caret:match("%^~*$"))
      assert.truthy(err:find('hint: .*limit'), err)
      assert.same({ "bad.json", 7 }, { list[1].file, list[1].line })
      fails(3, "run plan.json plan.json", "E-")
      fails(3, "run empty.json state.json", "E-")
    end)

    it("say what they are about, once", function ()
      assert.truthy(fails(3, "check bad.json", "E-unknown-key")
        :find(': error: /guests: limt: found the unknown key "limt" [E-unknown-key]\n', 1, true))
      shell.write(at .. "/about.json", '{"slotz": 3, "slots": "3", "consumers": [\n'
        .. '{"name": "a", "owned": 1, "children": [{"name": "b", "owned": 2}]}, {"rank": -1}]}')
      local err = fails(3, "check about.json", "E-unbalanced")
      for _, words in ipairs {
        '1:2: error: found the unknown key "slotz" [',
        '1:23: error: slots: found the string "3", allowed an integer',
        "2:24: error: /a: owned is 1, but its children own 2",
        '2:69: error: consumers[1]: "name" is missing [',
        "error: consumers[1].rank: found the number -1, allowed",
      } do
        assert.truthy(err:find(words, 1, true), words .. "\nis not in\n" .. err)
      end
    end)

    it("stand under what is meant, in any script and on any line", function ()
      shell.write(at .. "/umlauts.json", '{"version": 1, /* äöü\t€ */ "slotz": 3}\n')
      local err = fails(3, "check umlauts.json", "E-unknown-key")
      local source, caret = err:match('\n    1( |[^\n]*)\n     ( *|[^\n]*)\n')
      local before = source:sub(1, source:find('"slotz"', 1, true))
      assert.equal(utf8.len(before), caret:find("^", 1, true))
      local gap = (" "):rep(150)
      shell.write(at .. "/wide.json",
        '{"version": 1,' .. gap .. '"slotz": 3, "consumers": [' .. gap .. "]}\n")
      source, caret = fails(3, "check wide.json", "E-unknown-key")
        :match('\n    1( |[^\n]*)\n     ( *|[^\n]*)\n')
      assert.is_true(#source < 100)
      assert.equal(source:find('"slotz"', 1, true), caret:find("^", 1, true))
    end)

    it("of files are I/O", function ()
      assert.truthy(fails(5, "run nowhere.json state.json", "E-io"):find("^nowhere%.json: error: "))
      fails(5, "run plan.json nowhere.json", "E-io")
      fails(5, "run . state.json", "E-io")
      fails(5, "check nowhere.lua", "E-io")
      shell.write(at .. "/away.json", (PLAN:gsub("hybrid", "away.lua")))
      local err = fails(5, "run away.json state.json", "E-io")
      assert.truthy(err:find("away.json:3:13: error: ", 1, true), err)
      fails(5, "check away.json", "E-io")
      shell.write(at .. "/away-bad.json", (BAD_PLAN:gsub("hybrid", "away.lua")))
      assert.truthy(fails(3, "check away-bad.json", "E-io"):find("[E-unknown-key]", 1, true))
    end)

    it("of a policy that fails while running are its own", function ()
      local err = fails(4, "run fails.json state.json", "E-policy-run")
      assert.truthy(err:find("^fails%.lua:3:%d+: error: /physics: no %[E%-policy%-run%]\n"), err)
      fails(4, "run endless.json state.json", "E-")
      does("run good.json state.json")
    end)

    it("of a policy's text are those of a plan", function ()
      assert.truthy(fails(3, "check broken.lua", "E-"):find("broken.lua:3", 1, true))
    end)

    it("of standard output are I/O", function ()
      for _, verb in ipairs { "run plan.json state.json", "version", "help", "check plan.json" } do
        assert.equal(5, (allot(verb .. " > /dev/full")), verb)
        assert.equal(5, (allot(verb .. " --format json > /dev/full")), verb)
        assert.equal(5, (allot(verb .. " >&-")), verb)
      end
      local _, _, err = shell.run(([[cd %s; mkfifo gone
        { read _ < gone; %s version; echo $? >&2; } | { exec < /dev/null; echo > gone; }]])
        :format(at, shell.allot))
      assert.equal("5\n", err)
    end)
  end)

  describe("check", function ()
    it("says what is valid", function ()
      assert.equal("plan.json: plan is valid, 3 consumers\ngood.lua: policy is valid\n",
        does("check --runs 0 plan.json good.lua"))
      local document = json.decode(does("check --runs 0 --format json plan.json good.lua"))
      assert.equal("allot/check/v1", document.schema)
      assert.same({ file = "plan.json", kind = "plan", consumers = 3 }, document.checked[1])
      assert.same({ file = "good.lua", kind = "policy" }, document.checked[2])
    end)

    it("tells the faults of every file", function ()
      local err = fails(3, "check bad.json plan.json broken.lua", "E-unknown-key")
      assert.truthy(err:find("broken.lua:3", 1, true), err)
      fails(5, "check bad.json nowhere.json", "E-io")
    end)

    it("knows a state when it gets one", function ()
      local err = fails(3, "check state.json", "E-not-a-plan")
      assert.truthy(err:find("hint: check reads plans and policies", 1, true), err)
      assert.falsy(fails(3, "check bad.json", "E-"):find("E-not-a-plan", 1, true))
    end)

    it("counts nothing as a fault", function ()
      assert.truthy(fails(3, "check", "E-nothing"):find("nothing was checked", 1, true))
    end)
  end)

  describe("explain", function ()
    it("tells a consumer's part with its numbers", function ()
      local out = does("explain plan.json state.json /guests")
      assert.truthy(out:find("10", 1, true), out)
      local document = json.decode(does("explain -f json plan.json state.json /guests"))
      assert.same({ "allot/explain/v1", "/guests" }, { document.schema, document.path })
      assert.equal("default", document.groups[1].group)
      assert.equal(out, table.concat(document.groups[1].lines, "\n") .. "\n")
    end)

    it("knows the nearest path", function ()
      local err = fails(2, "explain plan.json state.json /phisics", "E-unknown-consumer")
      assert.truthy(err:find("did you mean /physics?", 1, true))
      assert.truthy(fails(2, "explain -g gpu plan.json state.json /guests", "E-unknown-group")
        :find("default", 1, true))
    end)

    it("tells all groups, or one", function ()
      shell.write(at .. "/groups.json", [[{"version": 1, "policy": "hybrid",
        "groups": {"cpu": {"slots": 4}, "gpu": {"slots": 2}},
        "consumers": [{"name": "a", "owned": 2}]}]])
      shell.write(at .. "/groups-state.json",
        '{"now": 0, "consumers": {"/a": {"demand": {"cpu": 1}}}}')
      local out = does("explain groups.json groups-state.json /a")
      assert.truthy(out:find("In group cpu:\n", 1, true))
      assert.truthy(out:find("\n\nIn group gpu:\n", 1, true))
      local one = does("explain groups.json groups-state.json /a --group gpu")
      assert.falsy(one:find("cpu", 1, true))
      assert.truthy(does("run groups.json groups-state.json"):find("\ngpu: 2 slots", 1, true))
    end)
  end)

  it("bench measures", function ()
    local text = does("bench --shape flat --repeat 1")
    assert.truthy(text:find("\nflat +10000 "), text)
    local document = json.decode(does("bench --shape flat --repeat 1 --format json"))
    assert.equal("allot/bench/v1", document.schema)
    local row = document.shapes[1]
    assert.same({ "flat", 10000 }, { row.name, row.consumers })
    assert.is_true(row.cycle_ns.best > 0 and row.stream_ns.best > 0)
    assert.is_true(row.cycle_ns.best <= row.cycle_ns.median)
    assert.is_string(document.machine.cpu)
  end)
end)
