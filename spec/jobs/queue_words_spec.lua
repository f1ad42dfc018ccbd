-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Words of queues, jobs and contracts as people who come from LSF write them mean what those of
--- contract.md do, in either case.

local allot = require "allot"
local json = require "dkjson"

local PLAN = [[{"version": 1, "hosts": {"h": {"slots": 4}}, "queues": [
  {"name": "hi", "priority": 9, "preemptive": true, "backfill": true},
  {"name": "lo", "runlimit": 60%s}],
  "leases": [{"name": "L", "provider": "P", "consumer": "C", "slots": 10}]}]]
local STATE = [[{"now": 1000, "jobs": [
  {"id": "1", "queue": "lo", "hosts": {"h": 3}, "started": 1%s},
  {"id": "2", "queue": "hi", "slots": 2}],
  "leases": {"L": {"since": 0, "provider": {"available": 9, "used": 3},
                   "consumer": {"available": 1, "used": 1}%s}}}]]

local function decided(queue, job, lease)
  local plan = assert(allot.plan(PLAN:format(queue)))
  local state = assert(allot.state(plan, STATE:format(job, lease)))
  return assert(json.decode(assert(allot.cycle(plan, state)):json()))
end

local RUNS = ', "state": "running"'
local function queue(keys) return { keys, RUNS, "" } end
local function job(keys) return { "", keys, "" } end
local function contract(keys) return { "", RUNS, keys } end

--- What is written, what it means, and what would come of another reading.
local SAME = {
  { job ', "state": "RUN"', job(RUNS), job ', "state": "suspended"' },
  { job ', "state": "Running"', job(RUNS), job ', "state": "suspended"' },
  { job ', "state": "SSUSP"', job ', "state": "suspended"', job(RUNS) },
  { job ', "state": "ususp"', job ', "state": "stopped"', job(RUNS) },
  { job(RUNS .. ', "exclusive": "Y"'), job(RUNS .. ', "exclusive": true'), job(RUNS) },
  { job(RUNS .. ', "forced": "yes"'), job(RUNS .. ', "forced": true'), job(RUNS) },
  { job(RUNS .. ', "backfill": "TRUE"'), job(RUNS .. ', "backfill": true'), job(RUNS) },
  { job(RUNS .. ', "backfill": "n"'), job(RUNS), job(RUNS .. ', "backfill": true') },
  { job(RUNS .. ', "resize": {"grow": 1, "notifying": "N"}'),
    job(RUNS .. ', "resize": {"grow": 1}'),
    job(RUNS .. ', "resize": {"grow": 1, "notifying": true}') },
  { queue ', "terminate_when": "preempt"', queue ', "terminate_when": ["PREEMPT"]', queue "" },
  { queue ', "job_controls": {"suspend": "CHKPNT"}',
    queue ', "job_controls": {"suspend": "checkpoint"}', queue "" },
  { queue ', "job_controls": {"suspend": "brequeue $LSB_JOBID"}',
    queue ', "job_controls": {"suspend": "requeue"}', queue "" },
  { queue ', "job_controls": {"suspend": "TERMINATE"}',
    queue ', "job_controls": {"suspend": "kill"}', queue "" },
  { contract ', "phase": "OK"', contract ', "phase": "ok"', contract ', "phase": "inactive"' },
  { contract ', "phase": "active"', contract ', "phase": "ok"', contract ', "phase": "conn"' },
}

describe("words", function ()
  for _, case in ipairs(SAME) do
    it("mean the same: " .. table.concat(case[1]), function ()
      local written, meant = decided(table.unpack(case[1])), decided(table.unpack(case[2]))
      assert.same(meant, written)
      assert.not_same(decided(table.unpack(case[3])), written)
    end)
  end

  it("P-26, P-60: PEND starts, SSUSP is resumed, USUSP is its user's to resume", function ()
    local plan = assert(allot.plan(PLAN:format ""))
    local state = assert(allot.state(plan, [[{"now": 1, "jobs": [
      {"id": "1", "queue": "lo", "state": "PEND"},
      {"id": "2", "queue": "lo", "state": "SSUSP", "hosts": {"h": 1}},
      {"id": "3", "queue": "lo", "state": "USUSP", "hosts": {"h": 1}}]}]]))
    local decision = json.decode(assert(allot.cycle(plan, state)):json())
    assert.same({ 1, 1 }, { #decision.starts, #decision.resumes })
    assert.same({ "1", "2" }, { decision.starts[1].job, decision.resumes[1].job })
  end)

  it("L-1: a distribution is a list of pairs or an object, TYPE in either case", function ()
    local function made(keys)
      local plan = assert(allot.plan(([[{"version": 1,
        "hosts": {"a": {"slots": 3}, "b": {"slots": 3}}, "leases": [{"name": "L", "provider": "P",
        "per_host": "a b", "slots": 3, %s}]}]]):format(keys)))
      return json.decode(assert(allot.cycle(plan, assert(allot.state(plan, '{"now": 1}')))):json())
    end
    local pairs_of = made '"type": "exclusive", "distribution": [["C", 2], ["P", 4], ["D", 1]]'
    assert.same(pairs_of, made '"type": "EXCLUSIVE", "distribution": {"C": 2, "P": 4, "D": 1}')
    assert.equal(4, pairs_of.leases["L/C"].size)
    assert.same(made '"type": "shared", "distribution": [["C", 1]]',
      made '"type": "Shared", "distribution": {"C": 1}')
    for _, bad in ipairs { "{}", "[]", '{"P": 1}', '{"C": 0}', '{"C": "1"}', '{"C": 1, "C": 2}' } do
      assert.is_nil((allot.plan(([[{"version": 1, "hosts": {"a": {"slots": 3}}, "leases": [
        {"name": "L", "provider": "P", "per_host": "a", "slots": 3,
         "distribution": %s}]}]]):format(bad))), bad)
    end
  end)

  for _, word in ipairs { "PSUSP", "DONE", "EXIT", "run ", "" } do
    it(("are refused where they say nothing: %q"):format(word), function ()
      local plan = assert(allot.plan(PLAN:format ""))
      local state, message = allot.state(plan,
        ('{"now": 1, "jobs": [{"id": "1", "queue": "lo", "state": "%s"}]}'):format(word))
      assert.is_nil(state)
      assert.truthy(message:find("running", 1, true), message)
    end)
  end

  it("of params among the options: it is said where they stand (P-30)", function ()
    local plan, message, report = allot.plan((PLAN:format(""):gsub('"version": 1',
      '"version": 1, "options": {"max_job_preempt": 3}')))
    assert.is_nil(plan)
    assert.truthy(report[1].hint:find("params", 1, true), message)
  end)
end)
