-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What becomes of reclaims without tasks when their leaf gives slots back by `release` and
--- `decline` rather than by `returned`.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
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
    shell.write(world.folder .. "/plan.json", PLAN)
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
