-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which tasks go, written from C-8 alone: for specs that compare.

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

--- The units that go, first to last, until `owed` slots are covered; then, last first, those are
-- spared that are not needed. `units` are candidates: { id, slots, and what keys name }.
function victims.pick(units, keys, owed)
  local sorted = { table.unpack(units) }
  table.sort(sorted, function (a, b) return a ~= b and before(a, b, keys) end)
  local going, slots = {}, 0
  for _, unit in ipairs(sorted) do
    if slots >= owed then break end
    going[#going + 1], slots = unit, slots + unit.slots
  end
  for i = #going, 1, -1 do
    if slots - going[i].slots >= owed then
      slots = slots - going[i].slots
      table.remove(going, i)
    end
  end
  return going, slots
end

--- Tasks of a leaf as units: those with the same host and slot are one. A unit's `ran` is the sum
-- of its tasks', `started` the last, `slots` the most, `id` the largest; its tasks go by id.
function victims.units(tasks, now)
  local list, shared = {}, {}
  for _, task in ipairs(tasks) do
    local key = task.slot and (task.host or "") .. "/" .. task.slot
    local unit = key and shared[key]
    local ran = math.max(0, now - task.started)
    if unit then
      unit.ran = unit.ran + ran
      if task.id > unit.id then unit.id = task.id end
      for field in pairs { started = 1, slots = 1, preempted = 1 } do
        unit[field] = math.max(unit[field], task[field])
      end
      unit.tasks[#unit.tasks + 1] = task.id
      table.sort(unit.tasks)
    else
      unit = {
        id = task.id, started = task.started, slots = task.slots, ran = ran,
        preempted = task.preempted, tasks = { task.id },
      }
      list[#list + 1] = unit
      if key then shared[key] = unit end
    end
  end
  return list
end

return victims
