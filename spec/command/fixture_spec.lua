-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- allot.fixture: plans and states from one line, what is decided about them, and assertions.

local heard = require "spec.support.house.heard"
local fixture = require "allot.fixture"
local shell = require "spec.support.house.shell"
local text = require "allot.fixture.text"

local function read(line)
  local made = text.read(line)
  return made.plan, made.state
end

describe("a line of a fixture", function ()
  it("is consumers and what they want and hold", function ()
    local plan, state = read "prod{own=10} dev{own=5,limit=8}: prod wants 12, dev wants 9 holds 8"
    assert.same({ version = 1, consumers = {
      { name = "prod", owned = 10 }, { name = "dev", owned = 5, limit = 8 },
    } }, plan)
    assert.same({ now = 0, consumers = {
      ["/prod"] = { demand = 12 }, ["/dev"] = { demand = 9, allocated = 8 },
    } }, state)
  end)

  it("has consumers inside others, found by their last name", function ()
    local plan, state = read("lab{own=9}/(anna{share=2} ben/(night{})) x: "
      .. "night wants 4, /lab/anna holds 1")
    assert.same({ { name = "anna", share = 2 }, { name = "ben", children = {
      { name = "night" } } } }, plan.consumers[1].children)
    assert.same({ demand = 4 }, state.consumers["/lab/ben/night"])
    assert.same({ allocated = 1 }, state.consumers["/lab/anna"])
  end)

  it("has the plan's keys and options in brackets", function ()
    local plan = read '[slots=20, evenly, policy=fair.lua, placement="balanced"] a'
    assert.equal(20, plan.slots)
    assert.equal("fair.lua", plan.policy)
    assert.same({ evenly = true, placement = "balanced" }, plan.options)
    plan = read "[] a{exclusive,rebalance=false}"
    assert.same({ { name = "a", exclusive = true, rebalance = false } }, plan.consumers)
  end)

  it("has tasks, sessions, loans, slots on their way, keys of the state", function ()
    local _, state = read("a{own=4} b: a lends 2 to b returns 1 to b, "
      .. "b runs t1 2{slots=2,started=5} has s{priority=3}, a returns 3, now=100, slots=12")
    assert.same({ { lender = "/a", borrower = "/b", slots = 2 } }, state.loans)
    assert.same({
      { consumer = "/a", slots = 1, ["for"] = { { consumer = "/b", slots = 1 } } },
      { consumer = "/a", slots = 3 },
    }, state.reclaims)
    assert.same({
      { id = "t1", consumer = "/b" }, { id = "2", consumer = "/b", slots = 2, started = 5 },
    }, state.tasks)
    assert.same({ { id = "s", consumer = "/b", priority = 3 } }, state.sessions)
    assert.equal(100, state.now)
    assert.equal(12, state.slots)
  end)

  it("has hosts, queues and jobs", function ()
    local plan, state = read("host h{slots=4} queue hi{priority=9} queue lo: "
      .. "hi awaits 1 2{slots=3}, lo runs j{slots=2,host=h} suspended k, h is reclaim")
    assert.same({ h = { slots = 4 } }, plan.hosts)
    assert.same({ { name = "hi", priority = 9 }, { name = "lo" } }, plan.queues)
    assert.is_nil(plan.consumers)
    assert.same({
      { id = "1", queue = "hi", state = "pending" },
      { id = "2", queue = "hi", state = "pending", slots = 3 },
      { id = "j", queue = "lo", state = "running", slots = 2, hosts = { h = 2 } },
      { id = "k", queue = "lo", state = "suspended" },
    }, state.jobs)
    assert.same({ h = { closed = "reclaim" } }, state.hosts)
  end)

  it("has use, and says how a plan counts it", function ()
    local plan, state = read "[half_life=60] a{share=2}: a wants 3 holds 1 used 900"
    assert.equal(60, plan.half_life)
    assert.same({ ["/a"] = { demand = 3, allocated = 1, usage = 900 } }, state.consumers)
    local policy = 'return policy { name = "p", quota = { fill "all" { by = "usage" } } }'
    for _, line in ipairs { "a: a used 9", "p/(a b c d e f g h): a wants 3" } do
      local ok, fault = pcall(fixture.check.quota, fixture(line, policy), "a", 0)
      assert.is_false(ok)
      assert.equal('fixture: plan: the policy "p" reads "usage", but the plan states neither '
        .. '"half_life" nor "hist_hours", so use is not counted\n  hint: begin the line with '
        .. "[half_life=604800]; `prod wants 12 used 900` tells use", fault)
    end
  end)

  local function refuses(line, column, message)
    it(("refuses %q"):format(line), function ()
      local ok, fault = pcall(text.read, line)
      assert.is_false(ok)
      heard(fault)
      local first, shown, caret = fault:match "^([^\n]*)\n  ([^\n]*)\n  ([^\n]*)$"
      assert.equal(("fixture:1:%d: %s"):format(column, message), first)
      assert.equal(line, shown)
      assert.equal(column, #caret)
    end)
  end

  refuses("", 1, "found the end, expected a consumer: name{own=...}")
  refuses("a{own=}", 7, 'found "}", expected a value: a number, a word, a path or a "text"')
  refuses("a{own=1 b", 9, 'found "b", expected "," or "}"')
  refuses("a{=1}", 3, 'found "=", expected a name, or "}"')
  refuses("a{own=1,owned=2}", 9, 'found "owned" twice')
  refuses('a{x="y} b', 5, 'this text has no end: a " is missing')
  refuses("a/(b", 5, "found the end, expected a consumer's name or \")\"")
  refuses("a b) c", 4, 'found ")", expected a name, ":" or the end')
  refuses("[slots=4 a", 10, 'found "a", expected "," or "]"')
  refuses("a: b wants 1", 4, 'there is no consumer "b"')
  refuses("prod: prd wants 1", 7, 'there is no consumer "prd"; did you mean "prod"?')
  refuses("p/(x) q/(x): x wants 1", 14, '"x" is /p/x or /q/x: say which')
  refuses("a: a wants x", 12, 'found "x", expected a whole number')
  refuses("a: a want 1", 6, 'found "want", expected one of wants, holds, used, returns, lends, '
    .. "has, runs")
  refuses("queue q: q wants 1", 12, 'found "wants", expected one of runs, awaits, suspended')
  refuses("a: a awaits 1", 6, 'found "awaits", expected one of wants, holds, used, returns, '
    .. "lends, has, runs")
  refuses("a b: a lends 3 b", 16, 'found "b", expected "to" and a path')
  refuses("a: a wants 1; a", 13, 'found ";", expected "," or the end')
  refuses("host h{slots=1} a: h opens", 22, 'found "opens", expected "is"')
  refuses("host h{slots=1} a: h is open", 25, 'found "open", expected "closed", "drain" or '
    .. '"reclaim"')
end)

describe("a case", function ()
  local LINE = "prod{own=10} dev{own=5,limit=8}: prod wants 12 holds 3, dev wants 9 holds 8"

  it("is decided by the plan's policy, a ready-made one, a file or a text", function ()
    assert.equal("hybrid", fixture(LINE):decide().policy.name)
    assert.equal("share_ratio", fixture(LINE, "share_ratio"):decide().policy.name)
    local file = fixture("[policy=examples/capped/capped.lua] a b{share_limit=2}: b wants 1")
    assert.equal("capped", file:decide().policy.name)
    file = fixture("a: a wants 1", "examples/capped/capped.lua")
    assert.equal("capped", file:decide().policy.name)
    local case = fixture(LINE, 'return policy { name = "own", quota = { fill "f" { by = 1 } } }')
    assert.equal("own", case:decide().policy.name)
    assert.equal(8, case:quota "prod")
  end)

  it("tells what is wrong with the plan, the state, the policy", function ()
    local function raises(message, work)
      local ok, fault = pcall(work)
      assert.is_false(ok)
      assert.equal(message, fault:sub(1, #message))
    end
    raises("fixture: plan: /a: zzz: found the unknown key \"zzz\"",
      function () fixture("a{own=1,zzz=2}"):decide() end)
    raises("fixture: state: zzz: found the unknown key \"zzz\"",
      function () fixture("a{own=1}: zzz=2"):decide() end)
    raises("fixture: cycle: policy.lua:1:", function ()
      fixture("a: a wants 1", 'return policy { name = "x", quota = { fill "f" { '
        .. "by = function (share) return share // 0 end } } }"):decide()
    end)
    raises("fixture: absent.lua: No such file", function () fixture("a", "absent.lua") end)
    raises('fixture: there is no task or job "t"', function () fixture("a"):fate "t" end)
    raises("fixture:1:1: there is no consumer \"b\"", function () fixture("a"):quota "b" end)
  end)

  it("is also made of documents", function ()
    local case = fixture { plan = { version = 1, consumers = { { name = "a", owned = 3 } } },
      state = { now = 0, consumers = { ["/a"] = { demand = 2 } } } }
    assert.quota(case, "/a", 2)
  end)

  it("is carried out until nothing is left to do", function ()
    local case, cycles = fixture(LINE):settle()
    assert.equal(2, cycles)
    assert.same({ demand = 12, allocated = 10 }, case.state.consumers["/prod"])
    assert.same({ demand = 9, allocated = 5 }, case.state.consumers["/dev"])
    assert.rests(case)
    assert.is_nil((fixture(LINE):settle(1)))
  end)

  it("ends tasks, starts others where they were granted", function ()
    local case = fixture("host h{slots=4} a{own=4} b: a wants 4, b wants 4 runs t1{host=h} "
      .. "t2{slots=3,host=h}, a runs t0{host=h}, slots=5", "hybrid")
    local after = case:settle()
    local ids = {}
    for _, task in ipairs(after.state.tasks) do ids[task.id] = task.host end
    assert.equal("h", ids.t0)
    assert.is_nil(ids.t2)
    assert.is_true(#after.state.tasks > 1)
  end)

  it("keeps the books of loans", function ()
    local case = fixture("a{own=6,lend} b{borrow}: b wants 4", "ownership")
    assert.settles(case)
    assert.same({ { lender = "/a", borrower = "/b", slots = 4 } }, case:settle().state.loans)
  end)

  it("starts, suspends and resumes jobs", function ()
    local case = fixture("[policy=preemption] host h{slots=4} queue hi{priority=9,preemptive} "
      .. "queue lo{priority=1}: lo runs l{slots=4,host=h}, hi awaits u{slots=4}, now=100")
    assert.starts(case, "u")
    assert.is_suspended(case, "l")
    assert.settles(case)
    local after = case:step()
    assert.stays(after, "u", "l")
    for i, job in ipairs(after.state.jobs) do
      assert.equal(({ "suspended", "running" })[i], job.state)
    end
    table.remove(after.state.jobs, 2)
    after.decision = nil
    assert.resumes(after, "l")
  end)

  it("hears what the policy says", function ()
    local ok, message = fixture.check.quota(fixture("a: a wants 1", [[
return policy { name = "x", quota = { fill "f" {
  by = function (share)
    log("share", share)
    return share
  end } } }
]]), "a", 5)
    assert.is_false(ok)
    assert.truthy(message:find("the policy said:\n    policy.lua:3: log: share\t1", 1, true))
  end)
end)

describe("an assertion", function ()
  local LINE = "prod{own=10} dev{own=5}: prod wants 12 holds 3, "
    .. "dev wants 9 runs t1{slots=4} t2{slots=4}"

  local function fails(assertion, ...)
    local ok, message = pcall(assert[assertion], ...)
    assert.is_false(ok)
    return tostring(type(message) == "table" and message.message or message)
  end

  it("holds", function ()
    local case = fixture(LINE)
    assert.quota(case, "prod", 10)
    assert.quota(case, { prod = 10, dev = 5 })
    assert.gets(case, "prod", 4)
    assert.gives_back(case, "dev", 3)
    assert.goes(case, "t2")
    assert.stays(case, "t1")
    assert.settles(case)
    assert.reserved(fixture "a{own=3,reserve=2}", "a", 2)
    assert.not_goes(case, "t1")
    assert.is_killed(fixture { plan = case.plan, state = {
      now = 500, tasks = { { id = "t", consumer = "/dev" } },
      reclaims = { { consumer = "/dev", slots = 1, tasks = { "t" }, deadline = 10 } },
    } }, "t")
  end)

  it("says what it expected, what is, and why", function ()
    local case = fixture(LINE)
    local message = fails("quota", case, "prod", 11)
    assert.truthy(message:find("prod: expected a quota of 11, it is 10\n  in: " .. LINE, 1, true))
    assert.truthy(message:find("    /prod owns 10 slots.", 1, true))
    assert.truthy(fails("gets", case, { prod = 5 }):find("prod: expected to get 5 idle slots, "
      .. "it gets 4", 1, true))
    assert.truthy(fails("gives_back", case, "dev", 1):find("dev: expected to give back 1 slots, it "
      .. "gives back 3", 1, true))
    assert.truthy(fails("reserved", case, "dev", 1):find("expected 1 idle slots in its reserve", 1,
      true))
    message = fails("goes", case, "t1")
    assert.truthy(message:find("t1: expected that it goes, but it stays", 1, true))
    assert.truthy(message:find("    t1 runs on 4 slots of /dev", 1, true))
    assert.truthy(fails("rests", case):find("    grants: /prod 4\n    reclaims: /dev 3", 1, true))
    assert.truthy(fails("settles", case, 1):find("after 1 cycles there is still", 1, true))
    assert.truthy(fails("not_goes", case, "t2"):find('expected otherwise of "goes"', 1, true))
  end)

  it("is a check without busted", function ()
    local case = fixture(LINE)
    assert.is_true(fixture.check.gets(case, "prod", 4))
    assert.equal(case, case:expect { quota = { prod = 10 }, goes = { "t2" }, settles = true })
    assert.error_matches(function () case:expect { gets = { prod = 1 } } end, "expected to get 1")
    assert.error_matches(function () case:expect { zzz = 1 } end, 'no check "zzz"')
    local preload = os.getenv "LD_PRELOAD"
    local status, out, err = shell.run("LUA_PATH='lua/?.lua;lua/?/init.lua' LUA_CPATH='"
      .. shell.build .. "/lua/?.so' " .. (preload and "LD_PRELOAD=" .. preload or "")
      .. [[ ASAN_OPTIONS=detect_leaks=0 lua5.4 -e '
        local case = require "allot.fixture" "a{own=2}: a wants 2"
        case:expect { gets = { a = 2 } }
        print(case:quota "a")']])
    assert.equal("", err)
    assert.equal("2\n", out)
    assert.equal(0, status)
  end)
end)
