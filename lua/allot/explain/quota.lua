-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership, need, what each fill gave, how that became whole slots; or a ledger's accounts.

local words = require "allot.explain.words"

local function owned(say, it)
  if it.as then
    say("The plan does not name {}: its values are as {} states.", it.path, it.as)
  end
  if it.no_ownership then
    say("{} shares with its siblings; nothing is its own.", it.path)
  elseif it.configured == 0 then
    say("{} owns no slots: what it gets is others' or shared.", it.path)
  elseif not it.owned then
    say("{} owns {} slot{|s}.", it.path, it.configured)
  else
    say("{} owns {} of the {} planned slots; the group has {} now, so it owns {} (C-1).", it.path,
      it.configured, it.planned_slots, it.slots, it.owned)
  end
end

--- What the policy's rule reserves.
local function reserve(say, it)
  local by = it.reserves
  if not by or by.slots == 0 then return end
  say('Policy "{}" reserves {} of its slots, {?by {}|as of all}: at most what it owns (C-1).',
    by.policy, by.slots, by.by, by.by)
end

--- What keeps its need below its demand: hosts, or a limit.
local function limited(say, it, demands)
  if it.limited == "others" then
    say("{} {} slot{|s}, but hosts that it can use have {} for it beside others who use them, "
      .. "too: that is its need (H-17).", demands, it.demand, it.limit)
  elseif it.limited == "hosts" then
    say("{} {} slot{|s}, but hosts that it can use have {}: that is its need.", demands, it.demand,
      it.limit)
  else
    say("{} {} slot{|s}, but its {} is {}, so its need is {} (C-2).", demands, it.demand,
      it.column, it.limit, it.need)
  end
end

local function need(say, it)
  local demands = it.parent and "Its children need" or "It demands"
  if it.raised then
    say("{} {} slot{|s}, but other windows hold now and what it owns changed: it needs at least "
      .. "that, {} (C-10).", demands, it.demand, it.need)
  elseif it.need == it.reserve and it.need > 0 and it.demand < it.reserve then
    say("{} {} slot{|s}, but {} are reserved, so its need is {} (C-2).", demands, it.demand,
      it.reserve, it.need)
  elseif it.left_out then
    say("{} {} slot{|s}, but its share is 0, so it is in no pool: its need is {} (E-23).", demands,
      it.demand, it.need)
  elseif it.limit then
    limited(say, it, demands)
  else
    say("{} {} slot{|s}: that is its need (C-2).", demands, it.demand)
  end
  if it.used and it.used < it.demand then
    say("{?Tasks of its leaves|Its tasks} start whole and can use {} of the slots that it could "
      .. "get: that counts as its demand below (C-13).", it.parent, it.used)
  end
end

local function family(say, it)
  if it.above then
    say("Its parent {} has a quota of {}, divided among {} child{|ren}.", it.above, it.above_quota,
      it.members)
  else
    say("The group's {} slot{|s} are divided among {} first-level consumer{|s}.", it.slots,
      it.members)
  end
end

--- A fill that raises totals: what it has from before counts (C-15).
local function level(say, fill, at, rate, each)
  if not fill.gives then
    say("  {}: 0, since it has {} from before. Slots ran out here, where totals are raised to "
      .. "{} {} (C-15).", fill.label, at.had, rate, each)
  else
    say("  {}: {}, which raises its total from {} to {}{? and meets its need|}. Slots ran out "
      .. "here, where totals are raised to {} {} (C-15).", fill.label, fill.gave, at.had, at.total,
      fill.met, rate, each)
  end
end

--- The percentage that bounds it.
local function percent(say, fill)
  if fill.percent then
    say("    At most {} % of the {} slots that it and its siblings divide, rounded down: {}.",
      fill.percent, fill.of, fill.most)
  end
end

--- A fill that met all aims.
local function met(say, fill)
  if fill.planned then
    say("  {}: {}. Its planned share, by {}, is {} (E-21).", fill.label, fill.gave,
      fill.each or fill.by, fill.planned)
  elseif fill.keeps then
    say("  {}: {}, up to the {} that it {?keeps, leaves of the best ranks first, whatever their "
      .. "branches (E-22)|holds or that are planned}.", fill.label, fill.gave, fill.keeps,
      fill.across)
  else
    say("  {}: {}.", fill.label, fill.gave)
  end
end

