-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership, share pools and loans (C-11, E-2 ... E-4, E-30), and what a switch of windows makes
--- of them: TV-vectors as states under the plan of the new window, since what may not stay goes
--- whatever came before.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local ownership = require "spec.support.cases.ownership"

local state = case.state
local owners, loan, judge = ownership.owners, ownership.loan, ownership.judge

describe("allocation (C-11, seed 5.2)", function ()
  it("takes own idle slots first", function ()
    judge(owners { slots = 15, { "A", owned = 10 }, { "B", owned = 5, lend = true } },
      state { A = { 8 } }, { grants = { A = 8 } })
  end)

  it("then slots of the nearest share pool, then of those above", function ()
    local short = owners {
      slots = 20,
      { "P", owned = 8, { "A", owned = 3 }, { "B", owned = 2 } }, { "Q", { "C", owned = 2 } },
    }
    -- P's pool has 3, the group's 10
    local decision = judge(short, state { ["P/A"] = { 9 }, ["Q/C"] = { 9 } },
      { grants = { ["P/A"] = 9, ["Q/C"] = 9 } })
    case.check({ ["P/A"] = { quota = 9 } }, decision.groups.default)
    local row = case.by_path(decision.groups.default)["/P/A"]
    assert.same({ owned = 3, shared = 6 }, row.parts)
  end)

  it("shares a pool by ratio, up to a share limit (E-20)", function ()
    local short = owners {
      slots = 16, { "A", share = 3 }, { "B", share = 1 }, { "C", share = 1, share_limit = 1 },
    }
    judge(short, state { A = { 100 }, B = { 100 } }, { grants = { A = 12, B = 4 } })
    judge(short, state { A = { 100 }, B = { 100 }, C = { 100 } },
      { grants = { A = 12, B = 3, C = 1 } }) -- 45/4, 15/4, 1
  end)

  it("lends to whom both agree, up to both limits (E-2)", function ()
    local short = owners {
      { "A", owned = 10, lend = { "/B", "/C" }, lend_limit = 6 },
      { "B", borrow = true, borrow_limit = 4 }, { "C", borrow = { "/A" } }, { "D", borrow = true },
    }
    judge(short, state { B = { 9 }, C = { 9 }, D = { 9 } },
      { grants = { B = 4, C = 2 }, loans = { ["A>B"] = 4, ["A>C"] = 2 } })
  end)

  it("reads every way to say everybody, nobody and one", function ()
    local function lent(lend, borrow)
      return ownership.loans(engine.cycle(
        owners { { "A", owned = 3, lend = lend }, { "B", borrow = borrow }, { "C" } },
        state { B = { 3 } }))
    end
    for _, everybody in ipairs { true, "all", { "all" } } do
      assert.same({ ["A>B"] = 3 }, lent(everybody, true))
      assert.same({ ["A>B"] = 3 }, lent(true, everybody))
    end
    for _, nobody in ipairs { false, "none" } do
      assert.same({}, lent(nobody, true))
      assert.same({}, lent(true, nobody))
    end
    assert.same({ ["A>B"] = 3 }, lent("/B", "/A"))
    assert.same({}, lent("/C", "/A"))
    assert.same({}, lent("/B", "/C"))
  end)

  it("lends to the best rank first, in the borrower's order (E-3)", function ()
    local short = owners {
      { "A", owned = 4, lend = true }, { "B", owned = 4, lend = true },
      { "C", rank = 2, borrow = { "/B", "/A" } }, { "D", rank = 1, borrow = true },
    }
    judge(short, state { C = { 5 }, D = { 2 } },
      { grants = { D = 2, C = 5 }, loans = { ["A>D"] = 2, ["B>C"] = 4, ["A>C"] = 1 } })
  end)

  it("names a parent for all leaves below", function ()
    local short = owners {
      { "P", { "A", owned = 4, lend = { "/Q" } }, { "B", owned = 4, lend = { "/Q/C" } } },
      { "Q", { "C", borrow = { "/P" } }, { "D", borrow = { "/P" } } },
    }
    judge(short, state { ["Q/C"] = { 6 }, ["Q/D"] = { 6 } }, {
      grants = { ["Q/C"] = 6 }, loans = { ["P/A>Q/C"] = 4, ["P/B>Q/C"] = 2 },
    })
  end)

  it("never lends what is reserved (invariant)", function ()
    judge(owners { { "A", owned = 10, reserve = 4, lend = true }, { "B", borrow = true } },
      state { B = { 10 } }, {
        grants = { B = 6 }, loans = { ["A>B"] = 6 },
        expect = { A = { quota = 4, held = 4 }, [""] = { idle_left = 0, held = 4 } },
      })
  end)

  it("calls own lent slots back, the worst rank first, the later loan first (E-30)", function ()
    local short = owners {
      { "A", owned = 10, lend = true }, { "B", rank = 1, borrow = true },
      { "C", rank = 2, borrow = true }, { "D", rank = 2, borrow = true },
    }
    local now = state {
      A = { 7, 1 }, B = { 3, 3 }, C = { 3, 3 }, D = { 3, 3 },
      loans = { loan("A", "C", 3), loan("A", "B", 3), loan("A", "D", 3) },
    }
    judge(short, now, {
      reclaims = { C = { 3, A = 3 }, D = { 3, A = 3 } }, loans = { ["A>B"] = 3 },
      why = { C = "recalled", D = "recalled" }, expect = { A = { quota = 7 } },
    })
  end)

  it("borrows before it calls back, or the other way round (S2)", function ()
    local function short(first, options)
      return owners {
        policy = options == nil and { use = "ownership", reclaim_before_borrow = first } or nil,
        options = options,
        { "A", owned = 5, lend = true, borrow = true }, { "B", owned = 5, lend = true },
        { "C", borrow = true },
      }
    end
    local now = state { A = { 5 }, C = { 5, 5 }, loans = { loan("A", "C", 5) } }
    local borrowed = { grants = { A = 5 }, loans = { ["A>C"] = 5, ["B>A"] = 5 } }
    judge(short(false), now, borrowed)
    judge(short(true), now, { reclaims = { C = { 5, A = 5 } } })
    judge(short(nil, { reclaim_before_borrow = false }), now, borrowed)
    judge(short(nil, { reclaim_before_borrow = true }), now, { reclaims = { C = { 5, A = 5 } } })
  end)

  it("takes pool slots from those above their share, or leaves them there (S2)", function ()
    local function short(reclaim)
      return owners {
        policy = { use = "ownership", reclaim_shared = reclaim },
        slots = 16, { "A", share = 3 }, { "B", rank = 25 }, { "C", rank = 50 },
      }
    end
    local now = state { A = { 100 }, B = { 8, 8 }, C = { 8, 8 } }
    -- 9.6, 3.2, 3.2: the lost slot goes to the best rank
    judge(short(true), now, {
      reclaims = { C = { 5, A = 5 }, B = { 5, A = 5 } }, expect = { A = { quota = 10 } },
      why = { B = "over-share", C = "over-share" },
    })
    judge(short(false), now, {})
  end)

  it("leaves nobody slots that a limit keeps from it: they would go to and fro", function ()
    -- Pools of 1 (C1) and of 3; C3 can have none, so A and B deserve 3 and 1 of them.
    local short = owners {
      slots = 4,
      { "C1", owned = 1, { "P", { "A" }, { "B" } } }, { "C2" }, { "C3", limit = 0, { "D" } },
    }
    local wants = { ["C1/P/A"] = { 3, 1 }, ["C1/P/B"] = { 1 }, C2 = { 0, 1 }, ["C3/D"] = { 1 } }
    judge(short, state(wants),
      { grants = { ["C1/P/A"] = 1, ["C1/P/B"] = 1 }, reclaims = { C2 = { 1, ["C1/P/A"] = 1 } } })
    wants["C1/P/A"], wants["C1/P/B"], wants.C2 = { 3, 3 }, { 1, 1 }, { 0 }
    judge(short, state(wants), {})
  end)

  it("shares what a branch's limit holds among those below it alone, by ratio", function ()
    local short = owners {
      slots = 14, { "P", limit = 4, { "A", share = 3 }, { "B" } }, { "Q", { "C" } },
    }
    judge(short, state { ["P/A"] = { 9 }, ["P/B"] = { 9 }, ["Q/C"] = { 20 } },
      { grants = { ["P/A"] = 3, ["P/B"] = 1, ["Q/C"] = 10 } })
    judge(short, state { ["P/A"] = { 9 }, ["P/B"] = { 9, 4 }, ["Q/C"] = { 20, 10 } },
      { reclaims = { ["P/B"] = { 3, ["P/A"] = 3 } } })
  end)

  it("gives idle slots below limits by what it would take back by", function ()
    local short = owners {
      slots = 9,
      {
        "P", limit = 9,
        { "Q", limit = 7, { "A", share = 4 }, { "B", share = 4 }, { "C" } },
        { "D", owned = 4 },
      },
    }
    -- A pool of 5; 20/9, 20/9 and 5/9 below Q: the lost slot is A's.
    judge(short, state {
      ["P/Q/A"] = { 3, 2 }, ["P/Q/B"] = { 4, 2 }, ["P/Q/C"] = { 1 }, ["P/D"] = { 5, 4 },
    }, { grants = { ["P/Q/A"] = 1 } })
  end)

  it("SV-9: shared slots are reclaimed from rank 50 before rank 25", function ()
    local short = owners { slots = 12, { "A" }, { "B", rank = 25 }, { "C", rank = 50 } }
    judge(short, state { A = { 1 }, B = { 6, 6 }, C = { 6, 6 } },
      { reclaims = { C = { 1, A = 1 } } })
    judge(short, state { A = { 3 }, B = { 3, 3 }, C = { 9, 9 } },
      { reclaims = { C = { 3, A = 3 } } })
  end)
end)

