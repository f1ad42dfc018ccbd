-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Holds the engine to the model of whole tasks: every number of a state, every grant and reclaim.

local engine = require "spec.support.cases.engine"
local told = require "spec.support.model.whole.told"
local whole = require "spec.support.model.whole"

local function differ(what, expected, found)
  if expected ~= found then
    error(("%s: the model says %s, the engine %s"):format(what, tostring(expected),
      tostring(found)), 0)
  end
end

local ROW = { "demand", "need", "quota", "allocated", "granted", "held", "over" }

local function parts_of(row)
  local sum = 0
  for _, slots in pairs(row.parts) do sum = sum + slots end
  return sum
end

local function same_group(name, expected, found)
  for _, field in ipairs { "slots", "idle", "idle_left", "held" } do
    differ(name .. "." .. field, expected[field], found[field])
  end
  for i, row in ipairs(expected.consumers) do
    local other, what = found.consumers[i], name .. row.path
    for _, field in ipairs(ROW) do differ(what .. "." .. field, row[field], other[field]) end
    differ(what .. ".parts.whole", row.parts.whole, other.parts.whole or 0)
    differ(what .. ".parts", parts_of(row), parts_of(other))
  end
end

--- The engine's decision of a state of a case; raises where the model, with a policy's rules of its
--- own or without, decides something else.
return function (it, state, site)
  local expected, found = whole.cycle(it.plan, state, site or it.site),
    engine.cycle(it.plan, state, nil, it.policy)
  for name, group in pairs(expected.groups) do same_group(name, group, found.groups[name]) end
  local one, other = told.groups(expected), told.groups(found)
  for name in pairs(expected.groups) do
    for _, list in ipairs { "grants", "reclaims" } do
      differ(name .. ": " .. list, table.concat(one[name][list], "; "),
        table.concat(other[name][list], "; "))
    end
  end
  return found
end
