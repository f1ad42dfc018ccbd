-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What becomes of one job that has its turn: it runs, others go for it, or give back what they
--- were given in this cycle, or it waits (A-10 ... A-15).

local world = require "spec.support.model.queue_world"
local room = require "spec.support.model.queue_room"
local search = require "spec.support.model.queue_search"

local orders = {}

function orders.record(w, kind, job, hosts)
  local out = { job = job.id, queue = job.queue.name, slots = 0, hosts = {} }
  for host, slots in pairs(hosts) do
    out.slots = out.slots + slots
    if host ~= "" then out.hosts[host] = slots end
  end
  table.insert(w.out[kind], out)
  table.insert(w.log, out)
  return out
end

local function action_of(queue)
  local given = queue.given
  return given.job_controls and given.job_controls.suspend
    or given.terminate_when and "kill" or "suspend"
end

--- E-34: what runs on hosts closed with reclaim goes, and does not stay there suspended; while it
-- is told of new slots, not yet (A-15).
function orders.evict(w)
  for _, job in ipairs(w.jobs) do
    if world.evicted(w, job) then
      job.taken = true
      if not job.notifying then
        orders.record(w, "kills", job, job.hosts).action =
          action_of(job.queue) == "kill" and "kill" or "requeue"
        job.state = "gone"
      end
    end
  end
end

local function preempt(w, victim, by)
  local action = action_of(victim.queue)
  local ends = action == "kill" or action == "requeue"
  local out = orders.record(w, ends and "kills" or "suspends", victim, victim.hosts)
  out["for"], out.action = by.id, action
  victim.state, victim.gone_by = ends and "gone" or "suspended", out
end

local function strike(list, it)
  for i = #list, 1, -1 do
    if list[i] == it then table.remove(list, i) end
  end
end

--- Who was preempted in this cycle and is resumed was not preempted; who went for it went for
-- the one that it had to make room for.
local function runs_on(w, job)
  strike(w.out.suspends, job.gone_by)
  local by = w.by_id[job.gone_by["for"]]
  for _, kind in ipairs { "suspends", "kills" } do
    for _, it in ipairs(w.out[kind]) do
      if it["for"] == job.id and world.may(by.queue, w.by_id[it.job].queue) then
        it["for"] = by.id
      end
    end
  end
end

local function run(w, job, hosts)
  if job.state == "suspended" and job.was == "running" then
    runs_on(w, job)
  else
    job.told = orders.record(w, job.state == "suspended" and "resumes" or "starts", job, hosts)
  end
  job.from = { state = job.state, hosts = job.hosts }
  job.state, job.hosts, job.fresh = "running", hosts, true
end

--- A-15: what it would have is kept for a job whose victims are still to go: free slots, its
-- victims, and what limits allow it.
local function keep(w, job, victims)
  local gone, kept = {}, {}
  for _, victim in ipairs(victims) do gone[victim] = search.state_once(victim) end
  job.held = search.place(w, job, gone)
  if job.state == "pending" then
    for host, slots in pairs(job.held) do
      kept[host] = math.min(slots, math.max(0, room.free(w, w.host[host], job.queue, {})))
    end
  end
  local nobodys = { name = "", priority = 0 }
  job.keeper = {
    id = "", place = 0, queue = nobodys, groups = {}, state = "running", slots = 0, hosts = kept,
    grow = 0, taken = true,
  }
  table.insert(w.jobs, job.keeper)
  job.victims = victims
  for _, victim in ipairs(victims) do victim.taken = true end
end

local function let_go(w, job)
  for _, victim in ipairs(job.victims) do victim.taken = nil end
  strike(w.jobs, job.keeper)
  job.victims, job.held, job.keeper = nil, nil, nil
end

local function delayed(w, job)
  return job.state == "pending" and job.preempt_delay and job.submitted
    and w.now - job.submitted < job.preempt_delay
end

--- Victims go, and the job runs; or it waits for those that are told of new slots (A-15), not
-- where `now` says that it must be at once.
local function find(w, job, now)
  local victims = search.find(w, job)
  if not victims then return false end
  local waits = false
  for _, victim in ipairs(victims) do waits = waits or victim.notifying end
  if waits then
    if not now then keep(w, job, victims) end
    return false
  end
  for _, victim in ipairs(victims) do preempt(w, victim, job) end
  run(w, job, search.place(w, job, nil))
  return true
end

--- What jobs were given in this cycle, by its record; and undone.
local function given_to(w, job)
  local out = {}
  for i = #w.jobs, 1, -1 do
    local other = w.jobs[i]
    if (other.fresh or other.grown) and other.state == "running"
        and world.may(job.queue, other.queue) then
      out[#out + 1] = { job = other, fresh = other.fresh, grown = other.grown,
        state = other.state, hosts = other.hosts, slots = other.slots, from = other.from }
    end
  end
  return out
end

local function undo(list)
  for _, it in ipairs(list) do
    local job = it.job
    if job.grown then job.hosts, job.slots, job.grown = job.grown.hosts, job.grown.slots, nil end
    if job.fresh then job.state, job.hosts, job.fresh = job.from.state, job.from.hosts, nil end
  end
end

local function redo(list)
  for _, it in ipairs(list) do
    local job = it.job
    job.state, job.hosts, job.slots = it.state, it.hosts, it.slots
    job.fresh, job.grown, job.from = it.fresh, it.grown, it.from
  end
end

--- Slots that were given in this cycle to jobs that this one may preempt are its own, if it fits
-- with them: those wait again.
local function take_back(w, job)
  local list = given_to(w, job)
  if not list[1] then return false end
  undo(list)
  local hosts = search.place(w, job, nil)
  if hosts then run(w, job, hosts) end
  if not hosts and not find(w, job, true) then
    redo(list)
    return false
  end
  for _, it in ipairs(list) do
    if it.grown then strike(w.out.resizes, it.grown.told) end
    if it.fresh and it.job.was == "running" then table.insert(w.out.suspends, it.job.gone_by) end
    for _, kind in ipairs { "starts", "resumes" } do
      if it.fresh then strike(w.out[kind], it.job.told) end
    end
  end
  return true
end

--- Starts or resumes a job if it fits, or preempts (A-10, A-11), or takes back what was given to
-- others; whether it runs now. When it took something from others all begins again: `w.again`.
function orders.try(w, job)
  if job.fresh or job.taken then return false end
  if job.held then let_go(w, job) end
  local hosts = search.place(w, job, nil)
  if hosts then
    run(w, job, hosts)
    return true
  end
  if not w.on or delayed(w, job) or job.exclusive then return false end
  w.again = find(w, job) or not job.held and take_back(w, job)
  return w.again
end

return orders
