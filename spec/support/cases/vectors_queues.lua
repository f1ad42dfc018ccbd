-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Vectors of rules.md 6.1 as documents: what starts, who goes.
--
-- `started` are slots by queue, of all queues; `jobs` is what becomes of jobs: "starts",
-- "suspends", "resumes", "kills", "resizes" or "waits"; `order`: who is suspended, first to last;
-- `opts`: what the policy's options are to the model.

local kit = require "spec.support.cases.queue_kit"

local burst, join, hosts, running = kit.burst, kit.join, kit.hosts, kit.running
local vectors = {}
local preemption = kit.adder(vectors, "preemption")

local function chain()
  return {
    { name = "high", priority = 99, preemptive = true },
    { name = "medium", priority = 10, preemptive = { "normal", "low+1" } },
    { name = "normal", priority = 5, preemptive = { "low" }, preemptable = { "high", "medium" } },
    { name = "low", priority = 1 },
  }
end
local function chain_state(queue)
  return { jobs = {
    running("n", "normal", "h1"), running("l", "low", "h1"),
    { id = "p", queue = queue }, { id = "q", queue = queue },
  } }
end
preemption("PV-1: medium preempts low first, since it prefers it, then normal",
  { hosts = hosts(1, 2), queues = chain() },
  { jobs = join(chain_state("medium").jobs, {}) },
  { jobs = { p = "starts", q = "starts", n = "suspends", l = "suspends" }, order = { "l", "n" } })
preemption("PV-1: normal preempts low alone",
  { hosts = hosts(1, 2), queues = chain() }, {
    jobs = { running("m", "medium", "h1"), running("l", "low", "h1"),
      { id = "p", queue = "normal" }, { id = "q", queue = "normal" } },
  },
  { jobs = { p = "starts", q = "waits", l = "suspends", m = "waits" } })
-- B, preempted, preempts C in turn (A-13), and so runs on; against A what C had is kept (P-25).
preemption("PV-2: A preempts B, which says it may be; not C, of which nobody says so", {
  hosts = hosts(1, 2), queues = {
    { name = "A", priority = 99 },
    { name = "B", priority = 10, preemptive = true, preemptable = true },
    { name = "C", priority = 1 },
  },
}, { jobs = { running("b", "B", "h1"), running("c", "C", "h1"), { id = "a", queue = "A" },
  { id = "a2", queue = "A" } } },
  { jobs = { a = "starts", b = "waits", c = "suspends", a2 = "waits" } })
preemption("PV-3, P-11: higher levels first, of equal ones the lower PRIORITY, others last", {
  hosts = hosts(1, 5), queues = {
    { name = "top", priority = 20, preemptive = { "q1", "q2+1", "q3+2", "q4+2", "q5" } },
    { name = "q1", priority = 4 }, { name = "q2", priority = 9 }, { name = "q3", priority = 8 },
    { name = "q4", priority = 3 }, { name = "q5", priority = 2 },
  },
}, { jobs = join({
  running("j1", "q1", "h1"), running("j2", "q2", "h1"), running("j3", "q3", "h1"),
  running("j4", "q4", "h1"), running("j5", "q5", "h1"),
}, burst("top", 5)) },
  { order = { "j4", "j3", "j2", "j5", "j1" }, started = { top = 5 } })
preemption("PV-4, A-1: the list of who may preempt L is the last word", {
  hosts = hosts(1, 1), queues = {
    { name = "Y", priority = 9, preemptive = true }, { name = "X", priority = 5 },
    { name = "L", priority = 1, preemptable = { "X" } },
  },
}, { jobs = { running("l", "L", "h1"), { id = "y", queue = "Y" } } },
  { jobs = { l = "waits", y = "waits" } })
preemption("PV-4: and X may", {
  hosts = hosts(1, 1), queues = {
    { name = "Y", priority = 9, preemptive = true }, { name = "X", priority = 5 },
    { name = "L", priority = 1, preemptable = { "X" } },
  },
}, { jobs = { running("l", "L", "h1"), { id = "x", queue = "X" } } },
  { jobs = { l = "suspends", x = "starts" } })

local function two()
  return { { name = "high", priority = 9, preemptive = true }, { name = "low", priority = 1 } }