describe("the ledger", function ()
  it("returns loans of those who could have their own instead: nothing moves", function ()
    local short = owners { { "A", owned = 5, lend = true }, { "B", owned = 5, borrow = true } }
    judge(short, state { A = { 0 }, B = { 7, 7 }, loans = { loan("A", "B", 4) } },
      { loans = { ["A>B"] = 2 } })
  end)

  it("ends what a borrower no longer holds, the later loan first", function ()
    local short = owners {
      { "A", owned = 5, lend = true }, { "B", owned = 5, lend = true }, { "C", borrow = true },
    }
    judge(short, state { C = { 4, 4 }, loans = { loan("A", "C", 3), loan("B", "C", 3) } },
      { loans = { ["A>C"] = 3, ["B>C"] = 1 } })
  end)

  it("calls nothing back twice: slots in flight are their owner's", function ()
    local short = owners { { "A", owned = 5, lend = true }, { "B", borrow = true } }
    local now = state {
      A = { 5 }, B = { 5, 5 }, loans = { loan("A", "B", 5) },
      reclaims = { { consumer = "/B", slots = 5, ["for"] = { { consumer = "/A", slots = 5 } } } },
    }
    judge(short, now, { expect = { A = { quota = 5, deficit = 0, earmarked = 5 } } })
  end)

  it("tells what is held and lent (E-35)", function ()
    local short = owners {
      slots = 12, { "A", owned = 5, lend = true }, { "B", owned = 2, borrow = true },
    }
    local now = state { A = { 1, 1 }, B = { 8, 8 }, loans = { loan("A", "B", 3) } }
    judge(short, now, { loans = { ["A>B"] = 3 }, expect = {
      A = { own_used = 1, lent = 3, borrowed = 0, shared = 0 },
      B = { own_used = 2, lent = 0, borrowed = 3, shared = 3 },
    } })
  end)
end)

