-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Stores that somebody else wrote in, or that cannot be used: a service does not begin with them,
--- and says why; and one whose store fails while it runs.

local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local TREE = [[{"version": 1, "slots": 30, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 20}, {"name": "b", "owned": 10}]}]]
local QUEUES = [[{"version": 1, "policy": "preemption",
  "hosts": {"h1": {"slots": 4}, "h2": {"slots": 4}},
  "resources": {"lic": {"amount": 4}}, "queues": [{"name": "low", "priority": 1}]}]]

local LEASES = [[{"version": 1, "policy": "shared_lease", "leases": [
  {"name": "l", "provider": "P", "consumer": "C", "slots": 10}]}]]

local KILL = "kill -9 $SERVICE; wait $SERVICE; true"
local EVENTS = [[
start --debounce 1 || exit 1
call demand '{"consumer": "/a", "slots": 5}' > /dev/null && call cycle > /dev/null || exit 2
call demand '{"consumer": "/b", "slots": 5}' > /dev/null && call cycle > /dev/null || exit 3
]] .. KILL

--- A snapshot behind the first event that has a line of that kind.
local function kept(method, params)
  return ("INSERT OR REPLACE INTO snapshots SELECT 1, 1, 0, 1, 1, 0, sha256, "
    .. "'{\"method\": \"%s\", \"params\": %s}' || char(10) FROM plans"):format(method, params)
end

local function describe_store(plan, events, define)
  local folder
  local skipped = not service.is_allowed()
  setup(function ()
    folder = shell.directory()
    if skipped then return end
    local status, out, err = service.run(folder, plan, events)
    assert(status == 0, err .. out)
  end)
  teardown(function () shell.remove(folder) end)

  --- What is said when a service begins with a store, and how it ends.
  local function serve(store)
    local status, _, err = shell.run(("timeout 60 %s serve %s/plan.json --socket %s/s --store %s")
      :format(shell.allot, folder, folder, store))
    return status, err
  end

  local function on_store(name, test)
    it(name, function ()
      if skipped then return pending "unshare is not allowed here: no service ran" end
      test(folder, serve)
    end)
  end

  --- SQL and what is said of the store after it.
  local function refuses(cases)
    local otherwise = {}
    for _, case in ipairs(cases) do
      local status, err = serve(service.altered(folder, case[1]))
      if status ~= 5 or not err:find(case[2], 1, true) then
        otherwise[case[1]] = ("%d: %s"):format(status, err)
      end
    end
    assert.same({}, otherwise)
  end
  define(on_store, refuses)
end

