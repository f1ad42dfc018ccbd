-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A simulation counts use (C-14): who has used least comes first, unless that has faded.

local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 4, "half_life": %d, "policy": "least.lua",
  "consumers": [{"name": "g1"}, {"name": "g2"}]}]]
local LEAST = [[return policy { name = "least", quota = {
  fill "least" { by = 1, order = order { "usage" } } } }]]
local JOB = "%d %d -1 100 4 -1 -1 4 100 -1 1 %d 1 -1 -1 -1 -1 -1\n"

describe("use in a simulation", function ()
  local folder
  before_each(function () folder = shell.directory() end)
  after_each(function () shell.remove(folder) end)

  --- Who has slots at an instant: "g1 4".
  local function holders(half_life, at)
    shell.write(folder .. "/plan.json", PLAN:format(half_life))
    shell.write(folder .. "/least.lua", LEAST)
    shell.write(folder .. "/map.lua", 'return function (job) return "/g" .. job.user end')
    shell.write(folder .. "/log", JOB:format(1, 0, 1) .. JOB:format(2, 100, 2)
      .. JOB:format(3, 5000, 1) .. JOB:format(4, 5000, 2))
    local status, _, err = shell.command("simulate", folder .. "/plan.json", folder .. "/log",
      "--map", folder .. "/map.lua", "--samples", folder .. "/samples")
    assert.equal("", err)
    assert.equal(0, status)
    local out = {}
    local line = ("least,%d,default,/(g%%d),%%d+,(%%d+)"):format(at)
    for name, slots in shell.read(folder .. "/samples"):gmatch(line) do
      out[#out + 1] = name .. " " .. slots
    end
    return out
  end

  it("orders those that used more long ago before those that used as much just now", function ()
    -- both used 400 slot-seconds; those of g1 are older, and have faded more
    assert.same({ "g1 4", "g2 0" }, holders(1000, 5000))
  end)

  it("counts all alike where it does not fade, or is gone", function ()
    assert.same({ "g1 2", "g2 2" }, holders(0, 5000))
    assert.same({ "g1 2", "g2 2" }, holders(1, 5000))
  end)
end)

describe("users' use in a simulation", function ()
  local folder
  before_each(function () folder = shell.directory() end)
  after_each(function () shell.remove(folder) end)

  --- Who runs at 5000, of two users who used 400 slot-seconds each, the first long before.
  local function runs(half_life)
    shell.write(folder .. "/plan.json", ([[{"version": 1, "slots": 4, "half_life": %d,
      "policy": "least.lua", "queues": [{"name": "g1"}, {"name": "g2", "priority": 2}]}]])
      :format(half_life))
    shell.write(folder .. "/least.lua", [[return policy { name = "least", preempts = false,
      across = true, dispatch = order { "usage", desc "queue_priority" } }]])
    shell.write(folder .. "/map.lua", 'return function (job) return "/g" .. job.user end')
    shell.write(folder .. "/log", JOB:format(1, 0, 1) .. JOB:format(2, 3000, 2)
      .. JOB:format(3, 5000, 2) .. JOB:format(4, 5000, 1))
    local status, _, err = shell.command("simulate", folder .. "/plan.json", folder .. "/log",
      "--map", folder .. "/map.lua", "--samples", folder .. "/samples")
    assert.equal("", err)
    assert.equal(0, status)
    return shell.read(folder .. "/samples"):match "least,5000,default,/(g%d),%d+,4"
  end

  it("lets the one go first whose use has faded more", function ()
    assert.equal("g1", runs(1000))
  end)

  it("is equal for both where it does not fade, or is gone", function ()
    assert.equal("g2", runs(0))
    assert.equal("g2", runs(1))
  end)
end)
