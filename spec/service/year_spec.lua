-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service that runs on stays within its bounds: memory, open files, and a store bounded by age
--- and by size. spec/support/service/year.py plays a month in accelerated time;
--- ALLOT_CHAOS=full: the year of core/service/README.md.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local FULL = os.getenv("ALLOT_CHAOS") == "full"
local MIB = 1048576

describe("a service", function ()
  local world = service.world()

  it("stays within its bounds however long it runs", function ()
    if shell.run "command -v cc" ~= 0 then return pending "no C compiler makes the clock" end
    local bound = FULL and 8 or 1
    local line = ("timeout 7000 python3 -B spec/support/service/year.py run %s %s/year %s"):format(
      shell.allot, world.folder, FULL and "" or
      "--days 30 --rate 0.02 --keep 7d,1M --samples 40")
    local out = world.run_line("sh -c " .. shell.quote(line))
    if not out then return end
    local told = assert(dkjson.decode(out), out)
    local most = told.most
    assert.is_true(told.events > 50000)
    assert.is_true(told.refused < told.events / 100)
    assert.is_true(told.replayed > 0)
    for half = 1, 2 do
      -- An eighth is let go at a time, and an eighth of the file may stay free.
      assert.is_true(most.file[half] < bound * MIB * 1.5, "the file has " .. most.file[half])
      assert.is_true(most.log[half] < 64 * MIB)
      assert.is_true(most.files[half] < 40)
      assert.is_true(most.versions[half] < 12 and most.plans[half] < 12)
    end
    assert.is_true(most.memory[2] < most.memory[1] * 1.5, "memory grows to " .. most.memory[2])
  end)
end)
