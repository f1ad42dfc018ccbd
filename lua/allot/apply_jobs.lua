-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The state that a decision about queues leads to, so many seconds later.

local loop = {}

--- What decisions do to jobs: job id -> { kind, order }.
function loop.fates(decision)
  local out = {}
  for _, kind in ipairs { "starts", "resumes", "resizes", "suspends", "kills" } do
    for _, order in ipairs(decision[kind] or {}) do
      if order.job and not order.held then out[order.job] = { kind = kind, order = order } end
    end
  end
  return out
end

local CHANGES = {}

function CHANGES.starts(job, order, now)
  job.state, job.hosts, job.started, job.ran = "running", {}, now, 0
  for host, slots in pairs(order.hosts) do job.hosts[host] = slots end
end

function CHANGES.resumes(job, _, now)
  job.state, job.started, job.ran = "running", now, job.ran or 0
end

function CHANGES.resizes(job, order)
  for host, slots in pairs(order.hosts) do
    job.hosts[host] = (job.hosts[host] or 0) + slots
    job.slots = job.slots + slots
  end
  job.resize = nil
end

function CHANGES.suspends(job)
  job.state, job.preempted = "suspended", (job.preempted or 0) + 1
  job.resize = nil
end

function CHANGES.kills(job, order)
  job.state, job.hosts, job.started, job.ran, job.resize = "pending", nil, nil, nil, nil
  job.gone = order.action == "kill" or nil
end

local function copy(job)
  local out = {}
  for key, value in pairs(job) do out[key] = value end
  if job.hosts then
    out.hosts = {}
    for host, slots in pairs(job.hosts) do out.hosts[host] = slots end
  end
  return out
end

--- The state after `decision`, `seconds` later: jobs that have run for `work[id]` seconds are gone,
-- `arrivals` come in.
function loop.after(state, decision, seconds, work, arrivals)
  local fates, now = loop.fates(decision), state.now + seconds
  local out = { now = now, jobs = {}, hosts = state.hosts }
  for _, old in ipairs(state.jobs or {}) do
    local job, fate = copy(old), fates[old.id]
    if fate then CHANGES[fate.kind](job, fate.order, state.now) end
    if job.state == "running" then
      job.ran = (job.ran or job.started and state.now - job.started or 0) + seconds
    end
    if job.state == "suspended" then job.suspended_for = (job.suspended_for or 0) + seconds end
    local done = job.gone or job.state == "running" and work and job.ran >= (work[job.id] or 0)
    if not done then out.jobs[#out.jobs + 1] = job end
  end
  for _, job in ipairs(arrivals or {}) do out.jobs[#out.jobs + 1] = job end
  if not out.jobs[1] then out.jobs = nil end
  for _, key in ipairs { "usage", "usage_at", "usage_rest" } do out[key] = decision[key] end
  return out
end

return loop
