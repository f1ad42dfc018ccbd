-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The desk's words and commands: what they change, show and refuse.

local core = require "allot.core"
local shell = require "spec.support.house.shell"

local FIRST = { "examples/first/plan.json", "examples/first/state.json" }

--- What pieces show as JSON, decoded; the last one's value.
local function value(documents, ...)
  local words = { "repl", "--format", "json", table.unpack(documents) }
  for _, piece in ipairs { ... } do
    words[#words + 1] = "--eval"
    words[#words + 1] = piece
  end
  local status, out, err = shell.command(table.unpack(words))
  assert.equal("", err)
  assert.equal(0, status, out)
  return core.decode(out:match "([^\n]*)\n$")
end

local function text(documents, ...)
  local words = { "repl", table.unpack(documents) }
  for _, piece in ipairs { ... } do
    words[#words + 1] = "--eval"
    words[#words + 1] = piece
  end
  local status, out, err = shell.command(table.unpack(words))
  return out, status, err
end

local function refusal(documents, ...)
  local out, status, err = text(documents, ...)
  assert.equal("", out)
  return err:match "^[^\n]*", status
end

describe("demand and holds", function ()
  it("set what the state says of a consumer", function ()
    assert.same({ demand = 3, allocated = 14 },
      value(FIRST, 'demand("/science", 3)', 'state.consumers["/science"]'))
    assert.same({ demand = 40, allocated = 2 },
      value(FIRST, 'holds("/science", 2)', 'state.consumers["/science"]'))
    local message, status = refusal(FIRST, "demand(1, 2)")
    assert.matches("demand wants the path of a consumer, not a number %[E%-desk%]", message)
    assert.equal(3, status)
  end)

  it("do as used does, whose use is of now and fades from there (C-14)", function ()
    local use = 'used("/science", 900)'
    local now = "2026-03-02T09:00:00Z"
    assert.same({ demand = 40, allocated = 14, usage = 900, usage_at = now },
      value(FIRST, "plan.half_life = 60", 'state.consumers["/science"].usage_rest = 5', use,
        'state.consumers["/science"]'))
    assert.same({ demand = 40, allocated = 14 },
      value(FIRST, use, 'used("/science")', 'state.consumers["/science"]'))
    local later = 'state.now = "2026-03-02T09:01:00Z"'
    assert.matches("Its use is 450 slot-seconds at", (text(FIRST, "plan.half_life = 60",
      'demand("/science", 0) holds("/science", 0)', use, later, 'explain "/science"')), 1, true)
    assert.matches('hint: what was used stands in the state: used ("/science", 900)',
      select(3, text(FIRST, 'consumers["/science"].usage = 5')), 1, true)
  end)
end)

describe("explain", function ()
  it("tells what allot explain tells", function ()
    local _, wanted = shell.command("explain", FIRST[1], FIRST[2], "/science")
    assert.equal(wanted, (text(FIRST, 'explain "/science"')))
    assert.equal("allot: error: there is no consumer /scienc [E-desk]",
      (refusal(FIRST, 'explain "/scienc"')))
    assert.equal("allot: error: explain wants a consumer's path, or the id of a task or job "
      .. "[E-desk]", (refusal(FIRST, "explain(5)")))
  end)
end)

describe("diff", function ()
  it("shows what would be decided otherwise than by the last cycle", function ()
    local out = text(FIRST, "local _ = cycle()", 'demand("/science", 0)', "diff()")
    assert.equal([[
consumer   demand   quota    granted  reclaimed
/science   40 -> 0  12 -> 0        0  2 -> 10
/students  8        0 -> 8         0  6 -> 0
]], out)
  end)

  it("compares the last two cycles where nothing changed since", function ()
    local out = text(FIRST, "local _ = cycle()", 'demand("/students", 0)', "local _ = cycle()",
      "diff()")
    assert.matches("^nothing changed since the last cycle; it and the one before:\n", out)
    assert.matches("/students +8 %-> 0", out)
    assert.equal("no difference\n", (text(FIRST, "local _ = cycle() _ = cycle()", "diff()")))
    assert.equal("no difference\n", (text(FIRST, "local _ = cycle()",
      "plan.options = {leeway = 60}", "diff()")))
    assert.equal("allot: error: nothing was decided yet [E-desk]", (refusal(FIRST, "diff()")))
  end)

  it("sees that a policy's file changed", function ()
    local folder = shell.directory()
    local plan, policy = folder .. "/plan.json", folder .. "/site.lua"
    local body = "return policy { name = 'site', quota = { fill 'a' { by = 1, up_to = %d } } }"
    shell.write(plan, '{"slots": 9, "policy": "site.lua", "consumers": [{"name": "a"}]}')
    shell.write(policy, body:format(3))
    shell.write(folder .. "/pieces", ([[demand("/a", 8)
local _ = cycle()
:save %s
diff()
]]):format(policy)) -- the plan is no policy any more
    local status, _, err = shell.run(("%s repl %s < %s/pieces"):format(shell.allot, plan, folder))
    shell.remove(folder)
    assert.equal(3, status)
    assert.matches("site.lua:1:1: error: ", err)
  end)

  it("tells of jobs", function ()
    local out = text({ "examples/queues/plan.json", "examples/queues/state.json" },
      "local _ = cycle()", 'jobs["120"], jobs["111"], jobs["112"] = nil', "diff()")
    assert.matches("job 102: is suspended %-> stays\n", out)
    assert.matches("job 120: starts %-> stays\n", out)
  end)
end)

describe("try", function ()
  it("decides by another policy, and leaves the plan alone", function ()
    local out = text(FIRST, 'try "share_ratio"', "plan.policy")
    assert.matches("^hybrid %-> share_ratio\nconsumer", out)
    assert.matches('"hybrid"\n$', out)
    assert.matches("no difference", (text(FIRST, 'try "hybrid"')))
    assert.matches("^hybrid %-> hybrid\nconsumer", (text(FIRST,
      'try { use = "hybrid", evenly = true }')))
  end)

  it("takes files and texts", function ()
    assert.matches("^hybrid %-> capped\n", (text(FIRST, 'try "examples/capped/capped.lua"')))
    local message, status = refusal(FIRST, 'try "nowhere.lua"')
    assert.equal(5, status)
    assert.matches("cannot read the policy examples/first/nowhere.lua", message)
    assert.equal(5, select(2, refusal({}, 'try "nowhere.lua"')))
    message, status = refusal(FIRST, 'try "return policy {"')
    assert.equal(3, status)
    assert.equal("try:1:1: error: unexpected symbol near <eof> [E-policy-syntax]", message)
    assert.matches('there is no policy "hybri"', (refusal(FIRST, 'try "hybri"')))
    assert.matches("try wants a policy, not a number", (refusal(FIRST, "try(5)")))
    message, status = refusal(FIRST, 'try "while true do end return 1"')
    assert.matches("E%-policy%-budget", message)
    assert.equal(4, status)
  end)
end)

describe("undo", function ()
  it("takes back piece by piece what changed plan or state", function ()
    assert.same({ 8, 9, 10 }, value(FIRST, 'consumers["/risk/desk"].owned = 9', "x = 1",
      'consumers["/risk/desk"].owned = 10', "list = {} list[3] = consumers['/risk/desk'].owned",
      "undo()", "list[2] = consumers['/risk/desk'].owned", "undo()",
      "list[1] = consumers['/risk/desk'].owned", "list"))
    assert.equal(8, value(FIRST, 'consumers["/risk/desk"].owned = 9', 'demand("/science", 1)',
      "undo(2)", 'consumers["/risk/desk"].owned'))
    assert.equal("allot: error: there is nothing to undo [E-desk]", (refusal(FIRST, "undo()")))
  end)

  it("brings back what was removed, in its place", function ()
    local before = text(FIRST, "consumers")
    assert.equal(before, (text(FIRST, 'consumers["/science"] = nil'
      .. ' state.consumers["/science"] = nil', "local _ = undo()", "consumers")))
  end)

  it("shows what that changes, the first of it", function ()
    assert.equal('consumers["/risk/desk"].owned: 9 -> 8\n'
      .. 'state.consumers["/science"].demand: 1 -> 40\nstate.slots: 4 -> none\n',
      (text(FIRST, 'consumers["/risk/desk"].owned = 9', 'demand("/science", 1)', "state.slots = 4",
        "undo(3)")))
    assert.equal('there were only 1 to undo\nplan.options: {"hold_rounding": true, '
      .. '"keep_shrunk_... -> none\n', (text(FIRST,
      "plan.options = { hold_rounding = true, keep_shrunk_ownership = true }", "undo(2)")))
    local all = text(FIRST,
      'for path in pairs(state.consumers) do demand(path, 7) holds(path, 0) end', "undo()")
    assert.matches('state.consumers["/risk/desk"].demand: 7 -> 1\n', all, 1, true)
    assert.matches("\nand 2 more\n$", all)
  end)
end)

describe("step", function ()
  it("carries decisions out until there is nothing to do", function ()
    assert.equal([[
step  at                    granted  reclaimed  idle left
1     2026-03-02T09:00:00Z        3          8          0
2     2026-03-02T09:01:00Z        5          0          0
3     2026-03-02T09:02:00Z        0          0          0
]], (text(FIRST, "step(3)")))
    local rows = value(FIRST, "local _ = step(3)", "state.consumers")
    assert.equal(14, rows["/risk/nightly"].allocated)
    assert.equal(12, rows["/science"].allocated)
    assert.is_nil(rows["/students"].allocated)
  end)

  it("keeps what is reclaimed with grace in flight until its deadline", function ()
    local state = value(FIRST, "local _ = step(1, 40)", "state")
    assert.is_nil(state.consumers["/students"].allocated) -- 30 s
    assert.equal(14, state.consumers["/science"].allocated) -- 60 s
    assert.equal(2, state.reclaims[1].slots)
    state = value(FIRST, "local _ = step(2, 40)", "state")
    assert.equal(12, state.consumers["/science"].allocated)
    assert.is_nil(state.reclaims)
  end)

  it("keeps groups apart", function ()
    local rows = value({}, [[plan.groups = {cpu = {slots = 10}, gpu = {slots = 2}}
      consumers["/a"], consumers["/b"] = {owned = 5}, {}
      demand("/a", {cpu = 4, gpu = 3}) demand("/b", {cpu = 9})]], "local _ = step(3)",
      "state.consumers")
    assert.same({ cpu = 4, gpu = 2 }, rows["/a"].allocated)
    assert.same({ cpu = 6 }, rows["/b"].allocated)
    assert.equal('allot: error: state.consumers["/a"].allocated: found one number, allowed '
      .. "{group: number}: the plan has 2 groups [E-type]", (refusal({}, [[
      plan.groups = {cpu = {slots = 10}, gpu = {slots = 2}} consumers["/a"] = {}
      holds("/a", 4)]])))
  end)

  it("moves jobs, tasks, loans and leases", function ()
    local function after(folder, what)
      return value({ ("examples/%s/plan.json"):format(folder),
        ("examples/%s/state.json"):format(folder) }, "local _ = step(2)", what)
    end
    local jobs = after("queues", "jobs")
    assert.equal("running", jobs["120"].state)
    assert.equal("suspended", jobs["102"].state)
    assert.equal(120, after("queues", "state.now") - jobs["102"].since)
    local tasks = {}
    for _, task in ipairs(after("hosts", "state.tasks")) do tasks[task.id] = task end
    assert.is_nil(tasks["b-1"])
    assert.equal("/payroll", (tasks["step-1"] or tasks["step-2"]).consumer)
    assert.equal(4, after("ownership", "state.loans")[1].slots)
    assert.equal(5, after("leases", "state.leases").north.provider.used)
  end)

  for _, folder in ipairs { "first", "ratio", "mixed", "hosts", "damping", "ownership", "windows",
    "leases", "pools", "queues", "victims", "capped" } do
    it("comes to rest in examples/" .. folder, function ()
      local rows = value({ ("examples/%s/plan.json"):format(folder),
        ("examples/%s/state.json"):format(folder) }, "step(12)")
      assert.equal(12, #rows)
      assert.equal(0, rows[12].granted, folder)
      assert.equal(0, rows[12].reclaimed, folder)
    end)
  end
end)

describe("commands", function ()
  local folder
  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  it("save and load the documents", function ()
    local plan, state = folder .. "/plan.json", folder .. "/state.json"
    local out = text(FIRST, 'consumers["/risk/desk"].owned = 7', 'demand("/science", 5)',
      (":save %s %s"):format(plan, state))
    assert.equal(("wrote the plan to %s\nwrote the state to %s\n"):format(plan, state), out)
    assert.equal(0, (shell.command("check", plan)))
    out = text({}, ":load " .. plan, ":load " .. state, 'consumers["/risk/desk"].owned',
      'state.consumers["/science"].demand', "local _ = undo()", 'state.consumers')
    assert.equal(("the plan is on the desk: %s\nthe state is on the desk: %s\n7\n5\n{}\n")
      :format(plan, state), out)
    shell.write(folder .. "/more.lua", "double = function (x)\n  return 2 * x\nend\nreturn 5")
    assert.equal("5\n14\n", (text({}, (":load %s/more.lua"):format(folder), "double(7)")))
  end)

  it("say why they cannot", function ()
    local message, status = refusal({}, ":load " .. folder .. "/none.json")
    assert.matches("none.json: error: cannot be read: No such file or directory %[E%-io%]", message)
    assert.equal(5, status)
    shell.write(folder .. "/bad.json", '{"slots": 3,\n "x": 4}')
    message, status = refusal({}, ":save " .. folder .. "/bad.json/plan.json")
    assert.matches("cannot be written: ", message)
    assert.equal(5, status)
    assert.matches("bad.json:2:2: error: found the unknown key",
      (refusal({}, ":load " .. folder .. "/bad.json")))
    shell.write(folder .. "/bad.lua", "x = = 3")
    assert.matches("bad.lua:1: unexpected symbol", (refusal({}, ":load " .. folder .. "/bad.lua")))
    assert.equal("allot: error: :load wants a file [E-desk]", (refusal({}, ":load")))
    assert.equal("allot: error: :save wants the plan's file, and may have the state's behind it "
      .. "[E-desk]", (refusal({}, ":save")))
    assert.equal("allot: error: there is no command :hepl [E-desk]", (refusal({}, ":hepl")))
  end)

  it("help, take the time and quit", function ()
    local all = text({}, ":help")
    assert.matches("The session's tables", all)
    for line in all:gmatch "[^\n]+" do assert.is_true(#line <= 80, line) end
    local _, wanted = shell.command("help", "fill")
    assert.equal(wanted, (text({}, ":help fill")))
    assert.matches("step %(count%?, seconds%?%)", (text({}, ":help step")))
    assert.matches("there is no verb or topic fil", (refusal({}, ":help fil")))
    assert.matches("^5\n%d+%.%d%d%d ms\n$", (text({}, ":time 2 + 3")))
    assert.matches("unexpected symbol", (refusal({}, ":time = 3")))
    assert.equal("1\n", (text({}, "1", ":quit", "2")))
  end)
end)
