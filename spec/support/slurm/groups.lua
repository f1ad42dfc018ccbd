-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A scene on a real cluster: a partition whose CPUs, GPUs and memory are groups of a plan, each
--- lent and taken back. It prints what came of it, "NAME VALUE" a line.

package.path = "./?.lua;" .. package.path
local real = require "spec.support.slurm.real"

local put, until_it = real.put, real.until_it

real.prepare [[{"version": 1, "policy": {"use": "hybrid", "preemption": "fewest"},
  "groups": {
    "cpu": {"slots": 16, "consumers": {"/x": {"owned": 8}, "/y": {"owned": 8}}},
    "gpu": {"slots": 4, "consumers": {"/x": {"owned": 2}, "/y": {"owned": 2}}},
    "mem": {"slots": 8192, "consumers": {"/x": {"owned": 4096}, "/y": {"owned": 4096}}}},
  "consumers": [{"name": "x", "grace": 2}, {"name": "y", "grace": 2}]}]]
real.begin_service()
real.begin_bridge "--slot cpu=cpu@gpus --slot gpu=gres/gpu@gpus --slot mem=mem@gpus"

local function submit(name, words)
  return real.submit(name, "-p gpus " .. words .. " --wrap 'sleep 600'")
end

--- Jobs of an account that run.
local function running(name)
  return select(2, real.output("squeue -h -p gpus -t R -o %A -A " .. name):gsub("%d+", ""))
end

local function runs(name, count)
  return until_it(function () return running(name) == count end) ~= "never"
end

local function ceilings(name)
  return real.output("sacctmgr -n -P list assoc user= account=" .. name .. " format=GrpTRES")
    :match "[^\n]*"
end

until_it(function () return ceilings "x" ~= "" end)
put("group-ceilings", ceilings "x")
for _ = 1, 4 do submit("y", "-n2 --gres=gpu:1 --mem=1024") end
put("gpus-lent", runs("y", 4))
submit("x", "-n4 --gpus=2 --mem=2048")
put("gpus-back", runs("x", 1))
put("gpus-borrower", running "y")
put("gpus-requeues", real.restarts "-p gpus")

real.output "scancel -p gpus --state=PENDING; scancel -p gpus --state=RUNNING"
until_it(function () return real.output "squeue -h -p gpus" == "" end)
for _ = 1, 2 do submit("y", "-n1 --mem=4000") end
put("memory-lent", runs("y", 2))
submit("x", "-n1 --mem=3000")
put("memory-back", runs("x", 1))
put("memory-borrower", running "y")
real.write(real.folder .. "/done", "")
