-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a store promises, asked of each database that it may be in.

local live = require "spec.support.service.live"
local postgres = require "spec.support.service.postgres"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}
]]

--- name, what is missing, and a store of its own for each test.
local STORES = {
  { name = "SQLite", missing = function () end, start = function () return {} end,
    url = function (_, folder) return folder .. "/plan.json.db" end },
  { name = "PostgreSQL", missing = postgres.missing, start = postgres.start,
    url = function (server) return server.url end },
}

describe("a store in a file", function ()
  local world = live.world()

  it("is waited for until the process that has it ends", function ()
    shell.write(world.folder .. "/plan.json", PLAN)
    local words = "--store " .. world.folder .. "/it.db"
    local first = world.start(words)
    assert.equal(1, first:call("demand", { consumer = "/a", slots = 4 }).seq)
    local folder = shell.directory()
    shell.write(folder .. "/plan.json", PLAN)
    os.execute(("(sleep 0.3; kill -TERM %s) >/dev/null 2>&1 &"):format(first.pid))
    local second = live.start(folder, words .. " --wait")
    assert.equal(1, second:status().event)
    assert.equal(2, second:call("demand", { consumer = "/a", slots = 5 }).seq)
    second:stop()
    shell.remove(folder)
  end)
end)

describe("a database in PostgreSQL", function ()
  it("that is not of UTF8 is refused", function ()
    local missing = postgres.missing()
    if missing then return pending(missing) end
    local server, folder = postgres.start(), shell.directory()
    server:ask "CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"
    shell.write(folder .. "/plan.json", PLAN)
    local status, _, err = shell.command("serve", folder .. "/plan.json", "--store",
      (server.url:gsub("/postgres%?", "/bytes?")))
    server:stop()
    shell.remove(folder)
    assert.equal(5, status)
    assert.truthy(err:find("its encoding is not UTF8", 1, true), err)
  end)
end)