end
preemption("PV-5, P-10: the least loaded host gives", { hosts = hosts(2, 1), queues = two() }, {
  hosts = { h1 = { load = 5 }, h2 = { load = 0.1 } },
  jobs = { running("young", "low", "h1", 1, { started = 99980 }),
    running("old", "low", "h2", 1, { started = 99700 }), { id = "p", queue = "high" } },
}, { jobs = { old = "suspends", young = "waits", p = "starts" } })
preemption("PV-5, P-12: with LEAST_RUN_TIME who ran least", {
  hosts = hosts(2, 1), queues = two(),
  policy = { use = "preemption", preempt_for = "LEAST_RUN_TIME" },
}, {
  hosts = { h1 = { load = 5 }, h2 = { load = 0.1 } },
  jobs = { running("young", "low", "h1", 1, { started = 99980 }),
    running("old", "low", "h2", 1, { started = 99700 }), { id = "p", queue = "high" } },
}, { jobs = { old = "waits", young = "suspends", p = "starts" }, opts = { least_run_time = true } })

local function counts(app, preempted, params)
  local queues = two()
  queues[2].max_job_preempt = params.queue
  return {
    hosts = hosts(1, 1), queues = queues, params = { max_job_preempt = 5 },
    applications = { sim = { max_job_preempt = 1 }, other = {} },
  }, { jobs = { running("l", "low", "h1", 1, { app = app, preempted = preempted }),
    { id = "p", queue = "high" } } }
end
for _, it in ipairs {
  { "sim", 0, 3, "suspends" }, { "sim", 1, 3, "waits" }, { "other", 2, 3, "suspends" },
  { "other", 3, 3, "waits" }, { nil, 4, nil, "suspends" }, { nil, 5, nil, "waits" },
} do
  local plan, state = counts(it[1], it[2], { queue = it[3] })
  preemption(("PV-6, A-5: application %s, preempted %d times: %s"):format(it[1], it[2], it[4]),
    plan, state, { jobs = { l = it[4], p = it[4] == "suspends" and "starts" or "waits" } })
end

for _, it in ipairs {
  { "no_preempt_run_time", "50%", 1799, "suspends" },
  { "no_preempt_run_time", "50%", 1800, "waits" },
  { "no_preempt_finish_time", "10%", 3239, "suspends" },
  { "no_preempt_finish_time", "10%", 3240, "waits" },
  { "no_preempt_run_time", 20, 1199, "suspends" }, { "no_preempt_run_time", 20, 1200, "waits" },
  { "no_preempt_finish_time", 10, 2999, "suspends" },
  { "no_preempt_finish_time", 10, 3000, "waits" },
  { "no_preempt_interval", 1, 60, "waits" }, { "no_preempt_interval", 1, 61, "suspends" },
} do
  local queues = two()
  queues[2][it[1]] = it[2]
  preemption(("PV-7, A-8: %s = %s after %d s: %s"):format(it[1], it[2], it[3], it[4]),
    { hosts = hosts(1, 1), queues = queues }, { now = 10000, jobs = {
      running("l", "low", "h1", 1, { started = 10000 - it[3], run_limit = 3600 }),
      { id = "p", queue = "high" },
    } }, { jobs = { l = it[4], p = it[4] == "suspends" and "starts" or "waits" } })
end
preemption("P-31: suspended for long enough in all, nobody preempts it again", {
  hosts = hosts(1, 1), queues = two(), params = { max_total_time_preempt = 2 },
}, {
  jobs = { running("l", "low", "h1", 1, { suspended_for = 120 }), { id = "p", queue = "high" } },
}, { jobs = { l = "waits", p = "waits" } })

for _, it in ipairs { { 59, "waits" }, { 60, "starts" } } do
  local queues = two()
  queues[1].preempt_delay = 60
  preemption(("PV-8, P-35: PREEMPT_DELAY 60, after %d s"):format(it[1]),
    { hosts = hosts(1, 1), queues = queues }, { now = 1000, jobs = {
      running("l", "low", "h1"), { id = "p", queue = "high", submitted = 1000 - it[1] },
    } }, { jobs = { p = it[2], l = it[2] == "starts" and "suspends" or "waits" } })
