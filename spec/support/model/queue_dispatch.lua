-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A cycle over queues, said a second time: job by job, everything counted anew, from rules.md 1.8,
--- 2.4 and 2.5 (P-15, P-25, P-60, Q-43, A-12, A-25, A-26, A-30). Whenever a job took something from
--- others, all begins again from the highest queue.

local world = require "spec.support.model.queue_world"
local room = require "spec.support.model.queue_room"
local orders = require "spec.support.model.queue_orders"
local pools = require "spec.support.model.queue_pool"

local dispatch = {}

-- ---- Order -------------------------------------------------------------------------------------

local function job_before(a, b)
  if (a.state == "suspended") ~= (b.state == "suspended") then return a.state == "suspended" end
  if a.priority ~= b.priority then return a.priority > b.priority end
  local x, y = a.submitted or math.mininteger, b.submitted or math.mininteger
  if x ~= y then return x < y end
  return a.place < b.place
end

local function waiting(w, queues)
  local set, out = {}, {}
  for _, queue in ipairs(queues) do set[queue] = true end
  for _, job in ipairs(w.jobs) do
    local waits = job.state == "pending" or job.state == "suspended"
    if set[job.queue] and waits and not job.taken then out[#out + 1] = job end
  end
  table.sort(out, function (a, b) return a ~= b and job_before(a, b) end)
  return out
end

--- Places in order: lists of queues that go as one, and pools at their queues' places.
local function places(w)
  local sorted, out, merged = { table.unpack(w.queues) }, {}, {}
  table.sort(sorted, function (a, b)
    if a.priority ~= b.priority then return a.priority > b.priority end
    return a.place < b.place
  end)
  for _, queue in ipairs(sorted) do
    local equal = merged[queue.priority]
    if queue.pool then
      out[#out + 1] = { pool = queue.pool, queue }
    elseif queue.fairshare then
      out[#out + 1] = { queue }
    elseif equal then
      equal[#equal + 1] = queue
    else
      merged[queue.priority] = { queue }
      out[#out + 1] = merged[queue.priority]
    end
  end
  return out
end

-- ---- Growing --------------------------------------------------------------------------------

--- Hosts that a running job may grow on, its own first.
local function hosts_to_grow(w, job)
  local own, others = {}, {}
  for _, host in ipairs(w.hosts) do
    if not job.queue.hosts or job.queue.hosts[host.name] then
      table.insert(job.hosts[host.name] and own or others, host)
    end
  end
  return table.move(others, 1, #others, #own + 1, own)
end

--- The most that a job may have more of a host's free slots.
local function growth(w, job, host, left, grown, more)
  local slots, elsewhere = math.min(left, math.max(0, room.free(w, host, job.queue, {}))), {}
  for name, had in pairs(job.hosts) do elsewhere[name] = had end
  for name, had in pairs(more) do elsewhere[name] = (elsewhere[name] or 0) + had end
  elsewhere[host.name] = nil
  slots = room.on_host(w, job, host.name, slots + (job.hosts[host.name] or 0), elsewhere)
    - (job.hosts[host.name] or 0)
  while slots > 0 and not room.allowed(w, job, job.slots + grown + slots) do slots = slots - 1 end
  return slots
end

--- P-50: free slots for running jobs that ask for more, as many as there are. `left`: how many the
-- pool leaves a queue; nil: it has none.
local function grow(w, queues, left)
  local set = {}
  for _, queue in ipairs(queues) do set[queue] = true end
  for _, job in ipairs(w.jobs) do
    local may = job.was == "running" and job.state == "running" and job.grow > 0
      and not job.grown
    if set[job.queue] and may and not job.notifying and not job.exclusive then
      local more, grown = {}, 0
      local most = math.min(job.grow, left and left() or job.grow)
      for _, host in ipairs(hosts_to_grow(w, job)) do
        local slots = growth(w, job, host, most - grown, grown, more)
        if slots > 0 then more[host.name], grown = slots, grown + slots end
      end
      if grown > 0 then
        job.grown = { hosts = job.hosts, slots = job.slots,
          told = orders.record(w, "resizes", job, more) }
        job.hosts = {}
        for host, slots in pairs(job.grown.hosts) do job.hosts[host] = slots end
      end
      for host, slots in pairs(more) do
        job.hosts[host], job.slots = (job.hosts[host] or 0) + slots, job.slots + slots
      end
    end
  end
end

-- ---- Pools -------------------------------------------------------------------------------------

local function used_by(w, queue)
  local sum = 0
  for _, job in ipairs(w.jobs) do
    if job.queue == queue and job.state ~= "pending" and job.state ~= "gone" then
      sum = sum + job.slots
    end
  end
  return sum
end

--- Free slots of a pool's hosts, as a queue of it sees them.
local function free_of(w, queue)
  local sum = 0
  for _, host in ipairs(w.hosts) do
    if not queue.hosts or queue.hosts[host.name] then
      sum = sum + math.max(0, room.free(w, host, queue, {}))
    end
  end
  return sum
end

local function same_class(a, b)
  if a.user ~= b.user then return false end
  for name in pairs(a.groups) do
    if not b.groups[name] then return false end
  end
  return true
end

--- Q-33: what a queue uses, and what limits leave of what its users have pending, one user after
-- another.
local function wants(w, queue)
  local pending, classes = {}, {}
  for _, job in ipairs(w.jobs) do
    if job.queue == queue and job.state == "pending" then
      local first = job
      for _, other in ipairs(classes) do first = same_class(other, job) and other or first end
      if not pending[first] then classes[#classes + 1] = first end
      pending[first] = (pending[first] or 0) + job.slots
    end
  end
  local sum = used_by(w, queue)
  for _, job in ipairs(classes) do
    local most = pending[job]
    while most > 0 and not room.allowed(w, job, most) do most = most - 1 end
    job.state, job.hosts, sum = "running", { ["*"] = most }, sum + most
  end
  for _, job in ipairs(classes) do job.state, job.hosts = "pending", {} end
  return sum
end

local function members(w, name)
  local out = {}
  for _, queue in ipairs(w.queues) do
    if queue.pool == name then out[#out + 1] = queue end
  end
  return out
end

local function most_of(it)
  return it.queues[1].given.max_slots_in_pool or math.huge
end

--- Cuts slices for those not reached yet, from what they use and what is free.
local function cut(w, it)
  local rows, base, before = {}, free_of(w, it.queues[1]), 0
  for _, queue in ipairs(it.order) do
    local used = used_by(w, queue)
    if not it.reached[queue] then
      rows[#rows + 1] = { queue = queue, share = queue.share, used = used, wants = wants(w, queue) }
      base = base + used
    else
      before = before + used
    end
  end
  base = math.min(base, most_of(it) - before)
  pools.cut(rows, math.max(0, base), not it.by_priority)
  for _, row in ipairs(rows) do it.slice[row.queue] = row end
  it.free = free_of(w, it.queues[1])
  return base
end

local function open_pool(w, name)
  local queues = members(w, name)
  local it = {
    name = name, queues = queues, reached = {}, count = 0, slice = {},
    by_priority = queues[1].given.use_priority_in_pool,
    order = pools.order(queues, w.usage),
  }
  it.base = cut(w, it)
  return it
end

local function used_in(w, it)
  local sum = 0
  for _, queue in ipairs(it.queues) do sum = sum + used_by(w, queue) end
  return sum
end

local function left_of(w, it)
  return math.min(free_of(w, it.queues[1]), most_of(it) - used_in(w, it))
end

--- Of its slice a queue leaves to those before it in the pool's order what they lack of theirs.
local function may_use(w, it, queue)
  local theirs, slice = 0, it.slice[queue].slice
  for _, other in ipairs(it.order) do
    if other == queue then break end
    local lacks = it.slice[other].slice - used_by(w, other)
    if not it.reached[other] then theirs = theirs + math.max(0, lacks) end
  end
  if theirs == 0 then return slice end
  return math.min(slice, used_by(w, queue) + math.max(0, left_of(w, it) - theirs))
end

local function start_within(w, it, queue)
  local row = it.slice[queue]
  for _, job in ipairs(waiting(w, { queue })) do
    local used = used_by(w, queue)
    local fits = used + job.slots <= it.may or job.state == "suspended"
    local large = job.slots > row.slice and used < it.may -- A-25
    local most = most_of(it) - used_in(w, it)
    if (fits or large) and (job.state == "suspended" or job.slots <= most) then
      if orders.try(w, job) then it.free = it.free - job.slots end
    end
  end
end

--- Q-31 with jobs as they are: what fits of what is left; a queue gets its part, or one job.
local function leftover(w, it)
  local moved = true
  while moved and left_of(w, it) > 0 do
    moved = false
    local round = left_of(w, it)
    for _, queue in ipairs(it.order) do
      local part, sum = (round * queue.share + 99) // 100, 0
      for _, job in ipairs(waiting(w, { queue })) do
        if sum > 0 and sum + job.slots > part then break end
        if job.slots <= left_of(w, it) and orders.try(w, job) then
          sum, moved = sum + job.slots, true
        end
      end
    end
  end
end

--- A-30.
local function by_priority(w, it)
  local list = waiting(w, it.queues)
  table.sort(list, function (a, b)
    if a.priority ~= b.priority then return a.priority > b.priority end
    if a.queue.priority ~= b.queue.priority then return a.queue.priority > b.queue.priority end
    local x, y = a.submitted or math.mininteger, b.submitted or math.mininteger
    if x ~= y then return x < y end
    return a.place < b.place
  end)
  for _, job in ipairs(list) do
    if job.slots <= left_of(w, it) then orders.try(w, job) end
  end
end

local function serve_pool(w, it, queue)
  if free_of(w, it.queues[1]) ~= it.free then cut(w, it) end
  it.may = may_use(w, it, queue)
  it.reached[queue], it.count = true, it.count + 1
  start_within(w, it, queue)
  grow(w, { queue }, function ()
    local slice = it.may - used_by(w, queue)
    return math.max(0, math.min(slice, most_of(it) - used_in(w, it)))
  end)
  if it.count == #it.order then
    if it.by_priority then by_priority(w, it) else leftover(w, it) end
  end
end

-- ---- The cycle ---------------------------------------------------------------------------------

--- P-15, P-25: who is suspended, and had its turn, claims its slots from then on.
local function claim(w, queues, state)
  for _, job in ipairs(w.jobs) do
    for _, queue in ipairs(queues) do
      if job.queue == queue and job.state == state then w.claims[job] = true end
    end
  end
end

--- All queues from the highest on, until somebody took something from others; whether anything was
-- decided.
local function pass(w)
  local open, before = {}, #w.log
  w.claims, w.again = {}, false
  for _, place in ipairs(places(w)) do
    claim(w, place, "stopped")
    if place.pool then
      open[place.pool] = open[place.pool] or open_pool(w, place.pool)
      serve_pool(w, open[place.pool], place[1])
    else
      for _, job in ipairs(waiting(w, place)) do
        orders.try(w, job)
        if w.again then return true end
        if job.state == "suspended" then w.claims[job] = true end
      end
      grow(w, place)
    end
  end
  return #w.log > before
end

local function pools_grow(w)
  for _, job in ipairs(w.jobs) do
    if job.queue.pool and job.was == "running" and job.grow > 0 then return true end
  end
end

--- What a cycle decides: lists `starts`, `resumes`, `suspends`, `kills`, `resizes`, in order.
-- `opts` is what a policy's options say: lifts, fewest, job_types, least_run_time; and usage.
function dispatch.run(plan, state, opts)
  local w = world.read(plan, state)
  w.out = { starts = {}, resumes = {}, suspends = {}, kills = {}, resizes = {} }
  for key, value in pairs(opts or {}) do w[key] = value end
  w.fewest, w.usage = w.fewest or "no", w.usage or state.usage or {}
  w.limits, w.log, w.by_id = room.limits(w), {}, {}
  for _, job in ipairs(w.jobs) do w.by_id[job.id], job.was = job, job.state end
  w.slots_alone = true
  for _, it in ipairs(w.limits) do
    if it.per_host or it.hosts then w.slots_alone = false end
  end
  orders.evict(w)
  repeat local more = pass(w) until not w.again and not (more and pools_grow(w))
  return w.out, w
end

return dispatch
