-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: YARN's schedulers beside their published rules. Numbers such as FV-3 are those
-- of cases computed by hand.

local case = require "spec.support.cases.case"
local capacity = require "spec.support.peers.yarn_capacity"
local fair = require "spec.support.peers.yarn_fair"
local peers = require "spec.support.peers.cases"

local MB = 1024 -- YARN's unit is a megabyte; a slot here has so many

local function all(...)
  local out = {}
  for i, name in ipairs { ... } do out[name] = { 1000, 0 }; out[i] = nil end
  return out
end

describe("yarn_fair", function ()
  local function fair_of(slots, list, now)
    list.slots = slots
    return (peers.quotas("yarn_fair", list, now or all("a", "b", "c")))
  end

  it("FV-3: weights 1 3 1, 20 at most for a", function ()
    local list = { { "a", limit = 20 }, { "b", share = 3 }, { "c" } }
    assert.same({ a = 20, b = 60, c = 20 }, fair_of(100, list))
  end)

  it("FV-5: weight 0 has its minimum, who is not active nothing", function ()
    local list = { { "a", share = 0, min_share = 10 }, { "b" }, { "c" } }
    assert.same({ a = 10, b = 90, c = 0 }, fair_of(100, list, all("a", "b")))
  end)

  it("FV-6: nobody above its maximum", function ()
    local list = { { "a", limit = 30 }, { "b", limit = 20 } }
    assert.same({ a = 30, b = 20 }, fair_of(100, list, all("a", "b")))
  end)

  it("FV-7: children divide their parent's share", function ()
    local list = {
      { "p", { "p1" }, { "p2", share = 3 }, share = 2 }, { "z", min_share = 40 },
    }
    local quotas = fair_of(90, list, all("p/p1", "p/p2", "z"))
    assert.same({ p = 50, z = 40, p1 = 13, p2 = 37 }, quotas) -- 12.5, 37.5; YARN: 12 38
  end)

  it("FV-1, FV-2, FV-4: never gives more than there is, where YARN does", function ()
    assert.same({ a = 4, b = 3, c = 3 }, fair_of(10, { { "a" }, { "b" }, { "c" } }))
    assert.same({ 4, 4, 4 }, fair.shares(10, {
      { weight = 1, min = 0, max = 99, active = true },
      { weight = 1, min = 0, max = 99, active = true },
      { weight = 1, min = 0, max = 99, active = true },
    }))
    local list = { { "a", min_share = 50 }, { "b" }, { "c", share = 2 } }
    assert.same({ a = 50, b = 17, c = 33 }, fair_of(100, list)) -- 50, 16 2/3, 33 1/3; YARN: 101
    list = { { "a", min_share = 70 }, { "b", min_share = 60 } }
    assert.same({ a = 54, b = 46 }, fair_of(100, list, all("a", "b"))) -- 70 : 60; YARN: 130
  end)

  local function columns(random)
    return {
      share = random:once_in(8) and 0 or random:int(1, 8),
      min_share = random:once_in(2) and random:int(0, 12) or nil,
      limit = random:once_in(4) and random:int(0, 40) or nil,
    }
  end

  local function open(random, slots) return random:once_in(4) and 0 or slots end

  -- ComputeFairShares divides megabytes; its shares of queues that want all are these to 1 MB a
  -- row, and a quota is one of the two whole numbers of slots beside it. Where minima are more
  -- than there is (FV-4) it gives too much, and a queue of weight 0 has idle slots here alone.
  peers.random("has the shares of ComputeFairShares", "yarn_fair",
    { columns = columns, demand = open }, function (families)
      for _, family in ipairs(families) do
        local rows, minima = {}, 0
        for i, row in ipairs(family) do
          rows[i] = {
            weight = row.share, min = (row.min_share or 0) * MB, max = row.limit * MB,
            active = row.need > 0,
          }
          local wanted = row.leaf and row.need > 0 and row.limit or row.need
          rows[i].max = math.min(rows[i].max, wanted * MB)
          rows[i].min = math.min(rows[i].min, rows[i].max)
          minima = minima + rows[i].min
        end
        if minima <= family.slots * MB then
          local shares = fair.shares(family.slots * MB, rows)
          for i, row in ipairs(family) do
            shares[i] = row.share == 0 and row.exact or shares[i] / MB
          end
          peers.agree(family, shares, 1 / MB)
        end
      end
    end)

  -- Units of a 16th of a slot go to who is first; each ends within one of them a row.
  peers.random("has what the scheduler assigns one by one", "yarn_fair", { columns = columns },
    function (families)
      for _, family in ipairs(families) do
        local rows = {}
        for i, row in ipairs(family) do
          rows[i] = { weight = row.share, min = (row.min_share or 0) * 16, need = row.need * 16 }
        end
        local used = fair.assign(family.slots * 16, rows)
        for i in ipairs(used) do used[i] = used[i] / 16 end
        peers.agree(family, used, 1 / 16)
      end
    end)
end)

