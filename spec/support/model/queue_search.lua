-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whether a job fits, and whom it preempts so that it does (P-7 ... P-14, A-1 ... A-15), by
--- trying.

local world = require "spec.support.model.queue_world"
local room = require "spec.support.model.queue_room"

local search = {}

--- Where a job would run with jobs `gone` (suspended or ended): slots by host, or nil and how many
-- there are. A suspended job only on its own hosts.
function search.place(w, job, gone)
  local before = {}
  for other, state in pairs(gone or {}) do before[other], other.state = other.state, state end
  local placed, left = {}, job.slots
  for _, host in ipairs(w.hosts) do
    local own = job.hosts[host.name]
    if job.state == "suspended" then
      local free = own and math.max(0, room.free_to_resume(w, host, job)) or 0
      local slots = own and math.min(own, room.on_host(w, job, host.name, free, placed)) or 0
      if slots > 0 then placed[host.name], left = slots, left - slots end
    elseif not job.queue.hosts or job.queue.hosts[host.name] then
      local free = room.free(w, host, job.queue, job)
      local slots = math.min(left, room.on_host(w, job, host.name, math.max(0, free), placed))
      if slots > 0 then placed[host.name], left = slots, left - slots end
    end
  end
  local allowed = room.allowed(w, job, job.slots)
  for other, state in pairs(before) do other.state = state end
  if left == 0 and allowed then return placed, 0, true end
  return nil, left, allowed
end

--- What a job is once it is preempted.
function search.state_once(job)
  local given = job.queue.given
  local action = given.job_controls and given.job_controls.suspend
  local ends = given.terminate_when or action == "requeue" or action == "kill"
  return ends and "gone" or "suspended"
end

--- Slots by which a victim lessens what the limits that bind have in use.
local function excess(w, job)
  local sum = 0
  for _, it in ipairs(w.limits) do
    if not it.per_host and not it.hosts then
      sum = sum + math.max(0, room.over(w, it, job))
    end
  end
  return sum
end

local function with(gone, victim)
  local out = {}
  for job, state in pairs(gone) do out[job] = state end
  out[victim] = search.state_once(victim)
  return out
end

--- What is wanting still: slots on hosts, and above limits.
local function wanting(w, job, gone)
  local before = {}
  for other, state in pairs(gone) do before[other], other.state = other.state, state end
  local _, left = search.place(w, job, nil)
  local over = excess(w, job)
  for other, state in pairs(before) do other.state = state end
  return left, over
end

--- Is less wanting with a victim gone, too?
local function makes_room(w, job, victim, gone)
  local left, over = wanting(w, job, gone)
  local left_then, over_then = wanting(w, job, with(gone, victim))
  return left_then < left or over_then < over
end

--- The order of victims by default (A-2, A-4): without preferences the least loaded host, then the
-- lower PRIORITY, then the last started; with some, these first (P-11), and so with
-- LEAST_RUN_TIME (P-12).
local function before(high, least, a, b)
  local low = high.low or {}
  local prefers = least
  for _, level in pairs(low) do prefers = prefers or level > 0 end
  if prefers then
    local x, y = low[a.queue.name] or 0, low[b.queue.name] or 0
    if x ~= y then return x > y end
    if a.queue.priority ~= b.queue.priority then return a.queue.priority < b.queue.priority end
  end
  if least and a.ran ~= b.ran then return a.ran < b.ran end
  if a.at.load ~= b.at.load then return a.at.load < b.at.load end
  if a.at.place ~= b.at.place then return a.at.place < b.at.place end
  if a.queue.priority ~= b.queue.priority then return a.queue.priority < b.queue.priority end
  local x, y = a.started or math.mininteger, b.started or math.mininteger
  if x ~= y then return x > y end
  return a.id > b.id
end

local function candidates(w, job)
  local out = {}
  for _, other in ipairs(w.jobs) do
    local types = w.job_types or {}
    local typed = (not other.exclusive or types.exclusive)
      and (not other.backfill or types.backfill)
    if other.state == "running" and not other.fresh and not other.taken and typed
        and world.may(job.queue, other.queue) and not world.protected(other) then
      for _, host in ipairs(w.hosts) do
        if other.hosts[host.name] then
          other.at = host
          break
        end
      end
      out[#out + 1] = other
    end
  end
  table.sort(out, function (a, b) return a ~= b and before(job.queue, w.least_run_time, a, b) end)
  return out
end

local function gone_of(list, but)
  local out = {}
  for _, victim in ipairs(list) do
    if victim ~= but then out[victim] = search.state_once(victim) end
  end
  return out
end

--- The fewest that make the job fit, and of such sets the first in the order; nil where limits are
-- wanting too, or hosts have more than fits.
local function fewest(w, job, list)
  if not room.allowed(w, job, job.slots) then return nil end
  local sizes = {}
  for i, victim in ipairs(list) do
    local gain = 0
    for host, slots in pairs(victim.hosts) do
      if not job.queue.hosts or job.queue.hosts[host] then gain = gain + slots end
    end
    sizes[i] = { gain = gain, i = i }
  end
  local _, need = search.place(w, job, nil)
  local by_gain = { table.unpack(sizes) }
  table.sort(by_gain, function (a, b)
    return a.gain > b.gain or a.gain == b.gain and a.i < b.i
  end)
  local count, sum = 0, 0
  while sum < need do
    count = count + 1
    if not by_gain[count] then return {} end
    sum = sum + by_gain[count].gain
  end
  local chosen, left = {}, need
  for i, size in ipairs(sizes) do
    if #chosen < count then
      local rest, n = size.gain, count - #chosen - 1
      local behind = {}
      for k = i + 1, #sizes do behind[#behind + 1] = sizes[k].gain end
      table.sort(behind, function (a, b) return a > b end)
      for k = 1, n do rest = rest + (behind[k] or -math.huge) end
      if rest >= left then chosen[#chosen + 1], left = list[i], left - size.gain end
    end
  end
  return chosen
end

--- The jobs that go so that `job` fits; nil: there are no such.
function search.find(w, job)
  local list = candidates(w, job)
  if w.fewest == "optimal_mini_job" and w.slots_alone then
    local chosen = fewest(w, job, list)
    if chosen and chosen[1] and search.place(w, job, gone_of(chosen)) then return chosen end
    if chosen and not chosen[1] then return nil end
  end
  local gone, chosen = {}, {}
  for _, victim in ipairs(list) do
    local left, over = wanting(w, job, gone)
    if left == 0 and over == 0 then break end
    if makes_room(w, job, victim, gone) then
      gone, chosen[#chosen + 1] = with(gone, victim), victim
    end
  end
  local together = not search.place(w, job, gone) -- who makes room only with others
  for _, victim in ipairs(together and list or {}) do
    if search.place(w, job, gone) then break end
    if not gone[victim] then gone, chosen[#chosen + 1] = with(gone, victim), victim end
  end
  if not search.place(w, job, gone) then return nil end
  for i = (together or w.fewest ~= "no") and #chosen or 0, 1, -1 do
    if search.place(w, job, gone_of(chosen, chosen[i])) then
      table.remove(chosen, i)
    end
  end
  return chosen
end

return search
