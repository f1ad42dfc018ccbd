-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Leaders of one store that are killed, stopped or cut off, and a database that is killed, under
-- four clients with keys and a subscriber: chaos_leaders.py. ALLOT_CHAOS=full: 576 times, 504 of
-- them kills; how long nothing was acknowledged is then printed.

local postgres = require "spec.support.service.postgres"

local ROUNDS = os.getenv("ALLOT_CHAOS") == "full" and 576 or 12

describe("leaders that are killed", function ()
  it("lose nothing, repeat nothing and leave no number out", function ()
    local told, out = postgres.play("chaos_leaders.py %s %s %s " .. ROUNDS)
    if not told then return end
    assert.equal(ROUNDS, told.harms)
    assert.equal(ROUNDS == 12 and 9 or 504, told.kills)
    assert.is_true(told.acknowledged > ROUNDS * 10 and told.events >= told.acknowledged)
    assert.is_true(told.decisions > ROUNDS and told.replayed >= told.decisions)
    assert.is_true(told.terms > ROUNDS / 2)
    -- Each client was answered by most leaders, and each of them told the subscriber.
    assert.is_true(told.followed > told.terms * 0.9 and told.resumed > told.terms * 0.9, out)
    if ROUNDS > 12 then print(out) end
  end)
end)
