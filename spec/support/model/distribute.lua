-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-5 of the model: who gets the idle slots.

local quota = require "spec.support.model.quota"

local distribute = {}

local function each_leaf(node, visit)
  if #node.children == 0 then
    return visit(node)
  end
  for _, child in ipairs(node.children) do
    each_leaf(child, visit)
  end
end

--- Sum of a function over the leaves of a node.
function distribute.sum(node, what)
  local sum = 0
  each_leaf(node, function (leaf)
    sum = sum + what(leaf)
  end)
  return sum
end

local function lack(leaf)
  return math.max(0, leaf.quota - leaf.allocated - leaf.received)
end

--- The quota of a real parent beyond its children's: its own reserve, not needed now.
local function phantom(node)
  local rest = node.quota
  for _, child in ipairs(node.children) do
    rest = rest - child.quota
  end
  return rest
end

local first

--- Passes `slots` to the members of a node; returns what it could not place.
local function pass_down(node, slots)
  local left = slots
  for _, child in ipairs(quota.ordered(node.children)) do
    local part = math.min(math.max(0, child.quota - child.allocated), left)
    left = left - first(child, part)
  end
  if node.quota then
    node.kept = math.min(math.max(0, phantom(node)), left)
    left = left - node.kept
  end
  return left
end

--- First pass: gives a node its part; how much of it was placed.
function first(node, part)
  local placed = part
  if #node.children > 0 then
    placed = part - pass_down(node, part)
  end
  node.received = placed
  return placed
end

--- Second pass: leaves still below quota take from `left`; how much they took.
local function second(node, left)
  if #node.children == 0 then
    local part = math.min(lack(node), left)
    node.received = node.received + part
    return part
  end
  local most = math.min(distribute.sum(node, lack), left)
  if node.limit then
    most = math.min(most, math.max(0, node.limit - node.allocated - node.received))
  end
  local rest = most
  for _, child in ipairs(quota.ordered(node.children)) do
    rest = rest - second(child, rest)
  end
  node.received = node.received + most - rest
  return most - rest
end

--- Splits what was received into granted and held, leaves first.
local function settle(node)
  if #node.children == 0 then
    node.granted = math.min(node.received, math.max(0, node.demand - node.allocated))
  else
    node.granted = 0
    for _, child in ipairs(node.children) do
      settle(child)
      node.granted = node.granted + child.granted
    end
  end
  node.held = node.received - node.granted
end

function distribute.run(world)
  local root = world.root
  world.idle = math.max(0, world.slots - root.allocated)
  local left = pass_down(root, world.idle)
  for _, child in ipairs(quota.ordered(root.children)) do
    left = left - second(child, left)
  end
  world.idle_left, world.held = left, 0
  root.received = world.idle - left
  for _, child in ipairs(root.children) do
    settle(child)
    world.held = world.held + child.held
  end
end

return distribute
