-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Times of jobs that stand in a state for long: `since`, until when `ran` and `suspended_for`
--- count, and `begin`, before which a pending job is not started.

local engine = require "spec.support.cases.engine"
local kit = require "spec.support.cases.queue_kit"

local NOW = 100000

--- Queues of which "high" preempts "low", which has these limits, in minutes (P-31, P-33).
local function plan_of(limits)
  local low = { name = "low", priority = 1, preemptable = true }
  for key, value in pairs(limits) do low[key] = value end
  return { version = 1, policy = "preemption", hosts = kit.hosts(1, 1),
    queues = { { name = "high", priority = 9, preemptive = true }, low } }
end

local function decide(plan, list, now)
  return engine.cycle(plan, { now = now or NOW, jobs = list })
end

describe("a job's `since`", function ()
  it("counts seconds that it ran from there on", function ()
    local plan = plan_of { no_preempt_run_time = 10 }
    local function suspends(more)
      return #decide(plan, { kit.running("l", "low", "h1", 1, more),
        { id = "p", queue = "high" } }).suspends
    end
    assert.equal(1, suspends { ran = 599 })
    assert.equal(0, suspends { ran = 600 })
    assert.equal(1, suspends { ran = 100, since = NOW - 499 })
    assert.equal(0, suspends { ran = 100, since = NOW - 500 })
    assert.equal(0, suspends { ran = 600, since = NOW + 50 }) -- not yet: nothing is taken off
  end)

  it("counts seconds of suspension where it is suspended, and of running where it runs", function ()
    local plan = plan_of { max_total_time_preempt = 5 }
    local function suspends(more)
      return #decide(plan, { kit.running("l", "low", "h1", 1, more),
        { id = "p", queue = "high" } }).suspends
    end
    assert.equal(0, suspends { suspended_for = 300, since = NOW - 1 })
    assert.equal(1, suspends { suspended_for = 299, since = NOW - 1 }) -- it runs since then
  end)
end)

describe("a job's `begin`", function ()
  local plan = plan_of {}

  it("is the time from which it may start", function ()
    local list = { { id = "a", queue = "low", begin = NOW } }
    local early = decide(plan, list, NOW - 1)
    assert.same({}, early.starts)
    assert.equal("a", decide(plan, list).starts[1].job)
    assert.same({ begin = 1 }, early.queues.low.waits)
    assert.equal(0, early.queues.low.pending)
  end)

  it("lets others start in front of it, and has nobody preempted", function ()
    local list = { kit.running("l", "low", "h1", 1), { id = "a", queue = "high", begin = NOW + 1 } }
    local early = decide(plan, list)
    assert.same({}, early.suspends)
    assert.equal("l", decide(plan, list, NOW + 1).suspends[1].job)
  end)

  it("is said by `explain`", function ()
    local _, decision = engine.cycle(plan, { now = NOW,
      jobs = { { id = "a", queue = "low", begin = NOW + 90 } } })
    local text = table.concat(decision:explain "a", "\n")
    assert.truthy(text:find("It waits: it is not to start yet.", 1, true), text)
    assert.truthy(text:find("It may start in 90 s.", 1, true), text)
  end)
end)
