-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Owners below parents' limits (C-11): a limit holds what they want of their own before what
--- others below it use of pools or borrow.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local ownership = require "spec.support.cases.ownership"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local state = case.state
local owners, loan, judge = ownership.owners, ownership.loan, ownership.judge

describe("below a limit that others fill (C-11)", function ()
  it("an owner is given its own at once", function ()
    local short = owners { slots = 8, { "P", limit = 4, { "A", owned = 4 }, { "B" } } }
    local now = state { ["P/A"] = { 4 }, ["P/B"] = { 4, 4 } }
    local decision = judge(short, now, {
      reclaims = { ["P/B"] = { 4, ["P/A"] = 4 } }, why = { ["P/B"] = "owners-first" },
      expect = { ["P/A"] = { quota = 4 }, ["P/B"] = { quota = 0 } },
    })
    judge(short, engine.after(decision), { grants = { ["P/A"] = 4 } })
  end)

  it("those who use a pool share what is left, by ratio", function ()
    judge(owners {
      slots = 9, { "P", limit = 6, { "A", owned = 3 }, { "B", share = 2 }, { "C" } },
    }, state { ["P/A"] = { 3 }, ["P/B"] = { 9, 4 }, ["P/C"] = { 9, 2 } },
      { reclaims = { ["P/B"] = { 2, ["P/A"] = 2 }, ["P/C"] = { 1, ["P/A"] = 1 } } })
  end)

  it("what it has lent can come back", function ()
    judge(owners {
      slots = 8, { "P", limit = 4, { "A", owned = 4, lend = true }, { "B" } },
      { "C", borrow = true },
    }, state {
      ["P/A"] = { 4 }, ["P/B"] = { 4, 4 }, C = { 4, 4 }, loans = { loan("P/A", "C", 4) },
    }, {
      reclaims = { C = { 4, ["P/A"] = 4 }, ["P/B"] = { 4 } },
      why = { C = "recalled", ["P/B"] = "owners-first" },
    })
  end)

  it("who borrows there gives it back", function ()
    judge(owners {
      { "P", limit = 4, { "A", owned = 4 }, { "B", borrow = true } },
      { "C", owned = 4, lend = true },
    }, state {
      ["P/A"] = { 3 }, ["P/B"] = { 4, 4 }, loans = { loan("C", "P/B", 4) },
    }, { reclaims = { ["P/B"] = { 3, ["P/A"] = 3 } }, loans = { ["C>P/B"] = 1 } })
  end)

  it("of several owners reserves come first, then the best rank", function ()
    judge(owners {
      slots = 12,
      {
        "P", limit = 4, { "A", owned = 4, reserve = 1, rank = 1 }, { "B", owned = 4 }, { "C" },
      },
    }, state { ["P/A"] = { 4 }, ["P/B"] = { 4 }, ["P/C"] = { 4, 4 } },
      { reclaims = { ["P/C"] = { 4, ["P/A"] = 1, ["P/B"] = 3 } } })
  end)

  it("own slots in use stay: no limit takes them for another owner", function ()
    judge(owners { { "P", limit = 4, { "A", owned = 4 }, { "B", owned = 4, rank = 1 } } },
      state { ["P/A"] = { 4 }, ["P/B"] = { 4, 4 } }, {})
  end)

  it("own slots in use stay, and what is left goes by order", function ()
    judge(owners {
      { "P", limit = 2, { "A", owned = 1 }, { "B", owned = 1, rank = 1 }, { "C", owned = 1 } },
    }, state { ["P/A"] = { 0, 1 }, ["P/B"] = { 1 }, ["P/C"] = { 1 } }, { grants = { ["P/C"] = 1 } })
  end)

  it("pool slots return by themselves where the policy says so (S2)", function ()
    local short = owners {
      policy = { use = "ownership", reclaim_shared = false },
      slots = 8, { "P", limit = 4, { "A", owned = 4 }, { "B" } },
    }
    judge(short, state { ["P/A"] = { 4 }, ["P/B"] = { 4, 4 } }, {})
    judge(short, state { ["P/A"] = { 4 }, ["P/B"] = { 4, 3 } }, { grants = { ["P/A"] = 1 } })
  end)

  it("who drains gives it on demand (A-71)", function ()
    local short = owners {
      slots = 8, { "P", limit = 4, { "A", owned = 4 }, { "B", rebalance = false } },
    }
    judge(short, state { ["P/A"] = { 3 }, ["P/B"] = { 4, 4 } },
      { reclaims = { ["P/B"] = { 3, ["P/A"] = 3 } }, why = { ["P/B"] = "recalled" } })
  end)

  it("a lender calls nothing back that another is sure of before it", function ()
    -- A borrows from C what it has lent itself; C's turn is after A's.
    local short = owners {
      { "B", borrow_limit = 1 },
      { "P", limit = 10,
        { "C", owned = 1, rank = 1, lend = true },
        { "A", owned = 10, borrow = true, lend = true },
      },
    }
    local now = state {
      B = { 0, 1 }, ["P/C"] = { 1 }, ["P/A"] = { 12, 10 },
      loans = { loan("P/A", "B", 1), loan("P/C", "P/A", 1) },
    }
    judge(short, now, { loans = { ["P/A>B"] = 1, ["P/C>P/A"] = 1 } })
    now.consumers["/P/A"].demand = 9
    judge(short, now, {
      reclaims = { ["P/A"] = { 1, ["P/C"] = 1 } }, loans = { ["P/A>B"] = 1 },
    })
  end)

  it("a pool that an owner fills is not shared out to others meanwhile", function ()
    -- The limit has room for one: it is A's, whose slots are lent, and not B's.
    judge(owners {
      slots = 8, { "P", limit = 4, { "A", owned = 4, lend = true }, { "B" } },
      { "C", borrow = true },
    }, state {
      ["P/A"] = { 4, 3 }, ["P/B"] = { 4 }, C = { 1, 1 }, loans = { loan("P/A", "C", 1) },
    }, { grants = { ["P/A"] = 1 }, loans = { ["P/A>C"] = 1 } })
  end)
end)

