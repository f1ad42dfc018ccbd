-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Small logs played through plans, with every figure computed by hand (simulate.h).

local simulation = require "spec.support.cases.simulation"

local swf, consumer = simulation.swf, simulation.consumer

--- Two owners of two slots each; `more` is what /u1 has beside that.
local function halves(more)
  return ([[{"version": 1, "slots": 4, "consumers": [
    {"name": "u1", "owned": 2%s}, {"name": "u2", "owned": 2}]}]]):format(more or "")
end

local function near(wanted, found, what)
  assert.truthy(math.abs(wanted - found) < 1e-6, ("%s: %s, found %s"):format(what, wanted, found))
end

local function check(wanted, found)
  for name, value in pairs(wanted) do near(value, assert(found[name], name), name) end
end

-- u1 wants all four slots at 0 for 10 s, u2 two of them at 4 for 10 s.
local TWO = swf(1, 0, 10, 4, 1) .. swf(2, 4, 10, 2, 2)

describe("a reclaim", function ()
  it("without grace kills at once, and what was lost runs again", function ()
    -- 0: four tasks of u1. 4: two are killed (8 slot-seconds lost), u2 starts two, until 14.
    -- 10: u1's other two end, the killed ones start again, until 20.
    local run = simulation.of(halves(), TWO)
    check({
      jobs = 2, ended = 2, killed = 0, refused = 0, unfinished = 0,
      busy = 68, useful = 60, lost = 8, open = 0, gathered = 0, offered = 80,
      utilisation = 0.85, goodput = 0.75,
      wait_mean = 5, wait_p50 = 0, wait_p95 = 10, wait_p99 = 10, wait_most = 10,
      slowdown_mean = 1.5, slowdown_p50 = 1, slowdown_p95 = 2, slowdown_most = 2,
      preemptions = 2, preempted_jobs = 1, reclaims = 1, reclaimed = 2,
      fairness = 1.5 ^ 2 / (2 * 1.25),
    }, run.figures)
    check({ jobs = 1, wait_mean = 10, lost = 8, useful = 40, preemptions = 2, fairness = 1 },
      consumer(run, "/u1"))
    check({ jobs = 1, wait_mean = 0, lost = 0, useful = 20, preemptions = 0, slowdown_mean = 1 },
      consumer(run, "/u2"))
    check({
      arrivals = 2, starts = 3, ends = 3, kills = 1, reclaims = 1, events = 10, first = 0,
      last = 20,
    }, run.counts)
  end)

  it("lets tasks run on for the grace", function ()
    -- 7: the two have run 7 s each, and are killed; u2 runs from 7 to 17.
    local run = simulation.of(halves ', "grace": 3', TWO)
    check({ lost = 14, useful = 60, offered = 80, preemptions = 2, wait_most = 10 }, run.figures)
    check({ wait_mean = 3, slowdown_mean = 1.3 }, consumer(run, "/u2"))
    check({ wait_mean = 10 }, consumer(run, "/u1"))
  end)

  it("loses nothing where tasks end before the deadline", function ()
    -- 10: all four of u1 end; u2 runs from 10 to 20.
    local run = simulation.of(halves ', "grace": 60', TWO)
    check({ lost = 0, preemptions = 0, reclaims = 1, reclaimed = 2, offered = 80 }, run.figures)
    check({ wait_mean = 6, slowdown_mean = 1.6 }, consumer(run, "/u2"))
    check({ wait_mean = 0 }, consumer(run, "/u1"))
  end)
end)

