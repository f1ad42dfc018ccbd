-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- allot.diff: each kind of difference by hand; and B less A is the reverse of A less B, whatever
--- the case.

local allot = require "allot"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local json = require "dkjson"
local property = require "spec.support.cases.property"

--- The comparison of two pairs of documents; `b_state` is the state of both where it is not given.
local function diff(a, b, state, b_state, all)
  local _, one = engine.text(a, state)
  local _, other = engine.text(b, b_state or state)
  return allot.diff(one, other, { all = all })
end

--- The row whose `key` is `value`.
local function row(rows, value, key)
  for _, each in ipairs(rows) do
    if each[key or "consumer"] == value then return each end
  end
  error(("no row of %s"):format(value), 2)
end

local function plan(a, b, more)
  local out = case.plan { slots = 10, { "a", owned = a }, { "b", owned = b } }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function queues(high)
  return {
    version = 1, policy = "preemption", hosts = { h = { slots = 4 } },
    queues = {
      { name = "high", priority = 50, preemptive = high }, { name = "low", priority = 10 },
    },
  }
end

describe("allot.diff", function ()
  it("tells quotas, grants and reclaims, of whom and for whom", function ()
    local state = case.state { a = { 10, 8 }, b = { 10, 0 } }
    local found = diff(plan(5, 5), plan(7, 3), state)
    assert.is_false(found.same)
    assert.same({ a = 5, b = 7, change = 2 }, row(found.consumers, "/a").quota)
    assert.same({ a = 5, b = 3, change = -2 }, row(found.consumers, "/b").quota)
    -- /a holds 8 of 10; 2 are idle and go to /b; it is owed 3 more, or 1
    assert.same({ a = 3, b = 1, change = -2 }, row(found.consumers, "/a").reclaimed)
    assert.same({ a = 3, b = 1, change = -2 }, row(found.reclaims, "/a").slots)
    assert.equal("/b", row(found.claims, "/a")["for"])
    assert.same({ a = 3, b = 1, change = -2 }, found.groups[1].reclaimed)
    assert.same({ a = 2, b = 2, change = 0 }, found.groups[1].granted)
  end)

  it("tells who is in one plan only, by path", function ()
    local other = plan(5, 5)
    other.consumers[3] = { name = "c" }
    local found = diff(plan(5, 5), other, case.state { a = { 1, 1 } })
    assert.equal("b", row(found.consumers, "/c").only)
    assert.is_false(found.same)
    found = diff(other, plan(5, 5), case.state { a = { 1, 1 } })
    assert.equal("a", row(found.consumers, "/c").only)
    assert.equal(1, #found.consumers)
  end)

  it("matches by path, not by place", function ()
    local a = case.plan { slots = 4, { "x", { "m", owned = 2 } }, { "y", { "m", owned = 2 } } }
    local b = case.plan { slots = 4, { "y", { "m", owned = 2 } }, { "x", { "m", owned = 2 } } }
    local state = case.state { ["x/m"] = { 1, 1 }, ["y/m"] = { 3, 3 } }
    assert.is_true(diff(a, b, state).same)
  end)

  it("tells what was decided from only where something was decided", function ()
    local state = case.state { a = { 4, 4 } }
    local found = diff(plan(5, 5), plan(6, 4), state)
    assert.is_true(found.same)
    assert.same({}, found.consumers)
    found = diff(plan(5, 5), plan(6, 4), state, nil, true)
    assert.is_true(found.same)
    assert.equal(2, #found.consumers)
  end)

  it("tells groups of one plan only", function ()
    local a = { version = 1, groups = { cpu = { slots = 4 } }, consumers = { { name = "a" } } }
    local b = {
      version = 1, groups = { cpu = { slots = 4 }, gpu = { slots = 2 } },
      consumers = { { name = "a" } },
    }
    local found = diff(a, b, { now = 0 })
    assert.equal("b", row(found.groups, "gpu", "group").only)
    assert.is_nil(row(found.consumers, "gpu", "group").only)
  end)

  it("tells which tasks go, and what work is lost", function ()
    local function tasks(first, second)
      return {
        now = 1000, consumers = { ["/a"] = { demand = 8 }, ["/b"] = { demand = 10 } },
        tasks = {
          { id = "t1", consumer = "/a", slots = 4, started = first },
          { id = "t2", consumer = "/a", slots = 4, started = second },
        },
      }
    end
    local found = diff(plan(5, 5), plan(5, 5), tasks(900, 990), tasks(990, 900))
    assert.is_false(found.same)
    assert.same({}, found.consumers)
    assert.same({ a = 0, b = 1, change = 1 }, row(found.tasks, "t1", "id").reclaimed)
    assert.same({ a = 1, b = 0, change = -1 }, row(found.tasks, "t2", "id").reclaimed)
    found = diff(plan(5, 5), plan(8, 2), tasks(900, 990))
    assert.same({ a = 40, b = 0, change = -40 }, row(found.reclaims, "/a").lost)
  end)

  it("tells tasks that are killed", function ()
    local function flying(deadline)
      return {
        now = 1000, consumers = { ["/a"] = { demand = 8 } },
        tasks = { { id = "t", consumer = "/a", slots = 8 } },
        reclaims = { { consumer = "/a", slots = 8, tasks = { "t" }, deadline = deadline } },
      }
    end
    local found = diff(plan(5, 5), plan(5, 5), flying(2000), flying(990))
    assert.same({ a = 0, b = 1, change = 1 }, row(found.tasks, "t", "id").killed)
  end)

  it("tells on which hosts slots are given", function ()
    local function hosts(placement)
      return plan(5, 5, {
        slots = nil, hosts = { h1 = { slots = 5 }, h2 = { slots = 5 } },
        options = { placement = placement },
      })
    end
    local found = diff(hosts "stacked", hosts "balanced", case.state { a = { 4, 0 } })
    assert.is_false(found.same)
    assert.same({}, found.consumers)
    assert.equal(2, #found.places)
    assert.same({ a = 4, b = 2, change = -2 }, row(found.places, "h1", "host").slots)
  end)

  it("tells which jobs start, are suspended and where", function ()
    local state = {
      now = 1000,
      jobs = {
        { id = "1", queue = "low", slots = 4, state = "running", hosts = { h = 4 }, started = 0 },
        { id = "2", queue = "high", slots = 4, submitted = 500 },
      },
    }
    local found = diff(queues(false), queues(true), state)
    assert.same({ a = 0, b = 4, change = 4 }, row(found.jobs, "2", "id").started)
    assert.same({ a = 0, b = 4, change = 4 }, row(found.jobs, "1", "id").suspended)
    assert.equal("/low", row(found.jobs, "1", "id").consumer)
    assert.same({ a = 0, b = 4, change = 4 }, row(found.places, "2", "job").slots)
  end)

  it("tells loans", function ()
    local function lending(limit)
      return {
        version = 1, slots = 10, policy = "ownership",
        consumers = {
          { name = "a", owned = 10, lend = true, lend_limit = limit },
          { name = "b", borrow = true },
        },
      }
    end
    local found = diff(lending(6), lending(2), case.state { b = { 9, 0 } })
    local loan = row(found.loans, "/a", "lender")
    assert.equal("/b", loan.borrower)
    assert.same({ a = 6, b = 2, change = -4 }, loan.slots)
  end)

  it("tells leases", function ()
    local function lease(kind)
      return {
        version = 1, policy = "shared_lease",
        leases = { {
          name = "l", provider = "p", consumer = "c", slots = 8, type = kind, reclaim_delay = 10,
        } },
      }
    end
    local state = {
      now = 100, leases = { l = {
        provider = { available = 7, used = 1 }, consumer = { available = 1, used = 1, demand = 5 },
        phase = "ok", since = 0,
      } },
    }
    local found = diff(lease "shared", lease "shared", { now = 100 }, state)
    assert.is_false(found.same)
    assert.equal("l", found.leases[1].id)
    local other = lease "shared"
    other.leases[1].name = "m"
    found = diff(lease "shared", other, { now = 0 })
    assert.equal("a", row(found.leases, "l", "id").only)
    assert.equal("b", row(found.leases, "m", "id").only)
  end)

  it("is used as it is meant", function ()
    local _, decision = engine.text(plan(5, 5), { now = 0 })
    assert.error_matches(function () allot.diff(decision) end, "allot.decision expected")
    assert.error_matches(function () allot.diff(decision, decision, 1) end, "table expected")
  end)
end)

-- Properties -----------------------------------------------------------------------------------

local KINDS = { "groups", "consumers", "reclaims", "claims", "places", "tasks", "jobs", "loans" }

--- A row's text without its numbers, and the numbers, turned round where that is wanted.
local function key_of(each, turned)
  local key, numbers = {}, {}
  for name, value in pairs(each) do
    if type(value) == "table" then
      numbers[name] = turned and { a = value.b, b = value.a, change = -value.change } or value
    else
      key[#key + 1] = name .. "=" .. (name ~= "only" and value
        or turned and (value == "a" and "b" or "a") or value)
    end
  end
  table.sort(key)
  return table.concat(key, " "), numbers
end

local function by_key(rows, turned)
  local out = {}
  for _, each in ipairs(rows) do
    local key, numbers = key_of(each, turned)
    assert(not out[key], "twice: " .. key)
    out[key] = numbers
  end
  return out
end

--- The case's plan with first-level ownership turned over, and without the last consumer where
--- nobody speaks of it.
local function other_plan(one)
  local other = json.decode(document.encode(one.plan))
  local list = other.consumers
  for i = 1, #list // 2 do
    local j = #list + 1 - i
    list[i], list[j] = list[j], list[i]
  end
  other.options = { hold_rounding = true, default_rank = 2 }
  return other
end

describe("allot.diff of random cases", function ()
  property("B less A is the reverse of A less B", { runs = 150, valid = engine.valid },
    function (one)
      local other = other_plan(one)
      local there = diff(one.plan, other, one.state)
      local back = diff(other, one.plan, one.state)
      assert(there.same == back.same)
      for _, kind in ipairs(KINDS) do
        require "luassert".same(by_key(there[kind]), by_key(back[kind], true))
      end
    end)

  property("nothing differs from itself", { runs = 100, valid = engine.valid }, function (one)
    local found = diff(one.plan, one.plan, one.state)
    assert(found.same)
    for _, kind in ipairs(KINDS) do assert(#found[kind] == 0, kind) end
  end)

  property("changes of leaves sum up to the group's", { runs = 100, valid = engine.valid },
    function (one)
      local found = diff(one.plan, other_plan(one), one.state, nil, true)
      local sums = {}
      for _, each in ipairs(found.reclaims) do
        sums[each.group] = (sums[each.group] or 0) + each.slots.change
      end
      for _, group in ipairs(found.groups) do
        assert(group.reclaimed.change == (sums[group.group] or 0))
      end
    end)
end)
