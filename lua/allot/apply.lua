-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The state that a decision leads to once it is carried out: the one place that knows.
--
-- A fixture's steps, the desk's, and the cycles of `allot check` come from here. Documents go in, a
-- new document comes out: what went in stays as it was, what did not change is shared. This file is
-- for sandboxes too: it has no patterns, and keys are walked in order where that shows.
--
--     time      `now` is the decision's time and `seconds` more, `last` the decision's.
--     demand    stays, as do `unlisted`, hosts, sessions, the group's size and all that is not
--               named here.
--     grants    are taken up at once: `allocated` grows. A leaf whose tasks the state tells gets
--               tasks ("step-1", ...), on the hosts that were granted, and `allocated` besides only
--               if the state states it.
--     reclaims  are back, of a leaf with tasks its victims gone, by `returns`:
--               "at once"      whatever is decided or in flight;
--               "later"        what was in flight; what is decided is in flight in the new state,
--                              without a deadline;
--               "at deadline"  what the decision says is due by the new `now`, or has no deadline;
--                              the rest is in flight with its deadline.
--     damping   `reclaimed_at` of who gives is the decision's time, `waiting_since` what it says.
--     loans     and leases, `usage` and times of resources are the decision's books.
--     jobs      apply_jobs.lua; those of `arrivals` come in, who has run as long as `work` says is
--               gone.

local apply_jobs = require "allot.apply_jobs"

local apply = {}

local function copied(row)
  local out = {}
  for key, value in pairs(row) do out[key] = value end
  return out
end

local function some(list)
  return #list > 0 and list or nil
end

-- ---- What is being made -------------------------------------------------------------------------

