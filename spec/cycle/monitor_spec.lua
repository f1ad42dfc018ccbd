-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whose slots are in whose hands, and what is planned (E-35): engine/quota/monitor.h.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local gen_policy = require "spec.support.cases.gen_policy"
local property = require "spec.support.cases.property"
local shell = require "spec.support.house.shell"

local plan, state = case.plan, case.state

local FIELDS = { "own_used", "lent", "borrowed", "shared", "planned" }

--- The monitor's columns by path without the first slash, as lists in the order of FIELDS; the
--- group's at "".
local function watch(short, now)
  local group = engine.cycle(plan(short), state(now)).groups.default
  local out = { [""] = {} }
  for i, field in ipairs(FIELDS) do
    out[""][i] = group[field]
    for path, row in pairs(case.by_path(group)) do
      out[path:sub(2)] = out[path:sub(2)] or {}
      out[path:sub(2)][i] = row[field]
    end
  end
  return out
end

describe("the monitor", function ()
  it("tells a consumer's own slots from those it borrowed (E-35)", function ()
    assert.same({
      A = { 10, 0, 5, 0, 10 }, B = { 12, 5, 0, 0, 20 }, [""] = { 22, 5, 5, 0, 30 },
    }, watch({ slots = 30, { "A", owned = 10 }, { "B", owned = 20 } },
      { A = { 15, 15 }, B = { 12, 12 } }))
  end)

  it("has siblings lend before other branches (H-8)", function ()
    local seen = watch({
      slots = 40,
      { "P", { "A", owned = 10 }, { "B", owned = 10 } }, { "Q", { "C", owned = 20 } },
    }, { ["P/A"] = { 17, 17 }, ["P/B"] = { 4, 4 }, ["Q/C"] = { 10, 10 } })
    assert.same({ 10, 0, 7, 0, 10 }, seen["P/A"])
    assert.same({ 4, 6, 0, 0, 10 }, seen["P/B"]) -- all that it leaves idle; the seventh is C's
    assert.same({ 10, 1, 0, 0, 20 }, seen["Q/C"])
    assert.same({ 14, 6, 7, 0, 20 }, seen.P)
  end)

  it("has lenders lend in proportion to what they leave idle, the rest in plan order", function ()
    local seen = watch({ slots = 30, { "A", owned = 8 }, { "B", owned = 16 }, { "C", owned = 6 } },
      { A = { 2, 2 }, B = { 4, 4 }, C = { 16, 16 } })
    assert.equal(10, seen.C[3]) -- of 6 and 12 idle: 3 1/3 and 6 2/3, and one more for A
    assert.same({ 4, 6 }, { seen.A[2], seen.B[2] })
  end)

  it("lends no reserve (C-1)", function ()
    local seen = watch({ slots = 10, { "A", owned = 8, reserve = 5 }, { "B", owned = 2 } },
      { B = { 9, 5 } })
    assert.same({ 0, 3, 0, 0, 8 }, seen.A)
    assert.same({ 2, 0, 3, 0, 2 }, seen.B)
  end)

  it("counts what nobody owns as shared", function ()
    local seen = watch({ slots = 10, { "A", owned = 4 }, { "B" } },
      { A = { 4, 3 }, B = { 9, 6 } })
    assert.same({ 3, 1, 0, 0, 10 }, seen.A) -- were all busy, owners would share what nobody owns
    assert.same({ 0, 0, 1, 5, 0 }, seen.B)
  end)

  it("knows nothing but shared slots under share_ratio, and planned shares (E-21)", function ()
    local seen = watch({ slots = 12, policy = "share_ratio", { "A", share = 2 }, { "B" } },
      { A = { 3, 3 }, B = { 9, 9 } })
    assert.same({ 0, 0, 0, 3, 8 }, seen.A)
    assert.same({ 0, 0, 0, 9, 4 }, seen.B)
  end)

  it("plans within limits, and for the group's size (C-1)", function ()
    local seen = watch({ slots = 30, { "A", owned = 10, limit = 15 }, { "B", owned = 20 } },
      { slots = 60 })
    assert.equal(15, seen.A[5])
    assert.equal(45, seen.B[5])
  end)
end)

--- Calls visit(row, group's row or nil) for every consumer and group of a decision.
local function each(decision, visit)
  for _, group in pairs(decision.groups) do
    visit(group, group)
    for _, row in ipairs(group.consumers) do
      visit(row)
    end
  end
end

local function agrees(it)
  each(engine.cycle(it.plan, it.state, nil, it.policy), function (row, group)
    for _, field in ipairs(FIELDS) do
      assert(row[field] >= 0, field .. " is negative")
    end
    assert(row.own_used + row.borrowed + row.shared == row.allocated, "not what it holds")
    assert(not group or row.lent == row.borrowed, "not as much lent as borrowed")
    assert(not group or row.planned <= row.slots, "more planned than there is")
  end)
end

describe("the monitor at random", function ()
  local opts = { runs = 400, valid = engine.valid }

  property("balances under hybrid (E-35)", opts, agrees, gen.tree)
  property("balances under policies of sites (E-35)", opts, agrees, gen_policy.case)
end)

describe("allot run --columns", function ()
  local function run(columns)
    local _, out = shell.command("run", "--columns", columns, "examples/first/plan.json",
      "examples/first/state.json")
    return out
  end

  it("monitor shows whose slots are in whose hands, and the group's sums", function ()
    local out = run("monitor")
    assert.matches("consumer +own +reserve +demand +allocated +own used +lent +borrowed +shared",
      out)
    assert.matches("\ntotal +30 +4 +50 +27 +17 +10 +10 +30\n", out)
  end)

  it("all shows every column", function ()
    assert.matches("planned +in flight +quota", run("all"))
  end)

  it("all shows use in plans that count it, and its sum", function ()
    local file, now = os.tmpname(), os.tmpname()
    shell.write(file, '{"version": 1, "slots": 9, "policy": "hybrid", '
      .. '"half_life": 60, "consumers": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}')
    shell.write(now, '{"now": 60, "usage_at": 0, "consumers": '
      .. '{"/a": {"usage": 80, "demand": 1}, "/b": {"usage": 6, "demand": 1}}}')
    local out = select(2, shell.command("run", "--columns", "all", file, now))
    os.remove(file)
    os.remove(now)
    assert.matches("planned +usage +in flight", out)
    assert.matches("\n/a [^\n]* 40 +1  = 1 spare", out)
    assert.matches("\ntotal [^\n]* 43 +2 ", out)
  end)
end)
