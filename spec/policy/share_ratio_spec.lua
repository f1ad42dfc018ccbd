-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The ready-made policy "share_ratio" (rules.md 5.3, contract.md C-3, C-7).

local Random = require "allot.check.random"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local property = require "spec.support.cases.property"

local plan, state = case.plan, case.state

--- The policy with options.
local function ratio(options)
  local use = { use = "share_ratio" }
  for key, value in pairs(options or {}) do
    use[key] = value
  end
  return use
end

local ADJUST = ratio { adjust_share_to_workload = true }

--- Quotas by path without the first slash, and reclaims as case.reclaims.
local function decide(short, now)
  local made = engine.cycle(plan(short), state(now))
  local quotas = {}
  for path, row in pairs(case.by_path(made.groups.default)) do
    quotas[path:sub(2)] = row.quota
  end
  return quotas, case.reclaims(made), made
end

--- A, B and C with a share of 1 each.
local function equals(slots, policy, ranks)
  ranks = ranks or {}
  return {
    slots = slots, policy = policy,
    { "A", rank = ranks[1] }, { "B", rank = ranks[2] }, { "C", rank = ranks[3] },
  }
end

describe("share_ratio", function ()
  it("SV-1: 18 slots, 1:1:1, 6 wanted each: 6, 6, 6 (E-20)", function ()
    for _, policy in ipairs { ratio {}, ADJUST } do
      local quotas = decide(equals(18, policy), { A = { 6 }, B = { 6 }, C = { 6 } })
      assert.same({ A = 6, B = 6, C = 6 }, quotas)
    end
  end)

  it("SV-2: C idle, A and B want 10: 9, 9 (E-20)", function ()
    for _, policy in ipairs { ratio {}, ADJUST } do
      local quotas = decide(equals(18, policy), { A = { 10 }, B = { 10 } })
      assert.same({ A = 9, B = 9, C = 0 }, quotas)
    end
  end)

  local taken = { A = { 10, 9 }, B = { 10, 9 }, C = { 2 } }

  it("SV-3: then C wants 2, the ratio follows the workload: 8, 8, 2 (E-21)", function ()
    local quotas, reclaims = decide(equals(18, ADJUST), taken)
    assert.same({ A = 8, B = 8, C = 2 }, quotas)
    assert.same({ A = { 1, C = 1 }, B = { 1, C = 1 } }, reclaims)
  end)

  it("SV-4: 12 slots, A has 7, B 5, C wants 1: one from A (E-21)", function ()
    local quotas, reclaims = decide(equals(12, ADJUST), { A = { 7, 7 }, B = { 5, 5 }, C = { 1 } })
    assert.same({ A = 6, B = 5, C = 1 }, quotas)
    assert.same({ A = { 1, C = 1 } }, reclaims)
  end)

  it("SV-5: as SV-3 by planned shares: both from the worst rank: 9, 7, 2 (E-21)", function ()
    local quotas, reclaims = decide(equals(18, ratio {}, { 0, 1, 0 }), taken)
    assert.same({ A = 9, B = 7, C = 2 }, quotas)
    assert.same({ B = { 2, C = 2 } }, reclaims)
  end)

  it("SV-6: 1:4 and below it 25:75, as demand comes (E-20, E-22)", function ()
    for _, policy in ipairs { ratio {}, ADJUST, ratio { enforce_share = "parent" } } do
      local tree = {
        slots = 100, policy = policy,
        { "A", share = 1 }, { "B", share = 4, { "B1", share = 25 }, { "B2", share = 75 } },
      }
      assert.equal(100, decide(tree, { A = { 500 } }).A)
      local quotas, reclaims = decide(tree, { A = { 500, 100 }, ["B/B1"] = { 500 } })
      assert.same({ A = 20, B = 80, ["B/B1"] = 80, ["B/B2"] = 0 }, quotas)
      assert.same({ A = { 80, ["B/B1"] = 80 } }, reclaims)
      local late = { A = { 500, 20 }, ["B/B1"] = { 500, 80 }, ["B/B2"] = { 60 } }
      quotas, reclaims = decide(tree, late)
      assert.same({ A = 20, B = 80, ["B/B1"] = 20, ["B/B2"] = 60 }, quotas)
      assert.same({ ["B/B1"] = { 60, ["B/B2"] = 60 } }, reclaims)
    end
  end)

  it("SV-7: 3:1 of 16 when both are hungry: 12, 4 (E-20)", function ()
    for _, policy in ipairs { ratio {}, ADJUST } do
      local two = { slots = 16, policy = policy, { "A", share = 3 }, { "B" } }
      assert.same({ A = 12, B = 4 }, (decide(two, { A = { 50 }, B = { 50 } })))
    end
  end)

  it("SV-9: rank 50 loses before rank 25 (E-30, C-7)", function ()
    for _, policy in ipairs { ratio {}, ADJUST } do
      local ranked = {
        slots = 12, policy = policy, { "A" }, { "B", rank = 25 }, { "C", rank = 50 },
      }
      local now = { A = { 4, 2 }, B = { 9, 5 }, C = { 9, 5 } }
      local _, reclaims = decide(ranked, now)
      assert.same({ 1, A = 1 }, reclaims.C)
    end
  end)
end)

