-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Who is in no pool needs nothing (E-23), so that nothing is kept for it from others.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- Rows by path without the first slash, the group's answer and the decision.
local function decide(short, now, policy)
  local made, handle = engine.cycle(plan(short), state(now), nil, policy)
  local rows = {}
  for path, row in pairs(case.by_path(made.groups.default)) do
    rows[path:sub(2)] = row
  end
  return rows, made.groups.default, handle
end

--- A policy of these fills.
local function site(fills)
  return ([[return policy {
    name = "site",
    attributes = { cap = { type = "integer", min = 0, default = none } },
    quota = { %s },
  }]]):format(fills)
end

local BY_WORKLOAD = { use = "share_ratio", adjust_share_to_workload = true }

describe("who is out of a pool", function ()
  --- Nothing of what /P/a wants can be given to it: its share is 0.
  local function branch(policy, more)
    local inside = { "a", share = 0 }
    for key, value in pairs(more or {}) do inside[key] = value end
    return { slots = 20, policy = policy, { "P", inside, { "c" } }, { "B" } }
  end
  local now = { ["P/a"] = { 50 }, ["P/c"] = { 1 }, B = { 100 } }

  it("needs nothing, so its parent takes no slots for it (E-23)", function ()
    for _, policy in ipairs { "share_ratio", BY_WORKLOAD } do
      local rows, group = decide(branch(policy), now)
      assert.same({ 50, 0, 0 }, { rows["P/a"].demand, rows["P/a"].need, rows["P/a"].quota })
      assert.same({ 1, 1 }, { rows.P.need, rows.P.quota })
      assert.same({ 19, 19 }, { rows.B.quota, rows.B.granted })
      assert.equal(0, group.idle_left)
    end
  end)

  it("gives back what it still holds to those who are in it (E-23)", function ()
    local held = { ["P/a"] = { 50, 12 }, ["P/c"] = { 1 }, B = { 100, 8 } }
    for _, policy in ipairs { "share_ratio", BY_WORKLOAD } do
      local rows = decide(branch(policy), held)
      assert.same({ 12, 12 }, { rows["P/a"].over, rows["P/a"].reclaimed })
      assert.same({ 1, 11 }, { rows["P/c"].deficit, rows.B.deficit })
    end
  end)

  it("may be a branch, or everybody below one (E-23)", function ()
    local short = branch("share_ratio")
    short[1].share = 0
    local rows, group = decide(short, now)
    assert.same({ 0, 0 }, { rows.P.need, rows.P.quota })
    assert.same({ 20, 0 }, { rows.B.quota, group.idle_left })
    short = branch("share_ratio")
    short[1][3].share = 0
    rows, group = decide(short, now)
    assert.same({ 0, 0, 0 }, { rows.P.demand, rows.P.need, rows["P/c"].need })
    assert.same({ 20, 0 }, { rows.B.quota, group.idle_left })
  end)

  it("needs its reserve alone, wherever fills up to that stand (E-23)", function ()
    local short = {
      slots = 10, policy = "site.lua",
      { "P", { "a", owned = 2, reserve = 2, share = 0 } }, { "B", owned = 8 },
    }
    local share = [[fill "s" { by = "share" }]]
    for _, reserve in ipairs {
      [[fill "r" { by = "reserve", up_to = "reserve" }]],
      [[fill "r" { by = "reserve", up_to = "reserve", order = { "rank" } }]],
      [[fill "r" { by = "owned", up_to = "reserve" }]],
      [[fill "r" { by = "demand", up_to = "reserve" }]],
      [[fill "r" { by = function (owned) return owned end, up_to = "reserve" }]],
    } do
      for _, fills in ipairs { reserve .. ", " .. share, share .. ", " .. reserve } do
        local rows = decide(short, { ["P/a"] = { 9 }, B = { 9 } }, site(fills))
        assert.same({ 2, 2, 8 }, { rows["P/a"].need, rows.P.need, rows.B.quota }, fills)
      end
    end
  end)

  it("is explained", function ()
    local _, _, handle = decide(branch("share_ratio"), now)
    assert.matches("It demands 50 slots, but its share is 0, so it is in no pool: its need is 0"
      .. " (E-23).", table.concat(handle:explain "/P/a", "\n"), 1, true)
  end)

  it("can be so in one group alone, or in a window", function ()
    local short = plan {
      policy = "share_ratio", groups = { x = { slots = 20 }, y = { slots = 20 } },
      { "P", { "a" }, { "c" } }, { "B" },
    }
    short.groups.x.consumers = { ["/P/a"] = { share = 0 } }
    local both = function (n) return { x = n, y = n } end
    local made = engine.cycle(short, { now = 0, consumers = {
      ["/P/a"] = { demand = both(50) }, ["/P/c"] = { demand = both(1) },
      ["/B"] = { demand = both(100) },
    } })
    assert.equal(0, case.by_path(made.groups.x)["/P/a"].need)
    assert.equal(50, case.by_path(made.groups.y)["/P/a"].need)
    assert.equal(19, case.by_path(made.groups.x)["/B"].quota)
    short = branch("share_ratio", { share = 1 })
    short.windows = { { from = "17:00", to = "24:00", consumers = { ["/P/a"] = { share = 0 } } } }
    assert.equal(50, decide(short, now)["P/a"].need)
    local late = { now = 18 * 3600, table.unpack(now) }
    for path, row in pairs(now) do late[path] = row end
    assert.equal(0, decide(short, late)["P/a"].need)
  end)

  it("may be so in one branch alone (H-15)", function ()
    local short = {
      slots = 20, policy = "hybrid",
      { "P", owned = 10, policy = "share_ratio", { "a", share = 0 }, { "c" } },
      { "B", owned = 10, share = 0 },
    }
    local rows, group = decide(short, now)
    assert.same({ 0, 1, 100 }, { rows["P/a"].need, rows.P.need, rows.B.need })
    assert.same({ 19, 0 }, { rows.B.quota, group.idle_left })
  end)

  it("is nobody under hybrid: who owns nothing gets what is spare (H-5)", function ()
    local short = { slots = 20, { "P", owned = 20, { "a", owned = 0 } } }
    assert.equal(50, decide(short, { ["P/a"] = { 50 } })["P/a"].need)
  end)
end)

