-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Small cases of C-13, computed by hand: plan, state, and what is to come of it.
--
-- `expect` has quotas, whole (the part of that name) and held by path without the first slash, left
-- (idle slots of nobody); grants and reclaims as texts in their order: "A 8: a1 a2" are 8 slots and
-- the tasks. Of several groups all are by group. What is not said of a path is 0.

local case = require "spec.support.cases.case"

local plan, state = case.plan, case.state

local function waits(consumer, id, slots, fields)
  local task = { id = id, consumer = "/" .. consumer, slots = slots, state = "pending" }
  task.priority, task.submitted = 1, 1
  for key, value in pairs(fields or {}) do task[key] = value end
  return task
end

--- `started`: what ran least goes first.
local function runs(consumer, id, slots, started)
  return { id = id, consumer = "/" .. consumer, slots = slots, started = started,
    priority = 1, submitted = 1 }
end

local SKIP = { pending = "skip" }

local function fixpoint(vector)
  vector("one's unusable slots make another's task whole", {
    plan = plan { { "A", owned = 5 }, { "B", owned = 5 } },
    state = state { tasks = { waits("A", "a1", 4), waits("A", "a2", 4), waits("B", "b1", 6) } },
    -- 5 and 5: A uses 4, B none. B is the last such leaf: it demands 0. Then A has 5 of its own and
    -- borrows 3. Two are left: too few for b1.
    expect = { quotas = { A = 8 }, grants = { "A 8: a1 a2" }, left = 2, passes = 2 },
  })
  vector("one leaf at a time: two others are whole by what the last cannot use", {
    plan = plan { { "A", owned = 4 }, { "B", owned = 4 }, { "C", owned = 4 } },
    state = state { tasks = { waits("A", "a", 5), waits("B", "b", 7), waits("C", "c", 6) } },
    -- 4 each, and none is of use to anybody. Without C all needs are met: 5 and 7 of 12.
    expect = { quotas = { A = 5, B = 7 }, grants = { "A 5: a", "B 7: b" }, passes = 2 },
  })
  vector("the last is by rank first", {
    plan = plan { { "A", owned = 4, rank = 2 }, { "B", owned = 4 }, { "C", owned = 4 } },
    state = state { tasks = { waits("A", "a", 5), waits("B", "b", 7), waits("C", "c", 6) } },
    -- In order: B, C, A. A's demand goes to 0 first; B and C want 13 of 12, own 4 each and borrow 2
    -- each. C's 6 are a task; B cannot use 6, and gets 0. 6 are left: not b, but a.
    expect = {
      quotas = { A = 5, C = 6 }, whole = { A = 5 }, grants = { "C 6: c", "A 5: a" }, left = 1,
      passes = 3,
    },
  })
  vector("who runs within what it owns is safe from a large task", {
    plan = plan { { "A", owned = 6 }, { "B", owned = 4 } },
    state = state { now = 10, tasks = {
      runs("A", "a1", 4, 1), runs("A", "a2", 2, 2), waits("B", "b1", 8),
    } },
    -- A needs 6 and owns 6. B has 4, which are not 8; 4 are left, which are not 8 either.
    expect = { quotas = { A = 6 }, left = 4, passes = 2 },
  })
  vector("strict: the first that does not fit ends the list", {
    plan = plan { { "A", owned = 6 }, { "B", owned = 4 } },
    state = state { B = { 4, 4 }, tasks = {
      waits("A", "a1", 8), waits("A", "a2", 3, { submitted = 2 }),
      waits("A", "a3", 2, { submitted = 3 }),
    } },
    expect = { quotas = { B = 4 }, left = 6, passes = 2 },
  })
  vector("skip: it is passed by", {
    plan = plan { options = SKIP, { "A", owned = 6 }, { "B", owned = 4 } },
    state = state { B = { 4, 4 }, tasks = {
      waits("A", "a1", 8), waits("A", "a2", 3, { submitted = 2 }),
      waits("A", "a3", 2, { submitted = 3 }),
    } },
    -- 3 and 2 of 6 are used: the demand is 5.
    expect = { quotas = { A = 5, B = 4 }, grants = { "A 5: a2 a3" }, left = 1, passes = 2 },
  })
  vector("order: priority, then submitted, then id", {
    plan = plan { { "A", owned = 7 } },
    state = state { tasks = {
      waits("A", "x", 2, { priority = 1, submitted = 0 }), waits("A", "z", 2, { priority = 2 }),
      waits("A", "y", 2, { priority = 2 }), waits("A", "w", 2, { priority = 2, submitted = 0 }),
    } },
    -- w, y, z, x: three of them are in 7 slots; the 7th is of no use.
    expect = { quotas = { A = 6 }, grants = { "A 6: w y z" }, left = 1, passes = 2 },
  })