describe("a planned share", function ()
  it("is of whole slots: 3 of 10 each beside an idle sibling, the rest halved (E-21)", function ()
    local _, _, made = decide(equals(10, ratio {}), { A = { 10 }, B = { 10 } })
    local rows = case.by_path(made.groups.default)
    assert.equal("5", rows["/A"].exact)
    assert.equal(5, rows["/B"].quota)
  end)

  it("is all that can be taken back: beyond it who has keeps (E-21)", function ()
    local quotas, reclaims = decide(equals(12, ratio {}), { A = { 9, 9 }, B = { 9, 3 } })
    assert.same({ A = 8, B = 4, C = 0 }, quotas)
    assert.same({ A = { 1, B = 1 } }, reclaims)
  end)

  it("is not the end of what a branch keeps beside a reserve that is held idle (E-21)", function ()
    -- 7 are planned for each branch; Q holds 8 and keeps 3 idle for E, P holds 11 and lacks 4.
    local short = {
      slots = 22, policy = "share_ratio",
      { "P", { "A" }, { "B" } }, { "N" },
      { "Q", { "C" }, { "D" }, { "E", owned = 3, reserve = 3 } },
    }
    local now = { ["P/A"] = { 4, 4 }, ["P/B"] = { 11, 7 }, ["Q/D"] = { 8, 8 }, ["Q/E"] = { 0 } }
    local quotas, reclaims = decide(short, now)
    assert.same({ 7, 8, 3 }, { quotas["P/B"], quotas["Q/D"], quotas["Q/E"] })
    assert.same({}, reclaims)
  end)

  it("goes to nobody whose share is 0 (E-23)", function ()
    local short = { slots = 9, policy = "share_ratio", { "A", share = 0 }, { "B" } }
    assert.same({ A = 0, B = 5 }, (decide(short, { A = { 9 }, B = { 5 } })))
  end)

  it("is explained with what it is a part of", function ()
    local _, decision = engine.cycle(plan(equals(10, ratio {})), state { A = { 10 }, B = { 10 } })
    local text = table.concat(decision:explain "/A", "\n")
    assert.matches("planned: 3. Its planned share, by share, is 3", text, 1, true)
  end)

  it("counts slots in flight once, where they will be (E-21, C-6)", function ()
    -- S holds 8 of its 10, and 2 are on their way to b: nobody gives a third (H-15).
    local short = {
      slots = 11, policy = "hybrid", { "R", grace = 60 },
      { "S", owned = 10, policy = "share_ratio", { "a" }, { "b" }, { "c", share = 8 } },
      { "O", owned = 1, policy = "ownership" },
    }
    local flight = {
      id = "r", consumer = "/R", slots = 2, deadline = 60,
      ["for"] = { { consumer = "/S/b", slots = 2 } },
    }
    local quotas, reclaims = decide(short, {
      R = { 3, 3 }, ["S/a"] = { 100, 5 }, ["S/b"] = { 100, 3 }, reclaims = { flight },
    })
    assert.same({ 5, 5 }, { quotas["S/a"], quotas["S/b"] })
    assert.same({}, reclaims)
  end)

  it("is nothing below one slot: who has it first keeps it (E-21)", function ()
    local thirds = { slots = 2, policy = "share_ratio", { "A" }, { "B" }, { "C" } }
    local quotas, reclaims = decide(thirds, { A = { 9 }, B = { 9, 1 }, C = { 9, 1 } })
    assert.same({ A = 0, B = 1, C = 1 }, quotas)
    assert.same({}, reclaims)
  end)
end)

describe("share_ratio without reclaim_shared", function ()
  local kept = ratio { reclaim_shared = false }

  it("takes nothing for others: slots return by themselves (5.2, S2)", function ()
    local quotas, reclaims, made = decide(equals(18, kept), { A = { 10, 9 }, B = { 10, 9 },
      C = { 2 } })
    assert.equal(2, quotas.C)
    assert.same({}, reclaims)
    assert.equal(2, case.by_path(made.groups.default)["/C"].deficit)
    local _, again = decide(equals(18, kept), { A = { 10, 8 }, B = { 10, 9 }, C = { 2 } })
    assert.same({}, again)
  end)

  it("still fits the group's size (C-6)", function ()
    local now = { A = { 10, 9 }, B = { 10, 9 }, C = { 2 }, slots = 14 }
    local _, reclaims = decide(equals(18, kept), now)
    local given = 0
    for _, one in pairs(reclaims) do
      given = given + one[1]
    end
    assert.equal(4, given)
  end)

  it("says so", function ()
    local _, decision = engine.cycle(plan(equals(18, kept)),
      state { A = { 10, 9 }, B = { 10, 9 }, C = { 2 } })
    local text = table.concat(decision:explain "/B", "\n")
    assert.matches("reclaims nothing", text, 1, true)
  end)
end)

