-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Time windows: what a plan says at which hours (E-7, A-72).

local allot = require "allot"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local document = require "spec.support.cases.document"

local plan, state = case.plan, case.state

local WEEK = { "mon", "tue", "wed", "thu", "fri" }

--- Two branches; windows as given.
local function site(windows, more)
  local short = {
    slots = 40, windows = windows,
    { "A", owned = 10 }, { "B", { "x", owned = 20, rank = 1 }, { "y", owned = 10, rank = 2 } },
  }
  for key, value in pairs(more or {}) do
    short[key] = value
  end
  return plan(short)
end

local function at(short, now, consumers)
  local given = state(consumers or { A = { 100 }, ["B/x"] = { 100 }, ["B/y"] = { 100 } })
  given.now = now
  return engine.cycle(short, given)
end

--- What /A owns at a time.
local function owned(short, now)
  return case.by_path(at(short, now).groups.default)["/A"].owned
end

--- The diagnostics of a plan that is invalid.
local function faults(short)
  local made, _, report = allot.plan(document.encode(short), { file = "plan.json" })
  assert.is_nil(made)
  return report
end

describe("a window", function ()
  local day = site { { from = "08:00", to = "17:00", consumers = { ["/A"] = { owned = 7 } } } }

  it("is half open: it begins and ends at the tick (A-72)", function ()
    assert.equal("10", owned(day, "2026-11-23T07:59:59Z"))
    assert.equal("7", owned(day, "2026-11-23T08:00:00Z"))
    assert.equal("7", owned(day, "2026-11-23T16:59:59Z"))
    assert.equal("10", owned(day, "2026-11-23T17:00:00Z"))
  end)

  it("belongs to the day before when it goes over midnight", function ()
    local friday = site {
      { from = "22:00", to = "06:00", days = { "fri" }, consumers = { ["/A"] = { owned = 7 } } },
    }
    assert.equal("10", owned(friday, "2026-11-27T05:00:00Z"))
    assert.equal("7", owned(friday, "2026-11-27T22:00:00Z"))
    assert.equal("7", owned(friday, "2026-11-28T05:59:59Z"))
    assert.equal("10", owned(friday, "2026-11-28T06:00:00Z"))
    assert.equal("10", owned(friday, "2026-11-28T22:00:00Z"))
  end)

  it("goes by local clocks: in spring an hour is not there", function ()
    local night = site({
      { from = "02:00", to = "03:00", consumers = { ["/A"] = { owned = 7 } } },
    }, { timezone = "Europe/Berlin" })
    assert.equal("7", owned(night, "2026-03-28T02:30:00+01:00"))
    for minute = 0, 59 do
      assert.equal("10", owned(night, ("2026-03-29T01:%02d:00Z"):format(minute)))
      assert.equal("10", owned(night, ("2026-03-29T00:%02d:00Z"):format(minute)))
    end
  end)

  it("goes by local clocks: in autumn an hour is twice", function ()
    local night = site({
      { from = "02:00", to = "03:00", consumers = { ["/A"] = { owned = 7 } } },
    }, { timezone = "Europe/Berlin" })
    assert.equal("10", owned(night, "2026-10-24T23:59:59Z"))
    assert.equal("7", owned(night, "2026-10-25T00:00:00Z"))
    assert.equal("7", owned(night, "2026-10-25T01:59:59Z"))
    assert.equal("10", owned(night, "2026-10-25T02:00:00Z"))
  end)

  it("has a time zone of its own, or the plan's", function ()
    local two = site({
      { from = "08:00", to = "09:00", consumers = { ["/A"] = { owned = 7 } } },
      { from = "08:00", to = "09:00", timezone = "America/New_York",
        consumers = { ["/A"] = { owned = 5 } } },
      { from = "08:00", to = "09:00", timezone = "UTC", consumers = { ["/A"] = { owned = 3 } } },
    }, { timezone = "Asia/Tokyo" })
    assert.equal("7", owned(two, "2026-11-23T08:30:00+09:00"))
    assert.equal("5", owned(two, "2026-11-23T08:30:00-05:00"))
    assert.equal("3", owned(two, "2026-11-23T08:30:00Z"))
    assert.equal("10", owned(two, "2026-11-23T10:30:00Z"))
  end)

  it("is overruled by a later one, column by column", function ()
    local both = site {
      { from = "08:00", to = "17:00", consumers = { ["/A"] = { owned = 7, limit = 9 } } },
      { from = "12:00", to = "14:00", slots = 80, consumers = { ["/A"] = { owned = 8 } } },
    }
    local noon = at(both, "2026-11-23T12:30:00Z")
    assert.same({ 0, 1 }, noon.windows)
    local row = case.by_path(noon.groups.default)["/A"]
    assert.equal("8", row.owned)
    assert.equal(9, row.need)
    assert.equal(80, noon.groups.default.slots)
    assert.same({ 0 }, at(both, "2026-11-23T15:00:00Z").windows)
    assert.equal(40, at(both, "2026-11-23T15:00:00Z").groups.default.slots)
  end)

  it("can undo what it is in: null is no limit", function ()
    local open = assert(allot.plan [[{"consumers": [{"name": "A", "owned": 10, "limit": 12}],
      "windows": [{"from": "22:00", "to": "06:00", "consumers": {"/A": {"limit": null}}}]}]])
    local function need(now)
      local text = engine.decide(open, { now = now, consumers = { ["/A"] = { demand = 40 } } })
      return tonumber(text:match '"need": (%d+)')
    end
    assert.equal(12, need "2026-11-23T12:00:00Z")
    assert.equal(40, need "2026-11-23T23:00:00Z")
  end)

  it("is of one group, or of all", function ()
    local groups = site({
      { from = "08:00", to = "17:00", group = "gpu", slots = 6,
        consumers = { ["/A"] = { owned = 7 } } },
      { from = "16:00", to = "18:00", consumers = { ["/A"] = { owned = 9 } } },
    }, { groups = { cpu = { slots = 40 }, gpu = { slots = 40 } } })
    local function both(now)
      local given = { now = now, consumers = { ["/A"] = { demand = { cpu = 99, gpu = 99 } } } }
      local answer = engine.cycle(groups, given).groups
      return case.by_path(answer.cpu)["/A"].owned, case.by_path(answer.gpu)["/A"].owned,
        answer.gpu.slots
    end
    assert.same({ "10", "7", 6 }, { both "2026-11-23T09:00:00Z" })
    assert.same({ "9", "9", 6 }, { both "2026-11-23T16:30:00Z" })
    assert.same({ "9", "9", 40 }, { both "2026-11-23T17:30:00Z" })
    assert.same({ "10", "10", 40 }, { both "2026-11-23T19:00:00Z" })
  end)

  it("can go by another policy, with options of its own", function ()
    local SITE = 'return policy { name = "even", quota = { fill "all" { by = 1 } } }'
    local mixed = site { { from = "08:00", to = "17:00", policy = "site.lua" } }
    local function quotas(now)
      local given = state { A = { 100 }, ["B/x"] = { 100 }, ["B/y"] = { 100 } }
      given.now = now
      local answer = engine.cycle(mixed, given, nil, SITE)
      local rows = case.by_path(answer.groups.default)
      return { answer.policy.name, rows["/A"].quota, rows["/B"].quota }
    end
    assert.same({ "hybrid", 10, 30 }, quotas "2026-11-23T07:00:00Z")
    assert.same({ "even", 20, 20 }, quotas "2026-11-23T09:00:00Z")
    local evenly = site {
      { from = "08:00", to = "17:00", policy = { use = "hybrid", evenly = true } },
    }
    local sizes = { slots = 60, A = { 100 }, ["B/x"] = { 100 } }
    local function quota(now)
      return case.by_path(at(evenly, now, sizes).groups.default)["/A"].quota
    end
    assert.equal(15, quota "2026-11-23T07:00:00Z") -- 10 of 40 of 60
    assert.equal(20, quota "2026-11-23T09:00:00Z") -- 10 own, then 10 of 20 evenly
  end)

  it("can turn the order of siblings round", function ()
    local turned = site {
      { from = "08:00", to = "17:00", days = WEEK, consumers = { ["/B/x"] = { rank = 9 } } },
    }
    -- One slot for B, and both want it: the better rank gets it.
    local want = { slots = 1, ["B/x"] = { 1 }, ["B/y"] = { 2 } }
    local function grants(now)
      local given = state(want)
      given.now = now
      return case.grants((engine.cycle(turned, given)))
    end
    assert.same({ ["B/x"] = 1 }, grants "2026-11-21T09:00:00Z") -- a Saturday
    assert.same({ ["B/y"] = 1 }, grants "2026-11-23T09:00:00Z")
  end)
end)

