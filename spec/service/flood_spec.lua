-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service whose viewers and clients flood it, or stop reading: memory stays bounded, others are
-- served, and who comes back is told what it missed. `spec/run` runs this on the release build,
-- too, whose size says something.

local json = require "dkjson"
local live = require "spec.support.service.view"
local scenarios = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local SIZES = not shell.is_sanitized()

describe("a service", function ()
  local service

  before_each(function () if live.there() then service = live.start(nil, "--interval 0") end end)
  after_each(function () if service then service:stop() end end)

  local function flood(name, scenario, count, test)
    it(name, function ()
      if not service then return pending "LuaSocket is not installed" end
      local line = "timeout 600 python3 -B spec/support/service/flood.py %s %s %d %s %d"
      local status, out, err = shell.run(line:format(scenario, service.pid, service.port,
        service.socket, count))
      assert.equal(0, status, err)
      test(assert(json.decode(out), out))
    end)
  end

  flood("tells a viewer that stopped reading the newest, and how much it missed", "stops_reading",
    600, function (told)
      if SIZES then assert.is_true(told.grown < 8 * 2 * 1024 * 1024, told.grown) end
      assert.equal(told.newest, told.seq)
      -- Each decision is told, or counted as missed.
      assert.equal(told.wanted, told.told + told.missed)
      assert.is_true(told.missed > 0)
      assert.equal(200, told.well)
    end)

  flood("is not moved by viewers that talk without end", "floods", 400, function (told)
    if SIZES then assert.is_true(told.grown < 32 * 1024 * 1024, told.grown) end
    assert.is_true(told.sent > 1000000, told.sent)
    assert.equal(400, told.answers)
    assert.equal(200, told.well)
  end)

  flood("answers all that is asked at once", "pipelines", 2000, function (told)
    assert.equal(2000, told.answers)
  end)

  -- Those whose requests do not come are still there: nobody had to wait until they are given up.
  flood("says that it is well beside 700 who never end what they ask", "half_open", 700,
    function (told)
      assert.equal(200, told.well)
      assert.is_true(told.waiting > 500, told.waiting)
    end)

  flood("owes a client some answers at a time, however many are asked for", "reloads", 1500,
    function (told)
      if SIZES then assert.is_true(told.grown < 1024 * 1024, told.grown) end
      assert.equal(1500, told.answers)
    end)

  flood("makes one long answer at a time for a client", "greedy", 300, function (told)
    if SIZES then assert.is_true(told.grown < 32 * 1024 * 1024, told.grown) end
    assert.equal(300, told.answers)
    assert.is_true(told.same)
    assert.is_true(told.long >= 400)
  end)
end)

describe("a service", function ()
  it("does not grow with clients that stop reading, nor wait for them", function ()
    local found = scenarios.play "stalled"
    if SIZES then assert.is_true(found.per_client < 1048576, found.per_client) end
    assert.equal(0, found.exit)
  end)
end)
