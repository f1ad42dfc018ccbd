-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random queues, hosts and jobs: preemptive and preemptable queues with and without lists, pools,
--- limits; and streams of jobs.

local gen = {}

local function draw_hosts(random)
  local hosts = {}
  for i = 1, random:int(1, 4) do hosts["h" .. i] = { slots = random:int(1, 6) } end
  return hosts
end

local function host_names(plan)
  local out = {}
  for name in pairs(plan.hosts) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function some(random, list, least)
  local out = {}
  for _, item in ipairs(list) do
    if random:once_in(2) then out[#out + 1] = item end
  end
  while #out < (least or 1) do out[#out + 1] = list[#out + 1] end
  return out
end

--- Which queues may preempt and be preempted; lists name existing queues.
local function draw_relation(random, queues)
  for i, queue in ipairs(queues) do
    local low, high = {}, {}
    for _, other in ipairs(queues) do
      local free = not other.slot_pool
      if free and other.priority < queue.priority then low[#low + 1] = other.name end
      if free and other.priority > queue.priority then high[#high + 1] = other.name end
    end
    if not queue.slot_pool and random:once_in(2) then
      queue.preemptive = true
      if low[1] and random:once_in(2) then
        queue.preemptive = some(random, low)
        for k, name in ipairs(queue.preemptive) do
          if random:once_in(2) then queue.preemptive[k] = name .. "+" .. random:int(1, 3) end
        end
      end
    end
    if not queue.slot_pool and random:once_in(3) then
      queue.preemptable = high[1] and random:once_in(2) and some(random, high) or true
    end
    queues[i] = queue
  end
end

local PROTECTIONS = {
  max_job_preempt = { 1, 3 }, no_preempt_interval = { 1, 5 }, no_preempt_run_time = { 1, 30 },
  max_total_time_preempt = { 1, 30 },
}

local function draw_protection(random, out)
  for _, name in ipairs {
    "max_job_preempt", "no_preempt_interval", "no_preempt_run_time", "max_total_time_preempt",
  } do
    local range = PROTECTIONS[name]
    if random:once_in(8) then out[name] = random:int(range[1], range[2]) end
  end
  if random:once_in(10) then out.no_preempt_finish_time = random:int(1, 20) .. "%" end
  if random:once_in(10) then out.preempt_delay = random:int(1, 300) end
end

--- Some slots, or a part of all (P-27).
local function draw_slots(random, most)
  local slots = random:int(1, most)
  return slots > most // 2 and random:int(1, 9) * 10 .. "%" or slots
end

local function draw_queue(random, plan, i, pooled)
  local queue = { name = "q" .. i, priority = random:int(1, 5) }
  if pooled then queue.slot_pool, queue.slot_share = "pool", random:pick { 10, 20, 30, 50 } end
  if not pooled and random:once_in(4) then queue.hosts = some(random, host_names(plan)) end
  if random:once_in(5) then queue.qjob_limit = draw_slots(random, 10) end
  if random:once_in(8) then queue.ujob_limit = draw_slots(random, 6) end
  if not pooled and random:once_in(8) then queue.hjob_limit = random:int(1, 4) end
  if random:once_in(8) then queue.fairshare = true end
  if not pooled and random:once_in(8) then queue.terminate_when = { "PREEMPT" } end
  draw_protection(random, queue)
  return queue
end

local function draw_limits(random, plan)
  local out, hosts = {}, host_names(plan)
  for i = 1, random:int(0, 2) do
    local limit = { name = "limit" .. i, slots = random:int(1, 8) }
    local what = random:int(1, 7)
    if what == 1 then limit.per_user = true end
    if what == 2 then limit.users = { "ann" } end
    if what == 3 then limit.user_groups = { "lab" } end
    if what == 4 then limit.per_user, limit.per_host = true, true end
    if what == 5 then limit.hosts = hosts end
    if what == 6 then limit.hosts = { random:pick(hosts) } end
    if what == 7 then limit.per_host, limit.hosts = true, some(random, hosts) end
    out[i] = limit
  end
  return out[1] and out or nil
end

--- opts: pools (false: none), limits (false: none).
function gen.plan(random, opts)
  local plan = { version = 1, policy = "preemption", queues = {} }
  plan.hosts = draw_hosts(random)
  local pooled = opts.pools ~= false and random:once_in(3) and random:int(2, 3) or 0
  for i = 1, random:int(1, 4) + pooled do
    plan.queues[i] = draw_queue(random, plan, i, i <= pooled)
  end
  if pooled > 0 and random:once_in(4) then
    plan.queues[1].max_slots_in_pool = random:int(1, 12)
  end
  if pooled > 0 and random:once_in(4) then plan.queues[1].use_priority_in_pool = true end
  draw_relation(random, plan.queues)
  if opts.limits ~= false then plan.limits = draw_limits(random, plan) end
  plan.user_groups = { lab = { "ann", "bob" } }
  if random:once_in(3) then
    plan.params = {}
    draw_protection(random, plan.params)
    if not next(plan.params) then plan.params = nil end
  end
  return plan
end

--- Adds the hosts that `name` means (a host, a group or "all") to `set`.
local function add_named(plan, name, set)
  local group = not plan.hosts[name] and (plan.host_groups or {})[name]
  local names = plan.hosts[name] and { name } or name == "all" and host_names(plan)
    or group and gen.hosts_named(plan, group) or {}
  for _, host in ipairs(names) do set[host] = true end
end

--- The hosts of a list, sorted, less those after "~"; if only such are named, all others; without
--- a list, or with an empty one, all.
function gen.hosts_named(plan, list)
  local set, less, out = {}, {}, {}
  local any = false
  for _, name in ipairs(list or {}) do
    local but = name:sub(1, 1) == "~"
    any = any or not but
    add_named(plan, but and name:sub(2) or name, but and less or set)
  end
  for _, host in ipairs(host_names(plan)) do
    if (set[host] or not any) and not less[host] then out[#out + 1] = host end
  end
  return out
end

local function queue_named(plan, name)
  for _, queue in ipairs(plan.queues) do
    if queue.name == name then return queue end
  end
end

--- A pending job; `id` is its name.
function gen.job(random, plan, id, now)
  local queue = random:pick(plan.queues)
  return {
    id = id, queue = queue.name, submitted = now - random:int(0, 400),
    slots = random:once_in(2) and 1 or random:int(1, 5),
    user = random:pick { "ann", "bob", "cy" },
    priority = random:once_in(3) and random:int(1, 3) or nil,
    run_limit = random:once_in(3) and random:int(60, 4000) or nil,
    exclusive = random:once_in(20) or nil,
  }
end

--- Lets a pending job run where hosts have free slots, whatever the limits.
local function place(plan, job, free)
  local queue, left, hosts = queue_named(plan, job.queue), job.slots, {}
  for _, host in ipairs(gen.hosts_named(plan, queue.hosts)) do
    local slots = math.min(left, free[host])
    if job.exclusive and free[host] < plan.hosts[host].slots then slots = 0 end
    if slots > 0 then hosts[host], left = slots, left - slots end
  end
  if left > 0 then return false end
  for host, slots in pairs(hosts) do
    free[host] = job.exclusive and 0 or free[host] - slots
  end
  job.state, job.hosts = "running", hosts
  return true
end

local function draw_running(random, job, now)
  job.started = now - random:int(0, 3000)
  if random:once_in(3) then job.ran = now - job.started + random:int(0, 500) end
  if random:once_in(3) then job.preempted = random:int(0, 3) end
  if random:once_in(4) then job.suspended_for = random:int(0, 2000) end
  if random:once_in(10) and not job.exclusive then job.resize = { grow = random:int(1, 2) } end
  if random:once_in(25) then job.resize = { notifying = true } end
end

--- The usage of some queues of pools, and of users.
local function draw_usage(random, plan, state)
  for _, queue in ipairs(plan.queues) do
    if queue.slot_pool and random:once_in(3) then
      state.usage, state.usage_at = state.usage or {}, state.now
      state.usage[queue.name] = random:int(0, 100000)
    end
  end
  if random:once_in(3) then
    state.users = { ann = { usage = random:int(0, 100000) }, bob = { usage = random:int(0, 9) } }
  end
end

--- A state of a plan with hosts and queues: some jobs run, some are suspended, some wait. `most`:
--- the most jobs (14).
function gen.state(random, plan, most)
  local now, jobs, free = 100000, {}, {}
  for name, host in pairs(plan.hosts) do free[name] = host.slots end
  for i = 1, random:int(1, most or 14) do
    local job = gen.job(random, plan, "j" .. i, now)
    if random:once_in(2) and place(plan, job, free) then
      draw_running(random, job, now)
      if random:once_in(5) and not queue_named(plan, job.queue).slot_pool then
        job.state, job.started = "suspended", nil
        job.resize = nil
        for host, slots in pairs(job.hosts) do
          free[host] = job.exclusive and plan.hosts[host].slots or free[host] + slots
        end
      end
    end
    jobs[i] = job
  end
  local state = { now = now, jobs = jobs }
  if random:once_in(4) then
    state.hosts = { [random:pick(host_names(plan))] = { load = random:int(1, 5) } }
  end
  if random:once_in(4) then
    local name = random:pick(host_names(plan))
    state.hosts = state.hosts or {}
    state.hosts[name] = state.hosts[name] or {}
    state.hosts[name].closed = random:once_in(3) and "drain" or "reclaim"
  end
  draw_usage(random, plan, state)
  return state
end

return gen
