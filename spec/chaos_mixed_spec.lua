-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- kill -9 while everything happens: tasks, sessions, hosts, reclaims, jobs, loans and plans that
-- change; and a disk that fails without being full. All comes out again as it was recorded, also
-- from snapshots in the middle. ALLOT_CHAOS=full runs longer.

local dkjson = require "dkjson"
local shell = require "spec.support.shell"

local ROUNDS = os.getenv("ALLOT_CHAOS") == "full" and 100 or 6

local NAMESPACE = "unshare --user --map-root-user --pid --fork --kill-child --mount-proc "

describe("a service loses and repeats nothing", function ()
  local folder

  before_each(function ()
    folder = shell.directory()
  end)

  after_each(function ()
    shell.remove(folder)
  end)

  local function chaos(kind)
    if (shell.run(NAMESPACE .. "true >/dev/null 2>&1")) ~= 0 then
      pending("unshare is not allowed here: nothing was killed")
      return nil
    end
    local line = ("timeout 900 python3 -B spec/support/chaos_mixed.py %s %s %s %d %d"):format(kind,
      shell.allot, folder, ROUNDS, tonumber(os.getenv("ALLOT_SEED")) or 1)
    local status, out, err = shell.run("export ASAN_OPTIONS=detect_leaks=0; " .. NAMESPACE .. line)
    assert.equal(0, status, err .. out)
    return assert(dkjson.decode(out), out)
  end

  for kind, what in pairs {
    leaves = "that has tasks, sessions and hosts", loans = "that has loans", queues = "of jobs",
  } do
    it("when it is killed " .. what, function ()
      local told = chaos(kind)
      if told then
        assert.equal(ROUNDS, told.kills)
        assert.is_true(told.acknowledged > ROUNDS * 10 and told.events >= told.acknowledged)
        assert.is_true(told.decisions > ROUNDS and told.replayed >= told.decisions)
        assert.is_true(told.plans > 1)
        assert.is_true(kind == "queues" or told.reclaims > 0)
      end
    end)
  end

  it("when its disk fails", function ()
    local told = chaos("io")
    if told then
      assert.truthy(told.trouble:find("disk I/O error", 1, true), told.trouble)
      assert.is_true(told.events > 20 and told.replayed >= told.decisions)
    end
  end)
end)