describe("a store of consumers", function ()
  describe_store(TREE, EVENTS, function (on_store, refuses)
    on_store("must have a version that is known, and its tables", function ()
      refuses {
        { "PRAGMA user_version = 99", "has version 99, this program knows versions up to 5" },
        { "PRAGMA user_version = 0", "is damaged: it has no version" },
        { "PRAGMA application_id = 0", "is a database of something else, no store" },
        { "DROP TABLE plans", "has other tables than it should: no such table" },
      }
    end)

    on_store("must have rows that fit together", function ()
      refuses {
        { "UPDATE events SET params = replace(params, '/a', '/z')",
          'rows do not fit together: consumer: found the path "/z", which no consumer' },
        { "UPDATE events SET params = '7'", "params: found the number 7, allowed an object" },
        { "UPDATE events SET params = '{'", "params: found the end of the document" },
        { "UPDATE events SET method = 'nothing'",
          'event 1 of the store is none that this program knows: "nothing"' },
        { "UPDATE cycles SET effect = 'rubbish'", "no line of a snapshot: rubbish" },
        { kept("keep_claim", '{"id": "r9", "for": "/a", "slots": 1}'),
          'id: nothing is in flight as "r9"' },
        { kept("keep_row", '{"consumer": "/a", "reclaimed_at": "x"}'),
          'reclaimed_at: found the string "x", allowed Unix seconds or a time like "2026-01-31' },
      }
    end)

    on_store("must have columns and rows as services write them", function (folder)
      refuses {
        { "UPDATE meta SET value = x'00' WHERE key = 'id'", "a row of `meta` cannot be" },
        { "UPDATE meta SET value = 'x' WHERE key = 'epoch'",
          "it has an id or an epoch that cannot be" },
        { "UPDATE cycles SET seq = -1 WHERE cycle = 1",
          "`seq` of row 1 in `cycles` is a whole number that cannot be" },
        { "UPDATE events SET at = 'x' WHERE seq = 1",
          "`at` of row 1 in `events` is a text that cannot be" },
        { "UPDATE events SET params = x'00' WHERE seq = 2",
          "`params` of row 2 in `events` is bytes" },
        { "INSERT INTO snapshots SELECT 1, 1, 1, 2, 1, 0, sha256, '' FROM plans",
          "a snapshot's parts do not fit together" },
        { "UPDATE versions SET plan = 'x'", "a row of `versions` names no text" },
        { "UPDATE versions SET policies = 'x'", "a row of `versions` names no text" },
        { "DELETE FROM events WHERE seq = 1", "event 1 is not there" },
        { "DELETE FROM cycles; UPDATE events SET seq = -2 WHERE seq = 2",
          "an event's number is below 1" },
        { "UPDATE cycles SET cycle = -cycle WHERE cycle = (SELECT max(cycle) FROM cycles)",
          "a cycle's number is below 1" },
      }
      for _, change in ipairs { "plans SET text = NULL", "policies SET text = x'00'",
        "policies SET text = substr(text, 2)", "versions SET plan = 'x'" } do
        local store = service.altered(folder, "UPDATE " .. change)
        local status, _, err = shell.command("replay", store, "--plan", folder .. "/plan.json")
        if change:find "^versions" then
          assert.equal(0, status, err) -- no such plan took over: its text alone is needed
        else
          assert.equal(5, status, change)
          assert.truthy(err:find("is damaged: the text of the sha256 ", 1, true), err)
        end
      end
    end)

    on_store("that is damaged is not used", function (_, serve)
      local folder = shell.directory()
      local path = folder .. "/damaged.db"
      shell.lines(("python3 -c %s %s"):format(shell.quote [[
import sqlite3, sys
it = sqlite3.connect(sys.argv[1])
it.execute("PRAGMA application_id = %d" % 0x616c6f74)
it.execute("PRAGMA user_version = 2")
it.execute("CREATE TABLE t(a)")
it.executemany("INSERT INTO t VALUES(?)", [("x" * 100,)] * 1000)
it.commit()
it.close()
with open(sys.argv[1], "r+b") as file:
    file.seek(4096 * 4)
    file.write(b"\xff" * 4096)
]], path))
      local status, err = serve(path)
      shell.write(path, ("this is no database. "):rep(100))
      local _, other = serve(path)
      shell.remove(folder)
      assert.equal(5, status)
      assert.truthy(err:find("is damaged: ", 1, true), err)
      assert.truthy(err:find("move it away, or restore a copy", 1, true), err)
      assert.truthy(other:find("cannot be opened: file is not a database", 1, true), other)
    end)

    on_store("is of one service, whatever it is called", function (folder)
      local status, out, err = service.run(folder, TREE, [[
        start && stop || exit 1
        ln "$STORE" "$DIR/hard.db"; ln -s "$STORE" "$DIR/soft.db"; ln -s "$DIR" "$DIR/there"
        start || exit 2
        rm -f "$STORE-lock"
        for it in "$STORE" "$DIR/hard.db" "$DIR/soft.db" "$DIR/there/plan.json.db" \
            "$DIR/./plan.json.db"; do
          "$ALLOT" serve "$PLAN" --socket "$SOCK.2" --store "$it" 2>&1; echo $?
        done
        "$ALLOT" serve "$PLAN" --socket "$SOCK" --store :memory: 2>&1; echo $?
        call demand '{"consumer": "/a", "slots": 7}' || exit 3
        kill -9 $SERVICE; wait $SERVICE
        "$ALLOT" serve "$PLAN" --socket "$SOCK.2" --store "$DIR/hard.db" 2>&1; echo $?
        start; call status; stop; STORE="$DIR/hard.db"; start; call status; stop
      ]])
      assert.equal(0, status, err .. out)
      assert.equal(5, select(2, out:gsub("is in use by another service %b[]\n5\n", "")), out)
      assert.truthy(out:find("somebody listens there already %b[]\n5\n"), out)
      -- What was acknowledged is in the log beside the one name; no other is used until it is read.
      local other = "is another name of [^\n]+: start it once by that name %b[]\n5\n"
      assert.truthy(out:find(other), out)
      local told = tonumber(out:match('{"seq": (%d+)}'))
      assert.is_true(told > 0, out)
      local seen = 0
      for event in out:gmatch('"event": (%d+)') do
        assert.equal(told, tonumber(event))
        seen = seen + 1
      end
      assert.equal(2, seen)
    end)

    on_store("that cannot be held, or brought to this version", function (folder, serve)
      shell.lines(("mkdir %s/taken.db"):format(folder))
      local status, err = serve(folder .. "/taken.db")
      assert.equal(5, status)
      assert.truthy(err:find("taken.db cannot be locked", 1, true), err)
      local old = service.altered(folder, "DROP TABLE policies; DROP TABLE versions; "
        .. "DROP TABLE clients; DROP TABLE notes; "
        .. "PRAGMA user_version = 1; PRAGMA application_id = 0")
      status, err = serve(old)
      assert.equal(5, status)
      assert.truthy(err:find("cannot be brought to this version: duplicate column name: version", 1,
                             true), err)
    end)

    on_store("that belongs to something else is left as it is", function (folder, serve)
      local path = folder .. "/foreign.db"
      shell.lines(("python3 -c %s %s"):format(shell.quote [[
import sqlite3, sys
it = sqlite3.connect(sys.argv[1])
it.executescript("CREATE TABLE meta(key, value); CREATE TABLE t(a); PRAGMA user_version = 1")
]], path))
      local before = shell.read(path)
      local status, err = serve(path)
      assert.equal(5, status)
      assert.truthy(err:find("is a database of something else, no store; it is left as it is", 1,
                             true), err)
      assert.equal(before, shell.read(path))
    end)

    on_store("may be of a plan that was another", function (folder)
      local copy = service.altered(folder, "UPDATE cycles SET plan = 'x'")
      local status, out, err = service.run(folder, (TREE:gsub('"b"', '"c"')),
        ('STORE=%s; start && stop; cat "$DIR/log"'):format(copy))
      assert.equal(0, status, err .. out)
      assert.truthy(out:find('the plan has changed since: consumer: found the path "/b", which',
                             1, true), out)
    end)

    on_store("of before a snapshot is replayed from it, if it can be read", function (folder)
      local plan = folder .. "/plan.json"
      local store = service.altered(folder,
        "DELETE FROM cycles WHERE cycle = 1; " .. kept("keep_nothing", "{}"))
      local status, _, err = shell.command("replay", store, "--plan", plan)
      assert.equal(5, status)
      assert.truthy(err:find("the snapshot behind event 1 cannot be read: no line of a snapshot", 1,
                             true), err)
      store = service.altered(folder, "PRAGMA user_version = 99")
      status, _, err = shell.command("replay", store, "--plan", plan)
      assert.equal(5, status)
      assert.truthy(err:find("has version 99, this program knows versions up to 5", 1, true), err)
      store = service.altered(folder, "UPDATE events SET method = 'nothing'")
      status, _, err = shell.command("replay", store, "--plan", plan)
      assert.equal(1, status)
      assert.truthy(err:find('event 1 is refused: "nothing" is no event', 1, true), err)
    end)
  end)
end)

