-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Use of jobs' users (C-14) on random streams of jobs, beside sums in floating point, and what a
--- policy that reads it starts beside a slow model.

local engine = require "spec.support.cases.engine"
local fading = require "spec.support.usage.fading"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local USERS = { "ann", "bob", "cy" }
local POLICY = [[return policy { name = "site", preempts = false, across = true,
  dispatch = order { "usage", "submitted" } }]]

--- Steps: seconds until the next, jobs that come, and how many of those that run end.
local function draw(seed)
  local random, steps, count = Random.new(seed), {}, 0
  for i = 1, random:int(1, 12) do
    local step = { seconds = random:int(0, random:pick { 3, 100, 5000, 300000 }), jobs = {},
      part = random:int(0, 2) }
    for k = 1, random:int(0, 4) do
      count = count + 1
      step.jobs[k] = { id = "j" .. count, queue = random:pick { "high", "low" }, slots = 1,
        submitted = count, user = random:pick { "ann", "bob", "cy", "" } }
    end
    step.ends = random:int(0, 3)
    steps[i] = step
  end
  local plan = { version = 1, policy = "site.lua", hosts = { h = { slots = random:int(1, 6) } },
    queues = { { name = "high", priority = 9 }, { name = "low", priority = 1 } } }
  if random:once_in(3) then
    plan.hist_hours = random:int(0, 50)
  else
    plan.half_life = random:pick { 0, 1, 60, 3600, 604800, random:int(0, 1000000) }
  end
  return { plan = plan, policy = POLICY, state = { steps = steps } }
end

local function fits(found, wanted, steps)
  return math.abs(found - wanted) <= 2e-6 * (steps + 1) + 1e-8 * wanted
end

local function used(decision, name)
  local row = (decision.users or {})[name] or {}
  return (row.usage or 0) + (row.usage_rest or 0) / 1e6
end

--- The jobs that a cycle starts: of those that wait the one whose user has used the least whole
--- slot-seconds, as the decision says, then the first submitted, as long as there is a slot.
local function starts(state, decision, slots)
  local waiting, free, out = {}, slots, {}
  for _, job in ipairs(state.jobs) do
    if job.state == "running" then free = free - 1 else waiting[#waiting + 1] = job end
  end
  table.sort(waiting, function (a, b)
    local x, y = used(decision, a.user) // 1, used(decision, b.user) // 1
    if x ~= y then return x < y end
    return a.submitted < b.submitted
  end)
  for i = 1, math.min(free, #waiting) do out[i] = waiting[i].id end
  return out
end

local function ids(orders)
  local out = {}
  for i, order in ipairs(orders) do out[i] = order.job end
  return out
end

--- Each state is what the one before becomes by itself; a decision in between, which is not carried
-- out, changes nothing.
local function check(it)
  local sealed, r = engine.sealed(it.plan, it.policy), fading.pace(it.plan)
  local slots = it.plan.hosts.h.slots
  local use, held = {}, {}
  for _, name in ipairs(USERS) do use[name], held[name] = 0, 0 end
  local state = { now = 1000, jobs = {} }
  for i, step in ipairs(it.state.steps) do
    for _, job in ipairs(step.jobs) do
      local made = {}
      for key, value in pairs(job) do made[key] = value end
      made.user = job.user ~= "" and job.user or nil
      state.jobs[#state.jobs + 1] = made
    end
    local decision = engine.decided(sealed, state)
    for _, name in ipairs(USERS) do
      local found = used(decision, name)
      assert(fits(found, use[name], i), ("step %d, %s: found %.6f, wanted %.6f"):format(i, name,
        found, use[name]))
    end
    assert.same(starts(state, decision, slots), ids(decision.starts))
    state = engine.after(decision, { seconds = step.seconds })
    state.jobs = state.jobs or {}
    for _, name in ipairs(USERS) do held[name] = 0 end
    for _, job in ipairs(state.jobs) do
      if job.user and job.state == "running" then held[job.user] = held[job.user] + 1 end
    end
    for _, name in ipairs(USERS) do
      use[name] = fading.later(use[name], held[name], step.seconds, r)
    end
    -- Jobs end: what their users used until now is what the decision of now says.
    local told = engine.decided(sealed, state)
    if step.ends > 0 or step.part == 0 then
      state.users, state.usage_at = told.users, told.usage_at
    end
    local ends = step.ends
    for k = #state.jobs, 1, -1 do
      if ends > 0 and state.jobs[k].state == "running" then
        table.remove(state.jobs, k)
        ends = ends - 1
      end
    end
  end
end

local function valid(it)
  return #it.plan.queues == 2 and it.plan.hosts and it.plan.hosts.h
    and (it.plan.half_life or it.plan.hist_hours) and it.policy == POLICY and it.state.steps
end

describe("use of users over time", function ()
  property("is what floating point says, and decides", { runs = 1000, valid = valid }, check, draw)
end)
