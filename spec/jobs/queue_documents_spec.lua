-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues, limits, contracts and jobs as documents: every key and what it is by default, what is
--- refused and where it stands (contract.md, section 1; rules.md, sections 1 to 3 and 7).

local allot = require "allot"
local json = require "dkjson"

--- Text without the mark "§", and line and column at which it stood.
local function unmark(text)
  local at = text:find("§", 1, true)
  local before = text:sub(1, at - 1)
  local _, lines = before:gsub("\n", "")
  return before .. text:sub(at + #"§"), lines + 1, #before:match "[^\n]*$" + 1
end

local HOSTS = [["hosts": {"h1": {"slots": 4}, "h2": {"slots": 6}, "h3": {"slots": 2}},
  "host_groups": {"odd": ["h1", "h3"], "some": "odd h2"}]]

local function plan_of(rest)
  return '{"version": 1, ' .. HOSTS .. ",\n" .. rest .. "}"
end
local function queues(text)
  return plan_of('"queues": [' .. text .. "]")
end
local function queue(keys)
  return queues('{"name": "q", "priority": 5, ' .. keys .. '},\n {"name": "low"}, '
    .. '{"name": "top", "priority": 9}')
end
local function lease(keys)
  return plan_of('"leases": [{"name": "L", "provider": "P", ' .. keys .. "}]")
end
local function limit(keys)
  return plan_of('"queues": [{"name": "q"}, {"name": "r"}],\n"limits": [{' .. keys .. "}]")
end

--- The only finding of that severity, at the mark.
local function check_finding(severity, code, says, file, line, col, report)
  local found = {}
  for _, it in ipairs(report or {}) do
    if (it.severity == "warning") == (severity == "warning") then found[#found + 1] = it end
  end
  assert.equal(1, #found, found[2] and found[2].message)
  assert.equal(code, found[1].code, found[1].message)
  assert.same({ file, line, col }, { found[1].file, found[1].line, found[1].col })
  assert.truthy(found[1].message:find(says, 1, true), found[1].message)
end

local BAD = {
  -- Keys and values
  { "an unknown key", queue '§"priorty": 1', "E-unknown-key", "priorty" },
  { "a priority below 0", queues '{"name": "q", "priority": §-1}', "E-range", "-1" },
  { "no name", queues '§{"priority": 1}', "E-missing", '"name"' },
  { "a name that is none", queues '{"name": §"a b"}', "E-name", "a b" },
  { "a queue again", queues '{"name": "q"}, {"name": §"q"}', "E-duplicate-path", '"q"' },
  { "Q-1: a pool's name", queue '"slot_pool": §"a b", "slot_share": 5', "E-name", "60" },
  { "Q-1: a pool's name of 61 characters",
    queue('"slot_pool": §"' .. ("a"):rep(61) .. '", "slot_share": 5'), "E-name", "60" },
  { "Q-2: a share above 100", queue '"slot_pool": "p", "slot_share": §101', "E-range", "101" },
  { "P-30: 0 times", queue '"max_job_preempt": §0', "E-range", "1 ..." },
  { "P-33: 100 %", queue '"no_preempt_run_time": §"100%"', "E-range", "99%" },
  { "P-34: text that is no percent", queue '"no_preempt_finish_time": §"10"', "E-range", "%" },
  { "a run limit of 60 minutes beside hours", queue '"runlimit": §"1:60"', "E-range", "minutes" },
  { "P-41: an event that is none", queue '"terminate_when": [§"PREEMT"]', "E-range", "PREEMPT" },
  { "P-41: an action that is none", queue '"job_controls": {"suspend": §"resume"}', "E-range",
    "checkpoint" },
  { "neither yes nor no", queue '"backfill": §"maybe"', "E-range", '"Y"' },
  -- Who preempts whom
  { "A-16: an unknown queue", queue '"preemptive": ["low", §"lo"]', "E-queue", "lo" },
  { "A-16: an unknown queue above", queue '"preemptable": [§"tip"]', "E-queue", "tip" },
  { "A-16: an unknown queue in LSF's text", queue '"preemption": §"PREEMPTIVE[lo]"', "E-queue",
    "lo" },
  { "P-1: a level that is none", queue '"preemptive": [§"low+x"]', "E-range", "low+x" },
  { "P-1: level 0", queue '"preemptive": [§"low+0"]', "E-range", "low+0" },
  { "P-1: a bracket that does not end", queue '"preemption": §"PREEMPTIVE[low"', "E-range",
    "PREEMPTIVE[low+1 mid]" },
  { "an empty list", queue '"preemptive": §[]', "E-range", "names" },
  { "both spellings", queue '"preemption": "PREEMPTIVE", §"preemptive": true', "E-conflict",
    "preemption" },
  -- Pools (Q-10 ... Q-13, A-27)
  { "A-27: a share without a pool", queue '"slot_share": §5', "E-pool", "slot_pool" },
  { "A-27: a pool without a share", queue '"slot_pool": §"p"', "E-pool", "slot_share" },
  { "Q-10: other hosts in one pool",
    queues [[{"name": "a", "slot_pool": "p", "slot_share": 5, "hosts": ["h1", "h3"]},
      {"name": "b", "slot_pool": "p", "slot_share": 5, "hosts": §["h1"]}]], "E-pool", "hosts" },
  { "Q-11: a pool's queue that is preemptive",
    queue '"slot_pool": "p", "slot_share": 5, "preemptive": §true', "E-pool", "preemptive" },
  { "Q-11: a pool's queue that is preemptable",
    queue '"slot_pool": "p", "slot_share": 5, "preemptable": §true', "E-pool", "preemptable" },
  { "Q-11: a pool's queue in another's list",
    queues [[{"name": "a", "priority": 5, "preemptive": [§"b"]},
      {"name": "b", "slot_pool": "p", "slot_share": 5}]], "E-pool", "b" },
  { "P-43: interruptible backfill alone", queue '"interruptible_backfill": §60', "E-backfill",
    "runlimit" },
  -- Hosts
  { "an unknown host", queue '"hosts": ["h1", §"h9"]', "E-host", "h9" },
  { "an unknown host behind ~", queue '"hosts": ["all", §"~h9"]', "E-host", "h9" },
  { "a list that names nobody", queue '"hosts": [§"odd", "~odd"]', "E-host", "no host" },
  { "groups inside each other",
    '{"version": 1, "hosts": {"h1": {"slots": 1}}, "queues": [{"name": "q"}],\n'
    .. '"host_groups": {"a": ["b"], "b": [§"a"]}}', "E-cycle", '"a"' },
  -- Beside each other
  { "consumers beside queues", plan_of '"queues": [{"name": "q"}],\n"consumers": [§{"name": "A"}]',
    "E-queues", "not both" },
  { "a policy that divides", plan_of '"queues": [{"name": "q"}],\n"policy": §"hybrid"', "E-policy",
    "hybrid" },
  { "queues' policy without queues",
    '{"version": 1, "consumers": [{"name": "A"}],\n"policy": §"preemption"}', "E-policy",
    "preemption" },
  { "limits without queues", '{"version": 1, "consumers": [], §"limits": [{"jobs": 1}]}',
    "E-queues", "limits" },
  { "nothing at all", '§{"version": 1}', "E-missing", "consumers" },
  { "windows that state queues otherwise", plan_of [["queues": [{"name": "q"}],
    "windows": [{"from": "08:00", "to": "17:00", §"consumers": {"/q": {"rank": 1}}}] ]],
    "E-queues", "queues" },
  -- Limits
  { "no amount", plan_of
    '"queues": [{"name": "q"}], "limits": [§{"name": "l"}]', "E-missing", "slots" },
  { "an unknown queue of a limit", limit '"slots": 1, "queues": ["q", §"w"]', "E-queue", "w" },
  { "per processor, but not per host", limit '§"slots_per_processor": 2', "E-missing", "per_host" },
  { "names in both", limit '"slots": 1, "users": ["a"], §"per_user": ["b"]', "E-conflict",
    "users" },
  { "resources of some hosts alone", plan_of [["queues": [{"name": "q"}],
    "resources": {"lic": {"amount": 5, §"hosts": ["h1"]}}]], "E-unsupported", "whole cluster" },
  { "nobody at all", limit '"slots": 1, "users": ["ann", §"~all"]', "E-unsupported", "~all" },
  { "a host's jl_u that is none", '{"version": 1, "queues": [{"name": "q"}],\n'
    .. '"hosts": {"h1": {"slots": 1, "jl_u": §"x"}}}', "E-type", "integer" },
  -- Params
  { "two ways to fade", plan_of
    '"queues": [{"name": "q"}], "params": {"hist_hours": 5, §"half_life": 60}', "E-conflict",
    "hist_hours" },
  -- Contracts
  { "LV-7: shared, per host, two consumers", lease
    '"per_host": ["h1"], "slots": 2,\n"distribution": §[["C1", 1], ["C2", 1]]', "E-lease", "2" },
  { "no consumer", plan_of '"leases": [§{"name": "L", "provider": "P", "slots": 1}]', "E-missing",
    "consumer" },
  { "another type", lease '"consumer": "C", "slots": 1, "type": §"common"', "E-range",
    "exclusive" },
  { "an unknown host of a contract", lease '"consumer": "C", "hosts": {§"h9": 1}', "E-host", "h9" },
  { "more shared slots than a host has", lease '"consumer": "C", "hosts": {"h1": §5}', "E-lease",
    "h1" },
  { "a select that is too much", lease
    '"res_select": §"type==any || mem>5", "distribution": [["C", 1]]', "E-unsupported", "&&" },
  { "contracts under a policy that divides",
    '{"version": 1, "policy": "hybrid", "consumers": [],\n'
    .. '§"leases": [{"name": "L", "provider": "P", "consumer": "C", "slots": 1}]}', "E-policy",
    "hybrid" },
}

local WARNED = {
  { "P-42: resources that nobody preempts for", plan_of [["queues": [{"name": "q"}], "resources":
    {"lic": 5}, "params": {"preemptable_resources": §["lic"]}]], "W-unused", "no queue preempts" },
  { "P-42: victims that release nothing", plan_of [["queues": [{"name": "q", "terminate_when":
    "PREEMPT", "priority": 9, "preemptive": true}, {"name": "r"}], "resources": {"lic": 5},
    "params": {"preemptable_resources": §"lic"}]], "W-unused", "ends then" },
  { "A-16: a queue that is not lower", queue '"preemptive": ["low", §"top"]', "W-preemption",
    "lower" },
  { "A-16: a queue that is not higher", queue '"preemptable": [§"low"]', "W-preemption", "higher" },
  { "A-27: MAX_SLOTS_IN_POOL of a later queue",
    queues [[{"name": "a", "slot_pool": "p", "slot_share": 5},
      {"name": "b", "slot_pool": "p", "slot_share": 5, "max_slots_in_pool": §9}]], "W-pool", "a" },
  { "Q-12: SLOT_RESERVE in a pool",
    queue '"slot_pool": "p", "slot_share": 5, "slot_reserve": §true', "W-pool", "reserve" },
  { "Q-12: FAIRSHARE_QUEUES in a pool",
    queue '"slot_pool": "p", "slot_share": 5, "fairshare_queues": §true', "W-pool", "fairshare" },
  { "SLOT_RESERVE outside of pools", queue '"slot_reserve": §true', "W-unused", "slot_reserve" },
  { "P-41: LOAD", queue '"terminate_when": [§"LOAD", "PREEMPT"]', "W-event", "LOAD" },
  { "a pool's word outside of pools", queue '"max_slots_in_pool": §9', "W-pool", "slot_pool" },
  { "a group that nobody is in", limit '"slots": 1, "user_groups": [§"lab"]', "W-group", "lab" },
  { "a consumer that gets nothing", lease
    '"res_select": "slots > 5", "distribution": [["C1", 2], [§"C2", 1]]', "W-lease", "C2" },
  { "no host that matches", plan_of [["leases": [§{"name": "L", "provider": "P",
    "res_select": {"type": "VAX"}, "distribution": [ ["C", 1] ]}] ]], "W-lease", "no host" },
  { "MAX_JOB_PREEMPT_RESET", plan_of
    '"queues": [{"name": "q"}], "params": {"max_job_preempt_reset": §"N"}', "W-params", "state" },
  { "a size beside hosts", plan_of '"slots": §13, "queues": [{"name": "q"}]', "W-slots",
    "the plan says 13 slots, but jobs go by the 12" },
  { "a window's size beside hosts", plan_of [["queues": [{"name": "q"}], "windows": [
    {"from": "08:00", "to": "09:00", "slots": 12},
    {"from": "10:00", "to": "11:00", "slots": §11}] ]], "W-slots",
    "the window says 11 slots, but jobs go by the 12" },
}

describe("plans with queues", function ()
  for _, case in ipairs(BAD) do
    local title, text, code, says = table.unpack(case)
    it("refuses " .. title, function ()
      local clean, line, col = unmark(text)
      local plan, message, report = allot.plan(clean, { file = "p.json" })
      assert.is_nil(plan)
      assert.is_string(message)
      check_finding("error", code, says, "p.json", line, col, report)
    end)
  end
  for _, case in ipairs(WARNED) do
    local title, text, code, says = table.unpack(case)
    it("warns of " .. title, function ()
      local clean, line, col = unmark(text)
      local plan, report = allot.plan(clean, { file = "p.json" })
      assert(plan, report)
      check_finding("warning", code, says, "p.json", line, col, report)
    end)
  end
end)

-- ---- States ----------------------------------------------------------------------------------

local PLAN = plan_of [["queues": [{"name": "high", "priority": 9, "preemptive": true},
  {"name": "low"}, {"name": "p", "slot_pool": "P", "slot_share": 50}],
  "leases": [{"name": "L", "provider": "A", "consumer": "B", "slots": 5}] ]]

local function job(keys)
  return '{"now": 5000, "jobs": [\n{"id": "1", "queue": "low"' .. keys .. "}]}"
end

local BAD_STATES = {
  { "an unknown queue", '{"now": 1, "jobs": [{"id": "1", "queue": §"lo"}]}', "E-unknown-queue",
    "lo" },
  { "no queue", '{"now": 1, "jobs": [§{"id": "1"}]}', "E-missing", "queue" },
  { "an unknown state", job ', "state": §"ran"', "E-range", "running" },
  { "a job again", job '}, {"id": §"1", "queue": "low"', "E-duplicate-id", '"1"' },
  { "a job of no slots", job ', "slots": §0', "E-range", "0" },
  { "a running job that is nowhere", '{"now": 1, "jobs": [§{"id": "1", "queue": "low", '
    .. '"state": "running"}]}', "E-hosts", "host" },
  { "an unknown host", job ', "state": "running", "hosts": §{"h9": 1}', "E-host", "h9" },
  { "slots that are not its hosts' sum",
    job ', "state": "running", "hosts": {"h1": 2}, "slots": §3', "E-slots", "2" },
  { "consumers beside queues", '{"now": 1, §"consumers": {"/low": {"demand": 1}}}', "E-queues",
    "consumers" },
  { "tasks beside queues", '{"now": 1, §"tasks": [{"id": "1", "consumer": "/low"}]}', "E-queues",
    "tasks" },
  { "use at a time that is none", '{"now": 1, "usage_at": §"noon", "usage": {"p": 1}}', "E-range",
    "noon" },
  { "use of no queue", '{"now": 1, "usage_at": 1, "usage": {§"x": 1}}', "E-unknown-queue", "x" },
  { "use below 0", '{"now": 1, "usage_at": 1, "usage": {"p": §-1}}', "E-range", "-1" },
  { "a whole millionth", '{"now": 1, "usage_at": 1, "usage": {"p": 1}, "usage_rest": '
    .. '{"p": §1000000}}', "E-range", "999999" },
  { "an unknown contract", '{"now": 1, "leases": {§"M": {"provider": {"available": 1}, '
    .. '"consumer": {"available": 1}, "since": 1}}}', "E-unknown-lease", "M" },
  { "more used than available", '{"now": 1, "leases": {"L": {"provider": {"available": 1, '
    .. '"used": §2}, "consumer": {"available": 1}, "since": 1}}}', "E-range", "1" },
}

describe("states of plans with queues", function ()
  for _, case in ipairs(BAD_STATES) do
    local title, text, code, says = table.unpack(case)
    it("are refused with " .. title, function ()
      local clean, line, col = unmark(text)
      local state, message, report = allot.state(assert(allot.plan(PLAN)), clean,
        { file = "s.json" })
      assert.is_nil(state)
      assert.is_string(message)
      check_finding("error", code, says, "s.json", line, col, report)
    end)
  end

  it("say nothing of jobs by null, [] and {}", function ()
    local plan = assert(allot.plan(PLAN))
    for _, none in ipairs { "null", "[]", "{}" } do
      assert(allot.state(plan, ('{"now": 1, "jobs": %s}'):format(none)))
    end
  end)
end)

-- ---- Keys that mean the same -----------------------------------------------------------------

local function decided(plan, state)
  local sealed = assert(allot.plan(plan))
  return assert(json.decode(assert(allot.cycle(sealed, assert(allot.state(sealed, state)))):json()))
end

local SAME = {
  { "P-1: LSF's text and lists", queue '"preemption": "PREEMPTIVE[low+2] PREEMPTABLE[top]"',
    queue '"preemptive": ["low+2"], "preemptable": ["top"]' },
  { "lists as one text", queue '"hosts": "some ~h1", "preemptive": "low"',
    queue '"hosts": ["h2", "h3"], "preemptive": ["low"]' },
  { "yes", queue '"fairshare": "Y", "backfill": "N"', queue '"fairshare": true' },
  { "hours and minutes", queue '"runlimit": "1:30"', queue '"runlimit": 90' },
  { "P-41: kill", queue '"terminate_when": "PREEMPT"',
    queue '"job_controls": {"suspend": "kill"}' },
  { "what is the default", queue '"qjob_limit": null, "preemptive": false, "fairshare": false',
    queue '"preemptable": false' },
  { "no policy", queue '"fairshare": false',
    (queue '"fairshare": false':gsub('"version": 1', '"version": 1, "policy": "preemption"')) },
}

describe("keys of queues", function ()
  for _, case in ipairs(SAME) do
    it("mean the same: " .. case[1], function ()
      local state = [[{"now": 9000, "jobs": [
        {"id": "1", "queue": "q", "state": "running", "hosts": {"h2": 6}, "started": 1},
        {"id": "2", "queue": "low", "state": "running", "hosts": {"h3": 2}, "started": 1},
        {"id": "3", "queue": "q", "slots": 2}, {"id": "4", "queue": "top", "slots": 10}]}]]
      assert.same(decided(case[2], state), decided(case[3], state))
    end)
  end

  it("A-17: hosts' jl_u binds each user on each of them", function ()
    local plan = [[{"version": 1, "queues": [{"name": "q"}],
      "hosts": {"h1": {"slots": 4, "jl_u": 1}, "h2": {"slots": 4, "jl_u": 1}}}]]
    local jobs = {}
    for i = 1, 6 do
      jobs[i] = { id = "j" .. i, queue = "q", user = i <= 4 and "ann" or "bob" }
    end
    local started = {}
    for _, it in ipairs(decided(plan, json.encode { now = 1, jobs = jobs }).starts) do
      started[#started + 1] = it.job
    end
    assert.same({ "j1", "j2", "j5", "j6" }, started)
  end)

  it("L-6, Q-41: what a decision says of use and contracts is what the next state says", function ()
    local first = decided(PLAN, [[{"now": 1000, "usage_at": 400, "usage": {"p": 12345},
      "usage_rest": {"p": 678}, "jobs": [
      {"id": "1", "queue": "p", "state": "running", "hosts": {"h1": 3}, "started": 1}]}]])
    assert.is_true(first.usage.p > 12345)
    local again = decided(PLAN, json.encode {
      now = 1000, usage = first.usage, usage_at = first.usage_at, usage_rest = first.usage_rest,
      leases = first.leases,
      jobs = { { id = "1", queue = "p", state = "running", hosts = { h1 = 3 }, started = 1 } },
    })
    assert.same(first.usage, again.usage)
    assert.same(first.usage_rest, again.usage_rest)
    assert.equal(first.usage_at, again.usage_at)
    for _, side in ipairs { "provider", "consumer" } do
      assert.same(first.leases.L[side], again.leases.L[side])
    end
  end)

  it("jobs may have numbers for names, and use may be of now", function ()
    local text = [[{"queues": [{"name": "p", "slot_pool": "x", "slot_share": 50},
      {"name": "low"}], "slots": 3}]]
    local made = decided(text, [[{"now": 1000, "usage": {"p": 12345}, "jobs": [
      {"id": 17, "queue": "p", "slots": 2}, {"id": 18, "queue": "low", "slots": 9}]}]])
    assert.equal("17", made.starts[1].job)
    assert.same({ p = 12345, low = 0 }, { p = made.usage.p, low = made.usage.low or 0 })
    assert.same({}, made.queues.p.waits)
    assert.same({ never = 1 }, made.queues.low.waits)
  end)

  it("of hosts go before the state's size: it is said where they differ (C-5)", function ()
    local plan = plan_of '"queues": [{"name": "q"}]'
    for size, warnings in pairs { [11] = 1, [12] = 0, [13] = 1 } do
      local out = decided(plan, ('{"now": 1, "slots": %d}'):format(size))
      assert.same({ 12, 12 }, { out.groups.default.slots, out.groups.default.idle })
      assert.equal(warnings, #out.warnings)
      if warnings > 0 then assert.equal("W-slots", out.warnings[1].code) end
    end
  end)
end)
