-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Reduces a failing case: leaves out or halves parts as long as the case still fails.

local walk = require "allot.check.walk"

local shrink = {}

--- A deep copy of a document.
function shrink.copy(value)
  if type(value) ~= "table" then
    return value
  end
  local out = {}
  for key, inner in pairs(value) do
    out[key] = shrink.copy(inner)
  end
  return out
end

--- Every place in a document, outermost first, each as a list of keys.
local function places(value, trail, out)
  local keys = {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function (a, b)
    return tostring(a) < tostring(b)
  end)
  for _, key in ipairs(keys) do
    local here = { table.unpack(trail) }
    here[#here + 1] = key
    out[#out + 1] = here
    if type(value[key]) == "table" then
      places(value[key], here, out)
    end
  end
  return out
end

local function owner(value, place)
  for i = 1, #place - 1 do
    value = type(value) == "table" and value[place[i]] or nil
  end
  return type(value) == "table" and value or nil, place[#place]
end

--- Writes a policy's text anew from its rules.
local function rewritten(case)
  if case.site then
    case.policy = case.write(case.site)
  end
  return case
end

--- Drops references to removed consumers, and lists and objects that became empty.
local function tidy(case)
  local known = {}
  walk(case.plan.consumers, function (path) known[path] = true end)
  local function sweep(value)
    for key, inner in pairs(value) do
      if type(key) == "string" and key:find("^/") and not known[key] then
        value[key] = nil
      elseif type(inner) == "table" then
        sweep(inner)
        value[key] = next(inner) ~= nil and inner or nil
      end
    end
    for i = #value, 1, -1 do
      if type(value[i]) == "table" and value[i].consumer and not known[value[i].consumer] then
        table.remove(value, i)
      end
    end
  end
  sweep(case.plan)
  sweep(case.state)
  return rewritten(case)
end

--- Without these a document is not valid, whatever the numbers.
local KEPT = {
  name = true, now = true, policy = true, consumer = true, id = true,
  by = true, key = true, reads = true, body = true, -- of a policy's rules
}

--- The case without a place; nil when the place is empty.
local function without(case, place)
  local out = shrink.copy(case)
  local at, key = owner(out, place)
  if #place < 2 or not at or at[key] == nil or KEPT[key] or key == "slots" and at.consumer then
    return nil
  end
  if math.type(key) == "integer" then
    table.remove(at, key)
  else
    at[key] = nil
  end
  return tidy(out)
end

local function with_number(case, place, change)
  local out = shrink.copy(case)
  local at, key = owner(out, place)
  if not at or math.type(at[key]) ~= "integer" then
    return nil
  end
  local number = change(at[key])
  if number == at[key] then
    return nil
  end
  at[key] = number
  return rewritten(out)
end

local CHANGES = {
  function () return 0 end,
  function (n) return n // 2 end,
  function (n) return n > 0 and n - 1 or n end,
}

--- The i-th smaller case for a place, or nil: one at a time, since cases are large.
local function candidate(case, place, i)
  if i == 0 then return without(case, place) end
  return with_number(case, place, CHANGES[i])
end

local function has_somebody(plan)
  return plan.consumers or plan.queues or plan.leases
end

--- The smallest case found for which fails(case) is still true, within `tries` calls of fails, and
-- until late(), if given, returns true.
function shrink.run(case, fails, tries, late)
  local left, moved = tries or 3000, true
  while moved and left > 0 do
    moved = false
    local documents = { plan = case.plan, state = case.state, site = case.site }
    for _, place in ipairs(places(documents, {}, {})) do
      for i = 0, #CHANGES do
        if left > 0 and late and late() then left = 0 end
        local smaller = left > 0 and candidate(case, place, i)
        if smaller then
          left = left - 1
          if left > 0 and has_somebody(smaller.plan) and fails(smaller) then
            case, moved = smaller, true
            break
          end
        end
      end
    end
  end
  return case
end

return shrink