describe("yarn_capacity", function ()
  --- Quotas less idle slots, which is what YARN calls ideal.
  local function ideals(slots, rows)
    local list, now = { slots = slots }, { slots = slots }
    for i, row in ipairs(rows) do
      local name = string.char(96 + i)
      list[i] = { name, owned = row[1] }
      now[name] = { row[2] + row[3], row[2] }
    end
    local _, made = peers.quotas("yarn_capacity", list, now)
    local out = {}
    for i, row in ipairs(made.groups.default.consumers) do
      out[i] = row.quota - (row.parts.idle or 0) - (row.parts.none or 0)
    end
    return out
  end

  it("YV-1, YV-2: owners get their capacity back", function ()
    assert.same({ 40, 40, 20 }, ideals(100, { { 40, 0, 40 }, { 40, 60, 0 }, { 20, 40, 0 } }))
  end)

  it("YV-6: what is idle is kept by whoever uses it", function ()
    assert.same({ 10, 90, 0 }, ideals(100, { { 10, 10, 60 }, { 10, 90, 0 }, { 80, 0, 0 } }))
  end)

  it("YV-5: a leaf gets its capacity back inside a branch that is below its own", function ()
    local list = {
      slots = 100, { "p", { "p1", owned = 30 }, { "p2", owned = 30 }, owned = 60 },
      { "z", owned = 40 },
    }
    local quotas = peers.quotas("yarn_capacity", list,
      { slots = 100, ["p/p1"] = { 50, 50 }, ["p/p2"] = { 30, 5 }, z = { 45, 45 } })
    assert.same({ p = 60, p1 = 30, p2 = 30, z = 40 }, quotas)
  end)

  it("YV-4: nothing is taken from a queue that disables preemption", function ()
    local list = {
      slots = 100, { "a", owned = 50 }, { "b", owned = 30, disable_preemption = true },
      { "c", owned = 20 },
    }
    local _, made = peers.quotas("yarn_capacity", list,
      { slots = 100, a = { 60, 20 }, b = { 60, 60 }, c = { 20, 20 } })
    assert.same({}, made.reclaims)
    list[2].disable_preemption = false
    _, made = peers.quotas("yarn_capacity", list,
      { slots = 100, a = { 60, 20 }, b = { 60, 60 }, c = { 20, 20 } })
    assert.same({ b = { 30, a = 30 } }, case.reclaims(made))
  end)

  -- Half up of megabytes ends within one of each row.
  peers.random("has the ideals of the preemption monitor", "yarn_capacity", {
    depth = 1, hold = true,
    columns = function (random)
      local owned = random:once_in(6) and 0 or random:int(1, 20)
      return { owned = owned, limit = random:once_in(4) and owned + random:int(0, 20) or nil }
    end,
    whole = true,
  }, function (families)
    local family, rows = families[1], {}
    for i, row in ipairs(family) do
      rows[i] = {
        capacity = row.owned * MB, used = row.held * MB, demand = row.need * MB, leaf = true,
      }
      row.exact = row.quota - (row.parts.idle or 0) - (row.parts.none or 0)
    end
    for i, ideal in ipairs(capacity(family.slots * MB, rows)) do
      local row = family[i]
      assert(math.abs(ideal / MB - row.exact) < 1 + #family / MB,
        ("%s keeps %d, its ideal is %s"):format(row.path, row.exact, ideal / MB))
    end
  end)
end)
