-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Engine and model agree on every number of random cases.

local agree = require "spec.support.cases.agree"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen_policy = require "spec.support.cases.gen_policy"
local gen_tight = require "spec.support.cases.gen_tight"
local property = require "spec.support.cases.property"

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

--- The ready-made policies as the model has them: by name and options, and as a site's rules.
local PLANNED = {
  { label = "planned", by = "share", up_to = "part" },
  { label = "kept", by = "share", up_to = "held", order = { { key = "rank" } } },
  { label = "shared", by = "share" },
}

local function shares(adjust, level)
  local use = { use = "share_ratio", adjust_share_to_workload = adjust, enforce_share = level }
  local fills = adjust and { { label = "shared", by = "share" } } or PLANNED
  return { use = use, site = { fills = fills, across = level == "leaf" } }
end

local READY = {
  { "hybrid", 2000, { use = "hybrid" } },
  { "hybrid, evenly", 500, { use = { use = "hybrid", evenly = true } } },
  { "share_ratio by leaves", 2000, shares(false, "leaf") },
  { "share_ratio by parents", 2000, shares(false, "parent") },
  { "share_ratio by leaves, adjusted", 500, shares(true, "leaf") },
  { "share_ratio by parents, adjusted", 500, shares(true, "parent") },
}

describe("engine and model, where slots are scarce,", function ()
  for _, ready in ipairs(READY) do
    local name, runs, policy = table.unpack(ready)
    local opts = { runs = runs, valid = engine.valid }
    property("agree under " .. name .. " (C-6, C-7, E-21, E-22)", opts, agree, function (seed)
      local it = gen_tight.case(seed, true)
      it.plan.policy, it.site = policy.use, policy.site
      return it
    end)
  end
end)
