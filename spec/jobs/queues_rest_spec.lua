-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- One cycle over queues decides all that it can: carried out, its decision leaves nothing to
--- decide at the same `now`. On random sites with all that queues can have.
--
-- What the rules leave to a later cycle:
--   a lease that changes is inactive for a cycle, in which nothing starts on its slots (L-7, A-43);
--   a job that is requeued is pending from then on: where it starts is decided once it is. Here it
--   does not come back;
--   orders that are held do nothing yet, and stand in every cycle until they are not (A-15); who
--   waits for such a victim finds another one once hosts are loaded in another way;
--   a job that loses slots which it was given to grow by (P-53) has only the others when it is
--   resumed, of which no order of the same cycle could tell;
--   a job gets slots to grow by once a cycle (P-50): what its pool has left once the others had
--   their turns is decided in the next;
--   who is resumed may be killed after that, for what it holds suspended or not: a resource, or
--   room below a limit. While it is suspended it is no victim (A-13).

local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local sites = require "spec.support.cases.queue_sites"

local LISTS = { "starts", "resumes", "suspends", "kills", "resizes" }

local function lines(decision)
  local out = {}
  for _, kind in ipairs(LISTS) do
    for _, it in ipairs(decision[kind]) do
      if it.job and not it.held then
        out[#out + 1] = ("%s %s for %s"):format(kind, it.job, it["for"] or "-")
      end
    end
  end
  return table.concat(out, "\n")
end

local function leases_rest(decision)
  for _, lease in pairs(decision.leases) do
    if lease.phase ~= "ok" then return false end
  end
  return true
end

local function loses_growth(decision)
  for _, it in ipairs(decision.suspends) do
    if (it.cancelled or 0) > 0 then return true end
  end
  return false
end

local function grows_in_parts(decision, state)
  local asked = {}
  for _, job in ipairs(state.jobs or {}) do asked[job.id] = job.resize and job.resize.grow end
  for _, it in ipairs(decision.resizes) do
    if it.slots < (asked[it.job] or 0) then return true end
  end
  return false
end

local function holds(decision)
  for _, kind in ipairs { "suspends", "kills" } do
    for _, it in ipairs(decision[kind]) do
      if it.held then return true end
    end
  end
  return false
end

--- The state once a decision is carried out, without those that it requeued.
local function after(decision)
  local gone, jobs = {}, {}
  for _, it in ipairs(decision.kills) do
    if not it.held then gone[it.job] = true end
  end
  local state = engine.after(decision, { seconds = 0 })
  for _, job in ipairs(state.jobs or {}) do
    if not gone[job.id] then jobs[#jobs + 1] = job end
  end
  state.jobs = jobs
  return state
end

--- Does the second decision kill one that the first resumed, in a queue whose jobs end so?
local function kills_resumed(first, second)
  local resumed = {}
  for _, it in ipairs(first.resumes) do resumed[it.job] = true end
  for _, it in ipairs(second.kills) do
    if resumed[it.job] then return true end
  end
  return false
end

--- How many cases had something to decide, and to preempt.
local seen = { decided = 0, preempted = 0 }

describe("a cycle over queues", function ()
  property("decides all that it can", { runs = 2000, valid = engine.valid }, function (case)
    local first = engine.cycle(case.plan, case.state)
    local told = lines(first)
    if told == "" or loses_growth(first) or grows_in_parts(first, case.state) or holds(first)
      or not leases_rest(first) then return end
    local second = engine.cycle(case.plan, after(first))
    seen.decided = seen.decided + 1
    seen.preempted = seen.preempted + (first.suspends[1] and 1 or 0)
    local more = lines(second)
    if more ~= "" and not kills_resumed(first, second) then
      error(("first:\n%s\nthen:\n%s"):format(told, more), 0)
    end
  end, sites.case)

  it("had something to decide, and to preempt, in enough cases", function ()
    local runs = property.runs(2000)
    assert.truthy(os.getenv "ALLOT_SEED" or seen.decided > runs // 3)
    assert.truthy(os.getenv "ALLOT_SEED" or seen.preempted > runs // 20)
  end)
end)