describe("a share limit", function ()
  it("is what a consumer may use at most (5.3)", function ()
    local short = { slots = 18, policy = "share_ratio", { "A", share_limit = 5 }, { "B" } }
    local quotas, _, made = decide(short, { A = { 18 }, B = { 18 } })
    assert.same({ A = 5, B = 13 }, quotas)
    assert.equal(5, case.by_path(made.groups.default)["/A"].need)
  end)

  it("holds for all below a parent", function ()
    local short = {
      slots = 18, policy = "share_ratio", { "P", share_limit = 7, { "A" }, { "B" } }, { "C" },
    }
    assert.same({ P = 7, ["P/A"] = 4, ["P/B"] = 3, C = 11 },
      (decide(short, { ["P/A"] = { 18 }, ["P/B"] = { 18 }, C = { 18 } })))
  end)

  it("TV-6: what is held above it goes back whatever the demand (C-10)", function ()
    local short = { slots = 18, policy = "share_ratio", { "A", share_limit = 5 }, { "B" } }
    local _, reclaims, made = decide(short, { A = { 18, 10 } })
    assert.same({ A = { 5 } }, reclaims)
    assert.equal("over-attribute", made.reclaims[1].why.code)
  end)

  it("is explained by its name", function ()
    local short = { slots = 18, policy = "share_ratio", { "A", share_limit = 5 }, { "B" } }
    local _, decision = engine.cycle(plan(short), state { A = { 9 } })
    assert.matches("its share_limit is 5", table.concat(decision:explain "/A", "\n"), 1, true)
  end)
end)

--- A random case: shares, limits and options are drawn, the options of other policies left out.
local function draw(seed, unlimited, reserves)
  local it, random = gen.tree(seed), Random.new(seed * 31)
  local function columns(list)
    for _, node in ipairs(list) do
      node.share = random:pick { 0, 0, 1, 1, 2, 3, 10 }
      node.share_limit = random:once_in(4) and random:int(0, 30) or nil
      node.policy = nil
      if reserves then
        node.share_limit = nil
      else
        node.owned, node.reserve = nil, nil
      end
      if unlimited then
        node.limit, node.share_limit = nil, nil
      end
      columns(node.children or {})
    end
  end
  columns(it.plan.consumers)
  for _, group in pairs(it.plan.groups or {}) do
    group.consumers, group.policy, group.slots = nil, nil, group.slots or 20
  end
  it.plan.slots = not it.plan.groups and (it.plan.slots or 20) or nil
  it.plan.options = nil
  it.plan.policy = ratio {
    adjust_share_to_workload = random:once_in(2),
    enforce_share = random:pick { "leaf", "parent" },
    reclaim_shared = not random:once_in(5),
  }
  it.state.reclaims = nil
  return it
end

--- The same in trees with branches, by planned shares.
local function draw_planned(seed, reserves)
  local at = seed
  local it = draw(at, false, reserves)
  local function flat()
    for _, node in ipairs(it.plan.consumers) do
      if node.children then
        return false
      end
    end
    return true
  end
  while it.plan.policy.adjust_share_to_workload or flat() do
    at = at + 1000003
    it = draw(at, false, reserves)
  end
  it.plan.policy.reclaim_shared = true
  return it
end

--- With reserves of leaves and of branches besides.
local function draw_reserved(seed)
  return draw_planned(seed, true)
end

local function run(it, cycles, visit, slow)
  local sealed, now = engine.sealed(it.plan), it.state
  for i = 1, cycles do
    local made = engine.decided(sealed, now)
    visit(made, i, now)
    now = engine.after(made, { returns = slow and "later" or nil })
  end
end

describe("share ratios at random", function ()
  local opts = { runs = 300, valid = engine.valid }

  --- A check that the last of so many cycles decides nothing.
  local function quiet(cycles, slow)
    return function (it)
      run(it, cycles, function (made, i)
        assert(i < cycles or #made.grants + #made.reclaims == 0, "not quiet")
      end, slow)
    end
  end

  local deep = { runs = 150, valid = engine.valid }

  property("decide nothing more once three cycles are done", opts, quiet(4), draw)
  property("... by planned shares in branches", deep, quiet(4), draw_planned)
  property("... with slots in flight for a cycle", deep, quiet(6, true), draw_planned)
  property("... beside reserves", opts, quiet(4), draw_reserved)

  property("take from nobody who is not above its quota", opts, function (it)
    run(it, 2, function (made)
      for name, group in pairs(made.groups) do
        local rows = case.by_path(group)
        for path, given in pairs(case.reclaims(made, name)) do
          local row = rows["/" .. path]
          assert(given[1] <= row.allocated - row.quota, path .. " gives too much")
        end
      end
    end)
  end, draw)

  property("leave nothing idle while a leaf's quota wants it", opts, function (it)
    run(it, 1, function (made)
      for _, group in pairs(made.groups) do
        for i, row in ipairs(group.consumers) do
          local after = group.consumers[i + 1]
          local leaf = not after or after.path:sub(1, #row.path + 1) ~= row.path .. "/"
          local settled = row.allocated + row.received >= row.quota
          assert(group.idle_left == 0 or not leaf or settled,
            row.path .. " lacks slots that are idle")
        end
      end
    end)
  end, function (seed)
    return draw(seed, true)
  end)
end)
