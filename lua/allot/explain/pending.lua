-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a pending task waits, or that it starts (C-13).

local slots = require "allot.explain.slots"
local words = require "allot.explain.words"

--- "4 slots of cpu and 1 slot of gpu at once".
local function slots_of(list)
  local parts, sum = {}, 0
  for i, side in ipairs(list) do
    sum = sum + side.slots
    parts[i] = words.phrase("{} slot{|s}{& of {}}", side.slots, side.group)
  end
  return table.concat(parts, " and ") .. (sum > 1 and " at once" or "")
end

--- " (t0, t5)": the first of `count` tasks.
local function named(list, count)
  if count == 0 then return "" end
  local more = count > #list and (" and %d more"):format(count - #list) or ""
  return " (" .. words.names(list, 100) .. more .. ")"
end

--- "In gpu " to begin a sentence; empty if there is only one group.
local function in_group(side)
  return words.phrase("{?In {} |}", side.group, side.group)
end

--- A leaf's quota on a side, and how much of it tasks before this one use.
local function quota(say, it, side, subject)
  local taken = ""
  if side.before > 0 then
    taken = words.phrase(", tasks before it {}{.200}", side.before,
      named(side.first_tasks, side.first))
  end
  say("{}{} has a quota of {} slot{|s}: running tasks use {}{}, and {} {is|are} left for the {} "
    .. "that {} needs.", in_group(side), it.path, side.quota, side.stays, taken, side.rest,
    side.slots, subject)
end

--- Why no consumer gives the leaf the slots that the task lacks.
local function lacks(say, it, side)
  local group = side.group or "the group"
  if side.limited and not side.column then
    say("Hosts that {} can use have {} for it: {} too few.", side.limited, side.limit,
      side.missing)
  elseif side.limited then
    say("The {} of {} is {}: {} too low.", side.column, side.limited, side.limit, side.missing)
  elseif side.missing > 0 then
    say("{} {is|are} missing, of which {} has {} left over.", side.lacks, group,
      side.lacks - side.missing)
  elseif side.elsewhere then
    say("{} {is|are} missing, which {} has left over.", side.lacks, group)
  else
    say("{} {is|are} missing: {} has so many left over, but the policy gives {} no more.",
      side.lacks, group, it.path)
  end
end

local function unfit(say, it, sides, subject)
  for _, side in ipairs(sides) do
    if side.short then
      quota(say, it, side, subject)
      if side.passed > 0 then
        say('Tasks behind it take {} of these, since `pending` is "skip"{}.', side.passed,
          named(side.behind_tasks, side.behind))
      end
      if side.owned then
        say("{} owns {}: what it cannot use whole, others may (C-13).", it.path, side.owned)
      end
      if side.stated then
        say("{} demands {} slot{|s} in all, as the state says: {} too few.", it.path, side.stated,
          side.beyond)
      elseif side.lacks then
        lacks(say, it, side)
      end
    end
  end
end

--- Which consumers give slots back, or why none does.
local function source(say, it, side)
  if not side.deficit then return end
  if side.earmarked > 0 then
    say("{} {is|are} on the way to {} from earlier reclaims (C-6).", side.earmarked, it.path)
  end
  if side.allocated > side.quota then
    say("{} holds {} slot{|s}, {} above its quota: these have to go first.", it.path,
      side.allocated, side.allocated - side.quota)
  end
  local missing = side.deficit
  if missing > 0 then missing = missing - slots.coming(say, side, it.path) end
  if missing > 0 then slots.lacking(say, side, missing) end
end

local function awaits(say, it, sides, subject)
  for _, side in ipairs(sides) do
    if side.slots <= side.there then
      say("{}all {} that {} needs are there.", in_group(side), side.slots, subject)
    else
      quota(say, it, side, subject)
      say("{} {is|are} held for it, and {} {is|are} to come.", side.held, side.slots - side.held)
      source(say, it, side)
    end
  end
end

local GOES = {
  named = "a reclaim in flight names it (C-6)",
  closed = "its host is closed with reclaim (E-34)",
  quota = "it does not fit into the quota any more",
}

--- It waits behind a task that runs and is to go.
local function behind_going(say, it, other)
  say("It waits behind {.100}, which runs and is to go: {}.", other.id, GOES[other.goes])
  say 'Nothing starts behind a task that is to go, since `pending` is "strict" (C-13).'
  for _, side in ipairs(other.goes == "quota" and other.sides or {}) do
    say("{}{} has a quota of {} slot{|s}: the tasks that may stay use {}, and {.100} has {}.",
      in_group(side), it.path, side.quota, side.stays, other.id, side.slots)
  end
end

local function behind(say, it, other)
  if other.goes then return behind_going(say, it, other) end
  say("It waits behind {.100}: nothing starts before the first task that {?does not fit whole|"
    .. 'waits for its slots}, since `pending` is "strict" (C-13).', other.id,
    other.outcome == "unfit");
  (other.outcome == "unfit" and unfit or awaits)(say, it, other.sides, other.id)
end

return function (say, it)
  say("Task {.100} of {} asks for {}: priority {}{?, submitted {} s ago|}.", it.id, it.path,
    slots_of(it.slots), it.priority, it.submitted ~= nil, it.submitted)
  if it.count > 1 then
    say("It is number {} of {} pending tasks of {}.", it.place, it.count, it.path)
  end
  if it.inside > 0 then
    say("It takes the place of {} running task{|s} of {}{.200}, and starts once {it has|they have} "
      .. "gone: the policy's inside allows that (C-13).", it.inside, it.path,
      named(it.inside_tasks, it.inside))
  elseif it.outcome == "starts" then
    say "It starts now: all its slots are there (C-13)."
    for _, side in ipairs(it.sides) do quota(say, it, side, "it") end
  elseif it.outcome == "fits" then
    say("It waits: it fits into the quota of {}, but its slots are not all there (C-13).", it.path)
    awaits(say, it, it.sides, "it")
  elseif it.outcome == "unfit" then
    say("It waits: it does not fit whole into the quota of {} (C-13).", it.path)
    unfit(say, it, it.sides, "it")
  else
    behind(say, it, it.blocker)
  end
end
