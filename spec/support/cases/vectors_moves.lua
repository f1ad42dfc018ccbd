-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The second half of the vectors: distribution, reclaim and the figure of free slots.

local case = require "spec.support.cases.case"
local plan, state = case.plan, case.state

local function distribution(vector)
  vector("H-9 (C-5): idle slots go by rank, though another owns more", {
    plan = plan { slots = 30, { "A", owned = 20, rank = 1 }, { "B", owned = 10 } },
    state = state { A = { 30, 13 }, B = { 30, 4 }, slots = 22 },
    -- own' is 44/3 and 22/3; whole: 14 and 7 and one lost slot, to B. Five idle: B lacks 4.
    expect = {
      A = { exact = "44/3", quota = 14, granted = 1 },
      B = { exact = "22/3", quota = 8, granted = 4 },
      [""] = { idle = 5, idle_left = 0 },
    },
    grants = { A = 1, B = 4 },
    reclaims = {},
  })
  vector("H-9 (C-5): at equal rank the first in the plan is served first", {
    plan = plan { slots = 20, { "A", owned = 10 }, { "B", owned = 10 }, { "C" } },
    state = state { A = { 10, 0 }, B = { 10, 0 }, C = { 14, 14 } },
    expect = { A = { granted = 6 }, B = { granted = 0 }, C = { over = 14 } },
    grants = { A = 6 },
    reclaims = { C = { 14, A = 4, B = 10 } },
  })
  vector("S1 (C-5): a reserve that is not needed now is held idle, also a parent's own", {
    plan = plan { slots = 20, { "P", owned = 10, reserve = 10, { "A" } }, { "B", owned = 10 } },
    state = state { ["P/A"] = { 2 }, B = { 100 } },
    -- P has 10: 2 for A, 8 beyond its children's. B gets its own 10 and cannot borrow the 8.
    expect = {
      P = { quota = 10, reserve = 10, granted = 2, held = 8, need = 10, demand = 2 },
      ["P/A"] = { quota = 2, granted = 2 },
      B = { quota = 10, granted = 10 },
      [""] = { idle = 20, held = 8, idle_left = 0 },
    },
    grants = { ["P/A"] = 2, B = 10 },
  })
  vector("S1 (H-5): a reserved slot is never lent", {
    plan = plan { slots = 20, { "A", owned = 10, reserve = 4 }, { "B", owned = 10 } },
    state = state { A = { 1 }, B = { 100 } },
    expect = {
      A = { quota = 4, granted = 1, held = 3 }, B = { quota = 16, granted = 16 },
      [""] = { held = 3, idle_left = 0 },
    },
  })
  vector("C-5: an over-allocated group has no idle slots", {
    plan = plan { slots = 20, { "A", owned = 10 }, { "B", owned = 10 } },
    state = state { slots = 10, A = { 10, 10 }, B = { 10, 4 } },
    expect = { [""] = { idle = 0, idle_left = 0 }, A = { quota = 5, over = 5 }, B = { quota = 5 } },
    grants = {},
    -- promised are 14 held and 1 lacking, 10 are there; A is over by 5 and gives all of it
    reclaims = { A = { 5, B = 1 } },
  })
end

local function shrunk(options)
  return plan { slots = 100, options = options, { "X", owned = 10 }, { "Y", owned = 90 } }
end

