-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A candidate decides beside the live policy of a real service.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "fair.lua",
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 4}]}
]]
local FAIR = 'return policy { name = "fair", quota = { fill "all" { by = "share" } } }\n'
local EVEN = 'return policy { name = "even", quota = { fill "all" { by = 1 } } }\n'
local FRAGILE = [[
return policy { name = "fragile", quota = { fill "all" {
  by = function (demand) return 100 // (demand == 77 and 0 or 1) end } } }
]]

describe("a shadow", function ()
  local world = live.world()
  local folder, it_runs

  before_each(function ()
    folder = world.folder
    shell.write(folder .. "/plan.json", PLAN)
    shell.write(folder .. "/fair.lua", FAIR)
    shell.write(folder .. "/even.lua", EVEN)
    shell.write(folder .. "/fragile.lua", FRAGILE)
    it_runs = world.start()
    it_runs:call("demand", { consumer = "/a", slots = 9 })
    it_runs:call("demand", { consumer = "/b", slots = 9 })
    it_runs:call "cycle"
  end)

  --- Cycles, one after another, until what the shadow did is as wanted.
  local function cycle_until(test)
    it_runs:wait(function (status)
      if test(status.shadow) then return true end
      it_runs:call "cycle"
      return false
    end)
    return it_runs:status()
  end

  it("is told of where it differs, and decides nothing", function ()
    local before = it_runs:status()
    assert.equal("shadowing", it_runs:call("shadow", { policy = "even.lua" }).result)
    local status = cycle_until(function (shadow) return shadow.differ > 2 end)
    local shadow = status.shadow
    assert.same({ "running", "even.lua", 0 }, { shadow.state, shadow.policy, shadow.failed })
    assert.same({ { path = "/a", live = 2, shadow = 5 }, { path = "/b", live = 8, shadow = 5 } },
      shadow.last.quotas)
    assert.equal(2 * shadow.differ, shadow.rows.consumers)
    assert.equal(before.decision, status.decision)
    assert.equal("fair", status.plan.policy)
  end)

  it("may be of another plan", function ()
    shell.write(folder .. "/other.json", (PLAN:gsub('"share": 4', '"share": 9')))
    assert.equal("shadowing", it_runs:call("shadow", { plan = "other.json" }).result)
    local shadow = cycle_until(function (it) return it.differ > 0 end).shadow
    assert.same({ path = "/a", live = 2, shadow = 1 }, shadow.last.quotas[1])
    local _, refused = it_runs:call "promote"
    assert.equal("E-unsupported", refused.data.code)
  end)

  it("that fails is stopped, and costs the live policy nothing", function ()
    it_runs:call("shadow", { policy = "fragile.lua" })
    cycle_until(function (shadow) return shadow.cycles > 0 end)
    it_runs:call("demand", { consumer = "/a", slots = 77 })
    local status = cycle_until(function (shadow) return shadow.state == "stopped" end)
    assert.equal(3, status.shadow.failed)
    assert.same({ "fragile.lua", 2 }, { status.shadow.error.file, status.shadow.error.line })
    assert.equal(0, status.since_start.failed_cycles)
    assert.equal("dropped", it_runs:call "drop".result)
    assert.is_nil(it_runs:status().shadow)
  end)

  it("goes on beside what is reloaded", function ()
    it_runs:call("shadow", { policy = "even.lua" })
    cycle_until(function (shadow) return shadow.differ > 0 end)
    shell.write(folder .. "/fair.lua", (EVEN:gsub('"even"', '"like"')))
    assert.equal("swapped", it_runs:call "reload".result)
    local shadow = cycle_until(function (it) return it.state == "running" end).shadow
    local differed, cycles = shadow.differ, shadow.cycles
    shadow = cycle_until(function (it) return it.cycles > cycles + 2 end).shadow
    assert.equal(differed, shadow.differ)
  end)

  it("is promoted, until the plan says otherwise", function ()
    it_runs:call("shadow", { policy = "even.lua" })
    assert.equal("swapped", it_runs:call "promote".result)
    local status = it_runs:status()
    assert.same({ "even", "even.lua" }, { status.plan.policy, status.reload.active.promoted })
    assert.is_nil(status.shadow)
    shell.write(folder .. "/even.lua", (EVEN:gsub('"even"', '"even2"')))
    it_runs:wait_policy "even2"
    shell.write(folder .. "/plan.json", (PLAN:gsub('"slots": 10', '"slots": 20')))
    it_runs:wait_policy "fair"
    assert.is_nil(it_runs:status().reload.active.promoted)
  end)

  it("says what it cannot do", function ()
    for _, case in ipairs {
      { "shadow", nil, "E-missing" }, { "shadow", { policy = "none.lua" }, "E-io" },
      { "shadow", { policy = "hybird" }, "E-unknown-policy" }, { "drop", nil, "E-no-shadow" },
      { "promote", nil, "E-no-shadow" }, { "shadow", { polcy = "hybrid" }, "E-unknown-key" },
    } do
      local result, refused = it_runs:call(case[1], case[2])
      assert.is_nil(result)
      assert.equal(case[3], refused.data.code)
    end
    assert.is_nil(it_runs:status().shadow)
  end)
end)
