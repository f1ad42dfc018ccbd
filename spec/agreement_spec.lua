-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Engine and model agree on every number of random cases.

local case = require "spec.support.case"
local engine = require "spec.support.engine"
local model = require "spec.support.model"
local property = require "spec.support.property"

local function differ(what, expected, found)
  if expected ~= found then
    error(("%s: the model says %s, the engine %s"):format(what, tostring(expected),
      tostring(found)), 0)
  end
end

local function same_group(name, expected, found)
  for _, field in ipairs { "slots", "idle", "idle_left", "held" } do
    differ(name .. "." .. field, expected[field], found[field])
  end
  differ(name .. ": consumers", #expected.consumers, #found.consumers)
  for i, row in ipairs(expected.consumers) do
    for field, number in pairs(row) do
      differ(name .. row.path .. "." .. field, number, found.consumers[i][field])
    end
  end
end

--- Text of {path = slots}, for comparing and for messages.
local function flat(moves)
  local out = {}
  for path, slots in pairs(moves) do
    out[#out + 1] = path .. "=" .. slots
  end
  table.sort(out)
  return table.concat(out, " ")
end

local function reclaimed(decision, group)
  local slots, claims = {}, {}
  for path, entry in pairs(case.reclaims(decision, group)) do
    slots[path] = entry[1]
    for claimant, part in pairs(entry) do
      if claimant ~= 1 then
        claims[claimant] = (claims[claimant] or 0) + part
      end
    end
  end
  return flat(slots), flat(claims)
end

local function agree(documents)
  local expected = model.cycle(documents.plan, documents.state)
  local found = engine.cycle(documents.plan, documents.state)
  for name, group in pairs(expected.groups) do
    same_group(name, group, assert(found.groups[name], name))
    differ(name .. ": grants", flat(case.grants(expected, name)), flat(case.grants(found, name)))
    local slots, claims = reclaimed(expected, name)
    local found_slots, found_claims = reclaimed(found, name)
    differ(name .. ": reclaims", slots, found_slots)
    differ(name .. ": claims", claims, found_claims)
  end
end

describe("engine and model", function ()
  property("agree on every number (C-1 ... C-9, H-13)", { runs = 1500, valid = engine.valid }, agree)
end)
