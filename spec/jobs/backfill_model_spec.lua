-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Backfill against a slow model: `allot simulate` starts every job of random logs when the model
--- does, and what EASY and conservative backfill promise holds.

local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local model = require "spec.support.model.simulate.backfill"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local shrink = require "allot.check.shrink"

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
    if kind.users and r:once_in(2) then job.user = r:pick { "ann", "bob" } end
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
  if kind.users then
    case.limits = { ann = r:int(3, 10), bob = r:once_in(2) and r:int(3, 10) or nil }
  end
  return case
end

--- Limits of the plan by user.
local function limits_of(case)
  local list = {}
  for user, most in pairs(case.limits or {}) do
    list[#list + 1] = { users = { user }, slots = most }
  end
  return list[1] and list or nil
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
  local plan = { version = 1, policy = { use = "preemption", backfill = how }, queues = {},
    limits = limits_of(case) }
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
      slots = job.slots, queue = "q" .. i, priority = job.priority, run_limit = job.limit,
      user = job.user }
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

local folder

--- By way and job when the command starts it.
local function started(case)
  local words = {}
  for i, how in ipairs(WAYS) do
    shell.write(folder .. "/" .. how .. ".json", plan_of(case, how))
    words[i] = folder .. "/" .. how .. ".json"
  end
  shell.write(folder .. "/log", log_of(case))
  local status, out, err = shell.run(("%s simulate %s %s/log --samples %s/samples.csv")
    :format(shell.allot, table.concat(words, " "), folder, folder))
  assert(status == 0, err .. out)
  local starts = {}
  for way, time, queue, busy in shell.read(folder .. "/samples.csv"):gmatch
    "([%w_]+),(%d+),[^,\n]*,/q(%d+),%d+,%d+,(%d+)" do
    starts[way] = starts[way] or {}
    local number = tonumber(queue)
    if tonumber(busy) > 0 then
      starts[way][number] = starts[way][number] or tonumber(time)
    end
  end
  return starts
end

--- How many cases start a job at another time than another way does.
local differ = { first_fit = 0, easy = 0, conservative = 0 }

local function count(starts, cases)
  local before = {}
  for _, how in ipairs { "none", "first_fit", "easy", "conservative" } do
    local same = true
    for i = 1, #cases do same = same and (starts[how] or {})[i] == before[i] end
    if differ[how] and not same then differ[how] = differ[how] + 1 end
    before = starts[how] or {}
  end
end

local function compare(case)
  local got = started(case)
  count(got, case.queues)
  for _, how in ipairs(WAYS) do
    local jobs = jobs_of(case)
    local wanted = model.play(shrink.copy(case.hosts), jobs, how, nil, case.limits)
    for i, job in ipairs(jobs) do
      local is = (got[how] or {})[i]
      if is ~= wanted[job] then
        error(("%s: job %d starts at %s, not %s"):format(how, i, tostring(is),
          tostring(wanted[job])), 0)
      end
    end
  end
end

local function hold(kind, runs, check, make)
  local first = tonumber(os.getenv "ALLOT_SEED" or "")
  for seed = first or 1, first or property.runs(runs) do
    local case = (make or draw)(seed, kind)
    if not pcall(check, case) then
      case = shrink.run({ plan = case, state = {} }, function (smaller)
        return (make or valid(smaller.plan)) and not pcall(check, smaller.plan)
      end).plan
      error(("ALLOT_SEED=%d: %s\n%s"):format(seed, select(2, pcall(check, case)),
        document.encode(case, { indent = "  " })), 0)
    end
  end
end

-- ---- Single cycles ------------------------------------------------------------------------------

--- A state: jobs that run, then jobs that wait, each of a queue of its own, in the order of turns.
local function draw_state(seed)
  local r = random.new(seed)
  local case, alone = { hosts = {}, queues = {} }, r:once_in(2)
  for i = 1, r:int(1, 4) do case.hosts[i] = { name = "h" .. i, slots = r:int(1, 5), left = 5 } end
  for _, host in ipairs(case.hosts) do host.left = host.slots end
  for i = 1, r:int(2, 9) do
    local job = { slots = r:int(1, 8), limit = not r:once_in(6) and r:int(1, 30) or nil,
      exclusive = alone and r:once_in(3) or nil }
    local host = r:pick(case.hosts)
    if i < 6 and host.left > 0 and r:once_in(2) then
      if host.left < host.slots then job.exclusive = nil end
      job.slots = r:int(1, host.left)
      job.places, job.ran = { [host.name] = job.slots }, r:int(0, 25)
      host.left = job.exclusive and 0 or host.left - job.slots
    elseif r:once_in(3) then
      job.only = { r:pick(case.hosts).name }
    end
    if r:once_in(2) then job.user = r:pick { "ann", "bob" } end
    case.queues[i] = job
  end
  if r:once_in(2) then case.limits = { ann = r:int(2, 9), bob = r:int(2, 9) } end
  return case