local function reclaims(vector)
  vector("HV-7 (H-10): own 10 is 9 of 90; of 12 in use 3 go back", {
    plan = shrunk(),
    state = state { slots = 90, X = { 12, 12 }, Y = { 100, 78 } },
    expect = { X = { owned = "9", quota = 9, over = 3 }, Y = { quota = 81 } },
    reclaims = { X = { 3, Y = 3 } },
  })
  vector("HV-7 (H-11): with keep_shrunk_ownership 2 go back and the third drains", {
    plan = shrunk { keep_shrunk_ownership = true },
    state = state { slots = 90, X = { 12, 12 }, Y = { 100, 78 } },
    expect = { X = { owned = "9", quota = 9, over = 2 }, Y = { quota = 81 } },
    reclaims = { X = { 2, Y = 2 } },
  })
  vector("H-11: it keeps no more than is wanted", {
    plan = shrunk { keep_shrunk_ownership = true },
    state = state { slots = 90, X = { 8, 12 }, Y = { 100, 78 } },
    expect = { X = { quota = 8, over = 4 }, Y = { quota = 82 } },
    reclaims = { X = { 4, Y = 4 } },
  })
  vector("C-6: nobody is owed, so nobody loses", {
    plan = plan { slots = 20, { "A", owned = 10 }, { "B", owned = 10 } },
    state = state { A = { 5, 14 }, B = { 6, 6 } },
    expect = { A = { quota = 5, over = 9 }, B = { quota = 6, over = 0 } },
    grants = {},
    reclaims = {},
  })
  vector("C-6: siblings settle first, then the level above", {
    plan = plan {
      slots = 20,
      { "X", { "A", owned = 5 }, { "B", owned = 5 } },
      { "Y", { "C", owned = 10 } },
    },
    state = state { ["X/A"] = { 5, 3 }, ["X/B"] = { 10, 6 }, ["Y/C"] = { 11, 11 } },
    expect = { X = { quota = 10, over = 1 }, Y = { quota = 10, over = 1 } },
    reclaims = { ["X/B"] = { 1, ["X/A"] = 1 }, ["Y/C"] = { 1, ["X/A"] = 1 } },
  })
  vector("C-6: what stands above a branch's limit goes back, for nobody", {
    plan = plan {
      slots = 20, { "X", limit = 10, { "A", owned = 5 }, { "B", owned = 5 } }, { "C" },
    },
    state = state { ["X/A"] = { 9, 6 }, ["X/B"] = { 9, 6 } },
    expect = { X = { quota = 10, need = 10, demand = 18, over = 2 }, ["X/A"] = { quota = 5 } },
    reclaims = { ["X/A"] = { 1 }, ["X/B"] = { 1 } },
  })
  vector("H-10 (C-6): slots on their way to a claimant are not reclaimed twice", {
    plan = plan { slots = 20, { "A", owned = 10 }, { "B", owned = 10 } },
    state = state {
      A = { 20, 20 }, B = { 10, 0 },
      reclaims = { { consumer = "/A", slots = 7, ["for"] = { { consumer = "/B", slots = 7 } } } },
    },
    -- A holds 20, 7 of them going: 3 above 10. B lacks 10, 7 are coming.
    expect = { A = { quota = 10, over = 3 }, B = { quota = 10 } },
    reclaims = { A = { 3, B = 3 } },
  })
end

--- Consumers that want less than they hold, and an owner who wants more: who gives?
local function donors(vector)
  local trio = plan { slots = 20, { "A" }, { "B" }, { "C", owned = 20 } }
  vector("C-7: six and three over, three wanted: two and one", {
    plan = trio, state = state { A = { 4, 10 }, B = { 2, 5 }, C = { 8, 5 } },
    expect = { A = { over = 6 }, B = { over = 3 }, C = { quota = 8 } },
    reclaims = { A = { 2, C = 2 }, B = { 1, C = 1 } },
  })
  vector("C-7: of equals the later in the plan gives the odd slot", {
    plan = trio, state = state { A = { 5, 10 }, B = { 3, 8 }, C = { 5, 2 } },
    expect = { A = { over = 5 }, B = { over = 5 } },
    reclaims = { A = { 1, C = 1 }, B = { 2, C = 2 } },
  })
  vector("C-7: odd slots come from the larger over first", {
    plan = plan { slots = 20, { "A" }, { "B" }, { "D" }, { "C", owned = 20 } },
    state = state { A = { 1, 5 }, B = { 1, 4 }, D = { 1, 4 }, C = { 9, 7 } },
    -- 2 of 4, 3, 3: all floors are 0
    reclaims = { A = { 1, C = 1 }, D = { 1, C = 1 } },
  })
  vector("C-7 (A-56): the worst rank gives all before a better one gives any", {
    plan = plan { slots = 20, { "A" }, { "B", rank = 7 }, { "C", owned = 20 } },
    state = state { A = { 4, 10 }, B = { 3, 5 }, C = { 8, 5 } },
    reclaims = { A = { 1, C = 1 }, B = { 2, C = 2 } },
  })
  vector("C-7: the part of a parent goes down by the same rule", {
    plan = plan { slots = 14, { "P", { "A" }, { "B" } }, { "Q" }, { "R", owned = 14 } },
    state = state { ["P/A"] = { 1, 5 }, ["P/B"] = { 1, 3 }, Q = { 1, 4 }, R = { 8, 2 } },
    -- P 4 and Q 2 of the 6; in P floors 2 and 1, the odd slot from A
    expect = { P = { over = 6 }, Q = { over = 3 } },
    reclaims = { ["P/A"] = { 3, R = 3 }, ["P/B"] = { 1, R = 1 }, Q = { 2, R = 2 } },
  })
