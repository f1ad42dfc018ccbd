-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A contract: both sides, what moves and why, and what is next.

local function idle(side)
  return side.available - side.used
end

local function side(say, role, it, more)
  local available = it.available + (more or 0)
  say("  {} {.100}: {} slot{|s}, {} used, {} idle{?; {} more are wanted there|}.", role, it.name,
    available, it.used, available - it.used, it.demand >= 0, it.demand)
end

--- Both sides, before the cycle if something moves.
local function sides(say, it)
  local more = it.to_consumer and it.moved or -it.moved
  say(it.moved > 0 and "Before this cycle:" or "Its sides:")
  side(say, "provider", it.provider, more)
  side(say, "consumer", it.consumer, -more)
end

local function moved(say, it)
  local from = it.to_consumer and it.provider or it.consumer
  local to = it.to_consumer and it.consumer or it.provider
  say("{.100} has {} idle and {.100} {}{?, and the policy says who gives|, the side with more "
    .. "gives}: all {} idle ones go to {.100} (L-6).", from.name, it.moved + idle(from), to.name,
    idle(to) - it.moved, it.reason == "policy", it.moved, to.name)
  side(say, "now provider", it.provider)
  side(say, "now consumer", it.consumer)
  for _, host in ipairs(it.hosts) do say("  on {.100}: {} (A-45).", host.name, host.slots) end
end

local WHY = {
  offered = "It is offered: the consumer has one slot, and the lease is made once it uses that "
    .. "(L-5).",
  made = "The consumer uses its slot: the lease is made now (L-5).",
  waits = "Nothing moves: it is not yet time to compare idle slots (L-6).",
  equal = "Nothing moves: both have as many idle slots (L-6).",
  inactive = "It rested for this cycle, as slots had moved: nothing is decided (L-7, A-43).",
  ["no-demand"] = "Nothing moves: the side that would get slots wants none, and the contract is "
    .. "damped (A-40).",
  shrunk = "Hosts are down: it is smaller now, idle slots went first (A-44).",
  grown = "Hosts are back: it is larger now, what is new is the provider's (A-44).",
  exclusive = "It is exclusive: all is the consumer's but what the provider still uses (L-8).",
}

local function why(say, it)
  local from = it.to_consumer and it.provider or it.consumer
  local to = it.to_consumer and it.consumer or it.provider
  if WHY[it.reason] then say(WHY[it.reason]) end
  if it.reason == "none-idle" then
    say("Nothing moves: the policy gives the idle slots of {.100} to {.100}, and there are none "
      .. "(L-6).", from.name, to.name)
  elseif it.reason == "policy" then
    say("Nothing moves: the policy says so, though {.100} has {} idle and {.100} {} (L-6).",
      it.provider.name, idle(it.provider), it.consumer.name, idle(it.consumer))
  end
end

local function due(say, it)
  if not it.shared or it.phase == "conn" then return end
  if it.phase == "inactive" then
    say "It rests until the next cycle: nothing starts on its idle slots (L-7)."
  end
  say("It is looked at {} s after it was made, changed or looked at last, which was {} s ago: in "
    .. "{} s (A-42).", it.delay, it.since, math.max(it.delay - it.since, 0))
end

return function (say, it)
  say("Contract {.100}: {.100} lends {} slot{|s} to {.100}, {?shared|exclusive}; {}.", it.name,
    it.provider.name, it.slots, it.consumer.name, it.shared, it.phase)
  if it.size ~= it.slots then
    say("Of these {} are on hosts that are open (A-44).", it.size)
  end
  sides(say, it);
  (it.moved > 0 and it.reason ~= "shrunk" and moved or why)(say, it)
  due(say, it)
end
