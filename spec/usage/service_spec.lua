-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A running service counts use: event by event, over kills, replays and other plans.

local live = require "spec.support.service.live"
local Random = require "allot.check.random"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 100, "policy": "fair.lua", "half_life": %d, "consumers": [
  {"name": "a", "children": [{"name": "x"}, {"name": "y"}]}, {"name": "b"}]}]]
local FAIR = [[return policy { name = "fair", quota = {
  fill "owed" { by = function (usage, share) return 1000000 * share // (1 + usage) + 1 end } } }]]

describe("use in a service", function ()
  local world = live.world()
  local it_runs = service.it_ran(service.is_allowed)
  local WORDS = "--store db --debounce 1"

  local function begin(half_life)
    shell.write(world.folder .. "/plan.json", PLAN:format(half_life))
    shell.write(world.folder .. "/fair.lua", FAIR)
    return world.start(WORDS)
  end

  --- What the state keeps: slot-seconds, millionths and the time of both, by path.
  local function kept(it)
    local out = {}
    for path, row in pairs(assert(it:call "state").consumers or {}) do
      out[path] = ("%d.%06d at %s"):format(row.usage or 0, row.usage_rest or 0,
        row.usage_at or "none")
    end
    return out
  end

  local function set(it, path, slots, at)
    assert(it:call("allocated", { consumer = path, slots = slots, at = at }))
  end

  it_runs("is counted from event to event", function ()
    local it = begin(100)
    set(it, "/a/x", 4, 1000)
    set(it, "/b", 7, 1050)
    set(it, "/a/x", 0, 1100)
    set(it, "/b", 8, 1150)
    -- 4 * (1 - 1/2) / (1 - 2^(-1/100)), and 7 of it likewise
    local sum = 0.5 / (1 - 2 ^ -0.01)
    assert.equal(("%.6f at 1100"):format(4 * sum), kept(it)["/a/x"])
    assert.equal(("%.6f at 1150"):format(7 * sum), kept(it)["/b"])
    set(it, "/b", 8, 1250) -- no change
    set(it, "/a/x", 1, 1200)
    assert.equal(("%.6f at 1200"):format(2 * sum), kept(it)["/a/x"])
    assert.equal(("%.6f at 1150"):format(7 * sum), kept(it)["/b"])
  end)

  it_runs("is in the whole decisions of a stream of cycles", function ()
    local it, used, held = begin(0), 0, 0
    local function row(path)
      for _, each in ipairs(it:call("cycle", { full = true }).full.groups.default.consumers) do
        if each.path == path then return each end
      end
    end
    for at, slots in ipairs { 4, 0, 9, 2, 0 } do
      set(it, "/a/x", slots, 1000 + 10 * at)
      used, held = used + 10 * held, slots
      if slots == 0 then
        assert.same({ used, used, 0 }, { row "/a/x".usage, row "/a".usage, row "/b".usage })
      end
    end
    assert.equal(150, used)
  end)

  it_runs("is the same after a kill, and in a replay", function ()
    local it, random = begin(3600), Random.new(7)
    local at, paths = 1000, { "/a/x", "/a/y", "/b" }
    for _ = 1, 3 do
      for i = 1, 40 do
        at = at + random:int(0, 500)
        set(it, random:pick(paths), random:int(0, 30), at)
        if i % 7 == 0 then assert(it:call "cycle") end
      end
      local before = kept(it)
      assert.equal(3, #(function (list) for path in pairs(before) do list[#list + 1] = path end
        return list end) {})
      world.kill()
      it = world.start(WORDS)
      assert.same(before, kept(it))
    end
    assert(it:call "cycle")
    world.stop()
    local status, out = shell.command("replay", world.folder .. "/db", "--plan",
      world.folder .. "/plan.json")
    assert.equal(0, status, out)
    assert.truthy(out:find("as recorded", 1, true), out)
  end)

  it_runs("goes on by the half-life of the next plan", function ()
    local it = begin(1000000000)
    set(it, "/a/x", 4, 1000)
    set(it, "/a/x", 0, 1100)
    set(it, "/b", 3)
    local began, before = os.time(), kept(it)["/a/x"]
    assert.equal("399.999986 at 1100", before)
    shell.write(world.folder .. "/plan.json", PLAN:format(1))
    assert(it:call "reload")
    local left, at = kept(it)["/a/x"]:match "^(%S+) at (%d+)$"
    assert.is_true(math.abs(at - began) < 60)
    assert.equal(("%.3f"):format(400 * 2 ^ (-(at - 1100) / 1e9)), ("%.3f"):format(left))
    before = kept(it)
    world.kill()
    it = world.start(WORDS)
    assert.same(before, kept(it))
  end)
end)
