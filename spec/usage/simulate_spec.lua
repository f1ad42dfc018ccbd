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

  --- The table of consumers, each row's numbers by column, and all that is printed. g1 used 800
  --- slot-seconds, g2 400.
  local function shown(keys, consumers, fill, words)
    shell.write(folder .. "/plan.json", ('{"version": 1, "slots": 4, %s "policy": "least.lua", '
      .. '"consumers": [{"name": "g1", %s}, {"name": "g2", %s}]}'):format(keys,
      table.unpack(consumers)))
    shell.write(folder .. "/least.lua", ('return policy { name = "least", quota = { %s, '
      .. 'fill "least" { by = 1, order = order { "used_over_share" } } } }'):format(fill))
    shell.write(folder .. "/map.lua", 'return function (job) return "/g" .. job.user end')
    shell.write(folder .. "/log", JOB:format(1, 0, 1) .. JOB:format(2, 1000, 1)
      .. JOB:format(3, 5000, 2))
    local status, out = shell.command("simulate", folder .. "/plan.json", folder .. "/log",
      "--map", folder .. "/map.lua", table.unpack(words or {}))
    assert.equal(0, status)
    local rows = {}
    for name, numbers in out:gmatch "\n/(g%d) ([^\n]*)" do rows[name] = numbers end
    return rows, out
  end

  it("is shown beside what the plan states: its share, or what it owns (C-14)", function ()
    local shares = { '"share": 3', '"share": 1' }
    local rows, out = shown('"half_life": 60,', shares, 'fill "none" { by = 1, up_to = 0 }')
    assert.matches("\nconsumer +jobs busy %% used %% plan %% ", out)
    assert.matches("^ +2 +%d+%.%d +66%.7 +75%.0 ", rows.g1)
    assert.matches("^ +1 +%d+%.%d +33%.3 +25%.0 ", rows.g2)
    rows = shown('"half_life": 60,', { '"owned": 1, "share": 9', '"owned": 3' },
      'fill "owned" { by = "owned", up_to = "owned" }')
    assert.matches("^ +2 +%d+%.%d +66%.7 +25%.0 ", rows.g1)
    -- a policy without ownership goes by shares, whatever is owned
    rows = shown('"half_life": 60,', { '"owned": 1, "share": 3', '"owned": 3' },
      'fill "none" { by = 1, up_to = 0 }')
    assert.matches("^ +2 +%d+%.%d +66%.7 +75%.0 ", rows.g1)
    local words = { "--policy", folder .. "/least.lua", "--policy", "hybrid", "--jobs" }
    words[6] = "1"
    local _, one = shown('"half_life": 60,', shares, 'fill "none" { by = 1, up_to = 0 }', words)
    words[6] = "2"
    local _, two = shown('"half_life": 60,', shares, 'fill "none" { by = 1, up_to = 0 }', words)
    assert.equal(one, two)
  end)

  it("is not shown where the plan does not count it", function ()
    shell.write(folder .. "/plan.json", '{"version": 1, "slots": 4, "consumers": '
      .. '[{"name": "g1", "owned": 4}]}')
    shell.write(folder .. "/log", JOB:format(1, 0, 1))
    local _, out = shell.command("simulate", folder .. "/plan.json", folder .. "/log")
    assert.matches("\nconsumer +jobs busy %% +wait s ", out)
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
