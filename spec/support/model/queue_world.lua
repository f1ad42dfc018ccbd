-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues, jobs and hosts of two documents as plain tables, for the model of dispatching: what the
--- documents leave out is filled in, as rules.md sections 1 and 2 have it.

local world = {}

local PROTECTIONS = {
  "max_job_preempt", "max_total_time_preempt", "no_preempt_interval", "no_preempt_run_time",
  "no_preempt_finish_time", "preempt_delay",
}
local MINUTES = { max_total_time_preempt = 60, no_preempt_interval = 60 }

local function set_of(list)
  if list == nil then return nil end
  local out = {}
  for _, name in ipairs(list) do out[name] = true end
  return out
end

--- "low+2" as a name and a level.
local function preferred(text)
  local name, level = text:match "^(.-)%+(%d+)$"
  return name or text, tonumber(level) or 0
end

local function low_list(list)
  if type(list) ~= "table" then return nil end
  local out = {}
  for _, text in ipairs(list) do
    local name, level = preferred(text)
    out[name] = level
  end
  return out
end

local function read_queue(given, place)
  return {
    name = given.name, given = given, place = place, priority = given.priority or 1,
    preemptive = given.preemptive and true or false,
    preemptable = given.preemptable and true or false,
    low = low_list(given.preemptive),
    high = type(given.preemptable) == "table" and set_of(given.preemptable) or nil,
    hosts = set_of(given.hosts), pool = given.slot_pool, share = given.slot_share,
    fairshare = given.fairshare,
  }
end

--- P-7, A-1; and never a pool's queue (A-24).
function world.may(high, low)
  if high.pool or low.pool then return false end
  if high.priority <= low.priority then return false end
  if low.high then return low.high[high.name] or false end
  return low.preemptable
    or high.preemptive and (high.low == nil or high.low[low.name] ~= nil)
end

--- A parameter of a job: its application's, its queue's, the plan's (A-6); in seconds.
local function parameter(plan, job, name)
  local application = (plan.applications or {})[job.app] or {}
  local value = application[name]
  if value == nil then value = job.queue.given[name] end
  if value == nil then value = (plan.params or {})[name] end
  local percent = type(value) == "string" and tonumber(value:match "^(%d+)%%$")
  if percent then
    if not job.run_limit then return nil end
    return job.run_limit * percent / 100 -- P-33: a share of the limit, not of whole seconds
  end
  local minutes = MINUTES[name] or name:find "^no_preempt" and 60 or 1
  return value and tonumber(value) * minutes
end

local function read_job(plan, queues, given, place, now)
  local job = {
    id = given.id, place = place, queue = queues[given.queue], state = given.state or "pending",
    slots = given.slots or 1, submitted = given.submitted, started = given.started,
    priority = given.priority or 0, user = given.user, group = given.group, app = given.app,
    run_limit = given.run_limit, exclusive = given.exclusive, backfill = given.backfill,
    preempted = given.preempted or 0, suspended_for = given.suspended_for or 0, hosts = {},
    grow = given.resize and given.resize.grow or 0,
    notifying = given.resize and given.resize.notifying or false,
  }
  for host, slots in pairs(given.hosts or {}) do job.hosts[host] = slots end
  job.uninterrupted = job.started and math.max(0, now - job.started)
  local behind = given.since and math.max(0, now - given.since) or 0
  job.ran = given.ran or job.uninterrupted or 0
  if given.ran and job.state == "running" then job.ran = job.ran + behind end
  if job.state == "suspended" or job.state == "stopped" then
    job.suspended_for = job.suspended_for + behind
  end
  job.uninterrupted = job.uninterrupted or job.ran
  for _, name in ipairs(PROTECTIONS) do job[name] = parameter(plan, job, name) end
  return job
end

--- P-30 ... P-34, A-8: does any parameter protect it?
function world.protected(job)
  return job.max_job_preempt and job.preempted >= job.max_job_preempt
    or job.max_total_time_preempt and job.suspended_for >= job.max_total_time_preempt
    or job.no_preempt_interval and job.uninterrupted <= job.no_preempt_interval
    or job.no_preempt_run_time and job.ran >= job.no_preempt_run_time
    or job.no_preempt_finish_time and job.run_limit
      and job.run_limit - job.ran <= job.no_preempt_finish_time
    or false
end

--- E-34: does a job run on a host that is closed with reclaim?
function world.evicted(w, job)
  local found = false
  for name in pairs(job.state == "running" and job.hosts or {}) do
    found = found or w.host[name] and w.host[name].vacated
  end
  return found
end

--- Documents are written with sorted keys.
local function names_of(hosts)
  local out = {}
  for name in pairs(hosts) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function read_hosts(plan, state, jobs)
  local list, used = {}, {}
  for _, job in ipairs(jobs) do
    for host, slots in pairs(job.state == "running" and job.hosts or {}) do
      used[host] = (used[host] or 0) + slots
    end
  end
  for i, name in ipairs(names_of(plan.hosts)) do
    local told = (state.hosts or {})[name] or {}
    local slots = told.slots or plan.hosts[name].slots
    local load = told.load and math.tointeger(told.load * 1000)
    if not load then load = slots > 0 and (used[name] or 0) * 1000 // slots or 0 end
    list[i] = {
      name = name, slots = told.closed and 0 or slots, place = i, load = load,
      vacated = told.closed == "reclaim",
    }
  end
  table.sort(list, function (a, b)
    if a.load ~= b.load then return a.load < b.load end
    return a.place < b.place
  end)
  return list
end

--- The user's groups: its own, and those that the plan puts it in.
local function groups_of(plan, job)
  local out = {}
  if job.group then out[job.group] = true end
  for name, users in pairs(plan.user_groups or {}) do
    for _, user in ipairs(users) do
      if user == job.user then out[name] = true end
    end
  end
  return out
end

--- Everything. Without hosts there is one, "", with all slots.
function world.read(plan, state)
  local out = { now = state.now, plan = plan, queues = {}, jobs = {}, on = false }
  local by_name = {}
  for i, given in ipairs(plan.queues) do
    out.queues[i] = read_queue(given, i)
    by_name[given.name] = out.queues[i]
    out.on = out.on or out.queues[i].preemptive or out.queues[i].preemptable
  end
  for i, given in ipairs(state.jobs or {}) do
    local job = read_job(plan, by_name, given, i, state.now)
    job.groups = groups_of(plan, job)
    if not plan.hosts and job.state ~= "pending" then job.hosts = { [""] = job.slots } end
    out.jobs[i] = job
  end
  if not plan.hosts then
    plan = { hosts = { [""] = { slots = state.slots or plan.slots } } }
  end
  out.hosts, out.by_name = read_hosts(plan, state, out.jobs), by_name
  out.host = {}
  for _, host in ipairs(out.hosts) do out.host[host.name] = host end
  return out
end

return world
