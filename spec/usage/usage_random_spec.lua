-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Use over time (C-14) on random streams of changes, beside sums in floating point.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local fading = require "spec.support.usage.fading"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local LEAVES = { "/A/x", "/A/y", "/B" }

--- A plan's keys, and steps of { seconds, what leaves hold from then on }.
local function draw(seed)
  local random, steps = Random.new(seed), {}
  for i = 1, random:int(1, 12) do
    local most = random:pick { 3, 100, 5000, 3000000 }
    steps[i] = { random:int(0, 9), random:int(0, 9), random:int(0, 9) }
    steps[i].seconds = random:int(0, most)
  end
  local keys = random:once_in(3) and { hist_hours = random:int(0, 50) }
    or { half_life = random:pick { 0, 1, 60, 3600, 604800, random:int(0, 1000000) } }
  local plan = case.plan { slots = 40, half_life = keys.half_life, hist_hours = keys.hist_hours,
    { "A", { "x" }, { "y" } }, { "B" } }
  return { plan = plan, state = { steps = steps, part = random:int(0, 3) } }
end

local function state_of(now, held, rows)
  local short = { now = now, slots = 40 }
  for i, path in ipairs(LEAVES) do short[path:sub(2)] = { held[i], held[i] } end
  local state = case.state(short)
  for path, keys in pairs(rows or {}) do
    for key, value in pairs(keys) do state.consumers[path][key] = value end
  end
  return state
end

local function fits(found, wanted, steps)
  return math.abs(found - wanted) <= 2e-6 * (steps + 1) + 1e-8 * wanted
end

local function use_of(decision)
  local rows, out = case.by_path(decision.groups.default), {}
  for i, path in ipairs(LEAVES) do
    out[i] = rows[path].usage + (rows[path].usage_rest or 0) / 1e6
  end
  assert(rows["/A"].usage == rows["/A/x"].usage + rows["/A/y"].usage, "a parent is no sum")
  return out
end

--- States from decisions, each with what the decision before says of use. With `part` a decision
--- in between, whose state is the one that follows by itself, changes nothing.
local function check(it)
  local sealed, r, part = engine.sealed(it.plan), fading.pace(it.plan), it.state.part
  local now, held, use, rows = 1000, { 0, 0, 0 }, { 0, 0, 0 }, {}
  for i, step in ipairs(it.state.steps) do
    local state = state_of(now, held, rows)
    if part > 0 and step.seconds > part then
      state = engine.after(engine.decided(sealed, state), { seconds = part })
      engine.decided(sealed, state)
    end
    state.now, now = now + step.seconds, now + step.seconds
    local decision = engine.decided(sealed, state)
    local found = use_of(decision)
    for k = 1, 3 do
      use[k] = fading.later(use[k], held[k], step.seconds, r)
      assert(fits(found[k], use[k], i), ("step %d, %s: found %.6f, wanted %.6f"):format(i,
        LEAVES[k], found[k], use[k]))
    end
    held = step
    for _, row in ipairs(decision.groups.default.consumers) do
      if row.path ~= "/A" then
        rows[row.path] = { usage = row.usage, usage_rest = row.usage_rest,
                           usage_at = decision.usage_at }
      end
    end
  end
end

--- A smaller case has the same plan.
local function valid(it)
  return #it.plan.consumers == 2 and #(it.plan.consumers[1].children or {}) == 2
    and (it.plan.half_life or it.plan.hist_hours) and it.plan.slots == 40
end

describe("use over time", function ()
  property("is what floating point says", { runs = 2000, valid = valid }, check, draw)
end)