describe("at a switch of windows", function ()
  it("TV-1: A owns 25 after 10; B gives 15 back, whatever A demands", function ()
    for _, demand in ipairs { 0, 10, 25 } do
      judge(owners { slots = 40, { "A", owned = 25 }, { "B", owned = 10 } },
        state { A = { demand, 10 }, B = { 100, 30 } },
        { reclaims = { B = { 15, A = 15 } }, why = { B = "share-pool" } })
    end
  end)

  it("TV-2: A owns 5 after 10, B 10 after 5: 5 go from A to B though A is hungry", function ()
    judge(owners { { "A", owned = 5 }, { "B", owned = 10 } },
      state { A = { 100, 10 }, B = { 100, 5 } }, { reclaims = { A = { 5, B = 5 } } })
  end)

  it("TV-3: where A can borrow from B, it keeps them as a loan", function ()
    judge(owners { { "A", owned = 5, borrow = { "/B" } }, { "B", owned = 10, lend = { "/A" } } },
      state { A = { 10, 10 }, B = { 5, 5 } },
      { loans = { ["B>A"] = 5 }, expect = { A = { quota = 10 } } })
  end)

  it("TV-4: a lend limit of 5 with 10 lent: 5 come back, whatever the demand", function ()
    judge(owners { { "A", owned = 10, lend = true, lend_limit = 5 }, { "B", borrow = true } },
      state { A = { 0 }, B = { 10, 10 }, loans = { loan("A", "B", 10) } },
      { reclaims = { B = { 5, A = 5 } }, loans = { ["A>B"] = 5 }, why = { B = "lend-limit" } })
  end)

  it("TV-5: a borrow limit of 5 with 10 borrowed: 5 go back, whatever the demand", function ()
    judge(owners { { "A", borrow = true, borrow_limit = 5 }, { "B", owned = 10, lend = true } },
      state { A = { 10, 10 }, B = { 0 }, loans = { loan("B", "A", 10) } },
      { reclaims = { A = { 5, B = 5 } }, loans = { ["B>A"] = 5 }, why = { A = "borrow-limit" } })
  end)

  it("TV-6: a share limit of 5 with 10 used: 5 return to the pool", function ()
    judge(owners { slots = 10, { "A", share_limit = 5 }, { "B" } }, state { A = { 10, 10 } },
      { reclaims = { A = { 5 } }, why = { A = "share-limit" } })
  end)

  it("TV-7: a pool of 4 after 10, 1:1 and 5 used each: 3 each return, 2 each stay", function ()
    local function short(slots)
      return owners { { "P", owned = slots, { "A" }, { "B" } }, { "Q", owned = 10 - slots } }
    end
    local now = state { ["P/A"] = { 5, 5 }, ["P/B"] = { 5, 5 } }
    judge(short(10), now, {})
    judge(short(4), now, { reclaims = { ["P/A"] = { 3, Q = 3 }, ["P/B"] = { 3, Q = 3 } } })
    judge(owners { slots = 4, { "A" }, { "B" } }, state { A = { 5, 5 }, B = { 5, 5 } },
      { reclaims = { A = { 3 }, B = { 3 } } })
  end)

  it("A-71: who does not rebalance drains: nothing is taken that nobody wants", function ()
    local short = owners { { "A", owned = 5, rebalance = false }, { "B", owned = 10 } }
    judge(short, state { A = { 100, 10 }, B = { 5, 5 } }, {})
    -- The switch is not what takes them: their owner's wish is, as in any cycle (A-73).
    judge(short, state { A = { 100, 10 }, B = { 8, 5 } },
      { reclaims = { A = { 3, B = 3 } }, why = { A = "recalled" } })
  end)

  it("A-71: what drains is taken when nothing else is there", function ()
    local short = owners {
      { "A", owned = 5, rebalance = false }, { "B", owned = 10 }, { "C", rank = 1 },
    }
    judge(short, state { A = { 9, 8 }, B = { 8, 5 }, C = { 2, 2 } },
      { reclaims = { C = { 2, B = 2 }, A = { 1, B = 1 } } })
    judge(short, state { A = { 9, 8 }, B = { 7, 5 }, C = { 0, 0 } }, { grants = { B = 2 } })
  end)

  it("A-71: below a limit that is reached it is what drains there", function ()
    local short = owners {
      slots = 39,
      { "A", owned = 4, share = 2 },
      {
        "P", owned = 20, limit = 7, { "B", owned = 7 },
        { "C", rank = 1, share = 3, rebalance = false }, { "D", owned = 8, reserve = 1 },
      },
      { "E", rebalance = false }, { "F", owned = 12 },
    }
    judge(short, state { A = { 7, 6 }, ["P/C"] = { 7, 7 }, E = { 1, 1 } },
      { reclaims = { ["P/C"] = { 1, ["P/D"] = 1 } } })
  end)

  it("A-71: what drains beyond size or limit goes once somebody is to get some", function ()
    local short = owners { { "A", owned = 4 }, { "B", rebalance = false } }
    judge(short, state { A = { 0 }, B = { 9, 9 } }, {})
    judge(short, state { A = { 1 }, B = { 9, 9 } }, { reclaims = { B = { 6, A = 1 } } })
    short = owners {
      slots = 20, { "P", limit = 3, { "A", owned = 4 }, { "B", rebalance = false } }, { "C" },
    }
    judge(short, state { C = { 1 }, ["P/B"] = { 9, 9 } }, { grants = { C = 1 } })
    judge(short, state { ["P/A"] = { 1 }, ["P/B"] = { 9, 9 } },
      { reclaims = { ["P/B"] = { 7, ["P/A"] = 1 } } })
  end)

  it("A-71: a forbidden loan of who drains ends in the books; its lender can have it", function ()
    local short = owners { { "A", owned = 4, lend = { "/C" } }, { "C" },
      { "B", borrow = true, rebalance = false } }
    local lent = { loan("A", "B", 4) }
    judge(short, state { A = { 0 }, B = { 4, 4 }, loans = lent }, {})
    judge(short, state { A = { 3 }, B = { 4, 4 }, loans = lent },
      { reclaims = { B = { 3, A = 3 } } })
  end)

  it("A-71: who drains keeps what it can have as a loan, as others do (TV-3)", function ()
    judge(owners { { "A", owned = 5, borrow = true, rebalance = false },
      { "B", owned = 10, lend = true } },
      state { A = { 10, 10 }, B = { 5, 5 } }, { loans = { ["B>A"] = 5 } })
  end)

  it("lists that forbid a loan end it (C-11)", function ()
    local now = state { A = { 0 }, B = { 4, 4 }, loans = { loan("A", "B", 4) } }
    judge(owners { { "A", owned = 5, lend = { "/C" } }, { "B", borrow = true }, { "C" } }, now,
      { reclaims = { B = { 4, A = 4 } }, why = { B = "lend-list" } })
    judge(owners { { "A", owned = 5, lend = true }, { "B", borrow = { "/C" } }, { "C" } }, now,
      { reclaims = { B = { 4, A = 4 } }, why = { B = "borrow-list" } })
  end)

  it("what the group has not is given back to nobody", function ()
    judge(owners { { "A", owned = 10 }, { "B", owned = 5 } },
      state { slots = 10, A = { 0 }, B = { 15, 15 } }, { reclaims = { B = { 10, A = 5 } } })
  end)

  it("what an owner no longer owns cannot stay lent", function ()
    judge(owners { slots = 8, { "A", owned = 3, lend = true }, { "B", borrow = true },
      { "C", owned = 5 } },
      state { A = { 0 }, B = { 5, 5 }, C = { 5, 3 }, loans = { loan("A", "B", 5) } },
      { reclaims = { B = { 2, C = 2 } }, loans = { ["A>B"] = 3 }, why = { B = "ownership" } })
  end)
end)