end

local NOW = 1000

local function documents(case, how)
  local plan = { version = 1, policy = { use = "preemption", backfill = how }, queues = {},
    hosts = {}, limits = limits_of(case) }
  local state = { now = NOW, jobs = {} }
  for _, host in ipairs(case.hosts) do plan.hosts[host.name] = { slots = host.slots } end
  for i, job in ipairs(case.queues) do
    plan.queues[i] = { name = "q" .. i, priority = 100 - i, hosts = job.only }
    state.jobs[i] = { id = "j" .. i, queue = "q" .. i, slots = job.slots, run_limit = job.limit,
      exclusive = job.exclusive, hosts = job.places, user = job.user,
      state = job.places and "running" or nil,
      started = job.places and NOW - job.ran or nil }
  end
  return plan, state
end

local function places_text(places)
  local list = {}
  for host, slots in pairs(places) do list[#list + 1] = host .. "=" .. slots end
  table.sort(list)
  return table.concat(list, ",")
end

--- By job "starts h1=2" or "from 1007".
local function fates_of(case, how)
  local plan, state = documents(case, how)
  local decided, decision = engine.cycle(plan, state)
  local fates, out = engine.fates(decided), {}
  for i, job in ipairs(case.queues) do
    local fate = fates["j" .. i]
    local after = not job.places and table.concat((decision:explain("j" .. i)), "\n")
      :match "From %S+ on, in (%d+) s, %d+ slots? %a+ reserved for it"
    out[i] = fate and "starts " .. places_text(fate.order.hosts)
      or after and "from " .. NOW + after or "-"
  end
  return out
end

local function agree(case)
  for _, how in ipairs(WAYS) do
    local jobs = jobs_of(case)
    for _, job in ipairs(jobs) do job.start = job.places and NOW - job.ran end
    model.decide({ hosts = shrink.copy(case.hosts), now = NOW, jobs = jobs, queues = jobs,
      limits = case.limits }, how)
    local got = fates_of(case, how)
    for i, job in ipairs(jobs) do
      local ran = case.queues[i].places
      local wanted = not ran and job.places and "starts " .. places_text(job.places)
        or job.reserved and "from " .. job.reserved or "-"
      if got[i] ~= wanted then
        error(("%s: job %d: %s, not %s"):format(how, i, got[i], wanted), 0)
      end
    end
  end
end

--- Where no job goes before one that came earlier, or that waited for a limit, a job with a
--- reservation starts by then: under `easy` if no job exceeds its run limit, under `conservative`
--- if all run as long as that. (If one ends early, a job may start early and take what was reserved
--- for a job behind it. So it may where it starts on other hosts than were reserved for it.)
local function kept(case)
  for _, how in ipairs { "easy", not case.hosts[2] and "conservative" or nil } do
    for _, job in ipairs(case.queues) do
      job.queue_priority, job.priority = 1, 0
      job.limit = how == "easy" and math.max(job.limit or 0, job.run) or job.run
    end
    local by, jobs = {}, jobs_of(case)
    local starts = model.play(shrink.copy(case.hosts), jobs, how, function (world)
      for _, job in ipairs(world.jobs) do
        if job.reserved then by[job] = math.min(by[job] or math.huge, job.reserved) end
        if job.limited and how == "easy" then return end -- it goes before those behind it
      end
    end, case.limits)
    for i, job in ipairs(jobs) do
      if by[job] and starts[job] > by[job] then
        error(("%s: job %d starts at %d, not by %d"):format(how, i, starts[job], by[job]), 0)
      end
    end
  end
end

describe("allot simulate starts jobs when a slow model does", function ()
  setup(function () folder = shell.directory() end)
  teardown(function () shell.remove(folder) end)

  it("on slots that are alike", function () hold({}, 800, compare) end)
  it("with jobs that have no run limit", function () hold({ endless = true }, 400, compare) end)
  it("with limits of users", function () hold({ users = true }, 400, compare) end)
  it("with run limits that jobs exceed", function () hold({ wrong = true }, 400, compare) end)
  it("on hosts that some queues may not use", function () hold({ hosts = true }, 800, compare) end)
  it("in logs that tell the ways apart", function ()
    for how, cases in pairs(differ) do assert.is_true(cases > 0, how) end
  end)
end)

describe("a reservation is kept if run limits are", function ()
  it("on slots that are alike", function () hold({}, 1000, kept) end)
  it("on hosts", function () hold({ hosts = true }, 1000, kept) end)
  it("beside limits of users", function () hold({ users = true }, 1000, kept) end)
end)

describe("a cycle starts and reserves what a slow model does", function ()
  it("on hosts, with exclusive jobs", function () hold({}, 3000, agree, draw_state) end)
end)
