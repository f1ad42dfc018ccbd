-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random sites with queues that have all there is: what allot.check.draw_queues draws, and besides
--- limits of every kind, PREEMPT_FOR, kinds of jobs, what queues do to those that are preempted,
--- resources, leases, use of pools, jobs that were stopped and such that grow, owners of hosts.

local Random = require "allot.check.random"
local draw = require "allot.check.draw_queues"

local sites = {}

local function names_of(map)
  local out = {}
  for name in pairs(map) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function some(random, list)
  local out = {}
  for _, item in ipairs(list) do
    if random:once_in(2) then out[#out + 1] = item end
  end
  return out[1] and out or { random:pick(list) }
end

--- Hosts that one limit names beside another's are theirs or not: sets that overlap in part are
--- put together host by host as they come, which need not be the only way (see the README).
local function host_list(random, plan)
  local hosts = names_of(plan.hosts)
  if random:once_in(3) then return { "all" } end
  return { random:pick(hosts) }
end

local function draw_limit(random, plan, i)
  local limit = { name = "site" .. i }
  local kind = random:int(1, 4)
  if kind == 1 then limit.jobs = random:int(1, 4) else limit.slots = random:int(1, 8) end
  if random:once_in(3) then limit.hosts = host_list(random, plan) end
  if random:once_in(4) then limit.per_host = true end
  local who = random:int(1, 6)
  if who == 1 then limit.per_user = { "all" } end
  if who == 2 then limit.per_user = { "all", "~ann" } end
  if who == 3 then limit.user_groups = { "lab" } end
  if who == 4 then limit.per_group = { "lab" } end
  if who == 5 then limit.users = { "ann", "cy" } end
  if random:once_in(4) then
    local queues = {}
    for _, queue in ipairs(plan.queues) do queues[#queues + 1] = queue.name end
    limit[random:once_in(2) and "queues" or "per_queue"] = some(random, queues)
  end
  if limit.slots and limit.per_host and random:once_in(3) then
    limit.slots, limit.slots_per_processor = nil, random:pick { 0.5, 1, 1.5 }
  end
  return limit
end

local function draw_policy(random)
  local words, types = {}, {}
  for _, word in ipairs { "GROUP_MAX", "GROUP_JLP", "HOST_JLU", "USER_JLP" } do
    if random:once_in(5) then words[#words + 1] = word end
  end
  for _, word in ipairs { "LEAST_RUN_TIME", "MINI_JOB", "OPTIMAL_MINI_JOB" } do
    if random:once_in(5) then words[#words + 1] = word break end
  end
  if random:once_in(4) then types[1] = "EXCLUSIVE" end
  if random:once_in(4) then types[#types + 1] = "BACKFILL" end
  return {
    use = "preemption", preempt_for = words[1] and table.concat(words, " "),
    preempt_jobtype = types[1] and table.concat(types, " "),
  }
end

local LIMITS = {
  "qjob_limit", "ujob_limit", "max_job_preempt", "no_preempt_interval", "no_preempt_run_time",
  "max_total_time_preempt", "no_preempt_finish_time", "preempt_delay", "hosts",
}

--- So that jobs are preempted more often than not.
local function crowd(random, plan)
  for _, queue in ipairs(plan.queues) do
    queue.priority = random:int(1, 9)
    if random:once_in(2) then
      for _, key in ipairs(LIMITS) do queue[key] = nil end
    end
    local lists = type(queue.preemptive) == "table" or type(queue.preemptable) == "table"
    if not queue.slot_pool and not lists then
      queue.preemptive = queue.preemptive or random:once_in(2) or nil
    end
  end
end

local function draw_plan(random, plan)
  plan.policy = draw_policy(random)
  if random:once_in(2) then crowd(random, plan) end
  if random:once_in(2) then
    plan.limits = plan.limits or {}
    for i = 1, random:int(1, 2) do table.insert(plan.limits, draw_limit(random, plan, i)) end
  end
  for _, queue in ipairs(plan.queues) do
    if not queue.slot_pool and not queue.terminate_when and random:once_in(8) then
      queue.job_controls = { suspend = "requeue" }
    end
    if random:once_in(8) then queue.backfill = true end
  end
  if random:once_in(4) then
    plan.resources = { lic = random:int(1, 3) }
    plan.params = plan.params or {}
    if random:once_in(2) then plan.params.preemptable_resources = { "lic" } end
  end
  if random:once_in(6) then
    plan.leases = { { name = "lease", provider = "here", consumer = "there",
      hosts = { [random:pick(names_of(plan.hosts))] = 1 }, reclaim_delay = 600 } }
  end
end

local function draw_job(random, plan, job)
  if plan.resources and random:once_in(3) then job.resources = { lic = 1 } end
  if job.state == "running" then
    if random:once_in(12) then job.backfill = true end
    if random:once_in(10) and not job.exclusive and not job.resize then
      job.resize = { grow = random:int(1, 4) }
    end
  elseif job.state == "suspended" and random:once_in(6) then
    job.state = "stopped"
  end
end

--- Jobs that run come to the last queues by PRIORITY, pending ones to the first, most of them.
local function press(random, plan, state)
  local queues = {}
  for _, queue in ipairs(plan.queues) do
    if not queue.slot_pool then queues[#queues + 1] = queue end
  end
  table.sort(queues, function (a, b)
    if a.priority ~= b.priority then return a.priority > b.priority end
    return a.name < b.name
  end)
  for _, job in ipairs(queues[1] and state.jobs or {}) do
    local place = random:int(1, random:int(1, #queues))
    if not job.state and not random:once_in(3) then job.queue = queues[place].name end
    if job.state and not random:once_in(3) then job.queue = queues[#queues + 1 - place].name end
  end
end

local function draw_state(random, plan, state)
  if random:once_in(2) then press(random, plan, state) end
  for _, job in ipairs(state.jobs) do draw_job(random, plan, job) end
  if random:once_in(8) then
    local host = random:pick(names_of(plan.hosts))
    state.hosts = state.hosts or {}
    state.hosts[host] = state.hosts[host] or {}
    state.hosts[host].slots = random:int(0, plan.hosts[host].slots)
  end
end

--- A case from a seed.
function sites.case(seed, opts)
  local random = Random.new(seed)
  local plan = draw.plan(random, opts or {})
  draw_plan(random, plan)
  local state = draw.state(random, plan, random:pick { 8, 16, 28 })
  draw_state(random, plan, state)
  return { plan = plan, state = state }
end

return sites