end
do
  local queues = two()
  queues[1].preempt_delay = 60
  preemption("PV-8: a slot that is free is used at once", { hosts = hosts(1, 1), queues = queues },
    { now = 1000, jobs = { { id = "p", queue = "high", submitted = 990 } } },
    { jobs = { p = "starts" } })
end
preemption("PV-9, P-52: a victim's size is what it has grown to",
  { hosts = hosts(1, 4), queues = two() },
  { jobs = { running("l", "low", "h1", 4), { id = "p", queue = "high", slots = 4 } } },
  { jobs = { l = "suspends", p = "starts" } })
preemption("PV-9, P-50: who wants to grow preempts nobody", {
  hosts = hosts(1, 2), queues = two(),
}, {
  jobs = { running("l", "low", "h1"), running("g", "high", "h1", 1, { resize = { grow = 2 } }) },
}, { jobs = { l = "waits", g = "waits" } })
preemption("PV-10, P-21: MXJ 2, two run, one is suspended for a third",
  { hosts = hosts(1, 2), queues = two() },
  { jobs = { running("a", "low", "h1", 1, { started = 1 }),
    running("b", "low", "h1", 1, { started = 2 }), { id = "p", queue = "high" } } },
  { jobs = { a = "waits", b = "suspends", p = "starts" } })
do
  local queues = two()
  queues[1].qjob_limit = 1
  table.insert(queues, 1, { name = "top", priority = 20, preemptive = true })
  preemption("PV-10, P-22: a queue's own limit counts what is suspended", {
    hosts = hosts(1, 2), queues = queues,
  }, { jobs = { running("t", "top", "h1"), running("l", "low", "h1"),
    { id = "s", queue = "high", state = "stopped", slots = 1, hosts = { h1 = 1 } },
    { id = "p", queue = "high" } } },
    { jobs = { l = "waits", p = "waits" } })
end
preemption("PV-11, P-24: a count of jobs does not keep anybody from preempting", {
  hosts = hosts(1, 4), queues = two(), limits = { { name = "j", jobs = 2, hosts = { "h1" } } },
}, { jobs = { running("a", "low", "h1", 2, { started = 1 }),
  running("b", "low", "h1", 2, { started = 2 }), { id = "p", queue = "high" } } },
  { jobs = { a = "waits", b = "suspends", p = "starts" } })

local function sizes(keyword)
  return {
    hosts = hosts(3, 4), queues = two(),
    policy = { use = "preemption", preempt_for = keyword },
  }, {
    hosts = { h1 = { load = 1 }, h2 = { load = 2 }, h3 = { load = 3 } },
    jobs = { running("one", "low", "h1", 1), running("two", "low", "h2", 2),
      running("four", "low", "h3", 4),
      { id = "f1", queue = "high", state = "running", slots = 3, hosts = { h1 = 3 } },
      { id = "f2", queue = "high", state = "running", slots = 2, hosts = { h2 = 2 } },
      { id = "p", queue = "high", slots = 4 } },
  }
end
for _, it in ipairs {
  { nil, { "one", "two", "four" }, "no" }, { "MINI_JOB", { "four" }, "mini_job" },
  { "OPTIMAL_MINI_JOB", { "four" }, "optimal_mini_job" },
} do
  local plan, state = sizes(it[1])
  preemption(("PV-13, P-14: four are needed, %s"):format(it[1] or "one by one"), plan, state,
    { order = it[2], jobs = { p = "starts" }, opts = { fewest = it[3] } })
end
preemption("A-10: when victims are not enough nobody goes", { hosts = hosts(1, 2), queues = two() },
  { jobs = { running("l", "low", "h1"), running("f", "high", "h1"),
    { id = "p", queue = "high", slots = 2 } } },
  { jobs = { l = "waits", p = "waits" } })
preemption("A-11: free slots first, victims for the rest", { hosts = hosts(1, 4), queues = two() },
  { jobs = { running("a", "low", "h1", 1, { started = 1 }),
    running("b", "low", "h1", 1, { started = 2 }), { id = "p", queue = "high", slots = 3 } } },
  { jobs = { a = "waits", b = "suspends", p = "starts" } })
