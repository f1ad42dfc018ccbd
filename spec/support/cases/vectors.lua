-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The numbers that the rules state, each with the rule that states it: what the engine and the
--- model are both held to. Written from the text of the rules, never from a program's answer.
--
-- A vector: title, plan, state, `expect` (numbers by path, "" = the group), `grants` (slots by
-- path, complete), `reclaims` (by path: {slots, claimant = slots ...}, complete).
-- HV-12 mixes two policies in one group: mixed_spec.lua has it.

local case = require "spec.support.cases.case"
local plan, state = case.plan, case.state

local vectors = {}

local function vector(title, fields)
  fields.title = title
  vectors[#vectors + 1] = fields
end

--- Expects one field of several consumers: `expect("quota", {A = 1})`.
local function expect(field, numbers)
  local out = {}
  for path, number in pairs(numbers) do
    out[path] = { [field] = number }
  end
  return out
end

local function quota(numbers)
  return expect("quota", numbers)
end

-- Ownership scales with the group (H-2, C-1) ---------------------------------------------------

local tenth = plan { slots = 100, { "X", owned = 10 }, { "Y", owned = 90 } }
local scaled = { { 120, "12" }, { 100, "10" }, { 90, "9" }, { 95, "19/2" }, { 0, "0" } }
for _, pair in ipairs(scaled) do
  local slots, owned = pair[1], pair[2]
  vector(("HV-1 (H-2, C-1): own 10 of 100 is %s of %d"):format(owned, slots), {
    plan = tenth,
    state = state { slots = slots },
    expect = expect("owned", { X = owned }),
  })
end

local reserving = plan { slots = 100, { "X", owned = 10, reserve = 6 }, { "Y", owned = 90 } }
for _, pair in ipairs { { 200, 6 }, { 100, 6 }, { 80, 6 }, { 50, 5 } } do
  local slots, reserve = pair[1], pair[2]
  vector(("HV-3 (H-2, H-4): reserve 6 of own 10 is a quota of %d at %d"):format(reserve, slots), {
    plan = reserving,
    state = state { slots = slots },
    expect = {
      X = { quota = reserve, reserve = reserve, need = reserve, held = reserve, granted = 0 },
      Y = { quota = 0, held = 0 },
      [""] = { idle = slots, held = reserve, idle_left = slots - reserve },
    },
    grants = {},
    reclaims = {},
  })
end

-- Borrowing (H-5, C-3) -------------------------------------------------------------------------

vector("HV-2 (H-5): fifteen slots of an idle owner go 1:2 to owners of 10 and 20", {
  plan = plan { slots = 45, { "A", owned = 10 }, { "B", owned = 20 }, { "Idle", owned = 15 } },
  state = state { A = { 100 }, B = { 100 } },
  expect = {
    A = { quota = 15, exact = "15", owned = "10" },
    B = { quota = 30, exact = "30", owned = "20" },
    Idle = { quota = 0 },
  },
  grants = { A = 15, B = 30 },
  reclaims = {},
})
vector("HV-2 (H-5): fifteen slots nobody owns go 1:2 to owners of 10 and 20", {
  plan = plan { slots = 45, { "A", owned = 10 }, { "B", owned = 20 } },
  state = state { A = { 100 }, B = { 100 } },
  expect = quota { A = 15, B = 30 },
})
vector("S1 (H-5): owners of nothing share what they borrow equally", {
  plan = plan { slots = 12, { "A", owned = 12 }, { "B" }, { "C" } },
  state = state { A = { 2 }, B = { 100 }, C = { 100 } },
  expect = quota { A = 2, B = 5, C = 5 },
})
vector("S1 (H-5): an owner of nothing gets nothing while a sibling that owns wants more", {
  plan = plan { slots = 12, { "A", owned = 3 }, { "B" }, { "C", owned = 9 } },
  state = state { A = { 100 }, B = { 100 }, C = { 0 } },
  expect = quota { A = 12, B = 0, C = 0 },
})
vector("S1 (H-4): a quota never exceeds the demand where nothing is reserved", {
  plan = plan { slots = 100, { "A", owned = 100 } },
  state = state { A = { 7 } },
  expect = { A = { quota = 7, need = 7 }, [""] = { idle_left = 93 } },
})
vector("S1 (H-4): the limit is the most, though the group grows", {
  plan = plan { slots = 20, { "A", owned = 20, limit = 20 } },
  state = state { slots = 100, A = { 90 } },
  expect = { A = { quota = 20, need = 20, owned = "100" } },
})
vector("HV-11 (H-4, H-5): own 10 and 20, limit 12 on the first, 45 slots: 12 and 33", {
  plan = plan { slots = 30, { "A", owned = 10, limit = 12 }, { "B", owned = 20 } },
  state = state { slots = 45, A = { 100 }, B = { 100 } },
  expect = quota { A = 12, B = 33 },
})
vector("A-58: a limit below what is owned cuts the own part", {
  plan = plan { slots = 30, { "A", owned = 10, limit = 4 }, { "B", owned = 20 } },
  state = state { A = { 100 }, B = { 100 } },
  expect = quota { A = 4, B = 26 },
})

-- Whole slots (H-6, C-4) -----------------------------------------------------------------------

local function thirds(rank_a, rank_b)
  local a = { "A", owned = 10, rank = rank_a }
  return plan { slots = 30, a, { "B", owned = 20, rank = rank_b } }
end
local ten = state { slots = 10, A = { 100 }, B = { 100 } }
local function rounded(a, b)
  return { A = { exact = "10/3", quota = a }, B = { exact = "20/3", quota = b } }
end
vector("HV-4 (H-6, C-4): A ranks best and 10/3 becomes 4", {
  plan = thirds(0, 1), state = ten, expect = rounded(4, 6),
})
vector("HV-4 (H-6, C-4): B ranks best and 20/3 becomes 7", {
  plan = thirds(1, 0), state = ten, expect = rounded(3, 7),
})
vector("HV-4 (H-6, C-4): at equal rank the first in the plan gets the slot", {
  plan = thirds(nil, nil), state = ten, expect = rounded(4, 6),
})

-- The tree (H-7, H-8) --------------------------------------------------------------------------

vector("HV-5 (H-7): children divide what their parent has: 5, 5 and 25, 25", {
  plan = plan {
    slots = 60,
    { "X", owned = 10, { "A" }, { "B" } },
    { "Y", owned = 50, { "C" }, { "D" } },
  },
  state = state { ["X/A"] = { 60 }, ["X/B"] = { 60 }, ["Y/C"] = { 60 }, ["Y/D"] = { 60 } },
  expect = quota { X = 10, Y = 50, ["X/A"] = 5, ["X/B"] = 5, ["Y/C"] = 25, ["Y/D"] = 25 },
})
local one_of_three = plan {
  slots = 30,
  { "X", owned = 10, rank = 5, { "E", owned = 10, rank = 1 } },
  { "Y", owned = 10, rank = 1, { "C", owned = 5, rank = 9 }, { "D", owned = 5, rank = 3 } },
  { "Z", owned = 10, rank = 5, { "F", owned = 10, rank = 1 } },
}
vector("HV-6 (H-7): the one slot goes to the best rank above, then to its best child", {
  plan = one_of_three,
  state = state {
    slots = 1, ["X/E"] = { 9 }, ["Y/C"] = { 9 }, ["Y/D"] = { 9 }, ["Z/F"] = { 9 },
  },
  expect = quota { X = 0, Y = 1, Z = 0, ["X/E"] = 0, ["Y/C"] = 0, ["Y/D"] = 1, ["Z/F"] = 0 },
  grants = { ["Y/D"] = 1 },
})
vector("H-8: unused own slots go to siblings before they leave the branch", {
  plan = plan {
    slots = 40,
    { "X", { "A", owned = 10 }, { "B", owned = 10 } },
    { "Y", { "C", owned = 20 } },
  },
  state = state { ["X/B"] = { 90 }, ["Y/C"] = { 90 } },
  expect = quota { X = 20, Y = 20, ["X/A"] = 0, ["X/B"] = 20, ["Y/C"] = 20 },
})
vector("H-3 (C-2): the demand of a parent is the sum of its children's need", {
  plan = plan { slots = 50, { "P", { "A", owned = 50, limit = 6 }, { "B" }, { "C" } } },
  state = state { ["P/A"] = { 40 }, ["P/B"] = { 5 } },
  expect = { P = { demand = 11, need = 11, quota = 11 }, ["P/A"] = { demand = 40, need = 6 } },
})

-- Ownership spread evenly (H-12, C-3) ----------------------------------------------------------

local function abc(evenly)
  local policy = evenly and { use = "hybrid", evenly = true } or nil
  return plan { slots = 30, policy = policy, { "A", owned = 15 }, { "B", owned = 15 }, { "C" } }
end
vector("HV-8 (H-5): C alone wants and gets all 30", {
  plan = abc(false), state = state { C = { 100 } }, expect = quota { A = 0, B = 0, C = 30 },
  grants = { C = 30 },
})
vector("HV-8 (H-5, H-10): then A wants 100 and takes all 30 back", {
  plan = abc(false),
  state = state { A = { 100 }, C = { 100, 30 } },
  expect = { A = { quota = 30 }, B = { quota = 0 }, C = { quota = 0, over = 30 } },
  grants = {},
  reclaims = { C = { 30, A = 30 } },
})
vector("HV-8 (H-12, A-61): evenly, A takes 15 and shares B's 15 with C: 23 and 7", {
  plan = abc(true),
  state = state { A = { 100 }, C = { 100, 30 } },
  expect = {
    A = { quota = 23, exact = "45/2" }, B = { quota = 0 }, C = { quota = 7, exact = "15/2" },
  },
  reclaims = { C = { 23, A = 23 } },
})
vector("HV-9 (H-12): evenly with 10 slots, A gets 10 and C none", {
  plan = abc(true),
  state = state { slots = 10, A = { 100 }, C = { 100 } },
  expect = quota { A = 10, B = 0, C = 0 },
})
vector("HV-10 (H-12): evenly with 40 slots, A and C hungry: 28 and 12", {
  plan = abc(true),
  state = state { slots = 40, A = { 100 }, C = { 100 } },
  expect = { A = { quota = 28, exact = "55/2" }, C = { quota = 12, exact = "25/2" } },
})
vector("HV-10 (H-12): evenly with 10 slots, A and B hungry: 5 and 5", {
  plan = abc(true),
  state = state { slots = 10, A = { 100 }, B = { 100 }, C = { 100 } },
  expect = quota { A = 5, B = 5, C = 0 },
})
vector("HV-10 (H-12): evenly with 10 slots, A wants 3 and B 100: 3 and 7", {
  plan = abc(true),
  state = state { slots = 10, A = { 3 }, B = { 100 }, C = { 100 } },
  expect = quota { A = 3, B = 7, C = 0 },
})

require "spec.support.cases.vectors_moves"(vector)

return vectors
