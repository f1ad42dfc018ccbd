-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What protects a running job, or why it is preempted all the same.

local words = require "allot.explain.words"

local gone = {}

--- P-30 ... P-34. `says` states a job's value and the bound, and may continue with whether the
--- parameter protects it, and for how long, since when, or from when; `spares` states a value that
--- would, in units of so many seconds. `up`: a larger one would.
local PARAMETERS = {
  [30] = { name = "MAX_JOB_PREEMPT", says = "it was preempted {} of {} times",
    spares = "max_job_preempt of {}", unit = 1 },
  [31] = { name = "MAX_TOTAL_TIME_PREEMPT", says = "it was suspended for {} of {} s",
    spares = "max_total_time_preempt of {} minutes", unit = 60 },
  [32] = { name = "NO_PREEMPT_INTERVAL",
    says = "it has run for {} s without a break, and for {} s is left alone{?, for {} s from now|}",
    spares = "no_preempt_interval of {} minutes", unit = 60, up = true },
  [33] = { name = "NO_PREEMPT_RUN_TIME",
    says = "it has run for {} s in all, and from {} s on is left alone, "
      .. "{?since {} s|in {} s from now}",
    spares = "no_preempt_run_time of {} minutes", unit = 60 },
  [34] = { name = "NO_PREEMPT_FINISH_TIME",
    says = "by its run limit {} s are left, and in its last {} s it is left alone, "
      .. "{?since {} s|in {} s from now}",
    spares = "no_preempt_finish_time of {} minutes", unit = 60, up = true },
}

local TYPES = {
  exclusive = "It is left alone: PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).",
  backfill = "It is backfill, which is left alone unless PREEMPT_JOBTYPE names BACKFILL and its "
    .. "queue is preemptable (P-40).",
  forced = "It was forced to run, so no job preempts it (P-8).",
}

