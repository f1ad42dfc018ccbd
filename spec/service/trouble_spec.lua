-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service that strangers come to, or whose policy fails while it runs: whom it turns away, what
--- it says, and that it goes on.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"
local socket = require "socket"

local PLAN = [[{"version": 1, "slots": 10, "policy": "fair.lua",
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 1}]}]]
local FRAGILE = [[
return policy { name = "fragile", quota = { fill "all" {
  by = function (demand) return 100 // (demand == 77 and 0 or 1) end } } }
]]
local PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

describe("a service", function ()
  local world, folder = live.world(), nil

  before_each(function ()
    folder = world.folder
    shell.write(folder .. "/plan.json", PLAN)
    shell.write(folder .. "/fair.lua", FRAGILE)
  end)

  it("turns away who comes when all connections are taken", function ()
    local it_runs = world.start("--clients 2")
    local second = it_runs:connect()
    assert.truthy(it_runs:ask(PING, second).result)
    assert.equal("too many connections", live.read(it_runs:connect()).error.message)
    second:close()
    assert.truthy(it_runs:ask(PING).result)
  end)

  it("lets each token do what its role may", function ()
    local tokens = { read = ("r"):rep(16), tell = ("t"):rep(16), change = ("c"):rep(16) }
    shell.write(folder .. "/token", ("read %s\ntell %s\nchange %s\n")
      :format(tokens.read, tokens.tell, tokens.change))
    local port = live.free_port()
    local it_runs = world.start(("--tcp %d --token-file token"):format(port))
    local may = { read = "read", tell = "tell events", change = "change plans" }
    local least = {
      read = { 'status', 'view', 'tasks', 'plan', 'decisions", "params": {"from": 1}, "x": "',
        'explain", "params": {"path": "/a"}, "x": "', 'subscribe', 'unsubscribe' },
      tell = { 'demand", "params": {"consumer": "/a", "slots": 1}, "x": "', 'cycle',
        'sync", "params": {"consumers": {}}, "x": "' },
      change = { 'reload', 'plan", "params": {"text": "{}"}, "x": "', 'drop',
        'shadow", "params": {"policy": "hybrid"}, "x": "' },
    }
    local rank = { read = 1, tell = 2, change = 3 }
    local asked = 0
    for role, token in pairs(tokens) do
      for wanted, methods in pairs(least) do
        for _, method in ipairs(methods) do
          local peer = it_runs:connect(port)
          assert.truthy(it_runs:ask(('{"jsonrpc": "2.0", "id": 1, "method": "auth", "params": '
            .. '{"token": "%s"}}'):format(token), peer).result)
          local answer = it_runs:ask(('{"jsonrpc": "2.0", "id": 2, "method": "%s"}')
            :format(method), peer)
          local refused = ("this call needs a token that may %s; yours may %s")
            :format(may[wanted], may[role])
          local message = answer.error and answer.error.message
          asked = asked + 1
          assert.equal(rank[role] < rank[wanted], message == refused, method .. " " .. role)
          peer:close()
        end
      end
    end
    assert.equal(45, asked)
    world.stop()
  end)

  it("wants the token first from who comes over TCP, in a short line", function ()
    shell.write(folder .. "/token", ("t"):rep(16))
    local port = live.free_port()
    local it_runs = world.start(("--tcp %d --token-file token"):format(port))
    local peer = it_runs:connect(port)
    local status = '{"jsonrpc": "2.0", "id": 1, "method": "status"}'
    assert.equal('call "auth" with the token first', it_runs:ask(status, peer).error.message)
    peer:send(("x"):rep(5000))
    assert.equal('"auth" has at most 4096 bytes', live.read(peer).error.message)
    local auth = '{"jsonrpc": "2.0", "id": 1, "method": "auth", "params": {"token": "%s"}}'
    local wrong = it_runs:ask(auth:format(("u"):rep(16)), it_runs:connect(port))
    assert.equal("this is not the token", wrong.error.message)
    peer = it_runs:connect(port)
    assert.truthy(it_runs:ask(auth:format(("t"):rep(16)), peer).result)
    assert.truthy(it_runs:ask(status, peer).result)
  end)

  it("keeps no more than 1 MiB of a line that does not end, and 128 MiB of all", function ()
    local it_runs = world.start()
    local peers, part = {}, ("x"):rep(1000000)
    local long = it_runs:connect()
    long:send(part .. part)
    assert.equal("a line has at most 1048576 bytes", live.read(long).error.message)
    for i = 1, 140 do
      peers[i] = it_runs:connect()
      peers[i]:send(part)
    end
    local one = socket.select(peers, nil, 60)[1]
    assert.equal("too many long lines at once", live.read(one).error.message)
    for _, peer in ipairs(peers) do peer:close() end
    assert.truthy(it_runs:ask(PING).result)
  end)

  describe("takes a line of `sync` that is long:", function ()
    local function request(params)
      return '{"jsonrpc": "2.0", "id": 5, "method": "sync", "params": ' .. params .. "}"
    end

    -- The same client's next line waits, another's `ping` does not.
    it("20,000 tasks in a line of more than a MiB", function ()
      local it_runs = world.start("--interval 0 --debounce 60000")
      local rows, other = {}, it_runs:connect()
      for i = 1, 20000 do
        rows[i] = ('{"id": "task-%d", "consumer": "/b", "submitted": 1000, "tags": ["%s"]}'):format(
          i, ("x"):rep(20))
      end
      local text = request('{"slots": 20000, "consumers": {}, "brief": true, "tasks": ['
        .. table.concat(rows, ", ") .. "]}")
      assert.is_true(#text > 1048576)
      for round = 1, 2 do
        assert(it_runs.peer:send(text .. '\n{"jsonrpc": "2.0", "id": 6, "method": "status"}\n'))
        assert.is_number(it_runs:ask('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', other)
          .result.now)
        local answers = {}
        for _ = 1, 2 do
          local answer = it_runs.read(it_runs.peer)
          answers[answer.id] = answer.result
        end
        assert.equal(round == 1 and 20000 or nil, answers[5].entered.start)
        assert.equal(0, answers[5].dropped_count)
      end
      local status = it_runs:status()
      assert.same({ 20000, 2, 0 }, { status.books.tasks, status.sync.calls, status.sync.dropped })
      other:close()
    end)

    it("not so others, and not endlessly", function ()
      local it_runs = world.start("--interval 0 --debounce 60000")
      local blank = (" "):rep(1100000)
      local function answer(text)
        local peer = it_runs:connect()
        assert(peer:send(text .. "\n"))
        local told = it_runs.read(peer)
        peer:close()
        return told.error.message, told.id
      end
      assert.equal("a line has at most 1048576 bytes",
        (answer('{"jsonrpc": "2.0", "id": 5, "method": "demand", "params": {}' .. blank .. "}")))
      assert.equal("a line has at most 1048576 bytes", -- nobody knows yet what it is
        (answer('{"params": {' .. blank .. '}, "jsonrpc": "2.0", "id": 5, "method": "sync"}')))
      assert.equal("a line of this method has at most 33554432 bytes",
        (answer(request(blank:rep(31)))))
      assert.same({ '"task" is no parameter of "sync"', 5 },
        { answer(request('{"task": 1' .. blank .. "}")) })
      assert.same({ "params are an object, not a list", 5 },
        { answer(request("[" .. blank .. "]")) })
      assert.truthy(answer(request("{" .. blank .. "]")):find("column 1100", 1, true))
      assert.equal('"jsonrpc" must be "2.0"',
        (answer('{"id": 5, "method": "sync", "params": {' .. blank .. "}}")))
      assert.equal(0, it_runs:status().event)
    end)
  end)

  it("tells where it listens", function ()
    world.start("--http 127.0.0.1:0")
    local log = world.stop()
    assert.truthy(log:find("the service runs plan=plan.json store=:memory: socket=sock "
      .. "http=127.0.0.1:0 events=0 decisions=0\n", 1, true), log)
  end)

  it("tells where it cannot listen", function ()
    shell.write(folder .. "/token", ("t"):rep(16))
    for words, expected in pairs {
      ["--tcp host --token-file %s/token"] =
        "cannot listen on the address host: it is no HOST:PORT",
      ["--tcp host:1 --token-file %s/token"] = "the host is no IP address",
      ["--socket /" .. ("x"):rep(120)] = "the path is too long",
    } do
      local status, _, err = shell.run(("timeout 60 %s serve %s/plan.json --store :memory: %s")
        :format(shell.allot, folder, words:format(folder)))
      assert.equal(5, status)
      assert.truthy(err:find(expected, 1, true), err)
    end
  end)

  it("goes on taking events where cycles fail, says so, and decides again", function ()
    local it_runs = world.start("--interval 0 --debounce 1")
    it_runs:call("demand", { consumer = "/a", slots = 77 })
    it_runs:wait(function (status) return status.since_start.failed_cycles > 0 end)
    local _, failed = it_runs:call "cycle"
    assert.same({ "E-policy-run", "fair.lua", 2 },
      { failed.data.code, failed.data.file, failed.data.line })
    local code, out = shell.run(("%s status --socket %s/sock"):format(shell.allot, folder))
    assert.equal(1, code)
    assert.truthy(out:find("cycles fail: %d+ since the last that succeeded; the log says why"), out)
    it_runs:call("demand", { consumer = "/a", slots = 7 })
    it_runs:wait(function (status) return status.decision > 0 end)
    local log = world.stop()
    assert.truthy(log:find("error: cycles fail: nothing is decided", 1, true), log)
    assert.truthy(log:find("warning: cycles decide again", 1, true), log)
    assert.equal(1, select(2, log:gsub("cycles fail", "")))
  end)

  it("makes the shadow that was asked for last", function ()
    local it_runs = world.start()
    local ask = '{"jsonrpc": "2.0", "id": %d, "method": "shadow", "params": {"policy": "hybrid"}}'
    it_runs.peer:send(ask:format(1) .. "\n" .. ask:format(2) .. "\n")
    local found = {}
    for _ = 1, 2 do
      local answer = live.read(it_runs.peer)
      found[answer.id] = answer.error and answer.error.message or answer.result.result
    end
    assert.same({ "the service is stopping, or something else was asked of the shadow",
      "shadowing" }, found)
  end)
end)
