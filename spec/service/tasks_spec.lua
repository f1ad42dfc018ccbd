-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whole tasks (C-13) of a live cluster: told one by one or by `sync`, named by grants, started.

local json = require "dkjson"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}]]
local GROUPS = [[{"version": 1, "policy": "hybrid",
  "groups": {"cpu": {"slots": 10}, "gpu": {"slots": 4}},
  "consumers": [{"name": "a", "owned": 2}, {"name": "b", "owned": 2}]}]]

describe("a service with whole tasks (C-13)", function ()
  local world = live.world()
  local it_runs

  local function start(plan, words)
    shell.write(world.folder .. "/plan.json", plan or PLAN)
    it_runs = world.start("--interval 0 --debounce 60000 " .. (words or ""))
  end

  local function call(method, params)
    local told, fault = it_runs:call(method, params)
    assert(told, fault and fault.message)
    return told
  end

  --- What a call is refused for: the text and its code.
  local function refused(method, params, text, code)
    local told, fault = it_runs:call(method, params)
    assert.is_nil(told)
    assert.equal(text, fault.message)
    assert.equal(code, fault.data.code)
  end

  local function wait(id, slots, more)
    local params = { id = id, consumer = "/a", slots = slots, state = "pending" }
    for key, value in pairs(more or {}) do params[key] = value end
    return call("task", params)
  end

  --- What the grants of a decision are: "/a 4 t1 t2", with the group where there are several.
  local function grants(decision)
    local found = {}
    for i, grant in ipairs(decision.grants) do
      local words = { grant.consumer, grant.slots, table.unpack(grant.tasks or {}) }
      if grant.group ~= "default" then table.insert(words, 1, grant.group) end
      found[i] = table.concat(words, " ")
    end
    return found
  end

  local function cycle() return call("cycle", { full = true }).full end

  --- The decision that is told to subscribers, or nil: none was.
  local function told()
    local before = it_runs:status().decision
    cycle()
    local after = it_runs:status().decision
    return after > before and call("decisions", { from = after })[1] or nil
  end

  local function task(id)
    for _, each in ipairs(call "tasks".tasks) do
      if each.id == id then return each end
    end
  end

  --- What a leaf demands and is allocated before the next decision; of cores, and of GPUs.
  local function leaf(path)
    local found, groups = {}, cycle().groups
    for _, name in ipairs { "default", "cpu", "gpu" } do
      for _, each in ipairs(groups[name] and groups[name].consumers or {}) do
        if each.path == path then
          table.insert(found, each.demand)
          table.insert(found, each.allocated)
        end
      end
    end
    return found
  end

  describe("is told one by one of tasks that", function ()
    it("wait, start where a grant names them, and are done", function ()
      start()
      local now = call "ping".now
      wait("t1", 4, { submitted = 1000, priority = 7, tags = { "gold" }, session = "s" })
      assert.same({ id = "t1", consumer = "/a", slots = 4, state = "pending", submitted = 1000,
                    priority = 7, tags = { "gold" }, session = "s" }, task "t1")
      assert.same({ "/a 4 t1" }, grants(told()))
      assert.same({ 4, 4 }, leaf "/a")
      call("start", { id = "t1", host = "h" })
      local runs = task "t1"
      assert.is_true(runs.started >= now)
      runs.started = nil
      assert.same({ id = "t1", consumer = "/a", slots = 4, host = "h", submitted = 1000,
                    priority = 7, tags = { "gold" }, session = "s" }, runs)
      assert.same({ 4, 4 }, leaf "/a")
      call("finish", { id = "t1", done = true })
      assert.same({ 0, 0 }, leaf "/a")
    end)

    it("wait until all their slots are there", function ()
      start()
      call("demand", { consumer = "/b", slots = 5 })
      call("start", { id = "u", consumer = "/b", slots = 5, adopt = true })
      wait("t1", 3)
      wait("t2", 4)
      assert.same({ "/a 3 t1" }, grants(told())) -- what is left of its five is too few for t2
      assert.same({ 7, 3 }, leaf "/a")
      refused("start", { id = "t2" }, "slots: found 4, allowed at most 3, what is allocated and "
        .. "free", "E-allocated")
    end)

    it("are withdrawn", function ()
      start()
      wait("t1", 4)
      wait("t2", 3)
      call("finish", { id = "t1" })
      assert.is_nil(task "t1")
      assert.same({ 3, 0 }, { table.unpack(leaf "/a", 1, 1), 0 })
      call("finish", { id = "t2", keep = true }) -- others want these slots
      assert.equal(3, leaf "/a"[1])
    end)

    it("change while they wait", function ()
      start()
      call("demand", { consumer = "/b", slots = 5 })
      wait("t1", 4, { submitted = 1000 })
      wait("t2", 5, { submitted = 2000 })
      call("task", { id = "t2", slots = 2, priority = 9 })
      assert.same({ id = "t2", consumer = "/a", slots = 2, state = "pending", priority = 9,
                    submitted = 2000 }, task "t2")
      assert.equal(6, leaf "/a"[1])
      assert.same({ "/a 2 t2" }, { grants(call("decisions", { from = 1 })[1])[1] })
    end)

    it("say nothing by null, as in a state", function ()
      start()
      wait("t1", 4, { submitted = 1000, session = "s" })
      local known = task "t1"
      call("task", { id = "t1", submitted = json.null, session = json.null, slot = json.null })
      assert.same(known, task "t1")
    end)

    it("start otherwise than they were told", function ()
      start()
      wait("t1", 4)
      call("start", { id = "t1", consumer = "/a", slots = 6, adopt = true, started = 1000 })
      assert.same({ 6, 6 }, leaf "/a")
      local runs = task "t1"
      assert.same({ 6, 1000 }, { runs.slots, runs.started })
      wait("t2", 2)
      cycle()
      call("task", { id = "t2", state = "running", slots = 1 })
      assert.same({ 7, 8 }, leaf "/a") -- of the two one is free
    end)

    it("wait again: they have ended, and their slots come back", function ()
      start()
      call("demand", { consumer = "/a", slots = 4 })
      call("start", { id = "t1", consumer = "/a", slots = 4, adopt = true, host = "h",
                      started = 1000 })
      call("task", { id = "t1", state = "pending" })
      assert.same({ id = "t1", consumer = "/a", slots = 4, state = "pending" }, task "t1")
      assert.same({ "/a 4 t1" }, grants(told()))
      assert.same({ 4, 4 }, leaf "/a")
    end)

    it("a reclaim has named, and wait again", function ()
      start()
      call("demand", { consumer = "/b", slots = 10 })
      call("start", { id = "u", consumer = "/b", slots = 10, adopt = true, started = 1000 })
      wait("t1", 5)
      local order = cycle().reclaims[1]
      assert.same({ "/b", "u" }, { order.consumer, order.tasks[1] })
      call("task", { id = "u", state = "pending" }) -- its slots are back
      assert.same({ "/a 5 t1" }, grants(told()))
      assert.same({}, call "flights".flights)
    end)

    it("are not what they could be", function ()
      start()
      wait("t1", 4)
      refused("start", { id = "t2", consumer = "/a", state = "pending" },
              'state: found "pending", allowed "running"', "E-task-state")
      refused("start", { id = "t2" }, '"start" wants "consumer"', "E-missing")
      refused("task", { id = "t2", state = "pending" }, '"task" wants "consumer"', "E-missing")
      refused("task", { id = "t2", consumer = "/a" }, 'id: there is no task "t2"',
              "E-unknown-task")
      refused("finish", { id = "t2" }, 'id: there is no task "t2"', "E-unknown-task")
      refused("task", { id = "t1", host = "h" },
              "host: found one of a task that is pending, allowed none", "E-conflict")
      refused("task", { id = "t1", consumer = "/b" },
              "consumer: found another one, allowed /a, which the task has", "E-conflict")
      refused("start", { id = "t1", consumer = "/b" },
              "consumer: found another one, allowed /a, which the task has", "E-conflict")
      refused("task", { id = "t1", priority = 0 },
              "priority: found the number 0, allowed an integer 1 ... 10000", "E-range")
      refused("task", { id = "t1", slots = setmetatable({}, { __jsontype = "object" }) },
              "slots: found {}, allowed slots of at least one group", "E-range")
      refused("task", { id = "t1", slots = { gpu = 1 } },
              'slots.gpu: found the unknown group "gpu", allowed "default"',
              "E-unknown-group")
      refused("task", { id = "t1", slots = { default = 0 } },
              "slots.default: found the number 0, allowed an integer 1 ... 1000000000", "E-range")
    end)
  end)

  describe("names what starts", function ()
    it("once, until it may not start any more", function ()
      start()
      wait("t1", 4, { submitted = 1000 })
      assert.same({ "/a 4 t1" }, grants(told()))
      call("demand", { consumer = "/b", slots = 1 })
      assert.same({ "/b 1" }, grants(told())) -- t1 was told
      call("release", { consumer = "/a", slots = 4 })
      call("decline", { consumer = "/a", ["until"] = call "ping".now + 3600 })
      assert.is_nil(told())
      call("decline", { consumer = "/a", ["until"] = call "ping".now })
      assert.same({ "/a 4 t1" }, grants(told()))
      call("task", { id = "t1", slots = 5 })
      assert.same({ "/a 1 t1" }, grants(told()))
      call("start", { id = "t1" })
      assert.is_nil(told())
    end)

    it("on slots that its leaf has already", function ()
      start()
      call("demand", { consumer = "/a", slots = 4 })
      cycle()
      call("demand", { consumer = "/a", slots = 0 })
      wait("t1", 4)
      assert.same({ "/a 0 t1" }, grants(told()))
      assert.is_nil(told())
    end)

    it("to a client that carries it out at once", function ()
      start()
      for i = 1, 4 do wait("t" .. i, 3, { submitted = 1000 + i }) end
      local running = 0
      for _ = 1, 4 do
        local decision = told()
        for _, grant in ipairs(decision and decision.grants or {}) do
          for _, id in ipairs(grant.tasks) do
            call("start", { id = id })
            running = running + 1
          end
        end
      end
      assert.same({ 3, { 12, 9 } }, { running, leaf "/a" })
      call("finish", { id = "t1", done = true })
      assert.same({ "/a 3 t4" }, grants(told()))
    end)
  end)

  describe("keeps by `sync`", function ()
    local function sync(params) return call("sync", params) end
    local T1 = { id = "t1", consumer = "/a", slots = 4, state = "pending", submitted = 1000 }
    local T2 = { id = "t2", consumer = "/a", slots = 3, state = "pending", submitted = 2000 }

    it("what waits, which is no news when told again", function ()
      start()
      local first = sync { consumers = { ["/b"] = { demand = 5 } }, tasks = { T1, T2 } }
      assert.same({ task = 2, demand = 2 }, first.entered)
      assert.same({ T1, T2 }, call "tasks".tasks)
      assert.same({ 7, 0 }, leaf "/a")
      assert.same({ "/a 4 t1", "/b 5" }, grants(first.decision))
      local again = sync { consumers = { ["/b"] = { demand = 5 } }, tasks = { T2, T1 } }
      assert.same({}, again.entered)
      assert.same({ "/a 4 t1", "/b 5" }, grants(again.decision)) -- it stands
      assert.is_nil(told())
    end)

    it("what starts, waits again and is withdrawn", function ()
      start()
      sync { source = "s", consumers = { ["/a"] = {} }, tasks = { T1, T2 } }
      local runs = { id = "t1", consumer = "/a", slots = 4, started = 3000 }
      local one = sync { source = "s", consumers = { ["/a"] = {} }, tasks = { runs, T2 } }
      assert.same({ task = 1 }, one.entered)
      assert.same({ 7, 4 }, leaf "/a")
      assert.equal(3000, task "t1".started)
      assert.same({ "/a 3 t2" }, grants(one.decision))
      one = sync { source = "s", consumers = { ["/a"] = {} }, tasks = { T1, T2 } }
      assert.same({ task = 1 , allocated = nil }, one.entered)
      assert.same({ "/a 7 t1 t2" }, grants(one.decision))
      one = sync { source = "s", consumers = { ["/a"] = {} }, tasks = { T2 } }
      assert.same({ finish = 1, demand = 1 }, one.entered)
      assert.same({ 3, 0 }, leaf "/a")
      assert.same({}, sync { source = "other", tasks = {} }.entered) -- they are others'
      one = sync { source = "other", tasks = { T2 } }
      assert.equal("E-source", one.dropped[1].error.code)
    end)

    it("what a client told of, and leaves what leaves demand as it is", function ()
      start()
      wait("t1", 4, { submitted = 1000 })
      local one = sync { tasks = { T1, T2 } }
      assert.same({ task = 1 }, one.entered) -- t1 is as it was told
      assert.equal(4, leaf "/a"[1])
      assert.same({ finish = 2 }, sync { tasks = {} }.entered)
      assert.equal(4, leaf "/a"[1])
    end)

    it("at another leaf as another task", function ()
      start()
      sync { consumers = {}, tasks = { T1 } }
      local moved = { id = "t1", consumer = "/b", slots = 4, state = "pending", submitted = 1000 }
      assert.same({ finish = 1, task = 1, demand = 2 },
        sync { consumers = {}, tasks = { moved } }.entered)
      assert.same({ moved }, call "tasks".tasks)
    end)
  end)

  it("explains why one waits", function ()
    start()
    call("demand", { consumer = "/b", slots = 5 })
    wait("t1", 3, { submitted = 1000 })
    wait("t2", 3, { submitted = 2000 })
    local lines = call("explain", { task = "t2" }).lines
    assert.equal("It is number 2 of 2 pending tasks of /a.", lines[2])
    assert.truthy(lines[3]:find("^It waits: "), lines[3])
    local status, out = shell.command("explain", "--socket", world.folder .. "/sock", "t2")
    assert.same({ 0, lines[2] }, { status, out:match "\n(It is number[^\n]*)" })
    -- The document is what `allot run` decides on.
    local state = call "state"
    assert.same({ "pending", "pending" }, { state.tasks[1].state, state.tasks[2].state })
    shell.write(world.folder .. "/state.json", json.encode(state))
    local decided
    status, decided = shell.command("run", world.folder .. "/plan.json",
      world.folder .. "/state.json", "--format", "json")
    assert.equal(0, status)
    assert.same(grants(cycle()), grants(json.decode(decided)))
  end)

  --- What is known of tasks, whatever the time is now.
  local function known()
    local state = call "state"
    state.now, state.last = nil, nil
    return state
  end

  it("knows them after it was killed, and computes all of it again", function ()
    start(PLAN, "--store it.db")
    wait("t1", 4, { submitted = 1000, tags = { "x" }, priority = 3 })
    wait("t2", 3, { submitted = 2000 })
    wait("t3", 9, { submitted = 3000 })
    call("sync", { source = "s", consumers = { ["/b"] = {} }, tasks = {
      { id = "w", consumer = "/b", slots = 4, state = "pending" } } })
    assert.same({ "/a 4 t1", "/b 4 w" }, grants(call("decisions", { from = 1 })[1]))
    call("start", { id = "t1" })
    call("finish", { id = "t3" })
    told()
    local before = known()
    for _, how in ipairs { "kill", "stop", "kill" } do
      world[how]()
      start(PLAN, "--store it.db")
      assert.same(before, known())
      -- What was told is not told again, but what a source has not confirmed.
      local decision = told()
      assert.same({ "/b 4 w" }, decision and grants(decision))
    end
    local status, out, err = shell.command("replay", world.folder .. "/it.db")
    assert.equal(0, status, out .. err)
  end)

  it("keeps them under another plan", function ()
    start()
    wait("t1", 4, { submitted = 1000 })
    wait("w", 2, { consumer = "/b", submitted = 1000 })
    local before = known()
    call("plan", { text = PLAN:gsub('"name": "a", "owned": 5}',
      '"name": "new"}, {"name": "a", "owned": 7}') })
    assert.same(before.tasks, known().tasks)
    assert.same({ 4, 0 }, leaf "/a")
    local answer, fault = it_runs:call("plan", { text = PLAN:gsub('{"name": "a", "owned": 5}, ',
                                                                  "") })
    assert.is_nil(answer)
    assert.truthy(fault.message:find("/a", 1, true), fault.message)
  end)

  describe("with slots of several groups", function ()
    local BOTH = { cpu = 4, gpu = 2 }

    it("starts them in all at once", function ()
      start(GROUPS)
      wait("t1", BOTH, { submitted = 1000 })
      assert.same({ id = "t1", consumer = "/a", group = "cpu", slots = BOTH, state = "pending",
                    submitted = 1000 }, task "t1")
      assert.same({ "cpu /a 4 t1", "gpu /a 2 t1" }, grants(told()))
      assert.is_nil(told())
      call("start", { id = "t1" })
      assert.same({ 4, 4, 2, 2 }, leaf "/a")
      call("task", { id = "t1", slots = { gpu = 1, cpu = 3 } })
      assert.same({ 4, 3, 2, 1 }, leaf "/a")
      call("finish", { id = "t1", done = true })
      assert.same({ 1, 1, 1, 1 }, leaf "/a") -- both were granted a slot for what they lacked
    end)

    it("waits for those of each", function ()
      start(GROUPS)
      call("demand", { consumer = "/b", group = "gpu", slots = 3 })
      call("start", { id = "u", consumer = "/b", slots = { cpu = 1, gpu = 3 }, adopt = true,
                      started = 1000 })
      assert.same({ 0, 1, 3, 3 }, leaf "/b")
      wait("t1", { cpu = 4, gpu = 3 })
      refused("start", { id = "t1" }, "slots: found 4, allowed at most 0, what is allocated and "
        .. "free", "E-allocated")
      for _, grant in ipairs(cycle().grants) do assert.is_nil(grant.tasks) end
      call("start", { id = "t1", adopt = true })
      assert.same({ 4, 4, 3, 3 }, leaf "/a")
    end)

    it("is told of them by `sync`, and knows them again", function ()
      start(GROUPS, "--store it.db")
      local one = { id = "t1", consumer = "/a", slots = BOTH, state = "pending" }
      local other = { id = "u", consumer = "/b", group = "gpu", slots = { gpu = 1, cpu = 2 },
                      started = 1000 }
      local all = { consumers = {}, tasks = { one, other } }
      assert.same({ "cpu /a 4 t1", "gpu /a 2 t1" }, grants(call("sync", all).decision))
      assert.same({}, call("sync", all).entered)
      local before = known()
      for _, how in ipairs { "kill", "stop" } do
        world[how]()
        start(GROUPS, "--store it.db")
        assert.same(before, known())
      end
      one.state = nil
      assert.same({ task = 1 }, call("sync", all).entered)
      assert.same({ 4, 4, 2, 2 }, leaf "/a")
      assert.same({ finish = 1, demand = 2, allocated = nil },
        call("sync", { consumers = {}, tasks = { one } }).entered)
      local status, out, err = shell.command("replay", world.folder .. "/it.db")
      assert.equal(0, status, out .. err)
    end)

    it("forgets in which reclaims one was named, where it has no slots any more", function ()
      start(GROUPS)
      for _, group in ipairs { "cpu", "gpu" } do
        call("demand", { consumer = "/b", group = group, slots = group == "cpu" and 10 or 4 })
      end
      call("start", { id = "u", consumer = "/a", slots = { cpu = 10, gpu = 4 }, adopt = true,
                      started = 1000 })
      local flights = {}
      for i, reclaim in ipairs(cycle().reclaims) do flights[i] = reclaim.tasks end
      assert.same({ { "u" }, { "u" } }, flights)
      call("task", { id = "u", slots = 10 })
      call("finish", { id = "u" })
      call("start", { id = "u", consumer = "/b", slots = { cpu = 1, gpu = 1 }, adopt = true })
      assert.same({}, (function ()
        cycle()
        return call "flights".flights
      end) ())
    end)

    it("refuses what cannot be", function ()
      start(GROUPS)
      refused("task", { id = "t1", consumer = "/a", slots = 1, state = "pending" },
              'the plan has several groups: "task" wants "group"', "E-group")
      refused("start", { id = "t1", consumer = "/a" },
              'the plan has several groups: "start" wants "group"', "E-group")
      refused("task", { id = "t1", consumer = "/a", group = "gpu", slots = { cpu = 1 },
                        state = "pending" },
              'slots: found none of "gpu", which is the task\'s group', "E-group")
      refused("start", { id = "t1", consumer = "/a", slots = BOTH, slot = "x", adopt = true },
              "slot: found one of a task with slots of several groups, allowed none: it shares no "
              .. "slot", "E-conflict")
    end)
  end)
end)
