-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The cycle with whole tasks (C-13), on top of the model of C-1 to C-8: which tasks start, which
--- go, and what is held until a task is whole.

local distribute = require "spec.support.model.distribute"
local ledger = require "spec.support.model.whole.ledger"
local quota = require "spec.support.model.quota"
local reclaim = require "spec.support.model.reclaim"
local rules = require "spec.support.model.rules"
local tasks = require "spec.support.model.whole.tasks"
local tree = require "spec.support.model.tree"
local whole_quota = require "spec.support.model.whole.quota"

local whole = {}

--- The rules of ownership, a plan's only policy: slots go by its ledger.
whole.OWNERSHIP = { fills = {} }

--- Names of a plan's groups, in the order in which documents of specs have them.
function whole.groups(plan)
  local out = {}
  for name in pairs(plan.groups or { default = true }) do out[#out + 1] = name end
  table.sort(out)
  return out
end

--- By group, what is stated of a leaf: a table, or a number of the only group there is.
local function amounts(told, group)
  local out = {}
  for name, slots in pairs(type(told) == "table" and told or { [group] = told }) do
    out[name] = slots
  end
  return out
end

--- What leaves with tasks demand and hold, as numbers, in the rows that a tree is read from.
local function add_rows(rows, leaves, group)
  for path, leaf in pairs(leaves) do
    local told = rows[path] or {}
    local row = { demand = amounts(told.demand, group), allocated = amounts(told.allocated, group) }
    row.demand[group] = tasks.demand(leaf, group)
    row.allocated[group] = row.allocated[group] or leaf.held[group] or 0
    rows[path] = row
  end
end

--- Ids of tasks that the reclaims of a group name.
local function named_in(state, group, only)
  local out = {}
  for _, told in ipairs(state.reclaims or {}) do
    for _, id in ipairs((told.group or only) == group and told.tasks or {}) do out[id] = true end
  end
  return out
end

--- A reclaim in flight is all slots of the tasks that it names: so many come back once they go.
local function flight(told, group, leaf)
  local named, slots = {}, 0
  for _, id in ipairs(told.tasks or {}) do named[id] = true end
  for _, task in ipairs(leaf and leaf.flies or {}) do
    slots = slots + (named[task.id] and task.slots[group] or 0)
  end
  slots = math.max(told.slots, slots)
  return { consumer = told.consumer, group = group, slots = slots, ["for"] = told["for"] }
end

--- A group's reclaims; tasks that go for those of another one come back in this one, too.
local function flights(state, leaves, group, only, out)
  local named = named_in(state, group, only)
  for _, told in ipairs(state.reclaims or {}) do
    if (told.group or only) == group then
      out[#out + 1] = flight(told, group, leaves[told.consumer])
    end
  end
  for path, leaf in pairs(leaves) do
    for _, task in ipairs(leaf.flies) do
      local slots = named[task.id] and 0 or task.slots[group] or 0
      if slots > 0 then out[#out + 1] = { consumer = path, group = group, slots = slots } end
    end
  end
end

--- The state as the tree reads it.
local function told(state, leaves, groups)
  local out = { slots = state.slots, consumers = {}, reclaims = {} }
  for path, row in pairs(state.consumers or {}) do out.consumers[path] = row end
  for _, group in ipairs(groups) do
    add_rows(out.consumers, leaves[group], group)
    flights(state, leaves[group], group, groups[1], out.reclaims)
  end
  return out
end

local function read(plan, state, site)
  local groups = whole.groups(plan)
  local it = { worlds = {}, leaves = tasks.read(state, groups), now = state.now }
  local plain = told(state, it.leaves, groups)
  for i, name in ipairs(groups) do
    local world = tree.read(plan, plain, name)
    world.rules = rules.of(site, world.options.evenly and quota.EVENLY or quota.HYBRID)
    for _, node in ipairs(world.nodes) do node.group = name end
    if site == whole.OWNERSHIP then
      world.divide = function (of) ledger(of, plan, state.loans) end
    end
    it.worlds[i] = world
  end
  it.strict = it.worlds[1].options.pending ~= "skip"
  return it
end

--- Which tasks of a leaf start; their slots are granted, and the rest of what it received is held.
local function start(it, leaf)
  local received = {}
  for _, world in ipairs(it.worlds) do received[world.group] = world.by_path[leaf.path].received end
  leaf.starts, leaf.granted = tasks.start(leaf, it.uses[leaf], received, it.strict)
end

local function settle(node, leaves, group)
  local leaf = leaves[node.path]
  if leaf and leaf.whole then
    node.granted = leaf.granted[group] or 0
  elseif #node.children > 0 then
    node.granted = 0
    for _, child in ipairs(node.children) do
      node.granted = node.granted + settle(child, leaves, group)
    end
  end
  node.held = node.received - node.granted
  return node.granted
end

--- Ids of tasks that have slots in a group.
local function ids(list, group)
  local out = {}
  for _, task in ipairs(list) do
    if (task.slots[group] or 0) > 0 then out[#out + 1] = task.id end
  end
  return out
end

--- The tasks of a leaf that go for what is reclaimed from it in all its groups.
local function victims_of(it, leaf)
  local taken = {}
  for _, world in ipairs(it.worlds) do
    local node = world.by_path[leaf.path]
    if it.leaves[world.group][leaf.path] == leaf then taken[world.group] = node.taken end
  end
  return tasks.victims(leaf, taken)
end

local function moves(it, world, out)
  local group, count = world.group, #world.leaves
  local leaves = it.leaves[group]
  for i, node in ipairs(world.leaves) do
    local leaf = leaves[node.path]
    if node.granted > 0 then
      local grant = { group = group, consumer = node.path, slots = node.granted }
      grant.tasks = leaf and leaf.whole and ids(leaf.starts, group) or nil
      table.insert(out.grants, grant)
    end
    local last = world.leaves[count + 1 - i]
    if last.taken > 0 then
      leaf = leaves[last.path]
      local moved = { group = group, consumer = last.path, slots = last.taken, ["for"] = last.due }
      moved.tasks = ids(leaf and victims_of(it, leaf) or {}, group)
      table.insert(out.reclaims, moved)
    end
  end
end

local function row(node)
  return {
    path = node.path, demand = node.wanted, need = node.needed, owned = tostring(node.own),
    reserve = node.reserve_now, quota = node.quota, allocated = node.allocated,
    parts = { whole = node.whole, filled = node.quota - node.whole }, granted = node.granted,
    held = node.held, over = node.over, -- a ledger knows none
  }
end

local function answer(it, world, out)
  local held, rows = 0, {}
  for i, node in ipairs(world.nodes) do rows[i] = row(node) end
  for _, child in ipairs(world.root.children) do held = held + child.held end
  out.groups[world.group] = {
    slots = world.slots, idle = world.idle, idle_left = world.idle_left, held = held,
    consumers = rows,
  }
  moves(it, world, out)
end

--- Who gets idle slots. A ledger has decided that with the quotas.
local function distribute_all(world)
  if not world.divide then return distribute.run(world) end
  world.leaves, world.idle_left = whole_quota.in_order(world), world.idle
  for _, leaf in ipairs(world.leaves) do
    leaf.granted = math.min(leaf.received, math.max(0, leaf.wanted - leaf.allocated))
    world.idle_left = world.idle_left - leaf.received
  end
end

--- The whole decision, as far as it is numbers and names of tasks. Of a row's parts, `filled` is
--- what the policy's fills gave. `passes`: how often quotas were computed.
function whole.cycle(plan, state, site)
  local it = read(plan, state, site)
  local out = { now = state.now, groups = {}, grants = {}, reclaims = {} }
  whole_quota.run(it)
  out.passes = it.passes
  for _, world in ipairs(it.worlds) do distribute_all(world) end
  for leaf in pairs(it.uses) do start(it, leaf) end
  for _, world in ipairs(it.worlds) do
    local leaves = it.leaves[world.group]
    for _, child in ipairs(world.root.children) do settle(child, leaves, world.group) end
    if not world.divide then reclaim.run(world) end
  end
  for _, world in ipairs(it.worlds) do answer(it, world, out) end
  out.lent, out.passed = it.worlds[1].lent, it.worlds[1].passed
  return out
end

return whole