describe("a store of queues", function ()
  describe_store(QUEUES, "start && " .. KILL, function (on_store, refuses)
    on_store("must have rows that fit together", function ()
      refuses {
        { kept("keep_resource", '{"name": "gpu", "preempted_at": 1}'),
          'name: the plan has no "gpu"' },
        { kept("keep_job", '{"id": "j", "queue": "low", "state": "lost"}'),
          'allowed "pending", "running", "suspended" or "stopped"' },
      }
    end)

    on_store("may have a job that no cycle can decide with: it is left out", function (folder)
      service.altered(folder, kept("keep_job",
        '{"id": "j", "queue": "low", "state": "running"}'))
      local status, out, err = service.run(folder, QUEUES, [[
        STORE="$DIR/copy.db"; start || exit 1
        call finish '{"id": "j"}' 2>&1; stop && cat "$DIR/log"]])
      assert.equal(0, status, err)
      assert.truthy(out:find("left out, as no cycle can decide with it: hosts: of several hosts "
        .. 'the job "j" says not which has its slots', 1, true), out)
      assert.truthy(out:find('there is no job "j"', 1, true), out)
    end)
  end)
end)

describe("a store of contracts", function ()
  describe_store(LEASES, "start && call cycle > /dev/null && " .. KILL, function (on_store, refuses)
    on_store("must have words that there are", function ()
      refuses {
        { kept("lease", '{"name": "l", "phase": "fine"}'), 'allowed "conn", "ok" or "inactive"' },
      }
    end)
  end)
end)

describe("a service whose store fails", function ()
  local world = service.world(TREE)

  it("says so until it works again, and decides nothing meanwhile", function ()
    local out = world.run [[
      alter() { python3 -c 'import sqlite3, sys
it = sqlite3.connect(sys.argv[1]); it.execute(sys.argv[2]); it.commit()' "$STORE" "$1"; }
      start --http 127.0.0.1:0 || exit 1
      call demand '{"consumer": "/a", "slots": 5}' > /dev/null && call cycle > /dev/null || exit 2
      alter 'ALTER TABLE cycles RENAME TO gone'; alter 'ALTER TABLE events RENAME TO lost'
      call demand '{"consumer": "/b", "slots": 5}' > "$DIR/answer" & asked=$!
      for i in $(seq 3000); do
        call status > "$DIR/status"
        grep -q '"state": "degraded"' "$DIR/status" && break; sleep 0.02
      done
      call cycle 2>&1; echo $?
      call decisions '{"from": 1}' 2>&1; echo $?
      "$ALLOT" status --socket "$SOCK"; echo $?
      [ -s "$DIR/answer" ] && exit 3
      alter 'ALTER TABLE gone RENAME TO cycles'; alter 'ALTER TABLE lost RENAME TO events'
      wait $asked; cat "$DIR/answer"
      stop; cat "$DIR/log"]]
    if not out then return end
    for _, words in ipairs {
      "nothing is decided while the store does not keep up", "the store cannot be read",
      "the store fails: no such table", '"seq": 2', "the store cannot be written: nothing is "
        .. "acknowledged until it can", "the store works again",
    } do
      assert.truthy(out:find(words, 1, true), words .. "\n" .. out)
    end
  end)
end)
