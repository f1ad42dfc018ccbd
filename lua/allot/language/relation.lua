-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `relation { test, ... }`: which queues' jobs may preempt which, or which consumers may take
--- slots from which; all tests must hold.
--
-- A test is `higher "priority"` (the first one's is larger), or `preemptive_or_preemptable` (the
-- queues' own keys, P-7), or a function of the two that returns true or false:
--
--     relation { higher "priority", function (high, low) return low.name ~= "night" end }
--
-- A queue has the fields name, priority, preemptive, preemptable, slot_pool and slot_share; a
-- consumer has its columns, `path` and `parent`, a task its columns and `id`.

local placed = require "allot.language.placed"

local relation = {}

local MOST = 8

relation.higher = placed(function (place, field)
  if type(field) ~= "string" then
    return nil, ("higher takes the name of a number: higher \"priority\"; not a %s")
      :format(type(field))
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
      return nil, ("test %d of a relation is a %s; a test is higher \"priority\" or "
        .. "a function of two; of queues also preemptive_or_preemptable"):format(i, type(test))
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

--- The relation that `value` is, or that one function makes; or nil and a fault, and its place.
-- `fault_of(test)` returns the fault of a test that is a word.
function relation.of(place, value, fault_of)
  local fault
  if type(value) == "function" then value, fault = make(place, { value }) end
  if type(value) ~= "table" or value.kind ~= "relation" then return nil, fault end
  for _, test in ipairs(value) do
    fault = type(test.test) == "string" and fault_of(test)
    if fault then return nil, fault, test.at ~= "" and test.at or place end
  end
  return value
end

--- The same of two rows: consumers or tasks. `column_fault(field)` is the fault of a column.
function relation.of_rows(place, key, value, column_fault)
  local made, fault, where = relation.of(place, value, function (test)
    if test.test ~= "higher" then
      return ("%s is a test of queues; %s has none"):format(test.test, key)
    end
    return column_fault(test.field)
  end)
  if made or fault then return made, fault, where end
  return nil, ("%s is a relation, or a function of who takes and the other; not a %s")
    :format(key, type(value))
end

relation.make = make
relation.relation = placed(make)

return relation