for _, kind in ipairs(STORES) do
  describe("a store in " .. kind.name, function ()
    local missing, server, url = kind.missing(), nil, nil
    local world = live.world()

    setup(function () server = not missing and kind.start() end)
    teardown(function () if server and server.stop then server:stop() end end)
    before_each(function ()
      if server and server.clear then server:clear() end
      url = server and kind.url(server, world.folder)
      shell.write(world.folder .. "/plan.json", PLAN)
    end)

    local function start(words)
      return world.start(("--store %s --interval 0 %s"):format(shell.quote(url), words or ""))
    end

    local function check(name, test)
      it(name, function ()
        if missing then return pending(missing) end
        test()
      end)
    end

    local function demand(service, slots, key)
      return assert(service:call("demand", { consumer = "/a", slots = slots, key = key })).seq
    end

    local function replayed(...)
      local status, out, err = shell.command("replay", url, "--plan", world.folder .. "/plan.json",
        ...)
      assert.equal(0, status, err)
      return out
    end

    check("has what was acknowledged after kill -9", function ()
      local service = start()
      assert.equal(1, demand(service, 4))
      assert.equal(2, demand(service, 7, "k"))
      world.kill()
      service = start()
      assert.equal(2, service:status().event)
      assert.equal(2, demand(service, 7, "k")) -- known
      local _, refused = service:call("demand", { consumer = "/a", slots = 8, key = "k" })
      assert.equal("E-key", refused.data.code)
      assert.equal(3, demand(service, 9))
    end)

    check("has the versions that decided, and goes back to them", function ()
      local service = start()
      demand(service, 4)
      assert(service:call "cycle")
      local first = service:status().plan.sha256
      local other = PLAN:gsub('"slots": 10', '"slots": 12')
      assert(service:call("plan", { text = other }))
      assert.equal(1, assert(service:call("rollback", { version = 1 })).version)
      world.kill()
      service = start()
      assert.equal(first, service:status().plan.sha256)
      live.sleep(0.5)
      assert.equal(first, service:status().plan.sha256)
      assert.is_true(service:status().reload.rolled_back)
      local _, refused = service:call("rollback", { version = 9 })
      assert.truthy(refused.message:find("found 1 to 3", 1, true), refused.message)
      assert.equal(2, assert(service:call "rollback").version)
      assert.is_false(service:status().plan.sha256 == first)
      demand(service, 5)
      assert(service:call "cycle")
      world.stop()
      replayed()
    end)

    check("has who told what, page by page, also without a service", function ()
      local service = start()
      assert(service:call("hello", { name = "agent" }))
      for slots = 1, 6 do
        demand(service, slots)
        assert(service:call "cycle")
      end
      assert.is_nil((service:call("demand", { consumer = "/none", slots = 1 })))
      world.kill()
      service = start()
      demand(service, 9)
      assert(service:call "cycle") -- else a decision may come between the two readings
      local forth, back, after, before = {}, {}, "0.0.0", nil
      repeat
        local page = assert(service:call("log", { after = after, limit = 4 }))
        for _, it in ipairs(page.entries) do forth[#forth + 1] = it.id end
        after = page.next
      until not page.more
      repeat
        local page = assert(service:call("log", { before = before, limit = 3 }))
        for i = #page.entries, 1, -1 do table.insert(back, 1, page.entries[i].id) end
        before = page.before
      until not page.more
      assert.is_true(#forth >= 13, #forth)
      assert.same(forth, back)
      local said = assert(service:call("log", { kind = "event", who = "agent" })).entries
      assert.equal(6, #said)
      assert.equal("agent", said[1].who.name)
      local why = assert(service:call("log", { kind = "decision" })).entries[1].cause
      assert.equal("agent", why.who[1].name)
      world.stop()
      local status, out, err = shell.command("log", "--store", url, "--kind", "event")
      assert.equal(0, status, err)
      assert.equal(7, select(2, out:gsub("\n", "\n")), out)
      assert.equal(6, select(2, out:gsub("agent", "")), out)
    end)

    check("numbers decisions on, and has those of before", function ()
      local service = start()
      for slots = 1, 5 do
        demand(service, slots)
        assert(service:call "cycle")
      end
      world.stop()
      service = start()
      local list = assert(service:call("decisions", { from = 1 }))
      assert.equal(5, #list)
      for i, decision in ipairs(list) do assert.equal(i, decision.seq) end
      demand(service, 6)
      assert(service:call "cycle")
      assert.equal(6, service:status().decision)
    end)

    check("has another epoch at each start, and stays the same store", function ()
      local first = start():status().store
      world.stop()
      local second = start():status().store
      assert.equal(first.id, second.id)
      assert.is_true(second.epoch > first.epoch)
    end)

    check("is restored from a snapshot, and lets go what lies before", function ()
      local service = start "--snapshot 20 --keep 10"
      for _ = 1, 60 do -- a grant, which comes back
        demand(service, 1)
        assert(service:call "cycle")
        demand(service, 0)
        assert(service:call("release", { consumer = "/a", slots = 1 }))
      end
      service:wait(function (status) return status.store.oldest_decision > 1 end)
      local last = service:status()
      assert.is_true(last.store.unused_bytes < last.store.bytes)
      world.stop()
      service = start()
      assert.equal(last.event, service:status().event)
      assert.equal(last.decision, service:status().decision)
      assert.is_true(service:status().store.oldest_decision > 1)
      assert.truthy(replayed():find "came out as recorded")
    end)

    check("has every version of the plan, and replays through them", function ()
      local service = start()
      demand(service, 9)
      assert(service:call "cycle")
      shell.write(world.folder .. "/plan.json", (PLAN:gsub("hybrid", "share_ratio")))
      assert(service:call "reload")
      demand(service, 3)
      assert(service:call "cycle")
      world.kill()
      service = start()
      assert.equal("share_ratio", service:policy())
      assert.truthy(replayed("--format", "json"):find('"differs": null', 1, true)
        or replayed():find "came out as recorded")
      assert.truthy(replayed("--policy", "share_ratio"))
    end)

    check("enters a truth as a whole", function ()
      local service = start()
      local tasks = {}
      for i = 1, 300 do tasks[i] = { id = "t" .. i, consumer = "/b" } end
      assert(service:call("sync", { consumers = { ["/a"] = { demand = 7 } }, tasks = tasks }))
      local events = service:status().event
      world.kill()
      service = start()
      assert.equal(events, service:status().event)
      assert.equal(300, service:status().books.tasks)
    end)
  end)
end
