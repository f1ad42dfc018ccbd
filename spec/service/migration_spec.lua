-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Stores of the first version of their schema (spec/support/service/old_store.py): they are
--- computed again as they are, byte by byte, and go on under this version, which migrates them.

local json = require "dkjson"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local MADE = "python3 -B spec/support/service/old_store.py make %s %s"
local SQL = [[python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' %s %s]]

describe("a store of the first version,", function ()
  local world = live.world()
  local store

  local function query(sql)
    return shell.lines(SQL:format(store, shell.quote(sql)))
  end

  local function make(kind)
    store = world.folder .. "/plan.json.db"
    shell.lines(MADE:format(kind, world.folder))
    assert.same({ "1" }, query "PRAGMA user_version")
  end

  --- Computes it again; how many cycles came out.
  local function replay(words)
    local status, out, err = shell.command("replay", store, "--format", "json",
      table.unpack(words or {}))
    assert.equal(0, status, out .. err)
    return json.decode(out).cycles
  end

  local function cycles()
    return tonumber(query "SELECT count(*) FROM cycles"[1])
  end

  --- Ids that these events began, and no others ended, in order.
  local function alive(begun, ended)
    local of = "SELECT json_extract(params, '$.id') AS id FROM events WHERE method "
    return query(("%s = '%s' AND id NOT IN (%s IN (%s)) ORDER BY id"):format(of, begun, of, ended))
  end

  local function ids(list)
    local found = {}
    for i, row in ipairs(assert(world.service:call(list, { limit = 1000 }))[list]) do
      found[i] = row.id
    end
    return found
  end

  --- What the store had when it was left, which a service then has.
  local function open()
    local events, decisions = query "SELECT max(seq) FROM events"[1],
                              query "SELECT max(seq) FROM cycles"[1]
    world.start "--interval 0 --debounce 60000 --store plan.json.db"
    local status = world.service:status()
    assert.same({ tonumber(events), tonumber(decisions) }, { status.event, status.decision })
    assert.same({ "5" }, query "PRAGMA user_version")
    -- The version that decided, of which the store had no policies; and this one.
    assert.same({ "true", "false" }, query [[SELECT iif(policies = '', "true", "false")
      FROM versions ORDER BY number]])
  end

  --- What is recorded behind it is computed again with what was there.
  local function close(before)
    local log = world.stop()
    assert.is_nil(log:find("W-", 1, true), log)
    local now = cycles()
    assert.is_true(now > before)
    assert.equal(now, replay())
    assert.is_true(replay { "--from", "5" } < now) -- from a snapshot
  end

  for _, kind in ipairs { "leaves", "queues" } do
    it("of " .. kind .. ", is computed again, and left as it is", function ()
      make(kind)
      local before = shell.lines("sha256sum " .. store)
      assert.equal(cycles(), replay())
      assert.is_true(replay { "--from", "5" } < cycles())
      assert.same(before, shell.lines("sha256sum " .. store))
    end)
  end

  it("of leaves, goes on", function ()
    make "leaves"
    local before, tasks = cycles(), alive("start", "'finish'")
    assert.is_true(#tasks > 3)
    open()
    assert.same(tasks, ids "tasks")
    assert.same({ "s2" }, ids "sessions") -- s1 has ended
    -- What is there can be told whole.
    local rows = world.service:call "tasks".tasks
    for _, row in ipairs(rows) do row.reclaim, row.told = nil, nil end
    local answer = assert(world.service:call("sync", { tasks = rows }))
    assert.same({ 0, {} }, { answer.dropped_count, answer.entered })
    table.remove(rows)
    assert.same({ finish = 1 }, world.service:call("sync", { tasks = rows }).entered)
    assert(world.service:call("demand", { consumer = "/lab/y", slots = 0 }))
    assert(world.service:call "cycle")
    close(before)
  end)

  it("of queues, goes on", function ()
    make "queues"
    local before, jobs = cycles(), alive("submit", "'finish', 'withdraw'")
    assert.is_true(#jobs > 3)
    open()
    assert.same(jobs, ids "jobs")
    assert(world.service:call("submit", { id = "new", queue = "high", slots = 2 }))
    assert(world.service:call "cycle")
    jobs[#jobs + 1] = "new"
    assert.same(jobs, ids "jobs")
    close(before)
  end)
end)
