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

local function may(say, it)
  if it.jobs == 0 then
    say("  /{} (PRIORITY {}{&, preferred +{}}): nothing of it runs where this job could.",
      it.queue, it.priority, it.preferred)
    return
  end
  say("  /{} (PRIORITY {}{&, preferred +{}}): {} job{|s} ({} slot{|s}) there.", it.queue,
    it.priority, it.preferred, it.jobs, it.slots)
  for _, kind in ipairs(it.kinds) do
    local jobs = words.phrase("{} job{|s} ({} slot{|s})", kind.jobs, kind.slots)
    if kind.guard then
      say("    {}: protected by {.60} ({?P-{}|C-8}).", jobs, kind.guard, kind.parameter ~= nil,
        kind.parameter)
    else
      say("    {}: {}.", jobs, KINDS[kind.kind])
    end
  end
end

--- Why one queue may not preempt another, by what refuses.
local REFUSALS = {
  same = function () return "jobs of one queue never preempt each other (P-6)" end,
  pools = function () return "queues of pools neither preempt nor are preempted (Q-11, A-24)" end,
  nobody = function (_, of)
    return words.phrase('policy "{.100}" lets no job preempt', of.policy)
  end,
  priority = function (it, _, job)
    return ("PRIORITY %d is not below %d (P-6)"):format(it.priority, job.priority)
  end,
  slot_share = function (it, of)
    return ("slot_share %d is not below %d"):format(it.share, of.share)
  end,
  high = function (_, _, job)
    return words.phrase("its list of those that may preempt it does not name /{.100} (P-4)",
      job.queue)
  end,
  neither = function (_, _, job)
    return words.phrase("neither is it preemptable nor /{.100} preemptive (P-5)", job.queue)
  end,
  low = function (_, _, job)
    return words.phrase("it is not preemptable, nor on the list of /{.100} (P-3)", job.queue)
  end,
  relation = function () return "the policy's relation says no" end,
  policy = function (it, of)
    if not it.test then
      return words.phrase('the relation of policy "{.100}" says no', of.policy)
    end
    return words.phrase('{.120}, a test of policy "{.40}", says no', it.test, of.policy)
  end,
}

local function may_not(say, it, job)
  for i, queue in ipairs(it.may_not) do
    if i == 1 then say "It may not preempt those of:" end
    say("  /{}, with {} job{|s} ({} slot{|s}) there: {}.", queue.queue, queue.jobs, queue.slots,
      REFUSALS[queue.why](queue, it, job))
  end
  if it.may_not_count > #it.may_not then
    say("  nor of {} more queues.", it.may_not_count - #it.may_not)
  end
end

--- Why those that may go are not enough.
local function enough(say, it, job)
  local needs, has = job.slots, it.free + it.may_go
  if job.waits.why == "delay" or job.state ~= "pending" then return end
  if has >= needs then
    say("That would be enough in number, but not where and when it had its turn: hosts, limits or "
      .. "jobs before it stood in the way. No job is preempted (A-10).")
    return
  end
  say("{} free and {} that may go are {} of the {} it needs: {} too few, so no job is preempted "
    .. "(A-10, A-11).", it.free, it.may_go, has, needs, needs - has)
  if it.protected > 0 then
    say("If no job were protected, it would be {}: {?enough|too few still}.", has + it.protected,
      has + it.protected >= needs)
  end
end

return function (say, it, job)
  if it.pool then return say "Queues of pools preempt no jobs (Q-11)." end
  if it.barred then
    say("It preempts no job: it is exclusive, and PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).")
    return
  end
  if it.queues == 0 then
    say "Its queue may preempt no job."
  else
    say("{?Then it may preempt|It may preempt} jobs of {} queue{|s} (P-7):",
      job.waits.why == "delay", it.queues)
  end
  for _, queue in ipairs(it.may) do may(say, queue) end
  if it.queues > #it.may then say("  and {} more.", it.queues - #it.may) end
  if it.queues > 0 then enough(say, it, job) end
  may_not(say, it, job)
end
