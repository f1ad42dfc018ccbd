-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan that changed while a service ran, and the store of one that was killed soon after: rows
-- from before may name whom the plan lacks, since a snapshot is written bit by bit behind the swap.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "b", "owned": 5},
  {"name": "a", "owned": 5}]}
]]
-- Whoever is dropped had slots and tasks once, and has nothing now.
local DROP = [[
  tell() { call "$1" "$2" > /dev/null || exit 97; }
  tell demand '{"consumer": "/b", "slots": 3}'; tell cycle '{}'
  tell start '{"id": 1, "consumer": "/b"}'; tell demand '{"consumer": "/b", "slots": 0}'
  tell finish '{"id": 1}'; tell release '{"consumer": "/b", "slots": 2}'
  tell demand '{"consumer": "/a", "slots": 4}'
  sed -i '/"name": "b"/d' "$PLAN"
  call reload > "$DIR/reload"
]]
-- Takes the snapshots of the plan that took over out of the store, as if there had been no time.
local UNDO = [[
  python3 - "$STORE" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
last = db.execute("SELECT plan FROM cycles ORDER BY cycle DESC LIMIT 1").fetchone()[0]
db.execute("DELETE FROM snapshots WHERE plan = ?", (last,))
db.commit()
END
]]

-- A part behind the last one of each snapshot, as if one before had been given up by a crash.
local STALE = [[
  python3 - "$STORE" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO snapshots(event, cycle, part, parts, seq, at, plan, body)"
           " SELECT event, cycle, part + 1, 0, seq, at, plan, 'no line' FROM snapshots"
           " WHERE part = parts - 1")
db.commit()
END
]]

describe("a plan that lacks whom the store's rows name", function ()
  local folder

  before_each(function () folder = shell.directory() end)
  after_each(function () shell.remove(folder) end)

  local function play(script)
    if not service.is_allowed() then return pending "unshare is not allowed here" end
    local status, _, err = service.run(folder, PLAN, script)
    assert.equal(0, status, err)
    assert.equal("swapped", dkjson.decode(shell.read(folder .. "/reload")).result)
    return dkjson.decode(shell.read(folder .. "/status"))
  end

  for name, pause in pairs { ["at once"] = "", ["behind a cycle"] = "call cycle > /dev/null;" } do
    it("is no loss when the service is killed " .. name, function ()
      local status = play("start --no-watch;" .. DROP .. pause
        .. "kill -9 $SERVICE; wait $SERVICE\n" .. UNDO
        .. 'start --no-watch; call status > "$DIR/status"; stop')
      if status then
        assert.equal(1, status.books.consumers)
        assert.equal(6, status.event)
        -- What was decided lately is known to whoever tries the next version.
        assert.is_true(status.reload.recorded > 0)
      end
    end)
  end

  it("stands in no snapshot behind, and the record is computed again", function ()
    local status = play("start --no-watch;" .. DROP .. [[
      call cycle > /dev/null; stop; start --no-watch; call status > "$DIR/status"; stop
      "$ALLOT" replay "$STORE" > "$DIR/replay"]])
    if status then
      assert.equal(1, status.books.consumers)
      assert.truthy(shell.read(folder .. "/replay"):find("as recorded", 1, true),
                    shell.read(folder .. "/replay"))
    end
  end)

  it("is restored from whole snapshots alone", function ()
    local status = play("start --no-watch;" .. DROP .. "call cycle > /dev/null; stop\n" .. STALE
      .. 'start --no-watch; call status > "$DIR/status"; stop')
    if status then
      assert.same({ 1, 6 }, { status.books.consumers, status.event })
    end
  end)
end)
