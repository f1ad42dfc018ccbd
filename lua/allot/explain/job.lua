-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a job waits, runs or is preempted.

local candidates = require "allot.explain.candidates"
local gone = require "allot.explain.gone"
local words = require "allot.explain.words"

--- " on h1 (2), h2 (1)"; of a single host only its name.
local function places_of(it)
  if it.hosts == 0 then return "" end
  if it.hosts == 1 then return words.phrase(" on {.60}", it.places[1].name) end
  local places = {}
  for i, place in ipairs(it.places) do
    places[i] = words.phrase("{.30} ({})", place.name, place.slots)
  end
  local more = it.hosts > #places and (" and %d more"):format(it.hosts - #places) or ""
  return " on " .. words.list(places) .. more
end

local STATES = {
  pending = "asks for",
  running = "runs on",
  suspended = "is suspended; it had",
  stopped = "was suspended by its user, and is not resumed by itself; it had",
}

local function what(say, it)
  say("Job {.100} of queue /{} (PRIORITY {}){&, user {.80}} {} {} slot{|s}{}"
    .. "{?, {?submitted|started} {} s ago|}.", it.id, it.queue, it.priority, it.user,
    STATES[it.state], it.slots, places_of(it), it.since ~= nil, it.state == "pending", it.since)
  if it.usage then
    say("The use of its user is {} slot-second{|s} now, {}; the user's running jobs add {} "
      .. "a second (C-14).", it.usage.slot_seconds, words.fades(it.usage), it.usage.slots)
  end
  if it.exclusive then say "It is exclusive: it has its hosts alone (P-40)." end
  for _, each in ipairs(it.resources) do
    say('It {?asks for|holds} {} of the resource "{.100}" (P-42).', it.state == "pending",
      each.amount, each.name)
  end
end

local GETS = { start = "It starts", resume = "It is resumed", resize = "It grows" }
local REASONS = {
  preempted = "others make room for it",
  leftover = "left over in its pool, when all its queues had their slices (Q-31)",
  priority = "left over in its pool, where they go by job priority (A-30)",
}
local FREE = {
  start = "these were free (A-11)",
  resume = "its own slots are free again (P-26, A-12)",
  resize = "free ones, of those that it wants more; growing preempts no job (P-50)",
}

local DONE = {
  suspend = "is suspended",
  checkpoint = "is saved, then suspended",
  requeue = "is killed and pending again",
  kill = "is killed",
}

--- A job that waits before it, and what is reserved for that one.
local function reservation(before)
  return words.phrase("Job {.100} waits before it, and has {} slot{|s}{?, of whole hosts,|} "
    .. "reserved from {} on, in {} s", before.id, before.slots, before.exclusive,
    words.time(before.at), before.after)
end

--- Why a job may start before one that has slots reserved.
local function backfill(say, it)
  local before = it.before
  if not before then return end
  local ends = it.run_limit ~= nil and it.run_limit <= before.after
  say("  {}. {?This job ends by then: its run limit is {} s|Beside this job enough are left for "
    .. "that one} (B-3).", reservation(before), ends, it.run_limit)
end

local function gets(say, it)
  say("{} in this cycle{? by |, on }{} slot{|s}{}: {}.", GETS[it.kind], it.kind == "resize",
    it.slots, places_of(it), REASONS[it.reason] or FREE[it.kind])
  for _, victim in ipairs(it.reason == "preempted" and it.victims or {}) do
    say("  {.100} of /{} (PRIORITY {}) {}{}: {} slot{|s} (P-7, P-13{?|, P-41}).", victim.id,
      victim.queue, victim.priority, DONE[victim.action], places_of(victim), victim.slots,
      victim.action == "suspend")
  end
  if it.reason == "backfill" then backfill(say, it) end
end

--- What the job with a reservation would lack, by what keeps this one behind it.
local LACKS = {
  slots = function () return "beside it that one would have too few of these slots" end,
  limit = function (it)
    return words.phrase('with it the limit "{.100}" would not let that one start', it.behind_name)
  end,
  resource = function (it)
    return words.phrase('beside it that one would lack "{.100}"', it.behind_name)
  end,
  pool = function (it)
    return words.phrase("beside it that one would lack slots of pool {.60}, which may use a part "
      .. "of its hosts (MAX_SLOTS_IN_POOL)", it.behind_name)
  end,
}

