-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random windows against plans without any (spec/support/cases/windows.lua).

local allot = require "allot"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"
local windows = require "spec.support.cases.windows"

local WEEK = 7 * 86400

local function one_zone(seed)
  return windows.case(seed, false)
end

local function several_zones(seed)
  return windows.case(seed, true)
end

--- Without hold_rounding, by which it matters who came first (C-9).
local function settling(seed)
  local case = one_zone(seed)
  if case.plan.options then
    case.plan.options.hold_rounding = nil
  end
  return case
end

local function valid(plan)
  return (allot.plan(document.encode(plan))) ~= nil
end

--- What is decided, without what names windows and without warnings, which a plan with windows
--- has for all times.
local function decided(plan, state, now)
  local at = {}
  for key, value in pairs(state) do
    at[key] = value
  end
  at.now, at.last = now, now
  local text, decision = engine.decide(plan, at)
  return text:gsub('"windows": %[[^%]]*%], ', ""):gsub('"warnings":.*', ""),
    text:match '"windows": %[([^%]]*)%]' or "", decision
end

--- Cycles from `state` on at a time until nothing is decided any more.
local function settle(plan, state, now, last)
  for _ = 1, 6 do
    state.now, state.last = now, last
    local decision = engine.decided(plan, state)
    if not decision.grants[1] and not decision.reclaims[1] then
      return state
    end
    state = engine.after(decision)
    now, last = now + 1, now
  end
  error("no fixpoint in 6 cycles", 0)
end

local function held_slots(state)
  local out = {}
  for path, row in pairs(state.consumers or {}) do
    out[path] = row.allocated
  end
  return document.encode(out)
end

local function there_and_back(case)
  if not valid(case.plan) then
    return
  end
  local sealed = engine.sealed(case.plan)
  local now, day = case.state.now, 86400
  local state = { slots = case.state.slots, consumers = {} }
  for path, row in pairs(case.state.consumers or {}) do
    local held = case.plan.groups and {} or 0
    for group in pairs(case.plan.groups or {}) do
      held[group] = 0
    end
    state.consumers[path] = { demand = row.demand, allocated = held }
  end
  local first = settle(sealed, state, now, now)
  local other = settle(sealed, first, now + day // 2, now)
  local back = settle(sealed, other, now + 7 * day, now + day // 2)
  if held_slots(first) ~= held_slots(back) then
    error(("first %s\nthen %s\nback %s"):format(held_slots(first), held_slots(other),
      held_slots(back)), 0)
  end
end

local function same_as_flat(case)
  if not valid(case.plan) then
    return
  end
  local sealed = engine.sealed(case.plan)
  local random = Random.new(case.state.now + 1)
  for _ = 1, 6 do
    local now = case.state.now + random:int(0, 2 * WEEK)
    local flat, held = windows.flat(case.plan, now)
    local text, told = decided(sealed, case.state, now)
    local wanted = decided(engine.sealed(flat), case.state, now)
    if held ~= told or text ~= wanted then
      error(("at %d, windows %s, told %s: decided\n%s\nwanted\n%s"):format(now, held, told, text,
        wanted), 0)
    end
  end
end

describe("a plan with windows", function ()
  local function random(runs)
    return { runs = runs, valid = engine.valid }
  end

  property("decides what the plan of the hour would", random (100), same_as_flat, one_zone)
  property("decides so with several zones", random (60), same_as_flat, several_zones)
  property("switched there and back gives everybody the same", random (100), there_and_back,
    settling)

  property("is valid when it is so at every hour of a week", random (100), function (case)
    local good, seen = true, {}
    for now = 0, WEEK - 1, 1800 do
      local flat, held = windows.flat(case.plan, now)
      if not seen[held] then
        seen[held] = true
        good = good and valid(flat)
      end
    end
    if good ~= valid(case.plan) then
      error(("it is %s"):format(good and "refused, but never wrong" or "taken, but wrong"), 0)
    end
  end, one_zone)
end)
