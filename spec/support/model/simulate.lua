-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Simulations as simulate.h tells them in words: task by task, and a whole state for every cycle.

local engine = require "spec.support.cases.engine"
local tell = require "spec.support.model.simulate.tell"
local watch = require "spec.support.model.simulate.watch"

local decide, first_waiting, row_of = tell.decide, tell.first_waiting, tell.row_of

local simulate = {}

local NEVER, ROUNDS, PATIENCE = math.maxinteger, 100, 15 * 24 * 3600

local function each(list, visit)
  for _, item in ipairs(list) do visit(item) end
end

--- Keeps what `stays` says; the rest comes back.
local function split(list, stays)
  local kept, gone = {}, {}
  each(list, function (item)
    table.insert(stays(item) and kept or gone, item)
  end)
  return kept, gone
end

-- ---- Instants -----------------------------------------------------------------------------------

--- The first second after `now` at which windows that go by minutes of every day switch.
local function next_switch(plan, now)
  local first = NEVER
  each(plan.windows or {}, function (window)
    each({ window.from, window.to }, function (text)
      local hour, minute = text:match "^(%d+):(%d+)$"
      local at = now - now % 86400 + (hour * 60 + minute) * 60
      first = math.min(first, at > now and at or at + 86400)
    end)
  end)
  return first
end

local function next_instant(s)
  local at = NEVER
  if s.jobs[s.arrived + 1] then at = s.jobs[s.arrived + 1].at end
  each(s.tasks, function (task) at = math.min(at, task.ends) end)
  each(s.reclaims, function (reclaim)
    if reclaim.deadline > s.now then at = math.min(at, reclaim.deadline) end
  end)
  if not s.now then return at < NEVER and at or nil end
  local cycle = s.due and s.last + s.interval or NEVER
  if at == NEVER and cycle == NEVER and s.over == s.arrived then return nil end
  if at == NEVER and s.now - s.progress > PATIENCE then return nil end
  at = math.min(at, cycle, s.switch)
  return at < NEVER and math.max(at, s.now) or nil
end

-- ---- Jobs and tasks -----------------------------------------------------------------------------

local function sum(list, of)
  local total = 0
  each(list, function (item) total = total + of(item) end)
  return total
end

local function begin(s, job, slots)
  s.serial = s.serial + 1
  s.progress = s.now
  job.waiting = job.waiting - slots
  table.insert(s.tasks, {
    id = ("%06d.%06d"):format(job.number, s.serial), job = job, slots = slots, started = s.now,
    ends = s.now + job.run,
  })
end

local function end_tasks(s)
  local kept, gone = split(s.tasks, function (task) return task.ends > s.now end)
  s.tasks = kept
  s.due = s.due or gone[1] ~= nil
  each(gone, function (task)
    local job = task.job
    job.left = job.left - task.slots
    s.useful = s.useful + task.slots * job.run
    s.progress = s.now
    if job.left == 0 then
      job.wait = s.now - job.at - job.run
      s.over = s.over + 1
    end
  end)
end

--- Tasks whose ids are in a set are killed.
local function kill(s, ids)
  local kept, gone = split(s.tasks, function (task) return not ids[task.id] end)
  s.tasks = kept
  s.due = s.due or gone[1] ~= nil
  each(gone, function (task)
    s.lost = s.lost + task.slots * (s.now - task.started)
    task.job.waiting = task.job.waiting + task.slots
    task.job.preempted = task.job.preempted + task.slots
  end)
end

local function set_of(list)
  local set = {}
  each(list, function (item) set[item] = true end)
  return set
end

local function end_reclaims(s)
  each(s.reclaims, function (reclaim)
    if reclaim.deadline <= s.now then kill(s, set_of(reclaim.tasks)) end
  end)
end

-- ---- Carrying out -------------------------------------------------------------------------------

--- Of reclaims in flight what is free was told: what goes to the claims is off.
local function cut_reclaims(s)
  local alive = set_of {}
  each(s.tasks, function (task) alive[task.id] = task.slots end)
  each(s.reclaims, function (reclaim)
    reclaim.tasks = split(reclaim.tasks, function (id) return alive[id] end)
    local left = sum(reclaim.tasks, function (id) return alive[id] end)
    local back = reclaim.slots - left
    reclaim.slots = left
    each(reclaim.claims, function (claim)
      local served = math.min(claim.slots, back)
      claim.slots, back = claim.slots - served, back - served
    end)
    reclaim.claims = split(reclaim.claims, function (claim) return claim.slots > 0 end)
  end)
  s.reclaims = split(s.reclaims, function (reclaim) return reclaim.slots > 0 end)
end

local function cut_to(claims, slots)
  local out = {}
  each(claims or {}, function (claim)
    local part = math.min(claim.slots, slots)
    slots = slots - part
    if part > 0 then table.insert(out, { consumer = claim.consumer, slots = part }) end
  end)
  return out
end

local function take_back(s, order)
  local cell, left = tell.cell_of(s, order), order.slots
  s.reclaimed = s.reclaimed + order.slots
  s.orders = s.orders + 1
  local slots_of, names, slots = {}, {}, 0
  each(s.tasks, function (task) slots_of[task.id] = task.slots end)
  each(order.tasks or {}, function (id)
    if slots >= left then return end
    table.insert(names, id)
    slots = slots + slots_of[id]
  end)
  if slots == 0 then return false end
  table.insert(s.reclaims, { id = "r" .. s.orders, cell = cell, slots = slots,
    tasks = names, claims = cut_to(order["for"], slots), deadline = order.deadline })
  if order.deadline > s.now then return false end
  kill(s, set_of(names))
  return true
