-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random plans within what a policy declares, and random states of any plan.

local draw_tree = require "allot.check.draw_tree"
local draw_ledger = require "allot.check.draw_ledger"
local draw_queues = require "allot.check.draw_queues"

local draw = { leaves = draw_tree.leaves }

local MOST = 1000000000
--- The most slots of a site, and the largest value of an attribute unless its `min` is larger.
local LARGE = 1000000

-- What a policy declares -----------------------------------------------------------------------

local function small(random, min, max)
  if max > LARGE then max = math.max(min, LARGE) end
  local value = random:pick { min, max, 0, 1, random:int(0, 8), random:int(0, 40) }
  return math.max(min, math.min(max, value))
end

--- A value within a declaration's bounds.
local function value_of(random, it)
  if it.type == "boolean" then return random:once_in(2) end
  if it.type == "string" then return random:pick(it.values) end
  if it.type == "words" then
    local said = {}
    for _, word in ipairs(it.values) do
      if random:once_in(3) then said[#said + 1] = word end
    end
    return table.concat(said, " ")
  end
  return small(random, it.min, it.max)
end

--- Values of some declarations of a list, by name.
local function values_of(random, list)
  local out = {}
  for _, it in ipairs(list or {}) do
    if random:once_in(2) then out[it.name] = value_of(random, it) end
  end
  return out
end

-- Plans ----------------------------------------------------------------------------------------

--- Skewed, since that is where roundings differ.
local SHARES = { 0, 1, 1, 1, 2, 3, 7, 20 }

local function add_columns(random, list, attributes)
  for _, node in ipairs(list) do
    node.share = random:once_in(3) and random:pick(SHARES) or nil
    node.grace = random:once_in(4) and random:int(0, 3) or nil
    for _, it in ipairs(attributes or {}) do
      if random:once_in(3) then
        local value = value_of(random, it)
        node[it.name] = it.limit and math.min(it.max, value + (node.reserve or 0)) or value
      end
    end
    add_columns(random, node.children or {}, attributes)
  end
end

--- Leaves that share a parent, family by family.
local function families_of(list, above, out)
  local leaves = {}
  for _, node in ipairs(list) do
    if node.children then
      families_of(node.children, above .. "/" .. node.name, out)
    else
      leaves[#leaves + 1] = node
    end
  end
  if #leaves > 1 then out[#out + 1] = { path = above, leaves = leaves } end
  return out
end

--- Makes two siblings of some family equal except for their names.
local function make_twins(random, plan)
  local families = families_of(plan.consumers, "", {})
  if #families == 0 then return end
  local family = random:pick(families)
  local first = random:int(1, #family.leaves - 1)
  local one, other = family.leaves[first], family.leaves[first + 1]
  local name, owned = other.name, (one.owned or 0) + (other.owned or 0)
  for key in pairs(other) do other[key] = nil end
  for key, value in pairs(one) do other[key] = value end
  other.name = name
  -- The parents still own enough.
  one.owned, other.owned, one.reserve, other.reserve = owned // 2, owned // 2, nil, nil
  for _, group in pairs(plan.groups or {}) do
    local rows = group.consumers or {}
    rows[family.path .. "/" .. one.name], rows[family.path .. "/" .. other.name] = nil, nil
    group.consumers = next(rows) and rows or nil
  end
end

local function tree(random, declared)
  local style = draw_tree.style(random)
  style.scale = math.min(style.scale, LARGE // 100)
  if random:once_in(2) then
    style.wide, style.deep, style.groups = random:pick { 2, 3, 5 }, random:pick { 1, 1, 2 }, 1
    style.scale = random:pick { 6, 12, 20 }
  end
  local plan, planned = draw_tree.plan(random, style)
  plan.options = random:once_in(6) and { default_rank = random:int(0, 3) } or nil
  add_columns(random, plan.consumers, declared.attributes)
  if random:once_in(2) then make_twins(random, plan) end
  return { plan = plan, style = style, planned = planned, kind = "tree" }
end

local function books(random, declared)
  local leaves = {}
  local plan = draw_ledger.plan(random, leaves)
  local known = {}
  for _, it in ipairs(declared.attributes or {}) do known[it.name] = true end
  for _, leaf in ipairs(leaves) do
    for _, name in ipairs { "lend_limit", "borrow_limit", "share_limit" } do
      if not known[name] then leaf.node[name] = nil end
    end
  end
  return { plan = plan, leaves = leaves, kind = "books" }
end

local function queues(random)
  local plan = draw_queues.plan(random, {})
  if random:once_in(2) then
    plan.leases = {}
    for i = 1, random:int(1, 2) do
      plan.leases[i] = {
        name = "lease" .. i, provider = "here", consumer = "there" .. i,
        slots = random:int(1, 12), reclaim_delay = random:pick { 60, 600 },
      }
    end
  end
  return { plan = plan, kind = "queues" }
end

--- The kind of plans that a policy is for.
function draw.kind(declared)
  if declared.quota == nil then return "queues" end
  for _, fill in ipairs(declared.quota) do
    if fill.kind == "pool" or fill.kind == "loan" then return "books" end
  end
  return "tree"
end

local MAKERS = { tree = tree, books = books, queues = queues }

--- A site: a random plan within the policy's declarations, with random options, for which
-- draw.state makes states. `use` is the policy's name in plans; `counts`: it reads use over time.
function draw.plan(random, declared, use, counts)
  local site = MAKERS[draw.kind(declared)](random, declared)
  if counts then site.plan.half_life = random:pick { 0, 60, 86400 } end
  site.options = values_of(random, declared.options)
  site.plan.policy = { use = use }
  for name, value in pairs(site.options) do site.plan.policy[name] = value end
  site.declared = declared
  return site
end

-- Sites of plans that there are ----------------------------------------------------------------

local function planned_of(plan)
  local owned = 0
  local function sum(node)
    if node.owned or not node.children then return node.owned or 0 end
    local all = 0
    for _, child in ipairs(node.children) do all = all + sum(child) end
    return all
  end
  for _, node in ipairs(plan.consumers or {}) do owned = owned + sum(node) end
  return math.max(plan.slots or owned, 1)
end

--- A site of a plan's document.
function draw.site(plan)
  local function states(key) return next(plan[key] or {}) ~= nil end
  local kind = (states "queues" or states "leases") and "queues" or "tree"
  local planned = planned_of(plan)
  local style = { scale = math.max(planned, 4), greedy = 2, groups = 1 }
  return { plan = plan, kind = kind, style = style, planned = planned, fixed = true }
end

-- States ---------------------------------------------------------------------------------------

--- Monday, 2 March 2026, and a week from then on.
draw.MONDAY = 1772409600

local function draw_now(random, plan)
  if not plan.windows then return random:int(0, 2000000000) end
  return draw.MONDAY + 300 * random:int(0, 7 * 288)
end

--- The names of a plan's groups, in order.
function draw.groups(plan)
  local names = {}
  for name in pairs(plan.groups or {}) do names[#names + 1] = name end
  table.sort(names)
  return names
end

--- Slots of a plan's hosts, by group.
local function host_slots(plan, group)
  local sum = 0
  for _, host in pairs(plan.hosts) do
    if not group or (host.group or group) == group then sum = sum + host.slots end
  end
  return sum
end

local function add_group(random, site, state, paths, group)
  local plan, style = site.plan, site.style
  local own = group and plan.groups[group].slots
  local slots = plan.hosts and host_slots(plan, group)
    or draw_tree.size(random, own or site.planned, style)
  local rows = draw_tree.rows(random, style, paths, slots, random:once_in(8))
  for path, row in pairs(rows) do
    local made = state.consumers[path] or { demand = group and {}, allocated = group and {} }
    state.consumers[path] = made
    if group then
      made.demand[group], made.allocated[group] = row.demand, row.allocated
    else
      made.demand, made.allocated = row.demand, row.allocated
    end
  end
  local flying = random:once_in(5) and draw_tree.reclaims(random, rows, paths, group) or {}
  for i, reclaim in ipairs(flying) do
    reclaim.id = "flight" .. i .. (group or "")
    state.reclaims = state.reclaims or {}
    table.insert(state.reclaims, reclaim)
  end
  return slots
end

local function tree_state(random, site)
  local plan = site.plan
  local paths, groups = draw.leaves(plan), draw.groups(plan)
  local state = { now = draw_now(random, plan), consumers = {} }
  if #groups == 0 then
    state.slots = add_group(random, site, state, paths)
  else
    state.slots = {}
    for _, group in ipairs(groups) do
      state.slots[group] = add_group(random, site, state, paths, group)
    end
  end
  if plan.hosts then state.slots = nil end
  for _, path in ipairs(plan.half_life and #groups == 0 and paths or {}) do
    state.consumers[path].usage = random:once_in(4) and 0 or random:int(0, 100000)
  end
  return state
end

local function draw_leases(random, plan)
  local out = {}
  for _, lease in ipairs(plan.leases or {}) do
    local slots = lease.slots or 0
    if type(lease.slots) ~= "number" then return nil end
    local there = random:int(0, slots)
    local here = slots - there
    out[lease.name] = {
      provider = { available = here, used = random:int(0, here) },
      consumer = {
        available = there, used = random:int(0, there),
        demand = random:once_in(2) and random:int(0, 20) or nil,
      },
      phase = "ok", since = random:int(0, 100000),
    }
  end
  return next(out) and out
end

local function queue_state(random, site)
  local plan = site.plan
  local state = { now = 100000 }
  if next(plan.hosts or {}) and next(plan.queues or {}) then
    state = draw_queues.state(random, plan)
  end
  if plan.windows then state.now = draw_now(random, plan) end
  state.leases = draw_leases(random, plan)
  return state
end

--- A state of a site's plan.
function draw.state(random, site)
  if site.kind == "queues" then return queue_state(random, site) end
  if site.leaves then return draw_ledger.state(random, site.plan, site.leaves) end
  return tree_state(random, site)
end

-- Tasks ----------------------------------------------------------------------------------------

local WIDTHS = { 1, 1, 2, 3, 4, 8 }

local function add_task(random, out, path, slots, now, declared)
  local task = values_of(random, declared.task_attributes)
  task.id, task.consumer, task.slots = "task" .. #out + 1, path, slots
  task.started = now - random:int(0, 4000)
  task.submitted = task.started - random:int(0, 100)
  task.preempted = random:once_in(4) and random:int(1, 3) or nil
  for _, it in ipairs(declared.task_attributes or {}) do
    if it.type == "tag" then
      task[it.name] = nil
      if random:once_in(3) then
        task.tags = task.tags or {}
        table.insert(task.tags, it.name)
      end
    end
  end
  out[#out + 1] = task
end

--- Puts the tasks of a consumer into two sessions, or into none.
local function add_sessions(random, out, path, tasks, first, now)
  if random:once_in(3) then return end
  local ids, scheduling = {}, random:pick { "proportional", "minimum", "priority" }
  for i = 1, 2 do
    ids[i] = "session" .. #out + 1
    out[#out + 1] = {
      id = ids[i], consumer = path, priority = random:int(1, 5), created = now - random:int(0, 900),
      preemption_rank = random:int(0, 3), demand = random:int(0, 9),
      scheduling = scheduling,
      minimum = random:once_in(2) and random:int(0, 3) or nil,
    }
  end
  for i = first, #tasks do tasks[i].session = random:pick(ids) end
end

--- Adds tasks and sessions to a state of one group, where allocations are small.
function draw.tasks(random, state, declared)
  local paths, tasks, sessions, now = {}, {}, {}, math.min(state.now, MOST)
  for path in pairs(state.consumers or {}) do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    local row = state.consumers[path]
    if type(row.allocated) ~= "number" or row.allocated > 1000 then return end
    local left, first = row.allocated, #tasks + 1
    for i = 1, left > 0 and 5 or 0 do
      local slots = i == 5 and left or random:int(1, left)
      add_task(random, tasks, path, slots, now, declared)
      left = left - slots
      if left == 0 then break end
    end
    if #tasks >= first then add_sessions(random, sessions, path, tasks, first, now) end
  end
  state.tasks = tasks[1] and tasks or nil
  state.sessions = sessions[1] and sessions or nil
end

--- Adds pending tasks to a state of one group that lists its tasks: for some consumers, whose
--- demand is then the sum of their tasks.
function draw.waiting(random, state, declared)
  if not state.tasks then return end
  local paths, running = {}, #state.tasks
  for path, row in pairs(state.consumers) do
    if row.allocated <= 1000 then paths[#paths + 1] = path end
  end
  table.sort(paths)
  for _, path in ipairs(paths) do
    for _ = 1, random:once_in(2) and random:int(1, 3) or 0 do
      add_task(random, state.tasks, path, random:pick(WIDTHS), math.min(state.now, MOST), declared)
      local task = state.tasks[#state.tasks]
      task.state, task.started, task.priority = "pending", nil, random:int(1, 3)
      state.consumers[path].demand = nil
    end
  end
  if #state.tasks == running then return end
  state.sessions, state.reclaims = nil, nil -- slots in flight without named tasks
  for _, task in ipairs(state.tasks) do task.session = nil end
end

-- Crowds ---------------------------------------------------------------------------------------

--- A plan of a thousand siblings, and a state: the most expensive case for a policy.
function draw.crowd(random, declared, use, counts)
  local plan = { version = 1, policy = { use = use }, slots = 4000, consumers = {} }
  if counts then plan.half_life = 60 end
  local state = { now = 0, slots = 4000, consumers = {} }
  for i = 1, 1000 do
    plan.consumers[i] = { name = "c" .. i, owned = random:int(0, 4), rank = random:int(0, 3) }
    state.consumers["/c" .. i] = { demand = random:int(0, 9), allocated = random:int(0, 4) }
  end
  add_columns(random, plan.consumers, declared.attributes)
  return { plan = plan, kind = "tree", declared = declared, options = {} }, state
end

return draw