end

local function limits(vector)
  vector("a limit above holds, though slots are left", {
    plan = plan {
      { "P", limit = 6, { "A", owned = 3 }, { "B", owned = 3 }, { "C" } }, { "Q", owned = 4 },
    },
    state = state { tasks = {
      waits("P/A", "a", 4), waits("P/B", "b", 4), waits("P/C", "c", 2),
    } },
    -- P needs min(10, 6): A 3, B 3, C 0. B is the last that cannot use its quota. Then A owns 3 and
    -- borrows 1, C has the 2 that are to spare. 4 are left for b: but P would have 10.
    expect = {
      quotas = { P = 6, ["P/A"] = 4, ["P/C"] = 2 }, grants = { "P/A 4: a", "P/C 2: c" }, left = 4,
      passes = 2,
    },
  })
  vector("a leaf's own limit holds, too", {
    plan = plan { { "A", owned = 5, limit = 5 }, { "B", owned = 5 } },
    state = state { tasks = { waits("A", "a1", 3), waits("A", "a2", 3) } },
    expect = { quotas = { A = 3 }, grants = { "A 3: a1" }, left = 7, passes = 2 },
  })
  vector("a stated demand holds, too", {
    plan = plan { { "A", owned = 10 } },
    state = state { tasks = { waits("A", "a1", 3), waits("A", "a2", 3), waits("A", "a3", 3) },
      A = { 7 } },
    -- Of 7 slots two tasks use 6; with the third it were 9, more than is wanted.
    expect = { quotas = { A = 6 }, grants = { "A 6: a1 a2" }, left = 4, passes = 2 },
  })
end

local function handed_out(vector)
  vector("a task that runs and would go stays where it fits again", {
    plan = plan { { "C", owned = 4 }, { "B", owned = 2 }, { "A", owned = 4 } },
    state = state { now = 10, tasks = {
      runs("A", "a1", 3, 1), runs("A", "a2", 4, 5), waits("C", "c", 8),
    } },
    -- C and A own 4 and borrow 1 each. a1 stays in 5, a2 does not: A's demand goes to 3. Then C has
    -- 7, which are not 8: 0. 7 are left: not c, but a2's 4. Nothing moves.
    expect = { quotas = { A = 7 }, whole = { A = 4 }, left = 3, passes = 3 },
  })
  vector("and goes where it does not", {
    plan = plan { { "A", owned = 4 }, { "B", owned = 6 } },
    state = state { now = 10, tasks = {
      runs("A", "a1", 3, 1), runs("A", "a2", 4, 5), waits("B", "b", 4),
    } },
    -- A owns 4 and borrows the 2 that B does not need: a1 stays, a2 goes. 3 are left, a2 has 4. The
    -- 3 idle slots are B's, and held: b is not whole before A gave one back. a2 is what A gives.
    expect = {
      quotas = { A = 3, B = 4 }, held = { B = 3 }, reclaims = { "A 1: a2 for B 1" }, passes = 2,
    },
  })
  vector("a task a leaf each time", {
    plan = plan {
      { "A", owned = 9 }, { "B", owned = 3 }, { "C", owned = 3 }, { "D", owned = 3 },
    },
    state = state { A = { 9, 9 }, tasks = {
      waits("B", "b", 20), waits("C", "c1", 5), waits("C", "c2", 1, { submitted = 2 }),
      waits("C", "c3", 1, { submitted = 3 }), waits("D", "d1", 4),
      waits("D", "d2", 1, { submitted = 2 }),
    } },
    -- 3 each are of no use: D gets 0. B and C then have 4.5: 5 and 4, and C gets 0; then B has 9,
    -- and gets 0. 9 are left: 5 for c1, 4 for d1, and none for the next round.
    expect = {
      quotas = { A = 9, C = 5, D = 4 }, whole = { C = 5, D = 4 },
      grants = { "C 5: c1", "D 4: d1" }, passes = 4,
    },
  })
  vector("skip: what a leaf uses is asked anew of all it has then", {
    plan = plan { options = SKIP, { "B", owned = 2 }, { "A", owned = 3 } },
    state = state { tasks = {
      waits("B", "b", 9), waits("A", "a1", 4), waits("A", "a2", 2, { submitted = 2 }),
      waits("A", "a3", 2, { submitted = 3 }),
    } },
    -- Of A's 3 only a2 is used: A's demand goes to 2. Then B has 3, and gets 0. 3 are left: not b's
    -- 9, nor a1's 4, but a3's 2. Of 4 slots A uses a1.
    expect = {
      quotas = { A = 4 }, whole = { A = 2 }, grants = { "A 4: a1" }, left = 1, passes = 3,
    },
  })
  vector("what a parent reserves is left for its own children", {
    plan = plan {
      { "P", owned = 6, reserve = 6, { "B", owned = 3 }, { "A", owned = 3 } }, { "Q", owned = 4 },
    },
    state = state { Q = { 10, 4 }, tasks = { waits("P/B", "b", 7), waits("P/A", "a", 4) } },
    -- 3 each of P's 6: A gets 0. Then B has 6, which are not 7: 0. P keeps its 6 still; Q has 4, so
    -- none is left but these 6: not b, but a. The other 2 are held for P.
    expect = {
      quotas = { P = 6, ["P/A"] = 4, Q = 4 }, whole = { ["P/A"] = 4 }, grants = { "P/A 4: a" },
      held = { P = 2 }, passes = 3,
    },
  })
  vector("what a leaf reserves is held where the next task does not fit", {
    plan = plan { { "A", owned = 5, reserve = 5 }, { "B", owned = 5 } },
    state = state { B = { 5, 0 }, tasks = { waits("A", "a1", 3), waits("A", "a2", 4) } },
    -- A demands 3 in the end and reserves 5.
    expect = {
      quotas = { A = 5, B = 5 }, grants = { "A 3: a1", "B 5" }, held = { A = 2 }, passes = 2,
    },
  })
  vector("and counts for the next task, to which slots are added", {
    plan = plan { { "A", owned = 5, reserve = 5 }, { "B", owned = 5 }, { "C", owned = 0 } },
    state = state { slots = 10, tasks = {
      waits("A", "a1", 3), waits("A", "a2", 4), waits("B", "b", 9),
    } },
    -- 5 and 5: A uses 3, B none. B is last and gets 0; A then has 7, which are a1 and a2.
    expect = { quotas = { A = 7 }, grants = { "A 7: a1 a2" }, left = 3, passes = 2 },
  })
