-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: HTCondor beside its published rules. Numbers such as NV-3 are those of cases
-- computed by hand.

local divide = require "spec.support.peers.condor"
local peers = require "spec.support.peers.cases"
local slices = require "spec.support.peers.condor_users"
local rational = require "spec.support.model.rational"

describe("condor", function ()
  local function quotas(list, now) return (peers.quotas("condor", list, now)) end

  it("NV-3: surplus of a group that accepts none from outside stays inside", function ()
    local list = { slots = 30, { "physics", owned = 20, limit = 20,
      { "hep", owned = 15 }, { "lep", owned = 5 } }, { "c", owned = 10 } }
    local now = { ["physics/hep"] = { 40 }, ["physics/lep"] = { 2 }, c = { 4 } }
    assert.same({ physics = 20, hep = 18, lep = 2, c = 4 }, quotas(list, now))
    list[1].limit = nil -- NV-4
    assert.same({ physics = 26, hep = 24, lep = 2, c = 4 }, quotas(list, now))
  end)

  it("NV-5, NV-6: surplus by quota, then equally", function ()
    local list = {
      slots = 65, { "x", owned = 20 }, { "y", owned = 10 }, { "z", owned = 5 }, { "n" },
    }
    local now = { slots = 65, x = { 20 }, y = { 90 }, z = { 90 }, n = { 90 } }
    assert.same({ x = 20, y = 30, z = 15, n = 0 }, quotas(list, now))
    list = { slots = 20, { "y", owned = 10 }, { "n" }, { "m" } }
    now = { slots = 20, y = { 12 }, n = { 9 }, m = { 2 } }
    assert.same({ y = 12, n = 6, m = 2 }, quotas(list, now))
  end)

  it("N-14: nothing is reclaimed for a quota", function ()
    local two = { slots = 20, { "x", owned = 10 }, { "y", owned = 10 } }
    local allotted, made = peers.quotas("condor", two, { x = { 10 }, y = { 20, 20 } })
    assert.same({ x = 10, y = 10 }, allotted)
    assert.same({}, made.reclaims)
  end)

  it("NV-2: dynamic quotas are of what static ones leave", function ()
    local list = { slots = 60, { "p", owned = 20 }, { "a", dynamic = 500 }, { "b", dynamic = 750 } }
    local now = { slots = 60, p = { 90 }, a = { 90 }, b = { 90 } }
    assert.same({ p = 20, a = 16, b = 24 }, quotas(list, now))
    list[3].dynamic = 250 -- 20 for a, 10 for b; 10 left by 20 : 20 : 10
    assert.same({ p = 24, a = 24, b = 12 }, quotas(list, now))
  end)

  --- The reference's nodes of consumers, `all` by path.
  local function nodes(it, list, above, all)
    local out = {}
    for i, each in ipairs(list) do
      local path = above .. "/" .. each.name
      out[i] = {
        quota = each.owned, dynamic = each.dynamic or 0, accept = not each.limit, got = rational(0),
        want = (it.state.consumers[path] or { demand = 0 }).demand,
        children = each.children and nodes(it, each.children, path, all),
      }
      all[path] = out[i]
    end
    return out
  end

  local function number(value)
    local above, below = tostring(value):match "^(%d+)/?(%d*)$"
    return tonumber(above) / (tonumber(below) or 1)
  end

  local function check(families, it)
    local all, root = {}, { quota = families[1].slots }
    root.children = nodes(it, it.plan.consumers, "", all)
    if peers.sum(it.plan.consumers, "owned") > root.quota then return end
    local total = divide(root)
    for _, family in ipairs(families) do
      for _, row in ipairs(family) do
        local got, level = number(total(all[row.path])), select(2, row.path:gsub("/", "")) - 1
        assert(math.abs(row.exact - got) <= level + 1e-9,
          ("%s has %s, HTCondor gives it %s"):format(row.path, row.exact, got))
      end
    end
  end

  local function slots(random, plan)
    return math.max(1, peers.sum(plan.consumers, "owned") + random:int(0, 12))
  end

  -- With slot weights, the default, HTCondor's quotas stay fractions: at the first level they are
  -- equal. Below a branch, which is whole here, they are within a slot a level.
  peers.random("has the quotas and the surplus of groups", "condor", {
    slots = slots,
    columns = function (random, node)
      local owned = random:once_in(5) and 0 or random:int(1, 9)
      if node.children then owned = peers.sum(node.children, "owned") end
      return { owned = owned, limit = random:once_in(4) and owned or nil }
    end,
  }, check)

  peers.random("has dynamic quotas", "condor", {
    depth = 1, slots = slots,
    columns = function (random)
      if random:once_in(2) then return { owned = random:int(0, 9) } end
      return { owned = 0, dynamic = random:int(1, 10) * 100 }
    end,
  }, check)
end)

describe("condor_users", function ()
  local now = { slots = 70, a = { 70 }, b = { 70 }, c = { 70 } }
  local function users(keys)
    local list = { slots = 70, half_life = 86400, { "a" }, { "b" }, { "c" } }
    for i, factor in ipairs(keys or {}) do list[i].factor = factor end
    return list
  end

  it("NV-9: slices are inverse to priorities", function ()
    local use = { a = 5, b = 10, c = 20 }
    assert.same({ a = 40, b = 20, c = 10 },
      (peers.quotas("condor_users", users(), now, { floor = 1 }, use)))
    assert.same({ a = 20, b = 40, c = 10 },
      (peers.quotas("condor_users", users { 2000, 500 }, now, { floor = 1 }, use)))
  end)

  it("NV-9: nothing is reclaimed", function ()
    local holding = { slots = 70, a = { 70, 45 }, b = { 70, 5 }, c = { 70 } }
    local quotas, made = peers.quotas("condor_users", users(), holding, { floor = 1 },
      { a = 5, b = 10, c = 20 })
    assert.same({ a = 40, b = 20, c = 10 }, quotas)
    assert.same({}, made.reclaims)
  end)

  it("NV-8: real priority is halved in a day, and never below 0.5", function ()
    local state = { now = 86400, slots = 70, a = { 70 }, b = { 70 } }
    local list = { slots = 70, half_life = 86400, { "a" }, { "b" } }
    -- 10 and 0.5: 10 * 86400 / ln 2 slot-seconds
    local quotas = peers.quotas("condor_users", list, state, nil, { a = 10 * 124648, b = 62324 })
    assert.same({ a = 3, b = 67 }, quotas) -- 70 / 21
  end)

  -- Slices are equal before they are whole, to a ten-thousandth.
  peers.random("has HTCondor's pie slices", "condor_users", {
    use = true, options = { floor = 100 },
    columns = function (random) return { factor = random:pick { 1000, 2000, 3000 } } end,
  }, function (families)
    for _, family in ipairs(families) do
      local list = {}
      for i, row in ipairs(family) do
        list[i] = { priority = math.max(row.usage, 100) * (row.factor or 1000), want = row.need }
      end
      peers.agree(family, slices(family.slots, list), 1 / 10000)
    end
  end)
end)
