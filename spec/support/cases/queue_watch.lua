-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What no cycle over queues may break, counted by itself from the documents.

local invariants = require "allot.check.invariants_queues"
local search = require "spec.support.model.queue_search"
local room = require "spec.support.model.queue_room"
local world = require "spec.support.model.queue_world"

local engine = require "spec.support.cases.engine"

local watch = {}

function watch.claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

local claim = watch.claim

--- The jobs of a state once a decision is carried out, in no time.
function watch.after(decision)
  return engine.after(decision, { seconds = 0 }).jobs or {}
end

-- ---- Hosts -------------------------------------------------------------------------------------

function watch.hosts(plan, jobs)
  local host, fault = invariants.hosts_fit(plan, nil, nil, jobs)
  claim(not fault, "%s: %s", host, fault)
end

-- ---- Limits ------------------------------------------------------------------------------------

--- Slots on a host (nil: anywhere), or on the hosts of a set.
local function sum_of(jobs, states, counts, host)
  local sum = 0
  for _, job in ipairs(jobs) do
    if states[job.state or "pending"] and counts(job) then
      for name, slots in pairs(job.hosts) do
        local here = host == nil or host == name or type(host) == "table" and host[name]
        if here then sum = sum + slots end
      end
    end
  end
  return sum
end

local RUNNING = { running = true }
local KEPT = { running = true, suspended = true, stopped = true }
local USERS = { "ann", "bob", "cy" }

--- P-22: a queue's own limits count what is suspended. What runs when hosts close may be above a
-- part of their slots afterwards, but not above that of all (P-27).
local function check_queue(plan, jobs, queue)
  local function mine(job) return job.queue == queue.name end
  local all, cluster = sum_of(jobs, KEPT, mine), 0
  for _, host in pairs(plan.hosts) do cluster = cluster + host.slots end
  local most = queue.qjob_limit and room.part(queue.qjob_limit, cluster)
  claim(all <= (most or all), "%s has %d slots, above QJOB_LIMIT", queue.name, all)
  local each = queue.ujob_limit and room.part(queue.ujob_limit, most or cluster)
  for _, user in ipairs(each and USERS or {}) do
    local sum = sum_of(jobs, KEPT, function (job) return mine(job) and job.user == user end)
    claim(sum <= each, "%s has %d of %s, above UJOB_LIMIT", user, sum, queue.name)
  end
  for host in pairs(queue.hjob_limit and plan.hosts or {}) do
    local sum = sum_of(jobs, KEPT, mine, host)
    claim(sum <= queue.hjob_limit, "%s has %d on %s, above HJOB_LIMIT", queue.name, sum, host)
  end
end

--- The hosts that a list names, as a set; of none all.
local function named_hosts(plan, list)
  local set = {}
  if type(list) ~= "table" then list = { "all" } end
  for sign = 0, 1 do
    for _, word in ipairs(list) do
      local name = word:gsub("^~", "")
      local out = name ~= word
      local of = name == "all" and plan.hosts or nil
      for host in pairs(of or {}) do if out == (sign == 1) then set[host] = not out or nil end end
      for _, host in ipairs(not of and ((plan.host_groups or {})[name] or { name }) or {}) do
        if out == (sign == 1) then set[host] = not out or nil end
      end
    end
  end
  return set
end

