-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What scenes on a real cluster stand on: programs that begin and are killed, jobs, CPUs in use. A
--- scene is a program that spec/support/slurm/cluster runs: PROGRAM ALLOT FOLDER.

local real = { allot = arg[1], folder = arg[2], pids = {}, most = 0, jobs = {} }

function real.output(line)
  local pipe = assert(io.popen(line))
  local text = pipe:read "a"
  pipe:close()
  return text
end

function real.as(user, line)
  return ("setpriv --reuid=%s --regid=%s --init-groups env HOME=/tmp %s"):format(user, user, line)
end

function real.put(name, value) print(name .. " " .. tostring(value)) end

function real.sleep(seconds) os.execute("sleep " .. seconds) end

function real.begin(name, line)
  local full = ("%s >>%s/%s.log 2>&1 </dev/null & echo $!"):format(line, real.folder, name)
  real.pids[name] = real.output(full):match "%d+"
end

function real.kill(name)
  os.execute("kill -9 " .. real.pids[name])
end

function real.write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

--- CPUs of the partition batch in use, by account; notes the most that were in use at once.
function real.used()
  local sums, all = { a = 0, b = 0, c = 0 }, 0
  local running = real.output "squeue -h -p batch -t R,CG -O Account:@,NumCPUs:@"
  for account, cpus in running:gmatch "(%w+)@(%d+)@" do
    sums[account], all = (sums[account] or 0) + tonumber(cpus), all + tonumber(cpus)
  end
  real.most = math.max(real.most, all)
  return sums
end

function real.restarts(words)
  local sum = 0
  for number in real.output("squeue -h -t all -O RestartCnt:@ " .. (words or "")):gmatch "(%d+)@" do
    sum = sum + tonumber(number)
  end
  return sum
end

--- Waits, as long as a slow machine may need; the seconds it took, or "never".
function real.until_it(check)
  local began = os.time()
  repeat
    if check() then return os.time() - began end
    real.sleep(0.3)
  until os.time() - began > 120
  return "never"
end

function real.submit(name, words)
  local line = ("sbatch --parsable -A %s -o /dev/null %s"):format(name, words)
  return real.output(real.as("allot_" .. name, line)):match "%d+"
end

function real.sleeper(cpus, more)
  return ("-n%d %s --wrap 'sleep 600'"):format(cpus, more or "")
end

--- Submits a job that has to survive whatever happens.
function real.keep(name, words)
  real.jobs[#real.jobs + 1] = real.submit(name, words)
end

--- Jobs of `keep` that Slurm does not know any more.
function real.lost()
  local lost = 0
  for _, id in ipairs(real.jobs) do
    if not real.output("squeue -h -t all -o %A%F -j " .. id):find "%d" then lost = lost + 1 end
  end
  return lost
end

local plan, socket = real.folder .. "/plan.json", real.folder .. "/allot.sock"

function real.begin_service()
  real.begin("serve", ("%s serve %s --wait --socket %s --socket-mode 0666"):format(real.allot, plan,
    socket))
  real.until_it(function () return os.execute(("test -S %s"):format(socket)) end)
end

function real.begin_bridge(words)
  local line = "%s slurm %s %s --socket %s --interval 1 --out %s/bridge"
  real.begin("bridge", real.as("allot_op", line:format(real.allot, words or "", plan, socket,
    real.folder)))
end

--- slurmctld is killed and begins again.
function real.kill_slurmctld()
  real.pids.ctld = real.pids.ctld
    or real.output("cat $ALLOT_CLUSTER/state/slurmctld.pid"):match "%d+"
  real.kill "ctld"
  real.sleep(1)
  real.begin("ctld", "setpriv --reuid=slurm --regid=slurm --init-groups slurmctld -D")
  real.until_it(function () return real.output("scontrol ping"):find "is UP" end)
end

function real.prepare(document)
  os.execute(("mkdir -p %s/bridge && chmod 777 %s/bridge"):format(real.folder, real.folder))
  os.execute("chmod 755 " .. real.folder)
  real.write(plan, document)
  return plan
end

--- a owns 16 of 32 CPUs, b 12, c 4; the fewest jobs go.
real.accounts = [[{"version": 1, "slots": 32,
  "policy": {"use": "hybrid", "preemption": "fewest"}, "consumers": [
    {"name": "a", "owned": 16, "grace": 2}, {"name": "b", "owned": 12, "grace": 2},
    {"name": "c", "owned": 4, "grace": 2}]}]]

return real
