-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What cycles of a simulation are told, and what they tell: a whole state for every one.

local engine = require "spec.support.cases.engine"
local json = require "dkjson"

local tell = {}

local function each(list, visit)
  for _, item in ipairs(list) do visit(item) end
end

-- ---- Jobs of a cell: a leaf in a resource group -------------------------------------------------

local function before(a, b)
  if a.priority ~= b.priority then return a.priority > b.priority end
  return a.number < b.number
end

function tell.first_waiting(s, cell)
  local first
  each(s.jobs, function (job)
    if job.cell == cell and job.waiting > 0 and (not first or before(job, first)) then
      first = job
    end
  end)
  return first
end

function tell.running(s, cell)
  local total = 0
  each(s.tasks, function (task)
    total = total + (task.job.cell == cell and task.slots or 0)
  end)
  return total
end

local function waiting(s, cell)
  local total = 0
  each(s.jobs, function (job) total = total + (job.cell == cell and job.waiting or 0) end)
  return total
end

-- ---- States -------------------------------------------------------------------------------------

--- Numbers of a leaf by group, or the only one.
local function by_group(s, leaf, number)
  if #s.groups == 1 then return number(s.cells[s.groups[1] .. leaf]) end
  local all = {}
  each(s.groups, function (group) all[group] = number(s.cells[group .. leaf]) end)
  return next(all) and all
end

--- Several groups have names.
local function group_of(s, cell)
  return #s.groups > 1 and cell.group or nil
end

--- Tasks say what a leaf with rigid jobs wants and has.
local function add_consumers(s, state)
  each(s.leaves, function (leaf)
    state.consumers[leaf] = {
      demand = by_group(s, leaf, function (cell)
        return not cell.whole and tell.running(s, cell) + waiting(s, cell) or nil
      end),
      allocated = by_group(s, leaf, function (cell)
        return not cell.whole and tell.running(s, cell) or nil
      end),
      waiting_since = s.waits and by_group(s, leaf, function (cell)
        return s.waiting_since[cell] or s.now
      end) or nil,
    }
  end)
end

--- Jobs of one name in a cell share a session, which is told as that of the first of them.
local function add_tasks(s, state)
  local told = {}
  each(s.tasks, function (task)
    local job = task.job
    local cell = job.cell
    local id = job.session and "n" .. cell.key .. job.session or "s" .. job.number
    if not told[id] then
      table.insert(state.sessions, { id = id, consumer = cell.leaf, group = group_of(s, cell),
        scheduling = "priority", priority = job.priority, created = job.at,
        demand = not job.session and job.left or nil })
    end
    told[id] = true
    table.insert(state.tasks, { id = task.id, consumer = cell.leaf, group = group_of(s, cell),
      session = id, slots = task.slots, started = task.started, submitted = job.at })
  end)
end

local function add_waiting(s, state)
  each(s.jobs, function (job)
    local slots = job.rigid and job.slots or 1
    for i = 1, job.cell.whole and job.waiting // slots or 0 do
      table.insert(state.tasks, { id = ("%06d.w%d"):format(job.number, i), state = "pending",
        consumer = job.cell.leaf, group = group_of(s, job.cell), slots = slots,
        submitted = job.at, priority = job.priority })
    end
  end)
end

local function add_reclaims(s, state)
  each(s.reclaims, function (reclaim)
    table.insert(state.reclaims, { id = reclaim.id, consumer = reclaim.cell.leaf,
      group = group_of(s, reclaim.cell), slots = reclaim.slots, deadline = reclaim.deadline,
      tasks = reclaim.tasks[1] and reclaim.tasks or { "gone" },
      ["for"] = reclaim.claims[1] and reclaim.claims or nil })
  end)
end

local function state_of(s)
  local state = { now = s.now, last = s.last, consumers = {}, tasks = {}, sessions = {},
    reclaims = {}, loans = s.loans }
  add_consumers(s, state)
  add_tasks(s, state)
  add_waiting(s, state)
  add_reclaims(s, state)
  for _, key in ipairs { "tasks", "sessions", "reclaims", "loans" } do
    if state[key] and not state[key][1] then state[key] = nil end
  end
  return state
end

-- ---- Decisions ----------------------------------------------------------------------------------

local function decision_of(sealed, state)
  return assert(json.decode((engine.decide(sealed, state))))
end

function tell.decide(s)
  return decision_of(s.sealed, state_of(s))
end

function tell.row_of(decision, cell)
  for _, row in ipairs(decision.groups[cell.group].consumers) do
    if row.path == cell.leaf then return row end
  end
end

--- Slots of all groups.
function tell.size_of(s, decision)
  local size = 0
  each(s.groups, function (group) size = size + decision.groups[group].slots end)
  return size
end

--- ... before anything happens.
function tell.size_at(s, now)
  return tell.size_of(s, decision_of(s.sealed, { now = now }))
end

--- The cell of an order.
function tell.cell_of(s, order)
  return s.cells[order.group .. order.consumer]
end

--- The most slots that a leaf may ever have.
function tell.most_of(s, cell)
  local demand = #s.groups > 1 and { [cell.group] = 1000000000 } or 1000000000
  local state = { now = s.now, consumers = { [cell.leaf] = { demand = demand } } }
  return tell.row_of(decision_of(s.sealed, state), cell).quota
end

return tell
