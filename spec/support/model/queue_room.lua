-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What is free for whom, and which limits bind: counted anew from the jobs whenever it is asked.

local world = require "spec.support.model.queue_world"

local room = {}

--- Jobs on a host that take its slots from a queue: what runs, and what is suspended in queues that
-- it may not preempt (P-20, P-25).
local function holds(w, queue, job)
  if job.state == "running" then return true end
  if job.state ~= "suspended" and job.state ~= "stopped" then return false end
  return not w.on or not world.may(queue, job.queue)
end

--- Free slots of a host for a job of a queue; below 0 where more runs than it has.
function room.free(w, host, queue, job)
  local free, busy = host.slots, false
  for _, other in ipairs(w.jobs) do
    local slots = other.hosts[host.name]
    if slots and other ~= job and holds(w, queue, other) then
      free, busy = free - slots, true
      if other.state == "running" and other.exclusive then return 0 end
    end
  end
  if busy and job.exclusive then return 0 end
  return free
end

--- The same for a suspended job that is to be resumed: jobs that are suspended, too, keep their
-- slots against it where they had their turn before it (P-15, P-25): `w.claims`.
function room.free_to_resume(w, host, job)
  local free = host.slots
  for _, other in ipairs(w.jobs) do
    local slots = other.hosts[host.name]
    local claims = (w.claims or {})[other] and other.state ~= "running"
    if slots and other ~= job and (other.state == "running" or claims) then
      if other.exclusive and not claims or job.exclusive then return 0 end
      free = free - slots
    end
  end
  return free
end

-- ---- Limits ------------------------------------------------------------------------------------

local function limit(kind, most, of)
  of.kind, of.most = kind, most
  return of
end

--- P-27: slots, or "25%" of a whole, rounded down, but one at least.
function room.part(stated, whole)
  local percent = tostring(stated):match "^(%d+)%%$"
  return percent and math.max(1, percent * whole // 100) or stated
end

--- All limits of a plan: its own, and those that queues state.
function room.limits(w)
  local cluster = 0
  for _, host in ipairs(w.hosts) do cluster = cluster + host.slots end
  local out = {}
  for _, queue in ipairs(w.queues) do
    local given, only = queue.given, { [queue.name] = true }
    if given.qjob_limit then
      out[#out + 1] = limit("slots", room.part(given.qjob_limit, cluster),
        { queues = only, own = true })
    end
    if given.ujob_limit then
      local queues = given.qjob_limit and room.part(given.qjob_limit, cluster) or cluster
      out[#out + 1] = limit("slots", room.part(given.ujob_limit, queues),
        { queues = only, per_user = true, own = true })
    end
    if given.hjob_limit then
      out[#out + 1] = limit("slots", given.hjob_limit,
        { queues = only, per_host = true, own = true })
    end
  end
  for _, given in ipairs(w.plan.limits or {}) do
    local function names(key)
      if not given[key] then return nil end
      local set = {}
      for _, name in ipairs(given[key]) do set[name] = true end
      return set
    end
    out[#out + 1] = limit(given.jobs and "jobs" or "slots", given.jobs or given.slots, {
      queues = names "queues", users = names "users", groups = names "user_groups",
      hosts = names "hosts", named = given.hosts ~= nil,
      per_user = given.per_user, per_host = given.per_host,
      per_group = given.per_group, per_queue = given.per_queue,
    })
  end
  for _, it in ipairs(out) do -- all of them: it is of none by itself
    local all = it.hosts ~= nil
    for _, host in ipairs(w.hosts) do all = all and it.hosts[host.name] end
    if all then it.hosts = nil end
  end
  return out
end

local function meets(set, names)
  if set == nil then return true end
  for name in pairs(names) do
    if set[name] then return true end
  end
  return false
end

local function same_group(a, b)
  for name in pairs(a.groups) do
    if b.groups[name] then return true end
  end
  return false
end

--- Is a job one that a limit is about?
local function about(it, job)
  return meets(it.queues, { [job.queue.name] = true })
    and (it.users == nil or job.user ~= nil and it.users[job.user])
    and (it.groups == nil or meets(it.groups, job.groups))
    and (not it.per_user or job.user ~= nil)
end

--- Do two jobs count together in it?
local function together(it, a, b)
  return about(it, a) and about(it, b)
    and (not it.per_user or a.user == b.user)
    and (not it.per_queue or a.queue == b.queue)
    and (not it.per_group or same_group(a, b))
end

--- P-20 ... P-24: do suspended jobs count?
local function counts_suspended(w, it)
  if not w.on or it.own then return true end
  if it.kind == "jobs" then return false end
  local user, group = it.users or it.per_user, it.groups or it.per_group
  local host = it.named or it.per_host
  local lifts = w.lifts or {}
  if (user or group) and it.per_host then return not lifts.host_jlu end
  if group then return not lifts.group_max end
  if user or host then return false end
  return true
end

--- What others use of a limit that a job counts in, on a host or (nil) on all that it names. For a
-- job that is to be resumed only what runs counts: what is suspended has been counted before.
local function used(w, it, job, host)
  local sum = 0
  for _, other in ipairs(w.jobs) do
    local state = other.held and "running" or other.state -- kept for it (A-15)
    local runs = state == "running" or (state == "suspended" or state == "stopped")
      and job.state ~= "suspended" and counts_suspended(w, it)
    if other ~= job and runs and together(it, job, other) then
      local slots = 0
      for name, n in pairs(other.held or other.hosts) do
        if (host == nil or name == host) and (it.hosts == nil or it.hosts[name]) then
          slots = slots + n
        end
      end
      sum = sum + (it.kind == "jobs" and math.min(slots, 1) or slots)
    end
  end
  return sum
end

--- By how much a limit of no host would be exceeded if a job ran.
function room.over(w, it, job)
  if it.per_host or it.hosts or not about(it, job) then return 0 end
  return used(w, it, job) + (it.kind == "jobs" and 1 or job.slots) - it.most
end

--- Whether limits that are of no host let a job run with so many slots more than it has; else the
-- one that does not.
function room.allowed(w, job, slots)
  for _, it in ipairs(w.limits) do
    if not it.per_host and not it.hosts and about(it, job) then
      local ask = it.kind == "jobs" and 1 or slots
      if used(w, it, job) + ask > it.most then return false, it end
    end
  end
  return true
end

--- The most slots that a job may use on a host by limits, of those free there. `placed`: slots that
-- it has by host already.
function room.on_host(w, job, host, free, placed)
  for _, it in ipairs(w.limits) do
    local here = it.hosts == nil and it.per_host or it.hosts and it.hosts[host]
    if here and about(it, job) then
      local left = it.most - used(w, it, job, it.per_host and host or nil)
      if it.kind == "jobs" then left = left >= 1 and free or 0 end
      for name, slots in pairs(it.kind == "slots" and not it.per_host and placed or {}) do
        if it.hosts[name] then left = left - slots end
      end
      free = math.min(free, left)
    end
  end
  return math.max(0, free)
end

return room
