-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: Volcano's plugins beside their published rules. Numbers such as VV-2 are those
-- of cases computed by hand.

local case = require "spec.support.cases.case"
local peers = require "spec.support.peers.cases"
local volcano = require "spec.support.peers.volcano"

local UNITS = 8

describe("volcano_proportion", function ()
  local function deserved(slots, list, now)
    list.slots = slots
    return (peers.quotas("volcano_proportion", list, now))
  end

  it("VV-1: by weight, and what one does not want to the others", function ()
    local list = { { "a" }, { "b", share = 2 }, { "c" } }
    assert.same({ a = 30, b = 30, c = 30 },
      deserved(90, list, { a = { 90 }, b = { 30 }, c = { 90 } }))
  end)

  it("VV-2: no queue above its capability", function ()
    local list = { { "a", limit = 10 }, { "b" }, { "c" } }
    assert.same({ a = 10, b = 45, c = 5 },
      deserved(60, list, { a = { 90 }, b = { 90 }, c = { 5 } }))
  end)

  it("VV-3: guarantees are kept out of others' reach, of 30 slots and no more", function ()
    local list = { { "a", owned = 20, reserve = 20 }, { "b" }, { "c" } }
    local now = { a = { 30 }, b = { 30 }, c = { 30 } }
    assert.same({ a = 20, b = 5, c = 5 }, deserved(30, list, now)) -- Volcano: 20 10 10
  end)

  it("VV-4: no slot idles for a fraction", function ()
    assert.same({ a = 3, b = 7 }, -- 3 1/3 and 6 2/3; jobs of one slot run 3 and 6 in Volcano
      deserved(10, { { "a" }, { "b", share = 2 } }, { a = { 90 }, b = { 90 } }))
  end)

  -- Deserved amounts are equal before they are whole, unless a guarantee lifts their sum above
  -- what there is, or a queue above its part of the first round. A queue without jobs keeps its
  -- guarantee here, as the design says.
  peers.random("has what queues deserve", "volcano_proportion", {
    depth = 1,
    columns = function (random)
      local guarantee = random:once_in(3) and random:int(1, 6) or 0
      return {
        share = random:int(1, 8), owned = guarantee, reserve = guarantee,
        limit = random:once_in(3) and guarantee + random:int(0, 20) or nil,
      }
    end,
  }, function (families)
    local family, rows = families[1], {}
    local weights = 0
    for i, row in ipairs(family) do
      rows[i] = {
        weight = row.share, guarantee = row.reserve, capability = row.limit, request = row.need,
      }
      weights = weights + (row.need > 0 and row.share or 0)
    end
    for _, row in ipairs(family) do
      if row.reserve * weights > family.slots * row.share then return end
    end
    local expected = volcano.proportion(family.slots, rows)
    for i, row in ipairs(family) do
      local above, below = tostring(expected[i]):match "^(%d+)/?(%d*)$"
      expected[i] = tonumber(above) / (tonumber(below) or 1)
      assert(row.quota >= math.min(row.reserve, row.need), "a guarantee is not kept")
    end
    peers.agree(family, expected, 1 / 10000)
  end)
end)

describe("volcano_capacity", function ()
  it("VV-7: who deserves nothing gives first, and nobody takes more than it deserves", function ()
    for _, wanted in ipairs { 10, 11 } do
      local list = {
        slots = 30, { "a", owned = 10 }, { "b", owned = 10, reserve = 8 }, { "c" },
      }
      local quotas, made = peers.quotas("volcano_capacity", list,
        { slots = 30, a = { wanted, 4 }, b = { 14, 14 }, c = { 12, 12 } })
      assert.same({ a = 10, b = 14, c = 6 }, quotas)
      assert.same({ c = { 6, a = 6 } }, case.reclaims(made))
    end
  end)

  it("V-11: a queue that is not reclaimable keeps what it holds", function ()
    local list = { slots = 20, { "a", owned = 10 }, { "b", owned = 10, reclaimable = false } }
    local _, made = peers.quotas("volcano_capacity", list,
      { slots = 20, a = { 9, 0 }, b = { 20, 20 } })
    assert.same({}, made.reclaims)
  end)

  it("gives back what is furthest above what is deserved", function ()
    local list = { slots = 40, { "a", owned = 10 }, { "b", owned = 10 }, { "c", owned = 20 } }
    local quotas = peers.quotas("volcano_capacity", list,
      { slots = 40, a = { 14, 14 }, b = { 26, 26 }, c = { 12, 0 } })
    assert.same({ a = 14, b = 14, c = 12 }, quotas) -- by hand: b from 2.6 to 1.4 of its 10
  end)

  -- Tasks of an 8th of a slot come to rest within one of them a row and the rounding to whole
  -- slots; guarantees count as requested.
  peers.random("has what allocation and reclaim come to", "volcano_capacity", {
    depth = 1, hold = true,
    columns = function (random)
      local owned = random:once_in(4) and 0 or random:int(1, 12)
      return {
        owned = owned, reserve = random:once_in(4) and random:int(0, owned) or nil,
        limit = random:once_in(4) and owned + random:int(0, 12) or nil,
      }
    end,
    slots = function (random, plan)
      return peers.sum(plan.consumers, "owned") + random:int(1, 20)
    end,
  }, function (families)
    local family, rows, owned = families[1], {}, 0
    for i, row in ipairs(family) do
      owned = owned + row.owned
      rows[i] = {
        deserved = row.owned * UNITS, guarantee = row.reserve * UNITS, held = row.held * UNITS,
        capability = row.limit * UNITS, request = row.need * UNITS,
      }
    end
    if owned > family.slots then return end
    volcano.capacity(family.slots * UNITS, rows)
    for i, row in ipairs(family) do
      local held = rows[i].held / UNITS
      assert(math.abs(row.quota - held) < 1 + #family / UNITS,
        ("%s has %d, Volcano comes to %s"):format(row.path, row.quota, held))
    end
  end)
end)