--- The work: out (the new state), rows (its consumers), tells (leaves whose tasks are told), tasks,
-- several (groups), now (the decision's), ids (of tasks, once one is made).
local function begin(state, decision)
  local it = { out = copied(state), rows = {}, tells = {}, now = decision.now or state.now }
  local groups = 0
  for _ in pairs(decision.groups or {}) do groups = groups + 1 end
  it.several = groups > 1
  for path, row in pairs(state.consumers or {}) do it.rows[path] = copied(row) end
  for _, task in ipairs(state.tasks or {}) do it.tells[task.consumer] = true end
  it.tasks = copied(state.tasks or {})
  return it
end

local function row_of(it, path)
  local row = it.rows[path]
  if not row then
    row = {}
    it.rows[path] = row
  end
  return row
end

--- Sets a column of a row, of its group where the plan has several.
local function set(it, row, key, group, value)
  if it.several or type(row[key]) == "table" then
    row[key] = copied(row[key] or {})
    row[key][group] = value
  else
    row[key] = value
  end
end

local function add_slots(it, move, slots)
  local row = row_of(it, move.consumer)
  if it.tells[move.consumer] and row.allocated == nil then return end
  local held = row.allocated
  if type(held) == "table" then held = held[move.group] end
  set(it, row, "allocated", move.group, math.max(0, (held or 0) + slots))
end

-- ---- Grants -------------------------------------------------------------------------------------

local function fresh_id(it)
  if not it.ids then
    it.ids, it.number = {}, 0
    for _, task in ipairs(it.tasks) do it.ids[task.id] = true end
  end
  repeat it.number = it.number + 1 until not it.ids["step-" .. it.number]
  return "step-" .. it.number
end

local function add_task(it, grant, slots, host)
  it.tasks[#it.tasks + 1] = {
    id = fresh_id(it), consumer = grant.consumer, slots = slots, host = host, started = it.now,
    group = it.several and grant.group or nil,
  }
end

local function add_tasks(it, grant)
  local hosts, left = {}, grant.slots
  for host in pairs(grant.hosts or {}) do hosts[#hosts + 1] = host end
  table.sort(hosts)
  for _, host in ipairs(hosts) do
    add_task(it, grant, grant.hosts[host], host)
    left = left - grant.hosts[host]
  end
  if left > 0 then add_task(it, grant, left) end
end

local function take_grants(it, grants)
  for _, grant in ipairs(grants) do
    if it.tells[grant.consumer] then add_tasks(it, grant) end
    add_slots(it, grant, grant.slots)
  end
end

-- ---- Reclaims -----------------------------------------------------------------------------------

local function flight_id(it, taken)
  local number = 0
  local id
  repeat
    number = number + 1
    id = ("r%d-%d"):format(it.now, number)
  until not taken[id]
  taken[id] = true
  return id
end

local function in_flight(it, reclaim, taken, returns)
  local claims = {}
  for i, claim in ipairs(reclaim["for"] or {}) do
    claims[i] = { consumer = claim.consumer, slots = claim.slots }
  end
  return {
    id = flight_id(it, taken), group = reclaim.group, consumer = reclaim.consumer,
    slots = reclaim.slots, tasks = some(reclaim.tasks or {}), ["for"] = some(claims),
    deadline = returns == "at deadline" and reclaim.deadline or nil,
  }
end

--- The tasks that stay when `back` are back.
local function without(tasks, back)
  local gone, left = {}, {}
  for _, reclaim in ipairs(back) do
    for _, id in ipairs(reclaim.tasks or {}) do gone[id] = true end
  end
  for _, task in ipairs(tasks) do
    if not gone[task.id] then left[#left + 1] = task end
  end
  return left
end

--- What comes back: of those in flight, and of those decided now; and what is in flight from now.
local function part(it, state, decision, returns, after)
  local back, flying, taken = {}, {}, {}
  for i, reclaim in ipairs(state.reclaims or {}) do
    local flight = (decision.flights or {})[i] or {}
    local deadline = type(flight.deadline) == "number" and flight.deadline or after
    local list = (returns ~= "at deadline" or deadline <= after) and back or flying
    list[#list + 1] = reclaim
    if reclaim.id then taken[reclaim.id] = true end
  end
  for _, reclaim in ipairs(decision.reclaims or {}) do
    if returns == "at once" or returns == "at deadline" and reclaim.deadline <= after then
      back[#back + 1] = reclaim
    else
      flying[#flying + 1] = in_flight(it, reclaim, taken, returns)
    end
  end
  return back, flying
end

local function take_reclaims(it, state, decision, returns, after)
  local back, flying = part(it, state, decision, returns, after)
  if #back > 0 then it.tasks = without(it.tasks, back) end
  for _, reclaim in ipairs(back) do add_slots(it, reclaim, -reclaim.slots) end
  it.out.reclaims = some(flying)
end

-- ---- Books --------------------------------------------------------------------------------------

local function told_times(it, decision)
  for _, row in pairs(it.rows) do row.waiting_since = nil end
  for name, group in pairs(decision.groups or {}) do
    for _, row in ipairs(group.consumers) do
      local since = row.waiting_since
      if since then set(it, row_of(it, row.path), "waiting_since", name, since) end
    end
  end
  for _, reclaim in ipairs(decision.reclaims or {}) do
    set(it, row_of(it, reclaim.consumer), "reclaimed_at", reclaim.group, it.now)
  end
end

local function loans_of(it, decision)
  local out = {}
  for _, loan in ipairs(decision.loans or {}) do
    if loan.slots > 0 then
      out[#out + 1] = { group = it.several and loan.group or nil, lender = loan.lender,
        borrower = loan.borrower, slots = loan.slots }
    end
  end
  return some(out)
end

local function take_leases(it, decision)
  local leases, any = {}, false
  for name, lease in pairs(decision.leases or {}) do
    leases[name], any = { phase = lease.phase, since = lease.since }, true
    for _, side in ipairs { "provider", "consumer" } do
      local row = lease[side]
      leases[name][side] = { available = row.available, used = row.used, demand = row.demand }
    end
  end
  if any then it.out.leases = leases end
end

-- ---- The whole ----------------------------------------------------------------------------------

--- The state after `decision`, made of a state of the same plan. `options`: seconds (1), returns
--- ("at once"), work (seconds by job id; without it no job ends), arrivals (jobs).
function apply.after(state, decision, options)
  options = options or {}
  local it = begin(state, decision)
  local out, seconds = it.out, options.seconds or 1
  out.now, out.last = it.now + seconds, it.now
  take_grants(it, decision.grants or {})
  take_reclaims(it, state, decision, options.returns or "at once", out.now)
  told_times(it, decision)
  out.tasks, out.loans, out.consumers = some(it.tasks), loans_of(it, decision), nil
  for _ in pairs(it.rows) do out.consumers = it.rows end
  take_leases(it, decision)
  for _, key in ipairs { "usage", "usage_at", "usage_rest", "resources_preempted_at" } do
    if decision[key] ~= nil then out[key] = decision[key] end
  end
  out.jobs = some(apply_jobs.after(state.jobs or {}, decision, seconds, options))
  return out
end

--- Whether a decision leaves everything as it is.
function apply.rests(decision)
  for _, list in ipairs { "grants", "reclaims", "kills", "starts", "resumes", "resizes",
    "suspends" } do
    if decision[list] and decision[list][1] then return false end
  end
  return true
end

return apply
