-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Engine and model agree on every number of random cases.

local case = require "spec.support.case"
local engine = require "spec.support.engine"
local gen_policy = require "spec.support.gen_policy"
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

local function agree(it)
  local expected = model.cycle(it.plan, it.state, it.site)
  local found = engine.cycle(it.plan, it.state, nil, it.policy)
  for name, group in pairs(expected.groups) do
    same_group(name, group, assert(found.groups[name], name))
    for _, list in ipairs { "grants", "reclaims" } do
      differ(name .. ": " .. list, listed(expected[list], name), listed(found[list], name))
    end
  end
end

describe("engine and model", function ()
  local opts = { runs = 800, valid = engine.valid }

  property("agree on every number (C-1 ... C-9, H-13)", opts, agree)
  property("agree under random policies (C-3 ... C-7, Q-30)", opts, agree, gen_policy.case)

  -- Random cases have it once in thousands: D's cap takes one slot, fractions add up to three.
  it("agree where fractions outlast the critical fill's caps under webster", function ()
    local site = { fills = { { by = "owned", up_to = "owned" }, { by = "share" } } }
    site.round = "webster"
    local plan = case.plan {
      slots = 4, policy = "site.lua", { "A", owned = 1, share = 0 }, { "B", owned = 1, share = 0 },
      { "C", owned = 1, share = 0 }, { "D" },
    }
    local state = case.state { slots = 3, A = { 1 }, B = { 1 }, C = { 1 }, D = { 1 } }
    agree { plan = plan, state = state, site = site, policy = gen_policy.write(site) }
  end)
end)
