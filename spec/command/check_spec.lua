-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot check` on random cases: what is broken is found, told to a newcomer, and written down.

local json = require "dkjson"
local shell = require "spec.support.house.shell"

local RUNS = 96

local out

--- Runs `allot check`, however long it takes; status, standard output, standard error.
local function check(line, runs)
  return shell.run(("%s check --seconds 0 --runs %d --out %s %s"):format(shell.allot, runs or RUNS,
    out, line))
end

local function site(text)
  local path = out .. "/site.lua"
  shell.write(path, text)
  return path
end

local function has(text, ...)
  for _, piece in ipairs { ... } do
    assert.truthy(text:find(piece, 1, true), piece .. "\n" .. text)
  end
end

setup(function () out = shell.directory() end)
teardown(function () shell.remove(out) end)

--- Policies of examples/broken: the status, and pieces of what is said.
local BROKEN = {
  steals_reserve = { 1, "steals_reserve.lua:12:18: error: reserve_kept is not kept: /",
    " reserves ", " of them once all is carried out, while /", "above its quota [E-property]" },
  owners_last = { 1, "owners_last.lua:8:5: error: owners_first is not kept: /", " owns ",
    ", but gets ", " borrows " },
  ping_pong = { 1, "ping_pong.lua:8:5: error: /", "and so on for ever, though nobody wants "
    .. "anything else: slots go to and fro [E-rest]", "hint: let quotas go by demand" },
  remembers = { 1, "remembers.lua", ", and then ", "of the same plan and state [E-same-answer]",
    "hint: a function of the policy remembers something from call to call" },
  each_other = { 1, "each_other.lua:7:3: error: /", "queues preempt each other in a circle",
    "hint: let a queue preempt only those of lower priority" },
  greedy = { 1, 'greedy.lua:9:5: error: the property "nobody gets more than half of the slots" '
    .. "does not hold: /", " gets " },
  heavy = { 0, "heavy.lua: warning: a function takes ", "% of the instructions that 1000 rows may",
    "hint: a larger site takes it over" },
  clock = { 4, "clock.lua:9:7: error: /", "unknown name 'os' [E-policy-run]",
    "hint: a policy has no clock" },
  dice = { 4, "dice.lua:7:3: error: /", "unknown function of math 'random' [E-policy-run]",
    "hint: a policy throws no dice" },
  loops = { 4, "loops.lua:11:9: error: /", "runs for more than its 10000000 instructions "
    .. "[E-policy-budget]", "hint: a loop does not end" },
  memory = { 4, "memory.lua:11:9: error: /", "uses more than 67108864 bytes of memory "
    .. "[E-policy-memory]", "hint: a function keeps or builds too much" },
  recursion = { 4, "recursion.lua:7:3: error: /", "calls are nested deeper than 200",
    "[E-policy-budget]", "hint: a function calls itself without end" },
  huge_string = { 4, "huge_string.lua:7:3: error: /", "would make more than 4096 bytes",
    "hint: a policy computes with numbers" },
  rare_type = { 4, "rare_type.lua:9:7: error: /", "[E-policy-run]", "hint: " },
}

describe("a broken policy", function ()
  for name, expected in pairs(BROKEN) do
    it(name .. " is caught, with words for a newcomer", function ()
      local status, result, err = check("examples/broken/" .. name .. ".lua")
      assert.equal(expected[1], status, err)
      has(err, table.unpack(expected, 2))
      local code = shell.read("examples/broken/README.md"):match(
        "`" .. name .. "%.lua` | [^|]+ | ([EW][%w-]+) |")
      has(err, "[" .. assert(code, "the README does not name the mistake") .. "]")
      assert.equal(status == 0, result:find(": policy is valid\n", 1, true) ~= nil, result)
      local but = name == "each_other" and "does not run on every plan" or "1 of %d+ checks fails"
      assert.equal(status == 1, result:find("is valid, but " .. but .. "\n") ~= nil, result)
      local plan, state = err:match "see it: allot run (%S+) (%S+)"
      if status == 0 then return assert.is_nil(plan) end
      -- The case is there, and shows it.
      local ran = shell.run(("%s run %s %s"):format(shell.allot, plan, state))
      assert.equal(name == "each_other" and 3 or status == 4 and 4 or 0, ran, plan)
      assert.truthy(#shell.read(plan) < 2500, plan)
    end)
  end

  it("lets quotas go by what is held in a function, as by a column", function ()
    for _, held in ipairs { '"allocated"', "function (owned, allocated) return math.max(owned, "
      .. "allocated) end" } do
      local status, _, err = check(site(([[return policy { name = "kept", quota = {
        fill "owned" { by = "owned", up_to = "owned" },
        fill "kept" { by = "owned", up_to = %s }, fill "idle" { by = "owned" }, fill { by = 1 } },
        round = "largest_remainder" }]]):format(held)), 1000)
      assert.same({ 0, "" }, { status, err })
    end
  end)

  it("is found in what it says of tasks, guards and sessions", function ()
    for rule, words in pairs {
      ['victims = order { function (ran) return ran > 9 and "x" or 1 end }'] = "returned a string",
      ['guards = { guard "g" { value = function (slots) return 1 / slots end, min = 0 } }']
        = "a float",
      ["sessions = { proportional = { fill { by = function (priority) return -priority end } } }"]
        = "a number here is 0 ... 1000000000",
    } do
      local text = "return policy { name = 's', quota = { fill 'a' {} }, %s }"
      local status, _, err = check(site(text:format(rule)), 400)
      assert.equal(4, status, rule .. err)
      has(err, words, "[E-policy-run]")
    end
  end)

  it("is found by a spec for every one that there is", function ()
    for _, path in ipairs(shell.lines "ls examples/broken/*.lua") do
      assert.truthy(BROKEN[path:match "([%w_]+)%.lua$"], path)
    end
  end)
end)

describe("a property", function ()
  --- What is said of a policy that promises `name`.
  local function broken(name, quota, more)
    local path = site(([[
return policy { name = "site", quota = { %s }, %s
  properties = { "%s" },
}
]]):format(quota, more or "", name))
    local status, _, err = check(path, 600)
    assert.equal(1, status, err)
    has(err, name .. " is not kept: /", "[E-property]")
    return err
  end

  it("work_conserving: no slot is idle while somebody wants it", function ()
    has(broken("work_conserving", 'fill "owned" { by = "owned", up_to = "owned" }'),
      " would be idle")
  end)

  it("steady: quotas go by what is wanted", function ()
    has(broken("steady", 'fill "all" { by = function (allocated) return allocated + 1 end }'),
      "if nobody held any")
  end)

  it("demand_monotone: who asks for more does not get less", function ()
    has(broken("demand_monotone",
      'fill "all" { by = function (demand) return math.max(1, 20 - demand) end }'), "if it wanted ")
  end)

  it("house_monotone: nobody loses by there being more", function ()
    has(broken("house_monotone", 'fill "all" { by = "share" }', 'round = "ceil_in_order",'),
      "it loses by there being more")
  end)

  it("envy_free: equals get the same", function ()
    has(broken("envy_free", 'fill "all" { by = 1, order = order { desc "demand" } }'),
      "the plan says the same of it and of /")
  end)

  it("is kept by policies that go by use, which cases with other demand have, too", function ()
    local path = site([[
return policy { name = "site",
  quota = { fill "all" { by = 1, order = order { "used_over_share" } } },
  properties = { "steady", "demand_monotone" },
}
]])
    local status, said, err = check(path, 1000)
    assert.equal(0, status, said .. err)
    has(said, "steady", "demand_monotone")
  end)

  --- Books are kept by what is held, which goes wrong more rarely than it is seen in few cases.
  local CASES = { ownership = 6000, share_ratio = 1000, hybrid = 1000 }

  it("is kept by every ready-made policy that declares it", function ()
    for _, name in ipairs(require "allot.core".ready()) do
      local cases = CASES[name] or 200
      local status, result, err = check(name, cases)
      assert.equal(0, status, err)
      has(result, ("%s: policy is valid\n  %d random cases"):format(name, cases))
    end
  end)

  it("that fails while it runs is the policy's failure", function ()
    local status, _, err = check(site [[
return policy {
  name = "site", quota = { fill "all" { by = 1 } },
  properties = { property "it" (function (case) return case.rows["/nobody"].quota > 0 end) },
}
]])
    assert.equal(4, status)
    has(err, "site.lua:3:3: error: ", "attempt to index a nil value", "[E-policy-run]")
  end)
end)

describe("a plan", function ()
  local function plan(text)
    local path = out .. "/plan.json"
    shell.write(path, text)
    return path
  end

  it("is tried with its own policies on states of its own", function ()
    for _, path in ipairs(shell.lines "ls examples/*/plan.json") do
      local status, result, err = check(path, 64)
      assert.equal(0, status, err)
      has(result, path .. ": plan is valid", "64 random states")
    end
  end)

  it("has consumers that never get a slot", function ()
    local status, _, err = check(plan [[
{"version": 1, "policy": "hybrid", "slots": 9, "consumers": [
  {"name": "a", "owned": 9},
  {"name": "dead", "limit": 0},
  {"name": "night", "limit": 0}],
 "windows": [{"from": "20:00", "to": "06:00", "consumers": {"/night": {"limit": 3}}}]}
]])
    assert.equal(0, status)
    has(err, "plan.json:3:12: warning: /dead never gets a slot", "[W-unreachable]")
    assert.falsy(err:find("/night", 1, true), err)
  end)

  it("has one cycle more to come to rest at the second of a switch (C-10)", function ()
    assert.equal(0, (check("--seed 13 examples/windows/plan.json", 200)))
  end)

  it("never comes to rest where tasks take each other's place, which is told at inside", function ()
    shell.write(out .. "/turns.lua", [[
return policy {
  name = "turns",
  quota = { fill "all" {} },
  inside = function (task, other) return task.priority ~= other.priority end,
}
]])
    local status, _, err = check(out .. "/turns.lua", 1000)
    assert.equal(1, status, err)
    has(err, out .. "/turns.lua:4:3: error: /", "'s task ", " takes the place of ",
      ", which comes back in turn, and so on for ever [E-rest]",
      "hint: of two tasks let one take the other's place, and not both: higher \"priority\"")
  end)

  it("of a policy that breaks is told at the policy's line", function ()
    shell.write(out .. "/each.lua", shell.read "examples/broken/ping_pong.lua")
    local status, _, err = check(plan [[
{"version": 1, "policy": "each.lua", "slots": 3, "consumers": [{"name": "a"}, {"name": "b"}]}
]])
    assert.equal(1, status, err)
    has(err, out .. "/each.lua:8:5: error: /", "[E-rest]")
    assert.equal(0, (shell.run(shell.allot .. " run "
      .. err:match "see it: allot run ([^\n]+)")))
  end)
end)

describe("checking", function ()
  it("is the same for the same seed", function ()
    local line = "--seed 7 examples/broken/ping_pong.lua hybrid"
    local first, second = { check(line) }, { check(line) }
    assert.same(first, second)
    has(first[2], "96 random cases of 6 plans, seed 7")
    assert.not_same(first, { check "--seed 8 examples/broken/ping_pong.lua hybrid" })
  end)

  it("tells all files, and the worst is the status", function ()
    local status, _, err = check(
      "examples/broken/ping_pong.lua examples/broken/clock.lua nowhere.lua", 40)
    assert.equal(5, status)
    has(err, "[E-rest]", "[E-policy-run]", "nowhere.lua: error: cannot be read")
  end)

  it("says that a word is no policy", function ()
    local status, text, err = shell.command("check", "hybird")
    assert.same({ 3, "" }, { status, text })
    has(err, "there is no file and no policy hybird; ready-made are hybrid, ",
      "did you mean hybrid?")
    status, text, err = shell.command("check", "examples")
    assert.same({ 5, "" }, { status, text })
    has(err, "examples: error: cannot be read: Is a directory [E-io]")
  end)

  it("says where a case could not be written", function ()
    local line = "%s check --seconds 0 --runs 80 --out /dev/null/no examples/broken/greedy.lua"
    local status, _, err = shell.run(line:format(shell.allot))
    assert.equal(5, status)
    has(err, "/dev/null/no/greedy-nobody", "[E-io]")
  end)

  it("of nothing but validity takes no cases", function ()
    local status, result = check("examples/broken/ping_pong.lua", 0)
    assert.equal(0, status)
    assert.equal("examples/broken/ping_pong.lua: policy is valid\n", result)
  end)
end)

describe("a plan with queues that is valid is checked:", function ()
  for what, text in pairs {
    ["hosts that are all but one"] = '"queues": [{"name": "q", "hosts": ["all", "~a"]}]',
    ["hosts of groups inside groups"] = '"host_groups": {"g": ["a"], "k": ["~g"]}, '
      .. '"queues": [{"name": "q", "hosts": ["k"]}, {"name": "r", "hosts": ["g", "~b"]}]',
    ["hosts less some"] = '"queues": [{"name": "q", "hosts": ["~a"]}]',
    ["a list of no queues"] = '"queues": []',
    ["no queues, but consumers"] = '"queues": [], "consumers": [{"name": "A", "owned": 3}]',
    ["no queues, but a lease"] = '"queues": [], "leases": [{"name": "l", "provider": "p", '
      .. '"consumer": "c", "slots": 2}]',
  } do
    it(what, function ()
      local plan = out .. "/queues.json"
      shell.write(plan,
        '{"version": 1, "hosts": {"a": {"slots": 2}, "b": {"slots": 3}}, ' .. text .. "}")
      local status, result, err = check(plan)
      assert.equal("", err)
      assert.equal(0, status)
      has(result, "plan is valid", RUNS .. " random states")
    end)
  end
end)

describe("hosts that lists of drawn plans name (allot.check.draw_queues)", function ()
  local named = require "allot.check.draw_queues".hosts_named
  local plan = {
    hosts = { a = {}, b = {}, c = {} }, host_groups = { g = { "a", "b" }, k = { "~g" }, n = {} },
  }
  for _, each in ipairs {
    { nil, "a b c" }, { { "b" }, "b" }, { { "all" }, "a b c" }, { { "all", "~b" }, "a c" },
    { { "~a", "~c" }, "b" }, { { "g", "~a" }, "b" }, { { "k" }, "c" }, { { "~k" }, "a b" },
    { { "g", "k" }, "a b c" },
  } do
    it(each[1] and table.concat(each[1], " ") or "no list", function ()
      assert.equal(each[2], table.concat(named(plan, each[1]), " "))
    end)
  end
end)

describe("as JSON", function ()
  it("findings are told with the case and the command", function ()
    local status, result, err = check "--format json examples/broken/owners_last.lua"
    assert.equal(1, status)
    assert.equal("", err)
    local document = assert(json.decode(result))
    assert.equal("allot/check/v1", document.schema)
    local finding = document.findings[1]
    assert.equal("E-property", finding.code)
    assert.equal("owners_first", finding.rule)
    assert.equal(8, finding.line)
    has(finding.command, "allot run " .. finding.case)
    local seen = {}
    for _, each in ipairs(document.checked[1].checks) do seen[each.id] = each end
    assert.is_false(seen.owners_first.holds)
    assert.is_true(seen.owners_first.property)
    assert.is_true(seen["quotas-fit"].holds)
    assert.equal(RUNS, document.checked[1].cases)
  end)

  it("a policy that fails is an error document", function ()
    local status, result = check "--format json examples/broken/clock.lua"
    assert.equal(4, status)
    assert.equal("allot/error/v1", json.decode(result).schema)
  end)
end)
