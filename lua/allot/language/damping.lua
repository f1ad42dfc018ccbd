-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `damping = { dead_zone = 2, ... }` of a policy: options against fluttering, for plans that do
--- not state them.

local names = require "allot.language.names"

local KEYS = { "hold_rounding", "dead_zone", "most_reclaimed", "reclaim_interval", "claim_delay" }
local MOST = 1000000000
local BOUNDS = { most_reclaimed = { 1, 100 } }

local function value_fault(key, value)
  if key == "hold_rounding" then
    return type(value) ~= "boolean" and "damping: hold_rounding is true or false" or nil
  end
  local bounds = BOUNDS[key] or { 0, MOST }
  if math.type(value) ~= "integer" or value < bounds[1] or value > bounds[2] then
    return ("damping: %s is a whole number, %d to %d"):format(key, bounds[1], bounds[2])
  end
end

--- The fault of a damping table, or nil.
return function (damping)
  if damping == nil then return nil end
  if type(damping) ~= "table" then
    return ("damping is a %s, not a table { dead_zone = 2, ... }"):format(type(damping))
  end
  local fault = names.stranger(damping, KEYS, "key of damping")
  for _, key in ipairs(KEYS) do
    if not fault and damping[key] ~= nil then fault = value_fault(key, damping[key]) end
  end
  return fault
end
