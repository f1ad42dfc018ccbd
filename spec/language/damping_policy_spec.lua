-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Damping in any policy: ready-made or a site's own, switched on by the plan or by the policy.

local allot = require "allot"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- Each with a value, what /B then gives of the 5 that /A is owed, and what tells of it.
local DAMPINGS = {
  { "dead_zone", 5, 0, "dead_zone holds back the 5 it is over" },
  { "most_reclaimed", 20, 3, "most_reclaimed holds back 2: of the 15 it holds at most 20 %" },
  { "reclaim_interval", 60, 0, "reclaim_interval holds back 5: it gave slots back at 950" },
  { "claim_delay", 30, 0, "claim_delay holds back its claim until it has waited for 30 s" },
}

local SITE = [[return policy {
  name = "site", quota = { fill "even" { by = 1 } }, %s
}]]

--- 20 slots, of which /A holds 5 and is owed 5 that /B has; the state, and the policy's text.
local function owed(policy, head)
  local short = { slots = 20, policy = policy, { "A", owned = 10 }, { "B", owned = 10 } }
  local now = { now = 1000, A = { 100, 5 }, B = { 100, 15 } }
  if policy == "ownership" then
    short[1].lend, short[2].borrow = true, true
    now.loans = { { lender = "/A", borrower = "/B", slots = 5 } }
  elseif policy == "pool" then
    short.policy, short[1].owned, short[2].owned = "ownership", nil, nil
  elseif policy ~= "hybrid" then
    short[1].owned, short[2].owned = nil, nil
  end
  local made = state(now)
  made.consumers["/B"].reclaimed_at = 950
  return plan(short), made, SITE:format(head or "")
end

local ADJUST = { use = "share_ratio", adjust_share_to_workload = true }
local POLICIES = { "hybrid", "ownership", "pool", "share_ratio", ADJUST, "site.lua" }

local function told(handle)
  return table.concat(handle:explain "/A", "\n") .. table.concat(handle:explain "/B", "\n")
end

local function gives(decision)
  return (case.reclaims(decision).B or { 0 })[1]
end

describe("damping by the plan", function ()
  for _, damping in ipairs(DAMPINGS) do
    it(damping[1] .. " works in every policy, and is named", function ()
      for _, policy in ipairs(POLICIES) do
        local short, now, text = owed(policy)
        assert.equal(5, gives((engine.cycle(short, now, nil, text))))
        short.options = { [damping[1]] = damping[2] }
        local decision, handle = engine.cycle(short, now, nil, text)
        assert.equal(damping[3], gives(decision))
        assert.matches(damping[4], told(handle), 1, true)
      end
    end)
  end

  it("hold_rounding works in every policy, and is named (C-9)", function ()
    for _, policy in ipairs { "hybrid", "pool", ADJUST, "site.lua" } do
      local short, now, text = owed(policy)
      short.slots = policy == "hybrid" and 20 or 5
      now.slots = 5 -- 2.5 each: rounding gives /A the third
      now.consumers["/A"].allocated, now.consumers["/B"].allocated = 2, 3
      assert.equal(1, gives((engine.cycle(short, now, nil, text))))
      short.options = { hold_rounding = true }
      local decision, handle = engine.cycle(short, now, nil, text)
      assert.equal(0, gives(decision))
      assert.matches("hold_rounding holds back a reclaim that only rounding asks for (C-9)",
        told(handle), 1, true)
      now.consumers["/A"].allocated, now.consumers["/B"].allocated = 1, 4
      assert.equal(2, gives((engine.cycle(short, now, nil, text)))) -- 1.5 too many is no rounding
    end
  end)
end)

