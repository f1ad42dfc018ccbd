-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Services that share a store in PostgreSQL, while network, server or clocks are as they should
-- not be: hostile.py. Four clients with keys and a subscriber lose nothing, in each case.
-- ALLOT_CHAOS=full: longer.

local heard = require "spec.support.house.heard"
local postgres = require "spec.support.service.postgres"
local service = require "spec.support.service.service"

local FULL = os.getenv("ALLOT_CHAOS") == "full" and " full" or ""
local DISK = "mkdir FOLDER/disk && mount -t tmpfs -o size=%dm tmpfs FOLDER/disk"

describe("services that share a store", function ()
  local function play(scenario, before)
    return postgres.play("hostile.py " .. scenario .. " %s %s %s" .. FULL, before)
  end

  --- Checks how many leaders there were.
  local function check(name, scenario, terms, more)
    it(name, function ()
      local told = play(scenario)
      if not told then return end
      assert.is_true(told.acknowledged > 100)
      assert.is_true(told.decisions > 0 and told.replayed >= told.decisions)
      assert.is_true(terms(told.terms), told.terms)
      if more then more(told) end
    end)
  end

  local function is(count) return function (terms) return terms == count end end

  check("acknowledge nothing by a leader that is cut off, and tell E-lost", "leader_cut",
    is(FULL ~= "" and 3 or 2), function (told)
      assert.equal("this service cannot reach its store, and may have been replaced", told.refused)
      heard(told.refused)
    end)
  check("wait for one that is cut off, if it is the last", "follower_cut", is(2))
  check("bear a slow network, and a server that stands still", "slow",
    function (terms) return terms <= 3 end)
  check("go by the server's clock", "clocks", is(FULL ~= "" and 9 or 3),
    function (told) assert.is_true(math.abs(told.ahead - 60) <= 5, told.ahead) end)
  check("go on with the server's synchronous standby once that is promoted", "promoted",
    function (terms) return terms <= 2 end)

  it("end where the standby that was promoted lacks what they acknowledged", function ()
    local told = play "went_back"
    if not told then return end
    assert.equal(5, told.status)
    assert.truthy(told.log:find "went back: its last batch is %d+, %d+ were acknowledged", told.log)
  end)

  for scenario, size in pairs { data_full = 64, log_full = 24 } do
    it("say so on a full disk, and go on when there is room: " .. scenario, function ()
      if service.is_allowed() and not service.is_allowed("mount -t tmpfs tmpfs /mnt") then
        return pending("tmpfs cannot be mounted here: no disk was full")
      end
      local told = play(scenario, DISK:format(size))
      if not told then return end
      assert.is_true(told.terms <= 2, told.terms)
      assert.is_true(scenario == "log_full" or told.trouble:find("No space left", 1, true) > 0,
        told.trouble)
    end)
  end
end)