--- What is reserved for the job, and what for the first job that it would delay.
local function reserved(say, it)
  local own, behind = it.reserved, it.behind_job
  if behind and not behind.at then
    say("Job {.100} waits for slots before it, and no job passes that one: the policy has "
      .. 'backfill = "none" (B-1).', behind.id)
  elseif behind and it.behind_by == "victims" then
    say("{}. To run, this job would have to suspend jobs, and these would keep slots that are "
      .. "reserved (B-7).", reservation(behind))
  elseif behind then
    say("{}. This job {?may run for {} s|has no run limit}: {} (B-3).", reservation(behind),
      it.run_limit ~= nil, it.run_limit, LACKS[it.behind_by](it))
  end
  if own then
    say("From {} on, in {} s, {} slot{|s} {is|are} reserved for it{?, of whole hosts|}: by their "
      .. "run limits, jobs that run{?, and jobs with earlier turns,|} leave it enough from then on "
      .. "(B-2).", words.time(own.at), own.after, own.slots, own.exclusive, it.turn > 1)
  end
end

--- ---- Why it waits ---------------------------------------------------------------------------

local function tally(say, it)
  local got = words.phrase("{?which runs|which all run} now", it.jobs)
  if it.served == 0 then
    got = words.phrase("which {?waits|wait} too", it.jobs)
  elseif it.served < it.jobs then
    got = words.phrase("of which {} run{s|} now, on {}", it.served, it.got)
  end
  say("  /{}{?, its own queue|} (PRIORITY {}): {} job{|s} ({} slot{|s}), {}.", it.queue, it.own,
    it.priority, it.jobs, it.slots, got)
end

--- Queues with jobs before it: the first ones, and its own; the others are summed up.
local function before(say, queues)
  local shown, others, jobs, slots = 0, 0, 0, 0
  for _, queue in ipairs(queues) do
    if queue.jobs > 0 and (shown < words.NAMED or queue.own) then
      shown = shown + 1
      tally(say, queue)
    elseif queue.jobs > 0 then
      others, jobs, slots = others + 1, jobs + queue.jobs, slots + queue.slots
    end
  end
  if others > 0 then say("  {} more queues: {} job{|s} ({} slot{|s}).", others, jobs, slots) end
end

local function turn(say, it)
  if it.turn == 1 then
    say "Its turn is the first of all (P-60)."
  else
    say("Its turn is number {} of {}, {?by job, whatever its queue: the policy has across = true|"
      .. "by queue and then by job} (P-60). Before it:", it.turn, it.tried, it.across)
    before(say, it.queues)
  end
  if it.behind > 0 then
    say("Behind it in its queue {} job{|s} ({} slot{|s}) {?runs|run} now all the same: {?that one "
      .. "fits|they fit} where it does not.", it.behind, it.behind_slots, it.behind == 1,
      it.behind == 1)
  end
end

local function apart(say, it, one, several)
  if it.count == 1 then
    say("  {.60} {} ({} slot{|s}).", it.host, one, it.slots)
  else
    say("  {} hosts {} ({} slot{|s}).", it.count, several, it.slots)
  end
end

--- A queue's hosts, as the job sees them.
local function view(say, it, job)
  say("{?Its queue's {} host{|s} ha{s|ve}|The cluster has} {} slot{|s} open: {} with running jobs"
    .. "{&, {} kept for jobs whose victims are being notified of new slots (A-15)}"
    .. "{&, {} kept by suspended jobs of queues that its own may not preempt (P-25)}"
    .. "{&, {} leased out, or of a lease that rests (L-7)}, {} free for it. It needs {}.",
    it.known, it.hosts, it.slots, it.run, math.max(it.held, 0), it.kept, math.max(it.leased, 0),
    it.free, job.slots)
  if it.closed then apart(say, it.closed, "is closed", "are closed") end
  if it.alone and it.alone.slots > 0 then
    apart(say, it.alone, "runs an exclusive job: no other job gets its free slots",
      "run exclusive jobs: no other job gets their free slots")
  end
  if it.owned and it.owned.slots > 0 then
    apart(say, it.owned, "is another queue's alone, with what is free there",
      "are other queues' alone, with what is free there")
  end
  if job.exclusive then
    say("An exclusive job takes empty hosts alone, and {} of these {is|are} empty (P-40).",
      it.empty)
  end