end

--- Tasks start one a slot, in the order of waiting; of a leaf with rigid jobs those that are named.
local function take_up(s, grant)
  local cell, slots = tell.cell_of(s, grant), grant.slots
  each(cell.whole and grant.tasks or {}, function (id)
    local job = s.jobs[tonumber(id:match "^%d+")]
    begin(s, job, job.rigid and job.slots or 1)
  end)
  while slots > 0 and not cell.whole do
    local job = first_waiting(s, cell)
    if not job then break end
    local count = math.min(slots, job.waiting)
    slots = slots - count
    for _ = 1, count do begin(s, job, 1) end
  end
end

local function cycle(s)
  local again = false
  local decision = decide(s)
  s.size, s.loans, s.last = tell.size_of(s, decision), {}, s.now
  cut_reclaims(s)
  each(decision.loans, function (loan)
    if loan.slots > 0 then
      table.insert(s.loans, { lender = loan.lender, borrower = loan.borrower, slots = loan.slots,
        group = #s.groups > 1 and loan.group or nil })
    end
  end)
  each(decision.reclaims, function (order) again = take_back(s, order) or again end)
  each(decision.grants, function (grant) take_up(s, grant) end)
  each(s.all, function (cell)
    local row = row_of(decision, cell)
    s.waiting_since[cell] = row.waiting_since
    s.gathered[cell] = cell.whole and first_waiting(s, cell) and row.held or 0
  end)
  if not again then watch(s, decision) end
  return again
end

-- ---- All of it ----------------------------------------------------------------------------------

local function arrive(s)
  while s.jobs[s.arrived + 1] and s.jobs[s.arrived + 1].at <= s.now do
    s.arrived = s.arrived + 1
    local job = s.jobs[s.arrived]
    s.progress = s.now
    if not s.plan.windows and tell.most_of(s, job.cell) < (job.rigid and job.slots or 1) then
      s.refused, s.over = s.refused + 1, s.over + 1
    else
      job.waiting, job.left = job.slots, job.slots
      s.due = true
    end
  end
end

local function advance(s, to)
  if s.now then
    local seconds = to - s.now
    s.offered = s.offered + s.size * seconds
    each(s.all, function (cell)
      s.idle = s.idle + (s.gathered[cell] or 0) * seconds
    end)
  else
    s.progress, s.size = to, tell.size_at(s, to)
  end
  s.now = to
end

local function figures(s)
  local out = { useful = s.useful, lost = s.lost, refused = s.refused, offered = s.offered,
    gathered = s.idle, reclaimed = s.reclaimed, ended = 0, preemptions = 0, preempted_jobs = 0,
    wait = 0, last = s.now, jobs = #s.jobs }
  each(s.jobs, function (job)
    out.ended = out.ended + (job.wait and 1 or 0)
    out.wait = out.wait + (job.wait or 0)
    out.preemptions = out.preemptions + job.preempted
    out.preempted_jobs = out.preempted_jobs + (job.preempted > 0 and 1 or 0)
  end)
  out.unfinished = out.jobs - out.ended - out.refused
  return out
end

local function turn(s)
  if s.switch > s.now then return end
  s.due, s.switch = true, next_switch(s.plan, s.now)
end

local function settle(s)
  s.rounds = 0
  repeat s.rounds = s.rounds + 1 until not cycle(s) or s.rounds == ROUNDS
  s.due = false
end

local function add_cells(s)
  each(s.groups, function (group)
    each(s.leaves, function (leaf)
      local cell = { key = group .. leaf, group = group, leaf = leaf }
      s.cells[cell.key] = cell
      table.insert(s.all, cell)
    end)
  end)
end

--- Plays `jobs` (`at`, `slots`, `run`, `leaf`, `rigid`, `priority`, `session`, `group`) through a
-- plan that divides slots; `leaves` are the paths of its leaves, `groups` the names of its groups
-- where there are several, and cycles are `interval` seconds apart, 0 if nil.
function simulate.divide(plan, leaves, jobs, groups, interval)
  local s = { plan = plan, leaves = leaves, groups = groups or { "default" }, cells = {}, all = {},
    jobs = {}, tasks = {}, reclaims = {}, loans = {}, gathered = {}, waiting_since = {},
    arrived = 0, over = 0, rounds = 1, refused = 0, serial = 0, orders = 0, useful = 0, lost = 0,
    offered = 0, idle = 0, reclaimed = 0, size = 0, interval = interval or 0,
    waits = plan.windows ~= nil, sealed = engine.sealed(plan) }
  add_cells(s)
  each(jobs, function (job)
    local cell = s.cells[(job.group or "default") .. job.leaf]
    cell.whole = cell.whole or job.rigid
    table.insert(s.jobs, { number = #s.jobs + 1, at = job.at, slots = job.slots, run = job.run,
      cell = cell, rigid = job.rigid,
      priority = job.priority or 1, session = job.session, waiting = 0, preempted = 0 })
  end)
  s.switch = jobs[1] and next_switch(plan, jobs[1].at) or NEVER
  for at in function () return next_instant(s) end do
    advance(s, at)
    end_tasks(s)
    end_reclaims(s)
    arrive(s)
    turn(s)
    if s.due and (not s.last or s.now - s.last >= s.interval) then settle(s) end
  end
  return figures(s)
end

return simulate
