-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `relation { test, ... }`: which queues' jobs may preempt which; all tests must hold.
--
-- A test is `higher "priority"` (the preempting queue's is larger), or
-- `preemptive_or_preemptable` (the queues' own keys, P-7), or a function of two queues
-- that returns true or false:
--
--     relation { higher "priority", function (high, low) return low.name ~= "night" end }
--
-- A queue has the fields name, priority, preemptive, preemptable, slot_pool and slot_share.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local relation = {}

local MOST = 8
local NUMBERS = { "priority", "slot_share" }

relation.higher = placed(function (place, field)
  if not names.has(NUMBERS, field) then
    return nil, names.unknown("number of a queue", field, NUMBERS)
  end
  return { kind = "test", test = "higher", field = field, at = place }
end)

relation.preemptive_or_preemptable = { kind = "test", test = "preemptive_or_preemptable", at = "" }

local function make(place, list)
  if type(list) ~= "table" then
    return nil, ("relation needs a list of tests, not a %s"):format(type(list))
  end
  local made = { kind = "relation", at = place }
  for i, test in ipairs(list) do
    if type(test) == "function" then test = { kind = "test", test = test, at = place } end
    if type(test) ~= "table" or test.kind ~= "test" then
      return nil, ("test %d of a relation is a %s; a test is higher \"priority\", "
        .. "preemptive_or_preemptable or a function of two queues"):format(i, type(test))
    end
    made[i] = test
  end
  for key in pairs(list) do
    if math.type(key) ~= "integer" or key < 1 or key > #made then
      return nil, ("a relation is a list of tests; it has no '%s'"):format(tostring(key))
    end
  end
  if #made < 1 or #made > MOST then
    return nil, ("a relation has %d tests; 1 to %d are allowed"):format(#made, MOST)
  end
  return made
end

relation.make = make
relation.relation = placed(make)

return relation
