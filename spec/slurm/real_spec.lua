-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The bridge on a real Slurm with accounting, in namespaces of its own. Where Slurm's packages are
--- missing, or namespaces are, the spec says so.

local core = require "allot.core"
local least = require "spec.support.slurm.least"
local shell = require "spec.support.house.shell"

local NEEDED = { "munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "ip", "setpriv" }

local function missing()
  for _, program in ipairs(NEEDED) do
    if shell.run("command -v " .. program) ~= 0 then return program .. " is not there" end
  end
  if shell.run "unshare --pid --fork --mount --mount-proc --net --ipc true" ~= 0 then
    return "this machine allows no namespaces"
  end
end

describe("a real cluster", function ()
  local why = missing()
  if why then
    pending("lends, reclaims and survives kills: " .. why)
    return
  end

  it("lends, takes back for owners, and loses nothing when each process is killed", function ()
    local folder = shell.directory()
    shell.run("chmod 755 " .. folder)
    local allot = shell.lines("realpath " .. shell.allot)[1]
    local status, out, err = shell.run(("spec/support/slurm/cluster %s lua5.4 "
      .. "spec/support/slurm/scene.lua %s %s/scene"):format(folder, allot, folder))
    local found = {}
    for name, value in out:gmatch "(%S+) ([^\n]*)" do found[name] = value end
    local logs = select(2, shell.run(("tail -n 30 %s/scene/*.log"):format(folder)))
    local entries = {}
    for _, line in ipairs(shell.lines(("%s log --store %s/scene/plan.json.db --format json "
      .. "--lines 1000000"):format(allot, folder))) do
      entries[#entries + 1] = assert(core.decode(line))
    end
    shell.remove(folder)
    assert.equal(0, status, out .. err)
    local about = out .. logs
    for _, name in ipairs { "lent", "owner-served", "bridge-killed", "service-killed",
      "slurmctld-killed" } do
      assert.equal("true", found[name], name .. "\n" .. about)
    end
    assert.equal("sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16; sacctmgr -i -Q "
      .. "modify account where name=b set GrpTRES=cpu=12; sacctmgr -i -Q modify account where "
      .. "name=c set GrpTRES=cpu=4; ", found["dry-run"])
    assert.equal("2", found.requeues, about)
    assert.equal("18", found.borrower, about)
    assert.equal("32", found.most, about)
    assert.equal("0", found.lost, about)
    assert.equal("none", found.ceilings, about)
    local choices = least.of_log(entries, { ["/a"] = 16, ["/b"] = 12, ["/c"] = 4 }, 32)
    assert.is_true(#choices >= 4, about)
    for _, choice in ipairs(choices) do assert.equal(choice.fewest, choice.go, about) end
  end)
end)
