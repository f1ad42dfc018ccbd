-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What clients may not say: what only snapshots do, times that cannot be, more than is read. And
--- reclaims without tasks whose leaf says `release` or `decline` rather than `returned`.

local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 10}]}]]

local LEASES = [[{"version": 1, "policy": "shared_lease", "leases": [
  {"name": "l", "provider": "P", "consumer": "C", "slots": 10}]}]]

describe("a client of a service", function ()
  local folder

  before_each(function () folder = shell.directory() end)
  after_each(function () shell.remove(folder) end)

  --- What comes of calls, each a line of METHOD PARAMS, with what is said of them.
  local function run(plan, script)
    if not service.is_allowed() then
      pending("unshare is not allowed here: no service ran")
      return nil
    end
    local status, out, err = service.run(folder, plan,
      "start || exit 1\n" .. script .. "\n:")
    assert.equal(0, status, err .. out)
    return out
  end

  it("cannot say what only snapshots do", function ()
    local out = run(PLAN, [[
      call allocated '{"consumer": "/a", "slots": 4}'
      call start '{"id": "t", "consumer": "/a", "told": true}' 2>&1
      call start '{"id": "t", "consumer": "/a", "tol": true}' 2>&1
      for it in clock row flight claim victim landed told loans loan job usage resource; do
        call keep_$it '{}' 2>&1; done]])
    if not out then return end
    assert.truthy(out:find('found the unknown key "told" [E-unknown-key]', 1, true), out)
    assert.is_nil(out:find("did you mean", 1, true), out)
    assert.equal(12, select(2, out:gsub("there is no method \"keep_%a+\"", "")))
  end)

  it("cannot say how far a contract is", function ()
    local out = run(LEASES, [[
      call lease '{"name": "l", "phase": "ok"}' 2>&1
      call lease '{"name": "l", "since": 1}' 2>&1
      call lease '{"name": "l", "provider": {"available": 1}}' 2>&1]])
    if not out then return end
    assert.truthy(out:find('found the unknown key "phase" [E-unknown-key]', 1, true), out)
    assert.truthy(out:find('found the unknown key "since" [E-unknown-key]', 1, true), out)
    assert.truthy(out:find('{"seq": 1}', 1, true), out)
  end)

  -- One client's clock must not become everybody's: neither at once nor when the store is read.
  it("cannot move the clock", function ()
    local out = run(PLAN, [[
      now=$(date +%s)
      call demand "{\"consumer\": \"/a\", \"slots\": 3, \"at\": $((now + 86400))}" 2>&1
      call demand '{"consumer": "/a", "slots": 3, "at": -1}' 2>&1
      call demand '{"consumer": "/a", "slots": 3, "at": "2999-01-01T00:00:00Z"}' 2>&1
      call demand "{\"consumer\": \"/a\", \"slots\": 3, \"at\": $((now + 30))}" || exit 2
      call demand '{"consumer": "/a", "slots": 4, "at": 1000}' || exit 3
      call cycle > /dev/null
      call start "{\"id\": \"t\", \"consumer\": \"/a\", \"started\": $((now + 86400))}" 2>&1
      call start "{\"id\": \"t\", \"consumer\": \"/a\", \"submitted\": -5}" 2>&1
      call session "{\"id\": \"s\", \"consumer\": \"/a\", \"created\": $((now + 86400))}" 2>&1
      call start '{"id": "t", "consumer": "/a", "at": 2000}' || exit 4
      kill -9 $SERVICE; wait $SERVICE 2> /dev/null; start || exit 5
      echo "it is $(($(call ping | tr -cd 0-9) - now)) s later"
      stop
      "$ALLOT" replay "$STORE"]])
    if not out then return end
    for _, name in ipairs { "at", "started", "submitted", "created" } do
      assert.truthy(out:find(name .. ": found %-?%d+, allowed 0 %.%.%. %d+: what happened may be "
        .. "at most 60 s ahead %[E%-time%]"), name .. ": " .. out)
    end
    assert.equal(6, select(2, out:gsub("%[E%-time%]", "")))
    assert.truthy(out:find('{"seq": 1}\n{"seq": 2}\n', 1, true), out)
    assert.is_true(tonumber(out:match "it is (%-?%d+) s later") < 30, out)
    assert.truthy(out:find("came out as recorded, byte by byte", 1, true), out)
  end)

  -- A name that no state can have was taken by earlier versions, and no cycle decided from then on.
  it("is refused names that no state can have, and a store that has one starts without", function ()
    local out = run(PLAN, [[
      call demand '{"consumer": "/a", "slots": 3}'; call cycle
      call host '{"name": "a\nb", "slots": 3}' 2>&1
      kill -9 $SERVICE; wait $SERVICE 2> /dev/null
      python3 - "$STORE" <<'END'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
last = store.execute("SELECT max(seq), max(at) FROM events").fetchone()
for i, (method, params) in enumerate([("host", '{"name": "a\\nb", "slots": 3}'),
        ("host_gone", '{"name": "a\\nb"}'), ("demand", '{"consumer": "/a", "slots": 5}')]):
    store.execute("INSERT INTO events(seq, at, method, params) VALUES(?, ?, ?, ?)",
                  (last[0] + 1 + i, last[1], method, params))
store.commit()
END
      start || exit 5
      grep -o 'left out, as no.*' "$DIR/log"
      call cycle; call release '{"consumer": "/a", "slots": 3}'
      call cycle; call decisions '{"from": 1}' | grep -o '"slots": [0-9]*'
      stop; "$ALLOT" replay "$STORE"
      : > "$DIR/log"; start || exit 6
      call status | grep -o '"failed_cycles": [0-9]*'; grep -c W-store "$DIR/log"]])
    if not out then return end
    assert.truthy(out:find('name: found "a', 1, true) and out:find("[E-name]", 1, true), out)
    assert.equal(2, select(2, out:gsub("left out, as no cycle can decide with it", "")), out)
    assert.truthy(out:find('{"seq": 5}', 1, true), out)
    assert.truthy(out:find('"slots": 3\n"slots": 2\n"slots": 3\n', 1, true), out)
    assert.truthy(out:find("came out as recorded, byte by byte", 1, true), out)
    assert.truthy(out:find('"failed_cycles": 0\n0\n', 1, true), out)
  end)

  it("may not give another event the key of one that is known", function ()
    local out = run(PLAN, [[
      call demand '{"consumer": "/a", "slots": 3, "key": "k"}'
      call demand '{"consumer":"/a","slots":3,  "key":"k"}'
      call demand '{"consumer": "/a", "slots": 4, "key": "k"}' 2>&1
      call release '{"consumer": "/a", "slots": 3, "key": "k"}' 2>&1
      kill -9 $SERVICE; wait $SERVICE 2> /dev/null; start || exit 5
      call demand '{"consumer": "/a", "slots": 4, "key": "k"}' 2>&1
      call demand '{"consumer": "/a", "slots": 3, "key": "k"}'
      call release '{"consumer": "/a", "slots": 11, "key": "l"}' 2>&1
      call demand '{"consumer": "/a", "slots": 5, "key": "l"}']])
    if not out then return end
    local other = 'key: event 1 came with "k" and said something else %[E%-key%]'
    assert.equal(3, select(2, out:gsub(other, "")), out)
    assert.equal('{"seq": 1}{"seq": 1}{"seq": 1}{"seq": 2}', (out:gsub("allot:[^\n]*", "")
      :gsub("[^{}]*(%b{})[^{}]*", "%1")), out)
  end)

  it("that sends a key is known by it for an hour, whenever that happened", function ()
    local out = run(PLAN, [[
      call demand '{"consumer": "/a", "slots": 3, "at": 1000, "key": "k"}'
      call demand '{"consumer": "/a", "slots": 4, "at": 5000, "key": "other"}'
      call demand '{"consumer": "/a", "slots": 3, "at": 1000, "key": "k"}'
      kill -9 $SERVICE; wait $SERVICE 2> /dev/null; start || exit 5
      call demand '{"consumer": "/a", "slots": 3, "at": 1000, "key": "k"}']])
    if out then
      assert.equal('{"seq": 1}\n{"seq": 2}\n{"seq": 1}\n{"seq": 1}\n', out)
    end
  end)
end)

