-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Who said what: events' clients, causes of decisions, refusals, reloads and wrong tokens.

local json = require "dkjson"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"
local socket = require "socket"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid",
  "consumers": [{"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}]]

describe("the log", function ()
  local world = live.world()
  local service

  local function start(words)
    shell.write(world.folder .. "/plan.json", PLAN)
    service = world.start("--store plan.json.db --debounce 0 " .. (words or ""))
  end

  local function log(params)
    return assert(service:call("log", params))
  end

  --- The entries of a kind.
  local function of(kind, params)
    params = params or {}
    params.kind = kind
    return log(params).entries
  end

  --- Notes are not acknowledged: waits until so many of a kind are on disk.
  local function wait(kind, count)
    local found
    for _ = 1, 500 do
      found = of(kind)
      if #found >= count then break end
      socket.sleep(0.02)
    end
    assert.equal(count, #found)
    return found
  end

  it("names an event's client once, and those of a decision's events", function ()
    start()
    assert.same("agent", assert(service:call("hello", { name = "agent" })).name)
    assert(service:call("demand", { consumer = "/a", slots = 3 }))
    assert(service:call("demand", { consumer = "/b", slots = 2 }))
    assert(service:call "cycle")
    local events = of "event"
    assert.same({ "agent", "agent" }, { events[1].who.name, events[2].who.name })
    assert.is_true(events[1].who.pid > 0 and events[1].who.uid >= 0)
    local decisions = of "decision"
    assert.equal("agent", decisions[1].cause.who[1].name)
    assert.equal(1, decisions[1].cause.from)
    assert.equal(2, decisions[#decisions].cause.to)
    assert.same(events, of("event", { who = "agent" }))
    assert.same({}, of("event", { who = "agen" }))
    assert.equal("/b", of("event", { consumer = "/b" })[1].params.consumer)
    world.stop()
    local rows = shell.lines(([[python3 -c 'import sqlite3
for row in sqlite3.connect("%s/plan.json.db").execute("SELECT count(*) FROM clients"): print(*row)'
    ]]):format(world.folder))
    assert.same({ "1" }, rows)
  end)

  it("has a name's limits", function ()
    start()
    local _, why = service:call("hello", { name = ("x"):rep(65) })
    assert.truthy(json.encode(why):find("found 65 bytes, allowed 1 to 64", 1, true))
    _, why = service:call("hello", { name = "a\nb" })
    assert.truthy(json.encode(why):find("without control characters", 1, true))
  end)

  it("has the start, the refusals of what would change something, and the stop", function ()
    start()
    service:call("demand", { consumer = "/c", slots = 3 })
    service:call("explain", { path = "/c" })
    local refused = wait("refusal", 1)
    assert.same({ "demand", "E-unknown-path" }, { refused[1].about.method, refused[1].about.code })
    assert.is_true(refused[1].who.pid > 0)
    wait("start", 1)
    world.stop()
    local status, out = shell.command("log", "--store", world.folder .. "/plan.json.db")
    assert.equal(0, status)
    assert.truthy(out:find("stop +allot", 1))
    assert.truthy(out:find("refused +demand: E%-unknown%-path: "))
  end)

  it("keeps 60 refusals a minute, and says how many it left out", function ()
    start()
    for _ = 1, 100 do service:call("demand", { consumer = "/c", slots = 3 }) end
    wait("refusal", 60)
    assert.equal(100, service:status().since_start.refused)
  end)

  it("says that a reload was made, by whose call, and why one was refused", function ()
    start "--no-watch"
    shell.write(world.folder .. "/plan.json", (PLAN:gsub('"slots": 10', '"slots": 12')))
    assert(service:call "reload")
    shell.write(world.folder .. "/plan.json", "{")
    service:call "reload"
    local made, refused = table.unpack(wait("reload", 2))
    assert.same({ "swapped", "reload", 2 }, { made.about.result, made.about.asked, made.version })
    assert.is_true(made.who.pid > 0)
    assert.equal("refused", refused.about.result)
    assert.equal(2, refused.version)
    assert.truthy(refused.about.message)
    assert.equal(0, #of "refusal") -- the reload says it
    local _, out = shell.command("log", "--socket", world.folder .. "/sock")
    assert.matches("reload swapped plan %x+, version 2  ", out)
    assert.matches("reload refused plan.json:1: E%-[%l-]+: .*; plan %x+, version 2, goes on "
      .. "deciding", out)
  end)

  it("pages forwards and backwards over the same entries", function ()
    start()
    for i = 1, 30 do
      assert(service:call("demand", { consumer = "/a", slots = i % 7 }))
      if i % 3 == 0 then service:call("demand", { consumer = "/c", slots = 1 }) end
      if i % 5 == 0 then assert(service:call "cycle") end
    end
    wait("refusal", 10)
    local whole = log { limit = 1000 }
    local forth, back, after, before = {}, {}, "0.0.0", nil
    repeat
      local page = log { after = after, limit = 7 }
      for _, it in ipairs(page.entries) do forth[#forth + 1] = it.id end
      after = page.next
    until not page.more
    repeat
      local page = log { before = before, limit = 4 }
      for i = #page.entries, 1, -1 do table.insert(back, 1, page.entries[i].id) end
      before = page.before
    until not page.more
    local ids = {}
    for i, it in ipairs(whole.entries) do ids[i] = it.id end
    assert.is_true(#ids >= 40)
    assert.same(ids, forth)
    assert.same(ids, back)
    assert.same({}, log { after = whole.next }.entries)
    assert.same({}, log { since = whole.entries[#ids].at + 10 }.entries)
  end)

  it("refuses what it does not know", function ()
    start()
    for words, params in pairs {
      ['kind: found "refusl"'] = { kind = "refusl" },
      ['as in "17.4.0"'] = { after = "17" },
      ["after and before do not go together"] = { after = "1.0.0", before = "2.0.0" },
      ["limit: found the number 1001"] = { limit = 1001 },
    } do
      local _, why = service:call("log", params)
      assert.truthy(json.encode(why):find(words, 1, true) or
        json.encode(why):gsub("\\", ""):find(words, 1, true), json.encode(why))
    end
    local status, _, err = shell.command("log", "--store", world.folder .. "/none.db")
    assert.equal(5, status)
    assert.truthy(err:find("none.db cannot be opened", 1, true), err)
  end)

  it("reads stores of before, which know no clients", function ()
    shell.lines("python3 -B spec/support/service/old_store.py make leaves " .. world.folder)
    local status, out = shell.command("log", "--store", world.folder .. "/plan.json.db",
      "--format", "json", "-n", "5")
    assert.equal(0, status)
    local lines = select(2, out:gsub("\n", ""))
    assert.equal(5, lines)
    assert.is_nil(out:find('"who": {', 1, true))
  end)

  it("counts and keeps wrong tokens, with labels of right ones", function ()
    shell.write(world.folder .. "/token", "tell:backup 0123456789abcdef\n")
    shell.write(world.folder .. "/mine", "0123456789abcdef\n")
    shell.write(world.folder .. "/wrong", "fedcba9876543210\n")
    local port = live.free_port()
    start("--token-file token --tcp 127.0.0.1:" .. port)
    local function call(token, method)
      return shell.command("call", "--socket", "127.0.0.1:" .. port, "--token-file",
        world.folder .. "/" .. token, method, '{"consumer": "/a", "slots": 1}')
    end
    assert.equal(0, (call("mine", "demand")))
    assert.not_equal(0, (call("wrong", "demand")))
    assert.same({ "backup", "tell", "127.0.0.1" },
      { of "event"[1].who.token, of "event"[1].who.role, of "event"[1].who.address })
    assert.equal("127.0.0.1", wait("wrong-token", 1)[1].about.address)
    assert.equal(1, service:status().since_start.wrong_tokens)
  end)
end)