describe("who is in a pool", function ()
  local now = { ["P/a"] = { 50 }, ["P/c"] = { 1 }, B = { 100 } }

  it("needs what it demands, whatever its fills can give it (C-2)", function ()
    local text = site [[fill "owned" { by = "owned", up_to = "owned" }, fill "s" { by = "share" }]]
    local short = {
      slots = 20, policy = "site.lua", { "P", { "a", share = 0, owned = 4 }, { "c" } },
      { "B", owned = 6 },
    }
    assert.equal(50, decide(short, now, text)["P/a"].need)
    text = site [[fill "owned" { by = "owned", up_to = "owned" }]]
    short = { policy = "site.lua", { "A", owned = 4 } }
    assert.equal(50, decide(short, { A = { 50 } }, text).A.need)
  end)

  it("may be so by a function, or a number above 0", function ()
    for _, fill in ipairs {
      [[fill "f" { by = function (share) return share end }]], [[fill "n" { by = 1 }]],
    } do
      local short = { slots = 20, policy = "site.lua", { "A", share = 0, owned = 3 } }
      local text = site(fill .. [[, fill "s" { by = "share" }]])
      assert.equal(50, decide(short, { A = { 50 } }, text).A.need)
    end
  end)
end)

describe("who is in no pool", function ()
  it("needs nothing either when a switch is enforced (C-10)", function ()
    local short = {
      slots = 20, policy = "share_ratio", { "A", share = 0 }, { "B" },
      windows = { { from = "17:00", to = "24:00", consumers = { ["/A"] = { share_limit = 9 } } } },
    }
    local rows = decide(short, { now = 17 * 3600, A = { 1, 1 }, B = { 30, 19 } })
    assert.same({ 0, 20 }, { rows.A.need, rows.B.quota })
  end)
end)
