-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Clients cannot make a service's memory grow. `spec/run` runs this on the release build, too,
--- whose size says something.

local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

describe("a service", function ()
  it("does not grow with clients that stop reading, nor wait for them", function ()
    local found = service.play "stalled"
    if not shell.is_sanitized() then
      assert.is_true(found.per_client < 1048576, found.per_client)
    end
    assert.equal(0, found.exit)
  end)
end)
