-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `pool "label" { by = , up_to = }`: slots from the share pools.
--
-- A share pool has the slots that a branch, or the group, owns beyond its children. A
-- consumer takes from the nearest first, then upward, in proportion to `by` (default: equally)
-- among the consumers that share it, at most `up_to` in all (default: its need).

local placed = require "allot.language.placed"
local names = require "allot.language.names"
local amount = require "allot.language.amount"

local KEYS = { "by", "up_to" }

local function make(place, label, spec)
  if type(spec) ~= "table" then
    return nil, ("pool needs a table { by = , up_to = }, not a %s"):format(type(spec))
  end
  if not names.valid(label, "-") then
    return nil, ("a pool's label is a name (letters, digits, '_', '-'), not '%s'"):format(label)
  end
  local faults = {}
  names.strangers(spec, KEYS, "key of pool", faults)
  amount.faults(spec, KEYS, faults)
  if #faults > 0 then return nil, faults end
  return { kind = "pool", label = label, by = spec.by or 1, up_to = spec.up_to, at = place }
end

return placed(function (_, label)
  if type(label) ~= "string" then
    return nil, ("pool needs a label first: pool \"shared\" { ... }, not a %s"):format(type(label))
  end
  return placed(function (rest, spec) return make(rest, label, spec) end)
end)