describe("jobs", function ()
  it("run a part at a time", function ()
    -- Six tasks on four slots: four until 10, two until 20.
    local run = simulation.of(halves(), swf(1, 0, 10, 6, 1))
    check({ useful = 60, offered = 80, wait_mean = 10, slowdown_mean = 2 }, run.figures)
    check({ starts = 2, ends = 2 }, run.counts)
  end)

  it("start by priority, then in the order of submission", function ()
    local log = [[
{"at": 0, "event": "submit", "id": "a", "consumer": "/u1", "slots": 4, "run": 10}
{"at": 1, "event": "submit", "id": "b", "consumer": "/u1", "slots": 4, "run": 10}
{"at": 2, "event": "submit", "id": "c", "consumer": "/u1", "slots": 4, "run": 10, "priority": 5}
]]
    -- a 0..10, c 10..20 (wait 8), b 20..30 (wait 19).
    local run = simulation.of(halves(), log)
    check({ wait_mean = 9, wait_p50 = 8, wait_most = 19 }, run.figures)
  end)

  it("of no seconds end where they begin", function ()
    local run = simulation.of(halves(), swf(1, 5, 0, 6, 1) .. swf(2, 5, 0, 1, 2))
    check({ ended = 2, busy = 0, wait_most = 0, slowdown_most = 1 }, run.figures)
    assert.equal(5, run.counts.last)
  end)

  it("without run time or processors are left out", function ()
    local run = simulation.of(halves(), swf(1, 0, -1, 2, 1) .. swf(2, 0, 5, 0, 1)
      .. swf(3, 0, 5, 1, 1))
    assert.equal(2, run.counts.left_out)
    assert.equal(1, run.figures.jobs)
  end)

  it("shorter than 10 s are 10 s long in slowdowns", function ()
    -- The second waits 8 s for 2 s of work: (8 + 2) / 10 = 1.
    local run = simulation.of(halves(), swf(1, 0, 8, 4, 1) .. swf(2, 0, 2, 4, 1))
    check({ slowdown_most = 1, wait_most = 8 }, run.figures)
    -- ... and 28 s: 30 / 10.
    run = simulation.of(halves(), swf(1, 0, 28, 4, 1) .. swf(2, 0, 2, 4, 1))
    check({ slowdown_most = 3 }, run.figures)
  end)
end)

describe("rigid jobs", function ()
  it("do not ask while the quota of their leaf does not hold them", function ()
    -- u2 may have two slots beside u1, and needs three: it waits until 10, and nobody is killed.
    local run = simulation.of(halves(), swf(1, 0, 10, 4, 1) .. swf(2, 2, 5, 3, 2), "--rigid")
    check({ lost = 0, reclaims = 0, gathered = 0, offered = 60 }, run.figures)
    check({ wait_mean = 8 }, consumer(run, "/u2"))
  end)

  it("lose all their slots at once", function ()
    -- u2 may have two: the whole job of u1 goes (4 * 4 lost) and waits until 9, when u2 is done.
    local run = simulation.of(halves(), swf(1, 0, 10, 4, 1) .. swf(2, 4, 5, 2, 2), "--rigid")
    check({ lost = 16, preemptions = 4, preempted_jobs = 1, useful = 50 }, run.figures)
    check({ wait_mean = 9 }, consumer(run, "/u1")) -- 9 .. 19
    check({ wait_mean = 0 }, consumer(run, "/u2"))
  end)

  it("gather slots that come one by one, for those who were first", function ()
    -- Nobody gives back; two tasks end at 5, two at 9. The wide job asks from 1 on: two slots idle
    -- for it from 5 to 9, since all four are its leaf's own.
    local plan = [[{"version": 1, "slots": 4, "consumers": [
      {"name": "u1", "owned": 4, "grace": 100}, {"name": "u2", "grace": 100}]}]]
    local run = simulation.of(plan, swf(1, 0, 5, 2, 2) .. swf(2, 0, 9, 2, 2) .. swf(3, 1, 5, 4, 1),
      "--rigid")
    check({ gathered = 8, lost = 0, preemptions = 0 }, run.figures)
    check({ wait_mean = 8 }, consumer(run, "/u1")) -- 9 .. 14
  end)

  it("that wait for each other do not wait for ever", function ()
    -- Each quota is two, each needs three: the last in the order of distribution leaves its two to
    -- the other (C-13), and starts when that is done.
    local run = simulation.of(halves(), swf(1, 0, 10, 3, 2) .. swf(2, 0, 10, 3, 1), "--rigid")
    check({ ended = 2, gathered = 0, lost = 0 }, run.figures)
    check({ wait_mean = 0 }, consumer(run, "/u1"))
    check({ wait_mean = 10 }, consumer(run, "/u2"))
  end)

  it("wider than their leaf may ever be are refused, others are not kept by them", function ()
    local plan = halves ', "limit": 3'
    local run, answer = simulation.of(plan, swf(1, 0, 10, 4, 1) .. swf(2, 0, 10, 3, 1), "--rigid")
    check({ refused = 1, ended = 1, wait_most = 0 }, run.figures)
    assert.truthy(answer.warnings[1].message:find("1 job could never run", 1, true))
    assert.equal("W-refused", answer.warnings[1].code)
    assert.equal(1, answer.warnings[1].line)
    assert.truthy(answer.warnings[1].message:find(
      "it needs more slots at once than its consumer may ever have", 1, true))
    -- Not whole, the first runs: three tasks, then one beside the other job's.
    run = simulation.of(plan, swf(1, 0, 10, 4, 1) .. swf(2, 0, 10, 3, 1))
    check({ refused = 0, ended = 2 }, run.figures)
    run, answer = simulation.of(halves ', "limit": 0', swf(1, 0, 10, 1, 1))
    check({ refused = 1, ended = 0 }, run.figures)
    assert.truthy(answer.warnings[1].message:find("its consumer may have no slots", 1, true))
  end)
end)

