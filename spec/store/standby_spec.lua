-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Several services with one store in PostgreSQL: one leads, the others stand by.

local live = require "spec.support.service.live"
local postgres = require "spec.support.service.postgres"
local shell = require "spec.support.house.shell"
package.path = "examples/clients/?.lua;" .. package.path
local client = require "allot_client"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}
]]

describe("services with one store", function ()
  local missing, server = postgres.missing(), nil
  local services, folders

  setup(function () server = not missing and postgres.start() end)
  teardown(function () if server then server:stop() end end)

  before_each(function ()
    services, folders = {}, {}
    if server then server:clear() end
    for i = 1, 2 do
      folders[i] = shell.directory()
      shell.write(folders[i] .. "/plan.json", PLAN)
    end
  end)
  after_each(function ()
    for _, service in pairs(services) do service:stop() end
    for _, folder in ipairs(folders) do shell.remove(folder) end
  end)

  local function start(i, words)
    services[i] = live.start(folders[i], ("--store %s --interval 0 %s"):format(
      shell.quote(server.url), words or ""))
    return services[i]
  end

  local function kill(i)
    services[i]:kill()
    services[i] = nil
  end

  local function demand(service, slots, key)
    return service:call("demand", { consumer = "/a", slots = slots, key = key })
  end

  local function leads(service)
    service:wait(function (status) return status.role == "leading" end)
  end

  --- A service that lost the lead, or whose plan changed, makes itself anew.
  local function reconnect(i)
    services[i].peer:close()
    for _ = 1, 3000 do
      local connected, peer = pcall(services[i].connect, services[i])
      services[i].peer = connected and peer
      if connected and pcall(services[i].status, services[i]) then return end
      live.sleep(0.02)
    end
    error("it does not listen again: " .. shell.read(folders[i] .. "/log"))
  end

  --- Until it has read all that the leader wrote.
  local function follow(follower, leader)
    local event = leader:status().event
    follower:wait(function (status) return status.event == event and status.behind == 0 end)
  end

  local function check(name, test)
    it(name, function ()
      if missing then return pending(missing) end
      test()
    end)
  end

  check("are one that leads, and one that says who does", function ()
    local port = live.free_port()
    local one, two = start(1), start(2, "--http " .. port)
    assert.equal("leading", one:status().role)
    assert(demand(one, 4))
    follow(two, one)
    local status = two:status()
    assert.equal("following", status.role)
    assert.equal(folders[1] .. "/sock", status.leader)
    assert.is_true(status.healthy)
    local result, refused = demand(two, 5)
    assert.is_nil(result)
    assert.equal("E-standby", refused.data.code)
    assert.equal(folders[1] .. "/sock", refused.data.leader)
    assert.equal("E-standby", select(2, two:call "state").data.code)
    assert.truthy(two:call "ping")
    local function get(path)
      return shell.lines(("curl -s -w '\\n%%{http_code}' http://127.0.0.1:%d%s"):format(port, path))
    end
    assert.same({ "ok, following", "200" }, get "/healthz")
    assert.equal("503", get "/readyz"[2])
    assert.truthy(table.concat(get "/metrics", "\n"):find("allot_leading 0", 1, true))
    assert.equal("503", get "/state"[2]:match "503" or get "/state"[2])
  end)

  check("go on after kill -9 of the leader: nothing lost, twice or unnumbered", function ()
    start(1, "--debounce 0")
    local two = start(2, "--debounce 0")
    local both = client.connect(folders[1] .. "/sock," .. folders[2] .. "/sock")
    local told = assert(both:subscribe(1))
    for i = 1, 20 do assert.equal(i, assert(both:send("demand",
      { consumer = "/a", slots = i % 5, key = "k" .. i })).seq) end
    kill(1)
    for i = 21, 40 do assert.equal(i, assert(both:send("demand",
      { consumer = "/a", slots = i % 5 + 5, key = "k" .. i })).seq) end
    -- The follower read the keys, too.
    assert.equal(20, both:send("demand", { consumer = "/a", slots = 0, key = "k20" }).seq)
    local last = two:status().decision
    assert.is_true(last > 1)
    for seq = 1, last do assert.equal(seq, assert(told:poll(20)).seq) end
    assert.same({ "40|40|40" },
      server:ask "SELECT count(*), count(DISTINCT idem), max(seq) FROM events")
    assert.same({ "2" }, server:ask "SELECT count(*) FROM terms")
    told:close()
    both:close()
  end)

  check("hand over when the leader is stopped", function ()
    local one, two = start(1), start(2)
    assert(demand(one, 3))
    services[1] = nil
    one:stop()
    leads(two)
    assert.equal(1, two:status().event)
    assert(demand(two, 4))
    start(1)
    follow(services[1], two)
    assert.equal("following", services[1]:status().role)
  end)

  check("do not let a leader write that was thought dead", function ()
    local one, two = start(1, "--lease 600"), start(2, "--lease 600")
    assert(demand(one, 3))
    follow(two, one)
    local pid = shell.lines("pgrep -P " .. one.pid)[1]
    shell.run("kill -STOP " .. pid)
    leads(two)
    assert(demand(two, 4))
    assert(one.peer:send '{"jsonrpc": "2.0", "id": "a\\"b", "method": "demand", "params": '
      .. '{"consumer": "/a", "slots": 9}}\n')
    shell.run("kill -CONT " .. pid)
    -- The old leader took the event in memory, and could not write it: it says so, or closes.
    local line = one.peer:receive "*l"
    assert.is_true(not line or line:find("E-lost", 1, true) ~= nil
      or line:find("E-standby", 1, true) ~= nil)
    reconnect(1)
    follow(one, two)
    assert.equal("following", one:status().role)
    assert.same({ "2" }, server:ask "SELECT count(*) FROM events")
  end)

  check("follow a plan that grows", function ()
    for i = 1, 2 do
      shell.write(folders[i] .. "/plan.json", (PLAN:gsub('}%]}\n', '}, {"name": "*"}]}\n')))
    end
    local one = start(1)
    assert(one:call("demand", { consumer = "/kim", slots = 2 }))
    local two = start(2)
    assert(one:call("demand", { consumer = "/lee", slots = 2 }))
    kill(1)
    local both = client.connect(folders[2] .. "/sock")
    assert.equal(3, both:send("demand", { consumer = "/lee", slots = 1 }).seq)
    both:close()
    reconnect(2)
    leads(two)
    local decision = assert(two:call("sync", { source = "look" })).decision
    local paths = {}
    for i, row in ipairs(decision.groups.default.consumers) do paths[i] = row.path end
    assert.same({ "/a", "/b", "/*", "/kim", "/lee" }, paths)
  end)

  check("follow a change of the plan", function ()
    local one, two = start(1), start(2)
    assert(demand(one, 3))
    for i = 1, 2 do
      shell.write(folders[i] .. "/plan.json", (PLAN:gsub('"b"', '"c"')))
    end
    one:wait(function (status) return status.reload.total.swapped == 1 end)
    assert(one:call("demand", { consumer = "/c", slots = 2 }))
    kill(1)
    local both = client.connect(folders[2] .. "/sock")
    assert.equal(3, both:send("demand", { consumer = "/c", slots = 1 }).seq)
    both:close()
    reconnect(2)
    leads(two)
  end)

  check("lose nothing when the server restarts", function ()
    start(1)
    start(2)
    local both = client.connect(folders[1] .. "/sock," .. folders[2] .. "/sock")
    for i = 1, 5 do
      assert.equal(i, both:send("demand", { consumer = "/a", slots = i, key = "k" .. i }).seq)
      server:run "-m immediate restart"
    end
    assert.equal(6, both:send("demand", { consumer = "/a", slots = 6, key = "k6" }).seq)
    assert.same({ "6|6|6" },
      server:ask "SELECT count(*), count(DISTINCT idem), max(seq) FROM events")
    both:close()
    reconnect(1)
    reconnect(2)
  end)

  check("write a batch beside bare libpq, for `allot bench`", function ()
    local status, out, err = shell.run(("ALLOT_BENCH_STORE=%s %s bench --shape commits "
      .. "--format json"):format(shell.quote(server.url), shell.allot))
    assert.equal(0, status, err)
    local commits = assert(require "dkjson".decode(out)).commits
    assert.equal(5, #commits)
    for _, it in ipairs(commits) do assert.is_true(it.store_ms > 0 and it.bare_ms > 0) end
    assert.same({ "0" }, server:ask [[SELECT count(*) FROM information_schema.tables
      WHERE table_schema = 'allot_measure']])
    local failed, _, why = shell.command("bench", "--shape", "commits")
    assert.equal(5, failed)
    assert.truthy(why:find("no database of PostgreSQL that could be measured", 1, true), why)
  end)

  check("are refused a store that is none, or whose name has a password", function ()
    local function refused(url, words)
      local status, _, err = shell.run(("%s serve %s/plan.json --store %s"):format(shell.allot,
        folders[1], shell.quote(url)))
      assert.equal(5, status)
      assert.truthy(err:find(words, 1, true), err)
    end
    refused("postgresql://a:secret@/postgres", "a password in --store is seen by all")
    refused("postgresql:///postgres?colour=red", "--store: invalid URI query parameter")
    refused("postgresql:///postgres?host=/none", "cannot be opened")
    local status, _, err = shell.command("replay", server.url, "--plan", folders[1] .. "/plan.json")
    assert.equal(5, status)
    assert.truthy(err:find("there is no store in", 1, true), err)
    start(1):stop()
    services[1] = nil
    server:ask "UPDATE lead SET version = 99"
    refused(server.url, "this program knows versions up to 2")
    server:ask "UPDATE lead SET version = 2; DELETE FROM meta"
    refused(server.url, "it has no id")
  end)
end)
