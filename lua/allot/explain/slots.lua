-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The slots that a consumer holds, gets now, waits for and gives back, and hosts.

local words = require "allot.explain.words"

local slots = {}

--- Use over time.
local function used(say, it, allocated)
  say("Its use is {} slot-second{|s} at {}, {}; what it holds adds {} a second (C-14).",
    it.slot_seconds, words.time(it.at), words.fades(it), allocated)
  if not it.over_share then return end
  if it.of == 0 then
    say("{?Siblings own slots and it owns none: its share does not count|Its share is 0}, so "
      .. "used_over_share is {} (C-14).", it.owned, it.over_share > 0
      and "2^62, the most there is" or "0 until it uses a slot, and then 2^62, the most there is")
  else
    say("used_over_share is {}: its use * 1000 / {?the {} it owns|its share of {}}.",
      it.over_share, it.owned, it.of, it.of)
  end
end

local function holding(say, it)
  local beyond = it.allocated - it.quota
  local holds = words.phrase("{?Its leaves hold|It holds} {} slot{|s}", it.parent, it.allocated)
  if beyond > 0 then
    say("{}: {} above its quota.", holds, beyond)
  elseif beyond < 0 then
    say("{}: {} below its quota.", holds, -beyond)
  else
    say("{}: its quota.", holds)
  end
  if it.in_flight > 0 then
    say("{} of these are already being given back (C-6).", it.in_flight)
  end
  if it.closed and it.closed > 0 then
    say("{} of these are on closed hosts: they count no more (E-34).", it.closed)
  end
  if it.usage then used(say, it.usage, it.allocated) end
end

--- The first names of a list of tasks; `count` is how many there are.
local function names(list, count)
  return words.names(list, 100) .. (count > words.NAMED and " and others" or "")
end

--- Tasks that start, and tasks for which slots are held.
local function starting(say, it)
  if it.starts > 0 then
    say("These tasks start: {} (C-13).", names(it.starting_tasks, it.starts))
  end
  if it.held > 0 then
    say("Held idle for it: {}, until {} can start with all slots (C-13).", it.held,
      names(it.awaiting_tasks, it.awaits))
  end
  if it.waits == 1 then
    say("1 of its tasks waits: {.100}.", it.next)
  elseif it.waits > 1 then
    say("{} of its tasks wait, {.100} first.", it.waits, it.next)
  end
end

local function grants(say, it)
  if it.granted > 0 then say("Of the idle slots it is granted {} now (C-5).", it.granted) end
  if it.returned and it.returned > 0 then
    say("{} of what it receives came back from reclaims for it: nobody else could have them.",
      it.returned)
  end
  local reserved = it.held
  if it.starting then
    starting(say, it.starting)
    reserved = reserved - math.min(reserved, it.starting.held)
  end
  if reserved > 0 and it.parent and it.whole then
    say("Held idle for it and its leaves: {} (C-5, C-13).", reserved)
  elseif reserved > 0 then
    say("Held idle for it: {}, reserved and not needed now (C-5).", reserved)
  end
  if it.earmarked > 0 then
    say("{} more on their way from earlier reclaims are its own.", it.earmarked)
  end
end

--- Which consumers give slots back for it, which sentences call `whom`; returns how many.
function slots.coming(say, it, whom)
  local sum = 0
  for _, each in ipairs(it.coming) do
    sum = sum + each.slots
    say("{} gives {} back for {}, {} (C-6).", each.from, each.slots, whom, words.grace(each.grace))
  end
  return sum
end

--- Why no consumer gives the slots still missing.
function slots.lacking(say, it, lacks)
  if it.reach == 0 then
    say("It lacks {}, but no consumer above its quota is on hosts that serve it (E-30).", lacks)
  elseif it.reach and it.reach < lacks then
    say("It lacks {}, but on hosts that serve it others are over by no more than {} (E-30).",
      lacks, it.reach)
  elseif it.young then
    say("It lacks {}, since {}; claim_delay holds back its claim until it has waited for {} s.",
      lacks, it.since or math.mininteger, it.claim_delay)
  elseif it.reach then
    say("It still lacks {}: of what others are over on hosts that serve it the rest goes to "
      .. "others, or is held back.", lacks)
  elseif it.may_not_take then
    say("It still lacks {}: it may take no more from those above their quota ({}).", lacks,
      it.rules)
  elseif it.kept_back then
    say("It still lacks {}: what others are over is held back by guards or damping.", lacks)
  else
    say("It still lacks {}: no consumer that could give them is above its quota.", lacks)
  end
end

local function options(say, it)
  if it.target > it.quota then
    say("Its ownership shrank with the group; keep_shrunk_ownership lets it keep {} (H-11).",
      it.target)
  end
  if it.holds_rounding then
    say "hold_rounding holds back a reclaim that only rounding asks for (C-9)."
  end
end

--- Slots over quota that it keeps, apart from damping.
local function kept(say, it, gives)
  if it.protected > 0 then
    say("Guards or hosts that drain protect {} of the {} it is over (C-8).", it.protected, it.over)
  end
  local stay = math.min(it.over - gives, it.elsewhere)
  if stay > 0 then
    say("Of the {} it is over {} stay: {?no task tells their hosts, or they are on such|they are "
      .. "on hosts} that no consumer below its quota can use (E-30).", it.over, stay, it.lost)
  end
  if it.drains > 0 then
    say("Other windows hold now, but its `rebalance` is off: it drains, and {} are not taken at "
      .. "the switch (A-71).", it.drains)
  end
  if it.policy > 0 then
    say('Policy "{}" reclaims nothing: the {} it is over return by themselves (E-21).', it.by,
      it.policy)
  end
end

