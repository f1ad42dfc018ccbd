-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a queue wants, has and gets, its pool and limits, and which queues preempt each other.

local words = require "allot.explain.words"

--- Of a pool's order so many places are named.
local PLACES = 8

local function jobs(say, it)
  say("/{} is a queue of PRIORITY {}.", it.queue, it.priority)
  say("It wants {} slot{|s}: {} for {} running, {} for {} waiting{?, {} for {} suspended|} jobs.",
    it.running + it.pending + it.suspended, it.running, it.running_jobs, it.pending,
    it.pending_jobs, it.suspended_jobs > 0, it.suspended, it.suspended_jobs)
  local changes = {}
  local function change(verb, slots)
    if slots > 0 then changes[#changes + 1] = ("%s %d"):format(verb, slots) end
  end
  change("starts jobs on", it.started)
  change("resumes jobs on", it.resumed)
  change("lets jobs grow by", it.grown)
  change("is preempted on", it.preempted)
  if #changes == 0 then return say "In this cycle nothing changes for it." end
  say("In this cycle it {}: then it runs on {} slot{|s}.", words.list(changes),
    it.running + it.started + it.resumed + it.grown - it.preempted)
end

--- ---- Its pool -------------------------------------------------------------------------------

local function order(say, it)
  say("Its queues go by {}, then as in the plan (Q-42):", words.keys(it.keys))
  local more = 0
  for _, at in ipairs(it.places) do
    if at.place <= PLACES or at.own then
      say("  {}. /{}{? itself|}: {} slot-seconds over a share of {} are {}; PRIORITY {}.", at.place,
        at.queue, at.own, at.usage, at.share, at.ratio, at.priority)
    else
      more = more + 1
    end
  end
  if more > 0 then say("  (and {} more)", more) end
end

--- What the queue gets, round by round; returns the sum.
local function rounds(say, it)
  local sum = 0
  for _, round in ipairs(it.rounds) do
    local part = (round.base * round.share + 99) // 100
    sum = sum + round.slots
    if round.slots > 0 or round.first then
      say("  {?First|Of what is left}: ceil({} * {} / 100) = {}, it gets {}{} ({?Q-30|Q-31}).",
        round.first, round.base, round.share, part, round.slots,
        round.slots == part and ""
        or round.slots == round.lacks and ", but it wants no more than that"
        or ", but that is all that is left", round.first)
    end
  end
  if sum < it.used then say("  It uses {}, which it keeps, but gets no more (Q-34).", it.used) end
end

local function slice(say, it)
  say("Its SLOT_SHARE is {} % of {} slot{|s}{?, counted anew behind other queues (A-26)|}, and it "
    .. "uses or wants {}:", it.share, it.base, it.again, it.wants)
  if it.rounds then
    rounds(say, it)
  else
    say("  First: ceil({} * {} / 100) = {}, with what it uses and wants {} (Q-30); then what is "
      .. "left (Q-31).", it.base, it.share, (it.base * it.share + 99) // 100, it.first)
  end
  say("Its slice is {}.", it.slice)
  if it.may < it.slice then words.may_use(say, it.may) end
  if it.by_priority then
    say "What is left goes to the pool's jobs by their priority (A-30)."
  end
end

local function pool(say, it)
  say("It shares pool {}: when that had its turn, its {} queue{|s} used {} and {} were free{?, and "
    .. "MAX_SLOTS_IN_POOL is {}|}, so {} are divided (Q-20).", it.name, it.count, it.in_use,
    it.free, it.most ~= nil, it.most, it.slots)
  order(say, it)
  slice(say, it)
end

--- ---- Other queues ---------------------------------------------------------------------------

local function preferred(queue)
  return words.phrase("/{.50}{&+{}}", queue.queue, queue.preferred)
end

local function relation(say, it)
  local below, above = words.those(it.queues, "below"), words.those(it.queues, "above")
  if #below == 0 then
    say "Its jobs may preempt no jobs (P-7)."
  else
    say("Its jobs may preempt those of {} queue{|s} (P-7): {}{?, ...|}.", #below,
      words.few(below, preferred))
  end
  if #above == 0 then
    say "No queue may preempt its jobs (P-7)."
  else
    say("{} queue{|s} may preempt its jobs (P-7): {}{?, ...|}.", #above,
      words.few(above, words.queue))
  end
end

return function (say, it)
  jobs(say, it)
  if it.pool then pool(say, it.pool) end
  for _, limit in ipairs(it.limits) do
    say('Its limit "{.100}" is {}{}, of which {} {is|are} used now{?: it binds|}.', limit.name,
      limit.most, words.part(limit), limit.used, limit.used >= limit.most)
  end
  relation(say, it)
  for _, each in ipairs(it.waiting) do
    say("{} job{|s} wait{s|} ({|the first is }{.100}): {}.", each.jobs, each.first, each.text)
  end
end
