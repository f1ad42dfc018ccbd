-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: Kueue beside its published rules. Numbers such as UV-1 are those of cases
-- computed by hand.

local admit = require "spec.support.peers.kueue"
local case = require "spec.support.cases.case"
local peers = require "spec.support.peers.cases"

local UNITS = 16 -- jobs of a 16th of a slot

describe("kueue", function ()
  local function quotas(list, now) return (peers.quotas("kueue", list, now)) end

  it("UV-1: a queue may use what others do not, up to its borrowing limit", function ()
    local two = { slots = 21, { "a", owned = 9 }, { "b", owned = 12 } }
    assert.same({ a = 21, b = 0 }, quotas(two, { a = { 99 } }))
    two[1].limit = 10
    assert.same({ a = 10, b = 0 }, quotas(two, { a = { 99 } }))
    assert.same({ a = 9, b = 12 }, quotas(two, { a = { 99 }, b = { 99 } }))
  end)

  it("UV-2: a queue keeps what its lending limit leaves", function ()
    local two = { slots = 21, { "a", owned = 9 }, { "b", owned = 12, lending_limit = 1 } }
    assert.same({ a = 10, b = 11 }, quotas(two, { a = { 99 } }))
    assert.same({ a = 0, b = 21 }, quotas(two, { b = { 99 } }))
  end)

  it("UV-3: a cohort's own slots are borrowed by its queues", function ()
    local list = { slots = 22, { "x", owned = 12, limit = 17,
      { "x1", owned = 6 }, { "x2", owned = 2 } }, { "y", owned = 10 } }
    assert.same({ x = 17, x1 = 17, x2 = 0, y = 0 }, quotas(list, { ["x/x1"] = { 99 } }))
    assert.same({ x = 12, x1 = 8, x2 = 4, y = 10 },
      quotas(list, { ["x/x1"] = { 99 }, ["x/x2"] = { 99 }, y = { 99 } }))
    list[1].lending_limit, list[1][3].lending_limit = 3, 0
    assert.same({ x = 9, x1 = 0, x2 = 2, y = 13 }, quotas(list, { y = { 99 } }))
    assert.same({ x = 17, x1 = 15, x2 = 2, y = 5 },
      quotas(list, { ["x/x1"] = { 99 }, y = { 5 } }))
  end)

  it("UV-8: three of 3 with equal weights lend and borrow equally", function ()
    local three = { slots = 9, { "a", owned = 3 }, { "b", owned = 3 }, { "c", owned = 3 } }
    assert.same({ a = 4, b = 5, c = 0 }, quotas(three, { a = { 4, 3 }, b = { 6, 6 } }))
  end)

  it("UV-9, UV-11: takes from nobody who would then borrow less by its weight", function ()
    local three = { slots = 9, { "a", owned = 3 }, { "b", owned = 3 }, { "c", owned = 3 } }
    local now = { a = { 5, 4 }, b = { 5, 5 } }
    local _, made = peers.quotas("kueue", three, now)
    assert.same({}, case.reclaims(made))
    three[1].share = 2
    _, made = peers.quotas("kueue", three, now)
    assert.same({ b = { 1, a = 1 } }, case.reclaims(made))
  end)

  it("U-5: a queue whose reclaimWithinCohort is Never takes nothing back", function ()
    local two = { slots = 8, { "a", owned = 4, reclaims = false }, { "b", owned = 4 } }
    local function reclaims(now)
      return case.reclaims(select(2, peers.quotas("kueue", two, now)))
    end
    assert.same({}, reclaims { a = { 4 }, b = { 8, 8 } })
    assert.same({ a = { 4, b = 4 } }, reclaims { a = { 8, 8 }, b = { 4 } })
  end)

  it("U-6: LowerPriority takes workloads below the queue's own, and what is idle", function ()
    local two = { slots = 8, { "a", owned = 4, lower = true, priority = 5 }, { "b", owned = 4 } }
    local now = { a = { 4 }, b = { 8, 8 }, tasks = {
      { id = "high", consumer = "/b", slots = 5, class = 5, started = 9 },
      { id = "low", consumer = "/b", slots = 2, class = 4, started = 1 },
    }, now = 10 }
    local made = select(2, peers.quotas("kueue", two, now))
    -- One slot is idle; low has two; four would be a's own.
    assert.same({ b = { 3, a = 3 } }, case.reclaims(made))
    assert.same({ "low" }, made.reclaims[1].tasks)
    two[1].lower = false
    made = select(2, peers.quotas("kueue", two, now))
    assert.same({ b = { 4, a = 4 } }, case.reclaims(made))
    assert.same({ "high" }, made.reclaims[1].tasks)
  end)

  --- Nodes of the reference for consumers; `leaves` gets those of leaves by path.
  local function nodes(it, list, above, leaves)
    local out = {}
    for i, each in ipairs(list) do
      local path, below = above .. "/" .. each.name, 0
      for _, child in ipairs(each.children or {}) do below = below + child.owned end
      out[i] = {
        nominal = (each.owned - below) * UNITS, weight = each.share,
        borrowing = ((each.limit or math.huge) - each.owned) * UNITS,
        lending = (each.lending_limit or math.huge) * UNITS,
        want = (it.state.consumers[path] or { demand = 0 }).demand * UNITS,
        children = each.children and nodes(it, each.children, path, leaves),
      }
      leaves[path] = out[i]
    end
    return out
  end

  -- Kueue admits jobs one by one; jobs of a 16th of a slot end within one a row and level, and a
  -- slot where a cohort's quota has become whole.
  peers.random("has what fair sharing admits", "kueue", {
    columns = function (random, node)
      local owned = random:int(0, 8)
      for _, child in ipairs(node.children or {}) do owned = owned + child.owned end
      return {
        owned = owned, share = random:int(1, 4),
        lending_limit = random:once_in(4) and random:int(0, owned) or nil,
        limit = random:once_in(3) and owned + random:int(0, 6) or nil,
      }
    end,
    whole = true,
  }, function (families, it)
    local leaves, root = {}, { nominal = 0, borrowing = math.huge, lending = math.huge, weight = 1 }
    root.children = nodes(it, it.plan.consumers, "", leaves)
    admit(root)
    for _, family in ipairs(families) do
      for _, row in ipairs(family) do
        local level, used = select(2, row.path:gsub("/", "")), leaves[row.path].used / UNITS
        local has = math.max(used, row.owned - (row.lending_limit or row.owned))
        assert(not row.leaf or math.abs(row.quota - has) < level + #family * level / UNITS,
          ("%s has %d, Kueue admits %s"):format(row.path, row.quota, used))
      end
    end
  end)
end)
