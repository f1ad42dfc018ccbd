-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the core keeps whatever it is fed (architecture.md), on random plans and states.

local json = require "dkjson"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local gen_policy = require "spec.support.cases.gen_policy"
local invariants = require "allot.check.invariants"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"
local rational = require "spec.support.model.rational"

local function claim(truth, text, ...)
  if not truth then
    error(text:format(...), 0)
  end
end

local sum = invariants.sum

--- Calls visit(parent's row or the group, children's rows, group's name) for every family.
local function each_family(decision, visit)
  local view = invariants.view({}, {}, decision)
  for _, it in ipairs(view.groups) do
    for _, family in ipairs(it.families) do visit(family.above, family.members, it.name) end
  end
end

--- Calls visit(row, group, group's name, is_leaf) for every consumer.
local function each_row(decision, visit)
  for _, it in ipairs(invariants.view({}, {}, decision).groups) do
    for _, row in ipairs(it.group.consumers) do
      visit(row, it.group, it.name, not it.inner[row.path])
    end
  end
end

local function holds(name, runs, check, make)
  property(name, { runs = runs, valid = engine.valid }, check, make)
end

--- The same under hybrid and under random policies.
local function holds_always(name, runs, check)
  holds(name, runs, check)
  holds(name .. ", whatever a script says", runs // 2, check, gen_policy.case)
end

local function decide(it)
  return (engine.cycle(it.plan, it.state, nil, it.policy))
end

--- An invariant by its name (check/invariants.lua), under hybrid and under random policies.
local function always(name, runs)
  holds_always(name, runs, function (it)
    local path, fault = invariants[name](invariants.view(it.plan, it.state, decide(it)))
    claim(not fault, "%s: %s", path, fault)
  end)
end

describe("quotas", function ()
  holds("divide what the parent has, all of it that is needed (C-3)", 300, function (it)
    each_family(decide(it), function (above, members)
      local slots = above.quota or above.slots
      claim(sum(members, "quota") == math.min(slots, sum(members, "need")),
        "%s: %d of %d", above.path or "root", sum(members, "quota"), slots)
    end)
  end)

  always("quotas_fit", 300)
  always("quotas_sound", 300)
  always("reserves_kept", 300)
  always("limits_kept", 300)
end)

--- Digits as a number, however many.
local function whole(text)
  local out = rational(0)
  for digits in text:gmatch "%d%d?%d?%d?%d?%d?" do
    out = out * math.tointeger(10 ^ #digits) + math.tointeger(digits)
  end
  return out
end

--- An exact quota of the answer: "9" or "45/2".
local function exact(row)
  local num, den = row.exact:match "^(%d+)/?(%d*)$"
  return whole(num) / whole(den == "" and "1" or den)
end

describe("rounding", function ()
  holds_always("loses no whole slot that fractions add up to", 300, function (it)
    each_family(decide(it), function (_, members)
      local total = rational(0)
      for _, row in ipairs(members) do
        total = total + exact(row)
      end
      claim(sum(members, "quota") == total:floor(), "%s ...: %d of %s", members[1].path,
        sum(members, "quota"), tostring(total))
    end)
  end)

  holds_always("is to a neighbour, but for what others' reserves and odd divisors do", 300,
    function (it)
      local mode = it.site and it.site.round or "rank"
      each_row(decide(it), function (row)
        local share = exact(row)
        local least = mode == "ceil_in_order" and 0 or share:floor()
        claim(mode == "webster" or row.quota >= least, "%s: below its share", row.path)
        claim(mode == "webster" or rational(row.quota) < share + 1, "%s: above its share", row.path)
      end)
    end)
end)

--- Slots of quotas that no fill passed on to children, and that the consumer itself does not
--- reserve: by group and path, with those of all below it. Nobody has them (C-5).
local function not_passed_on(decision)
  local out = {}
  each_family(decision, function (above, members, group)
    if not above.path then return end
    local slots = above.quota - math.max(above.reserve, sum(members, "quota"))
    local path = slots > 0 and above.path or ""
    while path ~= "" do
      out[group .. path] = (out[group .. path] or 0) + slots
      path = path:match "^(.*)/"
    end
  end)
  return out
end

describe("slots", function ()
  always("idle_once", 300)
  always("grants_sound", 300)
  always("reclaims_sound", 300)
  always("claims_sound", 300)
  always("quotas_served", 300)

  holds_always("of a reserve are there for its owner from an empty group on", 300, function (it)
    for _, row in pairs(it.state.consumers or {}) do
      row.allocated = nil
    end
    it.state.reclaims = nil
    local decision = decide(it)
    local kept = not_passed_on(decision)
    each_row(decision, function (row, _, group)
      local there = row.granted + row.held + (kept[group .. row.path] or 0)
      claim(there >= math.min(row.reserve, row.quota), "%s: its reserve is not there", row.path)
    end)
  end)
end)

--- The number of cycles that decide something, at most `most`, and the quiet one's decision.
local function cycles_until_quiet(it, slow, most)
  local state = it.state
  for count = 0, most do
    local decision = engine.cycle(it.plan, state, nil, it.policy)
    if #decision.grants == 0 and #decision.reclaims == 0 and not state.reclaims then
      return count, decision
    end
    state = engine.after(decision, { returns = slow and "later" or nil })
  end
  error(("still deciding after %d cycles"):format(most), 0)
end

--- A case that starts with nothing in flight.
local function settled(seed)
  local it = gen.tree(seed)
  it.state.reclaims = nil
  return it
end

describe("cycle after cycle", function ()
  holds("two decide all when slots come back at once", 300, function (it)
    cycles_until_quiet(it, false, 2)
  end, settled)

  holds("two decide all under a policy whose quotas are steady", 300, function (it)
    it.state.reclaims = nil
    local options = it.plan.options or {}
    -- Leaves that keep what is above their quota (H-11, C-9) stand in a claimant's way: slots that
    -- come back for it go elsewhere, one cycle later each.
    if options.hold_rounding or options.keep_shrunk_ownership then return end
    cycles_until_quiet(it, false, 2)
  end, gen_policy.steady)

  holds("three decide all when reclaims are in flight for a cycle", 300, function (it)
    cycles_until_quiet(it, true, 3)
  end, settled)

  holds("every demand within quota is met in the end", 300, function (it)
    local options = it.plan.options or {}
    local _, last = cycles_until_quiet(it, false, 2)
    each_row(last, function (row, _, _, is_leaf)
      local keeps = options.keep_shrunk_ownership or options.hold_rounding
      claim(keeps or not is_leaf or row.allocated >= math.min(row.quota, row.demand),
        "%s: short", row.path)
    end)
  end, settled)

  holds("no branch is above its limit in the end", 300, function (it)
    local limits = invariants.limits(it.plan)
    local _, last = cycles_until_quiet(it, false, 2)
    each_row(last, function (row, _, _, is_leaf)
      local most = limits[row.path]
      local keeps = (it.plan.options or {}).keep_shrunk_ownership
      -- A leaf above its own limit keeps what nobody is owed (C-6).
      claim(keeps or is_leaf or not most or row.allocated <= most, "%s: above its limit", row.path)
    end)
  end, settled)
end)

--- The same plan and state with every consumer named otherwise.
local function renamed(it)
  local text = document.encode { plan = it.plan, state = it.state }
  return (json.decode((text:gsub('"c(%d+)"', '"Z_%1-x"'):gsub("/c(%d+)", "/Z_%1-x"))))
end

--- The decision's text but for its warnings: they tell places in the documents.
local function answer(it, style)
  local text, cut = engine.text(it.plan, it.state, style):gsub('"warnings": .*$', "")
  claim(cut == 1, "no warnings at the end")
  return text
end

--- Another state of the same plan: rows change places, and the group is smaller.
local function other_state(it)
  local paths, rows, state = {}, {}, { now = it.state.now, consumers = {}, slots = {} }
  for path in pairs(it.state.consumers or {}) do
    paths[#paths + 1] = path
  end
  table.sort(paths)
  for i, path in ipairs(paths) do
    rows[i] = it.state.consumers[path]
    state.consumers[path] = rows[i - 1]
  end
  state.consumers[paths[1] or ""] = rows[#rows]
  if type(it.state.slots) == "table" then
    for group, slots in pairs(it.state.slots) do
      state.slots[group] = slots // 2
    end
  else
    state.slots = it.state.slots and it.state.slots // 2
  end
  return state
end

describe("the answer", function ()
  holds_always("does not depend on what was decided before", 100, function (it)
    local seal, other = engine.sealed(it.plan, it.policy), other_state(it)
    local first, kept = engine.decide(seal, it.state)
    local second = engine.decide(seal, other)
    claim(engine.decide(seal, it.state) == first and kept:json() == first, "differs the next time")
    claim(second == engine.text(it.plan, other, nil, it.policy), "differs from the first time")
  end)

  holds("is the same, byte by byte, for the same input", 100, function (it)
    claim(engine.text(it.plan, it.state) == engine.text(it.plan, it.state), "differs")
  end)

  holds("is the same for re-indented documents", 100, function (it)
    claim(answer(it) == answer(it, { indent = "\t" }), "differs")
  end)

  holds("does not depend on the order of keys in objects", 100, function (it)
    local random = Random.new(#it.plan.consumers + it.state.now)
    local order = { random = random }
    local one, other = decide(it), engine.cycle(it.plan, it.state, order)
    for name, group in pairs(one.groups) do
      claim(document.encode(group) == document.encode(other.groups[name]), "%s differs", name)
      for _, list in ipairs { "grants", "reclaims" } do
        local a, b = case[list](one, name), case[list](other, name)
        claim(document.encode(a) == document.encode(b), "%s of %s differ", list, name)
      end
    end
  end)

  holds("has the same numbers whatever consumers are called", 100, function (it)
    local text = answer(it):gsub("/c(%d+)", "/Z_%1-x")
    claim(text == answer(renamed(it)), "differs")
  end)
end)
