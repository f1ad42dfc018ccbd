-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A rule of a policy as the core takes it: what is given, or a function of the options that
--- returns such.

local placed = require "allot.language.placed"

local rule = {}

--- What make(given) makes, or a function that does so with what the one given returns. Both return
-- nil, a fault and where, if something is wrong. `key` is the rule's, `place` the policy's.
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

--- The same of what is taken as it is: fault_of(value) is what is wrong with it, and where.
function rule.sound(place, key, given, fault_of)
  return rule.made(place, key, given, function (value)
    local fault, where = fault_of(value)
    if fault then return nil, fault, where end
    return value
  end)
end

return rule
