-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a task goes or stays: the tasks that it was compared with, and what decided.

local pending = require "allot.explain.pending"
local words = require "allot.explain.words"

--- "4 slots of cpu and 1 slot of gpu"; with a single group "4 slots".
local function slots_of(list)
  local parts = {}
  for i, part in ipairs(list) do
    parts[i] = words.phrase("{} slot{|s}{? of |}{}", part.slots, #list > 1,
      #list > 1 and part.group or "")
  end
  return table.concat(parts, " and ")
end

local function what(say, it)
  say("{} runs on {} of {}{& on {.64}}{&, session {.64}}, {?for {} s|the state does not tell since "
    .. "when: it counts as running since 1970}.", it.id, slots_of(it.slots), it.path, it.host,
    it.session, it.ran ~= nil, it.ran)
  if it.sharing > 1 then
    say("{} tasks share that slot: they go or stay together, and their run time is counted as "
      .. "one, {} s (A-78).", it.sharing, it.sharing_ran)
  end
end

local function bounds(say, it)
  if not it.name then return end
  if it.flag and (it.value < it.min or it.value > it.max) then
    say("  Its {} is {}; where that is {} it may go.", it.name, words.value(true, it.value),
      words.value(true, it.value == 0 and 1 or 0))
  elseif it.value < it.min then
    say("  Its {} is {}; from {} on, in {}, it may go.", it.name, it.value, it.min,
      it.min - it.value)
  elseif it.value > it.max then
    say("  Its {} is {}; up to {} it may go.", it.name, it.value, it.max)
  else
    say("Guard {} does not protect it: its {} is {}.", it.label, it.name,
      words.value(it.flag, it.value))
  end
end

local MARKS = {
  going = "It is going already: a reclaim in flight names it (C-6).",
  closed = "Its host is closed with reclaim: tasks there go, whatever the order and whatever "
    .. "guards say (E-34).",
  drains = "It stays: its host drains, so it may end by itself (E-34).",
}

--- Says why it is not a candidate; false: it is one.
local function ineligible(say, it)
  if it.mark then
    say(MARKS[it.mark])
  elseif it.guard then
    say("It stays: guard {} protects it (C-8).", it.guard.label)
    bounds(say, it.guard)
  end
  return it.mark or it.guard
end

local function order(say, it)
  say("Candidates are ordered by {}; it is number {} of {} candidates.",
    #it.keys > 0 and words.keys(it.keys) or "id", it.number, it.candidates)
end

local function gives(say, it, path)
  if it.claimant then
    say("{} gives {} slot{|s} back for {}; {?{} of them no task uses, or other victims cover; "
      .. "|}the tasks that go for {?the rest|that} hold {} slot{|s} (C-16).", path, it.owed,
      it.claimant, it.idle > 0, it.idle, it.idle > 0, it.picked_slots)
  elseif it.idle == 0 then
    say("{} gives {} slot{|s} back; the tasks that go for that hold {} slot{|s} (C-8).", path,
      it.owed, it.picked_slots)
  elseif it.picked > 0 then
    say("{} gives {} slot{|s} back: first {} that no task uses; the tasks that go for the rest "
      .. "hold {} slot{|s} (C-8).", path, it.owed, it.idle, it.picked_slots)
  else
    say("{} gives {} slot{|s} back that no task uses: they go first (C-8).", path, it.owed)
  end
end

--- The key that distinguishes the two, and what would reverse their order.
local function decided(say, it)
  if not it.key then
    say("  All keys agree: the larger id goes first, {} against {} (C-8).", it.own, it.other)
    return
  end
  say("{}", words.decides(it.key))
  if it.goes then say("  {}", words.reverse(it.key, it.other)) end
end

local function differ(say, it)
  if it.differ then
    say("Hosts are not all alike: tasks on hosts that the claimants can use go before others "
      .. "(E-30).")
  end
  return it.differ
end

local function going(say, it)
  say("It is reclaimed{& for {}}.", it.claimant)
  gives(say, it, it.path)
  order(say, it)
  if it.other then
    say("The first that stays is {}.", it.other)
    decided(say, it)
  else
    say "There is no candidate behind those that go."
  end
  if not differ(say, it) and it.less > 0 then
    say("It would stay if {} gave {} less.", it.path, it.less)
  end
  for _, guard in ipairs(it.guards) do bounds(say, guard) end
end

local function staying(say, it)
  say("It stays{& for {}}.", it.claimant)
  gives(say, it, it.path)
  order(say, it)
  if differ(say, it) then return end
  if it.spared then
    say("It stands before {}, but the others cover what is given without it: it is spared (C-8).",
      it.other)
    return
  end
  if it.other then
    say("The last that goes is {}.", it.other)
    decided(say, it)
  end
  say("It would go if {} gave {} more.", it.path, it.more)
end

--- Of a leaf whose tasks have slots of several groups, which go in all of these at once.
local function coupled(say, it)
  if it.goes then
    say "It is reclaimed, with its slots of all groups (C-13)."
  elseif ineligible(say, it) then
    return
  else
    say "It stays."
  end
  for _, group in ipairs(it.groups) do
    gives(say, group, words.phrase("In {} {.200}", group.group, group.path))
    if group.keys then order(say, group) end
  end
  if #it.groups > 0 then
    say("From the last of the candidates on, each stays that fits into what is left of every "
      .. "group: {?it does not|it does} (C-13).", it.goes)
  else
    say("{} gives nothing back: nothing of it has to go.", it.path)
  end
end

--- For one claimant after another, up to the one that it goes for.
local function by_claimant(say, it)
  for _, each in ipairs(it.claimants) do
    if each.guard then
      say("For {} it stays: guard {} protects it (C-16).", each.claimant, each.guard.label)
      bounds(say, each.guard)
    else
      (each.goes and going or staying)(say, each)
    end
  end
end

return function (say, it)
  if it.pending then return pending(say, it) end
  what(say, it)
  if it.inside then
    say("It is reclaimed: {.100}, a pending task of {}, takes its place, which the policy's inside "
      .. "allows (C-13).", it.inside, it.path)
  elseif it.groups then
    coupled(say, it)
  elseif ineligible(say, it) then
    return
  elseif it.claimants then
    by_claimant(say, it)
    if it.owed then (it.goes and going or staying)(say, it) end
  elseif not it.owed then
    say("{} gives nothing back: nothing of it has to go.", it.path)
  else
    (it.goes and going or staying)(say, it)
  end
end
