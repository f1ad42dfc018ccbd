-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `takes` and `inside` in a service: told one by one, or by `sync`; and columns of jobs' users.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local SITE = [[return policy {
  name = "site", attributes = { level = { type = "integer" } },
  quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "spare" { by = 1 } },
  takes = relation { higher "level" }, inside = relation { higher "priority" },
}]]
local PLAN = [[{"version": 1, "slots": 10, "policy": "site.lua", "consumers": [
  {"name": "a", "owned": 5, "level": 2}, {"name": "b", "owned": 5, "level": %d}]}]]

describe("a service whose policy says who takes", function ()
  local world = live.world()
  local it_runs

  local function start(plan, site)
    shell.write(world.folder .. "/site.lua", site or SITE)
    shell.write(world.folder .. "/plan.json", plan)
    it_runs = world.start "--interval 0 --debounce 60000"
  end

  local function call(method, params)
    local told, fault = it_runs:call(method, params)
    assert(told, fault and fault.message)
    return told
  end

  local function cycle() return call("cycle", { full = true }).full end

  --- "/b 3 for /a: t1 t2" of each reclaim of a decision.
  local function reclaims(decision)
    local found = {}
    for i, it in ipairs(decision.reclaims) do
      found[i] = ("%s %d for %s: %s"):format(it.consumer, it.slots,
        it["for"][1] and it["for"][1].consumer or "nobody", table.concat(it.tasks, " "))
    end
    return found
  end

  for level, wanted in ipairs { { "/b 3 for /a: " }, {} } do
    it("takes from a lower one alone, told one by one: level " .. level, function ()
      start(PLAN:format(level))
      call("demand", { consumer = "/b", slots = 8 })
      call("allocated", { consumer = "/b", slots = 8 })
      call("demand", { consumer = "/a", slots = 5 })
      assert.same(wanted, reclaims(cycle()))
    end)
  end

  it("lets a pending task take a running one's place, and starts it then", function ()
    start(PLAN:format(2))
    local tasks = {
      { id = "t1", consumer = "/a", slots = 2, started = 1000 },
      { id = "t2", consumer = "/a", slots = 3, started = 2000 },
      { id = "u", consumer = "/b", slots = 5, started = 1000 },
    }
    local told = call("sync", { consumers = {}, tasks = tasks })
    assert.same({}, reclaims(told.decision))
    tasks[4] = { id = "t3", consumer = "/a", slots = 3, state = "pending", priority = 5 }
    told = call("sync", { consumers = {}, tasks = tasks })
    assert.same({ "/a 3 for /a: t2" }, reclaims(told.decision))
    assert.equal("t3", told.decision.reclaims[1].why.pending)
    tasks[2].state, tasks[2].started = "pending", nil
    told = call("sync", { consumers = {}, tasks = tasks })
    assert.same({}, reclaims(told.decision))
    assert.same({ "t3" }, told.decision.grants[1].tasks)
    tasks[4].state, tasks[4].started = nil, 3000
    told = call("sync", { consumers = {}, tasks = tasks })
    assert.same({ {}, {} }, { told.decision.grants, reclaims(told.decision) })
  end)

  it("goes by users of jobs, whatever the order in which it was told of them", function ()
    start([[{"version": 1, "policy": "site.lua", "hosts": {"h": {"slots": 2}},
      "queues": [{"name": "high", "priority": 9}, {"name": "low"}]}]], [[return policy {
      name = "site", preempts = false, across = true, dispatch = order { "user", desc "waited" },
    }]])
    local jobs = { { "j1", "high", "zoe" }, { "j2", "low", "bob" }, { "j3", "low", "ann" } }
    for _, it in ipairs(jobs) do
      call("submit", { id = it[1], queue = it[2], user = it[3], slots = 1 })
    end
    local started = {}
    for i, order in ipairs(cycle().starts) do started[i] = order.job end
    assert.same({ "j3", "j2" }, started)
  end)
end)
