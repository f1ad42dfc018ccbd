-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which tasks go, written from C-8, 5.5 and 5.6 alone: for specs that compare.

local parts = require "spec.support.model.ledger_parts"

local victims = {}

--- Whether unit `a` goes before `b` by a list of { field, descending }; last tie: larger id first.
local function before(a, b, keys)
  for _, key in ipairs(keys) do
    local x, y = a[key[1]], b[key[1]]
    if x ~= y then
      if key[2] then return x > y end
      return x < y
    end
  end
  return a.id > b.id
end

-- The first of the units by the keys as they are now.
local function first_of(units, keys)
  local best = 1
  for i = 2, #units do
    if before(units[i], units[best], keys) then best = i end
  end
  return table.remove(units, best)
end

--- The units that go, first to last, until `owed` slots are covered; then, last first, those are
-- spared that are not needed. `units` are candidates: { id, slots, and what keys name }.
-- Keys are read anew for each slot: a unit that went is no longer of its session.
function victims.pick(units, keys, owed)
  local left, going, slots = { table.unpack(units) }, {}, 0
  local function goes(unit, times)
    slots = slots + times * unit.slots
    for _, other in ipairs(units) do
      if other.session_over and unit.session and other.session == unit.session then
        other.session_over = other.session_over - times * unit.slots
      end
    end
  end
  while slots < owed and left[1] do
    going[#going + 1] = first_of(left, keys)
    goes(going[#going], 1)
  end
  for i = #going, 1, -1 do
    if slots - going[i].slots >= owed then goes(table.remove(going, i), -1) end
  end
  return going, slots
end

--- Slots of a leaf that nothing uses: those go before any task. Not those of `unlisted` work (true:
--- all that no task uses), nor those that reclaims in flight take beside the tasks that they name.
function victims.idle(allocated, units, unlisted, flying)
  local idle = allocated - flying
  for _, unit in ipairs(units) do idle = idle - unit.slots end
  if unlisted == true then return 0 end
  return math.max(0, idle - (unlisted or 0))
end

local FIRST = {
  proportional = function () return {} end,
  minimum = function (one) return { weight = one.minimum or 0, gap = one.minimum or 0 } end,
}

--- What the sessions of a leaf deserve of its quota, by id (5.6); they want what they demand, or
--- what the leaf does.
function victims.deserved(sessions, quota, demand)
  local list, out, left = {}, {}, quota
  for i, one in ipairs(sessions) do
    list[i] = { one = one, at = i, need = one.demand or demand, priority = one.priority or 1 }
    out[one.id] = 0
  end
  table.sort(list, function (a, b)
    if a.priority ~= b.priority then return a.priority > b.priority end
    if a.one.created ~= b.one.created then return (a.one.created or 0) < (b.one.created or 0) end
    return a.at < b.at
  end)
  local function pour(rows)
    for i, got in ipairs(parts.pour(rows, left)) do
      out[list[i].one.id] = out[list[i].one.id] + got
    end
    left = quota
    for _, got in pairs(out) do left = left - got end
  end
  local scheduling = sessions[1] and sessions[1].scheduling or "proportional"
  if scheduling == "priority" then
    for _, each in ipairs(list) do
      out[each.one.id] = math.min(each.need, left)
      left = left - out[each.one.id]
    end
    return out
  end
  local first, rest = {}, {}
  for i, each in ipairs(list) do
    local row = FIRST[scheduling](each.one)
    first[i] = { weight = row.weight or 0, gap = math.min(row.gap or 0, each.need) }
  end
  pour(first)
  for i, each in ipairs(list) do
    rest[i] = { weight = each.priority, gap = each.need - out[each.one.id] }
  end
  if left > 0 then pour(rest) end
  return out
end

--- A slot counts for the more important of two sessions, and of equals for the first one told of.
function victims.more_important(a, b)
  if not a or not b then return a or b end
  if a.importance ~= b.importance then return a.importance > b.importance and a or b end
  return a.at < b.at and a or b
end

--- Tasks of a leaf as units: those with the same host and slot are one. A unit's `ran` is the sum
-- of its tasks', `started` the last, `slots` the most, `id` the largest; its tasks go by id. The
-- `session` of a task, if it has one, is a table { importance, at }; nil is less than any.
function victims.units(tasks, now)
  local list, shared = {}, {}
  for _, task in ipairs(tasks) do
    local key = task.slot and (task.host or "") .. "/" .. task.slot
    local unit = key and shared[key]
    local ran = math.max(0, now - task.started)
    if unit then
      unit.ran = unit.ran + ran
      if task.id > unit.id then unit.id = task.id end
      unit.session = victims.more_important(unit.session, task.session)
      for field in pairs { started = 1, slots = 1, preempted = 1 } do
        unit[field] = math.max(unit[field], task[field] or 0)
      end
      unit.tasks[#unit.tasks + 1] = task.id
      table.sort(unit.tasks)
    else
      unit = {
        id = task.id, started = task.started, slots = task.slots, ran = ran,
        preempted = task.preempted or 0, tasks = { task.id }, session = task.session,
      }
      list[#list + 1] = unit
      if key then shared[key] = unit end
    end
  end
  return list
end

return victims