--- Slots that damping lets it keep, and those that must go.
local function damped(say, it, allocated)
  if it.dead_zone > 0 then
    say("dead_zone holds back the {} it is over: up to {} are let be.", it.dead_zone, it.zone)
  end
  if it.interval > 0 then
    say("reclaim_interval holds back {}: it gave slots back at {}, and {} s must pass.",
      it.interval, it.gave_at, it.seconds)
  end
  if it.most_reclaimed > 0 then
    say("most_reclaimed holds back {}: of the {} it holds at most {} % go in a cycle.",
      it.most_reclaimed, allocated, it.percent)
  end
  if it.forced then
    say("{} of its slots must go whatever the demand: {?other windows hold now (C-10)|an "
      .. "attribute that is a limit does not hold them}.", it.forced, it.window)
  end
end

local UNOWED = {
  ["over-limit"] = "a limit above it does not hold them",
  ["over-size"] = "the group has not so many",
  ["over-window"] = "other windows hold now (C-10)",
  ["over-attribute"] = "an attribute that is a limit does not hold them",
}

local function reclaim(say, it, reach)
  if it.reason == "closed-host" then
    say("It gives back {}, {}, because their hosts are closed (E-34).", it.slots,
      words.grace(it.grace))
    return
  end
  if it.reason == "inside" then
    say("{} of its slots go from running tasks to a pending one of its own, {} (inside, C-13).",
      it.slots, words.grace(it.grace))
    return
  end
  say("It gives back {} of the {} {?for which it has others|it is over}, {} (C-7):", it.slots,
    it.over, it.reason == "make-way", words.grace(it.grace))
  local rest = it.slots
  for _, claim in ipairs(it.claims) do
    say("  {} for {}.", claim.slots, claim.to)
    rest = rest - claim.slots
  end
  if rest > 0 then
    say("  {} because {}.", rest, UNOWED[it.reason] or "no consumer may keep them")
  end
  if it.limited_by then
    say("The limit of {}, {}, does not hold {} of them: they go to who lacks slots nearest above "
      .. "it{? and can use them (C-6, E-30)| (C-6)}.", it.limited_by, it.limit, it.freed,
      reach ~= nil)
  end
end

local function going(say, it)
  local over = it.over - it.held_back
  if over > 0 and it.gives == 0 then
    say("It is over by {}, but no consumer {?that lacks slots may take them|is owed a slot}"
      .. "{& ({})}: it keeps them.", over, it.none_may_take, it.none_may_take and it.kept_by or nil)
  end
  for _, each in ipairs(it.reclaims) do reclaim(say, each, it.reach) end
end

local function parent(say, it)
  if it.over > 0 then
    say("Its leaves are over by {} in all and give back {}.", it.over, it.reclaimed)
  end
  if it.deficit > 0 then
    say("Below it {} are still lacking, its own reserve included.", it.deficit)
    slots.coming(say, it, "it") -- for that reserve
  end
end

local function leaf(say, it)
  local lacks = it.deficit
  if lacks > 0 then lacks = lacks - slots.coming(say, it, "it") end
  if lacks > 0 then slots.lacking(say, it, lacks) end
  options(say, it)
  if it.kept then
    kept(say, it.kept, it.gives)
    damped(say, it.kept, it.allocated)
  end
  going(say, it)
end

--- ---- Hosts ----------------------------------------------------------------------------------

local function serving(say, it)
  if it.requires then
    say('It requires "{}": {} host{|s} with {} slot{|s} meet{?s|} that.', it.requires,
      it.meeting_hosts, it.meeting_slots, it.meeting_hosts)
  end
  if it.exclusive then
    say("Hosts on which {} has a slot are closed to others (H-14).", it.exclusive)
    for _, host in ipairs(it.leave) do
      say("Others are to leave {.200} for it: {} slots are in use there.", host.name, host.slots)
    end
  end
  if it.blocked > 0 then
    say("{} slot{|s} of the group {is|are} on hosts that are closed to the consumers that want "
      .. "them: they are not divided (H-14).", it.blocked)
  end
end

local function placed(say, it)
  local places = {}
  for i, place in ipairs(it.places) do
    places[i] = words.phrase("{.24} ({})", place.name, place.slots)
  end
  if it.count > #places then
    say("Its grant is on {} and {} hosts more.", words.list(places), it.count - #places)
  elseif it.count > 0 then
    say("Its grant is on {}.", words.list(places))
  end
  if it.unplaced > 0 then
    say("{} of its grant {is|are} on hosts that are not known: tasks do not tell theirs, or the "
      .. "state has more slots than hosts.", it.unplaced)
  end
end

--- Slots that it gets beyond its quota, and consumers that stay where it could run.
local function lent(say, of, it)
  local more = of.allocated + of.granted - it.moved - math.max(of.quota, of.allocated)
  if it.moved > 0 then
    say("It makes way: {} elsewhere for as many that it gives back, where others must run (H-19).",
      it.moved)
  end
  if more > 0 and not it.ledger then
    say("{} of its grant {is|are} lent: hosts keep those from them whose quota they would be "
      .. "(H-18).", more)
  end
  for _, each in ipairs(it.in_the_way) do
    say("On hosts that would serve it {} holds {}, no more than its quota lets it{?|: with "
      .. "make_way it would move, if it can run elsewhere} (H-18).", each.path, each.slots,
      it.make_way)
  end
  if of.barred > 0 then
    say("{} slot{|s} that it lacks {is|are} idle, but on no host that serves it: nobody is helped "
      .. "by granting them.", of.barred)
  end
end

function slots.all(say, it)
  holding(say, it)
  grants(say, it);
  (it.parent and parent or leaf)(say, it)
  if it.hosts then serving(say, it.hosts) end
  if it.hosts and it.hosts.places then
    placed(say, it.hosts)
    lent(say, it, it.hosts)
  end
end

return slots
