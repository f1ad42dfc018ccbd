-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The state that a decision leads to when it is carried out: tasks end, slots are taken up, jobs
--- start. What is reclaimed returns at once.

local step = {}

local function copy(list)
  local out = {}
  for i, entry in ipairs(list or {}) do
    out[i] = {}
    for key, value in pairs(entry) do out[i][key] = value end
  end
  return out
end

local function set_of(list, key)
  local out = {}
  for _, entry in ipairs(list or {}) do out[key and entry[key] or entry] = entry end
  return out
end

--- Tasks that go, by id: those of reclaims, old ones too, and those that are killed.
local function leaving(state, decision)
  local gone = {}
  for _, list in ipairs { decision.reclaims, state.reclaims or {} } do
    for _, reclaim in ipairs(list) do
      for _, id in ipairs(reclaim.tasks or {}) do gone[id] = true end
    end
  end
  for _, kill in ipairs(decision.kills) do gone[kill.task or kill.job] = true end
  return gone
end

local function keep(tasks, gone)
  local out = {}
  for _, task in ipairs(copy(tasks)) do
    if not gone[task.id] then out[#out + 1] = task end
  end
  return out
end

--- Granted slots are new tasks of leaves that have any, on the hosts that they were granted on.
local function add_tasks(tasks, grant, now)
  local left = grant.slots
  local function add(slots, host)
    tasks[#tasks + 1] = {
      id = ("new-%d-%d"):format(now, #tasks + 1), consumer = grant.consumer, slots = slots,
      host = host, started = now,
    }
  end
  local hosts = {}
  for host in pairs(grant.hosts or {}) do hosts[#hosts + 1] = host end
  table.sort(hosts)
  for _, host in ipairs(hosts) do
    add(grant.hosts[host], host)
    left = left - grant.hosts[host]
  end
  if left > 0 then add(left) end
end

local function rows_of(state, decision, has_tasks)
  local rows = {}
  for path, row in pairs(state.consumers or {}) do
    rows[path] = { demand = row.demand, allocated = row.allocated }
  end
  local function move(entry, sign)
    local row = rows[entry.consumer] or {}
    rows[entry.consumer] = row
    if row.allocated or not has_tasks[entry.consumer] then
      row.allocated = math.max(0, (row.allocated or 0) + sign * entry.slots)
    end
  end
  for _, entry in ipairs(state.reclaims or {}) do move(entry, -1) end
  for _, entry in ipairs(decision.reclaims) do move(entry, -1) end
  for _, entry in ipairs(decision.grants) do move(entry, 1) end
  return next(rows) and rows or nil
end

local function some(list) return list[1] and list or nil end

local function loans_of(decision)
  local out = {}
  for _, loan in ipairs(decision.loans or {}) do
    if loan.slots > 0 then
      out[#out + 1] = { lender = loan.lender, borrower = loan.borrower, slots = loan.slots }
    end
  end
  return out
end

local function jobs_of(state, decision, now)
  local starts, resumes = set_of(decision.starts, "job"), set_of(decision.resumes, "job")
  local suspends, kills = set_of(decision.suspends, "job"), set_of(decision.kills, "job")
  local out = {}
  for _, job in ipairs(copy(state.jobs)) do
    local start, stop = starts[job.id] or resumes[job.id], suspends[job.id] or kills[job.id]
    if start then
      job.state, job.hosts, job.started = "running", start.hosts or job.hosts, now
    elseif stop then
      local again = stop.action == "requeue" or stop.action == "kill"
      job.state = again and "pending" or "suspended"
      job.hosts = not again and job.hosts or nil
      job.preempted, job.started = stop.preempted, nil
    end
    if not (stop and stop.action == "kill") then out[#out + 1] = job end
  end
  return out
end

--- Sides of contracts, as the next state has them.
local function leases_of(decision)
  local out = {}
  for name, lease in pairs(decision.leases or {}) do
    out[name] = {
      provider = lease.provider, consumer = lease.consumer, phase = lease.phase,
      since = lease.since,
    }
  end
  return next(out) and out or nil
end

--- The next state, a second later.
function step.after(state, decision)
  local now = state.now + 1
  local tasks = keep(state.tasks, leaving(state, decision))
  local has_tasks = set_of(state.tasks, "consumer")
  for _, grant in ipairs(decision.grants) do
    if has_tasks[grant.consumer] then add_tasks(tasks, grant, now) end
  end
  local next_state = {
    now = now, last = state.now, slots = state.slots, hosts = state.hosts,
    sessions = state.sessions, consumers = rows_of(state, decision, has_tasks),
    tasks = some(tasks), loans = some(loans_of(decision)),
    jobs = some(jobs_of(state, decision, now)), leases = leases_of(decision),
  }
  if decision.usage and next(decision.usage) then
    next_state.usage, next_state.usage_at = decision.usage, decision.usage_at
  end
  return next_state
end

--- Whether a decision leaves everything as it is.
function step.rests(decision)
  for _, list in ipairs { "grants", "reclaims", "kills", "starts", "resumes", "suspends" } do
    if decision[list] and decision[list][1] then return false end
  end
  return true
end

return step
