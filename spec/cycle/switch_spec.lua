-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Switches of windows: what changes is enforced whatever the demand (C-10, A-71, A-73).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

-- 2026-11-23T08:00:00Z: the window of all plans here begins.
local SWITCH = 1795420800

--- The plan of `short` with what changes for the day.
local function site(short, day)
  short.windows = { { from = "08:00", to = "18:00", slots = day.slots, consumers = day } }
  day.slots = nil
  return plan(short)
end

--- Lender and borrower under ownership, with so many slots lent.
local function lending(day, lent)
  local short = site({
    slots = 20, policy = "ownership",
    { "A", owned = 10, lend = true, lend_limit = 10 },
    { "B", owned = 10, borrow = true, borrow_limit = 10 },
  }, day)
  return short, {
    A = { 0, 10 - lent }, B = { 10 + lent, 10 + lent },
    loans = { { lender = "/A", borrower = "/B", slots = lent } },
  }
end

--- What is reclaimed at a time, and the decision. `last`: when the cycle before was.
local function reclaims(short, now, time, last)
  local given = state(now)
  given.now, given.last = time, last
  local decision = engine.cycle(short, given)
  return case.reclaims(decision), decision
end

describe("ownership at a switch", function ()
  local function grown(more)
    local short = { slots = 40, { "A", owned = 10 }, { "B", owned = 30, grace = 60 } }
    for key, value in pairs(more or {}) do
      short[2][key] = value
    end
    return site(short, { ["/A"] = { owned = 25 }, ["/B"] = { owned = 15 } })
  end
  local idle = { A = { 0, 10 }, B = { 30, 30 } }

  it("TV-1: 15 slots come back to who owns 25 now, who wants them or not", function ()
    assert.same({ B = { 15, A = 15 } }, (reclaims(grown(), idle, SWITCH)))
    assert.same({ B = { 15, A = 15 } },
      (reclaims(grown(), { A = { 100, 10 }, B = { 30, 30 } }, SWITCH)))
  end)

  it("is not enforced before, nor in the cycles behind (A-73)", function ()
    assert.same({}, (reclaims(grown(), idle, SWITCH - 1)))
    assert.same({}, (reclaims(grown(), idle, SWITCH + 1)))
  end)

  it("is enforced late when no cycle ran at the switch", function ()
    assert.same({ B = { 15, A = 15 } }, (reclaims(grown(), idle, SWITCH + 900, SWITCH - 5)))
    assert.same({}, (reclaims(grown(), idle, SWITCH + 900, SWITCH)))
  end)

  it("observes the grace of who gives back (H-16)", function ()
    local _, decision = reclaims(grown(), idle, SWITCH)
    assert.equal(60, decision.reclaims[1].grace)
    assert.equal(SWITCH + 60, decision.reclaims[1].deadline)
  end)

  it("TV-2: A 10 to 5, B 5 to 10: 5 slots go from A to B, hungry as A is", function ()
    local short = site({ slots = 15, { "A", owned = 10 }, { "B", owned = 5 } },
      { ["/A"] = { owned = 5 }, ["/B"] = { owned = 10 } })
    assert.same({ A = { 5, B = 5 } }, (reclaims(short, { A = { 100, 10 }, B = { 5, 5 } }, SWITCH)))
    assert.same({ A = { 5, B = 5 } }, (reclaims(short, { A = { 100, 10 }, B = { 0, 5 } }, SWITCH)))
  end)
end)

describe("a limit at a switch", function ()
  local function cut(rebalance)
    return site({ slots = 20, { "A", owned = 20, rebalance = rebalance }, { "B" } },
      { ["/A"] = { limit = 5 } })
  end

  it("is enforced though nobody wants the slots (C-10)", function ()
    assert.same({ A = { 5 } }, (reclaims(cut(), { A = { 10, 10 } }, SWITCH)))
    assert.same({}, (reclaims(cut(), { A = { 10, 10 } }, SWITCH + 1)))
  end)

  it("drains a consumer that is not to be rebalanced (A-71)", function ()
    assert.same({}, (reclaims(cut(false), { A = { 10, 10 } }, SWITCH)))
  end)
end)

