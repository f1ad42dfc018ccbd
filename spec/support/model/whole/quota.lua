-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-13 of the model, over all leaves: quotas that whole tasks can use, pass by pass, and what is
--- left given to next tasks. Slow and literal: each pass computes every quota anew.

local quota = require "spec.support.model.quota"
local rules = require "spec.support.model.rules"
local tasks = require "spec.support.model.whole.tasks"

local whole = {}

local function leaves_in_order(node, keys, out)
  for _, child in ipairs(rules.ordered(keys, node.children)) do
    if #child.children == 0 then
      out[#out + 1] = child
    else
      leaves_in_order(child, keys, out)
    end
  end
  return out
end

--- The leaves of a group in the order of distribution.
function whole.in_order(world)
  rules.prepare_keys(world, world.rules.distribute)
  return leaves_in_order(world.root, world.rules.distribute, {})
end

--- The groups of a leaf, as worlds.
local function worlds_of(it, leaf)
  local out = {}
  for _, world in ipairs(it.worlds) do
    if it.leaves[world.group][leaf.path] == leaf then out[#out + 1] = world end
  end
  return out
end

--- What a leaf uses of its quotas; with `more`, by group, of so many slots more.
local function use_of(it, leaf, more)
  local slots = {}
  for _, world in ipairs(worlds_of(it, leaf)) do
    slots[world.group] = world.by_path[leaf.path].quota + (more and more[world.group] or 0)
  end
  return tasks.uses(leaf, slots, it.strict)
end

local function is_short(node, use)
  return (use.sums[node.group] or 0) < math.min(node.demand, node.quota)
end

--- The last leaf in the order of distribution that cannot use its quota; of several groups the
--- first that has one decides.
local function last_short(it)
  for _, world in ipairs(it.worlds) do
    local order = whole.in_order(world)
    for i = #order, 1, -1 do
      local leaf = it.leaves[world.group][order[i].path]
      if leaf and leaf.whole then
        local use = use_of(it, leaf)
        if is_short(order[i], use) then return leaf, use end
      end
    end
  end
end

--- Its demand comes down to what it uses, in every group where that is less.
local function lower(it, leaf, use)
  for _, world in ipairs(worlds_of(it, leaf)) do
    local node = world.by_path[leaf.path]
    if is_short(node, use) then node.demand = use.sums[world.group] or 0 end
  end
end

local function divide(world)
  local run = world.divide or quota.run
  run(world)
end

local function pour(it)
  for _, world in ipairs(it.worlds) do divide(world) end
  it.passes = it.passes + 1
end

--- What a node has beyond its children: of the root, what is left of all slots; of a parent, what
--- it reserves and they did not need.
local function spare(node, world)
  local rest = node == world.root and world.slots or node.quota
  for _, child in ipairs(node.children) do rest = rest - child.quota end
  return rest
end

--- Visits a leaf and all above it with what each gets more, when the leaf gets `slots` more; false
--- if there are not so many.
local function climb(world, node, slots, visit)
  while node ~= world.root do
    if not visit(node, slots) then return false end
    slots = math.max(0, slots - spare(node.parent, world))
    node = node.parent
  end
  return slots == 0
end

--- Slots by group that a leaf lacks for one more task.
local function more_for(it, leaf, use, task)
  local out = {}
  for _, world in ipairs(worlds_of(it, leaf)) do
    local group, node = world.group, world.by_path[leaf.path]
    local used = (use.sums[group] or 0) + (task.slots[group] or 0)
    out[group] = math.max(0, used - node.quota)
  end
  return out
end

--- Nobody gets more than it needed at first: that has the limits and what is stated as demand.
local function may_have(node, slots)
  return slots == 0 or node.quota + slots <= node.needed
end

local function fits_all(it, leaf, more)
  for _, world in ipairs(worlds_of(it, leaf)) do
    local node = world.by_path[leaf.path]
    if not climb(world, node, more[world.group], may_have) then return false end
  end
  return true
end

local function within_demand(leaf, use, task)
  for group, n in pairs(task.slots) do
    local used = (use.sums[group] or 0) + n
    if n > 0 and used > tasks.demand(leaf, group) then return false end
  end
  return true
end

--- Gives a leaf slots, and all above it what they lack for that.
local function give(it, leaf, more)
  for _, world in ipairs(worlds_of(it, leaf)) do
    climb(world, world.by_path[leaf.path], more[world.group], function (node, slots)
      node.extra = node.extra + slots
      return true
    end)
    for _, node in ipairs(world.nodes) do
      node.quota, node.whole, node.extra = node.quota + node.extra, node.whole + node.extra, 0
    end
  end
  it.uses[leaf] = use_of(it, leaf)
end

--- Whether a ledger gave a leaf what it demands, and no leaf less than before.
local function is_kept(world, node, before)
  for path, slots in pairs(before) do
    if world.by_path[path].quota < slots then return false end
  end
  return node.quota >= node.demand
end

--- Where a ledger decides, a leaf demands its next task, too. Demands as they were if that fails.
local function ask(it, leaf, use, task)
  local world = it.worlds[1]
  local node, before = world.by_path[leaf.path], {}
  local demand = node.demand
  for _, each in ipairs(world.nodes) do
    before[each.path] = #each.children == 0 and each.quota or nil
  end
  node.demand = (use.sums[world.group] or 0) + task.slots[world.group]
  divide(world)
  if is_kept(world, node, before) then
    for other in pairs(it.uses) do it.uses[other] = use_of(it, other) end
    return true
  end
  node.demand = demand
  divide(world)
  return false
end

--- Whether it is slots that a task lacks, and a leaf uses as many as that has once they are there.
local function helps(it, leaf, use, task, more)
  local lacks, after = false, use_of(it, leaf, more)
  for group, slots in pairs(more) do
    local n = task.slots[group] or 0
    lacks = lacks or slots > 0
    if (after.sums[group] or 0) < (use.sums[group] or 0) + n then return false end
  end
  return lacks
end

--- Gives a leaf what its next task lacks, if that is left in all groups.
local function serve(it, leaf)
  local use = it.uses[leaf]
  for _, next in ipairs(tasks.next_of(leaf, use, it.strict)) do
    local more = more_for(it, leaf, use, next.task)
    local wanted = next.runs or within_demand(leaf, use, next.task)
    if wanted and fits_all(it, leaf, more) and helps(it, leaf, use, next.task, more) then
      if not it.worlds[1].divide then
        give(it, leaf, more)
        return true
      elseif ask(it, leaf, use, next.task) then
        return true
      end
    end
  end
end

--- What is left goes to next tasks, a task a leaf, again and again; a leaf has its turn in the
--- first of its groups.
local function hand_out(it)
  local moved = true
  while moved do
    moved = false
    for _, world in ipairs(it.worlds) do
      for _, node in ipairs(whole.in_order(world)) do
        local leaf = it.leaves[world.group][node.path]
        local turn = leaf and leaf.whole and leaf.groups[1] == world.group
        if turn and serve(it, leaf) then moved = true end
      end
    end
  end
end

--- Quotas of all groups. `it`: worlds (in the plan's order of groups), leaves (of tasks.lua),
--- strict. Leaves behind uses (by leaf) and passes.
function whole.run(it)
  it.passes, it.uses = 0, {}
  pour(it)
  for _, world in ipairs(it.worlds) do
    for _, node in ipairs(world.nodes) do
      node.needed, node.wanted, node.whole, node.extra = node.need, node.demand, 0, 0
    end
  end
  local leaf, use = last_short(it)
  while leaf do
    lower(it, leaf, use)
    pour(it)
    leaf, use = last_short(it)
  end
  for _, by_path in pairs(it.leaves) do
    for _, each in pairs(by_path) do it.uses[each] = use_of(it, each) end
  end
  hand_out(it)
end

return whole