local THREE = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 2, "grace": 3600}, {"name": "b", "owned": 3}, {"name": "c", "owned": 5}]}]]

describe("a leaf with reclaims in flight that gives slots back", function ()
  local world = live.world()
  local it_runs

  local function call(method, params)
    local told, fault = it_runs:call(method, params)
    return told and told or fault.message
  end

  --- Slots of what is in flight, the oldest first, and what /a is allocated.
  local function flights()
    local slots = {}
    for i, each in ipairs(call "flights".flights) do slots[i] = each.slots end
    return slots, call("state").consumers["/a"].allocated or 0
  end

  --- /a holds all ten slots, and then gives back 3 to /b and 4 to /c.
  before_each(function ()
    shell.write(world.folder .. "/plan.json", THREE)
    it_runs = world.start "--interval 0 --debounce 60000"
    for _, each in ipairs { { "/a", 10 }, { "/b", 3 }, { "/c", 4 } } do
      call("demand", { consumer = each[1], slots = each[2] })
      call "cycle"
    end
    local slots, allocated = flights()
    assert.same({ { 3, 4 }, 10 }, { slots, allocated })
  end)

  it("serves them with the slots that do not stay", function ()
    call("release", { consumer = "/a", slots = 3 })
    assert.same({ { 3, 4 }, 7 }, { flights() })
    call("release", { consumer = "/a", slots = 2 })
    assert.same({ { 1, 4 }, 5 }, { flights() })
    call("release", { consumer = "/a", slots = 4 })
    assert.same({ { 1 }, 1 }, { flights() })
    call("release", { consumer = "/a", slots = 1 })
    assert.same({ {}, 0 }, { flights() })
  end)

  it("serves them by what it declines, too", function ()
    call("decline", { consumer = "/a", slots = 5, ["until"] = call "ping".now + 3600 })
    assert.same({ { 1, 4 }, 5 }, { flights() })
  end)

  it("has them as they were where tasks hold the rest", function ()
    call("start", { id = "t", consumer = "/a", slots = 3 })
    call("release", { consumer = "/a", slots = 1 })
    assert.same({ { 2, 4 }, 9 }, { flights() })
    assert.equal("slots: found 7, allowed at most 6: 9 are allocated, its tasks hold 3",
                 call("release", { consumer = "/a", slots = 7 }))
    assert.same({ { 2, 4 }, 9 }, { flights() })
  end)
end)