describe("damping by a policy", function ()
  for _, damping in ipairs(DAMPINGS) do
    it(damping[1] .. " works in a policy of one's own, and like any ready-made", function ()
      local said = ("damping = { %s = %d },"):format(damping[1], damping[2])
      for _, policy in ipairs { "site.lua", "hybrid", "ownership", "pool", "share_ratio" } do
        local short, now = owed(policy)
        local name = short.policy
        local text = name == "site.lua" and SITE:format(said)
          or ('return policy { name = "site", like = "%s", %s }'):format(name, said)
        short.policy = "site.lua"
        local decision, handle = engine.cycle(short, now, nil, text)
        assert.equal(damping[3], gives(decision))
        assert.matches(damping[4], told(handle), 1, true)
        -- What the plan says goes before, for a group or beside `use`.
        local off = damping[1] == "most_reclaimed" and 100 or 0
        short.options = { [damping[1]] = off }
        assert.equal(5, gives((engine.cycle(short, now, nil, text))))
        short.options = nil
        short.policy = { use = "site.lua", [damping[1]] = off }
        assert.equal(5, gives((engine.cycle(short, now, nil, text))))
      end
    end)
  end

  it("hold_rounding is true or false there", function ()
    local short, now = owed "site.lua"
    now.slots = 5
    now.consumers["/A"].allocated, now.consumers["/B"].allocated = 2, 3
    local text = SITE:format "damping = { hold_rounding = true },"
    assert.equal(0, gives((engine.cycle(short, now, nil, text))))
    text = SITE:format "damping = { hold_rounding = false },"
    assert.equal(1, gives((engine.cycle(short, now, nil, text))))
  end)

  it("is of its branch alone in a mixed plan (H-15)", function ()
    local short = plan {
      slots = 40, policy = "hybrid",
      { "P", owned = 20, policy = "site.lua", { "A" }, { "B" } },
      { "Q", owned = 20, { "C", owned = 10 }, { "D", owned = 10 } },
    }
    local now = state {
      ["P/A"] = { 100, 5 }, ["P/B"] = { 100, 15 }, ["Q/C"] = { 100, 5 }, ["Q/D"] = { 100, 15 },
    }
    local text = SITE:format "damping = { dead_zone = 5 },"
    local decision = engine.cycle(short, now, nil, text)
    assert.same({ ["Q/D"] = { 5, ["Q/C"] = 5 } }, case.reclaims(decision))
    short.options = { dead_zone = 4 }
    assert.equal(5, case.reclaims((engine.cycle(short, now, nil, text)))["P/B"][1])
  end)

  it("comes with the policy of a window, and gives way to the window's options", function ()
    local short, now, text = owed("hybrid", "damping = { dead_zone = 5 },")
    short.windows = { { from = "00:00", to = "12:00", policy = "site.lua" } }
    now.last = now.now - 1
    assert.equal(0, gives((engine.cycle(short, now, nil, text))))
    short.windows[1].policy = { use = "site.lua", dead_zone = 0 }
    assert.equal(5, gives((engine.cycle(short, now, nil, text))))
    now.now, now.last = 13 * 3600, 13 * 3600 - 1
    assert.equal(5, gives((engine.cycle(short, now, nil, text))))
  end)

  it("may follow from the policy's options", function ()
    local short, now = owed "site.lua"
    local text = SITE:format [[
      options = { calm = { type = "boolean", default = false } },
      damping = function (options) return options.calm and { dead_zone = 5 } or {} end,]]
    assert.equal(5, gives((engine.cycle(short, now, nil, text))))
    short.policy = { use = "site.lua", calm = true }
    assert.equal(0, gives((engine.cycle(short, now, nil, text))))
  end)

  it("is refused with what is allowed", function ()
    local function fault(said)
      local short = plan { slots = 1, policy = "site.lua", { "A" } }
      local made, _, report = allot.plan(document.encode(short),
        { policies = { ["site.lua"] = SITE:format(said) } })
      assert.is_nil(made)
      return report[1].message .. " " .. (report[1].hint or "")
    end
    local text = fault "damping = { dead_zon = 3 }"
    assert.matches("unknown key of damping 'dead_zon'; known are hold_rounding, ", text, 1, true)
    assert.matches("did you mean 'dead_zone'?", text, 1, true)
    assert.matches("damping: most_reclaimed is a whole number, 1 to 100",
      fault "damping = { most_reclaimed = 0 }", 1, true)
    assert.matches("damping: hold_rounding is true or false",
      fault "damping = { hold_rounding = 1 }", 1, true)
    assert.matches("damping: claim_delay is a whole number, 0 to 1000000000",
      fault "damping = { claim_delay = 1.5 }", 1, true)
    assert.matches("damping is a number, not a table { dead_zone = 2, ... }",
      fault "damping = 3", 1, true)
  end)
end)