describe("a plan with windows", function ()
  local function fault(windows, more)
    local report = faults(site(windows, more))
    assert.equal(1, #report)
    return report[1]
  end

  it("is checked as it is in each of them", function ()
    local found = fault {
      { from = "08:00", to = "17:00", consumers = { ["/A"] = { reserve = 9 } } },
      { from = "12:00", to = "14:00", consumers = { ["/A"] = { owned = 8 } } },
    }
    assert.equal("E-reserve", found.code)
    assert.equal("reserve is 9, at most 8, what it owns, is allowed", found.message)
  end)

  it("is not checked as it never is", function ()
    engine.sealed(site {
      { from = "08:00", to = "12:00", consumers = { ["/A"] = { reserve = 9 } } },
      { from = "12:00", to = "14:00", consumers = { ["/A"] = { owned = 8 } } },
    })
  end)

  it("is checked with windows of several zones in every way that they may meet", function ()
    local found = fault {
      { from = "08:00", to = "12:00", consumers = { ["/A"] = { reserve = 9 } } },
      { from = "08:00", to = "12:00", timezone = "Asia/Tokyo",
        consumers = { ["/A"] = { owned = 8 } } },
    }
    assert.equal("E-reserve", found.code)
  end)

  it("has no more zones in a group than can be checked", function ()
    local zones = { "UTC", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Asia/Dubai",
      "Asia/Seoul", "Europe/Paris", "Asia/Kolkata", "Africa/Cairo", "America/Lima",
      "Asia/Manila", "Europe/Rome", "Pacific/Fiji" }
    local windows = {}
    for i, zone in ipairs(zones) do
      windows[i] = { from = "08:00", to = "12:00", timezone = zone, slots = 30 + i }
    end
    assert.equal("E-windows", fault(windows).code)
    windows[#windows] = nil -- 2^12 are 4096
    engine.sealed(site(windows))
  end)

  it("says what is wrong with an entry, and where", function ()
    local function says(entry, more)
      local found = fault({ entry }, more)
      return found.code .. ": " .. found.message .. (found.hint and " | " .. found.hint or "")
    end
    assert.equal('E-range: found "8:00", allowed "00:00" to "23:59"',
      says { from = "8:00", to = "09:00" })
    assert.equal('E-range: found "24:00", allowed "00:00" to "23:59"',
      says { from = "24:00", to = "09:00" })
    assert.equal('E-range: found "24:01", allowed "00:00" to "24:00"',
      says { from = "08:00", to = "24:01" })
    assert.equal('E-missing: "to" is missing', says { from = "08:00" })
    assert.equal('E-duplicate: found "mon" again, allowed once',
      says { from = "08:00", to = "09:00", days = { "mon", "mon" } })
    assert.equal('E-timezone: found the time zone "Europe/Berlim", which the system does not have'
      .. ' | did you mean "Europe/Berlin"?',
      says { from = "08:00", to = "09:00", timezone = "Europe/Berlim" })
    assert.equal('E-timezone: found the time zone "zone.tab", which is no file of time zone data',
      says { from = "08:00", to = "09:00", timezone = "zone.tab" })
    for _, name in ipairs { "../zoneinfo/UTC", "/etc/localtime", "", "Europe", "Europe//Berlin" } do
      assert.truthy(says({ from = "08:00", to = "09:00" }, { timezone = name }):find "^E%-timezone")
    end
    assert.equal('E-unknown-path: found the path "/C", which no consumer of the plan has',
      (says { from = "08:00", to = "09:00", consumers = { ["/C"] = {} } }:gsub(" |.*", "")))
    assert.equal('E-unknown-key: found the unknown key "ownd" | did you mean "owned"?',
      says { from = "08:00", to = "09:00", consumers = { ["/A"] = { ownd = 3 } } })
    assert.equal('E-unknown-group: found the unknown group "gpu", allowed "default"',
      says { from = "08:00", to = "09:00", group = "gpu" })
    assert.equal('E-unknown-policy', fault { { from = "08:00", to = "09:00", policy = "hybird" } }
      .code)
  end)

  it("has at most 64", function ()
    local windows = {}
    for i = 1, 65 do
      windows[i] = { from = "08:00", to = "09:00" }
    end
    assert.equal("a plan has at most 64 windows", fault(windows).message)
    windows[65] = nil
    engine.sealed(site(windows))
  end)
end)

describe("a state under windows", function ()
  it("may be of any time under the same plan", function ()
    local sealed = engine.sealed(site {
      { from = "08:00", to = "17:00", consumers = { ["/A"] = { owned = 7, rank = 5 } } },
    })
    local texts = {} -- but for the times in them
    for i, hour in ipairs { 7, 12, 18, 12, 7 } do
      local given = state { A = { 30, 12 }, ["B/x"] = { 30, 9 } }
      given.now = ("2026-11-23T%02d:00:00Z"):format(hour)
      texts[i] = engine.decide(sealed, given):gsub('"[%a_]+": 1795%d+', "")
    end
    assert.equal(texts[1], texts[5])
    assert.equal(texts[2], texts[4])
    assert.not_equal(texts[1], texts[2])
    assert.equal(texts[1], texts[3])
  end)

  it("says when the cycle before was", function ()
    local given = state { A = { 30, 12 } }
    given.last = "2026-11-23T07:00:00Z"
    given.now = "2026-11-23T09:00:00Z"
    engine.cycle(site(), given)
    given.last = "yesterday"
    assert.has_error(function ()
      engine.cycle(site(), given)
    end)
  end)
end)

describe("an explanation", function ()
  --- Its first sentences at a time, of a consumer.
  local function told(short, now, path)
    local given = state { A = { 30, 0 }, ["B/x"] = { 30, 0 } }
    given.now = now
    local _, decision = engine.cycle(short, given)
    local lines = decision:explain(path)
    return { lines[1], lines[2] }
  end
  local day = site({
    { from = "08:00", to = "17:00", days = WEEK, slots = 80,
      consumers = { ["/A"] = { owned = 7, rank = 3 }, ["/B/x"] = { owned = 15, limit = 16 } } },
    { from = "12:00", to = "14:00", consumers = { ["/A"] = { owned = 10 } } },
  }, { timezone = "Europe/Berlin" })
  local FIRST = "window 0 (08:00 to 17:00 mon tue wed thu fri, Europe/Berlin)"

  it("says which windows hold, and what they change for a consumer and its group", function ()
    assert.same({
      "Now a window holds: " .. FIRST .. ".",
      "For /A that changes owned 10 to 7, rank 0 to 3; for all planned slots 40 to 80.",
    }, told(day, "2026-11-23T09:00:00+01:00", "/A"))
    -- /B owns the sum of what its children do.
    assert.matches("^For /B that changes owned 30 to 25;",
      told(day, "2026-11-23T09:00:00+01:00", "/B")[2])
    assert.matches("^For /B/x that changes owned 20 to 15, limit none to 16;",
      told(day, "2026-11-23T09:00:00+01:00", "/B/x")[2])
  end)

  it("goes by the last window that says something, column by column", function ()
    assert.same({
      "Now windows hold: " .. FIRST .. ", window 1 (12:00 to 14:00, Europe/Berlin).",
      "For /A that changes rank 0 to 3; for all planned slots 40 to 80.",
    }, told(day, "2026-11-23T12:00:00+01:00", "/A"))
  end)

  it("says so where they change nothing, or none holds", function ()
    local sunday = "2026-11-22T13:00:00+01:00"
    assert.equal("For /A that changes nothing.", told(day, sunday, "/A")[2])
    assert.equal("None of the plan's windows holds now.",
      told(day, "2026-11-22T09:00:00+01:00", "/A")[1])
    assert.matches("^/A owns 10", told(site(), sunday, "/A")[1])
  end)

  it("names lists and policies that are others", function ()
    local short = plan {
      slots = 30, policy = "ownership", { "A", owned = 10, lend = true }, { "B", owned = 20 },
      windows = { { from = "00:00", to = "24:00",
        consumers = { ["/A"] = { lend = { "/B" } }, ["/B"] = { borrow = true } } } },
    }
    local given = state { A = { 0, 0 }, B = { 30, 0 } }
    local _, decision = engine.cycle(short, given)
    assert.equal("For /A that changes whom it lends to.", decision:explain("/A")[2])
  end)
end)
