-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot bench --shape reload`: what it says of a few edits must add up. How soon they decide
-- nobody promises here: others compute beside it.

local dkjson = require "dkjson"
local shell = require "spec.support.house.shell"

describe("edits of a running service", function ()
  it("are measured, and leave nothing behind", function ()
    local folder = shell.directory()
    local status, out, err = shell.run(
      ("TMPDIR=%s %s bench --shape reload/1/2000 --format json"):format(folder, shell.allot))
    local left = shell.lines("ls -A " .. folder)
    shell.remove(folder)
    assert.equal(0, status, err .. out)
    assert.same({}, left)
    local told = assert(dkjson.decode(out), out)
    assert.equal("allot/bench-reload/v1", told.schema)
    assert.same({ 100000, 2000 }, { told.consumers, told.tasks })
    for _, kind in ipairs { "policy", "plan" } do
      local of = told[kind]
      assert.equal(1, of.count)
      assert.is_true(of.decides_ms.p50 <= of.decides_ms.max)
      -- Nothing is taken before files have been quiet for so long.
      assert.is_true(of.decides_ms.p50 > told.limits.quiet_ms)
      assert.is_true(of.swap_ms > 0 and of.away_ms > 0 and of.busy_ms > 0)
    end
    assert.is_true(told.limits.read_ms > told.limits.cycle_ms and told.limits.cycle_ms > 0)
  end)

  it("have shapes of their own alone", function ()
    for _, shape in ipairs { "reload/", "reload/0", "reload/1/x", "reloads", "reload/1/100001" } do
      local status, _, err = shell.command("bench", "--shape", shape)
      assert.equal(2, status)
      assert.truthy(err:find("there is no shape " .. shape, 1, true), err)
    end
  end)
end)
