-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The bridge on a real Slurm with accounting, in namespaces of its own. Where Slurm's packages are
--- missing, or namespaces are, the spec says so.

local core = require "allot.core"
local least = require "spec.support.slurm.least"
local missing = require "spec.support.slurm.missing"
local shell = require "spec.support.house.shell"

local NEEDED = { "munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "ip", "setpriv" }

describe("a real cluster", function ()
  local why = missing(NEEDED)
  if why then
    pending("lends, reclaims and survives kills: " .. why)
    return
  end

  -- Both scenes run at once: what they print, their logs, and the log of the first one's service.
  local found, about, entries = {}, "", {}

  setup(function ()
    local folder = shell.directory()
    shell.run("chmod 755 " .. folder)
    local allot = shell.lines("realpath " .. shell.allot)[1]
    local scene = ("lua5.4 spec/support/slurm/%%s.lua %s %s/%%s"):format(allot, folder)
    local status, out, err = shell.run(("ALLOT_GPUS=yes spec/support/slurm/cluster %s "
      .. "sh -c '%s & %s %s/groups/done; wait'"):format(folder, scene:format("groups", "groups"),
      scene:format("scene", "scene"), folder))
    for name, value in out:gmatch "(%S+) ([^\n]*)" do found[name] = value end
    about = out .. err .. select(2, shell.run(("tail -n 30 %s/*/*.log"):format(folder)))
    for _, line in ipairs(shell.lines(("%s log --store %s/scene/plan.json.db --format json "
      .. "--lines 1000000"):format(allot, folder))) do
      entries[#entries + 1] = assert(core.decode(line))
    end
    shell.remove(folder)
    assert.equal(0, status, about)
  end)

  local function came(values)
    for name, value in pairs(values) do
      assert.equal(tostring(value), found[name], name .. "\n" .. about)
    end
  end

  it("lends, takes back for owners, and loses nothing when each process is killed", function ()
    came { lent = true, ["owner-served"] = true, ["bridge-killed"] = true,
      ["service-killed"] = true, ["slurmctld-killed"] = true, requeues = 2, borrower = 18,
      most = 32, lost = 0, ceilings = "none",
      ["dry-run"] = "sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16; sacctmgr -i -Q "
        .. "modify account where name=b set GrpTRES=cpu=12; sacctmgr -i -Q modify account where "
        .. "name=c set GrpTRES=cpu=4; " }
  end)

  it("takes the fewest jobs that would do, by a search", function ()
    local choices = least.of_log(entries, { ["/a"] = 16, ["/b"] = 12, ["/c"] = 4 }, 32)
    assert.is_true(#choices >= 4, about)
    for _, choice in ipairs(choices) do assert.equal(choice.fewest, choice.go, about) end
  end)

  it("lends and takes back CPUs, GPUs and memory of a partition", function ()
    came { ["group-ceilings"] = "cpu=8,gres/gpu=2,mem=4G", ["gpus-lent"] = true,
      ["gpus-back"] = true, ["gpus-borrower"] = 2, ["gpus-requeues"] = 2, ["memory-lent"] = true,
      ["memory-back"] = true, ["memory-borrower"] = 1 }
  end)
end)
