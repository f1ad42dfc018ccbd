-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Vectors of rules.md 6.2 as documents: what starts, who goes.
--
-- `started` are slots by queue, of all queues; `jobs` is what becomes of jobs: "starts",
-- "suspends", "resumes", "kills", "resizes" or "waits"; `order`: who is suspended, first to last;
-- `opts`: what the policy's options are to the model.

local kit = require "spec.support.cases.queue_kit"

local burst, join, hosts = kit.burst, kit.join, kit.hosts
local vectors = {}
local vector = kit.adder(vectors, "queue_pool")

local function pool(shares, priorities)
  local out = {}
  for i, share in ipairs(shares) do
    out[i] = {
      name = "queue" .. i, priority = priorities and priorities[i] or 50 - 2 * i,
      slot_pool = "pool", slot_share = share,
    }
  end
  return out
end

local busy3 = join(burst("queue1", 99), burst("queue2", 99), burst("queue3", 99))

vector("QV-1: 50/30/20 of 2 hosts x 6: 6, 3.6 up, 2.4 up and capped",
  { hosts = hosts(2, 6), queues = pool { 50, 30, 20 } }, { jobs = busy3 },
  { started = { queue1 = 6, queue2 = 4, queue3 = 2 } })
vector("QV-2: 15 slots: 8, 5, 2",
  { slots = 15, queues = pool({ 50, 30, 20 }, { 50, 48, 48 }) }, { jobs = busy3 },
  { started = { queue1 = 8, queue2 = 5, queue3 = 2 } })
vector("QV-3: the middle queue idle: 8 and 3, then 2 and 1, then 1",
  { slots = 15, queues = pool { 50, 30, 20 } },
  { jobs = join(burst("queue1", 99), burst("queue3", 99)) },
  { started = { queue1 = 11, queue3 = 4 } })
vector("QV-4, Q-32: one busy queue may take everything",
  { slots = 15, queues = pool { 50, 30, 20 } }, { jobs = burst("queue3", 99) },
  { started = { queue3 = 15 } })
vector("QV-5: 30/30/30 of 15: 5 each",
  { slots = 15, queues = pool { 30, 30, 30 } }, { jobs = busy3 },
  { started = { queue1 = 5, queue2 = 5, queue3 = 5 } })
vector("QV-6: 3 hosts x 7: 11, 7, 3",
  { hosts = hosts(3, 7), queues = pool { 50, 30, 20 } }, { jobs = busy3 },
  { started = { queue1 = 11, queue2 = 7, queue3 = 3 } })

local ten, ten_jobs = {}, {}
for i = 1, 10 do
  ten[i] = { name = "queue" .. i, priority = 60 - i, slot_pool = "pool", slot_share = 10 }
  ten_jobs = join(ten_jobs, burst("queue" .. i, 30))
end
vector("QV-7, Q-40: ten queues of 10 % on 21 slots: 3 each by PRIORITY, nothing for the last three",
  { slots = 21, queues = ten }, { jobs = ten_jobs },
  { started = {
    queue1 = 3, queue2 = 3, queue3 = 3, queue4 = 3, queue5 = 3, queue6 = 3, queue7 = 3,
  } })

local function pisa(extra)
  local queues = {
    { name = "Pisa", priority = 44, slot_pool = "B", slot_share = 30 },
    { name = "Milano", priority = 43 }, { name = "Parma", priority = 43 },
    { name = "Venezia", priority = 43, slot_pool = "B", slot_share = 30 },
    { name = "Bologna", priority = 43, slot_pool = "B", slot_share = 30 },
  }
  local jobs = join(burst("Pisa", 50), burst("Venezia", 50), burst("Bologna", 50), extra or {})
  return { slots = 15, queues = queues }, { jobs = jobs }
end
local idle_plan, idle_state = pisa()
vector("QV-9: two queues beside the pool, idle: 5, 5, 5", idle_plan, idle_state,
  { started = { Pisa = 5, Venezia = 5, Bologna = 5 } })
