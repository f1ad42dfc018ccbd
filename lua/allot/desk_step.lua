-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The desk's state some seconds after a decision that was carried out.
--
-- Grants are taken up, as tasks where the state tells tasks; what is given back returns at its
-- deadline, its victims with it; jobs start, resume, are suspended and killed; books of loans, of
-- usage and of leases are kept. Demand stays what it is, and no job ends by itself.

local core = require "allot.core"

local step = {}

-- ---- Consumers ----------------------------------------------------------------------------------

local function has_tasks(state, path)
  for _, task in ipairs(state.tasks or {}) do
    if task.consumer == path then return true end
  end
  return false
end

--- Of several groups (`several`) amounts are by group.
local function add_slots(state, move, slots, several)
  local row = state.consumers[move.consumer]
  if not row then
    row = {}
    state.consumers[move.consumer] = row
  end
  if several then
    row.allocated = row.allocated or {}
    row.allocated[move.group] = (row.allocated[move.group] or 0) + slots
  else
    row.allocated = (row.allocated or 0) + slots
  end
end

local function fresh_id(state, number)
  local taken = {}
  for _, task in ipairs(state.tasks or {}) do taken[task.id] = true end
  while taken["step-" .. number] do number = number + 1 end
  return "step-" .. number, number + 1
end

local function add_tasks(state, grant, several)
  local places, number = grant.hosts or { [""] = grant.slots }, 1
  for host, slots in pairs(places) do
    local task = { consumer = grant.consumer, slots = slots, started = state.now,
      group = several and grant.group or nil }
    task.id, number = fresh_id(state, number)
    if host ~= "" then task.host = host end
    table.insert(state.tasks, task)
  end
end

local function take_grants(state, decision, several)
  for _, grant in ipairs(decision.grants) do
    local tasks = has_tasks(state, grant.consumer)
    if tasks then add_tasks(state, grant, several) end
    local row = state.consumers[grant.consumer]
    if not tasks or row and row.allocated ~= nil then
      add_slots(state, grant, grant.slots, several)
    end
  end
end

--- The slots of a reclaim are back; of a consumer whose tasks are told, its victims are gone.
local function give_back(state, reclaim, several)
  local gone, left = {}, core.list()
  for _, id in ipairs(reclaim.tasks or {}) do gone[id] = true end
  local tasks = has_tasks(state, reclaim.consumer)
  for _, task in ipairs(state.tasks or {}) do
    if not gone[task.id] then left[#left + 1] = task end
  end
  if state.tasks then state.tasks = left end
  local row = state.consumers[reclaim.consumer]
  if not tasks or row and row.allocated ~= nil then
    add_slots(state, reclaim, -reclaim.slots, several)
  end
end

local function in_flight(state, reclaim, number)
  local claims = core.list()
  for i, claim in ipairs(reclaim["for"] or {}) do
    claims[i] = { consumer = claim.consumer, slots = claim.slots }
  end
  local made = { id = ("r%d-%d"):format(state.now, number), group = reclaim.group,
    consumer = reclaim.consumer, slots = reclaim.slots, deadline = reclaim.deadline }
  if #claims > 0 then made["for"] = claims end
  if reclaim.tasks and #reclaim.tasks > 0 then made.tasks = reclaim.tasks end
  return made
end

local function take_reclaims(state, decision, now, several)
  local flying = core.list()
  for _, reclaim in ipairs(state.reclaims or {}) do
    local due = type(reclaim.deadline) ~= "number" or reclaim.deadline <= now
    if due then give_back(state, reclaim, several) else flying[#flying + 1] = reclaim end
  end
  for i, reclaim in ipairs(decision.reclaims) do
    if reclaim.deadline <= now then
      give_back(state, reclaim, several)
    else
      flying[#flying + 1] = in_flight(state, reclaim, i)
    end
  end
  state.reclaims = #flying > 0 and flying or nil
end

local function take_loans(state, decision)
  local loans = core.list()
  for _, loan in ipairs(decision.loans or {}) do
    if loan.slots > 0 then
      loans[#loans + 1] = { group = loan.group, lender = loan.lender, borrower = loan.borrower,
        slots = loan.slots }
    end
  end
  state.loans = #loans > 0 and loans or nil
end

-- ---- Jobs ---------------------------------------------------------------------------------------

local FATES = {}

function FATES.starts(job, order, now)
  job.state, job.hosts, job.started, job.ran = "running", order.hosts, now, 0
end

function FATES.resumes(job, _, now)
  job.state, job.started, job.ran = "running", now, job.ran or 0
end

function FATES.resizes(job, order)
  job.hosts = job.hosts or {}
  for host, slots in pairs(order.hosts or {}) do
    job.hosts[host] = (job.hosts[host] or 0) + slots
    job.slots = (job.slots or 1) + slots
  end
  job.resize = nil
end

function FATES.suspends(job)
  job.state, job.preempted, job.resize = "suspended", (job.preempted or 0) + 1, nil
end

function FATES.kills(job)
  job.state, job.hosts, job.started, job.ran, job.resize = "pending", nil, nil, nil, nil
end

local function take_jobs(jobs, decision, now, seconds)
  for _, kind in ipairs { "resumes", "starts", "resizes", "suspends", "kills" } do
    for _, order in ipairs(decision[kind] or {}) do
      local job = order.job and not order.held and jobs[order.job]
      if job then
        FATES[kind](job, order, now)
        if kind == "kills" and order.action == "kill" then jobs[order.job] = nil end
      end
    end
  end
  for _, job in pairs(jobs) do
    if job.state == "running" and job.ran then job.ran = job.ran + seconds end
    if job.state == "suspended" then job.suspended_for = (job.suspended_for or 0) + seconds end
  end
end

local function take_leases(state, decision)
  local leases, some = {}, false
  for name, it in pairs(decision.leases or {}) do
    leases[name], some = { provider = it.provider, consumer = it.consumer, phase = it.phase,
      since = it.since }, true
    for _, side in ipairs { "provider", "consumer" } do
      local row = it[side]
      leases[name][side] = { available = row.available, used = row.used, demand = row.demand }
    end
  end
  if some then state.leases = leases end
end

-- ---- The whole ----------------------------------------------------------------------------------

--- Changes the desk's tables: `decision` is the document of a cycle at their time.
function step.carry_out(desk, decision, seconds)
  local state, now = desk.state, decision.now
  local groups = 0
  for _ in pairs(decision.groups) do groups = groups + 1 end
  state.now = now
  take_grants(state, decision, groups > 1)
  take_reclaims(state, decision, now + seconds, groups > 1)
  take_loans(state, decision)
  take_jobs(desk.jobs, decision, now, seconds)
  take_leases(state, decision)
  for _, key in ipairs { "usage", "usage_at", "usage_rest", "resources_preempted_at" } do
    if decision[key] ~= nil then state[key] = decision[key] end
  end
  state.last, state.now = now, now + seconds
end

return step
