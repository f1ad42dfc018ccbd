-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Checks of whole tasks (C-13) in a decision: the core's guarantees, and policies' promises.
--
-- A check gets a view (invariants.lua) and returns nothing, or the path at fault and a
-- message.

local whole = {}

local function parent_of(path)
  return path:match "^(.*)/[^/]*$"
end

--- Slots of a task in a group.
local function slots_in(task, group)
  local slots = task.slots or 1
  if type(slots) == "table" then return slots[group] or 0 end
  return (task.group or group) == group and slots or 0
end

--- Tasks of a state by id, computed once.
local function tasks_of(view)
  if not view.tasks then
    view.tasks = {}
    for _, task in ipairs(view.state.tasks or {}) do view.tasks[task.id] = task end
  end
  return view.tasks
end

--- Whether tasks of a state determine which slots their leaves can use.
function whole.concerns(state)
  for _, task in ipairs(state.tasks or {}) do
    if task.state == "pending" then return true end
  end
  return false
end

-- Grants ---------------------------------------------------------------------------------------

--- The fault of one grant's tasks; records in `starts` where each starts.
local function fault_of_grant(view, grant, starts)
  local slots = 0
  for _, id in ipairs(grant.tasks) do
    local task = tasks_of(view)[id]
    if not task or task.consumer ~= grant.consumer then
      return ("%s starts, which is no task of its"):format(id)
    elseif task.state ~= "pending" then
      return ("%s starts, which runs"):format(id)
    end
    starts[id] = starts[id] or {}
    if starts[id][grant.group] then return ("%s starts twice"):format(id) end
    starts[id][grant.group] = true
    slots = slots + slots_in(task, grant.group)
  end
  if slots ~= grant.slots then
    return ("it gets %d slots, but the tasks that start have %d"):format(grant.slots, slots)
  end
end

--- A grant names pending tasks of its leaf and has their slots; a task starts in all its groups.
function whole.tasks_whole(view)
  local starts = {}
  for _, grant in ipairs(view.decision.grants) do
    local fault = grant.tasks and grant.tasks[1] and fault_of_grant(view, grant, starts)
    if fault then return grant.consumer, fault end
  end
  for id, groups in pairs(starts) do
    local task = tasks_of(view)[id]
    for _, it in ipairs(view.groups) do
      if slots_in(task, it.name) > 0 and not groups[it.name] then
        return task.consumer, ("%s starts without its slots of %s"):format(id, it.name)
      end
    end
  end
end

-- Idle slots -----------------------------------------------------------------------------------

--- Pending tasks by leaf, in the order in which they start by default.
local function waiting(view)
  local out = {}
  for _, task in ipairs(view.state.tasks or {}) do
    if task.state == "pending" then
      out[task.consumer] = out[task.consumer] or {}
      table.insert(out[task.consumer], task)
    end
  end
  for _, list in pairs(out) do
    table.sort(list, function (a, b)
      local x, y = a.priority or 1, b.priority or 1
      if x ~= y then return x > y end
      x, y = a.submitted or 0, b.submitted or 0
      if x ~= y then return x < y end
      return a.id < b.id
    end)
  end
  return out
end

--- Slots held idle for each path itself: for a leaf, or for a parent's own reserve.
local function held_by(it)
  local out = {}
  for _, row in ipairs(it.group.consumers) do
    local above = parent_of(row.path)
    out[row.path] = row.held
    if out[above] then out[above] = out[above] - row.held end
  end
  return out
end

--- Whether a leaf can have so many slots more: those held for it and above it, then unheld ones,
--- within all limits. Slots held for others are not available.
local function can_have(it, held, path, slots)
  while path ~= "" do
    local row, limit = it.rows[path], it.limits[path]
    slots = math.max(0, slots - held[path])
    if slots > 0 and limit and row.allocated + row.held + slots > limit then return false end
    path = parent_of(path)
  end
  return slots <= it.group.idle_left
end

local function could_start(view, held, task)
  for i, it in ipairs(view.groups) do
    local slots = slots_in(task, it.name)
    local row = it.rows[task.consumer]
    if slots > 0 and (row.allocated + slots > row.demand
      or not can_have(it, held[i], task.consumer, slots)) then
      return false
    end
  end
  return true
end

--- Whether a leaf is above its quota: then its next task is one that still runs.
local function is_over(view, path)
  for _, it in ipairs(view.groups) do
    if it.rows[path].over > 0 then return true end
  end
  return false
end

local function is_strict(plan)
  local stated = type(plan.policy) == "table" and plan.policy.pending
  return (stated or (plan.options or {}).pending) ~= "skip"
end

--- In a view at rest no slot that some next task could use is idle. Next tasks are each leaf's
--- first waiting one; all waiting ones where those that do not fit are skipped.
function whole.none_idles(view)
  local held, strict = {}, is_strict(view.plan)
  for i, it in ipairs(view.groups) do held[i] = held_by(it) end
  for path, list in pairs(waiting(view)) do
    for _, task in ipairs(is_over(view, path) and {} or list) do
      if could_start(view, held, task) then
        return path, ("%s waits, and the slots that it lacks stay idle"):format(task.id)
      elseif strict then
        break
      end
    end
  end
end

-- Owners ---------------------------------------------------------------------------------------

--- Whether a leaf and all above it are within demand and ownership, where rounding costs no slot,
--- and no limit is below that.
local function is_safe(it, path)
  local leaf = it.rows[path]
  local most = math.min(leaf.demand, math.tointeger(tonumber(leaf.owned)) or -1)
  if leaf.allocated > most then return false end
  while path ~= "" do
    local row, limit = it.rows[path], it.limits[path]
    local own = math.tointeger(tonumber(row.owned))
    if not own or limit and limit < math.max(own, row.allocated) then return false end
    path = parent_of(path)
  end
  return true
end

--- Whether the first level owns no more than the group has (E-5).
local function is_covered(it)
  local own = 0
  for _, row in ipairs(it.group.consumers) do
    if parent_of(row.path) == "" then own = own + (tonumber(row.owned) or it.group.slots + 1) end
  end
  return own <= it.group.slots
end

--- No task of a leaf within what it owns goes, unless a limit forces it.
function whole.owners_keep(view)
  for _, reclaim in ipairs(view.decision.reclaims) do
    local path = reclaim.consumer
    local inside = reclaim.why and reclaim.why.code == "inside"
    local safe = (reclaim.tasks or {})[1] ~= nil and not inside
    for _, it in ipairs(view.groups) do safe = safe and is_covered(it) and is_safe(it, path) end
    if safe then
      return path, ("%s goes, though it runs within what it owns"):format(reclaim.tasks[1])
    end
  end
end

return whole
