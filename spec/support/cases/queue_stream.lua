-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Streams of jobs over a random site that begins empty: they arrive, run, are preempted, stopped
--- and killed, cycle after cycle, and every state is one that decisions have led to.

local engine = require "spec.support.cases.engine"
local gen = require "allot.check.draw_queues"
local Random = require "allot.check.random"

local world = require "spec.support.model.queue_world"

local stream = {}

local MOST = 24 -- jobs at a time

--- How many pairs of queues there are of which one may preempt the other.
local function pairs_of(plan)
  local queues, count = world.read(plan, { now = 0 }).queues, 0
  for _, high in ipairs(queues) do
    for _, low in ipairs(queues) do count = count + (world.may(high, low) and 1 or 0) end
  end
  return count
end

--- A case: a site where somebody may preempt, and the seed of what happens there.
function stream.case(seed, opts)
  local random = Random.new(seed)
  local plan
  repeat plan = gen.plan(random, opts or {}) until pairs_of(plan) > 0
  for _, queue in ipairs(plan.queues) do
    -- Short enough for a stream to meet it.
    if queue.preempt_delay then queue.preempt_delay = queue.preempt_delay % 100 end
  end
  return { plan = plan, state = { now = 100000 }, stream = seed, opts = opts }
end

local function arrive(random, case, state, it)
  local out = {}
  for _ = 1, random:int(0, 3) do
    if #(state.jobs or {}) + #out < MOST then
      it.id = it.id + 1
      local job = gen.job(random, case.plan, "j" .. it.id, state.now)
      job.submitted = state.now
      if case.opts and case.opts.exclusive == false then job.exclusive = nil end
      it.work[job.id] = random:once_in(3) and random:int(300, 2000) or random:int(20, 400)
      out[#out + 1] = job
    end
  end
  return out
end

--- What people and machines do to jobs between cycles.
local function disturb(random, state)
  local jobs = state.jobs or {}
  for i = #jobs, 1, -1 do
    local job = jobs[i]
    if random:once_in(60) then
      table.remove(jobs, i) -- killed
    elseif job.state == "running" and random:once_in(40) then
      job.state = "stopped" -- its wish to grow stays (P-51)
      if job.resize and job.resize.notifying then job.resize = nil end
    elseif job.state == "stopped" and random:once_in(5) then
      job.state = "suspended"
    elseif job.state == "running" and not job.exclusive and random:once_in(30) then
      job.resize = { grow = random:int(1, 2) }
    elseif job.state == "running" and not job.resize and random:once_in(40) then
      job.resize = { notifying = true }
    elseif job.resize and job.resize.notifying then
      job.resize = nil
    end
  end
  state.jobs = jobs[1] and jobs or nil
end

--- Now and then a host is closed, to drain or with reclaim, and later opened again (E-34).
local function close(random, plan, state)
  local hosts = {}
  for name in pairs(plan.hosts) do hosts[#hosts + 1] = name end
  table.sort(hosts)
  if random:once_in(30) then
    local how = random:once_in(3) and "drain" or "reclaim"
    state.hosts = { [random:pick(hosts)] = { closed = how } }
  elseif random:once_in(6) then
    state.hosts = nil
  end
end

--- Seconds that a job has run in all.
local function ran(job, now)
  if not job.ran then return now - (job.started or now) end
  return job.ran + now - (job.since or now)
end

--- The state without those who have run as long as `work` says.
local function worked(state, work)
  local left = {}
  for _, job in ipairs(state.jobs or {}) do
    local over = job.state == "running" and ran(job, state.now) >= (work[job.id] or 0)
    if not over then left[#left + 1] = job end
  end
  state.jobs = left[1] and left or nil
  return state
end

--- Runs `cycles` cycles; each(state, decision) behind every one. Gives back the last state and
-- what jobs have left to do. opts.shuffled: keys of states stand in any order.
function stream.run(case, cycles, each, opts)
  local random, it = Random.new(case.stream + 7), { id = 0, work = {} }
  local closing = Random.new(case.stream + 11)
  local style = opts and opts.shuffled and { random = Random.new(3) } or nil
  local sealed, state = engine.sealed(case.plan), { now = case.state.now }
  for _ = 1, cycles do
    local decision, box = engine.decided(sealed, state, style)
    each(state, decision, box:json())
    state = worked(engine.after(decision, { seconds = random:int(1, 90) }), it.work)
    local jobs = state.jobs or {}
    for _, job in ipairs(arrive(random, case, state, it)) do jobs[#jobs + 1] = job end
    state.jobs = jobs[1] and jobs or nil
    disturb(random, state)
    close(closing, case.plan, state)
  end
  return state, it.work
end

--- From a state on nobody comes any more, and who waits leaves: cycles until no job is left, at
-- most so many.
function stream.drain(case, state, work, cycles, each)
  local sealed, jobs = engine.sealed(case.plan), {}
  for _, job in ipairs(state.jobs or {}) do
    if job.state == "stopped" then job.state = "suspended" end
    if job.state == "running" or job.state == "suspended" then jobs[#jobs + 1] = job end
  end
  state.jobs, state.hosts = jobs[1] and jobs or nil, nil
  for _ = 1, cycles do
    if not state.jobs then return true end
    local decision = engine.decided(sealed, state)
    each(state, decision)
    state = worked(engine.after(decision, { seconds = 500 }), work)
  end
  return not state.jobs
end

return stream
