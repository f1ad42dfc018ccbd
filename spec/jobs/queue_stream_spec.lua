-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random streams of jobs over random sites, 240 cycles each: what holds at every instant, and over
--- all of them (rules.md 1.2 to 1.8, 2.4).

local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local stream = require "spec.support.cases.queue_stream"
local watch = require "spec.support.cases.queue_watch"

local claim = watch.claim
local CYCLES = 240

local function holds(name, runs, opts, check)
  property(name, { runs = runs, valid = engine.valid }, check, function (seed)
    return stream.case(seed, opts)
  end)
end

local function with_policy(case, preempt_for)
  local plan = {}
  for key, value in pairs(case.plan) do plan[key] = value end
  plan.policy = { use = "preemption", preempt_for = preempt_for }
  return { plan = plan, state = case.state, stream = case.stream, opts = case.opts }
end

describe("at every instant of a stream", function ()
  holds("no host, limit or slice is exceeded, nobody protected goes, nothing free is left", 14, nil,
    function (case)
      stream.run(case, CYCLES, function (state, decision)
        local jobs = watch.after(decision)
        watch.hosts(case.plan, jobs)
        watch.limits(case.plan, jobs)
        watch.pools(case.plan, state, decision)
        watch.protected(case.plan, state, decision)
        watch.waiting(case.plan, state, decision)
      end)
    end)

  for _, keyword in ipairs { "MINI_JOB", "LEAST_RUN_TIME MINI_JOB" } do
    holds(keyword .. ": no victim is superfluous (P-14)", 10, { pools = false }, function (case)
      case = with_policy(case, keyword)
      stream.run(case, CYCLES, function (state, decision)
        watch.few(case.plan, state, decision)
      end)
    end)
  end

  holds("OPTIMAL_MINI_JOB: no fewer victims do (P-14)", 14,
    { pools = false, limits = false, exclusive = false }, function (case)
      case = with_policy(case, "OPTIMAL_MINI_JOB")
      for _, queue in ipairs(case.plan.queues) do
        queue.qjob_limit, queue.ujob_limit, queue.hjob_limit = nil, nil, nil
      end
      stream.run(case, CYCLES, function (state, decision)
        watch.fewest(case.plan, state, decision, 12)
      end)
    end)
end)

-- ---- Over all of it ----------------------------------------------------------------------------

--- Does a relation (name -> { name = true }) lead from somebody back to the same?
local function has_circle(relation)
  local ends = {} -- those from whom no circle is reached
  local again = true
  while again do
    again = false
    for from, list in pairs(relation) do
      local open = false
      for to in pairs(list) do open = open or relation[to] ~= nil and not ends[to] end
      if not open and not ends[from] then ends[from], again = true, true end
    end
  end
  for from in pairs(relation) do
    if not ends[from] then return from end
  end
end

it("a circle of three is found, a fork is none", function ()
  assert.is_truthy(has_circle { a = { b = true }, b = { c = true }, c = { a = true } })
  assert.is_nil(has_circle { a = { b = true, c = true }, b = { c = true } })
end)

local function given_limit(plan, job)
  for _, queue in ipairs(plan.queues) do
    if queue.name == job.queue and queue.max_job_preempt then return queue.max_job_preempt end
  end
  return plan.params and plan.params.max_job_preempt or math.huge
end

describe("over a stream", function ()
  holds("nobody is preempted more often than MAX_JOB_PREEMPT, and counts are told (P-30)", 14, nil,
    function (case)
      local times = {}
      stream.run(case, CYCLES, function (state, decision)
        local jobs = {}
        for _, job in ipairs(state.jobs or {}) do jobs[job.id] = job end
        for _, it in ipairs(watch.victims(decision)) do
          if it.kind == "suspends" then
            times[it.job] = (times[it.job] or 0) + 1
            claim(it.preempted == times[it.job], "%s: %d times, told %d", it.job, times[it.job],
              it.preempted)
            claim(times[it.job] <= given_limit(case.plan, jobs[it.job]), "%s goes again", it.job)
          end
        end
      end)
    end)

  holds("no two jobs preempt each other back and forth, nor in a circle", 14, nil, function (case)
    local relation = {}
    stream.run(case, CYCLES, function (_, decision)
      for _, it in ipairs(watch.victims(decision)) do
        relation[it.by] = relation[it.by] or {}
        relation[it.by][it.job] = true
      end
    end)
    local who = has_circle(relation)
    claim(not who, "%s", who)
  end)

  holds("who was preempted is resumed, and ends, once nobody comes any more (P-26)", 20, nil,
    function (case)
      local state, work = stream.run(case, 60, function () end)
      local ended = stream.drain(case, state, work, 120, function (now, decision)
        local running = #decision.resumes
        for _, job in ipairs(now.jobs) do
          running = running + (job.state == "running" and 1 or 0)
        end
        claim(running > 0, "nothing runs, and nobody is resumed")
      end)
      claim(ended, "jobs are left")
    end)

  holds("the same stream gives the same bytes, in whatever order states have their keys", 6, nil,
    function (case)
      local texts, said, at = {}, {}, 0
      stream.run(case, CYCLES, function (_, decision, text)
        texts[#texts + 1], said[#said + 1] = text, document.encode(decision)
      end)
      stream.run(case, CYCLES, function (_, _, text)
        at = at + 1
        claim(text == texts[at], "cycle %d differs", at)
      end)
      at = 0
      -- A job's own hosts stand as the state has them.
      stream.run(case, CYCLES, function (_, decision)
        at = at + 1
        claim(document.encode(decision) == said[at], "cycle %d goes by the order of keys", at)
      end, { shuffled = true })
    end)
end)