describe("an explanation", function ()
  local function explain(short, now, path)
    local _, decision = engine.cycle(short, now)
    return table.concat(decision:explain(path), "\n")
  end

  it("tells every loan, its change and the reason", function ()
    local short = owners {
      { "A", owned = 10, lend = true, lend_limit = 5 }, { "B", borrow = true },
    }
    local now = state { A = { 0 }, B = { 10, 10 }, loans = { loan("A", "B", 10) } }
    local text = explain(short, now, "/B")
    assert.truthy(text:find("held 0 own, 0 shared and 10 borrowed slots", 1, true))
    assert.truthy(text:find("It borrows 5 slots from /A, 10 before: their owner lends no more "
      .. "than its limit (lend-limit).", 1, true))
    assert.truthy(text:find("Called back from it: 5 slots", 1, true))
    text = explain(short, now, "/A")
    assert.truthy(text:find("It lends 5 slots to /B, 10 before", 1, true))
  end)

  it("tells what is borrowed now, and why", function ()
    local short = owners { { "A", owned = 4, lend = true }, { "B", borrow = true } }
    local text = explain(short, state { B = { 3 } }, "/B")
    assert.truthy(text:find("It borrows 3 slots from /A: their owner does not want them now "
      .. "(borrowed).", 1, true))
    assert.truthy(text:find("Its quota is 3 = 3 borrowed.", 1, true))
  end)
end)