--- P-21, P-23: what runs is never above a limit; of user groups neither is what is suspended.
local function check_limit(plan, jobs, limit)
  local each = type(limit.per_host) == "table" and limit.per_host
  local set = named_hosts(plan, each or limit.hosts)
  local function within(states, counts, whose)
    for _, on in ipairs(limit.per_host and (function ()
      local out = {}
      for host in pairs(set) do out[#out + 1] = host end
      return out
    end)() or { set }) do
      local sum = sum_of(jobs, states, counts, on)
      claim(sum <= limit.slots, "%s: %s has %d slots", limit.name, whose, sum)
    end
  end
  for _, user in ipairs(limit.per_user and USERS or limit.users or {}) do
    local function counts(job) return job.user == user end
    within(RUNNING, counts, user)
  end
  for _, group in ipairs(limit.user_groups or {}) do
    local users = {}
    for _, user in ipairs(plan.user_groups[group]) do users[user] = true end
    within(KEPT, function (job) return users[job.user] end, group)
  end
  if not (limit.per_user or limit.users or limit.user_groups) then
    within(RUNNING, function () return true end, "everybody")
  end
end

function watch.limits(plan, jobs)
  for _, queue in ipairs(plan.queues) do check_queue(plan, jobs, queue) end
  for _, limit in ipairs(plan.limits or {}) do check_limit(plan, jobs, limit) end
end

-- ---- Pools -------------------------------------------------------------------------------------

--- Q-3; and by its slice alone a queue does not get more than that, but for a job that is larger
-- than all of it (A-25).
function watch.pools(plan, state, decision)
  local used, most, before, by_slice, large, gone = 0, nil, {}, {}, {}, {}
  for _, it in ipairs(decision.kills) do gone[it.job] = not it.held end -- E-34, before all else
  for _, job in ipairs(state.jobs or {}) do
    local had = KEPT[job.state] and not gone[job.id]
    if had then before[job.queue] = (before[job.queue] or 0) + (job.slots or 1) end
  end
  for _, it in ipairs(decision.starts) do
    if it.why.code == "free" then by_slice[it.queue] = (by_slice[it.queue] or 0) + it.slots end
    large[it.queue] = large[it.queue] or it.slots > (decision.queues[it.queue].slice or 0)
  end
  for _, queue in ipairs(plan.queues) do
    if queue.slot_pool then
      most = most or queue.max_slots_in_pool or math.huge
      local part, had = decision.queues[queue.name], before[queue.name] or 0
      local got = by_slice[queue.name] or 0
      used = used + had + part.started + part.grown
      claim(got == 0 or had + got <= part.slice or large[queue.name], "%s has %d + %d of slice %d",
        queue.name, had, got, part.slice)
    end
  end
  claim(used <= (most or used), "the pool has %d slots, above MAX_SLOTS_IN_POOL", used)
end

-- ---- Preemption --------------------------------------------------------------------------------

local function by_id(list)
  local out = {}
  for _, job in ipairs(list) do out[job.id] = job end
  return out
end

--- Who is preempted in a decision, in its order: { job, for, kind, preempted }.
function watch.victims(decision)
  local out = {}
  for _, kind in ipairs { "suspends", "kills" } do
    for _, it in ipairs(decision[kind]) do
      if it["for"] and not it.held then
        out[#out + 1] = { job = it.job, by = it["for"], kind = kind, preempted = it.preempted }
      end
    end
  end
  return out
end

--- P-7, P-8, P-30 ... P-34, of the state before.
function watch.protected(plan, state, decision)
  local jobs = by_id(world.read(plan, state).jobs)
  for _, it in ipairs(watch.victims(decision)) do
    local victim, by = jobs[it.job], jobs[it.by]
    claim(victim.state == "running", "%s is preempted, but does not run", it.job)
    claim(world.may(by.queue, victim.queue), "%s may not preempt %s", it.by, it.job)
    claim(not world.protected(victim), "%s is protected", it.job)
    claim(not victim.exclusive, "%s is exclusive", it.job)
  end
end

--- The model's world behind a decision.
local function world_after(plan, state, decision)
  return world.read(plan, {
    now = state.now, jobs = watch.after(decision), hosts = state.hosts,
  })
end

local function ready(plan, state, decision)
  local w = world_after(plan, state, decision)
  w.limits = room.limits(w)
  return w, by_id(w.jobs)
end

--- The only preemptor of a decision as it was before it, in the world behind the decision, and its
-- victims, running again. Who came later has only taken room, so what fits now did so then too.
-- A preemptor that ran before it was stopped and resumed in this cycle: on its own hosts.
local function searched(plan, state, decision)
  local list, by = watch.victims(decision), nil
  for _, it in ipairs(list) do
    if by and it.by ~= by then return nil end
    if it.kind ~= "suspends" then return nil end
    by = it.by
  end
  if not by then return nil end
  local w, jobs = ready(plan, state, decision)
  local victims, preemptor = {}, jobs[by]
  for i, it in ipairs(list) do victims[i] = jobs[it.job] end
  for _, job in ipairs(state.jobs) do
    if job.id == by then
      local was = job.state or "pending"
      preemptor.state, preemptor.hosts = was == "running" and "suspended" or was, job.hosts or {}
    end
  end
  return w, preemptor, victims
end

local function fits(w, job, list, but)
  for _, victim in ipairs(list) do victim.state = victim == but and "running" or "suspended" end
  return search.place(w, job, nil) ~= nil
end

--- Those before a job keep their slots, and those that were stopped do (P-25).
local function claims_before(w, job)
  local claims = {}
  for _, other in ipairs(w.jobs) do
    local before = other.queue.priority >= job.queue.priority
    claims[other] = other.state == "stopped" or other.state == "suspended" and before
  end
  return claims
end

--- MINI_JOB: without any one of the victims the preemptor has no room.
function watch.few(plan, state, decision)
  local w, job, victims = searched(plan, state, decision)
  if not w then return end
  w.claims = claims_before(w, job)
  w.claims[job] = nil
  for _, victim in ipairs(victims) do
    claim(not fits(w, job, victims, victim), "%s did not need %s", job.id, victim.id)
  end
  return true
end

--- Every choice of `count` of a list, by its index in it.
local function choices(list, count, each)
  local at = {}
  for i = 1, count do at[i] = i end
  while count <= #list do
    each(at)
    local i = count
    while i > 0 and at[i] == #list - count + i do i = i - 1 end
    if i == 0 then return end
    at[i] = at[i] + 1
    for k = i + 1, count do at[k] = at[k - 1] + 1 end
  end
end

--- Where jobs of queues that it may not preempt keep more than there is, what victims make free
-- does not add up, and the fewest are not asked for.
local function is_overdrawn(w, job)
  for _, host in ipairs(w.hosts) do
    if room.free(w, host, job.queue, job) < 0 then return true end
  end
end

--- OPTIMAL_MINI_JOB: no fewer of those that may go make room. At most `most` candidates.
function watch.fewest(plan, state, decision, most)
  local w, job, victims = searched(plan, state, decision)
  if not w then return end
  local fate, list = engine.fates(decision), {}
  for _, victim in ipairs(victims) do victim.state = "running" end
  for _, other in ipairs(w.jobs) do
    local fresh = fate[other.id] and fate[other.id].kind ~= "suspends"
    if other.state == "running" and not fresh and world.may(job.queue, other.queue)
        and not world.protected(other) then
      list[#list + 1] = other
    end
  end
  if #list > most or is_overdrawn(w, job) then return end
  choices(list, #victims - 1, function (at)
    local few = {}
    for i, k in ipairs(at) do few[i] = list[k] end
    local fit = fits(w, job, few)
    for _, other in ipairs(few) do other.state = "running" end
    claim(not fit, "%d preempted for %s, %d do", #victims, job.id, #few)
  end)
  return #victims
end

-- ---- Nothing is left lying ---------------------------------------------------------------------

--- Who waits behind a cycle that preempted nobody does not fit; P-26 with that.
function watch.waiting(plan, state, decision)
  if #decision.suspends + #decision.kills > 0 then return end
  local w = ready(plan, state, decision)
  for _, job in ipairs(w.jobs) do
    if (job.state == "pending" or job.state == "suspended") and not job.queue.pool then
      w.claims = claims_before(w, job)
      claim(not search.place(w, job, nil), "%s is %s, but fits", job.id, job.state)
    end
  end
end

return watch
