-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A Slurm for specs: what slurmctld, its accounting and its commands do, as far as the bridge sees
--- it, with the faults that the real one has shown. Time moves when `tick` is called.

local fake = {}
fake.__index = fake

local SEPARATOR = "\31"

local JOB = { { "name", "7" }, { "number", "7" }, { "state", "RUNNING" }, { "reason", "None" },
  { "account", "a" }, { "user", "u" }, { "partition", "batch" }, { "qos", "normal" },
  { "tres", "cpu=4,node=1" }, { "submitted", 1000 }, { "started", "N/A" }, { "priority", 5 },
  { "restarts", 0 }, { "requeue", 1 }, { "batch", 1 }, { "reservation", "(null)" },
  { "het", "N/A" }, { "array", "N/A" }, { "shares", "OK" }, { "nodes", "" } }
local NODE = { { "name", "n1" }, { "cpus", "0/8/0/8" }, { "state", "idle" },
  { "partition", "batch*" }, { "gres", "(null)" }, { "gres_used", "(null)" }, { "memory", 2048 },
  { "memory_used", 0 } }

local function line_of(columns, values)
  local words = {}
  for i, column in ipairs(columns) do words[i] = tostring(values[column[1]] or column[2]) end
  return table.concat(words, SEPARATOR) .. SEPARATOR .. "\n"
end

--- A line of squeue, of sinfo: columns by the names above; what is not given is as there.
function fake.line(job) return line_of(JOB, job) end
function fake.node(node) return line_of(NODE, node) end

--- Options: nodes, cpus (of a node), accounts = { name = parent }, wait (s that a requeued job
-- waits, 5), ends (s that a killed job takes to end, 1), random.
function fake.new(options)
  local self = setmetatable({
    now = 1000000, next_id = 1, jobs = {}, nodes = {}, accounts = {}, log = {}, saved = nil,
    wait = options.wait or 5, ends = options.ends or 1, random = options.random,
  }, fake)
  for i = 1, options.nodes do
    self.nodes[i] = { name = "n" .. i, cpus = options.cpus, used = 0, state = "idle" }
  end
  for name, parent in pairs(options.accounts) do
    self.accounts[name] = { parent = parent, limit = nil }
  end
  return self
end

-- ---- Jobs ---------------------------------------------------------------------------------------

--- A job: account, user, qos, cpus, run (s); array = number of tasks, throttle, depends, held,
-- batch, requeue, reservation. Returns the id.
function fake:submit(job)
  local id = self.next_id
  self.next_id = id + 1
  for task = 1, job.array or 1 do
    self.jobs[#self.jobs + 1] = {
      id = id, task = job.array and task, account = job.account, user = job.user or "u",
      qos = job.qos or "normal",
      cpus = job.cpus, run = job.run, left = job.run, submitted = self.now, restarts = 0,
      state = "PENDING", reason = "None", priority = job.priority or 1000, throttle = job.throttle,
      depends = job.depends, held = job.held, batch = job.batch ~= false,
      requeue = job.requeue ~= false, reservation = job.reservation, begins = 0,
    }
  end
  return id
end

local function holds(job)
  return job.state == "RUNNING" or job.state == "COMPLETING"
end

function fake:is_over(id)
  for _, job in ipairs(self.jobs) do
    if job.id == id and job.state ~= "OVER" then return false end
  end
  return true
end

--- CPUs in use below an account.
function fake:used(account)
  local sum = 0
  for _, job in ipairs(self.jobs) do
    local at = holds(job) and job.account
    while at do
      if at == account then sum = sum + job.cpus end
      at = self.accounts[at] and self.accounts[at].parent
    end
  end
  return sum
end

function fake:size()
  local sum = 0
  for _, node in ipairs(self.nodes) do
    sum = sum + (node.state == "idle" and node.cpus or node.used)
  end
  return sum
end

-- ---- Scheduling ---------------------------------------------------------------------------------

local function running_of_array(self, id)
  local count = 0
  for _, job in ipairs(self.jobs) do
    if job.id == id and holds(job) then count = count + 1 end
  end
  return count
end

--- The limits of QOS: self.caps = { [name] = CPUs that a user may use at once }.
function fake:meets_cap(job)
  local sum = job.cpus
  for _, other in ipairs(self.jobs) do
    if holds(other) and other.qos == job.qos and other.user == job.user then
      sum = sum + other.cpus
    end
  end
  return sum > (self.caps and self.caps[job.qos] or math.huge)
end