end

local function own_host(say, it, exclusive)
  local free = it.free and math.max(it.free, 0)
  if it.closed then
    say("  {.60} is closed.", it.name)
  elseif it.alone then
    say("  {.60} is an exclusive job's now (P-40).", it.name)
  elseif exclusive and it.running > 0 then
    say("  On {.60}, which it wants alone, {} job{|s} run (P-40).", it.name, it.running)
  elseif exclusive and it.kept > 0 then
    say("  On {.60}, which it wants alone, suspended jobs whose turn is before its own keep {} "
      .. "(P-25).", it.name, it.kept)
  elseif it.free < it.slots then
    say("  On {.60} it needs {} slot{|s}; others run on{?, or keep, suspended before it (P-25),|} "
      .. "all but {}: it lacks {}.", it.name, it.slots, it.kept > 0, free, it.slots - free)
  else
    say("  On {.60} it has room.", it.name)
  end
end

local function own_hosts(say, it, exclusive)
  say "It is resumed where it was, once there is room for all of it (A-12):"
  for _, host in ipairs(it.own_hosts) do own_host(say, host, exclusive) end
  if it.own_count > #it.own_hosts then
    say("  (and {} more hosts)", it.own_count - #it.own_hosts)
  end
end

--- Suspended jobs that count in a limit (P-20 ... P-23).
local function counted(say, it, more)
  if it.asleep == 0 then return end
  if it.queue_level or not it.word or not it.preempts then
    say("  {} of these are suspended jobs', which count: {}.", it.asleep,
      not it.preempts and "no job preempts in this plan (P-20)"
      or it.queue_level and "they always do in a queue's own limits (P-22)"
      or "no word of PREEMPT_FOR leaves them out here (P-21)")
    return
  end
  local left = it.most - it.used + it.asleep
  if it.of_hosts then
    say("  {} of these are suspended jobs', which count unless PREEMPT_FOR says {} (P-21): with "
      .. "it {} would be left there.", it.asleep, it.word, math.max(left, 0))
  else
    say("  {} of these are suspended jobs', which count unless PREEMPT_FOR says {} (P-21): with "
      .. "it the limit would {?let it run|be reached all the same}.", it.asleep, it.word,
      more <= left)
  end
end

local function bound(say, it, job)
  local more = it.jobs and 1 or job.slots
  --- For a job being resumed only running jobs count: it is itself one of the suspended.
  local back = job.state == "suspended"
  local used = it.used - (back and it.asleep or 0)
  local whose = words.phrase("{& for queue /{.60}}{& for user {.60}}{& for group {.60}}"
    .. "{& on host {.60}}", it.queue, it.user, it.group, it.host)
  say('The limit "{.100}" binds: at most {} {?job|slot}{}{}{}, {} used{? by running jobs|}.',
    it.name, it.most, it.jobs, it.most == 1 and "" or "s", whose, words.part(it), used, back)
  if not it.of_hosts and used + more > it.most then
    say("  With its {} it would be {}, {} above it (P-23).", more, used + more,
      used + more - it.most)
  end
  if job.state == "pending" then counted(say, it, more) end
end

local function limit(say, it, job, may_preempt)
  if it.most then
    bound(say, it, job)
  elseif it.name then
    say('The limit "{.100}" binds: {}{? slots a processor| slots}{? on each host|} are fewer than '
      .. "it needs.", it.name, it.each, it.processors, it.per_host)
  else
    say "A limit that goes by hosts binds."
  end
  if may_preempt then
    say("Whatever it preempted, the limit would still be exceeded: no job is preempted (P-23).")
  end
end

local function holder(it)
  if not it.below then return "it may not preempt these (P-7)" end
  return it.ends and "it may preempt these, and they end when they are (P-41)"
    or "suspended, these would keep it: TERMINATE_WHEN does not name PREEMPT (P-42)"
end

local function resource(say, it, queues)
  say('Of "{.100}" there are {}, and {} are held: {} more are too many (P-42).', it.name,
    it.amount, it.used, it.asked)
  if it.asked > it.amount then
    say "That is more than there are: as things are, it never starts."
    return
  end
  for _, each in ipairs(words.planned(queues)) do
    if each.holders > 0 then
      say("  {} job{|s} of /{} hold{s|} {}: {}.", each.holders, each.queue, each.held,
        holder(each))
    end
  end
  if not it.preemptable then
    say "No job is preempted for it: PREEMPTABLE_RESOURCES does not name it (P-42)."
  elseif it.wait then
    say("Jobs were preempted for it {} s ago, and PREEMPTION_WAIT_TIME is {} s: in {} s more may "
      .. "be (P-36).", it.ago, it.wait, it.wait - it.ago)
  else
    say("Those that may go, and are not protected, do not release enough of it and of slots: no "
      .. "job is preempted (A-10).")
  end
end

local function pool(say, it, job, why)
  if not it then return end
  say("Its queue shares pool {} of {} slot{|s}: its slice is {} ({} %, Q-30), and its jobs use {} "
    .. "now.", it.name, it.slots, it.slice, it.share, it.own)
  if why == "pool" then
    say("MAX_SLOTS_IN_POOL lets pool {} use {} slots, and its queues use {}: {} are left, fewer "
      .. "than it needs (Q-3, reason 5950).", it.name, it.most, it.used,
      math.max(it.most - it.used, 0))
  elseif why == "slice" and it.may then
    words.may_use(say, it.may)
  elseif why == "slice" then
    say("{?With it the queue would have more than its slice|Its queue had its slice}, and what "
      .. "the pool had left over was given out before its turn ({?A-30|Q-31, A-25}).",
      it.own + job.slots > it.slice, it.by_priority)
  end
end

local function held(say, it)
  for _, victim in ipairs(it.victims) do
    say("It is to preempt {.100} of /{}, which is being notified of new slots right now: once "
      .. "that is over it goes, and this one starts. Its slots are kept until then (A-15).",
      victim.id, victim.queue)
  end
end

local function reason(say, it, job)
  if it.why == "never" then
    say("Open hosts that its queue may use have {} slot{|s} in all, fewer than it asks for: as "
      .. "things are, it never starts.", it.most)
  elseif it.limit then
    limit(say, it.limit, job, not it.barred and words.those(it.queues, "below")[1])
  elseif it.resource then
    resource(say, it.resource, it.queues)
  elseif it.why == "held" then
    held(say, it)
  elseif it.why == "behind" then
    return
  elseif it.why == "slice" or it.why == "pool" then
    pool(say, it.pool, job, it.why)
  else
    if it.why == "delay" then
      say("It may not preempt yet: PREEMPT_DELAY is {} s, and it has waited {} s. In {} s it may "
        .. "(P-35, reason 6701).", it.delay, it.waited, it.delay - it.waited)
    else
      pool(say, it.pool, job, it.why)
    end
    candidates(say, it, job)
  end
end

local function waits(say, it, job)
  say("{?It waits|It stays suspended}: {}.", job.state == "pending", it.text)
  if it.begin then return say("It may start in {} s.", it.begin) end
  turn(say, it)
  if it.view then view(say, it.view, job) end
  if it.own_hosts then own_hosts(say, it, job.exclusive) end
  reserved(say, it)
  reason(say, it, job)
end

return function (say, it)
  what(say, it)
  if it.gets then
    gets(say, it.gets)
  elseif it.waits then
    waits(say, it.waits, it)
  elseif it.stays then
    gone.stays(say, it.stays, it)
  elseif it.goes then
    gone.goes(say, it.goes, DONE[it.goes.action])
  end
end
