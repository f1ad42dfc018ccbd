-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A scene on a real cluster: lending, reclaim, and each process killed once. It prints what came
--- of it, "NAME VALUE" a line, and is run by spec/support/slurm/cluster.
---
---     lua5.4 spec/support/slurm/scene.lua ALLOT FOLDER

local allot, folder = arg[1], arg[2]

local function output(line)
  local pipe = assert(io.popen(line))
  local text = pipe:read "a"
  pipe:close()
  return text
end

local function as(user, line)
  return ("setpriv --reuid=%s --regid=%s --init-groups env HOME=/tmp %s"):format(user, user, line)
end

local function put(name, value) print(name .. " " .. tostring(value)) end

local function sleep(seconds) os.execute("sleep " .. seconds) end

local pids = {}

local function begin(name, line)
  local full = ("%s >>%s/%s.log 2>&1 </dev/null & echo $!"):format(line, folder, name)
  pids[name] = output(full):match "%d+"
end

local function kill(name)
  os.execute("kill -9 " .. pids[name])
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- ---- The cluster --------------------------------------------------------------------------------

local most = 0

--- CPUs in use, by account; notes the most that were in use at once.
local function used()
  local sums, all = { a = 0, b = 0, c = 0 }, 0
  for account, cpus in output("squeue -h -t R,CG -O Account:@,NumCPUs:@"):gmatch "(%w+)@(%d+)@" do
    sums[account], all = (sums[account] or 0) + tonumber(cpus), all + tonumber(cpus)
  end
  most = math.max(most, all)
  return sums
end

local function restarts()
  local sum = 0
  for number in output("squeue -h -t all -O RestartCnt:@"):gmatch "(%d+)@" do
    sum = sum + tonumber(number)
  end
  return sum
end

--- Waits, as long as a slow machine may need; the seconds it took, or "never".
local function until_it(check)
  local began = os.time()
  repeat
    if check() then return os.time() - began end
    sleep(0.3)
  until os.time() - began > 120
  return "never"
end

local function submit(name, words)
  local line = ("sbatch --parsable -A %s -o /dev/null %s"):format(name, words)
  return output(as("allot_" .. name, line)):match "%d+"
end

local function sleeper(cpus, more)
  return ("-n%d %s --wrap 'sleep 600'"):format(cpus, more or "")
end

-- ---- The scene ----------------------------------------------------------------------------------

local plan, socket = folder .. "/plan.json", folder .. "/allot.sock"

local function begin_service()
  begin("serve", ("%s serve %s --socket %s --socket-mode 0666"):format(allot, plan, socket))
  until_it(function () return os.execute(("test -S %s"):format(socket)) end)
end

local function begin_bridge()
  begin("bridge", as("allot_op", ("%s slurm %s --socket %s --interval 1 --out %s"):format(allot,
    plan, socket, folder .. "/bridge")))
end

os.execute(("mkdir -p %s/bridge && chmod 777 %s/bridge"):format(folder, folder))
os.execute("chmod 755 " .. folder)
write(plan, [[{"version": 1, "slots": 32, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 16, "grace": 2}, {"name": "b", "owned": 12, "grace": 2},
  {"name": "c", "owned": 4, "grace": 2}]}]])
put("dry-run", (output(("%s slurm --dry-run --once %s"):format(allot, plan)):gsub("\n", "; ")))
begin_service()
begin_bridge()

local jobs = {}
local function keep(id) jobs[#jobs + 1] = id end
for _ = 1, 4 do keep(submit("c", sleeper(4))) end
keep(submit("c", sleeper(4, "--array=1-4")))
put("lent", until_it(function () return used().c == 32 end) ~= "never")

local first = submit("b", "-n4 --wrap 'sleep 1'")
keep(submit("b", sleeper(4, "--dependency=afterok:" .. first)))
for _ = 1, 2 do keep(submit("b", sleeper(4))) end
local seconds = until_it(function () return used().b == 12 end)
put("owner-served", seconds ~= "never")
put("owner-seconds", seconds)
put("requeues", restarts())
put("borrower", used().c)

kill "bridge"
keep(submit("a", sleeper(4)))
begin_bridge()
put("bridge-killed", until_it(function () return used().a == 4 end) ~= "never")
kill "serve"
keep(submit("a", sleeper(4)))
begin_service()
put("service-killed", until_it(function () return used().a == 8 end) ~= "never")
sleep(6) -- slurmctld writes what it knows some seconds later: what came before is safe
pids.ctld = output("cat $ALLOT_CLUSTER/state/slurmctld.pid"):match "%d+"
kill "ctld"
sleep(1)
begin("ctld", "setpriv --reuid=slurm --regid=slurm --init-groups slurmctld -D")
until_it(function () return output("scontrol ping"):find "is UP" end)
keep(submit("a", sleeper(8)))
put("slurmctld-killed", until_it(function () return used().a == 16 end) ~= "never")
put("most", most)

local lost = 0
for _, id in ipairs(jobs) do
  if not output("squeue -h -t all -o %A%F -j " .. id):find "%d" then lost = lost + 1 end
end
put("lost", lost)
put("open", (output(as("allot_op", ("%s slurm --open %s"):format(allot, plan))):gsub("\n", "; ")))
put("ceilings", output("sacctmgr -n -P list assoc format=GrpTRES"):find "cpu" and "left" or "none")
