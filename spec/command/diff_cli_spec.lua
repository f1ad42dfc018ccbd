-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot diff` as a command: its sides, its states, its two forms, its errors.

local json = require "dkjson"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "consumers": [
  {"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}]]
local OTHER = [[{"version": 1, "slots": 10, "consumers": [
  {"name": "a", "owned": 7}, {"name": "b", "owned": 3}, {"name": "c"}]}]]
local BUSY = [[{"now": 1000, "consumers": {
  "/a": {"demand": 10, "allocated": 8}, "/b": {"demand": 10}}}]]
local QUIET = [[{"now": 2000, "consumers": {"/a": {"demand": 1, "allocated": 1}}}]]
local FAIR = 'return policy { name = "fair", quota = { fill "fair" { by = 1 } } }\n'

describe("allot diff", function ()
  local at

  local function write(name, text)
    shell.write(at .. "/" .. name, text)
    return at .. "/" .. name
  end

  --- Runs it in the folder of the files.
  local function diff(words)
    return shell.run(("here=$PWD; cd %s && $here/%s diff %s"):format(at, shell.allot, words))
  end

  local function document(words)
    local status, out, err = diff("--format json " .. words)
    assert.equal("", err)
    return assert(json.decode(out)), status
  end

  setup(function ()
    at = shell.directory()
    shell.run("mkdir " .. at .. "/states " .. at .. "/none")
    write("a.json", PLAN)
    write("b.json", OTHER)
    write("fair.lua", FAIR)
    write("busy.json", BUSY)
    write("quiet.json", QUIET)
    write("states/1.json", BUSY)
    write("states/2.json", QUIET)
    write("states/3.json", (BUSY:gsub('"/b": {"demand": 10}', '"/b": {"demand": 4}')))
    write("states/note.txt", "no state")
  end)

  teardown(function () shell.remove(at) end)

  it("says 0 and nothing more where both decide the same", function ()
    local status, out, err = diff("a.json a.json busy.json")
    assert.equal("", err)
    assert.equal(0, status)
    assert.truthy(out:find("no difference: both decide the same\n", 1, true))
    assert.falsy(out:find("/a", 1, true))
    status, out = diff("--all a.json a.json busy.json")
    assert.equal(0, status)
    assert.truthy(out:find("/b", 1, true))
  end)

  it("says 1 and shows what differs", function ()
    local status, out, err = diff("a.json b.json busy.json")
    assert.equal("", err)
    assert.equal(1, status)
    assert.truthy(out:find("A: a.json, policy hybrid\nB: b.json, policy hybrid\n", 1, true))
    assert.truthy(out:find("\n/a +5 %-> 7 +%+2 "))
    assert.truthy(out:find("\n/b +5 %-> 3 +%-2 "))
    assert.truthy(out:find("\n/c +only B has it\n"))
    assert.truthy(out:find("  /a to /b: 3 -> 1 (-2)\n", 1, true))
    assert.truthy(out:find("reclaimed 3 -> 1 (-2)\n", 1, true))
  end)

  it("turns round with its sides", function ()
    local there = document "a.json b.json busy.json"
    local back = document "b.json a.json busy.json"
    assert.equal("allot/diff/v1", there.schema)
    assert.is_false(there.same)
    for i, name in ipairs { "/a", "/b" } do
      local one, other = there.states[1].consumers[i], back.states[1].consumers[i]
      assert.equal(name, one.consumer)
      assert.equal(one.quota.a, other.quota.b)
      assert.equal(-one.quota.change, other.quota.change)
    end
    assert.equal("b", there.states[1].consumers[3].only)
    assert.equal("a", back.states[1].consumers[3].only)
  end)

  it("has status and same whatever the format", function ()
    local _, status = document "a.json b.json busy.json"
    assert.equal(1, status)
    local same, quiet = document "a.json b.json quiet.json"
    assert.equal(1, quiet) -- /c is in one plan only
    assert.equal(1, #same.states[1].consumers)
    same, status = document "a.json a.json quiet.json"
    assert.equal(0, status)
    assert.is_true(same.same)
  end)

  it("puts policies in a plan's place", function ()
    local found = document "--plan a.json hybrid fair.lua busy.json"
    assert.equal("hybrid", found.a.policy)
    assert.equal("fair", found.b.policy)
    assert.equal("a.json", found.b.plan)
    local status, out = diff("a.json fair.lua busy.json")
    assert.equal(0, status)
    assert.truthy(out:find("B: a.json, policy fair.lua in place of its own\n", 1, true))
    write("sub.json", (PLAN:gsub('"slots"', '"policy": {"use": "share_ratio", '
      .. '"enforce_share": "parent"}, "slots"')))
    -- what stands beside the replaced policy's name goes with it
    status = diff("sub.json hybrid busy.json")
    assert.equal(0, status)
    found = document "--plan sub.json share_ratio hybrid busy.json"
    assert.equal("share_ratio", found.a.policy)
  end)

  it("leaves the policies of branches and groups alone", function ()
    write("branch.json", (PLAN:gsub('"owned": 5}%]', '"owned": 5, "policy": "ownership"}]')))
    local found = document "branch.json fair.lua busy.json"
    assert.equal("hybrid", found.a.policy)
    assert.equal("fair", found.b.policy)
    write("groups.json", '{"version": 1, "groups": {"g": {"slots": 4, "policy": "hybrid"}}, '
      .. '"consumers": [{"name": "a"}, {"name": "b"}]}')
    local status, _, err = diff("groups.json fair.lua busy.json")
    assert.equal(3, status)
    assert.truthy(err:find("groups.json:1:1: error: every group of the plan names its policy: "
      .. "there is none that fair.lua could stand in for [E-policy]", 1, true))
  end)

  it("goes to other times", function ()
    write("window.json", (PLAN:gsub('"slots": 10', '"slots": 10, "windows": [{"from": "01:00", '
      .. '"to": "02:00", "consumers": {"/a": {"limit": 4}}}]')))
    local found = document "window.json window.json@next busy.json"
    assert.same({ a = 1000, b = 3600 }, found.states[1].now)
    assert.equal("next", found.b.at)
    assert.is_false(found.same)
    found = document "window.json@3600 window.json@1970-01-01T01:30:00Z busy.json"
    assert.is_true(found.same)
    local status, _, err = diff("window.json@500 window.json busy.json")
    assert.equal(2, status)
    assert.truthy(err:find("@500 is before 1970-01-01T00:16:40Z", 1, true))
    status, _, err = diff("window.json@soon window.json busy.json")
    assert.equal(2, status)
    assert.truthy(err:find('@TIME is "next", Unix seconds', 1, true))
    write("odd@1.json", PLAN)
    assert.equal(0, (diff("odd@1.json a.json busy.json")))
  end)

  it("sums up over states", function ()
    local status, out, err = diff("a.json b.json states")
    assert.equal("", err)
    assert.equal(1, status)
    assert.truthy(out:find("\n3 states, 3 differ\n", 1, true))
    assert.truthy(out:find("/a: in 2 states, at most +2 in states/1.json; in all +3\n", 1, true))
    assert.truthy(out:find("/b: in 2 states, at worst -2 in states/1.json; in all -3\n", 1, true))
    assert.truthy(out:find("slots reclaimed 5 -> 2 (-3)\n    0 added, 3 saved\n", 1, true))
    assert.truthy(out:find("\nin all (B decides about A's states, so these sums are no forecast):\n"
      .. "  slots ", 1, true), out)
    write("calm.json", '{"now": 0, "consumers": {}}')
    local _, calm = diff("a.json a.json calm.json calm.json")
    assert.equal("2 states, 0 differ\n", calm:match "\n(%d states.*)$") -- no sums of nothing
    local found = document "a.json b.json states busy.json"
    assert.equal(4, found.summary.states)
    assert.equal("states/1.json", found.summary.consumers[1].gain.state)
    assert.equal(-5, found.summary.reclaimed.change)
    assert.equal(5, found.summary.reclaims.saved)
    assert.equal("states/2.json", found.states[2].state)
  end)

  it("sums up a folder of one state as a folder", function ()
    shell.run("mkdir " .. at .. "/one && cp " .. at .. "/busy.json " .. at .. "/one/")
    local _, out = diff("a.json a.json one/")
    assert.truthy(out:find("1 state, 0 differ", 1, true))
  end)

  it("reads a state from standard input", function ()
    local line = ("cd %s && $here/%s diff a.json b.json - < busy.json"):format(at, shell.allot)
    local status, out = shell.run("here=$PWD; " .. line)
    assert.equal(1, status)
    assert.truthy(out:find("state: <stdin>", 1, true))
    status = diff("- b.json busy.json")
    assert.equal(2, status)
  end)

  describe("of a log", function ()
    setup(function ()
      write("log.jsonl", [[
{"at": 100, "event": "submit", "id": "1", "consumer": "/a", "slots": 8, "run": 100}
{"at": 110, "event": "submit", "id": "2", "consumer": "/b", "slots": 8, "run": 100}
{"at": 900, "event": "submit", "id": "3", "consumer": "/a", "slots": 1, "run": 10}
]])
      write("queues.json", '{"version": 1, "policy": "preemption", "hosts": {"h": {"slots": 4}}, '
        .. '"queues": [{"name": "hi", "priority": 9, "preemptive": true}, {"name": "lo"}]}')
      write("plain.json", '{"version": 1, "policy": "preemption", "hosts": {"h": {"slots": 4}}, '
        .. '"queues": [{"name": "hi", "priority": 9}, {"name": "lo"}]}')
      write("jobs.jsonl", [[
{"at": 100, "event": "submit", "id": "1", "queue": "lo", "slots": 4, "run": 100}
{"at": 110, "event": "submit", "id": "2", "queue": "hi", "slots": 4, "run": 100}
]])
    end)

    it("compares every state that A meets", function ()
      local found, status = document "a.json b.json log.jsonl"
      assert.equal(1, status)
      assert.is_true(found.summary.states >= 5)
      -- /c is in one plan alone, so all differ; who owns more matters when /b comes
      assert.equal(found.summary.states, found.summary.differ)
      assert.same({}, found.states)
      for _, row in ipairs(found.summary.consumers) do
        if row.consumer == "/a" then
          assert.same({ change = 2, state = "1970-01-01T00:01:50Z" }, row.gain)
        end
      end
      assert.same({ a = 3, b = 1, change = -2 }, found.summary.reclaimed)
    end)

    it("finds no difference between a plan and itself", function ()
      for _, plan in ipairs { "a.json", "b.json" } do
        local status, out, err = diff(plan .. " " .. plan .. " log.jsonl")
        assert.equal("", err)
        assert.equal(0, status)
        assert.truthy(out:find("states, 0 differ\n", 1, true))
      end
      assert.equal(0, (diff "queues.json queues.json jobs.jsonl"))
    end)

    it("compares jobs of queues", function ()
      local found = document "queues.json plain.json jobs.jsonl"
      assert.equal(1, found.summary.differ)
      assert.same({ a = 1, b = 0, change = -1 }, found.summary.jobs.suspended)
    end)

    it("takes one state in so many seconds", function ()
      local all = document "a.json b.json log.jsonl"
      local some = document "a.json b.json log.jsonl --interval 500"
      assert.equal(2, some.summary.states)
      assert.is_true(all.summary.states > 2)
    end)

    it("maps jobs as simulate does", function ()
      write("map.lua", 'return function (job) return { consumer = "/b" } end')
      local found = document "a.json b.json log.jsonl --map map.lua"
      for _, row in ipairs(found.summary.consumers) do assert.equal("/b", row.consumer) end
    end)

    it("says what is wrong", function ()
      for words, text in pairs {
        ["a.json@next b.json log.jsonl"] = "@TIME is only for states: a log has its own times",
        ["a.json b.json busy.json log.jsonl"] = "a log cannot be compared together with states",
      } do
        local status, _, err = diff(words)
        assert.equal(2, status)
        assert.truthy(err:find(text, 1, true))
      end
      write("empty.jsonl", "")
      local status, _, err = diff "a.json b.json empty.jsonl"
      assert.equal(3, status, err)
      write("lone.json", '{"version": 1, "slots": 10, "consumers": [{"name": "a", "owned": 5}]}')
      status, _, err = diff "a.json lone.json log.jsonl"
      assert.equal(3, status)
      assert.truthy(err:find("the state names the consumer /b, but the plan that is to decide", 1,
        true))
      write("other.json", '{"version": 1, "policy": "shared_lease", "leases": [{"name": "l", '
        .. '"provider": "p", "consumer": "c", "slots": 8}]}')
      status, _, err = diff "other.json other.json log.jsonl"
      assert.equal(3, status)
      assert.truthy(err:find("cannot be simulated", 1, true))
      assert.equal(5, (diff "a.json b.json none.swf"))
      write("no-queues.json", '{"version": 1, "slots": 4, "consumers": [{"name": "hi"}, '
        .. '{"name": "lo"}]}')
      status, _, err = diff "queues.json no-queues.json jobs.jsonl"
      assert.equal(3, status)
      assert.truthy(err:find("the other plan cannot have such a state", 1, true), err)
    end)
  end)

  local function refuses(words, code, text)
    it("refuses " .. words, function ()
      local status, out, err = diff(words)
      assert.equal("", out)
      assert.truthy(err:find(text, 1, true), err)
      assert.equal(code, status)
    end)
  end

  refuses("a.json b.json", 2, "usage: allot diff PLAN|POLICY PLAN|POLICY STATE|TRACE...")
  refuses("hybrid fair.lua busy.json", 2,
    "hybrid and fair.lua are policies, and need a plan to decide in")
  refuses("--plan a.json a.json b.json busy.json", 2, "--plan is only for policies")
  refuses("a.json b.json none", 3, "none has no file that ends in .json: nothing was compared")
  refuses("a.json b.json absent.json", 5, "absent.json: error: cannot be read")
  refuses("a.json hybird busy.json", 3, 'there is no policy "hybird"; ready-made are')
  refuses("a.json absent.lua busy.json", 5, "absent.lua: error: cannot be read")
  refuses("b.json a.json fair.lua", 3, "fair.lua:1:1: error:")
  refuses("a.json - busy.json", 2, 'standard input ("-") can only be a state')

  it("tells once what is wrong with both sides", function ()
    write("bad.json", (BUSY:gsub('"/b"', '"/x"')))
    local status, out, err = diff("a.json a.json bad.json")
    assert.equal(3, status)
    assert.equal("", out)
    assert.equal(1, select(2, err:gsub("error:", "")))
    status, out = diff("--format json a.json b.json bad.json")
    assert.equal(3, status)
    assert.equal("allot/error/v1", json.decode(out).schema)
  end)

  it("warns once, though both sides are the same plan", function ()
    local _, _, err = diff("--plan a.json share_ratio share_ratio busy.json")
    assert.equal(1, select(2, err:gsub("warning:", "")))
  end)

  it("reads what is no folder as a file", function ()
    local status, _, err = diff("a.json b.json busy.json/x")
    assert.equal(5, status)
    assert.truthy(err:find("busy.json/x: error: cannot be read: Not a directory", 1, true))
  end)
end)
