-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Consumers that a running service's plan does not name, but for which "*" stands: events bring
--- them, and they stay over kills, reloads, rollbacks and in replays.

local heard = require "spec.support.house.heard"
local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "share_ratio", "consumers": [
  {"name": "a", "children": [{"name": "*", "limit": %d}, {"name": "boss"}]}, {"name": "b"}]}]]

describe("newcomers at a service", function ()
  local world = live.world()
  local it_runs = service.it_ran(service.is_allowed)

  local function begin(words)
    shell.write(world.folder .. "/plan.json", PLAN:format(6))
    return world.start(words or "--store db --debounce 10000")
  end

  --- Paths and quotas, after a cycle.
  local function quotas(it)
    local out = {}
    local decision = assert(it:call("sync", { source = "look" })).decision
    for _, row in ipairs(decision.groups.default.consumers) do
      out[#out + 1] = row.path .. " " .. row.quota
    end
    return out
  end

  local function replayed()
    local status, out, err = shell.command("replay", world.folder .. "/db", "--plan",
      world.folder .. "/plan.json")
    assert.equal("", err)
    assert.equal(0, status, out)
    return out
  end

  local GROWN = { "/a 6", "/a/* 0", "/a/boss 0", "/a/amy 3", "/a/zoe 3", "/b 4" }

  it_runs("come with events, and stay after a kill", function ()
    local it = begin()
    assert(it:call("demand", { consumer = "/b", slots = 4 }))
    assert(it:call("demand", { consumer = "/a/zoe", slots = 9 }))
    assert(it:call("demand", { consumer = "/a/amy", slots = 3 }))
    assert.same(GROWN, quotas(it))
    world.kill()
    it = world.start "--store db --debounce 10000"
    assert.same(GROWN, quotas(it))
    assert(it:call("demand", { consumer = "/a/amy", slots = 0 }))
    assert.equal("/a/amy 0", quotas(it)[4])
    world.stop()
    assert.truthy(replayed():find("as recorded", 1, true), replayed())
  end)

  it_runs("come in a batch, and none is entered before", function ()
    local it = begin()
    local calls = {}
    for i, params in ipairs { { "/b", 4 }, { "/a/zoe", 9 }, { "/c", 9 }, { "/a/amy", 3 } } do
      calls[i] = ('{"jsonrpc": "2.0", "id": %d, "method": "demand", "params": '
        .. '{"consumer": "%s", "slots": %d}}'):format(i, params[1], params[2])
    end
    local answers = it:ask("[" .. table.concat(calls, ", ") .. "]")
    assert.equal(1, answers[1].result.seq)
    assert.equal(2, answers[2].result.seq)
    assert.equal("E-unknown-path", answers[3].error.data.code)
    assert.equal(3, answers[4].result.seq)
    assert.same(GROWN, quotas(it))
  end)

  it_runs("come with tasks, in their order on each connection", function ()
    local it = begin()
    local other = it:connect()
    local line = '{"jsonrpc": "2.0", "id": %d, "method": "start", "params": '
      .. '{"id": "t%d", "consumer": "/a/u%d"}}\n'
    for i = 1, 20 do
      assert(it.peer:send(line:format(i, i, i)))
      assert(other:send(line:format(i + 20, i + 20, i + 20)))
    end
    for i = 1, 20 do
      assert.same({ i, i + 20 }, { live.read(it.peer).id, live.read(other).id })
    end
    assert.equal(44, #quotas(it))
  end)

  it_runs("of one sync come in one go", function ()
    local it = begin()
    local consumers, tasks = {}, {}
    for i = 1, 300 do
      consumers["/a/u" .. i] = { demand = 1 }
      tasks[i] = { id = "t" .. i, consumer = "/a/v" .. i }
    end
    local result = assert(it:call("sync", { source = "s", consumers = consumers, tasks = tasks }))
    assert.equal(0, result.dropped_count)
    assert.equal(604, #quotas(it))
    result = assert(it:call("sync", { source = "s", consumers = { ["/a/*"] = { demand = 1 } } }))
    assert.equal(1, result.dropped_count)
    local said = result.dropped[1].error.message
    heard(said)
    assert.equal('consumer: "/a/*" stands for others, allowed are their names', said)
    world.stop()
    replayed()
  end)

  it_runs("stay over a reload and a rollback, where a wildcard stands for them", function ()
    local it = begin()
    assert(it:call("demand", { consumer = "/b", slots = 4 }))
    assert(it:call("demand", { consumer = "/a/zoe", slots = 9 }))
    assert(it:call("demand", { consumer = "/a/amy", slots = 3 }))
    assert.same(GROWN, quotas(it))
    shell.write(world.folder .. "/plan.json", PLAN:format(2))
    assert.equal("swapped", assert(it:call "reload").result)
    assert.same({ "/a/amy 2", "/a/zoe 2" }, { quotas(it)[4], quotas(it)[5] })
    assert(it:call("demand", { consumer = "/a/kim", slots = 1 }))
    assert.equal("swapped", assert(it:call "rollback").result)
    assert.same({ "/a/amy 3", "/a/kim 1", "/a/zoe 2" }, { quotas(it)[4], quotas(it)[5],
      quotas(it)[6] })
    world.stop()
    replayed()
  end)

  it_runs("are named by events that are no longer refused once another plan decides", function ()
    local it = begin()
    local _, fault = it:call("demand", { consumer = "/b/x", slots = 1 })
    assert.equal("E-unknown-path", fault.data.code)
    _, fault = it:call("demand", { consumer = "/a/*", slots = 1 })
    assert.equal("E-wildcard", fault.data.code)
    assert.equal(4, #quotas(it))
  end)
end)
