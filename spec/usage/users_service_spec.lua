-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A running service counts the use of jobs' users: event by event, over kills, replays and other
--- plans.

local live = require "spec.support.service.live"
local Random = require "allot.check.random"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "policy": "least.lua", "half_life": %d, "hosts": {"h": {"slots": 8}},
  "queues": [{"name": "high", "priority": 2, "qjob_limit": "75%%"}, {"name": "low"}]}]]
local LEAST = [[return policy { name = "least", preempts = false, across = true,
  dispatch = order { %s } }]]

describe("users' use in a service", function ()
  local world = live.world()
  local it_runs = service.it_ran(service.is_allowed)
  local WORDS = "--store db --debounce 60000 --interval 0"

  local function begin(half_life, keys)
    shell.write(world.folder .. "/plan.json", PLAN:format(half_life))
    shell.write(world.folder .. "/least.lua", LEAST:format(keys or '"usage", "submitted"'))
    return world.start(WORDS)
  end

  --- What the state keeps: slot-seconds, millionths and the time of both, by user.
  local function kept(it)
    local out = {}
    for name, row in pairs(assert(it:call "state").users or {}) do
      out[name] = ("%d.%06d at %s"):format(row.usage or 0, row.usage_rest or 0,
        row.usage_at or "none")
    end
    return out
  end

  local function tell(it, method, params)
    local told, fault = it:call(method, params)
    assert(told, fault and fault.message)
    return told
  end

  local function starts(it)
    local out = {}
    for i, order in ipairs(tell(it, "cycle", { full = true }).full.starts) do out[i] = order.job end
    return out
  end

  it_runs("is counted from event to event", function ()
    local it = begin(0)
    for i, user in ipairs { "ann", "bob", "ann" } do
      tell(it, "submit", { id = "j" .. i, queue = i == 3 and "high" or "low", user = user,
        slots = i, at = 900 })
    end
    tell(it, "run", { id = "j1", hosts = { h = 1 }, at = 1000 })
    tell(it, "run", { id = "j2", hosts = { h = 2 }, at = 1050 })
    tell(it, "run", { id = "j3", hosts = { h = 3 }, at = 1100 })
    assert.same({ ann = "100.000000 at 1100", bob = "0.000000 at 1050" }, kept(it))
    tell(it, "stop", { id = "j2", at = 1150 })
    tell(it, "submit", { id = "j4", queue = "low", user = "ann", at = 1160 }) -- no change
    tell(it, "finish", { id = "j1", at = 1200 })
    assert.same({ ann = "500.000000 at 1200", bob = "200.000000 at 1150" }, kept(it))
  end)

  it_runs("is the same after a kill, and in a replay", function ()
    local it, random = begin(3600), Random.new(7)
    local now, count, jobs = os.time() - 20000, 0, {}
    for _ = 1, 3 do
      for i = 1, 40 do
        now = now + random:int(0, 100)
        local job = random:once_in(2) and random:pick(jobs)
        if not job then
          count = count + 1
          job = { id = "j" .. count, state = "pending" }
          jobs[#jobs + 1] = job
          tell(it, "submit", { id = job.id, queue = random:pick { "high", "low" }, slots = 1,
            user = random:pick { "ann", "bob", "cy" }, at = now })
        elseif job.state == "pending" then
          job.state = "running"
          tell(it, "run", { id = job.id, hosts = { h = 1 }, at = now })
        else
          for k, other in ipairs(jobs) do
            if other == job then table.remove(jobs, k) break end
          end
          tell(it, "finish", { id = job.id, at = now })
        end
        if i % 7 == 0 then
          for _, id in ipairs(starts(it)) do
            for _, other in ipairs(jobs) do
              if other.id == id then other.state = "running" end
            end
          end
        end
      end
      local before = kept(it)
      assert.is_truthy(before.ann and before.bob and before.cy)
      world.kill()
      it = world.start(WORDS)
      assert.same(before, kept(it))
    end
    tell(it, "cycle")
    world.stop()
    local status, out = shell.command("replay", world.folder .. "/db", "--plan",
      world.folder .. "/plan.json")
    assert.equal(0, status, out)
    assert.truthy(out:find("as recorded", 1, true), out)
  end)

  it_runs("goes on by the next plan, and begins where a policy begins to read it", function ()
    local it = begin(0)
    tell(it, "submit", { id = "j1", queue = "low", user = "ann", slots = 4, at = 900 })
    tell(it, "run", { id = "j1", hosts = { h = 4 }, at = 1000 })
    tell(it, "submit", { id = "j2", queue = "low", user = "bob", slots = 1, at = 1000 })
    tell(it, "run", { id = "j2", hosts = { h = 1 }, at = 1050 })
    tell(it, "finish", { id = "j1", at = 1100 })
    assert.equal("400.000000 at 1100", kept(it).ann)
    shell.write(world.folder .. "/plan.json", (PLAN:format(0):gsub("75%%", "80%%")))
    tell(it, "reload")
    assert.same({ ann = "400.000000 at 1100", bob = "0.000000 at 1050" }, kept(it))
    shell.write(world.folder .. "/least.lua", LEAST:format '"submitted"')
    tell(it, "reload")
    assert.same({}, kept(it))
    shell.write(world.folder .. "/least.lua", LEAST:format '"usage", "submitted"')
    tell(it, "reload")
    local now = kept(it)
    assert.is_nil(now.ann)
    local at = tonumber(now.bob:match "^0.000000 at (%d+)$")
    assert.is_true(at > 1100)
    tell(it, "cycle") -- the first by the next plan
    tell(it, "finish", { id = "j2", at = at + 10 })
    assert.equal(("10.000000 at %d"):format(at + 10), kept(it).bob)
    world.kill()
    assert.equal(("10.000000 at %d"):format(at + 10), kept(world.start(WORDS)).bob)
  end)

  it_runs("and limits in percent (P-27) decide as hosts come and go, and after a kill", function ()
    local it = begin(0)
    for i = 1, 12 do
      tell(it, "submit", { id = "j" .. i, queue = "high", user = i > 6 and "ann" or "bob",
        slots = 1, at = 900 + i })
    end
    tell(it, "host", { name = "i", slots = 4 })
    tell(it, "host", { name = "h", closed = "drain" })
    assert.same({ "j1", "j2", "j3" }, starts(it)) -- 75 % of 4
    assert.same({}, starts(it))
    world.kill()
    it = world.start(WORDS)
    tell(it, "host", { name = "h", closed = false })
    assert.equal(6, #starts(it)) -- 75 % of 12, less those 3
    world.stop()
    local status, out = shell.command("replay", world.folder .. "/db", "--plan",
      world.folder .. "/plan.json")
    assert.equal(0, status, out)
  end)
end)
