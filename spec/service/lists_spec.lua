-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the books have, listed page by page; and what a manager tells of tasks and jobs that they
-- did not start: adopted, changed, done, declined, run, requeued, failed.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "careful.lua", "consumers": [
  {"name": "a", "owned": 5, "grace": 60}, {"name": "b", "children": [{"name": "x", "owned": 5}]}]}]]
local POLICY = [[
return policy { name = "careful", like = "hybrid",
  task_attributes = {
    worth = { type = "integer", default = 0, doc = "the lowest goes first" },
    unsaved = { type = "integer", default = 9, doc = "seconds since its checkpoint" } },
  victims = order { "worth", "unsaved" } }
]]
local QUEUES = [[{"version": 1, "policy": "preemption",
  "hosts": {"h1": {"slots": 4}, "h2": {"slots": 4}}, "queues": [
  {"name": "low", "priority": 1, "preemptable": true},
  {"name": "high", "priority": 9, "preemptive": true}]}]]

describe("a service", function ()
  local world = live.world()
  local it_runs

  local function start(plan)
    shell.write(world.folder .. "/plan.json", plan)
    shell.write(world.folder .. "/careful.lua", POLICY)
    it_runs = world.start "--interval 0 --debounce 60000"
  end

  local function call(method, params)
    local told, fault = it_runs:call(method, params)
    assert(told, fault and fault.message)
    return told
  end

  local function cycle() return call("cycle", { full = true }).full end

  --- What a call is refused for: the text and its code.
  local function refused(method, params, text, code)
    local told, fault = it_runs:call(method, params)
    assert.is_nil(told)
    assert.equal(text, fault.message)
    assert.equal(code, fault.data.code)
  end

  --- What the lists have, but for what all answers have.
  local function listed(method, params)
    local told = call(method, params)
    assert.is_number(told.event)
    return told[method], told.next, told.count
  end

  local function leaf(path)
    for _, each in ipairs(cycle().groups.default.consumers) do
      if each.path == path then return { each.demand, each.allocated } end
    end
  end

  describe("lists", function ()
    it("tasks by name, page by page, of a branch, and which reclaim takes each", function ()
      start(PLAN)
      for _, it in ipairs { { "t3", "/a" }, { "t1", "/b/x" }, { "t2", "/a" }, { "t10", "/a" } } do
        call("start", { id = it[1], consumer = it[2], adopt = true, started = 1000,
                        worth = #it[1] })
      end
      local all, after, count = listed "tasks"
      assert.same({ id = "t1", consumer = "/b/x", started = 1000, worth = 2 }, all[1])
      assert.same({ "t1", "t10", "t2", "t3" },
        { all[1].id, all[2].id, all[3].id, all[4].id })
      assert.same({ nil, 4 }, { after, count })

      local page
      page, after, count = listed("tasks", { limit = 3 })
      assert.same({ 3, "t2", 4 }, { #page, after, count })
      page, after = listed("tasks", { limit = 3, after = after })
      assert.same({ 1, "t3", nil }, { #page, page[1].id, after })
      page = listed("tasks", { consumer = "/b" })
      assert.same({ 1, "t1" }, { #page, page[1].id })
      page, after = listed("tasks", { consumer = "/a", limit = 2 })
      assert.same({ "t10", "t2", "t2" }, { page[1].id, page[2].id, after })

      call("slots", { slots = 3 })
      local order = cycle().reclaims[1] -- of three of /a that with the larger id of the lowest
      assert.same({ "/a", "t3" }, { order.consumer, table.unpack(order.tasks) })
      for _, each in ipairs(listed "tasks") do
        assert.equal(each.id == "t3" and "r1.0" or nil, each.reclaim)
      end
      local flights = listed("flights", { consumer = "/a" })
      -- The grace of 60 s and the second of which nobody knows how much is over.
      assert.same({ id = "r1.0", consumer = "/a", deadline = order.deadline,
                    slots = 1,
                    tasks = order.tasks, since = order.deadline - 61 }, flights[1])
      assert.equal(1, #flights)
      assert.same({}, (listed("flights", { consumer = "/b/x" })))
    end)

    it("hosts and sessions", function ()
      start(PLAN)
      call("host", { name = "h1", slots = 6, load = 1.5 })
      call("host", { name = "h0", slots = 4, closed = "drain", exclusive_to = "/b" })
      call("session", { id = "s", consumer = "/a", priority = 7 })
      assert.same({ { name = "h0", slots = 4, closed = "drain", exclusive_to = "/b" },
                    { name = "h1", slots = 6, load = 1.5 } }, (listed "hosts"))
      local page, after, count = listed("hosts", { limit = 1 })
      assert.same({ 1, "h0", 2 }, { #page, after, count })
      assert.same({ { id = "s", consumer = "/a", priority = 7 } }, (listed "sessions"))
      refused("hosts", { consumer = "/a" }, 'consumer: found the unknown key "consumer"',
              "E-unknown-key")
      refused("tasks", { consumer = "/c" },
              'consumer: found the path "/c", which no consumer of the plan has', "E-unknown-path")
      assert.is_nil((it_runs:call("tasks", { limit = 1001 })))
    end)

    it("jobs of a queue", function ()
      start(QUEUES)
      call("submit", { id = "j1", queue = "low", slots = 2, submitted = 1000, user = "ann" })
      call("submit", { id = "j2", queue = "high", submitted = 1000 })
      assert.same({ { id = "j1", queue = "low", slots = 2, submitted = 1000, user = "ann" } },
        (listed("jobs", { queue = "low" })))
      assert.same({ 2, "j2" }, { #listed "jobs", listed("jobs", { queue = "high" })[1].id })
    end)
  end)

  describe("is told of tasks that", function ()
    it("run already, whatever is allocated", function ()
      start(PLAN)
      refused("start", { id = "t", consumer = "/a", slots = 3 },
              "slots: found 3, allowed at most 0, what is allocated and free", "E-allocated")
      call("start", { id = "t", consumer = "/a", slots = 3, adopt = true })
      assert.same({ 0, 3 }, leaf "/a")
      call("allocated", { consumer = "/b/x", slots = 2 })
      call("start", { id = "u", consumer = "/b/x", slots = 3, adopt = true }) -- it lacks one
      assert.same({ 0, 3 }, leaf "/b/x")
      refused("start", { id = "v", consumer = "/a", slots = 1000000000, adopt = true },
              "slots: found 1000000000, its leaf would have 1000000003, at most 1000000000 are "
              .. "allowed", "E-allocated")
    end)

    it("are done, and want no more", function ()
      start(PLAN)
      call("demand", { consumer = "/a", slots = 5 })
      call("start", { id = "t", consumer = "/a", slots = 3, adopt = true })
      call("start", { id = "u", consumer = "/a", slots = 2, adopt = true })
      call("finish", { id = "t", done = true })
      assert.same({ 2, 2 }, leaf "/a")
      call("finish", { id = "u", done = true, keep = true })
      assert.same({ 0, 2 }, leaf "/a")
      for _, id in ipairs { "v", "w" } do -- both share two slots
        call("start", { id = id, consumer = "/b/x", host = "h", slot = "1", slots = 2,
                        adopt = true })
      end
      call("demand", { consumer = "/b/x", slots = 2 })
      call("finish", { id = "v", done = true }) -- the other is there: none is free
      assert.same({ 2, 2 }, leaf "/b/x")
      call("finish", { id = "w", done = true })
      assert.same({ 0, 0 }, leaf "/b/x")
    end)

    it("change while they run: what is not told stays", function ()
      start(PLAN)
      call("demand", { consumer = "/a", slots = 5 })
      call("start", { id = "t", consumer = "/a", slots = 2, adopt = true, started = 1000,
                      host = "h", tags = { "gold" }, worth = 3 })
      call("start", { id = "u", consumer = "/a", slots = 2, adopt = true, started = 1000,
                      worth = 4 })
      call("task", { id = "t", worth = 5, unsaved = 600 })
      assert.same({ id = "t", consumer = "/a", slots = 2, started = 1000, host = "h",
                    tags = { "gold" }, worth = 5, unsaved = 600 }, listed "tasks"[1])
      call("task", { id = "t", tags = {}, slots = 1, preempted = 2, session = "s" })
      assert.same({ id = "t", consumer = "/a", started = 1000, host = "h", preempted = 2,
                    session = "s", worth = 5, unsaved = 600 }, listed "tasks"[1])
      assert.same({ 5, 3 }, leaf "/a") -- a slot came back
      refused("task", { id = "t", slots = 9 }, -- by now 5 are allocated, and u takes 2
              "slots: found 9, 6 more than is allocated and free", "E-allocated")
      refused("task", { id = "v", slots = 2 }, 'id: there is no task "v"', "E-unknown-task")
      refused("task", { id = "t", consumer = "/b/x" },
              "consumer: found another one, allowed /a, which the task has", "E-conflict")
      -- By now t is worth more, so that u goes: the policy reads what was told last.
      call("slots", { slots = 1 })
      assert.same({ "u" }, cycle().reclaims[1].tasks)
    end)
  end)

  -- The leaf is not given what it cannot use, and is given it again when the time is over.
  it("is told what a leaf cannot use for a while", function ()
    start(PLAN)
    local now = call "ping".now
    call("demand", { consumer = "/a", slots = 8 })
    assert.same({ "/a", 8 }, { cycle().grants[1].consumer, leaf "/a"[2] })
    call("start", { id = "t", consumer = "/a" })
    refused("decline", { consumer = "/a", slots = 8, ["until"] = now + 60 },
            "slots: found 8, allowed at most 7, what is allocated and free", "E-allocated")
    call("decline", { consumer = "/a", slots = 6, ["until"] = now + 60 })
    assert.same({ 2, 2 }, leaf "/a") -- it wants 8 still, and can use 2
    call("demand", { consumer = "/a", slots = 9 })
    assert.equal(0, #cycle().grants)
    call("decline", { consumer = "/a", ["until"] = now }) -- from now on it can use them again
    assert.same({ "/a", 7 }, { cycle().grants[1].consumer, leaf "/a"[2] - 2 })
    refused("decline", { consumer = "/a" }, '"until" is missing', "E-missing")
  end)

  describe("of jobs is told", function ()
    local function job(id)
      for _, each in ipairs(listed "jobs") do
        if each.id == id then
          each.submitted, each.started, each.ran = nil, nil, nil
          return each
        end
      end
    end

    it("those that run already, or are suspended", function ()
      start(QUEUES)
      local now = call "ping".now
      call("submit", { id = "j1", queue = "low", state = "running", hosts = { h1 = 3, h2 = 1 },
                       started = now - 100 })
      call("submit", { id = "j2", queue = "low", state = "suspended", hosts = { h2 = 1 },
                       suspended_for = 50, ran = 10, preempted = 1 })
      local jobs = listed "jobs"
      assert.is_true(jobs[1].ran >= 100 and jobs[1].ran < 130, jobs[1].ran)
      assert.equal(10, jobs[2].ran)
      assert.same({ id = "j1", queue = "low", state = "running", slots = 4,
                    hosts = { h1 = 3, h2 = 1 } }, job "j1")
      local full = cycle() -- three slots are free: j2 goes on where it is
      assert.same({ 1, "j2" }, { #full.resumes, full.resumes[1].job })
      refused("submit", { id = "j3", queue = "low", state = "running", hosts = { h9 = 1 } },
              'hosts: there is no host "h9"', "E-unknown-host")
      refused("submit", { id = "j3", queue = "low", state = "running", hosts = { h1 = 0 } },
              "hosts.h1: found the number 0, allowed an integer 1 ... 1000000000", "E-range")
      refused("submit", { id = "j3", queue = "low", hosts = { h1 = 1 } },
              "hosts: found some of a job that is pending, allowed none", "E-hosts")
      refused("submit", { id = "j3", queue = "low", state = "running", slots = 3,
                          hosts = { h1 = 1 } },
              "slots: found 3, allowed 1, what the job has on its hosts", "E-slots")
    end)

    it("that another started, requeued, or failed to start", function ()
      start(QUEUES)
      local now = call "ping".now
      call("submit", { id = "j1", queue = "low", slots = 2 })
      call("run", { id = "j1", hosts = { h2 = 2 } })
      assert.same({ id = "j1", queue = "low", state = "running", slots = 2, hosts = { h2 = 2 } },
        job "j1")
      assert.equal(0, #cycle().starts)
      refused("run", { id = "j1", hosts = { h2 = 2 } },
              'id: the job "j1" is running, allowed pending or suspended', "E-job-state")
      call("requeue", { id = "j1" })
      assert.same({ id = "j1", queue = "low", slots = 2 }, job "j1")
      assert.equal("j1", cycle().starts[1].job)
      call("fail", { id = "j1", ["until"] = now + 60 })
      assert.same({ id = "j1", queue = "low", slots = 2, begin = now + 60 }, job "j1")
      assert.equal(0, #cycle().starts)
      call("fail", { id = "j1" })
      assert.equal("j1", cycle().starts[1].job)
    end)
  end)

  -- What is told survives: in the store, and by the snapshot of a service that stops.
  it("knows all of that after it was killed, and computes it again", function ()
    for _, signal in ipairs { "KILL", "TERM" } do
      shell.write(world.folder .. "/plan.json", PLAN)
      shell.write(world.folder .. "/careful.lua", POLICY)
      it_runs = world.start("--interval 0 --debounce 60000 --store it.db")
      if signal == "KILL" then
        call("start", { id = "t", consumer = "/a", slots = 2, adopt = true, started = 1000 })
        call("task", { id = "t", worth = 5, tags = { "gold" } })
        call("demand", { consumer = "/a", slots = 8 })
        call("decline", { consumer = "/a", ["until"] = call "ping".now + 3600 })
        cycle()
      end
      assert.same({ { id = "t", consumer = "/a", slots = 2, started = 1000, worth = 5,
                      tags = { "gold" } } }, (listed "tasks"))
      assert.same({ 2, 2 }, leaf "/a")
      if signal == "KILL" then
        world.kill()
      else
        world.stop()
      end
    end
    local status, out, err = shell.command("replay", world.folder .. "/it.db")
    assert.equal(0, status, out .. err)
  end)
end)