end

local function going(vector)
  local tasks = {
    runs("A", "a1", 3, 1), runs("A", "a2", 4, 5), waits("A", "a3", 1, { submitted = 2 }),
    waits("A", "a4", 1, { submitted = 3 }),
  }
  vector("strict: nothing starts behind a task that goes", {
    plan = plan { { "A", owned = 5 }, { "B", owned = 5 } },
    state = state { now = 10, B = { 5, 3 }, tasks = tasks },
    -- 5 and 5: a1 stays, a2 does not, so A uses 3. 2 are left, not a2's 4. B lacks 2 of its 5.
    expect = { quotas = { A = 3, B = 5 }, reclaims = { "A 2: a2 for B 2" }, passes = 2 },
  })
  vector("skip: it does, once that has gone", {
    plan = plan { options = SKIP, { "A", owned = 5 }, { "B", owned = 5 } },
    state = state { now = 10, B = { 5, 3 }, tasks = tasks },
    -- a1, a3 and a4 use all 5. A is over by 2, which B lacks.
    expect = { quotas = { A = 5, B = 5 }, reclaims = { "A 2: a2 for B 2" }, passes = 1 },
    next = { quotas = { A = 5, B = 5 }, grants = { "A 2: a3 a4", "B 2" }, passes = 1 },
  })
  vector("held slots: what is there already of a task that waits for the rest", {
    plan = plan { { "A", owned = 6 }, { "B", owned = 4 } },
    state = state { B = { 8, 8 }, tasks = {
      waits("A", "a1", 1), waits("A", "a2", 5, { submitted = 2 }),
    } },
    -- Of A's 6 slots 2 are idle: a1 starts, one is held for a2.
    expect = {
      quotas = { A = 6, B = 4 }, held = { A = 1 }, grants = { "A 1: a1" },
      reclaims = { "B 4 for A 4" }, passes = 1,
    },
    next = { quotas = { A = 6, B = 4 }, grants = { "A 5: a2" }, passes = 1 },
  })
end

