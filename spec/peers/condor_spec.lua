-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: HTCondor beside its published rules. Numbers such as NV-3 are those of cases
-- computed by hand.

local divide = require "spec.support.peers.condor"
local peers = require "spec.support.peers.cases"
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

  --- The reference's nodes of consumers, `all` by path.
  local function nodes(it, list, above, all)
    local out = {}
    for i, each in ipairs(list) do
      local path = above .. "/" .. each.name
      out[i] = {
        quota = each.owned, accept = not each.limit, got = rational(0),
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

  -- With slot weights, the default, HTCondor's quotas stay fractions: at the first level they are
  -- equal. Below a branch, which is whole here, they are within a slot a level.
  peers.random("has the quotas and the surplus of groups", "condor", {
    columns = function (random, node)
      local owned = random:once_in(5) and 0 or random:int(1, 9)
      if node.children then owned = peers.sum(node.children, "owned") end
      return { owned = owned, limit = random:once_in(4) and owned or nil }
    end,
    slots = function (random, plan)
      return math.max(1, peers.sum(plan.consumers, "owned") + random:int(0, 12))
    end,
  }, function (families, it)
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
  end)
end)
