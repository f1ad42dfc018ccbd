-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/slurm/README.md word by word on a real cluster: its plan, and its blocks of shell in
--- their order, with jobs in between. It prints what came of it, "NAME VALUE" a line, and is run by
--- spec/support/slurm/cluster.

package.path = "./?.lua;" .. package.path
local real = require "spec.support.slurm.real"

local put, used, until_it, sleeper = real.put, real.used, real.until_it, real.sleeper

local file = assert(io.open "examples/slurm/README.md")
local text = file:read "a"
file:close()
local top = real.folder
os.execute("mkdir -p " .. top)
real.write(top .. "/plan.json", (text:match("```json\n(.-)```"):gsub('"grace": 60', '"grace": 2')))

-- The README's cluster has 32 CPUs.
os.execute "scontrol update NodeName=g[1-2] State=DRAIN Reason=32"

local blocks = {}
for block in text:gmatch "\n```sh\n(.-)\n```" do blocks[#blocks + 1] = block end

--- Runs the next block, in which those words stand; its output and its status, in one line.
local function follow(words)
  local block = table.remove(blocks, 1) or ""
  assert(block:find(words, 1, true), block)
  real.write(top .. "/block", "set -e\n" .. block .. "\necho $! >last\n")
  local out = real.output(("cd %s && PATH=%s:$PATH sh block >out 2>&1 </dev/null; "
    .. "echo $? >>out; cat out"):format(top, real.allot:match "^(.*)/[^/]*$"))
  return (out:gsub("\n+$", ""):gsub("\n", "; "))
end

local import = follow "allot import"
put("import", import:match "%d+$")
local check = ("%s check --runs 0 %s/accounts.json >&2; echo $?"):format(real.allot, top)
put("imported", real.output(check):match "%d")

real.submit("a", "-n2 --wrap 'sleep 1'")
real.submit("c", "-n4 --wrap 'sleep 1'")
until_it(function () return real.output "squeue -h" == "" end)
local log = "sacct -a -X -n -P -S now-1hour -o State,End"
until_it(function () return select(2, real.output(log):gsub("COMPLETED|%d", "")) == 2 end)
put("month", follow("sacct -a"):match "month.txt: (%d+ jobs)")
put("dry-run", follow "--dry-run --once")
put("operator", follow("adminlevel=Operator"):match "%d+$")

put("live", follow("allot serve"):match "%d+$")
for _ = 1, 8 do real.keep("c", sleeper(4)) end
put("lent", until_it(function () return used().c == 32 end) ~= "never")
for _ = 1, 3 do real.keep("b", sleeper(4)) end
put("owner-served", until_it(function () return used().b == 12 end) ~= "never")
put("requeues", real.restarts "")
put("lost", real.lost())
local status = ("%s slurm --status %s/plan.json"):format(real.allot, top)
put("status", until_it(function ()
  return real.output(status):find("/b runs on 12 slots, wants 12", 1, true)
end) ~= "never")
real.output(("kill $(cat %s/last)"):format(top))
put("open", follow("--open"):match "%d+$")
local ceilings = real.output "sacctmgr -n -P list assoc format=GrpTRES"
put("ceilings", ceilings:find "cpu" and "left" or "none")
put("blocks-left", #blocks)