preemption("A-12, P-26: suspended jobs before pending ones of their queue", {
  hosts = hosts(1, 1), queues = two(),
}, { jobs = { { id = "s", queue = "low", state = "suspended", slots = 1, hosts = { h1 = 1 } },
  { id = "p", queue = "low", priority = 9 } } },
  { jobs = { s = "resumes", p = "waits" } })
preemption("A-12: but higher queues before both", { hosts = hosts(1, 1), queues = two() },
  { jobs = { { id = "s", queue = "low", state = "suspended", slots = 1, hosts = { h1 = 1 } },
    { id = "p", queue = "high" } } },
  { jobs = { s = "waits", p = "starts" } })
preemption("P-41: TERMINATE_WHEN = PREEMPT kills", {
  hosts = hosts(1, 1), queues = {
    { name = "high", priority = 9, preemptive = true },
    { name = "low", priority = 1, terminate_when = { "PREEMPT" } },
  },
}, { jobs = { running("l", "low", "h1"), { id = "p", queue = "high" } } },
  { jobs = { l = "kills", p = "starts" } })
preemption("A-15, P-53: who is being told of new slots is not suspended yet, nor anybody else", {
  hosts = hosts(1, 2), queues = two(),
}, { jobs = {
  running("l", "low", "h1", 1, { started = 5, resize = { notifying = true } }),
  running("m", "low", "h1", 1, { started = 1 }), { id = "p", queue = "high" },
} }, { jobs = { m = "waits", p = "waits" } })

preemption("A-24, Q-11: who may preempt everybody may not preempt a pool's queue", {
  hosts = hosts(1, 1), queues = {
    { name = "high", priority = 9, preemptive = true },
    { name = "low", priority = 1, slot_pool = "pool", slot_share = 50 },
  },
}, { jobs = { running("l", "low", "h1"), { id = "p", queue = "high" } } },
  { jobs = { l = "waits", p = "waits" } })

-- Together, and they run on: against them what C keeps is free.
preemption("A-10, P-25: who makes room only together goes together", {
  hosts = hosts(1, 3), queues = {
    { name = "A", priority = 9 },
    { name = "B", priority = 5, preemptive = true, preemptable = true },
    { name = "C", priority = 1 },
  },
}, { jobs = {
  { id = "c", queue = "C", state = "suspended", slots = 2, hosts = { h1 = 2 } },
  running("b1", "B", "h1"), running("b2", "B", "h1"), { id = "a", queue = "A" },
} }, { jobs = { a = "starts", b1 = "waits", b2 = "waits", c = "waits" } })

-- What becomes free is offered from the highest queue again (A-12, P-35).
local function suspended(id, queue, slots, on)
  return { id = id, queue = queue, state = "suspended", slots = slots, hosts = on }
end

preemption("A-12: what a preemption leaves goes to the highest queue, not to the next", {
  hosts = hosts(1, 2), queues = {
    { name = "hi", priority = 50 }, { name = "top", priority = 40, preemptive = true },
    { name = "mid", priority = 20 }, { name = "lo", priority = 1 },
  },
}, { jobs = {
  suspended("sh", "hi", 1, { h1 = 1 }), suspended("sm", "mid", 1, { h1 = 1 }),
  running("r", "lo", "h1", 2), { id = "p", queue = "top" },
} }, { jobs = { p = "starts", r = "suspends", sh = "resumes", sm = "waits" } })
preemption("A-12: so does what it leaves below a limit", {
  hosts = { h1 = { slots = 2 }, h2 = { slots = 1 } }, queues = {
    { name = "hi", priority = 50 },
    { name = "top", priority = 40, preemptive = true, hosts = { "h1" } },
    { name = "mid", priority = 20 }, { name = "lo", priority = 1 },
  },
  limits = { { name = "each", slots = 2, per_user = true } },
}, { jobs = {
  running("r", "lo", "h1", 2, { user = "c" }), { id = "p1", queue = "hi", user = "c" },
  { id = "p2", queue = "top", slots = 2, user = "d" }, { id = "p3", queue = "mid", user = "c" },
} }, { jobs = { p2 = "starts", r = "suspends", p1 = "starts", p3 = "waits" } })
preemption("P-35: who may not preempt yet takes what another leaves", {
  hosts = hosts(1, 2), queues = {
    { name = "hi", priority = 50, preempt_delay = 600 },
    { name = "mid", priority = 40, preemptive = true }, { name = "low", priority = 20 },
    { name = "bulk", priority = 1, preemptable = true },
  },
}, { now = 10000, jobs = {
  running("r", "bulk", "h1", 2), { id = "h", queue = "hi", submitted = 9900 },
  { id = "m", queue = "mid", submitted = 9000 }, { id = "l", queue = "low", submitted = 9000 },
} }, { jobs = { m = "starts", h = "starts", r = "suspends", l = "waits" } })
preemption("P-25: who was preempted keeps its slots against its own queue's pending jobs", {
  hosts = hosts(1, 4), queues = two(),
}, { jobs = {
  running("four", "low", "h1", 4), { id = "p", queue = "high" },
  { id = "late", queue = "low", slots = 3 },
} }, { jobs = { p = "starts", four = "suspends", late = "waits" } })
preemption("A-12, P-14: who was preempted, and fits all the same, runs on", {
  hosts = { h1 = { slots = 2 }, h2 = { slots = 1 } }, queues = two(),
  policy = { use = "preemption", preempt_for = "LEAST_RUN_TIME" },
}, { hosts = { h1 = { load = 1 }, h2 = { load = 2 } }, jobs = {
  running("both", "low", "h1", 2, { ran = 90 }), running("one", "low", "h2", 1, { ran = 10 }),
  { id = "p", queue = "high", slots = 2 },
} }, { jobs = { p = "starts", both = "suspends", one = "waits" },
  opts = { least_run_time = true } })

