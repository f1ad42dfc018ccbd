-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a service says to calls that are wrong: what was found, and what is allowed. Each leaves
--- the books as they were.

local live = require "spec.support.service.live"
local many = require "spec.support.cases.document".many
local shell = require "spec.support.house.shell"

local POLICY = [[
return policy { name = "site", quota = { fill "all" { by = "owned" } },
  task_attributes = { vip = { type = "integer", min = 0, max = 9 }, night = { type = "tag" } } }
]]
local TREE = [[{"version": 1, "slots": 40, "policy": "site.lua", "hosts": {"h1": {"slots": 40}},
  "consumers": [{"name": "a", "owned": 20}, {"name": "b", "children": [{"name": "c"}]}]}]]
local GROUPS = [[{"version": 1, "policy": "hybrid",
  "groups": {"cpu": {"slots": 4}, "gpu": {"slots": 2}}, "consumers": [{"name": "a"}]}]]
local QUEUES = [[{"version": 1, "slots": 8, "policy": "preemption",
  "resources": {"lic": {"amount": 4}}, "queues": [{"name": "low", "priority": 1}]}]]
local LEASES = [[{"version": 1, "policy": "shared_lease", "hosts": {"h1": {"slots": 8}},
  "leases": [{"name": "north", "provider": "here", "consumer": "north", "hosts": ["h1"]}]}]]

