-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The REPL without a terminal: allot repl --eval, and what comes through a pipe.

local api = require "allot.reference.api"
local core = require "allot.core"
local json = require "dkjson"
local shell = require "spec.support.house.shell"

local FIRST = { "examples/first/plan.json", "examples/first/state.json" }
local QUEUES = { "examples/queues/plan.json", "examples/queues/state.json" }

--- Evaluates pieces about documents; exit status, standard output and standard error.
local function eval(documents, ...)
  local words = { "repl", table.unpack(documents) }
  for _, piece in ipairs { ... } do
    words[#words + 1] = "--eval"
    words[#words + 1] = piece
  end
  return shell.command(table.unpack(words))
end

local function shows(wanted, documents, ...)
  local status, out, err = eval(documents, ...)
  assert.equal("", err)
  assert.equal(wanted, out)
  assert.equal(0, status)
end

local function fails(wanted, message, documents, ...)
  local status, out, err = eval(documents, ...)
  assert.equal(message, err:match "^[^\n]*")
  assert.equal("", out)
  assert.equal(wanted, status)
  return err
end

describe("allot repl", function ()
  it("decides as allot run does", function ()
    local _, wanted = shell.command("run", FIRST[1], FIRST[2])
    shows(wanted, FIRST, "cycle()")
    _, wanted = shell.command("run", QUEUES[1], QUEUES[2])
    shows(wanted, QUEUES, "cycle()")
  end)

  it("needs no plan: one is made by typing", function ()
    local status, out = eval({}, 'consumers["/a"] = {owned = 10}',
      'consumers["/a/b"] = {owned = 4}', 'demand("/a/b", 7)',
      "cycle().groups.default.consumers[2].quota", "plan")
    assert.equal(0, status)
    assert.equal('7\n{ policy = "hybrid", version = 1 }\n', out)
  end)

  it("shows tables sorted, aligned and not too deep", function ()
    shows([[
consumer       grace  limit  owned  rank  reserve
/risk
/risk/nightly                   12
/risk/desk                       8              4
/science          60     24     10     1
/students         30                   2
]], FIRST, "consumers")
    shows([[
{ 1, "two\n", { a = 1, b = {} }, false }
{ ["not a name"] = 1, x = { y = { z = { a = { b = { c = { ... } } } } } } }
name  slots
a         1
b        20
]], {}, '{1, "two\\n", {b = {}, a = 1}, false}',
      '{x = {y = {z = {a = {b = {c = {1}}}}}}, ["not a name"] = 1}',
      '{{name = "a", slots = 1}, {slots = 20, name = "b"}}')
    shows("cycle is a function; :help cycle\nfunction\n", {}, "cycle", "print")
    shows("{ me = { (itself) } }\n", {}, "do local t = {} t.me = t return t end")
    local _, out = eval({}, "do local t = {} for i = 1, 1000 do t[i] = i end return t end")
    assert.matches("%.%.%. %(and 800 more%)", out)
    for line in out:gmatch "[^\n]+" do assert.is_true(#line <= 80) end
  end)

  it("prints what pieces and policies print", function ()
    shows("1\t2\nlog: so\nnil\n", {}, "print(1, 2) log('so')", "nil")
    local _, out = eval({ "examples/first/plan.json" },
      [[try "log('heard') return policy { name = 'x', quota = { fill 'a' { by = 1 } } }"]])
    assert.matches("^try:1: log: heard\nhybrid %-> x\n", out)
    for _, piece in ipairs { "cycle", "0/0", "{ print }", "local t = {} t.t = t return t" } do
      -- the status is that of text, whatever JSON has no word for
      local code = shell.command("repl", "--eval", piece)
      local same, made = shell.command("repl", "--format", "json", "--eval", piece)
      assert.equal(code, same, piece)
      assert.truthy(json.decode(made), made)
    end
    local _, document, err = shell.command("repl", "--format", "json", "--eval",
      "print 'no JSON' return {1, {a = 2}}")
    assert.equal('[1, {"a": 2}]\n', document)
    assert.equal("no JSON\n", err)
  end)

  it("says what is wrong in the desk's words", function ()
    local err = fails(3, 'allot: error: consumers["/risk/desk"].ownd: found the unknown key "ownd" '
      .. "[E-unknown-key]", FIRST, 'consumers["/risk/desk"].ownd = 1')
    assert.matches('did you mean "owned"', err)
    err = fails(3, 'allot: error: consumers["/science"].demand: found the unknown key "demand" '
      .. "[E-unknown-key]", FIRST, 'consumers["/science"].demand = 1')
    assert.matches('demand %("/science", 40%)', err)
    fails(3, 'allot: error: consumers["/x/y"]: there is no /x [E-desk]', FIRST,
      'consumers["/x/y"] = {}')
    fails(3, 'allot: error: consumers["x"]: a path begins with / and ends with a name [E-desk]',
      FIRST, "consumers.x = {}")
    fails(3, 'allot: error: consumers["/x"] is a number; a table of attributes is wanted [E-desk]',
      FIRST, 'consumers["/x"] = 5')
    fails(3, "allot: error: consumers has the key 1; its keys are texts [E-desk]", FIRST,
      "consumers[1] = {}")
    fails(3, "allot: error: plan.queues: queues lie beside the plan [E-desk]", FIRST,
      "plan.queues = {}")
    fails(3, "allot: error: state.jobs: jobs lie beside the state [E-desk]", FIRST,
      "state.jobs = {}")
    fails(4, "eval:1: error: there is no 'exit' here; commands begin with a colon: :quit [E-repl]",
      FIRST, "exit")
    fails(3, "allot: error: plan is a number, and was a table [E-desk]", FIRST, "plan = 5")
    fails(3, 'allot: error: consumers["/science"].owned: a function, which is no value of JSON '
      .. "[E-desk]", FIRST, 'consumers["/science"].owned = print')
    fails(3, 'allot: error: plan.slot: found the unknown key "slot" [E-unknown-key]', FIRST,
      "plan.slot = 5")
    fails(3, 'allot: error: state.consumers["/scienc"]: found the path "/scienc", which no '
      .. "consumer of the plan has [E-unknown-path]", FIRST, 'demand("/scienc", 4)')
    fails(3, 'allot: error: jobs["111"].slot: found the unknown key "slot" [E-unknown-key]', QUEUES,
      'jobs["111"].slot = 5')
    fails(3, 'allot: error: queues["night"].prio: found the unknown key "prio" [E-unknown-key]',
      QUEUES, "queues.night.prio = 5")
  end)

  it("says where Lua failed, and with which status", function ()
    fails(4, "eval:2: error: no [E-repl]", {}, "local x = 1\nerror 'no'")
    local err = fails(4, "eval:1: error: there is no 'conumers' here [E-repl]", {}, "conumers")
    assert.matches("did you mean 'consumers'", err)
    fails(4, "eval:1: error: unexpected symbol near '=' [E-repl-syntax]", {}, "x = = 1")
    for piece, meant in pairs {
      ['consumers["/sciense"].owned = 3'] = "did you mean /science?",
      ['return consumers["/risk/nigthly"].owned'] = "did you mean /risk/nightly?",
    } do
      local _, _, told = eval(FIRST, piece)
      assert.truthy(told:find(meant, 1, true), told)
    end
    local _, _, told = eval(FIRST, 'consumers["/wholly/other"].owned = 3')
    assert.falsy(told:find("did you mean", 1, true), told)
    fails(4, "allot: error: eval ends in the middle of a statement [E-repl-syntax]", {}, "for i")
    fails(4, "eval:1: error: calls are nested deeper than 200, or have more than 250 arguments "
      .. "[E-repl-limit]", {}, "local function f() return 1 + f() end f()")
  end)

  it("ends at the first error, and shows nothing then", function ()
    local status, out, err = shell.run(("printf '1\\nx = {\\n2}\\nnoone\\n3\\n' | %s repl")
      :format(shell.allot))
    assert.equal(4, status)
    assert.equal("", out)
    assert.equal("<stdin>:4: error: there is no 'noone' here [E-repl]", err:match "^[^\n]*")
    status, out = shell.run(
      ("printf 'x = 1\\nfor i = 1, 2 do\\n  x = x + i\\nend\\n\\nx' | %s repl")
      :format(shell.allot))
    assert.equal(0, status)
    assert.equal("4\n", out)
    assert.equal(5, (shell.command("repl", "nowhere.json", "--eval", "1")))
    status, out = shell.command("repl", "--format", "json", "--eval", "noone")
    assert.equal(4, status)
    assert.equal("E-repl", core.decode(out).diagnostics[1].code)
  end)

  it("tells faults of the documents it is given at their places", function ()
    local status, _, err = shell.run(
      ("printf '{\\n\"slot\": 3}' | %s repl - --eval 1"):format(shell.allot))
    assert.equal(3, status)
    assert.matches('^<stdin>:2:1: error: found the unknown key "slot"', err)
  end)
end)

describe("the table of the API", function ()
  it("has the words of the desk, and examples that run", function ()
    local names = {}
    for _, entry in ipairs(api.entries) do
      if entry.group == "desk" then
        names[entry.name] = true
        local status, _, err = shell.run(([[%s repl --eval 'consumers["/a"] = {owned = 4}
          consumers["/b"] = {} demand("/a", 1) demand("/b", 2)' --eval %s]])
          :format(shell.allot, shell.quote(entry.example)))
        assert.equal("", err, entry.name)
        assert.equal(0, status)
      end
    end
    local status, out = eval({}, [[
      local list = {}
      for name in pairs { plan = 1, consumers = 1, queues = 1, state = 1, jobs = 1, demand = 1,
          holds = 1, used = 1, cycle = 1, explain = 1, diff = 1, undo = 1, try = 1, step = 1,
          policies = 1 } do
        list[#list + 1] = name
      end
      return table.concat(list, " ")]])
    assert.equal(0, status)
    for name in out:gmatch "%l+" do
      assert.is_true(names[name], name)
      names[name] = nil
    end
    assert.same({}, names)
  end)
end)
