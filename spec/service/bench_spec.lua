-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot bench` of services: what it says of a short load, of a few edits, of a truth of a few
--- thousand tasks must add up. How fast that is nobody promises here: others compute beside it.

local dkjson = require "dkjson"
local shell = require "spec.support.house.shell"

describe("a service under load", function ()
  it("acknowledges and decides all of it", function ()
    local folder = shell.directory()
    local status, out, err = shell.run(("TMPDIR=%s %s bench --shape serve/2/500 --format json")
      :format(folder, shell.allot))
    local left = shell.lines("ls -A " .. folder)
    shell.remove(folder)
    assert.equal(0, status, err)
    assert.same({}, left)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-serve/v1", told.schema)
    assert.equal(100000, told.consumers)
    assert.same({ 1000, 1000, 0 }, { told.sent, told.acknowledged, told.refused })
    assert.equal(1000, told.acknowledge_ms.count)
    assert.equal(0, told.undecided)
    -- The same again, while 100 readers ask for decisions without end.
    assert.equal(1000, told.acknowledge_beside_readers_ms.count)
    -- A leaf demands, and when it was granted demands nothing and releases.
    assert.equal(told.grants, told.decide_ms.count)
    assert.is_true(told.grants > 300)
    assert.is_true(told.decide_ms.p50 <= told.decide_ms.p99)
    assert.is_true(told.limits.commit_ms > 0 and told.limits.echo_us > 0)
    for _, bytes in ipairs(told.memory_bytes) do
      assert.is_true(bytes > 1000000)
    end
  end)

  it("is told for people", function ()
    local status, out = shell.command("bench", "--shape", "serve/1/100")
    assert.equal(0, status)
    assert.truthy(out:find("100000 consumers, 10 clients, 100 events a second for 1 s", 1, true),
                  out)
    assert.truthy(out:find("100 sent, 100 acknowledged, 0 refused", 1, true), out)
    assert.truthy(out:find("bare limits", 1, true))
  end)

  -- So few that not all clients are let in; so few that all are, but fewer than there are readers.
  it("tells of too few open files", function ()
    for files, expected in pairs {
      [30] = "the service closed a connection under load", [90] = "no readers could be started",
    } do
      local status, _, err = shell.run(("ulimit -n %d; %s bench --shape serve/1/100")
        :format(files, shell.allot))
      assert.equal(5, status, err)
      assert.truthy(err:find(expected, 1, true), err)
    end
  end)

  it("has shapes of its own alone", function ()
    for _, shape in ipairs { "serve/", "serve/0", "serve/1/x", "served", "serve/1/1" } do
      local status, _, err = shell.command("bench", "--shape", shape)
      assert.equal(2, status)
      assert.truthy(err:find("there is no shape " .. shape, 1, true), err)
    end
    local status, _, err = shell.run("TMPDIR=/nowhere " .. shell.allot .. " bench --shape serve/1")
    assert.equal(5, status)
    assert.truthy(err:find("cannot be written", 1, true), err)
  end)
end)

describe("a service with nothing else to do", function ()
  it("decides each event", function ()
    local status, out, err = shell.command("bench", "--shape", "decide/50", "--format", "json")
    assert.equal(0, status, err)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-decide/v1", told.schema)
    assert.same({ 100000, 50 }, { told.consumers, told.events })
    assert.is_true(told.decide_ms.p50 > 0 and told.decide_ms.p50 <= told.decide_ms.p99)
    assert.is_true(told.acknowledge_ms.p50 > 0 and told.limits.commit_ms > 0)
    status, out = shell.command("bench", "--shape", "decide/1")
    assert.equal(0, status)
    assert.truthy(out:find("100000 consumers, 1 events one at a time", 1, true), out)
  end)
end)

describe("a truth that a service is told", function ()
  it("is measured, and leaves nothing behind", function ()
    local folder = shell.directory()
    local status, out, err = shell.run(("TMPDIR=%s %s bench --shape sync/2000 --repeat 2 "
      .. "--format json"):format(folder, shell.allot))
    local left = shell.lines("ls -A " .. folder)
    shell.remove(folder)
    assert.equal(0, status, err .. out)
    assert.same({}, left)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-sync/v1", told.schema)
    assert.same({ 2000, 2 }, { told.tasks, told["repeat"] })
    -- Each of 1000 leaves wants what its two tasks take. One task in ten is changed: all of the
    -- first branch, whose 100 leaves want more then.
    local events = { all = 2000 + 1000, again = 0, changed = 200 + 100, none = 2000 + 1000 }
    for _, call in ipairs(told.calls) do
      assert.equal(events[call.name], call.events, call.name)
      assert.is_true(call.longest_ms.best > 0)
      for _, figure in ipairs { "answered_ms", "loop_ms", "longest_ms", "thread_ms" } do
        assert.is_true(call[figure].best <= call[figure].median)
      end
      assert.is_true(call.longest_ms.best <= call.loop_ms.best)
    end
    assert.equal(4, #told.calls)
    assert.is_true(told.limits.read_ms > 0 and told.limits.commit_ms > 0)
    assert.is_true(told.bytes > 2000 * 50)
  end)

  it("is told for people", function ()
    local status, out = shell.command("bench", "--shape", "sync/10", "--repeat", "1")
    assert.equal(0, status)
    assert.truthy(out:find("10 tasks on 1000 leaves and 1000 hosts", 1, true), out)
    assert.truthy(out:find("bare limits", 1, true), out)
  end)

  it("has shapes of its own alone", function ()
    for _, shape in ipairs { "sync/", "sync/0", "sync/1x", "syncs", "sync/300001" } do
      local status, _, err = shell.command("bench", "--shape", shape)
      assert.equal(2, status, shape)
      assert.truthy(err:find("there is no shape " .. shape, 1, true), err)
    end
  end)
end)

describe("edits of a running service", function ()
  it("are measured, and leave nothing behind", function ()
    local folder = shell.directory()
    local status, out, err = shell.run(
      ("TMPDIR=%s %s bench --shape reload/1/2000 --format json"):format(folder, shell.allot))
    local left = shell.lines("ls -A " .. folder)
    shell.remove(folder)
    assert.equal(0, status, err .. out)
    assert.same({}, left)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-reload/v1", told.schema)
    assert.same({ 100000, 2000 }, { told.consumers, told.tasks })
    for _, kind in ipairs { "policy", "plan" } do
      local of = told[kind]
      assert.equal(1, of.count)
      assert.is_true(of.decides_ms.p50 <= of.decides_ms.max)
      -- Nothing is taken before files have been quiet for so long.
      assert.is_true(of.decides_ms.p50 > told.limits.quiet_ms)
      assert.is_true(of.swap_ms > 0 and of.away_ms > 0 and of.busy_ms > 0)
    end
    assert.is_true(told.limits.read_ms > told.limits.cycle_ms and told.limits.cycle_ms > 0)
  end)

  it("have shapes of their own alone", function ()
    for _, shape in ipairs { "reload/", "reload/0", "reload/1/x", "reloads", "reload/1/100001" } do
      local status, _, err = shell.command("bench", "--shape", shape)
      assert.equal(2, status)
      assert.truthy(err:find("there is no shape " .. shape, 1, true), err)
    end
  end)
end)
