-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What happens to a service in the world: it is killed, its disk is full or fails, its policies
-- are torn, its clients are deaf or talk nonsense. Nothing that was acknowledged is lost, no
-- decision is repeated or left out, and it stays up.
--
-- Each runs in a PID namespace of its own, so that nothing outlives it. ALLOT_CHAOS=full runs them
-- longer.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local FULL = os.getenv("ALLOT_CHAOS") == "full"

describe("a service", function ()
  local world = service.world()

  --- Runs a scenario and gives what it counted; nil where the system does not allow it.
  local function chaos(scenario, count, before)
    local line = ("%s timeout 7200 python3 -B spec/support/service/chaos.py %s %s %s %d"):format(
      before or "", scenario, shell.allot, world.folder, count)
    local out = world.run_line("sh -c " .. shell.quote(line))
    return out and assert(dkjson.decode(out), out)
  end

  it("that is killed under load loses and repeats nothing", function ()
    local rounds = FULL and 10000 or 20
    local told = chaos("kill", rounds)
    if not told then
      return
    end
    assert.equal(rounds, told.kills)
    assert.is_true(told.acknowledged > rounds)
    assert.is_true(told.events >= told.acknowledged)
    assert.is_true(told.decisions > rounds / 2)
    assert.is_true(told.replayed >= told.decisions)
    assert.is_true(told.silent > 0 and told.silent < rounds * 0.7, told.silent)
    if FULL then print(dkjson.encode(told)) end
  end)

  it("whose disk is full acknowledges nothing, says so, and recovers", function ()
    local mount = "mkdir %s/disk && mount -t tmpfs -o size=24m tmpfs %s/disk &&"
    if service.is_allowed() and not service.is_allowed("mount -t tmpfs -o size=24m tmpfs /mnt") then
      return pending("tmpfs cannot be mounted here: no disk was full")
    end
    local told = chaos("disk_full", 1, mount:format(world.folder, world.folder))
    if told then
      assert.truthy(told.trouble:find("full", 1, true), told.trouble)
      assert.is_true(told.events > 20)
    end
  end)

  it("whose disk fails does so, too", function ()
    local told = chaos("disk_fails", 1)
    if told then
      assert.truthy(told.trouble:find("disk I/O error", 1, true), told.trouble)
      assert.is_true(told.events > 20)
    end
  end)

  -- Tasks, sessions, hosts, reclaims, loans, jobs, plans that change, whole truths: chaos_mixed.py.
  for _, kind in ipairs { "leaves", "loans", "queues" } do
    it("of " .. kind .. " that is killed while all happens loses and repeats nothing", function ()
      local rounds = FULL and 100 or 6
      local line = "timeout 900 python3 -B spec/support/service/chaos_mixed.py %s %s %s %d %d"
      local out = world.run_line(line:format(kind, shell.allot, world.folder, rounds,
        tonumber(os.getenv("ALLOT_SEED")) or 1))
      local told = out and assert(dkjson.decode(out), out)
      if told then
        assert.equal(rounds, told.kills)
        assert.is_true(told.acknowledged > rounds * 10 and told.events >= told.acknowledged)
        assert.is_true(told.decisions > rounds and told.replayed >= told.decisions)
        assert.is_true(told.plans > 1)
        assert.is_true(told.truths > rounds)
        assert.equal(rounds // 2, told.kills_in_calls)
        assert.is_true(kind == "queues" or told.reclaims > 0)
      end
    end)
  end

  it("serves others while 500 clients do not read", function ()
    local told = chaos("deaf", FULL and 900 or 500)
    if told then
      -- What wire.h promises of each, and what it takes to answer the others.
      assert.is_true(told.grown < told.clients * 1024 * 1024, told.grown)
      assert.is_true(told.acknowledged >= 100)
    end
  end)

  it("is not moved by garbage, or by a line of a gigabyte", function ()
    local told = chaos("garbage", FULL and 20 or 2)
    if told then
      assert.is_true(told.errors > 10)
      assert.is_true(told.grown < 32 * 1024 * 1024, told.grown)
      assert.truthy(told.answer:find("a line has at most 1048576 bytes", 1, true), told.answer)
    end
  end)

  it("goes by whole policies, however they are written", function ()
    local told = chaos("torn", FULL and 100 or 12)
    if told then
      local path = world.folder .. "/last.lua"
      shell.write(path, told.text)
      assert.equal(shell.lines("sha256sum " .. path)[1]:match("^%x+"), told.last)
      assert.is_true(told.policies > 1 and told.policies <= told.rounds + 1)
    end
  end)
end)
