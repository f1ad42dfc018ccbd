-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Leaders of one store that are killed or stopped, and a database that is killed, under four
-- clients with keys and a subscriber: chaos_leaders.py. ALLOT_CHAOS=full: 500 times; the times
-- without a leader are then printed.

local dkjson = require "dkjson"
local postgres = require "spec.support.service.postgres"
local shell = require "spec.support.house.shell"

local ROUNDS = os.getenv("ALLOT_CHAOS") == "full" and 500 or 12

describe("leaders that are killed", function ()
  it("lose nothing, repeat nothing and leave no number out", function ()
    local missing = postgres.missing()
    if missing then return pending(missing) end
    if (shell.run(postgres.namespace() .. " true")) ~= 0 then
      return pending "unshare is not allowed here"
    end
    local folder = shell.directory()
    local status, out, err = shell.run(("export ASAN_OPTIONS=detect_leaks=0; timeout 3500 %s "
      .. "python3 -B spec/support/service/chaos_leaders.py %s %s %s %d"):format(
        postgres.namespace(), shell.allot, folder, postgres.bin(), ROUNDS))
    assert.equal(0, status, err .. out)
    shell.remove(folder)
    local told = assert(dkjson.decode(out), out)
    assert.equal(ROUNDS, told.harms)
    assert.is_true(told.acknowledged > ROUNDS * 10 and told.events >= told.acknowledged)
    assert.is_true(told.decisions > ROUNDS and told.replayed >= told.decisions)
    assert.is_true(told.terms > ROUNDS / 2)
    if ROUNDS > 12 then print(out) end
  end)
end)
