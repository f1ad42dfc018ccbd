-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Holds the engine to the model (model.lua): every number of a case, every grant and reclaim.

local engine = require "spec.support.cases.engine"
local model = require "spec.support.model.model"

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

--- A decision's grants or reclaims of one group as text, in their order. What a leaf gives one
--- claimant is one number, however many nodes of the tree it settles.
local function listed(moves, group)
  local out = {}
  for _, move in ipairs(moves) do
    if move.group == group then
      local claims, text = {}, {}
      for _, claim in ipairs(move["for"] or {}) do
        claims[claim.consumer] = (claims[claim.consumer] or 0) + claim.slots
      end
      for claimant, slots in pairs(claims) do
        text[#text + 1] = " " .. slots .. " for " .. claimant
      end
      table.sort(text)
      out[#out + 1] = move.consumer .. " " .. move.slots .. table.concat(text)
    end
  end
  return table.concat(out, "; ")
end

return function (it)
  local expected = model.cycle(it.plan, it.state, it.site)
  local found = engine.cycle(it.plan, it.state, nil, it.policy)
  for name, group in pairs(expected.groups) do
    same_group(name, group, assert(found.groups[name], name))
    for _, list in ipairs { "grants", "reclaims" } do
      differ(name .. ": " .. list, listed(expected[list], name), listed(found[list], name))
    end
  end
end