preemption("P-25: who is suspended keeps its slots against those that come behind it, too", {
  hosts = { h0 = { slots = 1 }, h1 = { slots = 1 } }, queues = {
    { name = "top", priority = 90, preemptive = true }, { name = "hi", priority = 50 },
    { name = "lo", priority = 1 },
  },
}, { jobs = {
  suspended("w", "hi", 2, { h0 = 1, h1 = 1 }), running("x", "top", "h1"),
  suspended("r", "lo", 1, { h0 = 1 }), { id = "p", queue = "lo" },
} }, { jobs = { w = "waits", r = "waits", p = "waits" } })
preemption("P-25, P-26: of all that are suspended on a host the first is resumed", {
  hosts = hosts(1, 2), queues = two(),
}, { jobs = {
  suspended("h", "high", 1, { h1 = 1 }), suspended("a", "low", 1, { h1 = 1 }),
  suspended("b", "low", 1, { h1 = 1 }), suspended("c", "low", 2, { h1 = 2 }),
} }, { jobs = { h = "resumes", a = "resumes", b = "waits", c = "waits" } })
for what, on in pairs { ["every host"] = { "h1", "h2" }, ["a host"] = { "h1" } } do
  preemption("P-21: with HOSTS suspended jobs do not count, where a limit names " .. what, {
    hosts = hosts(what == "every host" and 2 or 1, 8), queues = two(),
    limits = { { name = "on", slots = 5, hosts = on } },
  }, { jobs = {
    running("a", "low", "h1", 3, { started = 30 }), running("b", "low", "h1", 2, { started = 40 }),
    { id = "p", queue = "high", slots = 2 },
  } }, { jobs = { a = "waits", b = "suspends", p = "starts" } })
end
for what, limit in pairs {
  ["hosts"] = { name = "on", slots = 5, hosts = { "h1" } },
  ["each host"] = { name = "on", slots = 5, per_host = true },
  ["each user on a host"] = { name = "on", slots = 5, per_host = true, per_user = true },
} do
  preemption("P-23: as many go as bring use below a limit of " .. what, {
    hosts = hosts(1, 9), queues = two(), limits = { limit },
    policy = { use = "preemption", preempt_for = "HOST_JLU" },
  }, { jobs = {
    running("a", "low", "h1", 3, { started = 30, user = "u" }),
    running("b", "low", "h1", 2, { started = 40, user = "u" }),
    running("c", "low", "h1", 3, { started = 50, user = "u" }),
    { id = "p", queue = "high", slots = 3, user = "u" },
  } }, { order = { "c", "a" }, jobs = { p = "starts", b = "waits" },
    opts = { lifts = { host_jlu = true } } })
end

return vectors
