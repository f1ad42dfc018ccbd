-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Plans, states and expectations written short.
--
--     plan { slots = 30, { "A", owned = 15 }, { "P", { "C", rank = 1 }, { "D" } } }
--     state { slots = 20, A = { 100, 15 }, ["P/C"] = { 7 } }     -- {demand, allocated, unlisted}

local assert = require "luassert"

local case = {}

local function consumers(list)
  local out = {}
  for i, short in ipairs(list) do
    local consumer = {}
    for key, value in pairs(short) do
      if type(key) == "string" then
        consumer[key] = value
      end
    end
    consumer.name = short[1]
    if #short > 1 then
      consumer.children = consumers { table.unpack(short, 2) }
    end
    out[i] = consumer
  end
  return out
end

--- A plan document: the list part are consumers (name first, then children), the rest its keys.
function case.plan(short)
  local out = { version = 1 }
  for key, value in pairs(short) do
    if type(key) == "string" then
      out[key] = value
    end
  end
  out.policy = out.policy or "hybrid"
  out.consumers = consumers { table.unpack(short) }
  return out
end

local KEYS = {
  now = true, slots = true, reclaims = true, tasks = true, hosts = true, sessions = true,
  loans = true,
}

--- A state document: paths without the first slash hold {demand, allocated, unlisted}.
function case.state(short)
  local out = { now = short.now or 0, consumers = {} }
  for key, value in pairs(short) do
    if KEYS[key] then
      out[key] = value
    else
      out.consumers["/" .. key] = {
        demand = value[1], allocated = value[2] or 0, unlisted = value[3],
      }
    end
  end
  if next(out.consumers) == nil then
    out.consumers = nil
  end
  return out
end

--- The consumers of a group's answer by path.
function case.by_path(group)
  local out = {}
  for _, row in ipairs(group.consumers) do
    out[row.path] = row
  end
  return out
end

--- Raises unless every number in `expected` (by path without the first slash, "" = the group)
--- is what the answer says. More numbers in the answer are no fault.
function case.check(expected, group)
  local rows = case.by_path(group)
  for path, numbers in pairs(expected) do
    local row = path == "" and group or rows["/" .. path]
    assert(row, "no consumer /" .. path)
    for field, number in pairs(numbers) do
      if row[field] ~= number then
        local text = "%s %s: expected %s, is %s"
        error(text:format(path, field, tostring(number), tostring(row[field])), 2)
      end
    end
  end
end

local function by_consumer(list)
  local out = {}
  for _, entry in ipairs(list) do
    out[entry.consumer:sub(2)] = (out[entry.consumer:sub(2)] or 0) + entry.slots
  end
  return out
end

--- A decision's grants of one group as {path = slots}.
function case.grants(decision, group)
  local list = {}
  for _, grant in ipairs(decision.grants) do
    if grant.group == (group or "default") then
      list[#list + 1] = grant
    end
  end
  return by_consumer(list)
end

--- A decision's reclaims of one group as {path = {slots, claimant = slots ...}}.
function case.reclaims(decision, group)
  local out = {}
  for _, reclaim in ipairs(decision.reclaims) do
    if reclaim.group == (group or "default") then
      local short = by_consumer(reclaim["for"])
      short[1] = reclaim.slots
      out[reclaim.consumer:sub(2)] = short
    end
  end
  return out
end

--- Holds a decision to a vector of vectors.lua.
function case.judge(vector, decision)
  if vector.expect then
    case.check(vector.expect, decision.groups.default)
  end
  if vector.grants then
    assert.same(vector.grants, case.grants(decision))
  end
  if vector.reclaims then
    assert.same(vector.reclaims, case.reclaims(decision))
  end
end

return case