function fake:list_qos()
  local lines = { "normal|||||||" }
  for name, cpus in pairs(self.caps or {}) do
    lines[#lines + 1] = ("%s|||cpu=%d||||"):format(name, cpus)
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Why the job cannot start now, by the first reason; nil: only slots are missing, maybe.
function fake:why_not(job)
  if job.held then return "JobHeldUser" end
  if job.depends and not self:is_over(job.depends) then return "Dependency" end
  if job.begins > self.now then return "BeginTime" end
  if job.throttle and running_of_array(self, job.id) >= job.throttle then
    return "JobArrayTaskLimit"
  end
  local at = job.account
  while at do
    local account = self.accounts[at]
    if account and account.limit and self:used(at) + job.cpus > account.limit then
      return "AssocGrpCpuLimit"
    end
    at = account and account.parent
  end
end

function fake:place(job)
  local left, parts = job.cpus, {}
  for i, node in ipairs(self.nodes) do
    local free = node.state == "idle" and node.cpus - node.used or 0
    local part = math.min(free, left)
    if part > 0 then parts[i], left = part, left - part end
  end
  return left == 0 and parts or nil
end

function fake:start(job)
  local parts = self:place(job)
  if not parts then return false end
  for i, part in pairs(parts) do self.nodes[i].used = self.nodes[i].used + part end
  job.parts, job.state, job.reason, job.started = parts, "RUNNING", "None", self.now
  return true
end

local function first_of(a, b)
  if a.priority ~= b.priority then return a.priority > b.priority end
  if a.id ~= b.id then return a.id < b.id end
  return (a.task or 0) < (b.task or 0)
end

--- Jobs in order; one that finds no room keeps those behind it from the nodes that it may need only
-- if `strict`: real Slurm backfills.
function fake:schedule()
  local waiting = {}
  for _, job in ipairs(self.jobs) do
    if job.state == "PENDING" then waiting[#waiting + 1] = job end
  end
  table.sort(waiting, first_of)
  local blocked = false
  for _, job in ipairs(waiting) do
    job.reason = self:why_not(job) or job.reason
    if self:meets_cap(job) and self:place(job) then
      job.reason = "QOSMaxCpuPerUserLimit" -- which Slurm sees only where there is room
    elseif not self:why_not(job) and (self:meets_cap(job) or not self:start(job)) then
      job.reason = blocked and "Priority" or "Resources"
      blocked = true
    end
  end
end

function fake:free(job)
  for i, part in pairs(job.parts or {}) do self.nodes[i].used = self.nodes[i].used - part end
  job.parts = nil
end

local function settle(self, job)
  self:free(job)
  if job.again then
    job.state, job.reason, job.again, job.left = "PENDING", "BeginTime", nil, job.run
    job.begins, job.restarts = self.now + self.wait, job.restarts + 1
    if not job.task then job.submitted = self.now end
  else
    job.state = "OVER"
  end
end

--- A second passes.
function fake:second()
  self.now = self.now + 1
  for _, job in ipairs(self.jobs) do
    if job.state == "RUNNING" then
      job.left = job.left - 1
      if job.left <= 0 then job.state, job.ends = "COMPLETING", self.now end
    end
    if job.state == "COMPLETING" and self.now >= job.ends then settle(self, job) end
  end
  self:schedule()
end

function fake:tick(seconds)
  for _ = 1, seconds do self:second() end
end

-- ---- What goes wrong ----------------------------------------------------------------------------

local function copy(value)
  if type(value) ~= "table" then return value end
  local made = {}
  for key, each in pairs(value) do made[key] = copy(each) end
  return made
end

--- What slurmctld has on disk.
function fake:save()
  self.saved = { jobs = copy(self.jobs), next_id = self.next_id, nodes = copy(self.nodes) }
end

--- kill -9: what came after the last save is forgotten, ids are used again.
function fake:crash()
  if not self.saved then return end
  self.jobs, self.next_id, self.nodes = copy(self.saved.jobs), self.saved.next_id,
    copy(self.saved.nodes)
end

function fake:drain(i)
  self.nodes[i].state = "drain"
end

function fake:resume(i)
  self.nodes[i].state = "idle"
end

-- ---- Commands -----------------------------------------------------------------------------------

--- Array tasks that wait are one line, as squeue has it.
function fake:squeue()
  local lines, arrays, array_of, list = {}, {}, {}, {}
  for _, job in ipairs(self.jobs) do list[#list + 1] = job end
  table.sort(list, first_of)
  local function put(job, name, tasks)
    lines[#lines + 1] = fake.line { name = name, number = job.id, state = job.state,
      reason = job.reason, account = job.account, user = job.user, qos = job.qos,
      tres = ("cpu=%d,mem=1G,node=1,billing=%d"):format(job.cpus, job.cpus),
      submitted = job.submitted, started = job.started, priority = job.priority,
      restarts = job.restarts, requeue = job.requeue and 1 or 0, batch = job.batch and 1 or 0,
      reservation = job.reservation, array = tasks }
  end
  for _, job in ipairs(list) do
    if job.state == "PENDING" and job.task then
      local array = array_of[job.id] or { job = job, tasks = {} }
      if not array_of[job.id] then arrays[#arrays + 1], array_of[job.id] = array, array end
      array.tasks[#array.tasks + 1] = tostring(job.task)
    elseif job.state ~= "OVER" then
      put(job, job.id .. (job.task and "_" .. job.task or ""), job.task)
    end
  end
  for _, array in ipairs(arrays) do
    local tasks = table.concat(array.tasks, ",")
      .. (array.job.throttle and "%" .. array.job.throttle or "")
    put(array.job, ("%d_[%s]"):format(array.job.id, tasks), tasks)
  end
  return table.concat(lines)
end

function fake:sinfo()
  local lines = {}
  for i, node in ipairs(self.nodes) do
    local rest = node.cpus - node.used
    local open = node.state == "idle"
    lines[i] = fake.node { name = node.name, state = open and "idle" or "idle+drain",
      cpus = ("%d/%d/%d/%d"):format(node.used, open and rest or 0, open and 0 or rest, node.cpus) }
  end
  return table.concat(lines)
end

function fake:list_accounts()
  local lines = { "root||||||||allot" }
  for name, account in pairs(self.accounts) do
    lines[#lines + 1] = ("%s||%s|%s|||||allot"):format(name, account.parent or "root",
      account.limit and "cpu=" .. account.limit or "")
  end
  return table.concat(lines, "\n") .. "\n"
end

function fake:modify(words)
  local names = words[7]:match "^name=(.*)$"
  local limit = math.tointeger(tonumber(words[9]:match "^GrpTRES=cpu=(%-?%d+)$"))
  for name in names:gmatch "[^,]+" do
    if not self.accounts[name] then return nil, "Nothing modified" end
    self.accounts[name].limit = limit >= 0 and limit or nil
  end
  return ""
end

local function each_named(self, names, visit)
  for name in names:gmatch "[^,]+" do
    local id, task = name:match "^(%d+)_?(%d*)$"
    for _, job in ipairs(self.jobs) do
      if tostring(job.id) == id and tostring(job.task or "") == task then visit(job) end
    end
  end
end

function fake:requeue(names)
  each_named(self, names, function (job)
    if job.state == "RUNNING" and job.batch and job.requeue then
      job.state, job.again, job.ends = "COMPLETING", true, self.now + self.ends
      self.requeued = (self.requeued or 0) + 1
    end
  end)
  return ""
end

function fake:release(names)
  each_named(self, names, function (job) job.held = nil end)
  return ""
end

function fake:cancel(words)
  if words[2] == "--full" then return "" end
  for i = 2, #words do
    each_named(self, words[i], function (job)
      if holds(job) then job.state, job.ends = "COMPLETING", self.now else job.state = "OVER" end
    end)
  end
  return ""
end

--- Runs a command of the bridge: its output; nil, the reason. `fault`: "late", "nonsense" or
-- "columns" spoils the next answer. A command or word that `refuses` has is refused.
function fake:run(words)
  local fault = self.fault
  self.fault = nil
  self.log[#self.log + 1] = table.concat(words, " ")
  if fault == "late" then return nil, "late" end
  if words[1] == self.refuses or words[2] == self.refuses then
    return nil, "Access/permission denied"
  end
  local out, why
  if words[1] == "squeue" then out = self:squeue()
  elseif words[1] == "sinfo" then out = self:sinfo()
  elseif words[1] == "sacctmgr" and words[5] == "assoc" then out = self:list_accounts()
  elseif words[1] == "sacctmgr" and words[5] == "qos" then out = self:list_qos()
  elseif words[1] == "sacctmgr" then out, why = self:modify(words)
  elseif words[1] == "scontrol" and words[2] == "show" then
    out = "AccountingStorageEnforce = " .. (self.enforce or "associations,limits") .. "\n"
  elseif words[1] == "scontrol" and words[2] == "requeue" then out = self:requeue(words[3])
  elseif words[1] == "scontrol" and words[2] == "update" then
    out, why = self.admin and "" or nil, "Access/permission denied"
  elseif words[1] == "scontrol" and words[2] == "release" then out = self:release(words[3])
  elseif words[1] == "scancel" then out = self:cancel(words)
  else error("the fake Slurm has no " .. table.concat(words, " ")) end
  if fault == "nonsense" then return "slurm_load_jobs error: Unexpected message received\n" end
  if fault == "columns" then return (out:gsub(SEPARATOR .. "[^" .. SEPARATOR .. "\n]*", "", 1)) end
  return out, why
end

return fake
