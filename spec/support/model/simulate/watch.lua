-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What holds whenever a simulation's cycles have settled, however they came to that (C-13).

local tell = require "spec.support.model.simulate.tell"

local function each(list, visit)
  for _, item in ipairs(list) do visit(item) end
end

--- Limits of leaves, by path; in a group where the plan states others, those.
local function limit_of(s, cell)
  local found
  local function walk(list, above)
    each(list, function (node)
      local path = above .. "/" .. node.name
      if path == cell.leaf then found = node.limit end
      walk(node.children or {}, path)
    end)
  end
  walk(s.plan.consumers, "")
  return found or math.huge
end

--- Slots of a cell, or of a group's cells, that no reclaim has on its way.
local function staying(s, of)
  local slots, going = 0, {}
  each(s.reclaims, function (reclaim)
    each(reclaim.tasks, function (id) going[id] = true end)
  end)
  each(s.tasks, function (task)
    local cell = task.job.cell
    slots = slots + ((cell == of or cell.group == of) and not going[task.id] and task.slots or 0)
  end)
  return slots
end

local function any_going(s, cell)
  return staying(s, cell) < tell.running(s, cell)
end

--- Does a next task fit into slots that nobody has?
local function fits(s, cell, idle)
  local job = tell.first_waiting(s, cell)
  local slots = job and (job.rigid and job.slots or 1)
  return slots and not any_going(s, cell) and slots <= idle
    and tell.running(s, cell) + slots <= limit_of(s, cell)
end

--- Raises where more runs than there is, or, but under `ownership`, where nobody lends as a matter
--- of course, where slots idle that some next task could use.
return function (s, decision)
  local policy = s.plan.policy
  local conserves = policy ~= "ownership"
  each(s.groups, function (name)
    local group = decision.groups[name]
    if staying(s, name) > group.slots then
      error(("%d: %d slots run in %s of %d"):format(s.now, staying(s, name), name, group.slots))
    end
    each(conserves and s.all or {}, function (cell)
      if cell.whole and cell.group == name and fits(s, cell, group.idle_left) then
        error(("%d: %d slots idle, and the next job of %s could have them"):format(s.now,
          group.idle_left, cell.key))
      end
    end)
  end)
end
