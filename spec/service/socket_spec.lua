-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What if, asked of a running service: its calls `state` and `plan`, and the verbs that take plan
--- and state from it with --socket.

local allot = require "allot"
local dkjson = require "dkjson"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

--- Cycles run when they are asked for alone.
local STILL = "--debounce 60000 --interval 0 --no-watch "

local FAIR = [[
return policy {
  name = "fair",
  attributes = { weight = { type = "integer", min = 1, max = 9, default = 1 } },
  quota = { fill "all" { by = "weight" } },
}
]]

-- What it decides ------------------------------------------------------------------------------

--- Plans of each kind, and events: numbers are seconds before now.
local KINDS = {
  { name = "tasks, sessions and reclaims in flight (C-6, C-8)",
    plan = [[{"version": 1, "slots": 12, "policy": "hybrid", "consumers": [
      {"name": "a", "owned": 8, "grace": 60}, {"name": "p", "owned": 4, "children": [
        {"name": "b", "owned": 4, "reserve": 1}, {"name": "c"}]}]}]],
    events = {
      { "demand", { consumer = "/a", slots = 12 } },
      { "session", { id = "s", consumer = "/a", priority = 2 } },
      { "start", { id = "t1", consumer = "/a", slots = 5, session = "s", started = 50 } },
      { "start", { id = "t2", consumer = "/a", slots = 6, host = "h", tags = { "x" } } },
      { "demand", { consumer = "/p/b", slots = 3 } },
      { "demand", { consumer = "/p/c", slots = 3 } },
      { "finish", { id = "t2" } },
      { "slots", { slots = 10 } },
    } },
  { name = "loans (C-11)",
    plan = [[{"version": 1, "slots": 10, "policy": "ownership", "consumers": [
      {"name": "a", "owned": 6, "lend": true}, {"name": "b", "owned": 4, "borrow": true}]}]],
    events = {
      { "demand", { consumer = "/b", slots = 9 } },
      { "demand", { consumer = "/a", slots = 5 } },
    } },
  { name = "hosts, and who has them alone (H-14)",
    plan = [[{"version": 1, "policy": "hybrid", "hosts": {"h2": {"slots": 4}, "h1": {"slots": 4}},
      "consumers": [{"name": "a", "owned": 4, "exclusive": true}, {"name": "b", "owned": 4}]}]],
    events = {
      { "host", { name = "extra", slots = 3, load = 1.5 } },
      { "demand", { consumer = "/a", slots = 5 } },
      { "host", { name = "h1", closed = "drain", exclusive_to = "/a" } },
      { "demand", { consumer = "/b", slots = 5 } },
    } },
  { name = "several groups, and times of leaves",
    plan = [[{"version": 1, "policy": "hybrid", "options": {"claim_delay": 30,
      "reclaim_interval": 60}, "groups": {"cpu": {"slots": 6}, "gpu": {"slots": 4}},
      "consumers": [{"name": "a", "owned": 3}, {"name": "b", "owned": 3}]}]],
    events = {
      { "demand", { consumer = "/a", group = "cpu", slots = 6 } },
      { "demand", { consumer = "/b", group = "gpu", slots = 6 } },
      { "demand", { consumer = "/b", group = "cpu", slots = 2 } },
      { "allocated", { consumer = "/a", group = "gpu", slots = 1, unlisted = 1 } },
    } },
  { name = "a policy of the site's, and windows (C-10)",
    plan = [[{"version": 1, "slots": 9, "policy": "fair.lua", "consumers": [
      {"name": "a", "weight": 2}, {"name": "b"}],
      "windows": [{"from": "00:00", "to": "12:00", "consumers": {"/b": {"weight": 5}}}]}]],
    events = {
      { "demand", { consumer = "/a", slots = 9 } },
      { "demand", { consumer = "/b", slots = 9 } },
    } },
  { name = "jobs of queues, their use, and contracts (P-1, Q-41, L-6)",
    plan = [[{"version": 1, "policy": "preemption", "hosts": {"h": {"slots": 4}},
      "resources": {"lic": 2}, "queues": [
        {"name": "high", "priority": 9, "preemptive": true},
        {"name": "low", "priority": 1, "preemptable": true},
        {"name": "one", "slot_pool": "p", "slot_share": 50},
        {"name": "two", "slot_pool": "p", "slot_share": 50}],
      "leases": [{"name": "l", "provider": "P", "consumer": "C", "slots": 4}]}]],
    events = {
      { "submit", { id = "1", queue = "low", slots = 3, resources = { lic = 1 } } },
      { "submit", { id = "2", queue = "high", slots = 3, user = "ann" } },
      { "submit", { id = "3", queue = "one", slots = 1, exclusive = true } },
      { "lease", { name = "l", provider = { available = 3, used = 3 },
        consumer = { available = 1, used = 0 } } },
      { "finish", { id = "2" } },
    } },
}

