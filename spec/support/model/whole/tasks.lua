-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-13 of the model, for one leaf: what its tasks use of so many slots, and who waits.
--
-- Amounts of a leaf are tables by group. A leaf is *whole* where its tasks decide what it can use:
-- where some are pending, or no demand is stated. Others take any number of slots, as ever.

local victims = require "spec.support.model.victims"

local tasks = {}

--- Who goes first, by the ready-made policies without sessions: what ran least.
tasks.KEYS = { { "ran" } }

--- Slots of a task by group; `only` is the one group of a plan that names none.
local function slots_of(task, only)
  local slots = task.slots or 1
  return type(slots) == "table" and slots or { [task.group or only] = slots }
end

local function add(sums, slots, times)
  for group, n in pairs(slots) do sums[group] = (sums[group] or 0) + (times or 1) * n end
end

local function copy(sums)
  local out = {}
  add(out, sums)
  return out
end

--- Whether so many slots are there in each group.
local function fits(slots, left)
  for group, n in pairs(slots) do
    if n > (left[group] or 0) then return false end
  end
  return true
end

--- Who starts first: the highest priority, the first submitted, the smallest id.
local function in_dispatch(list)
  table.sort(list, function (a, b)
    if (a.priority or 1) ~= (b.priority or 1) then return (a.priority or 1) > (b.priority or 1) end
    if a.submitted ~= b.submitted then return (a.submitted or 0) < (b.submitted or 0) end
    return a.id < b.id
  end)
  return list
end

