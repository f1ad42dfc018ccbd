-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The jobs that a decision leads to once it is carried out; apply.lua has the whole state.
--
--     starts    runs on its hosts from the decision's time on
--     resumes   runs on where it stopped
--     resizes   has the new slots besides
--     suspends  keeps its hosts; `preempted` counts it
--     kills     waits again, what it had run is lost; with the action "kill" it is gone
--
-- Orders that are held (slots kept until a victim is gone) change nothing yet. Then time goes by:
-- `ran` of who runs and `suspended_for` of who is suspended grow.

local jobs = {}

--- The kinds of orders, in the order in which they are carried out.
local KINDS = { "starts", "resumes", "resizes", "suspends", "kills" }

--- What decisions do to jobs: job id -> { kind, order }.
function jobs.fates(decision)
  local out = {}
  for _, kind in ipairs(KINDS) do
    for _, order in ipairs(decision[kind] or {}) do
      if order.job and not order.held then out[order.job] = { kind = kind, order = order } end
    end
  end
  return out
end

local CHANGES = {}

local function copied(table_of)
  local out = {}
  for key, value in pairs(table_of or {}) do out[key] = value end
  return out
end

function CHANGES.starts(job, order, now)
  job.state, job.hosts, job.started, job.ran = "running", copied(order.hosts), now, 0
end

function CHANGES.resumes(job, _, now)
  job.state, job.started, job.ran = "running", now, job.ran or 0
end

function CHANGES.resizes(job, order)
  job.hosts = copied(job.hosts)
  for host, slots in pairs(order.hosts or {}) do
    job.hosts[host] = (job.hosts[host] or 0) + slots
    job.slots = (job.slots or 1) + slots
  end
  job.resize = nil
end

local function count(job, order)
  job.preempted = order.preempted or (job.preempted or 0) + 1
end

function CHANGES.suspends(job, order)
  job.state, job.resize = "suspended", nil
  count(job, order)
end

function CHANGES.kills(job, order)
  job.state, job.hosts, job.started, job.ran, job.resize = "pending", nil, nil, nil, nil
  if order.preempted then count(job, order) end
end

--- Whether it is gone after so many seconds.
local function pass(job, now, seconds, work)
  if job.state == "running" then
    local started = job.started or now
    if job.ran or type(started) == "number" then -- a date the engine counts from
      job.ran = (job.ran or math.max(0, now - started)) + seconds
    end
    return work ~= nil and (job.ran or 0) >= (work[job.id] or 0)
  elseif job.state == "suspended" then
    job.suspended_for = (job.suspended_for or 0) + seconds
  end
end

--- A new list of the jobs after `decision`, `seconds` later; `options` are those of apply.after.
function jobs.after(list, decision, seconds, options)
  local fates, out = jobs.fates(decision), {}
  for _, old in ipairs(list) do
    local job, fate = copied(old), fates[old.id]
    local gone = false
    if fate then
      CHANGES[fate.kind](job, fate.order, decision.now)
      gone = fate.kind == "kills" and fate.order.action == "kill"
    end
    if not pass(job, decision.now, seconds, options.work) and not gone then out[#out + 1] = job end
  end
  for _, job in ipairs(options.arrivals or {}) do out[#out + 1] = job end
  return out
end

return jobs