--- What the engine decides for a service's answer.
local function decided(answer)
  local plan, message = allot.plan(answer.plan.text, { policies = answer.plan.policies })
  assert(plan, message)
  local state
  state, message = allot.state(plan, dkjson.encode(answer.state))
  assert(state, message)
  local decision = dkjson.decode(assert(allot.cycle(plan, state)):json())
  decision.warnings = nil
  return decision
end

local function ask(method, params)
  return dkjson.encode { jsonrpc = "2.0", id = 1, method = method, params = params }
end

--- The state with its plan, and what is decided then, by one line.
local function both(service)
  local answers = service:ask(("[%s, %s]"):format(ask("state", { plan = true }),
    ask("cycle", { full = true })))
  local full = answers[2].result.full
  full.warnings = nil
  return answers[1].result, full
end

describe("what a service answers to `state`", function ()
  local world = live.world()

  for _, kind in ipairs(KINDS) do
    it("decides what its next cycle does: " .. kind.name, function ()
      shell.write(world.folder .. "/plan.json", kind.plan)
      shell.write(world.folder .. "/fair.lua", FAIR)
      local service, compared, orders = world.start(STILL), 0, 0
      for _, event in ipairs(kind.events) do
        assert(service:call(table.unpack(event)))
        for _ = 1, 2 do
          local answer, full = both(service)
          if answer.state.now == full.now then -- the second may end in between
            assert.same(decided(answer), full)
            compared = compared + 1
            for _, list in ipairs { "grants", "reclaims", "starts", "suspends", "kills" } do
              orders = orders + #full[list]
            end
          end
        end
      end
      assert.is_true(compared > 1 and orders > 0)
    end)
  end
end)

-- Verbs ----------------------------------------------------------------------------------------

local PLAN = [[{"version": 1, "slots": 20, "policy": "fair.lua", "consumers": [
  {"name": "a", "weight": 3}, {"name": "p", "children": [{"name": "b"}, {"name": "c"}]}],
  "windows": [{"from": "08:00", "to": "18:00", "consumers": {"/p": {"weight": 9}}}]}]]