describe("a call that is wrong", function ()
  local world, it_runs = live.world(), nil

  local function start(plan)
    shell.write(world.folder .. "/site.lua", POLICY)
    shell.write(world.folder .. "/plan.json", plan)
    it_runs = world.start()
  end

  local function request(method, params)
    return ('{"jsonrpc": "2.0", "id": 1, "method": "%s", "params": %s}'):format(method, params)
  end

  --- What is said to requests: {method, params, words of the message, code, words of the hint}.
  local function refuses(cases)
    local before, otherwise = it_runs:status().event, {}
    for _, case in ipairs(cases) do
      local wrong = it_runs:ask(request(case[1], case[2])).error or { message = "nothing" }
      local data = wrong.data or {}
      if not wrong.message:find(case[3], 1, true) or data.code ~= case[4]
        or case[5] and not (data.hint or ""):find(case[5], 1, true) then
        otherwise[case[1] .. case[2]:sub(1, 200)] = wrong
      end
    end
    assert.same({}, otherwise)
    assert.equal(before, it_runs:status().event)
  end

  it("by what its members are", function ()
    start(TREE)
    local range, kind = "E-range", "E-type"
    refuses {
      { "demand", '{"consumer": "/a"}', '"slots" is missing', "E-missing" },
      { "demand", '{"consumer": "/a", "slots": 1.5}',
        "slots: found the number 1.5, allowed an integer 0 ... 1000000000", kind,
        "write integers without a point or exponent" },
      { "demand", '{"consumer": "/a", "slots": -1}',
        "found the number -1, allowed an integer 0", range },
      { "demand", '{"consumer": 7, "slots": 1}',
        "consumer: found the number 7, allowed a string", kind },
      { "demand", '{"consumer": "/a", "slots": 1, "at": "soon"}',
        'at: found the string "soon", allowed Unix seconds or a time like "2026-01-31T08', range },
      { "demand", '{"consumer": "/a", "slots": 1, "key": ""}',
        'key: found "", allowed 1 ... 255 bytes', "E-name" },
      { "demand", '{"consumer": "/a", "slots": 1, "slots": 2}',
        'slots: found the key "slots" again, allowed once in an object', "E-duplicate-key" },
      { "demand", '{"consumer": "/a", "slot": 1}', 'slot: found the unknown key "slot"',
        "E-unknown-key", 'did you mean "slots"?' },
      { "demand", '{"key": "' .. ("x"):rep(300000) .. '"}',
        "bytes, at most 262144 are allowed", "E-size" },
      { "host", '{"name": "h1", "closed": true}',
        'found true, allowed false, "drain" or "reclaim"', range },
      { "host", '{"name": "h1", "load": {}}',
        "load: found an object, allowed a number or null", kind },
      { "start", '{"id": 1, "consumer": "/a", "tags": "x"}',
        'tags: found the string "x", allowed a list', kind },
      { "start", '{"id": 1, "consumer": "/a", "tags": [null]}',
        "tags[0]: found null, allowed a string", kind },
      { "start", '{"id": 1, "consumer": "/a", "vip": 10}',
        "vip: found the number 10, allowed an integer 0 ... 9", range },
      { "start", '{"id": 1, "consumer": "/a", "vip": 1, "vip": 1}',
        'vip: found the key "vip" again, allowed once in an object', "E-duplicate-key" },
      { "start", '{"id": 1, "consumer": "/a", "night": 1}',
        '"night" is a tag: it is said as a word of "tags"', "E-unknown-key" },
      { "finish", '{"id": 1, "keep": 1}', "keep: found the number 1, allowed true or false", kind },
      { "session", '{"id": "s", "consumer": "/a", "scheduling": "fair"}',
        'found "fair", allowed "proportional", "minimum" or "priority"', range },
    }
  end)

  it("by what is there", function ()
    start(TREE)
    assert(it_runs:call("demand", { consumer = "/a", slots = 10 }))
    assert(it_runs:call "cycle")
    assert(it_runs:call("allocated", { consumer = "/b/c", slots = 1 }))
    assert(it_runs:call("start", { id = "t", consumer = "/a", slots = 4 }))
    assert(it_runs:call("session", { id = "s", consumer = "/a", scheduling = "minimum" }))
    refuses {
      { "demand", '{"consumer": "/aa", "slots": 1}',
        'consumer: found the path "/aa", which no consumer of the plan has',
        "E-unknown-path", 'did you mean "/a"?' },
      { "demand", '{"consumer": "/b", "slots": 1}',
        'consumer: found "/b", which has children, allowed only consumers without', "E-not-leaf" },
      { "release", '{"consumer": "/a", "slots": 7}',
        "slots: found 7, allowed at most 6: 10 are allocated, its tasks hold 4", "E-allocated" },
      { "allocated", '{"consumer": "/a", "slots": 3}',
        "slots: found 3, allowed at least 4, what its tasks hold", "E-allocated" },
      { "start", '{"id": "t", "consumer": "/a"}', 'id: the task "t" runs already',
        "E-duplicate-id" },
      { "start", '{"id": "u", "consumer": "/a", "slots": 7}',
        "slots: found 7, allowed at most 6, what is allocated and free", "E-allocated" },
      { "start", '{"id": "u", "consumer": "/a", "tags": [' .. many(257, '"#"') .. "]}",
        "tags: found more than 256, allowed at most 256", "E-range" },
      { "start", '{"id": "u", "consumer": "/b/c", "session": "s"}',
        'session: the session "s" is of /a, and a task runs for the consumer of its session',
        "E-session" },
      { "finish", '{"id": "u"}', 'id: there is no task "u"', "E-unknown-task" },
      { "session", '{"id": "z", "consumer": "/a", "scheduling": "priority"}',
        'other sessions have "minimum", and all of a leaf have the same', "E-scheduling" },
      { "session_end", '{"id": "z"}', 'id: there is no session "z"', "E-unknown-session" },
      { "host", '{"name": "h9"}', 'name: there is no host "h9"', "E-unknown-host",
        "give its `slots` to make it known" },
      { "host", '{"name": "h2", "slots": 1000000000}',
        "slots: the hosts of its group would have 1000000040, at most 1000000000 are allowed",
        "E-slots" },
      { "returned", '{"reclaim": "r9", "slots": 1}', 'reclaim: nothing is in flight as "r9"',
        "E-unknown-reclaim" },
      { "submit", '{"id": "j", "queue": "q"}',
        'queue: found the queue "q", which the plan does not have', "E-unknown-queue" },
      { "withdraw", '{"id": "j"}', 'the plan has no queues: "withdraw" has no meaning',
        "E-queues" },
    }
  end)

  it("by what a reclaim takes back", function ()
    start((TREE:gsub('"site.lua"', '"hybrid"'):gsub('{"name": "c"}',
      '{"name": "c", "grace": 60}, {"name": "d", "grace": 60}')))
    assert(it_runs:call("demand", { consumer = "/b/c", slots = 20 }))
    assert(it_runs:call("demand", { consumer = "/b/d", slots = 20 }))
    assert(it_runs:call "cycle")
    for i = 1, 20 do assert(it_runs:call("start", { id = i, consumer = "/b/d" })) end
    assert(it_runs:call("demand", { consumer = "/a", slots = 20 }))
    assert(it_runs:call "cycle")
    local ids = {}
    for _, decision in ipairs(assert(it_runs:call("decisions", { from = 1 }))) do
      for _, reclaim in ipairs(decision.reclaims) do ids[reclaim.consumer] = reclaim.id end
    end
    refuses {
      { "returned", ('{"reclaim": "%s", "slots": 21}'):format(ids["/b/c"]),
        "slots: found 21, allowed at most 10", "E-range" },
      { "returned", ('{"reclaim": "%s", "slots": 1}'):format(ids["/b/d"]),
        "reclaim: its slots come back as its tasks finish", "E-conflict" },
    }
  end)

  it("by the plan's groups", function ()
    start(GROUPS)
    refuses {
      { "demand", '{"consumer": "/a", "slots": 1}',
        '"group" is missing: the plan has 2 groups', "E-missing" },
      { "demand", '{"consumer": "/a", "group": "tpu", "slots": 1}',
        'group: found the unknown group "tpu", allowed "cpu", "gpu"', "E-unknown-group",
        'did you mean "cpu"?' },
    }
  end)

  it("by the plan's queues and jobs", function ()
    start(QUEUES)
    local job = '{"id": "j", "queue": "low", "resources": %s}'
    assert(it_runs:call("submit", { id = "p", queue = "low", slots = 20 }))
    assert(it_runs:call("submit", { id = "r", queue = "low" }))
    assert(it_runs:call "cycle")
    refuses {
      { "demand", '{"consumer": "/low", "slots": 1}',
        'the plan has queues: "demand" has no meaning', "E-queues",
        "jobs are submitted: `submit` and `finish`" },
      { "submit", job:format "[1]", "resources: found a list, allowed an object", "E-type" },
      { "submit", job:format '{"lic": -1}',
        "resources.lic: found the number -1, allowed an integer 0 ... 1000000000", "E-range" },
      { "submit", job:format '{"lic": 1, "lic": 2}',
        'resources.lic: found the key "lic" again, allowed once in an object', "E-duplicate-key" },
      { "submit", job:format '{"gpu": 1}',
        'resources.gpu: found the resource "gpu", which "resources" of the plan does not have',
        "E-unknown-resource" },
      { "submit", '{"id": "p", "queue": "low"}', 'id: the job "p" is there already',
        "E-duplicate-id" },
      { "submit", '{"id": "j", "queue": "low", "slots": 1000000000}',
        "slots: the queue's jobs would have 1000000021, at most 1000000000 are allowed",
        "E-demand" },
      { "stop", '{"id": "p"}', 'the job "p" is pending, allowed running or suspended',
        "E-job-state" },
      { "withdraw", '{"id": "r"}',
        'the job "r" is running, allowed pending; of others say `finish`', "E-job-state" },
      { "finish", '{"id": "x"}', 'id: there is no job "x"', "E-unknown-job" },
    }
  end)

  -- Where a job is that names no host is known while there is one alone.
  it("by where jobs are", function ()
    start(QUEUES)
    assert(it_runs:call("submit", { id = "r", queue = "low" }))
    assert(it_runs:call "cycle")
    assert(it_runs:call("host", { name = "h1", slots = 8 }))
    refuses {
      { "host", '{"name": "h2", "slots": 8}', 'name: the job "r" has slots on the only host that '
        .. "was known, without its name: there can be no second until it has ended", "E-hosts" },
    }
    assert(it_runs:call("finish", { id = "r" }))
    assert(it_runs:call("host", { name = "h2", slots = 8 }))
  end)

  it("by the plan's leases", function ()
    start(LEASES)
    local lease = '{"name": "north", "provider": %s}'
    refuses {
      { "lease", '{"name": "south"}', 'name: the plan has no "south"', "E-unknown-lease" },
      { "lease", lease:format '{"free": 1}',
        'provider.free: found the unknown key "free"', "E-unknown-key",
        'allowed are "available", "used", "demand"' },
      { "lease", lease:format '{"available": 1, "used": 2}',
        "provider: 2 slots are used, 1 available", "E-range" },
      { "lease", '{"name": "north", "phase": "ok"}',
        'phase: found the unknown key "phase"', "E-unknown-key" },
    }
  end)

  it("by what methods take", function ()
    start(TREE)
    refuses {
      { "cycle", '{"full": 1}', "full: found the number 1, allowed true or false", "E-type" },
      { "cycle", '{"ful": true}', 'ful: found the unknown key "ful"', "E-unknown-key",
        'did you mean "full"?' },
      { "cycle", '{"full": true, "full": true}',
        'full: found the key "full" again, allowed once in an object', "E-duplicate-key" },
      { "decisions", "{}", '"from" is missing', "E-missing" },
      { "decisions", '{"from": 0}', "from: found the number 0, allowed an integer 1", "E-range" },
      { "decisions", '{"from": "1"}', 'from: found the string "1", allowed an integer 1 ... ',
        "E-type" },
      { "explain", "{}", '"explain" wants one of path, task, job and lease', "E-missing" },
      { "explain", '{"path": "/aa"}', "the plan has no consumer /aa", "E-unknown-consumer",
        "did you mean /a?" },
      { "explain", '{"path": "/a", "group": "gpu"}', "the plan has no group gpu",
        "E-unknown-group" },
      { "explain", '{"task": "t"}', 'nothing is known of the task "t"', "E-unknown-task" },
      { "explain", '{"job": "j"}', 'nothing is known of the job "j"', "E-unknown-job" },
      { "explain", '{"lease": "l"}', 'nothing is known of the lease "l"', "E-unknown-lease" },
      { "view", '{"path": "/aa"}', "the plan has no consumer /aa", "E-unknown-consumer",
        "did you mean /a?" },
      { "view", '{"group": "gpu"}', "the plan has no group gpu", "E-unknown-group" },
      { "shadow", "{}", '"shadow" wants "policy", "plan" or both', "E-missing" },
      { "drop", "{}", "there is no shadow", "E-no-shadow", 'the method "shadow" begins one' },
      { "demnad", "{}", 'there is no method "demnad"', "E-unknown-method",
        'did you mean "demand"?' },
      { "keep_row", "{}", 'there is no method "keep_row"', "E-unknown-method" },
    }
    local batch = it_runs:ask("[" .. request("reload", "{}") .. "]")
    assert.same({ -32053, "this method is not to be called in a batch" },
      { batch[1].error.code, batch[1].error.message })
  end)

  it("by being no request", function ()
    start(TREE)
    local head, otherwise = '{"jsonrpc": "2.0", ', {}
    for text, expected in pairs {
      ["{"] = { -32700, "column 2: " },
      ["7"] = { -32600, "a request is an object" },
      ["[]"] = { -32600, "a batch has at least one request" },
      ['{"method": "ping"}'] = { -32600, '"jsonrpc" must be "2.0"' },
      [head .. '"method": 7}'] = { -32600, '"method" must be a text' },
      [head .. '"method": "ping", "params": 7}'] = { -32600, '"params" must be an object' },
      [head .. '"id": 1, "method": "ping", "params": []}'] =
        { -32602, "params are an object, not a list" },
      [head .. '"method": "ping", "id": {}}'] =
        { -32600, '"id" must be a text, a number or null' },
      [head .. ('"method": "ping", "id": "%s"}'):format(("x"):rep(300))] =
        { -32600, '"id" must have at most 256 bytes' },
      [head .. '"method": "ping", "method": "ping"}'] = { -32600, "a member stands there twice" },
      ["[" .. ("1,"):rep(10000) .. "1]"] = { -32600, "a batch has at most 10000 requests" },
    } do
      local answer = it_runs:ask(text)
      local wrong = (answer[#answer] or answer).error or { code = 0, message = "nothing" }
      if wrong.code ~= expected[1] or not wrong.message:find(expected[2], 1, true) then
        otherwise[text:sub(1, 100)] = wrong
      end
    end
    assert.same({}, otherwise)
  end)
end)
