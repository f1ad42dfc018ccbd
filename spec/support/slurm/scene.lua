-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A scene on a real cluster: lending, reclaim, and each process killed once. It prints what came
--- of it, "NAME VALUE" a line, and is run by spec/support/slurm/cluster. With a FILE behind the
--- folder it kills slurmctld when that is there: another scene beside it came to its end.

package.path = "./?.lua;" .. package.path
local real = require "spec.support.slurm.real"

local put, used, until_it, sleeper = real.put, real.used, real.until_it, real.sleeper

local plan = real.prepare(real.accounts)
local dry = real.output(("%s slurm --dry-run --once --slot cpu@batch %s"):format(real.allot, plan))
put("dry-run", (dry:gsub("\n", "; ")))
real.begin_service()
real.begin_bridge "--slot cpu@batch"

for _, cpus in ipairs { 8, 6, 4, 2, 2, 1, 1 } do real.keep("c", sleeper(cpus)) end
real.keep("c", sleeper(2, "--array=1-4"))
put("lent", until_it(function () return used().c == 32 end) ~= "never")

local first = real.submit("b", "-n4 --wrap 'sleep 1'")
real.keep("b", sleeper(4, "--dependency=afterok:" .. first))
for _ = 1, 2 do real.keep("b", sleeper(4)) end
local seconds = until_it(function () return used().b == 12 end)
put("owner-served", seconds ~= "never")
put("owner-seconds", seconds)
put("requeues", real.restarts "-p batch")
put("borrower", used().c)

real.kill "bridge"
real.keep("a", sleeper(4))
real.begin_bridge "--slot cpu@batch"
put("bridge-killed", until_it(function () return used().a == 4 end) ~= "never")
real.kill "serve"
real.keep("a", sleeper(4))
real.begin_service()
put("service-killed", until_it(function () return used().a == 8 end) ~= "never")
if arg[3] then until_it(function () return io.open(arg[3]) end) end
real.sleep(6) -- slurmctld writes what it knows some seconds later: what came before is safe
real.kill_slurmctld()
real.keep("a", sleeper(8))
put("slurmctld-killed", until_it(function () return used().a == 16 end) ~= "never")
put("most", real.most)
put("lost", real.lost())
real.output(real.as("allot_op", ("%s slurm --open %s 2>&1"):format(real.allot, plan)))
local ceilings = real.output "sacctmgr -n -P list assoc account=a,b,c format=GrpTRES"
put("ceilings", ceilings:find "cpu" and "left" or "none")