local burst_plan, burst_state = pisa(join(burst("Milano", 3), burst("Parma", 3)))
vector("QV-9, A-26: with a burst of three each, the rest of the pool divides what is left",
  burst_plan, burst_state,
  { started = { Pisa = 5, Milano = 3, Parma = 3, Venezia = 2, Bologna = 2 } })

local function beside(running)
  local queues = pool { 50, 30, 20 }
  queues[4] = { name = "queue4", priority = 1 }
  local jobs = join(busy3, {
    { id = "r", queue = "queue4", state = "running", slots = running, hosts = { h1 = running } },
  })
  return { hosts = hosts(1, 12), queues = queues }, { jobs = jobs }
end
local beside_plan, beside_state = beside(4)
vector("QV-12, Q-20: slots used beside the pool shrink it: 8 are left of 12", beside_plan,
  beside_state, { started = { queue1 = 4, queue2 = 3, queue3 = 1 } })
local full_plan, full_state = beside(12)
vector("QV-12: all used beside the pool: its jobs wait", full_plan, full_state, { started = {} })

local limited = pool { 50, 50 }
limited[1].qjob_limit = 40
vector("QV-13, Q-33: entitled to 50 of 100, limited to 40: the others are the other queue's",
  { slots = 100, queues = limited }, { jobs = join(burst("queue1", 99), burst("queue2", 99)) },
  { started = { queue1 = 40, queue2 = 60 } })

local small = pool { 50, 30, 20 }
small[1].max_slots_in_pool = 8
vector("QV-14, Q-3: MAX_SLOTS_IN_POOL 8 in QV-1: 4, 3, 1", { hosts = hosts(2, 6), queues = small },
  { jobs = busy3 }, { started = { queue1 = 4, queue2 = 3, queue3 = 1 } })
vector("QV-14: shares of 10/10 of 12, again and again: 6 and 6",
  { slots = 12, queues = pool { 10, 10 } },
  { jobs = join(burst("queue1", 99), burst("queue2", 99)) },
  { started = { queue1 = 6, queue2 = 6 } })

local function urgent(queue, count)
  local out = burst(queue, count)
  for _, job in ipairs(out) do
    job.id, job.priority = "urgent-" .. job.id, 9
  end
  return out
end
local by_priority = pool { 50, 20 }
by_priority[1].use_priority_in_pool = true
vector("Q-4, A-30: USE_PRIORITY_IN_POOL: what is left goes by job priority across the queues",
  { slots = 10, queues = by_priority },
  { jobs = join(burst("queue1", 9), urgent("queue2", 5)) },
  { started = { queue1 = 5, queue2 = 5 } })

-- queue3 is the first for slices, since it has used nothing; queue1 is so for turns.
vector("Q-43: use orders the slices, PRIORITY the turns, of a pool's queues as of others", {
  hosts = hosts(1, 12), queues = {
    { name = "queue1", priority = 50, slot_pool = "pool", slot_share = 50 },
    { name = "other", priority = 45 },
    { name = "queue3", priority = 40, slot_pool = "pool", slot_share = 50 },
  },
}, { now = 100, usage = { queue1 = 1000 }, usage_at = 100,
  jobs = join(burst("queue1", 20), burst("other", 20), burst("queue3", 20)) },
  { started = { queue1 = 6, other = 6 } })
vector("Q-34, Q-43: a slot is theirs who lack it of their slice and used least, not the first's", {
  hosts = hosts(1, 4), queues = pool { 50, 50, 50 },
}, { now = 100, usage = { queue1 = 1000 }, usage_at = 100, jobs = join({
  { id = "r1", queue = "queue2", state = "running", slots = 3, hosts = { h1 = 3 } },
}, burst("queue1", 5), burst("queue3", 5)) }, { started = { queue3 = 1 } })

return vectors
