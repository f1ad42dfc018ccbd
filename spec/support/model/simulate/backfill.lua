-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A slow model of backfill (rules B-1 ... B-8): free slots second by second, and a log played from
--- event to event.
--
-- A world has hosts, { name, slots }, in the plan's order, and jobs. A job has `slots`, `limit`
-- (seconds; nil: none), `hosts` (a set of names; nil: all), `exclusive`; once it runs, `places`
-- (slots by host) and `start`; before, its place in the order of turns is that in the list. The
-- world's `limits` have the most slots by a user, jobs a `user`.

local backfill = {}

local function serves(job, host)
  return not job.hosts or job.hosts[host.name] ~= nil
end

--- Hosts that the same jobs may use are one cell; with an exclusive job around, each is its own.
local function cells_of(world)
  local alone, cells, by = false, {}, {}
  for _, job in ipairs(world.jobs) do alone = alone or job.exclusive end
  for i, host in ipairs(world.hosts) do
    local key = { alone and i or "" }
    for _, queue in ipairs(world.queues) do key[#key + 1] = serves(queue, host) and "y" or "n" end
    key = table.concat(key)
    if not by[key] then
      by[key] = { hosts = {}, slots = 0 }
      cells[#cells + 1] = by[key]
    end
    host.cell = by[key]
    table.insert(host.cell.hosts, host)
    host.cell.slots = host.cell.slots + host.slots
  end
  return cells
end

--- A job that has run as long as it was said to, or longer, is taken to run twice as long, and so
--- on (B-4).
local function left_of(job, now)
  if not job.limit then return math.huge end
  local length, ran = math.max(job.limit, 1), job.start and now - job.start or 0
  while length <= ran do length = 2 * length end
  return length - ran
end

--- No more changes after so many seconds.
local function horizon_of(world)
  local sum = 1
  for _, job in ipairs(world.jobs) do
    sum = sum + (job.limit and left_of(job, world.now) or 1)
  end
  return sum
end

--- Takes slots of a cell, or of whole hosts, from second `from` on for `length` seconds.
local function take(it, cell, slots, from, length)
  for s = from, math.min(from + length - 1, it.horizon) do cell.free[s] = cell.free[s] - slots end
end

--- Takes slots from a job's limit, if there is one.
local function use(it, job, from, length)
  local limit = it.limits[job.user]
  if limit then take(it, limit, job.slots, from, length) end
end

--- A job's slots on hosts; those of an exclusive one are the whole host.
local function run(it, job, length)
  use(it, job, 0, length)
  if it.running[job.user] then it.running[job.user] = it.running[job.user] + job.slots end
  for _, host in ipairs(it.world.hosts) do
    local slots = job.places[host.name]
    if slots then
      host.free = host.free - slots
      host.busy = true
      host.closed = host.closed or job.exclusive
      take(it, host.cell, job.exclusive and host.slots or slots, 0, length)
    end
  end
end

local function begin(world)
  local it = { world = world, cells = cells_of(world), horizon = horizon_of(world) }
  for _, cell in ipairs(it.cells) do
    cell.free = {}
    for s = 0, it.horizon do cell.free[s] = cell.slots end
  end
  it.limits, it.running = {}, {}
  for user, most in pairs(world.limits or {}) do
    local limit = { free = {} }
    for s = 0, it.horizon do limit.free[s] = most end
    it.limits[user], it.running[user] = limit, 0
  end
  for _, host in ipairs(world.hosts) do
    host.free, host.busy, host.closed = host.slots, false, false
  end
  for _, job in ipairs(world.jobs) do
    if job.places then run(it, job, left_of(job, world.now)) end
  end
  it.order = {}
  for i, host in ipairs(world.hosts) do
    host.load, host.place = (host.slots - host.free) * 1000 // host.slots, i
    it.order[i] = host
  end
  table.sort(it.order, function (a, b)
    if a.load ~= b.load then return a.load < b.load end
    return a.place < b.place
  end)
  return it
end

--- What a job has of a cell from second `from` on, all the time.
local function worth(it, job, cell, from)
  local least, whole = math.huge, cell.slots
  for s = from, math.min(from + left_of(job, it.world.now) - 1, it.horizon) do
    least = math.min(least, cell.free[s])
  end
  if job.exclusive then return least >= whole and whole or 0 end
  return math.max(least, 0)
end

--- Do limits leave the job its slots from second `from` on, all the time?
local function allowed(it, job, from)
  local limit = it.limits[job.user]
  for s = from, math.min(from + left_of(job, it.world.now) - 1, limit and it.horizon or -1) do
    if limit.free[s] < job.slots then return false end
  end
  return true
end

--- ... do they by what runs now?
local function allowed_now(it, job)
  local most = (it.world.limits or {})[job.user]
  return not most or it.running[job.user] + job.slots <= most
end

--- Where the job would run now; nil: it does not fit. `beside`: beside what is reserved.
local function places_now(it, job, beside)
  local left, places, room = job.slots, {}, {}
  for _, cell in ipairs(it.cells) do
    room[cell] = beside and worth(it, job, cell, 0) or math.huge
  end
  for _, host in ipairs(it.order) do
    local shut = host.closed or (job.exclusive and host.busy)
    if left > 0 and serves(job, host) and not shut then
      local slots = math.min(left, host.free, room[host.cell])
      if slots > 0 then
        places[host.name] = slots
        room[host.cell] = room[host.cell] - slots
        left = left - slots
      end
    end
  end
  return left == 0 and places or nil
end

--- The earliest second from which on it has its slots; nil: none.
local function earliest(it, job)
  for s = 0, it.horizon do
    local sum = 0
    for _, cell in ipairs(it.cells) do
      if serves(job, cell.hosts[1]) then sum = sum + worth(it, job, cell, s) end
    end
    if sum >= job.slots and allowed(it, job, s) then return s end
  end
end

--- Reserves: first what is not free now. Under `easy` the job's part of its limit from now on.
local function reserve(it, job, from, how)
  local left, taken = job.slots, {}
  for pass = 1, 2 do
    for _, cell in ipairs(it.cells) do
      local free = serves(job, cell.hosts[1]) and worth(it, job, cell, from) or 0
      local now = cell.free[0]
      if job.exclusive then now = now >= cell.slots and cell.slots or 0 end
      now = math.min(free, math.max(now, 0))
      local slots = pass == 1 and free - now or now
      if not job.exclusive then slots = math.min(slots, left) end
      if left > 0 and slots > 0 then
        taken[#taken + 1] = { cell, slots }
        left = left - slots
      end
    end
  end
  local length = left_of(job, it.world.now)
  for _, part in ipairs(taken) do take(it, part[1], part[2], from, length) end
  local kept = how == "easy" and from or 0
  use(it, job, from - kept, length + kept)
end

local function fits_ever(world, job)
  local sum = 0
  for _, host in ipairs(world.hosts) do sum = sum + (serves(job, host) and host.slots or 0) end
  return job.slots <= sum
end

--- Decides: the jobs that start get `places` and `start`; others `reserved`, a time, or nil, and
--- `limited`, if a limit keeps them.
-- Returns the earliest of these.
function backfill.decide(world, how)
  local it, waits, due = begin(world), 0, nil
  for _, job in ipairs(world.jobs) do
    if not job.places then
      local some, places = waits > 0 and how ~= "first_fit", nil
      job.reserved = nil
      local may = allowed_now(it, job)
      job.limited = not may
      if fits_ever(world, job) and may and not (some and how == "none") then
        places = places_now(it, job, false)
        if places and some then
          places = allowed(it, job, 0) and places_now(it, job, true) or nil
        end
      end
      if places then
        job.places, job.start = places, world.now
        run(it, job, left_of(job, world.now))
      elseif fits_ever(world, job) and may and how == "none" then
        waits = 1
      elseif fits_ever(world, job)
        and (how == "conservative" or how == "easy" and may and waits == 0) then
        local at = earliest(it, job)
        if at then
          waits = waits + 1
          job.reserved = world.now + at
          due = math.min(due or math.huge, job.reserved)
          reserve(it, job, at, how)
        end
      end
    end
  end
  return due
end

-- ---- A log --------------------------------------------------------------------------------------

--- The jobs in the order of turns: by the queue's priority, then the job's, then as they came.
local function in_order(jobs)
  local list = {}
  for i, job in ipairs(jobs) do
    job.number = i
    list[i] = job
  end
  table.sort(list, function (a, b)
    if a.queue_priority ~= b.queue_priority then return a.queue_priority > b.queue_priority end
    if a.priority ~= b.priority then return a.priority > b.priority end
    if a.at ~= b.at then return a.at < b.at end
    return a.number < b.number
  end)
  return list
end

--- Plays jobs, { at, run, slots, limit, ... } in the order of arrival, and returns by job when it
--- starts. `watch(world, due)` is called after each decision.
function backfill.play(hosts, jobs, how, watch, limits)
  local now, wake, starts, over = jobs[1].at, math.huge, {}, {}
  while now < math.huge do
    if now >= wake then wake = math.huge end
    local world = { hosts = hosts, now = now, jobs = {}, queues = jobs, limits = limits }
    for _, job in ipairs(in_order(jobs)) do
      if job.at <= now and not over[job] and not (starts[job] and starts[job] + job.run <= now) then
        table.insert(world.jobs, job)
      end
    end
    local due = backfill.decide(world, how)
    for _, job in ipairs(world.jobs) do
      if job.places then starts[job] = starts[job] or now end
      if not fits_ever(world, job) then over[job] = true end
    end
    if watch then watch(world, due) end
    if due then wake = math.min(wake, math.max(due, now + 60)) end
    local next = wake
    for _, job in ipairs(jobs) do
      if job.at > now then next = math.min(next, job.at) end
      if starts[job] and starts[job] + job.run > now then
        next = math.min(next, starts[job] + job.run)
      end
    end
    now = next
  end
  return starts
end

return backfill
