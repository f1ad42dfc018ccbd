-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A site's way from nothing: examples/slurm/README.md is followed word by word on a real cluster.
--
-- ALLOT_BARE=FOLDER does the same in a bare Debian, with Slurm from there and the packages of allot
-- in FOLDER, as cpack makes them (two minutes).

local missing = require "spec.support.slurm.missing"
local shell = require "spec.support.house.shell"

local NEEDED = { "munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "ip", "setpriv" }
local WALK = [[
import 0
imported 0
month 2 jobs
dry-run sacctmgr -i -Q modify account where name=a set GrpTRES=cpu=16; ]]
  .. [[sacctmgr -i -Q modify account where name=b set GrpTRES=cpu=12; ]]
  .. [[sacctmgr -i -Q modify account where name=c set GrpTRES=cpu=4; 0
operator 0
live 0
lent true
owner-served true
requeues 3
lost 0
status true
open 0
ceilings none
blocks-left 0
]]

describe("a site's way from nothing", function ()
  local function walked(command)
    local folder = shell.directory()
    shell.run("chmod 755 " .. folder)
    local status, out, err = shell.run(command:gsub("FOLDER", folder))
    shell.remove(folder)
    assert.equal(0, status, out .. err)
    assert.equal(WALK, out, err)
  end

  it("is what examples/slurm/README.md says, on this machine", function ()
    local why = missing(NEEDED)
    if why then return pending(why) end
    walked("spec/support/slurm/cluster FOLDER lua5.4 spec/support/slurm/walk.lua "
      .. shell.lines("realpath " .. shell.allot)[1] .. " FOLDER/walk")
  end)

  it("is what examples/slurm/README.md says, in a bare Debian", function ()
    local packages = os.getenv "ALLOT_BARE"
    local why = not packages and "ALLOT_BARE is not set" or missing { "debootstrap" }
    if why then return pending(why) end
    walked("spec/support/slurm/bare FOLDER " .. packages)
  end)
end)