-- Random plans with limits at parents and leaves -------------------------------------------------

local function claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

local function visit(list, above, of)
  for _, node in ipairs(list) do
    of(node, above .. "/" .. node.name)
    visit(node.children or {}, above .. "/" .. node.name, of)
  end
end

local function kept(node)
  local sum = node.children and 0 or node.reserve or 0
  for _, child in ipairs(node.children or {}) do sum = sum + kept(child) end
  return sum
end

local function owned_by(list)
  local owned = 0
  for _, node in ipairs(list) do
    owned = owned + (node.owned or owned_by(node.children or {}))
  end
  return owned
end

--- Every second parent has a limit, nobody drains, and there is all that is owned.
local function limited(seed)
  local it, random = gen.ledger(seed), Random.new(seed)
  visit(it.plan.consumers, "", function (node)
    node.rebalance = nil
    if node.children then
      node.limit = random:once_in(2) and math.max(kept(node), random:int(0, 20)) or nil
    end
  end)
  it.plan.options = nil
  it.state.slots = math.max(it.state.slots, owned_by(it.plan.consumers))
  return it
end

local function valid(it)
  return it.plan.policy ~= nil and engine.valid(it) and it.state.slots ~= nil
    and it.state.slots >= owned_by(it.plan.consumers)
end

local function holds(name, runs, check)
  property(name, { runs = runs, valid = valid }, check, limited)
end

local function decide(it, now)
  return (engine.cycle(it.plan, now or it.state))
end

local function rests(decision)
  return #decision.grants + #decision.reclaims == 0
end

--- Leaves by (rank, plan order), as {path, node, row}; limited branches, the deepest first.
local function parts_of(plan)
  local leaves, branches = {}, {}
  visit(plan.consumers, "", function (node, path)
    if not node.children then
      leaves[#leaves + 1] = { path = path, node = node, at = #leaves }
    elseif node.limit then
      table.insert(branches, 1, { path = path, limit = node.limit })
    end
  end)
  table.sort(leaves, function (a, b)
    local first, second = a.node.rank or 0, b.node.rank or 0
    return first < second or first == second and a.at < b.at
  end)
  return leaves, branches
end

local function below(leaves, branch)
  local list = {}
  for _, leaf in ipairs(leaves) do
    if leaf.path:sub(1, #branch.path + 1) == branch.path .. "/" then list[#list + 1] = leaf end
  end
  return list
end

--- Says what each leaf is sure of: of its own what it needs, as far as limits hold it, reserves
--- first, and what of that it wants; by leaf.sure, leaf.reserve and leaf.wants.
local function be_sure(it, leaves, branches)
  for _, leaf in ipairs(leaves) do
    local node, row = leaf.node, (it.state.consumers or {})[leaf.path] or {}
    local most = math.min(row.demand or 0, node.limit or row.demand or 0)
    local need = math.max(node.reserve or 0, most)
    leaf.sure = math.min(need, node.owned or 0)
    leaf.reserve = math.min(node.reserve or 0, leaf.sure)
  end
  for _, branch in ipairs(branches) do
    local left = branch.limit
    for _, leaf in ipairs(below(leaves, branch)) do left = left - leaf.reserve end
    for _, leaf in ipairs(below(leaves, branch)) do
      local more = math.min(leaf.sure - leaf.reserve, left)
      leaf.sure, left = leaf.reserve + more, left - more
    end
  end
  for _, leaf in ipairs(leaves) do
    leaf.wants = math.min(leaf.sure, ((it.state.consumers or {})[leaf.path] or {}).demand or 0)
  end
end

describe("under random limits of parents", function ()
  holds("three cycles settle it (architecture, invariants)", 400, function (it)
    local now = it.state
    for _ = 1, 3 do now = engine.after(decide(it, now)) end
    claim(rests(decide(it, now)), "it goes on")
  end)

  holds("who gives gets none, and who gets gives none, once demand stays", 300, function (it)
    local now = engine.after(decide(it))
    local gave, got = {}, {}
    for _ = 1, 4 do
      local decision = decide(it, now)
      for _, grant in ipairs(decision.grants) do got[grant.consumer] = true end
      for _, reclaim in ipairs(decision.reclaims) do gave[reclaim.consumer] = true end
      now = engine.after(decision)
    end
    for path in pairs(gave) do claim(not got[path], "%s gives and gets", path) end
  end)

  holds("owners have what they are sure of two cycles after they want it", 400, function (it)
    it.plan.policy.reclaim_shared = nil
    local now = it.state
    for _ = 1, 2 do now = engine.after(decide(it, now)) end
    local leaves, branches = parts_of(it.plan)
    be_sure(it, leaves, branches)
    local function held(leaf)
      return ((now.consumers or {})[leaf.path] or {}).allocated or 0
    end
    for _, branch in ipairs(branches) do
      -- Own slots in use beyond what is sure, or wanted, stay: they may fill a limit.
      local sum = 0
      for _, leaf in ipairs(below(leaves, branch)) do
        sum = sum + math.max(leaf.sure, math.min(held(leaf), leaf.node.owned or 0))
      end
      for _, leaf in ipairs(below(leaves, branch)) do
        leaf.blocked = leaf.blocked or sum > branch.limit
      end
    end
    for _, leaf in ipairs(leaves) do
      claim(leaf.blocked or held(leaf) >= leaf.wants, "%s holds %d of its %d", leaf.path,
        held(leaf), leaf.wants)
    end
  end)
end)