describe("loans at a switch", function ()
  it("TV-3: what A no longer owns of what it uses it borrows, and nothing is killed", function ()
    local short = site({
      slots = 15, policy = "ownership",
      { "A", owned = 10, borrow = true }, { "B", owned = 5, lend = true },
    }, { ["/A"] = { owned = 5 }, ["/B"] = { owned = 10 } })
    local now = { A = { 10, 10 }, B = { 0, 0 } }
    local taken, decision = reclaims(short, now, SWITCH)
    assert.same({}, taken)
    local loan = decision.loans[1]
    assert.same({ "/B", "/A", 5 }, { loan.lender, loan.borrower, loan.slots })
  end)

  it("A-71: the switch takes nothing from who drains; the cycles behind do, on demand", function ()
    local short = site({
      slots = 15, policy = "ownership", { "A", owned = 10, rebalance = false }, { "B", owned = 5 },
    }, { ["/A"] = { owned = 5 }, ["/B"] = { owned = 10 } })
    local now = { A = { 10, 10 }, B = { 8, 5 } }
    assert.same({}, (reclaims(short, now, SWITCH)))
    assert.same({ A = { 3, B = 3 } }, (reclaims(short, now, SWITCH + 1)))
    assert.same({}, (reclaims(short, { A = { 10, 10 }, B = { 5, 5 } }, SWITCH + 1)))
  end)

  it("TV-4: a lend limit of 10 that becomes 5 calls 5 of 10 lent slots back", function ()
    local short, now = lending({ ["/A"] = { lend_limit = 5 } }, 10)
    assert.equal(5, (reclaims(short, now, SWITCH)).B[1])
  end)

  it("TV-5: a borrow limit of 10 that becomes 5 gives 5 of 10 borrowed slots back", function ()
    local short, now = lending({ ["/B"] = { borrow_limit = 5 } }, 10)
    assert.equal(5, (reclaims(short, now, SWITCH)).B[1])
  end)

  it("TV-1 (no lending): 15 slots come back to who owns 25 now", function ()
    local short = site({
      slots = 40, policy = "ownership", { "A", owned = 10 }, { "B", owned = 30 },
    }, { ["/A"] = { owned = 25 }, ["/B"] = { owned = 15 } })
    assert.equal(15, (reclaims(short, { A = { 10, 10 }, B = { 30, 30 } }, SWITCH)).B[1])
  end)
end)

describe("a switch of policies (H-16)", function ()
  --- By day another policy holds; A lends and B borrows where books are kept.
  local function turn(night, day, rebalance)
    local short = site({
      slots = 20, policy = night, { "A", owned = 10 },
      { "B", owned = 10, grace = 60, rebalance = rebalance },
    }, { ["/A"] = {} })
    short.windows[1].policy = day
    short.windows[1].consumers = nil
    for _, consumer in ipairs(short.consumers) do
      consumer.lend, consumer.borrow = true, true
    end
    return short
  end
  local function held(demand, slots, lent)
    local loans = lent and { { lender = "/A", borrower = "/B", slots = lent } }
    return { A = { 0, 0 }, B = { demand, slots }, loans = loans }
  end

  it("to ownership takes what is used beyond the new ownership, lendable or not", function ()
    local short = turn("hybrid", "ownership")
    local taken, decision = reclaims(short, held(15, 15), SWITCH)
    assert.same({ B = { 5, A = 5 } }, taken)
    assert.equal("over-window", decision.reclaims[1].why.code)
    assert.equal(SWITCH + 60, decision.reclaims[1].deadline) -- the borrower's grace
    assert.same({}, decision.loans)
    -- As at any other time it would have borrowed them.
    taken, decision = reclaims(short, held(15, 15), SWITCH + 1)
    assert.same({}, taken)
    assert.equal(5, decision.loans[1].slots)
  end)

  it("to ownership leaves what is within it", function ()
    assert.same({}, (reclaims(turn("hybrid", "ownership"), held(10, 10), SWITCH)))
  end)

  it("from ownership takes back what was lent, or what is beyond ownership, if more", function ()
    local short = turn("ownership", "hybrid")
    for _, case_of in ipairs { { 15, 5, 5 }, { 8, 5, 5 }, { 17, 5, 7 }, { 9, nil, nil } } do
      local slots, lent, back = table.unpack(case_of, 1, 3)
      local taken, decision = reclaims(short, held(slots, slots, lent), SWITCH)
      assert.same(back, taken.B and taken.B[1])
      assert.same({}, decision.loans)
    end
    assert.same({}, (reclaims(short, held(15, 15, 5), SWITCH + 1)))
  end)

  it("takes nothing from who drains (A-71)", function ()
    assert.same({}, (reclaims(turn("hybrid", "ownership", false), held(15, 15), SWITCH)))
    assert.same({}, (reclaims(turn("ownership", "hybrid", false), held(15, 15, 5), SWITCH)))
  end)
end)

describe("a pool at a switch", function ()
  local function pool(day)
    return site({ slots = 10, policy = "share_ratio", { "A" }, { "B" } }, day)
  end

  it("TV-7: 10 to 4 slots, 5 and 5 used: 3 and 3 go, 2 and 2 stay", function ()
    assert.same({ A = { 3 }, B = { 3 } },
      (reclaims(pool { slots = 4 }, { A = { 5, 5 }, B = { 5, 5 } }, SWITCH)))
  end)

  it("TV-6: a share limit of 10 that becomes 5 takes 5", function ()
    local short = site({ slots = 10, policy = "share_ratio", { "A", share_limit = 10 }, { "B" } },
      { ["/A"] = { share_limit = 5 } })
    assert.same({ A = { 5 } }, (reclaims(short, { A = { 10, 10 } }, SWITCH)))
  end)
end)