--- Running tasks, the last to go first: the order of victims backwards.
local function keep_order(list, now)
  local units, out = {}, {}
  for i, task in ipairs(list) do
    units[i] = { id = task.id, slots = 1, ran = math.max(0, now - (task.started or 0)), of = task }
  end
  for i, unit in ipairs((victims.pick(units, tasks.KEYS, #list))) do
    out[#list + 1 - i] = unit.of
  end
  return out
end

local function named_in_flight(state)
  local out = {}
  for _, reclaim in ipairs(state.reclaims or {}) do
    for _, id in ipairs(reclaim.tasks or {}) do out[id] = true end
  end
  return out
end

--- What is stated as the demand of a leaf, by group.
local function stated_demand(state, leaf)
  local told = ((state.consumers or {})[leaf.path] or {}).demand
  return type(told) == "table" and told or { [leaf.groups[1]] = told }
end

--- Whether tasks decide what a leaf can use: some wait, or tell what is demanded in some group.
local function is_whole(leaf)
  if leaf.waits[1] then return true end
  for group in pairs(leaf.sum) do
    if not leaf.stated[group] then return true end
  end
  return false
end

local function new_leaf(path)
  return { path = path, runs = {}, flies = {}, waits = {}, sum = {}, held = {} }
end

--- Paths of leaves some task of which has slots of several groups.
local function coupled_paths(state, only)
  local out = {}
  for _, told in ipairs(state.tasks or {}) do
    local first = next(slots_of(told, only))
    if next(slots_of(told, only), first) then out[told.consumer] = true end
  end
  return out
end

local function add_task(leaf, told, slots, flies)
  local task = { id = told.id, priority = told.priority, submitted = told.submitted }
  task.started, task.slots = told.started, slots
  local list = told.state == "pending" and leaf.waits or flies and leaf.flies or leaf.runs
  list[#list + 1] = task
  add(leaf.sum, slots)
  if list ~= leaf.waits then add(leaf.held, slots) end
end

local function finish(leaf, state)
  leaf.stated = stated_demand(state, leaf)
  leaf.whole = is_whole(leaf)
  leaf.runs, leaf.waits = keep_order(leaf.runs, state.now), in_dispatch(leaf.waits)
  leaf.flies = keep_order(leaf.flies, state.now)
end

--- Leaves with tasks, by group and path: { path, groups (in order), runs (the last to go first),
--- flies (those on the way out), waits (in order), sum and held (slots of all, and of those that
--- run), stated, whole }. It is one leaf in all groups where a task has slots of several, and one
--- in each where nothing couples them. `groups` are names in the plan's order.
function tasks.read(state, groups)
  local out, flying, coupled = {}, named_in_flight(state), coupled_paths(state, groups[1])
  for _, group in ipairs(groups) do out[group] = {} end
  for _, told in ipairs(state.tasks or {}) do
    local slots, path = slots_of(told, groups[1]), told.consumer
    local leaf = out[next(slots)][path] or new_leaf(path)
    leaf.groups = coupled[path] and groups or { (next(slots)) }
    for _, group in ipairs(leaf.groups) do out[group][path] = leaf end
    add_task(leaf, told, slots, flying[told.id])
  end
  for i, group in ipairs(groups) do
    for path, leaf in pairs(out[group]) do
      if i == 1 or leaf ~= out[groups[1]][path] then finish(leaf, state) end
    end
  end
  return out
end

--- What is demanded in a group: what is stated, or the slots of all.
function tasks.demand(leaf, group)
  return leaf.stated[group] or leaf.sum[group] or 0
end

--- Whether a task has slots of a group in which the list is over.
local function is_behind(task, ended)
  for group, n in pairs(task.slots) do
    if n > 0 and ended[group] then return true end
  end
  return false
end

--- The list is over in the groups of a task.
local function finish_list(task, ended)
  for group, n in pairs(task.slots) do ended[group] = ended[group] or n > 0 end
end

--- Of running tasks those that stay in so many slots, and those that go, the last one taken first.
-- To come down to q slots C-8 takes from the last, until what stays fits; then it spares, from the
-- last one taken, those that fit after all. So from the first: what fits, in each group, stays.
local function come_down(leaf, quota)
  local left, stays, goes = copy(quota), {}, {}
  for _, task in ipairs(leaf.runs) do
    if fits(task.slots, left) then
      add(left, task.slots, -1)
      stays[#stays + 1] = task
    else
      goes[#goes + 1] = task
    end
  end
  return stays, goes
end

--- What is left of a quota for those that wait: no more than is demanded.
local function within_demand(leaf, left, sums)
  for group in pairs(leaf.sum) do
    local wanted = tasks.demand(leaf, group) - (sums[group] or 0)
    left[group] = math.max(0, math.min(left[group] or 0, wanted))
  end
end

--- What the tasks of a leaf use of the slots in `quota`, by group: sums, starts, waits, goes.
--- `starts` are pending tasks that are used; `waits` are those that are not, in order: first those
--- that run and go, so many, from the last one taken.
function tasks.uses(leaf, quota, strict)
  local stays, goes = come_down(leaf, quota)
  local left, ended = copy(quota), {}
  local out = { sums = {}, starts = {}, waits = goes }
  local function take(task)
    add(left, task.slots, -1)
    add(out.sums, task.slots)
  end
  for _, task in ipairs(stays) do take(task) end
  for _, task in ipairs(strict and goes or {}) do finish_list(task, ended) end
  for _, task in ipairs(leaf.flies) do
    if not is_behind(task, ended) and fits(task.slots, left) then
      take(task)
    else
      goes[#goes + 1] = task
      if strict then finish_list(task, ended) end
    end
  end
  out.goes = #goes
  within_demand(leaf, left, out.sums)
  for _, task in ipairs(leaf.waits) do
    if not is_behind(task, ended) and fits(task.slots, left) then
      take(task)
      out.starts[#out.starts + 1] = task
    else
      out.waits[#out.waits + 1] = task
      if strict then finish_list(task, ended) end
    end
  end
  return out
end

--- The next tasks of a leaf, which may be given what is left: in each group the first that waits,
--- or all where those that do not fit are passed by. A task on the way out is none: it comes back
--- later.
function tasks.next_of(leaf, use, strict)
  local out, flies, ended = {}, {}, {}
  for _, task in ipairs(leaf.flies) do flies[task] = true end
  for i, task in ipairs(use.waits) do
    if not flies[task] and not is_behind(task, ended) then
      out[#out + 1] = { task = task, runs = i <= use.goes }
    end
    if strict then finish_list(task, ended) end
  end
  return out
end

--- Those that a leaf uses and that start with so many slots, which are by group, and their slots.
--- None starts behind a task on the way out, though that fits still.
function tasks.start(leaf, use, slots, strict)
  local left, out, sums, ended = copy(slots), {}, {}, {}
  for _, task in ipairs(strict and leaf.flies or {}) do finish_list(task, ended) end
  for _, task in ipairs(use.starts) do
    if not is_behind(task, ended) and fits(task.slots, left) then
      add(left, task.slots, -1)
      add(sums, task.slots)
      out[#out + 1] = task
    elseif strict then
      finish_list(task, ended)
    end
  end
  return out, sums
end

--- The tasks that go for so many slots by group, which is what is reclaimed from a leaf: those that
--- do not stay in what it keeps, the first to go first.
function tasks.victims(leaf, slots)
  local keeps, out = {}, {}
  for _, task in ipairs(leaf.runs) do add(keeps, task.slots) end
  for group, n in pairs(slots) do keeps[group] = (keeps[group] or 0) - n end
  local _, goes = come_down(leaf, keeps)
  for i, task in ipairs(goes) do out[#goes + 1 - i] = task end
  return out
end

return tasks
