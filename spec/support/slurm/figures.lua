-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Figures of the bridge on a real cluster, "NAME VALUE" a line. All of them take a quarter of an
--- hour; a PART is throughput, bridge, service, slurmctld or minute.
---
---     spec/support/slurm/cluster /tmp/cluster lua5.4 spec/support/slurm/figures.lua \
---         $PWD/build/release/bin/allot /tmp/cluster/scene [KILLS [PART...]]

package.path = "./?.lua;" .. package.path
local real = require "spec.support.slurm.real"

local KILLS = tonumber(arg[3] or "20")
local put, used, until_it, sleeper = real.put, real.used, real.until_it, real.sleeper

local function seconds()
  return tonumber((real.output "date +%s.%N"))
end

local function empty()
  real.output "scancel --state=PENDING; scancel --state=RUNNING; scancel --state=SUSPENDED"
  until_it(function () return real.output "squeue -h" == "" end)
end

--- Jobs a second, of 1,000 that run for one.
local function throughput()
  local began = seconds()
  for _ = 1, 4 do
    for name in ("abc"):gmatch "." do
      real.submit(name, "--array=1-" .. (name == "a" and 84 or 83) .. " -n1 --wrap 'sleep 1'")
    end
  end
  repeat real.sleep(0.2) until real.output "squeue -h" == ""
  return 1000 / (seconds() - began)
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function told(name, list)
  local never = 0
  for i = #list, 1, -1 do
    if list[i] == "never" then
      never = never + 1
      table.remove(list, i)
    end
  end
  put(name, ("%d kills, owners wait %.1f s (median), %.1f s (worst), never %d"):format(
    #list + never, median(list) or 0, list[#list] or 0, never))
end

--- The borrower has it all, something is killed, an owner comes: seconds until the owner runs.
local function round(kill)
  empty()
  for _ = 1, 8 do real.keep("c", sleeper(4)) end
  until_it(function () return used().c == 32 end)
  if kill == real.kill_slurmctld then real.sleep(6) end
  kill()
  local began = seconds()
  for _ = 1, 3 do real.keep("b", sleeper(4)) end
  local how = until_it(function () return used().b == 12 end)
  local waited = how == "never" and how or seconds() - began
  put("lost", real.lost())
  real.jobs = {}
  return waited
end

local function rounds(name, kill)
  local list = {}
  for i = 1, KILLS do list[i] = round(kill) end
  told(name, list)
end

--- Bridge and service are dead for a minute: owners' new jobs run, borrowers stay capped.
local function minute()
  empty()
  for _ = 1, 4 do real.keep("c", sleeper(4)) end
  for _ = 1, 2 do real.keep("b", sleeper(4)) end
  until_it(function () return used().c == 16 and used().b == 8 end)
  real.sleep(5)
  real.kill "bridge"
  real.kill "serve"
  for _ = 1, 6 do real.keep("c", sleeper(4)) end
  real.keep("b", sleeper(4))
  for _ = 1, 2 do real.keep("a", sleeper(4)) end
  real.sleep(60)
  local now = used()
  put("dead-for-a-minute", ("owner a runs 8: %s; owner b runs 12: %s; borrower %d"):format(
    now.a >= 4, now.b == 12, now.c))
  real.begin_service()
  real.begin_bridge()
end

local parts = {}

--- Slurm holds jobs as they come, as examples/slurm/job_submit.lua has it, or does not any more.
local function hold(begins)
  local line = begins and "cp examples/slurm/job_submit.lua $ALLOT_CLUSTER/etc && "
    .. "echo JobSubmitPlugins=lua >>$SLURM_CONF" or "sed -i /^JobSubmitPlugins/d $SLURM_CONF"
  os.execute(line .. " && scontrol reconfigure")
  real.sleep(3)
end

--- Slurm alone, under ceilings, and with jobs that are held until they are granted.
function parts.throughput()
  local open = real.as("allot_op", ("%s slurm --open %s/plan.json"):format(real.allot, real.folder))
  local function stop()
    real.kill "bridge"
    real.kill "serve"
    os.execute(open)
  end
  stop()
  local alone = throughput()
  real.begin_service()
  real.begin_bridge()
  real.sleep(5)
  local beside = throughput()
  put("throughput", ("%.1f jobs a second alone, %.1f under ceilings: %.0f %%"):format(alone,
    beside, 100 * beside / alone))
  stop()
  hold(true)
  real.begin_service()
  real.begin_bridge "--hold"
  real.sleep(5)
  local held = throughput()
  put("hold", ("%.1f jobs a second: %.0f %%"):format(held, 100 * held / alone))
  stop()
  hold(false)
  real.begin_service()
  real.begin_bridge()
end

function parts.bridge()
  rounds("bridge", function ()
    real.kill "bridge"
    real.begin_bridge()
  end)
end

function parts.service()
  rounds("service", function ()
    real.kill "serve"
    real.begin_service()
  end)
end

function parts.slurmctld() rounds("slurmctld", real.kill_slurmctld) end

parts.minute = minute

real.prepare(real.accounts)
real.begin_service()
real.begin_bridge()
real.sleep(3)
local chosen = { table.unpack(arg, 4) }
if #chosen == 0 then chosen = { "throughput", "bridge", "service", "slurmctld", "minute" } end
for _, name in ipairs(chosen) do parts[name]() end
put("most", real.most)
