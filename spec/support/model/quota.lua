-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-1 to C-4 of the model: own, reserve, need, quota.

local rational = require "spec.support.rational"

local quota = {}

--- The fills of the ready-made policy (architecture.md, C-3), as data: names of node fields.
quota.HYBRID = {
  { label = "reserved", by = "reserve_now", up_to = "reserve_now" },
  { label = "owned", by = "own", up_to = "own" },
  { label = "borrowed", by = "own" },
  { label = "spare", by = 1 },
}
quota.EVENLY = {
  { label = "reserved", by = "reserve_now", up_to = "reserve_now" },
  { label = "owned", by = "own", up_to = "owned" },
  { label = "borrowed", by = 1 },
}

--- C-1.
local function scale(node, world)
  if world.planned == 0 then
    node.own = rational(0)
  else
    node.own = rational(node.owned) * world.slots / world.planned
  end
  local below = 0
  for _, child in ipairs(node.children) do
    scale(child, world)
    below = below + child.reserve_now
  end
  node.own_whole = node.own:floor() -- what a policy's function reads
  node.reserve_now = math.max(math.min(node.reserve, node.own_whole), below)
end

--- C-2.
local function want(node)
  if #node.children > 0 then
    node.demand = 0
    for _, child in ipairs(node.children) do
      want(child)
      node.demand = node.demand + child.need
    end
  end
  node.need = math.max(node.reserve_now, math.min(node.demand, node.limit or node.demand))
end

local function value(node, source)
  if type(source) == "number" then
    return rational(source)
  end
  local found = node[source] or 0
  return type(found) == "number" and rational(found) or found
end

--- Raises `rows` by at most `left` towards their aims; what is left then. All get theirs, or none
--- gets more per weight than another that is short of its aim.
local function pour(rows, left)
  local total, weights = rational(0), rational(0)
  for _, row in ipairs(rows) do
    row.room = row.aim - row.node.level
    row.at = row.room / row.weight
    total, weights = total + row.room, weights + row.weight
  end
  table.sort(rows, function (a, b)
    return a.at < b.at
  end)
  if total <= left then
    for _, row in ipairs(rows) do
      row.node.level = row.aim
    end
    return left - total
  end
  for _, row in ipairs(rows) do
    local gift = rational.min(row.room, left * row.weight / weights)
    row.node.level = row.node.level + gift
    left, weights = left - gift, weights - row.weight
  end
  assert(left:is_zero(), "model: a critical stage takes everything")
  return left
end

--- One fill over a family: groups of equal key one after another.
local function stage(family, fill, left)
  local groups, keys = {}, {}
  for _, node in ipairs(family) do
    local weight = value(node, fill.by)
    if rational(0) < weight then
      local cap = fill.up_to and value(node, fill.up_to) or rational(node.need)
      local aim = rational.max(node.level, rational.min(cap, node.need))
      local key = fill.order and node[fill.order] or 0
      if not groups[key] then
        groups[key] = {}
        keys[#keys + 1] = key
      end
      table.insert(groups[key], { node = node, weight = weight, aim = aim })
    end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    left = pour(groups[key], left)
  end
  return left
end

--- A family's members in the order of distribution: rank, then plan order.
function quota.ordered(family)
  local out = { table.unpack(family) }
  table.sort(out, function (a, b)
    if a.rank ~= b.rank then
      return a.rank < b.rank
    end
    return a.index < b.index
  end)
  return out
end

--- C-4: floors, then the lost slots one each to fractions in order.
function quota.round(family, field, exact)
  local lost = rational(0)
  for _, node in ipairs(family) do
    node[field] = exact(node):floor()
    lost = lost + exact(node):fraction()
  end
  local slots = lost:floor()
  for _, node in ipairs(quota.ordered(family)) do
    if slots > 0 and not exact(node):fraction():is_zero() then
      node[field] = node[field] + 1
      slots = slots - 1
    end
  end
end

--- C-3, top-down.
local function divide(node, slots, fills)
  if #node.children == 0 then
    return
  end
  local left = rational(slots)
  for _, child in ipairs(node.children) do
    child.level = rational(0)
  end
  for _, fill in ipairs(fills) do
    left = stage(node.children, fill, left)
  end
  quota.round(node.children, "quota", function (child)
    return child.level
  end)
  for _, child in ipairs(node.children) do
    divide(child, child.quota, fills)
  end
end

function quota.run(world)
  for _, child in ipairs(world.root.children) do
    scale(child, world)
    want(child)
  end
  local fills = world.options.evenly and quota.EVENLY or quota.HYBRID
  divide(world.root, world.slots, world.fills or fills)
end

return quota