--- The guards that read parameters, each parameter once, by number.
local function parameters(it)
  local by_number, out = {}, {}
  for _, guard in ipairs(it.guards) do by_number[guard.number] = guard end
  for number = 30, 34 do out[#out + 1] = by_number[number] end
  return out
end

local function parameter(say, it)
  local of = PARAMETERS[it.number]
  if not it.counts or (it.number == 32 and it.bound <= 0) then return end
  local since = (it.number == 32 and 1 or 0) - it.left
  say("{} {?protects|does not protect} it: {} (P-{}).", of.name, it.left <= 0,
    words.phrase(of.says, it.has, it.bound, it.left <= 0, since, it.left), it.number)
end

function gone.stays(say, it, job)
  local above = words.those(words.planned(it.queues), "above")
  local names, more = words.few(above, words.queue)
  if #above == 0 then return say("No queue may preempt jobs of /{} (P-7).", job.queue) end
  say("It keeps running. Jobs of {?{}|these} queues may preempt it (P-7): {}{?, ...|.}", more,
    #above, names, more)
  if TYPES[it.type] then say(TYPES[it.type]) end
  for _, each in ipairs(parameters(it)) do parameter(say, each) end
  if it.guard then
    say("Guard {.60} protects it: it cannot be chosen.", it.guard)
  elseif it.spare then
    say "In this cycle it could have been preempted, but no job needed it."
  end
end

--- ---- Why it goes ----------------------------------------------------------------------------

local HELD = "That waits until it was notified of its new slots (A-15)."

--- Its hosts are closed: neither its other hosts nor its protection matter.
local function closed(say, it, done)
  say("It {} in this cycle: {} slot{|s} of it {is|are} on hosts that are closed, and what runs "
    .. "there is reclaimed (C-10, E-34).", done, it.closed)
  if it.waits then say(HELD) end
  if not it.ends then
    say("Its queue would have it suspended, but so it would keep its slots there (P-25, P-41).")
  end
  say("Nothing protects a job from that. On hosts that are closed to drain it would run on to its "
    .. "end.")
end

local function preempted(say, it, done)
  local by = it.preemptor
  say("It {} in this cycle, for job {.100} of /{} (PRIORITY {}), which asks for {} slot{|s} "
    .. "(P-7{?|, P-41}).", done, by.id, by.queue, by.priority, by.slots, it.action == "suspend")
  if it.waits then say(HELD) end
  if it.cancelled > 0 then
    say("With it go {} slot{|s} that it was given to grow by (P-53).", it.cancelled)
  end
  if not it.waits and it.preempted > 0 then
    say("It was preempted {} time{|s} before.", it.preempted)
  end
end

--- How much of what its preemptor wants it gives.
local function wanted(say, it, by)
  local jobs = words.phrase("{} job{|s} ({} slot{|s}) go{?es|} for it", it.jobs, it.slots, it.jobs)
  if it.resumes then
    say("That one is resumed on its own hosts; {} (A-12).", jobs)
  elseif it.kept then
    say("{} (A-11, P-13).", jobs)
  else
    say("That job found {} of its {} slot{|s} free, and {} (A-11, P-13).",
      math.min(it.free, by.slots), by.slots, jobs)
    local less = it.adds_up and by.slots - it.free - it.before or 0
    if less > 0 then
      say("With {} more free there{?, or asked for by that job less,|} it would not go for that "
        .. "one.", less, less < by.slots)
    end
  end
  for _, each in ipairs(it.releases) do
    say('It releases {} of the resource "{.100}", of which that one asks for {} (P-42).',
      each.amount, each.name, each.asked)
  end
end

--- A load, of thousandths.
local function load(of)
  return ("%d.%03d"):format(of // 1000, of % 1000)
end

--- How it differs from a job that stays, and what would reverse their order.
local function difference(say, it)
  if not it.key then return say "  All keys agree: the larger id goes first (A-4)." end
  if it.by == "host" then
    say("  What decides is the order of hosts, as their loads are the same: {.60} comes before "
      .. "{.60} (A-3).", it.own_host, it.other_host)
  elseif it.by == "load" then
    say("  What decides is the load, least first: {.60} has {}, {.60} {}. With more than that on "
      .. "{.60}, {.60} would go first (P-10).", it.own_host, load(it.key.mine), it.other_host,
      load(it.key.its), it.own_host, it.id)
  else
    say("{} {}", words.decides(it.key), words.reverse(it.key, it.id:sub(1, 60)))
  end
end

local function order(say, it)
  say("Running jobs go by {} (P-10 ... P-12); of {} that could go for that job it is number {}.",
    #it.keys > 0 and words.keys(it.keys) or "id", it.candidates, it.number)
  if it.passed > 0 then
    say("  {} before it stay{s|}: without them there is room enough, or they make none (P-14).",
      it.passed)
  end
  if not it.next then return say "No job behind it stays." end
  say("The next that stays is {.100} of /{}.", it.next.id, it.next.queue)
  difference(say, it.next)
end

--- A parameter's value that would have protected it, in its units; nil: none would.
local function value_of(it, unlimited)
  local of = PARAMETERS[it.number]
  if it.number == 34 and (unlimited or it.has <= 0) then return end
  local whole = it.has // of.unit + ((of.up and it.has % of.unit > 0) and 1 or 0)
  whole = of.up and math.max(whole, 1) or whole
  return whole > 0 and whole or nil
end

local function sparing(say, it)
  local begun = false
  for _, each in ipairs(parameters(it)) do
    local of, value = PARAMETERS[each.number], value_of(each, it.unlimited)
    if value and not begun then
      say("Any one of these would have protected it, stated where it is stated now, or else for "
        .. "its application, its queue or the plan (A-6):")
      begun = true
    end
    if value then
      say("  {} or {?more|less} (P-{}).", words.phrase(of.spares, value), of.up, each.number)
    end
  end
  local own = {}
  for _, guard in ipairs(it.guards) do
    if guard.number < 0 then own[#own + 1] = guard.label end
  end
  local names, more = words.few(own, function (label) return label:sub(1, 50) end)
  if #own > 0 then
    say('Guard{?|s} of policy "{.100}" let it go: {}{?, ...|}.', #own, it.policy, names, more)
  end
end

function gone.goes(say, it, done)
  if it.closed > 0 then
    closed(say, it, done)
  elseif not it.preemptor then
    say "It is killed in this cycle: the job that its slots are reserved for is due (P-43)."
  else
    preempted(say, it, done)
  end
  if not it.preemptor then return end
  if it.wanted then
    wanted(say, it.wanted, it.preemptor)
    order(say, it)
  end
  sparing(say, it)
end

return gone