describe("slot-seconds beyond 64 bits", function ()
  it("stay at the most that there is", function ()
    -- Ten jobs in turn, each of 1e18 slot-seconds: 1e19, and 2^63 is 9.2e18.
    local plan = [[{"version": 1, "slots": 1000000000,
      "consumers": [{"name": "u1", "owned": 1000000000}]}]]
    local lines = {}
    for i = 1, 10 do lines[i] = swf(i, 0, 1000000000, 1000000000, 1) end
    local run = simulation.of(plan, table.concat(lines), "--rigid")
    assert.equal(10, run.figures.ended)
    assert.equal(math.maxinteger, run.figures.busy)
    assert.equal(math.maxinteger, run.figures.useful)
    assert.equal(math.maxinteger, run.figures.offered)
    assert.equal(4500000000, run.figures.wait_mean)
  end)

  it("are no matter to a job that loses more than 2^31 slots", function ()
    -- /v takes all of /u's slots back again and again: 3 times 1e9 of them.
    local plan = [[{"version": 1, "slots": 1000000000,
      "consumers": [{"name": "u"}, {"name": "v", "owned": 1000000000}]}]]
    local lines = {
      [[{"at": 1, "event": "submit", "id": "a", "run": 1000, "slots": 1000000000,
         "consumer": "/u"}]] }
    for i = 1, 3 do
      lines[i + 1] = ([[{"at": %d, "event": "submit", "id": "b%d", "run": 10,
        "slots": 1000000000, "consumer": "/v"}]]):format(100 * i, i)
    end
    local log = table.concat(lines, "\n"):gsub("\n%s+", " ")
    local run = simulation.of(plan, log, "--rigid")
    assert.equal(3000000000, run.figures.preemptions)
    assert.equal(3000000000, consumer(run, "/u").preemptions)
  end)
end)

describe("queues", function ()
  local function queues(low)
    return ([[{"version": 1, "slots": 2, "queues": [
      {"name": "q1", "priority": 1, "preemptable": true%s},
      {"name": "q2", "priority": 2, "preemptive": true}]}]]):format(low or "")
  end
  local log = swf(1, 0, 10, 2, 1, 1, 1) .. swf(2, 3, 4, 2, 1, 1, 2)

  it("suspend and resume: nothing is lost", function ()
    -- q1 0..3 and 7..14, q2 3..7.
    local run = simulation.of(queues(), log)
    check({ useful = 28, lost = 0, offered = 28, preemptions = 2, wait_most = 4 }, run.figures)
    check({ suspends = 1, resumes = 1, kills = 0, starts = 2, ends = 2 }, run.counts)
    check({ slowdown_mean = 1.4 }, consumer(run, "/q1"))
  end)

  it("requeue: the work begins anew", function ()
    -- q1 0..3 lost, 7..17.
    local run = simulation.of(queues ', "job_controls": {"suspend": "requeue"}', log)
    check({ useful = 28, lost = 6, offered = 34, wait_most = 7, killed = 0 }, run.figures)
    check({ kills = 1, starts = 3 }, run.counts)
  end)

  it("kill: the job is gone", function ()
    local run = simulation.of(queues ', "job_controls": {"suspend": "kill"}', log)
    check({ useful = 8, lost = 6, killed = 1, ended = 1, jobs = 2 }, run.figures)
  end)

  it("refuse what is wider than the cluster, and go on", function ()
    local run = simulation.of(queues(), swf(1, 0, 10, 3, 1, 1, 1) .. log:gsub("^1 ", "9 "))
    check({ refused = 1, ended = 2 }, run.figures)
  end)

  it("come back to who waits by time alone", function ()
    -- q2 may preempt 100 s after it came: at 103, or with the next look at it.
    local run = simulation.of(queues():gsub('"preemptive": true',
      '"preemptive": true, "preempt_delay": 100'), swf(1, 0, 1000, 2, 1, 1, 1)
      .. swf(2, 3, 4, 2, 1, 1, 2))
    local wait = consumer(run, "/q2").wait_mean
    assert.truthy(wait >= 100 and wait <= 160, wait)
  end)
end)

