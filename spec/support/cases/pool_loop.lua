-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Cycles over one pool whose jobs all last one cycle: what each queue was given, cycle by cycle.

local allot = require "allot"
local document = require "spec.support.cases.document"
local json = require "dkjson"
local kit = require "spec.support.cases.queue_kit"

local loop = {}

--- Queues queue1, queue2, ... of one pool, by falling PRIORITY.
function loop.queues(shares, pool)
  local out = {}
  for i, share in ipairs(shares) do
    out[i] = {
      name = (pool or "queue") .. i, priority = 60 - i, slot_pool = pool or "pool",
      slot_share = share,
    }
  end
  return out
end

--- What is told of use by a decision's text, as a state says it.
function loop.usage(text)
  local at = text:find('"usage": ', 1, true)
  return text:sub(at, text:find('"leases": ', at, true) - 1):gsub(",%s*$", "")
end

local function decide(plan, text)
  local state = assert(allot.state(plan, text))
  return assert(allot.cycle(plan, state)):json()
end

--- So many slots of each queue run, from `since` until `now`: jobs that the use is counted of.
local function running(plan, given, since)
  local jobs = {}
  for i, queue in ipairs(plan.queues) do
    for k = 1, given[i] do
      jobs[#jobs + 1] = {
        id = queue.name .. "-" .. k, queue = queue.name, state = "running", started = since,
      }
    end
  end
  return document.encode { jobs = jobs }:sub(2, -2)
end

--- Runs `cycles` cycles of `period` s; all queues want all slots. each(given): slots by queue.
-- Gives back the last decision.
function loop.run(plan, cycles, period, each)
  local sealed = assert(allot.plan(document.encode(plan)))
  local all = {}
  for _, queue in ipairs(plan.queues) do all = kit.join(all, kit.burst(queue.name, plan.slots)) end
  local pending, worked = document.encode { jobs = all }:sub(2, -2), {}
  local usage, text = '"usage": {}, "usage_at": 0'
  for cycle = 1, cycles do
    local now = (cycle - 1) * period
    text = decide(sealed, ('{"now": %d, %s, %s}'):format(now, usage, pending))
    local given = {}
    for slots in text:gmatch '"started": (%d+)' do given[#given + 1] = math.tointeger(slots) end
    each(given)
    local key = table.concat(given, " ")
    worked[key] = worked[key] or running(plan, given, 0)
    local jobs = worked[key]:gsub('"started":0', '"started":' .. now)
    usage = loop.usage(text)
    text = decide(sealed, ('{"now": %d, %s, %s}'):format(now + period, usage, jobs))
    usage = loop.usage(text)
  end
  return json.decode(text)
end

return loop