describe("--socket", function ()
  local world = live.world()
  local function path(name) return world.folder .. "/" .. name end

  --- A verb about the service; its exit status and its output.
  local function does(verb, ...)
    local status, out, err = shell.command(verb, "--socket", path "sock", ...)
    return status, out, err
  end

  --- Its output, with the status expected.
  local function prints(expected, verb, ...)
    local status, out, err = does(verb, ...)
    assert.equal(expected, status, out .. err)
    return out
  end

  before_each(function ()
    shell.write(path "plan.json", PLAN)
    shell.write(path "fair.lua", FAIR)
    world.start(STILL)
    for name, slots in pairs { ["/a"] = 18, ["/p/b"] = 9, ["/p/c"] = 9 } do
      assert(world.service:call("demand", { consumer = name, slots = slots }))
    end
  end)

  it("runs and explains the cycle that is next, and decides nothing", function ()
    local answer = assert(world.service:call("state", { plan = true }))
    local mine, theirs = decided(answer), dkjson.decode(prints(0, "run", "--format", "json"))
    assert.same(mine.grants, theirs.grants)
    assert.same(mine.groups.default.consumers[1].quota,
      theirs.groups.default.consumers[1].quota)
    local out = prints(0, "run")
    assert.truthy(out:find "grants, in this order:\n  /a gets %d+ idle slots", out)
    assert.truthy(prints(0, "explain", "/p/b"):find "\nIts parent /p has a quota of ")
    assert.truthy(prints(0, "explain", "--at", "next"):find "\nwindow 0 %(08:00 to 18:00, UTC%) ")
    assert.equal(0, world.service:status().decision)
    local status, _, err = does("explain", "/p/bb")
    assert.equal(2, status)
    assert.truthy(err:find("did you mean /p/b?", 1, true), err)
  end)

  it("decides by the policies that decide there, whatever the files are now", function ()
    shell.write(path "fair.lua", FAIR:gsub('"fair"', '"unfair"'))
    assert.equal("fair", dkjson.decode(prints(0, "run", "--format", "json")).policy.name)
    shell.write(path "other.lua", FAIR:gsub('"fair"', '"other"'))
    assert(world.service:call("shadow", { policy = "other.lua" }))
    assert(world.service:call "promote")
    shell.run("rm " .. path "other.lua")
    assert.equal("other", dkjson.decode(prints(0, "run", "--format", "json")).policy.name)
    assert.truthy(prints(0, "diff", path "fair.lua"):find("policy other\nB: ", 1, true))
    assert.truthy(prints(0, "repl", "--eval", "cycle ().policy.name"):find "other")
    -- What is said of the policy holds.
    assert.truthy(prints(0, "repl", "--eval", 'plan.policy = { use = "fair.lua" }', "--eval",
      "cycle ().policy.name"):find "fair")
  end)

  --- Another plan, in which `a` has the least weight; its text.
  local function write_new()
    local text = PLAN:gsub('"weight": 3', '"weight": 1'):gsub("fair.lua", path "fair.lua")
    shell.write(path "new.json", text)
    return text
  end

  it("decides about the live state under another plan", function ()
    local answer = assert(world.service:call("state", { plan = true }))
    local before = decided(answer)
    answer.plan.text, answer.plan.policies = write_new(), { [path "fair.lua"] = FAIR }
    local expected, got = decided(answer), dkjson.decode(prints(0, "run", "--format", "json",
      path "new.json"))
    assert.same(expected.groups, got.groups)
    assert.same(expected.grants, got.grants)
    assert.not_same(before.grants, got.grants)
    local quota = expected.groups.default.consumers[1].quota
    assert.not_equal(before.groups.default.consumers[1].quota, quota)
    assert.truthy(prints(0, "explain", path "new.json", "/a"):find(
      ("\nIts quota is %d = "):format(quota), 1, true))
    assert.truthy(prints(0, "explain", "--at", "next", path "new.json"):find("\nwindow 0 ", 1,
      true))
    assert.equal(0, world.service:status().decision)
  end)

  it("names what the live state has and another plan has not", function ()
    shell.write(path "less.json", PLAN:gsub('{"name": "a", "weight": 3}', '{"name": "z"}'))
    for _, words in ipairs { { "run", path "less.json" }, { "diff", path "less.json" },
      { "explain", path "less.json", "/z" }, { "repl", path "less.json", "--eval", "1" } } do
      local status, _, err = does(table.unpack(words))
      assert.equal(3, status)
      assert.truthy(err:find("/a", 1, true) and err:find("E-unknown-path", 1, true), err)
    end
  end)

  it("begins a session with another plan and the live state", function ()
    local text = write_new()
    local out = prints(0, "repl", path "new.json", "--eval", "diff ()", "--eval",
      "state.consumers['/a'].demand", "--eval", "consumers['/a'].weight = 3  return diff ()")
    local listed, demand, rest = out:match "^consumer.-\n(/a .-)\n(%d+)\n(.*)$"
    assert.truthy(listed and listed:find "%d+ %-> %d+", out)
    assert.same({ "18", "no difference\n" }, { demand, rest })
    assert.truthy(text:find('"weight": 1', 1, true))
  end)

  it("compares the live plan with another, a policy in it, or itself at another time", function ()
    write_new()
    local out = prints(1, "diff", path "new.json")
    assert.truthy(out:find("A: live plan.json, policy fair\nB: " .. path "new.json", 1, true), out)
    assert.truthy(out:find "\n/a +%d+ %-> +%d+", out)
    out = dkjson.decode(prints(1, "diff", "--format", "json", "hybrid"))
    assert.same({ true, true, "hybrid" }, { out.a.live, out.b.live, out.b.instead })
    out = prints(0, "diff", path "new.json", path "new.json")
    assert.is_nil(out:find("live plan", 1, true))
    assert.truthy(select(2, does("diff", "@4102444800")):find("fair, at 4102444800\n", 1, true))
    assert.equal(2, (does("diff", "a", "b", "c")))
  end)

  it("checks what is live, a policy in it, and a plan beside it", function ()
    assert.truthy(prints(0, "check", "--runs", "20"):find(
      "^plan.json: plan is valid, 4 consumers\n  the live state, and 20 random states"))
    local out = prints(0, "check", "--runs", "20", "hybrid", path "fair.lua")
    assert.truthy(out:find("hybrid: policy is valid in the live plan.json", 1, true), out)
    assert.truthy(out:find("fair.lua: policy is valid in the live plan.json", 1, true), out)
    out = dkjson.decode(prints(0, "check", "--runs", "1", "--format", "json", "hybrid"))
    assert.is_true(out.checked[1].live)
    shell.write(path "new.json", PLAN:gsub('{"name": "c"}', '{"name": "d"}'):gsub("fair.lua",
      path "fair.lua"))
    local status, _, err = does("check", path "new.json")
    assert.equal(3, status)
    assert.truthy(err:find("/p/c", 1, true) and err:find("E-unknown-path", 1, true), err)
  end)

  -- Random states hardly ever have that demand.
  it("finds what fails of the live state alone", function ()
    shell.write(path "picky.lua", FAIR:gsub("}\n$", [[
  properties = { property "not 18" (function (case)
    return case.state.consumers["/a"].demand ~= 18
  end) },
}
]]))
    local out = path "cases"
    local status, _, err = does("check", "--out", out, "--runs", "1", path "picky.lua")
    assert.equal(1, status)
    assert.truthy(err:find('the property "not 18" does not hold', 1, true), err)
    assert.truthy(err:find("see it: allot run " .. out, 1, true), err)
    local folder = assert(err:match "allot run (%S+)/plan.json")
    assert.equal(0, (shell.command("run", folder .. "/plan.json", folder .. "/state.json")))
  end)

  it("begins a session with what is live", function ()
    local out = prints(0, "repl", "--eval", 'try "hybrid"', "--eval",
      'consumers["/a"].weight = 1  return diff ()', "--eval", "state.consumers['/a'].demand")
    assert.truthy(out:find "^fair %-> hybrid\n", out)
    assert.truthy(out:find "\n/a +18 ", out)
    assert.equal("18", out:match "(%d+)\n$")
    local status, _, err = does("repl", "--eval", "undo ()") -- what is live is the beginning
    assert.equal(3, status)
    assert.truthy(err:find("there is nothing to undo", 1, true), err)
  end)

  it("is said on the line, or by ALLOT_SOCKET where no files are named", function ()
    local function with_variable(address, words)
      return shell.run(("ALLOT_SOCKET=%s %s %s"):format(address, shell.allot, words))
    end
    shell.write(path "state.json", '{"now": 0}')
    local files = path "plan.json" .. " " .. path "state.json"
    local status, out = with_variable(path "sock", "run")
    assert.equal(0, status)
    assert.truthy(out:find("policy fair, 20 idle", 1, true), out)
    assert.equal(0, (with_variable(path "sock", "explain /a")))
    assert.equal(1, (with_variable(path "sock", "diff hybrid")))
    assert.equal(0, (with_variable("nowhere", "run " .. files)))
    assert.equal(0, (with_variable("nowhere", "explain " .. files .. " /a")))
    assert.equal(3, (with_variable(path "sock", "check"))) -- nothing was checked
    status, out = with_variable(path "sock", "repl --eval state.now")
    assert.same({ 0, "0\n" }, { status, out })
  end)

  it("takes no state of a file beside the service's", function ()
    shell.write(path "state.json", '{"now": 0}')
    for verb, usage in pairs {
      run = "[PLAN]", explain = "[PLAN] [PATH|TASK|JOB|LEASE]", repl = "[PLAN]",
      diff = "[PLAN|POLICY] PLAN|POLICY",
    } do
      local status, out, err = does(verb, path "plan.json", path "state.json", "/a")
      assert.same({ 2, "" }, { status, out })
      usage = ("usage: allot %s --socket ADDRESS %s [OPTION...]"):format(verb, usage)
      assert.truthy(err:find(usage, 1, true), err)
      assert.truthy(err:find("with --socket the state is the service's", 1, true), err)
    end
    assert.equal(2, (does("run", path "plan.json", path "state.json")))
    assert.truthy(select(3, does "diff"):find("allot help diff tells more", 1, true))
    for _, words in ipairs { {}, { path "plan.json" } } do
      local status, _, err = does("explain", table.unpack(words))
      assert.equal(2, status)
      assert.truthy(err:find("ADDRESS [PLAN] PATH|TASK|JOB|LEASE, or --at TIME", 1, true), err)
    end
  end)

  -- "No" is an answer of the verb's own.
  it("fails with 5 where nobody answers, or refuses to", function ()
    world.stop()
    for _, words in ipairs { { "run" }, { "explain", "/a" }, { "diff", "hybrid" }, { "check" },
      { "repl", "--eval", "1" } } do
      assert.equal(5, (does(table.unpack(words))), words[1])
    end
    local port = live.free_port()
    shell.write(path "token", "a token of many letters")
    shell.write(path "wrong", "another of as many letters")
    world.start(STILL .. ("--tcp 127.0.0.1:%d --token-file token"):format(port))
    local function over_tcp(token)
      return shell.command("diff", "hybrid", "--socket", "127.0.0.1:" .. port, "--token-file",
        path(token))
    end
    assert.equal(0, (over_tcp "token"))
    local status, _, err = over_tcp "wrong"
    assert.equal(5, status)
    assert.truthy(err:find("this is not the token", 1, true), err)
  end)
