-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-5 of the model: who gets the idle slots.

local rules = require "spec.support.model.rules"

local distribute = {}

local function each_leaf(node, visit)
  if #node.children == 0 then
    return visit(node)
  end
  for _, member in ipairs(node.members) do
    each_leaf(member, visit)
  end
end

--- Sum of a function over the leaves of a node, parents' last members among them.
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

--- What a parent reserves beyond its children's quotas is that of a last member of its family that
--- demands and holds nothing. Above the reserve, quota that no fill passed on is nobody's.
local function last_member(node)
  local rest = math.min(node.quota, node.reserve_now)
  for _, child in ipairs(node.children) do
    rest = rest - child.quota
  end
  return {
    path = node.path, children = {}, quota = math.max(0, rest), demand = 0, allocated = 0,
    in_flight = 0,
    claimed = node.claimed_itself,
  }
end

--- Puts the members of every family in the order of distribution.
local function line_up(node, keys)
  node.members = rules.ordered(keys, node.children)
  for _, child in ipairs(node.children) do
    line_up(child, keys)
  end
  if node.quota and #node.children > 0 then
    node.itself = last_member(node)
    table.insert(node.members, node.itself)
  end
end

local first

--- Passes `slots` to the members of a node; returns what it could not place.
local function pass_down(node, slots)
  local left = slots
  for _, member in ipairs(node.members) do
    local part = math.min(math.max(0, member.quota - member.allocated), left)
    left = left - first(member, part)
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
  for _, member in ipairs(node.members) do
    rest = rest - second(member, rest)
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
  local root, keys = world.root, world.rules.distribute
  rules.prepare_keys(world, keys)
  line_up(root, keys)
  world.idle = math.max(0, world.slots - root.allocated)
  local left = pass_down(root, world.idle)
  for _, child in ipairs(root.members) do
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
