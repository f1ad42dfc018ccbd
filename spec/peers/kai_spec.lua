-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: KAI beside its published rules. Numbers such as KV-1 are those of cases computed
-- by hand.

local division = require "spec.support.peers.kai"
local engine = require "spec.support.cases.engine"
local peers = require "spec.support.peers.cases"

local MILLI = 1000 -- KAI divides processors in thousandths

describe("kai", function ()
  --- Rows are { deserved, weight, wanted, priority }.
  local function shares(slots, rows)
    local list, now, out = { slots = slots }, { slots = slots }, {}
    for i, row in ipairs(rows) do
      local name = string.char(96 + i)
      list[i] = { name, owned = row[1], share = row[2], priority = row[4] }
      now[name] = { row[3] }
    end
    local quotas = peers.quotas("kai", list, now)
    for i in ipairs(rows) do out[i] = quotas[string.char(96 + i)] end
    return out
  end

  it("KV-1: what is deserved, then by weight", function ()
    assert.same({ 6, 1, 5 }, shares(12, { { 4, 1, 10 }, { 2, 1, 1 }, { 0, 2, 10 } }))
  end)

  it("KV-2: rounds by exact shares, KAI's by rounds", function ()
    local rows = { { 0, 3, 10 }, { 0, 2, 10 }, { 0, 1, 1 } }
    assert.same({ 5, 4, 1 }, shares(10, rows)) -- 5.4 3.6 1
    for i, row in ipairs(rows) do
      rows[i] = { deserved = 0, weight = row[2], ask = row[3], priority = 100, usage = 0 }
    end
    assert.same({ 6, 3, 1 }, division(10, rows))
  end)

  it("KV-3: the higher priority first, to the last slot, as documented", function ()
    local rows = { { 0, 1, 9, 1 }, { 0, 1, 9, 1 }, { 0, 1, 9, 1 }, { 0, 1, 5, 0 } }
    assert.same({ 4, 3, 3, 0 }, shares(10, rows)) -- KAI: 3 3 3 1
  end)

  it("KV-6: children divide what their parent has", function ()
    local quotas = peers.quotas("kai", {
      slots = 12,
      { "p", { "p1", owned = 2 }, { "p2", owned = 2, share = 3 }, owned = 6 },
      { "z", owned = 2 },
    }, { slots = 12, ["p/p1"] = { 9 }, ["p/p2"] = { 9 }, z = { 9 } })
    assert.same({ p = 8, z = 4, p1 = 3, p2 = 5 }, quotas)
  end)

  it("K-13: in a queue a job takes the place of one of lower priority", function ()
    local function goes(priority)
      local made = engine.cycle({
        version = 1, slots = 4, policy = "site.lua",
        consumers = { { name = "a", owned = 4 }, { name = "b" } },
      }, {
        now = 100, slots = 4, tasks = {
          { id = "low", consumer = "/a", slots = 4, started = 0, priority = 50 },
          { id = "new", consumer = "/a", slots = 4, state = "pending", priority = priority },
        },
      }, nil, peers.policy "kai")
      return made.reclaims[1] and made.reclaims[1].tasks
    end
    assert.same({ "low" }, goes(75))
    assert.is_nil(goes(50))
  end)

  -- Thousandths are whole in KAI; a row ends within one for each row and round. KV-4, where more is
  -- deserved than is there, is left out: KAI gives it all.
  peers.random("has KAI's fair shares", "kai", {
    columns = function (random, node)
      local owned = random:int(0, 8)
      for _, child in ipairs(node.children or {}) do owned = owned + child.owned end
      return {
        owned = owned, share = #node.name == 1 and random:once_in(8) and 0 or random:int(1, 8),
        priority = random:once_in(3) and random:int(1, 3) or nil,
      }
    end,
    slots = function (random, plan)
      return math.max(1, peers.sum(plan.consumers, "owned") + random:int(0, 30))
    end,
  }, function (families)
    for _, family in ipairs(families) do
      local rows, deserved = {}, 0
      for i, row in ipairs(family) do
        deserved = deserved + math.min(row.owned, row.need)
        rows[i] = {
          deserved = row.owned * MILLI, weight = row.share, priority = row.priority or 100,
          ask = row.need * MILLI, usage = 0,
        }
      end
      if deserved <= family.slots then
        local expected = division(family.slots * MILLI, rows)
        for i in ipairs(expected) do expected[i] = expected[i] / MILLI end
        peers.agree(family, expected, #family / MILLI)
      end
    end
  end)
end)

describe("kai_time", function ()
  it("KV-5: who has used more than its weight gets less, by k", function ()
    for k, expected in pairs { [0] = 50, [50] = 38, [100] = 25, [200] = 0 } do
      local quotas = peers.quotas("kai_time", { slots = 100, half_life = 3600, { "a" }, { "b" } },
        { slots = 100, a = { 100 }, b = { 100 } }, { k = k }, { a = 750, b = 250 })
      assert.same({ a = expected, b = 100 - expected }, quotas)
    end
  end)

  local function columns(random) return { share = random:int(1, 8) } end

  local function check(k)
    return function (families)
      local family, rows = families[1], {}
      local usage = math.max(1, peers.sum(family, "usage"))
      for i, row in ipairs(family) do
        rows[i] = {
          deserved = 0, weight = row.share, priority = 100, ask = row.need * MILLI,
          usage = row.usage / usage,
        }
      end
      local expected = division(family.slots * MILLI, rows, k / 100)
      for i in ipairs(expected) do expected[i] = expected[i] / MILLI end
      peers.agree(family, expected, 1 / MILLI)
    end
  end

  -- KAI corrects anew in each round the weights of those that are not satisfied, this once those of
  -- all siblings: the same where all want more than they get.
  for _, k in ipairs { 30, 100, 250 } do
    peers.random("has KAI's fair shares for k = " .. k .. " %", "kai_time", {
      depth = 1, columns = columns, use = true, options = { k = k },
      demand = function (_, slots) return slots end,
    }, check(k))
  end
end)