local function groups(vector)
  local two = { cpu = { slots = 8, consumers = { ["/A"] = { owned = 4 }, ["/B"] = { owned = 4 } } },
    gpu = { slots = 2, consumers = { ["/A"] = { owned = 1 }, ["/B"] = { owned = 1 } } } }
  vector("what does not fit in one group is of no use in another", {
    plan = plan { groups = two, { "A" }, { "B" } },
    state = state { tasks = {
      waits("A", "a", { cpu = 4, gpu = 2 }), waits("B", "b1", { cpu = 4, gpu = 1 }),
      waits("B", "b2", { cpu = 4, gpu = 1 }),
    } },
    -- cpu 4 and 4, gpu 1 and 1: a lacks a gpu, so A uses none of either. Then B has 8 and 2.
    expect = {
      quotas = { cpu = { B = 8 }, gpu = { B = 2 } },
      grants = { cpu = { "B 8: b1 b2" }, gpu = { "B 2: b1 b2" } }, passes = 2,
    },
  })
  local one = { cpu = { slots = 6, consumers = { ["/A"] = { owned = 6 } } },
    gpu = { slots = 1, consumers = { ["/A"] = { owned = 1 } } } }
  local tasks = {
    waits("A", "a1", { cpu = 2, gpu = 1 }), waits("A", "a2", { cpu = 2, gpu = 1 }),
    waits("A", "a3", { cpu = 2 }),
  }
  vector("strict: a task that lacks a slot of one group ends the list in all", {
    plan = plan { groups = one, { "A" } }, state = state { tasks = tasks },
    expect = {
      quotas = { cpu = { A = 2 }, gpu = { A = 1 } },
      grants = { cpu = { "A 2: a1" }, gpu = { "A 1: a1" } }, left = { cpu = 4 }, passes = 2,
    },
  })
  vector("skip: and is passed by in all", {
    plan = plan { groups = one, options = SKIP, { "A" } }, state = state { tasks = tasks },
    expect = {
      quotas = { cpu = { A = 4 }, gpu = { A = 1 } },
      grants = { cpu = { "A 4: a1 a3" }, gpu = { "A 1: a1" } }, left = { cpu = 2 }, passes = 2,
    },
  })
end

--- Groups that no task couples, those that two tasks do, and reclaims on their way.
local function apart(vector)
  local function of(cpu, gpu)
    return { cpu = { slots = cpu, consumers = { ["/A"] = { owned = cpu } } },
      gpu = { slots = gpu, consumers = { ["/A"] = { owned = gpu } } } }
  end
  vector("groups without a task in both have a list each", {
    plan = plan { groups = of(4, 2), { "A" } },
    state = state { tasks = {
      waits("A", "a1", { cpu = 5 }), waits("A", "a2", { gpu = 2 }, { submitted = 2 }),
      waits("A", "a3", { cpu = 1 }, { submitted = 3 }),
    } },
    -- a1 ends the list of cpu: a3 is behind it. a2 is the first of gpu's.
    expect = {
      quotas = { gpu = { A = 2 } }, grants = { gpu = { "A 2: a2" } }, left = { cpu = 4 },
      passes = 2,
    },
  })
  vector("a task stays that fits once another group has made one go", {
    plan = plan { options = SKIP, groups = of(3, 1), { "A" } },
    state = state { now = 10, tasks = {
      runs("A", "a1", { cpu = 1, gpu = 2 }, 1), runs("A", "a2", { cpu = 3 }, 5),
      waits("A", "a3", { cpu = 1 }),
    } },
    -- Of 3 and 1: a1, the last to go, lacks a gpu and goes; so a2 has its 3. No gpu is used. There
    -- are 4 and 2 in use of 3 and 1: one of each has to come back, and a1 is both.
    expect = {
      quotas = { cpu = { A = 3 } }, reclaims = { cpu = { "A 1: a1" }, gpu = { "A 1: a1" } },
      passes = 2,
    },
  })
  vector("strict: a task on the way out is there still, but nothing starts behind it", {
    plan = plan { { "A", owned = 5 } },
    state = state { now = 10, tasks = { runs("A", "a1", 2, 1), waits("A", "a2", 1) },
      reclaims = { { id = "r", consumer = "/A", slots = 2, tasks = { "a1" } } } },
    -- a1 and a2 are within 5 slots: A demands 3, as it did. One is held for a2, until a1 has gone.
    expect = { quotas = { A = 3 }, held = { A = 1 }, left = 2, passes = 1 },
  })
end

local vectors = {}

local function add(title, vector)
  vector.title = title
  vectors[#vectors + 1] = vector
end

for _, chapter in ipairs { fixpoint, limits, handed_out, going, groups, apart } do chapter(add) end

return vectors
