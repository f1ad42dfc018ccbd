-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whole tasks (C-13): engine and model agree on every number of random sites whose tasks come and
--- go, and both keep what the rule says of itself. ALLOT_RUNS=n runs so many sites.

local agree = require "spec.support.model.whole.agree"
local engine = require "spec.support.cases.engine"
local gen_whole = require "spec.support.cases.gen_whole"
local play = require "spec.support.model.whole.play"
local property = require "spec.support.cases.property"
local told = require "spec.support.model.whole.told"
local vectors = require "spec.support.model.whole.vectors"
local watch = require "spec.support.model.whole.watch"
local whole = require "spec.support.model.whole"

describe("whole tasks", function ()
  for _, vector in ipairs(vectors) do
    it(vector.title .. " (C-13)", function ()
      local state = vector.state
      local decision = engine.cycle(vector.plan, state)
      assert.same(told.expected(vector.expect, vector.plan), told.groups(decision))
      if vector.next then
        state = play.after(state, decision)
        assert.same(told.expected(vector.next, vector.plan),
          told.groups((engine.cycle(vector.plan, state))))
      end
    end)
  end
end)

local function shares(adjust, level)
  local use = { use = "share_ratio", adjust_share_to_workload = adjust, enforce_share = level }
  local fills = adjust and { { label = "shared", by = "share" } } or {
    { label = "planned", by = "share", up_to = "part" },
    { label = "kept", by = "share", up_to = "held", order = { { key = "rank" } } },
    { label = "shared", by = "share" },
  }
  return { use = use, site = { fills = fills, across = level == "leaf" } }
end

--- Names, cases, the policy beside hybrid, and what watch.lives takes. As planned, slots go by who
--- holds some, and a site may go on.
local POLICIES = {
  { "hybrid", 3000, {}, {} },
  { "hybrid, what is reclaimed on its way", 1000, {}, { later = true, restless = true } },
  { "hybrid, evenly", 500, { use = { use = "hybrid", evenly = true } }, {} },
  { "share_ratio by leaves", 500, shares(false, "leaf"), { free = true, restless = true } },
  { "share_ratio by parents", 500, shares(false, "parent"), { free = true, restless = true } },
  { "share_ratio by leaves, adjusted", 500, shares(true, "leaf"), { free = true } },
  { "share_ratio by parents, adjusted", 500, shares(true, "parent"), { free = true } },
}

--- Smaller cases still go by their policy.
local function valid(it)
  return it.plan.policy ~= nil and engine.valid(it)
end

describe("engine and model of whole tasks agree under", function ()
  local function agrees(name, runs, opts, make, site)
    property(name .. " (C-13)", { runs = runs, valid = valid }, function (it)
      if it.plan.windows and not engine.valid(it) then return end
      watch.lives(it, function (state) return agree(it, state, site) end, opts)
    end, make)
  end

  for _, row in ipairs(POLICIES) do
    local name, runs, policy, opts = table.unpack(row)
    agrees(name, runs, opts, function (seed) return gen_whole.case(seed, policy.use) end,
      policy.site)
  end
  agrees("hybrid, of many siblings", 200, {}, gen_whole.wide)
  agrees("share_ratio, of many siblings", 100, { free = true, restless = true }, function (seed)
    return gen_whole.wide(seed, POLICIES[4][3].use)
  end, POLICIES[4][3].site)
  agrees("hybrid, demands stated", 1000, {}, gen_whole.stated)
  local ledger = { free = true, restless = true, ledger = true }
  agrees("ownership", 1000, ledger, gen_whole.ledger, whole.OWNERSHIP)
  for _, added in ipairs { "windows", "hosts" } do
    local function with(make)
      return function (seed) return gen_whole[added](seed, make) end
    end
    local by_leaves = POLICIES[4]
    agrees("hybrid, with " .. added, 1000, { restless = true }, with(gen_whole.case))
    agrees("share_ratio, with " .. added, 400, by_leaves[4],
      with(function (seed) return gen_whole.case(seed, by_leaves[3].use) end), by_leaves[3].site)
    agrees("ownership, with " .. added, 400, ledger, with(gen_whole.ledger), whole.OWNERSHIP)
  end
  agrees("random policies", 600, { free = true, restless = true }, gen_whole.site)
end)