--- The critical fill gave it nothing; returns true if later fills are named, too.
local function nothing(say, it, fill, at)
  local late = at.empty and not at.first or not (at.first or at.last_run)
  if late and not (at.served and at.served.before) then
    say("  {}: nothing was left for it{?, nor for the fills behind it|}.", fill.label,
      at.fill < #it.fills)
    return true
  elseif not at.weighs then
    say("  {}: 0, since this goes by {}, and that is 0 here.", fill.label, fill.each or fill.by)
  elseif late then
    say("  {}: 0: slots ran out among those served before it.", fill.label)
  else
    say("  {}: 0, since it has all that this may give it.", fill.label)
  end
end

--- The fill in which slots ran out; returns true if later fills are named, too.
local function critical(say, it, fill, at)
  local each = fill.each and "each" or words.phrase("per unit of {}", fill.by)
  if at.first and fill.gives then
    met(say, fill)
  elseif not fill.gives and not (at.last_run and at.above and not at.empty) then
    return nothing(say, it, fill, at)
  elseif at.had then
    level(say, fill, at, at.rate, each)
  else
    say("  {}: {}{?, which meets its need|}. Slots ran out here, at {} {}.", fill.label, fill.gave,
      fill.met, at.rate, each)
  end
end

--- The keys by which a fill serves, their values here and of the consumer served last before.
local function served(say, it)
  local mine, its = {}, {}
  for i, key in ipairs(it.keys) do
    mine[i] = words.value(key.flag, key.mine)
    its[i] = it.before and words.value(key.flag, key.its)
  end
  say("    Served by {}: it has {}{?; {}, served last before it, has {}|, and nobody was served "
    .. "before it}.", words.keys(it.keys), words.list(mine), it.before, it.before, words.list(its))
end

local function fills(say, it)
  local at = it.critical
  for i, fill in ipairs(it.fills) do
    if fill.gives and not (at and i >= at.fill) then
      met(say, fill)
      percent(say, fill)
    end
  end
  local last = at and it.fills[at.fill]
  if not last or last.had_all then return end
  local told = critical(say, it, last, at)
  percent(say, last)
  if at.served and not told then served(say, at.served) end
  local behind = it.fills[at.fill + 1]
  if behind and not last.met and not told then
    say('  Nothing was left for "{}"{? and the fills behind it|}.', behind.label,
      at.fill + 1 < #it.fills)
  end
end

local WAYS = {
  rank = "lost slots go one each to fractions by rank, then plan order (C-4)",
  ceil_in_order = "shares are rounded up in order while slots last (Q-30)",
  largest_remainder = "lost slots go to the largest fractions",
  webster = "slots go one by one to the largest weight / (2 * slots + 1)",
}

local function rounding(say, it)
  local at = it.rounding
  if not at then return end
  local names = words.list(at.winners)
  say("That is {} exactly, rounded {?up|down} to {}: {}{?; rounded up: |}{}.", at.exact, at.up,
    at.to, WAYS[at.way], #names > 0, names)
end

local function loan(say, it)
  local slots = words.phrase("{} slot{|s}", it.slots)
  local how, from = it.lends and "lends" or "borrows", it.lends and "to" or "from"
  if it.slots == it.before then
    say("It {} {} {} {}, as before.", how, slots, from, it.other)
  elseif it.before == 0 then
    say("It {} {} {} {}: {} ({}).", how, slots, from, it.other, it.why, it.code)
  else
    say("It {} {} {} {}, {} before: {} ({}).", how, slots, from, it.other, it.before, it.why,
      it.code)
  end
end

local function ledger(say, it)
  say("Before this cycle {?its leaves held|it held} {} own, {} shared and {} borrowed slots; {} "
    .. "of its own were lent.", it.parent, it.own_used, it.shared, it.borrowed, it.lent)
  if it.weighed and #it.loans > 0 then
    say("Among borrowers that are equal by the loan's order it borrows in proportion to {?{}|what "
      .. "is the same for all}: {} (C-11).", it.weighed.by, it.weighed.by, it.weighed.weight)
  end
  for _, each in ipairs(it.loans) do loan(say, each) end
  for _, each in ipairs(it.recalls) do
    say("Called back from it: {} slot{|s}; {} ({}).", each.slots, each.why, each.code)
  end
end

local function parts(say, it)
  local sum = {}
  for i, part in ipairs(it.parts) do sum[i] = ("%d %s"):format(part.slots, part.label) end
  say("Its quota is {}{}.", it.quota, #sum > 0 and " = " .. table.concat(sum, " + ") or "")
end

return function (say, it)
  owned(say, it)
  reserve(say, it)
  need(say, it)
  if it.loans then
    ledger(say, it)
  else
    family(say, it)
    fills(say, it)
    rounding(say, it)
  end
  if it.whole_part > 0 then
    say("  whole: {} that {was|were} left over make{s|} {?tasks of its leaves|its next task} fit "
      .. "(C-13).", it.whole_part, it.parent)
  end
  parts(say, it)
end