end)

describe("--socket of a plan with queues", function ()
  local world = live.world()
  local SITE = [[{"version": 1, "policy": "preemption", "hosts": {"h": {"slots": 4}}, "queues": [
    {"name": "day", "priority": 9, "preemptive": true}, {"name": "night", "priority": 1,
    "preemptable": true}]}]]

  local function prints(expected, verb, ...)
    local status, out, err = shell.command(verb, "--socket", world.folder .. "/sock", ...)
    assert.equal(expected, status, out .. err)
    return out
  end

  before_each(function ()
    shell.write(world.folder .. "/plan.json", SITE)
    world.start(STILL)
    for _, job in ipairs { { id = "n", queue = "night", slots = 3 },
      { id = "d", queue = "day", slots = 3 } } do
      assert(world.service:call("submit", job))
    end
  end)

  --- The jobs that a decision as JSON starts.
  local function starts(...)
    local jobs = {}
    for i, start in ipairs(dkjson.decode(prints(0, "run", "--format", "json", ...)).starts) do
      jobs[i] = start.job
    end
    return jobs
  end

  it("starts jobs as the next cycle does, under the live plan or another (P-1)", function ()
    local new = world.folder .. "/new.json"
    shell.write(new, SITE:gsub('"priority": 9', '"priority": 0'):gsub('"preemptive": true, ', ""))
    assert.same({ { "d" }, { "n" } }, { starts(), starts(new) })
    assert.truthy(prints(0, "explain", "n"):find("\nIt waits: ", 1, true))
    assert.truthy(prints(0, "explain", new, "d"):find("\nIt waits: ", 1, true))
    local out = prints(1, "diff", new)
    assert.truthy(out:find("\n  d of /day: started 3 -> 0 (-3)\n", 1, true), out)
    assert.truthy(out:find("\n  n of /night: started 0 -> 3 (+3)\n", 1, true), out)
    out = prints(0, "repl", new, "--eval", "diff ()")
    assert.truthy(out:find("\njob n: stays -> starts\n", 1, true), out)
    assert.truthy(prints(0, "check", "--runs", "5", new):find(
      "the live state, and 5 random states", 1, true))
    shell.write(new, SITE:gsub('"night"', '"dusk"'))
    local status, _, err = shell.command("run", "--socket", world.folder .. "/sock", new)
    assert.equal(3, status)
    assert.truthy(err:find('"night"', 1, true), err)
  end)

  it("preempts as the next cycle does (P-1)", function ()
    assert(world.service:call("withdraw", { id = "d" }))
    assert(world.service:call "cycle")
    assert(world.service:call("submit", { id = "d", queue = "day", slots = 3 }))
    local said = dkjson.decode(prints(0, "run", "--format", "json"))
    assert.same({ "n" }, { said.suspends[1] and said.suspends[1].job })
    assert.truthy(prints(0, "explain", "n"):find("for job d of /day", 1, true))
    local full = world.service:call("cycle", { full = true }).full
    assert.same(said.suspends, full.suspends)
  end)
end)
