-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `sync`: one call with the whole truth of a source. What is there stays, what is new is entered,
-- what is missing has ended; what is wrong is left out, and told.

local json = require "dkjson"
local heard = require "spec.support.house.heard"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 5, "grace": 60}, {"name": "b", "owned": 5},
  {"name": "c", "children": [{"name": "x"}, {"name": "y"}]}]}]]
local GROUPS = [[{"version": 1, "policy": "hybrid",
  "groups": {"cpu": {"slots": 10}, "gpu": {"slots": 4}},
  "hosts": {"h1": {"slots": 10, "group": "cpu"}, "g1": {"slots": 4, "group": "gpu"}},
  "consumers": [{"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}]]
local QUEUES = [[{"version": 1, "policy": "preemption", "resources": {"lic": 2},
  "hosts": {"h1": {"slots": 4}, "h2": {"slots": 4}}, "queues": [
  {"name": "low", "priority": 1, "preemptable": true},
  {"name": "high", "priority": 9, "preemptive": true}]}]]
-- Fails once somebody demands 77.
local FRAGILE = [[{"version": 1, "slots": 10, "policy": "fragile.lua",
  "consumers": [{"name": "a"}]}]]
local POLICY = [[return policy { name = "fragile", quota = { fill "all" {
  by = function (demand) return 100 // (demand == 77 and 0 or 1) end } } }]]

describe("sync", function ()
  local world = live.world()
  local it_runs

  local function start(plan, words)
    shell.write(world.folder .. "/plan.json", plan or PLAN)
    it_runs = world.start("--interval 0 --debounce 60000 " .. (words or ""))
  end

  local function call(method, params)
    local told, fault = it_runs:call(method, params and next(params) and params)
    assert(told, fault and fault.message)
    return told
  end

  local function sync(truth)
    local told = call("sync", truth)
    for _, it in ipairs(told.dropped) do heard(it.error.message) end
    return told
  end

  local function listed(method)
    local rows = call(method)[method]
    for _, row in ipairs(rows) do row.started, row.submitted, row.since = nil, nil, nil end
    return rows
  end

  --- What leaves demand and are allocated, as the last answer's decision has it.
  local function leaves(answer)
    local found = {}
    for _, each in ipairs(answer.decision.groups.default.consumers) do
      if not each.path:find "^/c$" then found[each.path] = { each.demand, each.allocated } end
    end
    return found
  end

  local function ids(rows)
    local found = {}
    for i, row in ipairs(rows) do found[i] = row.id or row.name end
    return found
  end

  describe("enters", function ()
    it("what is new, and ends what is missing", function ()
      start()
      local told = sync {
        slots = 9,
        hosts = { h1 = { slots = 6 }, h2 = { slots = 3, closed = "drain" } },
        consumers = { ["/a"] = { demand = 4 },
                      ["/b"] = { demand = 3, allocated = 3, unlisted = 1 } },
        sessions = { { id = "s1", consumer = "/a" } },
        tasks = { { id = "t1", consumer = "/a", host = "h1", slots = 2, session = "s1" },
                  { id = "t2", consumer = "/b", host = "h2", started = 1000 },
                  { id = "t3", consumer = "/c/x", state = "pending", slots = 2 },
                  { id = "t4", consumer = "/c/x" } } }
      assert.same({ slots = 1, host = 2, session = 1, start = 3, task = 1, demand = 3,
                    allocated = 1 }, told.entered)
      -- And one that says that all leaves are told of.
      assert.same({ 0, 13, {} }, { told.dropped_count, told.event, told.flights })
      -- /b has what is told; what wants nothing else wants what its tasks take, t3 included.
      assert.same({ ["/a"] = { 4, 2 }, ["/b"] = { 3, 3 },
                    ["/c/x"] = { 3, 1 }, ["/c/y"] = { 0, 0 } }, leaves(told))
      assert.equal(9, told.decision.groups.default.slots)
      assert.same({ "t1", "t2", "t3", "t4" }, ids(listed "tasks"))
      assert.same({ { name = "h1", slots = 6 }, { name = "h2", slots = 3, closed = "drain" } },
        listed "hosts")

      told = sync {
        slots = 8,
        hosts = { h1 = { slots = 6 }, h3 = { slots = 2 } },
        consumers = { ["/a"] = { demand = 4 } },
        sessions = {},
        tasks = { { id = "t1", consumer = "/a", host = "h1", slots = 3, session = "s1" },
                  { id = "t4", consumer = "/c/y" } } } -- at another leaf it is another task
      assert.same({ slots = 1, host = 1, host_gone = 1, session_end = 1, finish = 3, start = 1,
                    task = 1, demand = 3, allocated = 1 }, told.entered)
      assert.same({ ["/a"] = { 4, 3 }, ["/b"] = { 0, 0 },
                    ["/c/x"] = { 0, 0 }, ["/c/y"] = { 1, 1 } }, leaves(told))
      assert.same({ { id = "t1", consumer = "/a", host = "h1", slots = 3, session = "s1" },
                    { id = "t4", consumer = "/c/y" } }, listed "tasks")
      assert.same({ { name = "h1", slots = 6 }, { name = "h2", slots = 0 },
                    { name = "h3", slots = 2 } }, listed "hosts")
      assert.same({}, listed "sessions")
    end)

    it("what is told, and answers with a line that has blanks behind commas and colons", function ()
      start()
      it_runs.peer:send('{"jsonrpc": "2.0", "id": 1, "method": "sync", "params": {"consumers": '
        .. '{"/a": {"demand": 4}}, "tasks": [{"id": "t", "consumer": "/b"}]}}\n')
      local line = it_runs.peer:receive "*l"
      assert.truthy(line:find('"grants": [{"group": "default", "consumer": "/a"', 1, true), line)
      assert.is_nil(line:find "[^,:] " or line:find "  " or line:find ",[^ ]", line)
    end)

    it("nothing that is told twice, whatever its order", function ()
      start()
      local one = { id = "t1", consumer = "/a", tags = { "gold", "x" }, started = 1000 }
      local other = { id = "t2", consumer = "/b", state = "pending", slots = 3 }
      local first = sync { consumers = {}, tasks = { one, other } }
      for _, tasks in ipairs { { one, other }, { other, one } } do
        local again = sync { consumers = {}, tasks = tasks }
        assert.same({}, again.entered)
        assert.equal(first.event, again.event)
        assert.equal(0, again.dropped_count)
      end
      -- A client in Lua has one kind of empty table.
      assert.same({ finish = 2, demand = 2 }, sync {
        tasks = setmetatable({}, { __jsontype = "object" }), consumers = {} }.entered)
    end)

    it("no list that is not given", function ()
      start()
      sync { hosts = { h1 = { slots = 6 } }, consumers = { ["/a"] = { demand = 4 } },
             tasks = { { id = "t1", consumer = "/a" } } }
      assert.same({}, sync {}.entered)
      assert.same({ host = 1, host_gone = 1 }, sync { hosts = { h2 = { slots = 6 } } }.entered)
      local told = sync { tasks = {} }
      assert.same({ finish = 1 }, told.entered)
      assert.same({ 4, 0 }, leaves(told)["/a"]) -- what it demands stands, too
    end)

    it("numbers of each group", function ()
      start(GROUPS)
      local told = sync {
        slots = { gpu = 3 },
        consumers = { ["/a"] = { demand = { cpu = 2, gpu = 1 }, unlisted = { gpu = 1 } } },
        tasks = { { id = "t1", consumer = "/a", group = "gpu" },
                  { id = "t2", consumer = "/b", host = "h1", group = "cpu" } } }
      assert.same({ slots = 1, start = 2, demand = 3, allocated = 1 }, told.entered)
      local gpu = told.decision.groups.gpu
      assert.same({ 3, 1, 2 }, { gpu.slots, gpu.consumers[1].demand, gpu.consumers[1].allocated })
    end)

    it("hosts of the plan that are missing as gone", function ()
      start(GROUPS)
      assert.same({ host = 1, host_gone = 1 }, sync { hosts = { h1 = {} } }.entered)
      assert.same({ { name = "g1", slots = 0 }, { name = "h1" } }, listed "hosts")
      assert.same({}, sync { hosts = { h1 = {} } }.entered)
      assert.same({ host = 1 }, sync { hosts = { h1 = {}, g1 = {} } }.entered)
      assert.same({ { name = "g1" }, { name = "h1" } }, listed "hosts")
    end)

    it("jobs, and what became of them", function ()
      start(QUEUES)
      local told = sync { jobs = {
        { id = "j1", queue = "low", state = "running", hosts = { h1 = 2, h2 = 2 }, user = "ann" },
        { id = "j2", queue = "low", slots = 8, resources = { lic = 1 } } } }
      assert.same({ submit = 2 }, told.entered)
      assert.equal(0, #told.decision.starts)
      assert.same({}, sync { jobs = {
        { id = "j2", queue = "low", slots = 8, resources = { lic = 1 } },
        { id = "j1", queue = "low", state = "running", hosts = { h2 = 2, h1 = 2 },
          user = "ann" } } }.entered)
      told = sync { jobs = { { id = "j2", queue = "low", slots = 8, resources = { lic = 1 } } } }
      assert.same({ finish = 1 }, told.entered)
      assert.equal("j2", told.decision.starts[1].job)
      assert.same({}, sync { jobs = { { id = "j2", queue = "low", slots = 8, state = "running",
        resources = { lic = 1 }, hosts = { h1 = 4, h2 = 4 } } } }.entered)
      -- It could not be started: it waits again, and is started again.
      told = sync { jobs = { { id = "j2", queue = "low", slots = 8, resources = { lic = 1 } } } }
      assert.same({ submit = 1 }, told.entered)
      assert.equal("j2", told.decision.starts[1].job)
    end)
  end)

  describe("of reclaims in flight", function ()
    -- /b borrows all; then /a wants what it owns.
    local function order(tasks)
      start()
      local b = {}
      for i = 1, 10 do b[i] = { id = "t" .. i, consumer = "/b", started = 1000 } end
      sync { consumers = {}, tasks = tasks and b or {} }
      if not tasks then sync { consumers = { ["/b"] = { demand = 10, allocated = 10 } } } end
      local truth = { tasks = tasks and b or {}, consumers = {
        ["/a"] = { demand = 2 }, ["/b"] = not tasks and { demand = 10, allocated = 10 } or nil } }
      return truth, sync(truth)
    end

    it("keeps those whose tasks are there", function ()
      local truth, told = order(true)
      local flight = told.flights[1]
      assert.same({ "/b", 2, { { consumer = "/a", slots = 2 } }, 2 },
        { flight.consumer, flight.slots, flight["for"], #flight.tasks })
      for _ = 1, 2 do -- nothing is ordered twice
        told = sync(truth)
        assert.same({ {}, 0, 1, flight.id, flight.tasks }, { told.entered,
          #told.decision.reclaims, #told.flights, told.flights[1].id, told.flights[1].tasks })
      end
      local left = {}
      for _, task in ipairs(truth.tasks) do
        if task.id ~= flight.tasks[1] then left[#left + 1] = task end
      end
      told = sync { tasks = left, consumers = truth.consumers }
      assert.same({ finish = 1, demand = 1 }, told.entered) -- /b wants what its tasks take
      assert.same({ "/a", 1 }, { told.decision.grants[1].consumer, told.decision.grants[1].slots })
      assert.same({ flight.id, { flight.tasks[2] }, 1 },
        { told.flights[1].id, told.flights[1].tasks, told.flights[1].gone })
      for i = #left, 1, -1 do
        if left[i].id == flight.tasks[2] then table.remove(left, i) end
      end
      told = sync { tasks = left, consumers = truth.consumers }
      assert.same({ 2, {} }, { told.decision.grants[1].slots, told.flights })
    end)

    it("takes a task that was submitted at another time for another one", function ()
      local truth, told = order(true)
      local gone, first = {}, told.flights[1].id
      for _, id in ipairs(told.flights[1].tasks) do gone[id] = true end
      for _, task in ipairs(truth.tasks) do task.submitted = 500 end
      assert.equal(1, #sync(truth).flights) -- not told before
      for _, task in ipairs(truth.tasks) do task.submitted = gone[task.id] and 900 or 500 end
      truth.consumers["/b"] = { demand = 10 }
      told = sync(truth)
      assert.same({ 2, 2 }, { told.entered.finish, told.entered.start })
      assert.equal(1, #told.decision.reclaims) -- /b has more than its quota again
      assert.equal(1, #told.flights)
      assert.not_equal(first, told.flights[1].id)
    end)

    it("knows slots without a task to be back when they are not told any more", function ()
      local truth, told = order(false)
      assert.same({ 2, 0 }, { told.flights[1].slots, #told.decision.grants })
      told = sync(truth)
      assert.same({ {}, 2 }, { told.entered, told.flights[1].slots })
      truth.consumers["/b"].allocated = 9
      told = sync(truth)
      assert.same({ allocated = 1, returned = 1 }, told.entered)
      assert.same({ 1, { { consumer = "/a", slots = 1 } } },
        { told.flights[1].slots, told.flights[1]["for"] })
      truth.consumers["/b"].allocated = 8
      assert.same({}, sync(truth).flights)
    end)

    -- The slots were idle when they were reclaimed: now tasks have them, which nobody told to go.
    it("reclaims from tasks what they took meanwhile", function ()
      local truth, told = order(false)
      local id = told.flights[1].id
      for i = 1, 10 do truth.tasks[i] = { id = "t" .. i, consumer = "/b", started = 1000 } end
      told = sync(truth)
      assert.same({ start = 10, returned = 1 }, told.entered)
      assert.same({ 1, 2 }, { #told.flights, #told.flights[1].tasks })
      assert.not_equal(id, told.flights[1].id)
    end)
  end)

  it("grants the same until the leaf is told to have it", function ()
    start()
    local truth = { consumers = { ["/a"] = { demand = 3 } }, tasks = {} }
    local told = sync(truth)
    assert.same({ "/a", 3 }, { told.decision.grants[1].consumer, told.decision.grants[1].slots })
    local seq = told.seq
    for _ = 1, 2 do
      told = sync(truth)
      assert.same({ 3, {}, seq }, { told.decision.grants[1].slots, told.entered, told.seq })
    end
    assert.equal(0, told.decision.groups.default.consumers[1].allocated)
    truth.tasks = { { id = "t1", consumer = "/a", slots = 2 } }
    told = sync(truth)
    assert.same({ 1, 2 }, { told.decision.grants[1].slots, leaves(told)["/a"][2] })
    -- A leaf of which nobody tells the whole gets its grants at once, as ever.
    call("demand", { consumer = "/b", slots = 2 })
    assert.equal(0, sync { brief = true }.dropped_count)
    assert.same({ 2, 2 }, leaves(sync {})["/b"])
  end)

  describe("leaves out what is wrong, and tells it:", function ()
    --- The rows that are dropped, by row and id: their message and code.
    local function dropped(truth)
      local told, found = sync(truth), {}
      assert.equal(#told.dropped, told.dropped_count)
      for _, it in ipairs(told.dropped) do
        found[it.row .. " " .. (it.id or it.name or "")] = it.error.message .. " " .. it.error.code
      end
      return found, told
    end

    it("tasks", function ()
      start()
      sync { consumers = {}, tasks = { { id = "t1", consumer = "/a" },
                                       { id = "t2", consumer = "/a" } } }
      local found, told = dropped { consumers = {}, tasks = {
        { id = "t1", consumer = "/a", slots = 0 }, { id = "t2", consumer = "/z" },
        { id = 3, consumer = "/b" }, { id = "3", consumer = "/b" }, { consumer = "/b" }, 7,
        { id = "t4", consumer = "/b", adopt = true }, { id = "t5", consumer = "/b", at = 1 },
        { id = "t6", consumer = "/b", key = "k" }, { id = "t7", consumer = "/b", source = "s" },
        { id = "t8", consumer = "/b", slots = 1000000000 },
        { id = "t9", consumer = "/b", state = "pending", host = "h" },
        { id = "w1", consumer = "/b", state = "pending" },
        { id = "w1", consumer = "/b", state = "pending" },
        { id = "w2", consumer = "/b" }, { id = "w2", consumer = "/b", state = "pending" },
        { id = "w3", consumer = "/b", state = "running?" },
      } }
      assert.same({
        ["tasks[0] t1"] = "slots: found the number 0, allowed an integer 1 ... 1000000000 or an "
          .. "object E-range",
        ["tasks[1] t2"] = 'consumer: found the path "/z", which no consumer of the plan has '
          .. "E-unknown-path",
        ["tasks[3] 3"] = '"3" was told before, allowed once E-duplicate-id',
        ["tasks[4] "] = '"id" is missing E-missing',
        ["tasks[5] "] = "params: found the number 7, allowed an object E-type",
        ["tasks[6] t4"] = "adopt: tasks of a truth run, whatever was allocated E-unknown-key",
        ["tasks[7] t5"] = "at: the call has one for all of its rows E-unknown-key",
        ["tasks[8] t6"] = "key: the call has one for all of its rows E-unknown-key",
        ["tasks[9] t7"] = 'source: found the unknown key "source" E-unknown-key',
        ["tasks[10] t8"] = "slots: found 1000000000, its leaf would have 1000000001, at most "
          .. "1000000000 are allowed E-allocated",
        ["tasks[11] t9"] = "host: found one of a task that is pending, allowed none E-conflict",
        ["tasks[13] w1"] = '"w1" was told before, allowed once E-duplicate-id',
        ["tasks[15] w2"] = '"w2" was told before, allowed once E-duplicate-id',
        ["tasks[16] w3"] = 'state: found "running?", allowed "running" or "pending" E-range',
      }, found)
      -- What they name stays: t1 and t2, as they were.
      assert.same({ "3", "t1", "t2", "w1", "w2" }, ids(listed "tasks"))
      assert.same({ 3, 2 }, leaves(told)["/b"])
    end)

    it("leaves and sizes", function ()
      start()
      sync { slots = 7, consumers = { ["/a"] = { demand = 4 }, ["/b"] = { demand = 2 } } }
      local found, told = dropped {
        slots = -1,
        consumers = { ["/a"] = { demand = -1 }, ["/b"] = { demands = 3 }, ["/c"] = { demand = 1 },
                      ["/z"] = { demand = 1 }, ["/c/x"] = 7, ["c/y/"] = { demand = "x" } },
        tasks = { { id = "t", consumer = "/c/y" } } }
      assert.same({
        ["slots "] = "slots: found -1, allowed a whole number 0 ... 1000000000 E-range",
        ["consumers /a"] = "demand: found -1, allowed a whole number 0 ... 1000000000 E-range",
        ["consumers /b"] = '"demands" is no member of a leaf E-unknown-key',
        ["consumers /c"] = 'consumer: "/c" has consumers below it, allowed is one without '
          .. "E-not-leaf",
        ["consumers /z"] = 'consumer: the plan has no "/z" E-unknown-path',
        ["consumers /c/x"] = 'a leaf is an object, as {"demand": 4} E-type',
        ["consumers c/y/"] = 'consumer: the plan has no "c/y/" E-unknown-path',
      }, found)
      assert.same({ 4, 0 }, leaves(told)["/a"])
      assert.same({ 2, 0 }, leaves(told)["/b"])
      assert.equal(7, told.decision.groups.default.slots)
      found, told = dropped {
        consumers = { ["/a"] = { allocated = 1 }, ["/c/y"] = { unlisted = 10000000000 } },
        tasks = { { id = "t", consumer = "/a", slots = 2 } } }
      assert.same({
        ["consumers /a"] = "slots: found 1, allowed at least 2, what its tasks hold "
          .. "E-allocated",
        ["consumers /c/y"] = "unlisted: found 10000000000, allowed a whole number 0 ... 1000000000 "
          .. "E-range",
      }, found)
      assert.same({ 4, 2 }, leaves(told)["/a"])
    end)

    it("hosts, sessions, groups", function ()
      start(GROUPS)
      sync { hosts = { h1 = { slots = 5 } } }
      local found = dropped {
        slots = { gpus = 1 }, hosts = { h1 = { slots = -1 }, h2 = {}, h3 = 7, g1 = { closed = 1 } },
        consumers = { ["/a"] = { demand = 3 }, ["/b"] = { demand = { gpus = 3 } } },
        sessions = { { id = "s", consumer = "/a", priority = 0, group = "gpu" },
                     { id = "s", consumer = "/a" } } }
      assert.same({
        ["slots "] = 'slots: the plan has no group "gpus" E-unknown-group',
        ["hosts h1"] = "slots: found the number -1, allowed an integer 0 ... 1000000000 E-range",
        ["hosts h2"] = 'name: there is no host "h2" E-unknown-host',
        ["hosts h3"] = 'found 7, allowed an object, as {"slots": 4} E-type',
        ["hosts g1"] = 'closed: found 1, allowed false, "drain" or "reclaim" E-type',
        ["consumers /a"] = "demand: found 3, allowed a whole number 0 ... 1000000000 for each "
          .. "group E-range",
        ["consumers /b"] = 'demand: the plan has no group "gpus" E-unknown-group',
        ["sessions[0] s"] = "priority: found the number 0, allowed an integer 1 ... 10000 E-range",
        ["sessions[1] s"] = '"group" is missing: the plan has 2 groups E-missing',
      }, found)
      assert.same({ { name = "g1", slots = 0 }, { name = "h1", slots = 5 } }, listed "hosts")
    end)

    it("what is told twice, and jobs", function ()
      start(QUEUES)
      local one = '{"id": "j1", "queue": "low", "slots": 2}'
      local told = it_runs:ask(('{"jsonrpc": "2.0", "id": 1, "method": "sync", "params": {"jobs": '
        .. '[%s, %s, {"id": "j2", "queue": "low", "hosts": {"h1": 1}}, {"id": "j3", "queue": "q"}, '
        .. '{"id": "j4", "queue": "low", "resources": {"lic": 1, "x": 2}}]}}'):format(one, one))
      local found = {}
      for i, it in ipairs(told.result.dropped) do found[i] = it.row .. " " .. it.error.code end
      assert.same({ "jobs[3] E-unknown-queue", "jobs[4] E-unknown-resource",
                    "jobs[1] E-duplicate-id", "jobs[2] E-hosts" }, found)
      assert.same({ "j1" }, ids(listed "jobs"))
      found = dropped { hosts = { h1 = {}, h2 = {} }, jobs = {
        { id = "j1", queue = "low", slots = 2 }, { id = "j1", queue = "low", slots = 3 } } }
      assert.same({ ["jobs[1] j1"] = '"j1" was told before, allowed once E-duplicate-id' }, found)
      it_runs = world.stop() and nil
      start()
      told = it_runs:ask('{"jsonrpc": "2.0", "id": 1, "method": "sync", "params": {"consumers": '
        .. '{"/a": {"demand": 1}, "/\\u0061": {"demand": 2}, "/b": {"demand": 1, "demand": 2}}}}')
      found = {}
      for i, it in ipairs(told.result.dropped) do found[i] = it.name .. ": " .. it.error.message end
      assert.same({ '/b: "demand" stands there twice', "/a: /a was told before, allowed once" },
        found)
      assert.equal(1, leaves(told.result)["/a"][1])
    end)

    it("no more than a thousand by name", function ()
      start()
      local tasks = {}
      for i = 1, 1200 do tasks[i] = { id = i, consumer = "/z" } end
      local told = sync { tasks = tasks }
      assert.same({ 1000, 1200 }, { #told.dropped, told.dropped_count })
    end)
  end)

  it("refuses what is wrong as a whole, and changes nothing", function ()
    start()
    local function refused(params, text, code)
      local told, fault = it_runs:call("sync", params)
      assert.is_nil(told)
      assert.same({ text, code }, { fault.message, fault.data.code })
    end
    refused({ task = {} }, '"task" is no parameter of "sync"', "E-unknown-key")
    refused({ tasks = { t1 = {} } }, 'tasks: found {"t1":[]}, allowed a list of objects', "E-type")
    refused({ consumers = { 1 } }, "consumers: found [1], allowed an object, {path: {...}}",
            "E-type")
    refused({ hosts = 7 }, "hosts: found 7, allowed an object, {name: {...}}", "E-type")
    refused({ jobs = {} }, "jobs: the plan has no queues", "E-queues")
    refused({ source = 7 }, "source: found the number 7, allowed a string or null", "E-type")
    assert.equal("E-time", select(2, it_runs:call("sync", { at = -1 })).data.code)
    local answer = it_runs:ask('{"jsonrpc": "2.0", "id": 1, "method": "sync", "params": '
      .. '{"tasks": [], "tasks": []}}')
    assert.same({ '"tasks" stands there twice', "E-duplicate-key" },
      { answer.error.message, answer.error.data.code })
    answer = it_runs:ask '[{"jsonrpc": "2.0", "id": 1, "method": "sync"}]'
    assert.equal("this method is not to be called in a batch", answer[1].error.message)
    assert.equal(0, it_runs:status().event)
    world.stop()
    start(QUEUES)
    refused({ tasks = {} }, "tasks: the plan has queues", "E-queues")
  end)

  it("has sources, each of which tells of its own", function ()
    start()
    local function tell(source, truth)
      truth.source = source
      return sync(truth)
    end
    call("start", { id = "t0", consumer = "/a", adopt = true }) -- nobody's
    tell("one", { consumers = { ["/a"] = { demand = 3 } },
                  tasks = { { id = "t1", consumer = "/a" } }, hosts = { h1 = { slots = 4 } } })
    local told = tell("two", { consumers = { ["/b"] = { demand = 2 }, ["/a"] = { demand = 9 } },
                               tasks = { { id = "t2", consumer = "/b" },
                                         { id = "t1", consumer = "/a", slots = 2 } },
                               hosts = { h1 = { slots = 8 }, h2 = { slots = 6 } } })
    local found = {}
    for _, it in ipairs(told.dropped) do
      assert.equal("E-source", it.error.code)
      found[it.row .. " " .. (it.id or it.name)] = it.error.message
    end
    assert.same({ ["tasks[1] t1"] = '"t1" is of the source "one"',
                  ["hosts h1"] = '"h1" is of the source "one"',
                  ["consumers /a"] = '/a is of the source "one"' }, found)
    assert.same({ ["/a"] = { 3, 2 }, ["/b"] = { 2, 1 }, ["/c/x"] = { 0, 0 }, ["/c/y"] = { 0, 0 } },
      leaves(told))
    -- The end of the one's things is not that of the other's, nor of what is nobody's.
    told = tell("one", { consumers = {}, tasks = {}, hosts = {} })
    assert.same({ finish = 1, host_gone = 1, demand = 1 }, told.entered)
    assert.same({ "t0", "t2" }, ids(listed "tasks"))
    assert.equal("two", listed "tasks"[2].source)
    -- Now /a is free to be told of, and t0 as well.
    told = tell("two", { consumers = { ["/b"] = { demand = 2 }, ["/a"] = { demand = 9 } },
                         tasks = { { id = "t2", consumer = "/b" },
                                   { id = "t0", consumer = "/a" } } })
    assert.same({ 0, { task = 1, demand = 1 } }, { told.dropped_count, told.entered })
    -- A leaf that is told of no more is nobody's, though its numbers stay as they are.
    tell("one", { consumers = { ["/c/x"] = {} } })
    assert.equal(1, tell("two", { consumers = { ["/c/x"] = {} } }).dropped_count)
    tell("one", { consumers = {} })
    assert.equal(0, tell("two", { consumers = { ["/c/x"] = {} } }).dropped_count)
    -- A host without slots that is told of no more is nobody's as well.
    tell("one", { hosts = { h7 = { slots = 0 } } })
    tell("one", { hosts = {} })
    assert.equal(0, tell("two", { hosts = { h7 = { slots = 2 } } }).dropped_count)
    -- Who names no source tells of all, and takes it from nobody.
    sync { hosts = { h7 = { slots = 3 } } }
    assert.equal(1, tell("one", { hosts = { h7 = { slots = 4 } } }).dropped_count)
    assert.same({ finish = 2, demand = 2 }, sync { consumers = {}, tasks = {} }.entered)
  end)

  it("does not go back, and enters a key once", function ()
    start()
    local now = call "ping".now
    local function tell(at, demand, key)
      return it_runs:call("sync", { at = at, key = key, source = "s",
                                    consumers = { ["/a"] = { demand = demand } } })
    end
    assert.same({ demand = 1 }, tell(now - 10, 3).entered)
    assert.same({}, tell(now - 5, 3).entered)
    local told, fault = tell(now - 8, 4) -- it was overtaken by one that changed nothing
    assert.is_nil(told)
    local text = "at: found %d, allowed %d or later: the source has told of what was then"
    assert.same({ text:format(now - 8, now - 5), "E-stale" }, { fault.message, fault.data.code })
    assert.same({ demand = 1 }, tell(now - 3, 5, "k").entered)
    local event = it_runs:status().event
    assert.same({}, tell(now - 3, 5, "k").entered)
    assert.equal(event, it_runs:status().event)
    told, fault = tell(now - 3, 6, "k")
    assert.is_nil(told)
    text = 'key: event %d came with "k" and said something else'
    assert.same({ text:format(event), "E-key" }, { fault.message, fault.data.code })
  end)

  it("stays entered where a cycle fails", function ()
    shell.write(world.folder .. "/fragile.lua", POLICY)
    start(FRAGILE)
    local told = sync { consumers = { ["/a"] = { demand = 77 } } }
    assert.same({ demand = 1 }, told.entered)
    assert.same({ json.null, "E-policy-run" }, { told.decision or json.null, told.error.code })
    told = sync { consumers = { ["/a"] = { demand = 6 } } }
    assert.equal(6, told.decision.grants[1].slots)
  end)

  it("is on disk as a whole, and computed again", function ()
    local truth = { slots = 8, hosts = { h1 = { slots = 8 } },
                    consumers = { ["/a"] = { demand = 3 }, ["/b"] = {} },
                    tasks = { { id = "t1", consumer = "/b", slots = 4, tags = { "x" } },
                              { id = "t2", consumer = "/a", state = "pending", slots = 2 } } }
    local named = { source = "s", key = "k", consumers = { ["/c/x"] = { demand = 1 } }, tasks = {} }
    start(nil, "--store it.db")
    call("sync", named)
    truth.source = "t"
    local first = sync(truth)
    local before = { listed "tasks", listed "hosts", leaves(first) }
    for _, how in ipairs { "kill", "stop" } do
      world[how]()
      start(nil, "--store it.db")
      local told = sync(truth)
      assert.same({}, told.entered)
      assert.same(before, { listed "tasks", listed "hosts", leaves(told) })
      local event = it_runs:status().event
      assert.same({}, sync(named).entered)
      assert.equal(event, it_runs:status().event)
    end
    local status, out, err = shell.command("replay", world.folder .. "/it.db")
    assert.equal(0, status, out .. err)
  end)

  -- What a plan by call takes away goes; what is told of the rest is told on.
  it("goes on under another plan", function ()
    start()
    local truth = { consumers = { ["/a"] = { demand = 3 }, ["/b"] = { demand = 4 } },
                    tasks = { { id = "t1", consumer = "/b" } } }
    sync(truth)
    truth.consumers["/a"] = nil
    sync(truth)
    call("plan", { text = (PLAN:gsub('{"name": "a", "owned": 5, "grace": 60}, ', "")) })
    truth.consumers["/a"] = { demand = 3 }
    local told = sync(truth)
    assert.same({ "E-unknown-path", 1, {} },
      { told.dropped[1].error.code, told.dropped_count, told.entered })
    assert.same({ 4, 1 }, leaves(told)["/b"])
    assert.equal(3, told.decision.grants[1].slots) -- they stand still
  end)
end)