end

local function rounding(vector)
  local state_of_four = state { slots = 10, A = { 100, 4 }, B = { 100, 6 } }
  local function ranked(options)
    local a = { "A", owned = 10, rank = 1 }
    return plan { slots = 30, options = options, a, { "B", owned = 20 } }
  end
  vector("C-9: a change of rank moves the slot of a fraction", {
    plan = ranked(), state = state_of_four,
    expect = { A = { quota = 3, over = 1 }, B = { quota = 7 } },
    reclaims = { A = { 1, B = 1 } },
  })
  vector("C-9: not with hold_rounding", {
    plan = ranked { hold_rounding = true }, state = state_of_four,
    expect = { A = { quota = 3, over = 0 }, B = { quota = 7 } },
    reclaims = {},
  })
  vector("C-9: hold_rounding gives back whole slots all the same", {
    plan = ranked { hold_rounding = true },
    state = state { slots = 10, A = { 100, 5 }, B = { 100, 5 } },
    -- 5 - 10/3 is 5/3: both slots above the quota are over
    expect = { A = { quota = 3, over = 2 }, B = { quota = 7 } },
    reclaims = { A = { 2, B = 2 } },
  })
end

local function free_slots(vector)
  vector("HV-13 (H-13): free is what a reserve keeps, of a parent at least its children's", {
    plan = plan {
      slots = 40,
      { "A", owned = 4, reserve = 4 },
      { "B", owned = 2, reserve = 2 },
      { "P", owned = 10, reserve = 10,
        { "C", owned = 4, reserve = 4 }, { "D", owned = 3, reserve = 3 } },
      { "E", owned = 24 },
    },
    state = state {
      A = { 1, 1 }, B = { 5, 5 }, ["P/C"] = { 2, 2 }, ["P/D"] = { 2, 2 }, E = { 100, 20 },
    },
    expect = {
      A = { free = 3 }, B = { free = 0 }, P = { free = 6 }, ["P/C"] = { free = 2 },
      ["P/D"] = { free = 1 }, E = { free = 0 },
    },
  })
  local owners = plan { slots = 30, { "A", owned = 10 }, { "B", owned = 20 }, { "C" } }
  vector("H-13 (A-57): without unmet demand the idle slots are free in proportion to own", {
    plan = owners, state = state { B = { 3, 3 } },
    expect = { A = { free = 9 }, B = { free = 18 }, C = { free = 0 }, [""] = { idle = 27 } },
  })
  vector("H-13 (A-57, H-6): its fractions go by rank and plan order", {
    plan = owners, state = state { slots = 10 },
    expect = { A = { free = 4 }, B = { free = 6 }, C = { free = 0 } },
  })
  vector("H-13 (A-57): children divide what their parent has free", {
    plan = plan {
      slots = 30, { "A", owned = 10 }, { "P", { "C", owned = 5 }, { "D", owned = 15 } },
    },
    state = state { slots = 12 },
    expect = { A = { free = 4 }, P = { free = 8 }, ["P/C"] = { free = 2 }, ["P/D"] = { free = 6 } },
  })
end

return function (vector)
  distribution(vector)
  reclaims(vector)
  donors(vector)
  rounding(vector)
  free_slots(vector)
end
