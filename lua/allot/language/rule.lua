-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A rule of a policy as the core takes it: a value, or a function of the options that returns
--- one.

local placed = require "allot.language.placed"

local rule = {}

--- The result of make(given), or, if a function is given, a function that makes its result. Both
-- return nil, a fault and its place on errors. `key` is the rule's, `place` the policy's.
function rule.made(place, key, given, make)
  if type(given) ~= "function" then return make(given) end
  return placed(function (_, options)
    local value, why = given(options)
    if value == nil then
      why = type(why) == "string" and why or key .. " is a function that returned nothing"
      return nil, why, place
    end
    local made, fault, where = make(value)
    if made == nil then return nil, fault, where or place end
    return made
  end)
end

--- The same for values taken unchanged: fault_of(value) returns the fault and its place.
function rule.sound(place, key, given, fault_of)
  return rule.made(place, key, given, function (value)
    local fault, where = fault_of(value)
    if fault then return nil, fault, where end
    return value
  end)
end

return rule
