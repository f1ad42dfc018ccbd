-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Jobs that a waiting job may preempt, those of them that are ineligible, and jobs that it may not
--- preempt.

local words = require "allot.explain.words"

local KINDS = {
  eligible = "may go",
  new = "started or resumed in this cycle, so not preempted in it",
  taken = "given slots, or chosen for another job, in this cycle",
  exclusive = "exclusive, which PREEMPT_JOBTYPE does not name (P-8, P-40)",
  backfill = "backfill, which only goes if PREEMPT_JOBTYPE names it and its queue is preemptable "
    .. "(P-8, P-40)",
  forced = "forced to run (P-8)",
  reserved = "backfill on slots reserved by a queue of no lower PRIORITY (P-40)",
}

--- Jobs of a queue of some kinds, and their slots.
local function sum(queue, counts)
  local jobs, slots = 0, 0
  for _, kind in ipairs(queue.kinds) do
    if not counts or counts(kind) then
      jobs, slots = jobs + kind.jobs, slots + kind.slots
    end
  end
  return jobs, slots
end

local function may(say, it)
  local all, slots = sum(it)
  if all == 0 then
    say("  /{} (PRIORITY {}{&, preferred +{}}): nothing of it runs where this job could.",
      it.queue, it.priority, it.preferred)
    return
  end
  say("  /{} (PRIORITY {}{&, preferred +{}}): {} job{|s} ({} slot{|s}) there.", it.queue,
    it.priority, it.preferred, all, slots)
  for _, kind in ipairs(it.kinds) do
    local jobs = words.phrase("{} job{|s} ({} slot{|s})", kind.jobs, kind.slots)
    if kind.guard then
      say("    {}: protected by {.60} ({?P-{}|C-8}).", jobs, kind.guard, kind.parameter > 0,
        kind.parameter)
    else
      say("    {}: {}.", jobs, KINDS[kind.kind])
    end
  end
end

--- What queues themselves do not allow (P-3 ... P-5).
local function unsaid(queue, own)
  if queue.highs > 0 and not queue.named then
    return words.phrase("its list of those that may preempt it does not name /{.100} (P-4)",
      own.queue)
  elseif not queue.preemptable and not own.preemptive then
    return words.phrase("neither is it preemptable nor /{.100} preemptive (P-5)", own.queue)
  elseif not queue.preemptable and own.lows > 0 then
    return words.phrase("it is not preemptable, nor on the list of /{.100} (P-3)", own.queue)
  end
  return "the policy's relation says no"
end

--- By the test that refuses it, why a job's own queue may not preempt another.
local REFUSALS = {
  queues = unsaid,
  priority = function (queue, own)
    return ("PRIORITY %d is not below %d (P-6)"):format(queue.priority, own.priority)
  end,
  slot_share = function (queue, own)
    return ("slot_share %d is not below %d"):format(queue.share, own.share)
  end,
  policy = function (queue, _, policy)
    if not queue.test then
      return words.phrase('the relation of policy "{.100}" says no', policy)
    end
    return words.phrase('{.120}, a test of policy "{.40}", says no', queue.test, policy)
  end,
}

local function refusal(queue, own, it)
  if queue.own then return "jobs of one queue never preempt each other (P-6)" end
  if queue.pool or own.pool then
    return "queues of pools neither preempt nor are preempted (Q-11, A-24)"
  end
  if not it.preempts then
    return words.phrase('policy "{.100}" lets no job preempt', it.policy)
  end
  return REFUSALS[queue.refusal](queue, own, it.policy)
end

local function may_not(say, queues, own, it)
  local count = 0
  for _, queue in ipairs(queues) do
    local jobs, slots = sum(queue)
    if jobs > 0 and not queue.below then
      count = count + 1
      if count == 1 then say "It may not preempt those of:" end
      if count <= words.NAMED then
        say("  /{}, with {} job{|s} ({} slot{|s}) there: {}.", queue.queue, jobs, slots,
          refusal(queue, own, it))
      end
    end
  end
  if count > words.NAMED then say("  nor of {} more queues.", count - words.NAMED) end
end

--- Why those that may go are not enough.
local function enough(say, it, job, below)
  local needs, has, protected = job.slots, it.free, 0
  if it.why == "delay" or job.state ~= "pending" then return end
  for _, queue in ipairs(below) do
    has = has + select(2, sum(queue, function (kind) return kind.kind == "eligible" end))
    protected = protected + select(2, sum(queue, function (kind) return kind.guard end))
  end
  if has >= needs then
    say("That would be enough in number, but not where and when it had its turn: hosts, limits or "
      .. "jobs before it stood in the way. No job is preempted (A-10).")
    return
  end
  say("{} free and {} that may go are {} of the {} it needs: {} too few, so no job is preempted "
    .. "(A-10, A-11).", it.free, has - it.free, has, needs, needs - has)
  if protected > 0 then
    say("If no job were protected, it would be {}: {?enough|too few still}.", has + protected,
      has + protected >= needs)
  end
end

--- Queues whose jobs it may preempt: the first ones.
local function may_all(say, below)
  local shown = 0
  for _, queue in ipairs(below) do
    if shown < words.NAMED and (#below <= words.NAMED or sum(queue) > 0) then
      shown = shown + 1
      may(say, queue)
    end
  end
  if #below > shown then say("  and {} more.", #below - shown) end
end

return function (say, it, job)
  local queues, own = words.planned(it.queues), words.those(it.queues, "own")[1]
  local below = words.those(queues, "below")
  if own.pool then return say "Queues of pools preempt no jobs (Q-11)." end
  if it.barred then
    say("It preempts no job: it is exclusive, and PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).")
    return
  end
  if #below == 0 then
    say "Its queue may preempt no job."
  else
    say("{?Then it may preempt|It may preempt} jobs of {} queue{|s} (P-7):", it.why == "delay",
      #below)
  end
  may_all(say, below)
  if #below > 0 then enough(say, it, job, below) end
  may_not(say, queues, own, it)
end
