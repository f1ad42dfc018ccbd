-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Backfill against a slow model: `allot simulate` starts every job of random logs when the model
--- does, and what EASY and conservative backfill promise holds.

local document = require "spec.support.cases.document"
local model = require "spec.support.model.simulate.backfill"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local shrink = require "allot.check.shrink"
local simulation = require "spec.support.cases.simulation"

local WAYS = { "first_fit", "none", "easy", "conservative" }

-- ---- Cases --------------------------------------------------------------------------------------

--- Each job has a queue of its own, which stands for it: samples show when it starts.
local function draw(seed, kind)
  local r = random.new(seed)
  local case, at = { hosts = {}, queues = {} }, 10
  for i = 1, kind.hosts and r:int(2, 4) or 1 do
    case.hosts[i] = { name = "h" .. i, slots = r:int(2, kind.hosts and 4 or 8) }
  end
  local least = r:pick { 1, 1, 3 }
  for i = 1, r:int(3, 10) do
    local job = { at = at, slots = r:int(1, 8), run = r:int(1, 12),
      queue_priority = r:once_in(3) and r:int(1, 3) or 1, priority = r:once_in(5) and 1 or 0 }
    job.slots = least > 1 and r:once_in(2) and r:int(1, least) or job.slots
    job.limit = job.run + (r:once_in(2) and r:int(0, 12) or 0)
    if kind.wrong and r:once_in(3) then job.limit = r:int(1, job.run) end
    if kind.wrong and r:once_in(6) then job.run = job.run + r:int(50, 200) end
    if kind.endless and r:once_in(5) then job.limit = nil end
    if kind.hosts and r:once_in(2) then
      job.only = {}
      for _, host in ipairs(case.hosts) do
        if r:once_in(2) then table.insert(job.only, host.name) end
      end
      if #job.only == 0 or #job.only == #case.hosts then job.only = nil end
    end
    case.queues[i] = job
    at = at + (r:once_in(2) and r:int(0, 8) or 0)
  end
  return case
end

local function valid(case)
  if #(case.queues or {}) == 0 or #(case.hosts or {}) == 0 then return false end
  local last = 0
  for _, host in ipairs(case.hosts) do
    if not (host.name and (host.slots or 0) > 0) then return false end
  end
  for _, job in ipairs(case.queues) do
    if not (job.at and job.at >= last and (job.run or 0) > 0 and (job.slots or 0) > 0
      and (job.limit or 1) > 0 and job.queue_priority and job.priority)
      or job.only and #job.only == 0 then
      return false
    end
    last = job.at
  end
  return true
end

local function plan_of(case, how)
  local plan = { version = 1, policy = { use = "preemption", backfill = how }, queues = {} }
  if case.hosts[2] then
    plan.hosts = {}
    for _, host in ipairs(case.hosts) do plan.hosts[host.name] = { slots = host.slots } end
  else
    plan.slots = case.hosts[1].slots
  end
  for i, job in ipairs(case.queues) do
    plan.queues[i] = { name = "q" .. i, priority = job.queue_priority, hosts = job.only }
  end
  return document.encode(plan)
end

local function log_of(case)
  local lines = {}
  for i, job in ipairs(case.queues) do
    lines[i] = document.encode { at = job.at, event = "submit", id = "j" .. i, run = job.run,
      slots = job.slots, queue = "q" .. i, priority = job.priority, run_limit = job.limit }
  end
  return table.concat(lines, "\n")
end

--- The model's jobs.
local function jobs_of(case)
  local jobs = {}
  for i, job in ipairs(case.queues) do
    jobs[i] = shrink.copy(job)
    for _, name in ipairs(job.only or {}) do
      jobs[i].hosts = jobs[i].hosts or {}
      jobs[i].hosts[name] = true
    end
  end
  return jobs
end

-- ---- Comparing ----------------------------------------------------------------------------------

--- By way and job when the command starts it.
local function started(case)
  local files, names = { log = log_of(case) }, {}
  for i, how in ipairs(WAYS) do
    files[how .. ".json"] = plan_of(case, how)
    names[i] = how .. ".json"
  end
  local at = shell.directory()
  local status, out, err = simulation.run(files,
    ("%s log --all --samples %s/samples.csv"):format(table.concat(names, " "), at))
  assert(status == 0, err .. out)
  local starts = {}
  for way, time, queue, busy in shell.read(at .. "/samples.csv"):gmatch
    "([%w_]+),(%d+),[^,\n]*,/q(%d+),%d+,%d+,(%d+)" do
    starts[way] = starts[way] or {}
    local number = tonumber(queue)
    if tonumber(busy) > 0 then
      starts[way][number] = starts[way][number] or tonumber(time)
    end
  end
  shell.remove(at)
  return starts
end

local function compare(case)
  local got = started(case)
  for _, how in ipairs(WAYS) do
    local jobs = jobs_of(case)
    local wanted = model.play(shrink.copy(case.hosts), jobs, how)
    for i, job in ipairs(jobs) do
      local is = (got[how] or {})[i]
      if is ~= wanted[job] then
        error(("%s: job %d starts at %s, not %s"):format(how, i, tostring(is),
          tostring(wanted[job])), 0)
      end
    end
  end
end

local function hold(kind, runs, check)
  local first = tonumber(os.getenv "ALLOT_SEED" or "")
  for seed = first or 1, first or property.runs(runs) do
    local case = draw(seed, kind)
    if not pcall(check, case) then
      case = shrink.run({ plan = case, state = {} }, function (smaller)
        return valid(smaller.plan) and not pcall(check, smaller.plan)
      end).plan
      error(("ALLOT_SEED=%d: %s\n%s"):format(seed, select(2, pcall(check, case)),
        document.encode(case, { indent = "  " })), 0)
    end
  end
end

describe("allot simulate starts jobs when a slow model does", function ()
  it("on slots that are alike", function () hold({}, 800, compare) end)
  it("with jobs that have no run limit", function () hold({ endless = true }, 400, compare) end)
  it("with run limits that jobs exceed", function () hold({ wrong = true }, 400, compare) end)
  it("on hosts that some queues may not use", function () hold({ hosts = true }, 800, compare) end)
end)