describe("what changes in between", function ()
  it("demand that stands, sizes", function ()
    -- u2 wants two slots from 0, none from 20 on; of four slots two are left from 10 to 30.
    local log = [[
{"at": 0, "event": "demand", "consumer": "/u2", "slots": 2}
{"at": 0, "event": "submit", "id": "a", "consumer": "/u1", "slots": 2, "run": 100}
{"at": 10, "event": "slots", "slots": 2}
{"at": 20, "event": "demand", "consumer": "/u2", "slots": 0}
{"at": 30, "event": "slots", "slots": 4}
{"at": 40, "event": "tea"}
]]
    -- 10: each gives one back (10 s of a's second task are lost); it starts again at 20, .. 120.
    local run, answer = simulation.of(halves(), log)
    check({
      jobs = 1, ended = 1, lost = 10, useful = 200 + 2 * 10 + 10, preemptions = 2,
      wait_most = 20, offered = 4 * 10 + 2 * 20 + 4 * 90,
    }, run.figures)
    assert.equal(1, answer.trace.others)
  end)

  it("windows: a switch is an instant, and enforced", function ()
    local plan = [[{"version": 1, "slots": 4, "consumers": [
      {"name": "u1", "owned": 4}, {"name": "u2", "owned": 0}],
      "windows": [{"from": "00:01", "to": "00:02",
        "consumers": {"/u1": {"owned": 0}, "/u2": {"owned": 4}}}]}]]
    -- u1 runs four tasks of 200 s from 0; at 60 u2, who waits since 10, gets all; at 120 u1 again.
    local run = simulation.of(plan, swf(1, 0, 200, 4, 1) .. swf(2, 10, 60, 4, 2))
    check({ lost = 240, wait_mean = ((120 + 200 - 200) + 50) / 2 }, run.figures)
    assert.equal(60 + 60 + 200, run.counts.last)
  end)

  it("cycles are so many seconds apart as --interval says", function ()
    -- The second job comes at 1 and starts at 7.
    local run = simulation.of(halves(), swf(1, 0, 20, 1, 1) .. swf(2, 1, 5, 1, 2), "--interval 7")
    check({ wait_most = 6 }, run.figures)
  end)

  it("has a cycle when a delay ends, though nothing else happens then", function ()
    local function waits(option, log)
      local plan = halves():gsub('"slots"', '"options": {' .. option .. '}, "slots"', 1)
      return consumer(simulation.of(plan, swf(1, 0, 200, 4, 1) .. log), "/u2")
    end
    -- u2 wants two from 4 on, and claims them at 24.
    check({ wait_mean = 20 }, waits('"claim_delay": 20', swf(2, 4, 10, 2, 2)))
    -- u1 gives one at 4, and the next one at 34.
    check({ wait_mean = (0 + 29) / 2 },
      waits('"reclaim_interval": 30', swf(2, 4, 300, 1, 2) .. swf(3, 5, 10, 1, 2)))
  end)

  it("--from, --before and --until bound it", function ()
    local log = swf(1, 0, 10, 1, 1) .. swf(2, 5, 10, 1, 1) .. swf(3, 9, 10, 1, 1)
    local run = simulation.of(halves(), log, "--from 5 --before 9 --until 12")
    check({ jobs = 1, unfinished = 1, ended = 0, busy = 7, open = 7, offered = 28 }, run.figures)
    check({ outside = 2, first = 5, last = 12 }, run.counts)
    assert.is_true(run.counts.stopped)
  end)

  it("a policy with a pool of loans gets its slots back", function ()
    local plan = [[{"version": 1, "slots": 4, "policy": "ownership", "consumers": [
      {"name": "u1", "owned": 2, "lend": "all", "borrow": "all"},
      {"name": "u2", "owned": 2, "lend": "all", "borrow": "all"}]}]]
    local run = simulation.of(plan, TWO)
    check({ lost = 8, useful = 60, preemptions = 2, offered = 80 }, run.figures)
  end)
end)

describe("extremes", function ()
  local HUGE = [[{"version": 1, "slots": 1000000000, "consumers": [
    {"name": "u1", "owned": 999999995}, {"name": "u2", "owned": 5}]}]]

  it("of sums: shares are of the exact ones", function ()
    -- 10^9 slots for 10^9 s, and then nothing until 2^40: 10^9 * 2^40 are more than 2^63.
    local run = simulation.of(HUGE, swf(1, 0, 1000000000, 1000000000, 1)
      .. swf(2, 1099511627776, 0, 1, 2))
    check({ ended = 2, useful = 1e18, utilisation = 1e9 / 2 ^ 40, goodput = 1e9 / 2 ^ 40 },
      run.figures)
    assert.equal(2 ^ 63, run.figures.offered + 0.0)
  end)

  it("of widths: slots are no tasks as long as none has to go", function ()
    local run = simulation.of(HUGE, swf(1, 0, 10, 1000000000, 1) .. swf(2, 20, 10, 5, 2))
    check({ ended = 2, useful = 1e10 + 50, lost = 0, wait_most = 0 }, run.figures)
  end)

  it("of widths: a million tasks may have to go at once, no more", function ()
    local plan = HUGE:gsub("1000000000", "1000000"):gsub("999999995", "999995")
    local run = simulation.of(plan, swf(1, 0, 10, 1000000, 1) .. swf(2, 4, 10, 3, 2))
    check({ ended = 2, lost = 12, preemptions = 3 }, run.figures)
    local log = swf(7, 0, 10, 1, 2) .. swf(1, 0, 10, 1000000000, 1) .. swf(2, 4, 10, 5, 2)
    local status, out, err = simulation.run({ ["plan.json"] = HUGE, log = log }, "plan.json log")
    assert.same({ 3, "" }, { status, out })
    assert.truthy(err:find("log:2: error: more than 1000000 tasks may have to go, and cannot be "
      .. "told to a cycle: it runs as 999999999 of them [E-simulate]", 1, true), err)
    assert.truthy(err:find("rigid", 1, true), err)
    -- Whole it waits until nobody else wants any: u2's jobs run until 10 and 14.
    check({ ended = 3, lost = 0, wait_most = 14 }, simulation.of(HUGE, log, "--rigid").figures)
  end)

  it("of times: jobs of no length, long after the others, and out of order", function ()
    -- The job of four slots runs two at a time, from 5 to 25; two records do not say all.
    local run = simulation.of('{"version": 1, "slots": 2, "consumers": [{"name": "u1"}]}',
      swf(1, 1000000000000, 0, 1, 1) .. swf(2, 5, 0, 1, 1) .. swf(3, 5, -1, 1, 1)
      .. swf(4, 5, 10, -1, 1) .. swf(5, 5, 10, 4, 1))
    check({
      jobs = 3, ended = 3, useful = 40, offered = 2 * (1000000000000 - 5), wait_mean = 10 / 3,
      wait_p50 = 0, wait_p95 = 10, wait_p99 = 10, wait_most = 10, slowdown_mean = 4 / 3,
      slowdown_p50 = 1, slowdown_p95 = 2, slowdown_most = 2,
    }, run.figures)
    assert.equal(2, run.counts.left_out)
  end)
end)

describe("a policy that says who may take", function ()
  local function policy(rule)
    return ([[return policy {
      name = "site", attributes = { level = { type = "integer" } },
      quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "spare" { by = 1 } },
      %s,
    }]]):format(rule)
  end

  local function plan(level)
    return ([[{"version": 1, "slots": 4, "policy": "site.lua", "consumers": [
      {"name": "u1", "owned": 2, "level": 1}, {"name": "u2", "owned": 2, "level": %d}]}]])
      :format(level)
  end

  it("from whom: a claimant waits until slots come by themselves (takes)", function ()
    local files = { ["site.lua"] = policy 'takes = relation { higher "level" }' }
    check({ reclaims = 1, reclaimed = 2, lost = 8 }, simulation.of(plan(2), TWO, "", files).figures)
    local run = simulation.of(plan(1), TWO, "", files)
    check({ reclaims = 0, lost = 0 }, run.figures)
    check({ wait_mean = 6 }, consumer(run, "/u2")) -- at 10 all four of u1 end
  end)

  it("the place of whom: a higher job waits for no lower one of its leaf (inside)", function ()
    local map = [[return function (job)
      return { rigid = true, priority = job.queue == 2 and 9 or 1 }
    end]]
    -- 0: 1 runs on all four. 4: 2 takes its place, until 9; then 1 runs again, until 19.
    local log = swf(1, 0, 10, 4, 1, 1, 1) .. swf(2, 4, 5, 2, 1, 1, 2)
    local run = simulation.of(plan(1), log, "--map map.lua", {
      ["map.lua"] = map, ["site.lua"] = policy 'inside = relation { higher "priority" }',
    })
    check({ preemptions = 4, lost = 16, useful = 50, wait_p50 = 0, wait_most = 9 }, run.figures)
    assert.equal(19, run.counts.last)
    run = simulation.of(plan(1), log, "--map map.lua", {
      ["map.lua"] = map, ["site.lua"] = policy 'inside = relation { higher "slots" }',
    })
    check({ preemptions = 0, lost = 0, wait_most = 6 }, run.figures)
  end)
end)
