-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slots on their way under ownership, and slots that would go round (C-5, C-6, C-11).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local ownership = require "spec.support.cases.ownership"

local state = case.state
local owners, loan, judge = ownership.owners, ownership.loan, ownership.judge

describe("slots in flight from a leaf (C-5, C-11)", function ()
  local function going(slots, claimant)
    local claims = claimant and { { consumer = claimant, slots = slots } } or nil
    return { { id = "f", consumer = "/A", slots = slots, deadline = 9, ["for"] = claims } }
  end

  it("are its own until they are returned: it gets no more than its quota", function ()
    local short = owners { { "A", owned = 2 }, { "B", owned = 1 } }
    judge(short, state { A = { 5, 1 }, B = { 0, 0 }, reclaims = going(1) },
      { grants = { A = 1 }, expect = { A = { quota = 2 } } })
    judge(short, state { A = { 5, 2 }, B = { 1, 0 }, reclaims = going(2, "/B") },
      { expect = { A = { quota = 2 }, B = { quota = 1, deficit = 0 } } })
  end)

  it("do not lessen what it is due of a pool", function ()
    judge(owners { slots = 4, { "A" }, { "B" } },
      state { A = { 9, 1 }, B = { 9, 2 }, reclaims = going(1) },
      { grants = { A = 1 }, expect = { A = { quota = 2 } } })
  end)

  it("are nobody's own where their owner's are missing", function ()
    judge(owners { { "P", { "B", owned = 1 } }, { "A" } },
      state { ["P/B"] = { 0, 0 }, A = { 0, 1 }, reclaims = going(1) }, {})
  end)

  it("serve whom they are for: it claims no others, though no pool holds them yet", function ()
    -- Of the pool's one slot C should have that of B; two of A's are on their way to it.
    judge(owners { slots = 3, { "A", owned = 2 }, { "B" }, { "C" } },
      state { A = { 2, 2 }, B = { 0, 1 }, C = { 4, 0 }, reclaims = going(2, "/C") },
      { expect = { A = { quota = 2 }, C = { earmarked = 2, reclaimed = 0 } } })
  end)
end)

describe("slots are alike, so", function ()
  it("nobody gives one to whom it gets one from", function ()
    local ring = owners {
      { "A", owned = 5, lend = true, borrow = true },
      { "B", owned = 5, lend = true, borrow = true },
      { "C", owned = 5, lend = true, borrow = true },
    }
    local now = state {
      A = { 9, 5 }, B = { 9, 5 }, C = { 9, 5 },
      loans = { loan("A", "B", 1), loan("B", "C", 1), loan("C", "A", 1) },
    }
    assert.same({}, (engine.cycle(ring, now)).reclaims)
    local two = owners { slots = 9, { "A", owned = 2, lend = true }, { "B", borrow = true } }
    now = state { slots = 5, A = { 4, 3 }, B = { 3, 2 }, loans = { loan("A", "B", 2) } }
    assert.same({}, (engine.cycle(two, now)).reclaims)
  end)

  it("what is still on its way to a leaf is not taken from it", function ()
    local short = owners {
      { "A", owned = 1, lend = { "/D" } }, { "B", owned = 1 }, { "D", borrow = true },
    }
    local flight = {
      id = "f", consumer = "/B", slots = 1, deadline = 9,
      ["for"] = { { consumer = "/D", slots = 1 } },
    }
    local now = state {
      A = { 1, 0 }, B = { 0, 1 }, D = { 2, 1 }, loans = { loan("A", "D", 1) },
      reclaims = { flight },
    }
    assert.same({ D = { 1, A = 1 } }, case.reclaims((engine.cycle(short, now))))
    local limited = owners { { "A", owned = 1, share_limit = 0 }, { "B" } }
    flight.consumer, flight["for"][1].consumer = "/B", "/A"
    now = state { slots = 2, A = { 2, 1 }, B = { 0, 1 }, reclaims = { flight } }
    assert.same({}, (engine.cycle(limited, now)).reclaims)
  end)
end)

describe("slots that came back for a claimant (C-6, C-11)", function ()
  -- A reclaim whose task is gone: its slots are idle, and are for its claims.
  local function back(from, claims)
    local slots, list = 0, {}
    for _, claim in ipairs(claims) do
      slots = slots + claim[2]
      list[#list + 1] = { consumer = claim[1], slots = claim[2] }
    end
    return { { id = "f", consumer = from, slots = slots, tasks = { "gone" }, ["for"] = list } }
  end

  it("are given to it, though a sibling deserves more of the pool", function ()
    -- B deserves 3, but A's quota counts the slot that is A's already.
    local short = owners {
      { "P", owned = 18, { "C" }, { "D", owned = 5 }, { "Q", { "A", share = 2 }, { "B" } } },
    }
    judge(short, state {
      slots = 13, ["P/Q/A"] = { 11, 10 }, ["P/Q/B"] = { 3, 2 },
      reclaims = back("/P/C", { { "/P/Q/A", 1 } }),
    }, { grants = { ["P/Q/A"] = 1 }, expect = { ["P/Q/A"] = { quota = 11 } } })
  end)

  it("go to those who wait for slots where the claimant has no use for them", function ()
    -- Equal shares of 16: A's quota is 9 with one of the two that are for it, B has the rest.
    judge(owners { slots = 16, { "A" }, { "C" }, { "P", { "B" } } },
      state { A = { 10, 8 }, ["P/B"] = { 8, 5 },
        reclaims = back("/C", { { "/A", 2 }, { "/P/B", 1 } }) },
      { grants = { A = 1, ["P/B"] = 2 } })
  end)
end)
