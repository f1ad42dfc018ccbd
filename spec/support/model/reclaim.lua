-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-6, C-7, C-9 of the model: who gives back how much, and for whom.

local rational = require "spec.support.rational"
local quota = require "spec.support.model.quota"
local distribute = require "spec.support.model.distribute"

local reclaim = {}

--- The slots that a leaf may keep.
local function target(leaf, world)
  local shrank = leaf.own < rational(leaf.owned)
  if world.options.keep_shrunk_ownership and shrank then
    return math.max(leaf.quota, math.min(leaf.owned, leaf.demand))
  end
  return leaf.quota
end

local function judge(leaf, world)
  local over = math.max(0, leaf.allocated - leaf.in_flight - target(leaf, world))
  if world.options.hold_rounding and rational(leaf.allocated) - leaf.level < rational(1) then
    over = 0
  end
  leaf.over, leaf.left = over, over
  leaf.deficit = math.max(0, leaf.quota - leaf.allocated - leaf.received - leaf.claimed)
  leaf.unmatched = leaf.deficit
  leaf.taken, leaf.due = 0, {}
end

local function sum(node, field)
  return distribute.sum(node, function (leaf)
    return leaf[field]
  end)
end

local take

--- C-7 among equals in rank: in proportion to over, floors, the rest one each to larger over.
local function take_from_equals(band, amount, visit)
  local total = 0
  for _, entry in ipairs(band) do
    total = total + entry.over
  end
  local rest = math.min(amount, total)
  local shared = rest
  for _, entry in ipairs(band) do
    entry.part = (rational(entry.over) * shared / total):floor()
    rest = rest - entry.part
  end
  table.sort(band, function (a, b)
    if a.over ~= b.over then
      return a.over > b.over
    end
    return a.node.index > b.node.index
  end)
  for _, entry in ipairs(band) do
    if rest > 0 and entry.part < entry.over then
      entry.part, rest = entry.part + 1, rest - 1
    end
    take(entry.node, entry.part, visit)
  end
  return shared
end

--- C-7: takes `amount` from a node, worst rank first; visit(leaf, slots) hears of every leaf.
function take(node, amount, visit)
  if amount == 0 then
    return
  elseif #node.children == 0 then
    node.left, node.taken = node.left - amount, node.taken + amount
    return visit(node, amount)
  end
  local ordered = quota.ordered(node.children)
  local last = #ordered
  while last > 0 and amount > 0 do
    local rank, band = ordered[last].rank, {}
    while last > 0 and ordered[last].rank == rank do
      local over = sum(ordered[last], "left")
      if over > 0 then
        band[#band + 1] = { node = ordered[last], over = over }
      end
      last = last - 1
    end
    if #band > 0 then
      amount = amount - take_from_equals(band, amount, visit)
    end
  end
end

--- Hands `amount` to the deficits inside, best first: visit(leaf, slots).
local function match(node, amount, visit)
  if #node.children == 0 then
    local part = math.min(amount, node.unmatched)
    node.unmatched = node.unmatched - part
    if part > 0 then
      visit(node, part)
    end
    return amount - part
  end
  for _, child in ipairs(quota.ordered(node.children)) do
    amount = match(child, amount, visit)
  end
  return amount
end

--- Takes r inside a node and says for whom: who is first to give serves the best.
local function settle(node, amount)
  local claims, takes, at = {}, {}, 1
  match(node, amount, function (leaf, slots)
    claims[#claims + 1] = { leaf = leaf, slots = slots }
  end)
  take(node, amount, function (leaf, slots)
    takes[#takes + 1] = { leaf = leaf, slots = slots }
  end)
  table.sort(takes, function (a, b)
    return a.leaf.seat > b.leaf.seat
  end)
  for _, given in ipairs(takes) do
    while given.slots > 0 and claims[at] do
      local part = math.min(given.slots, claims[at].slots)
      table.insert(given.leaf.due, { consumer = claims[at].leaf.path, slots = part })
      claims[at].slots, given.slots = claims[at].slots - part, given.slots - part
      at = claims[at].slots == 0 and at + 1 or at
    end
  end
end

--- C-6 for a node and all below it; what was reclaimed inside.
local function visit_node(node, world)
  if #node.children == 0 then
    return 0
  end
  local inner = 0
  for _, child in ipairs(node.children) do
    inner = inner + visit_node(child, world)
  end
  local promised = node.allocated - node.in_flight + node.received + node.claimed
    + sum(node, "deficit") - inner
  local amount
  if node == world.root then
    amount = promised - world.slots
  else
    amount = math.max(sum(node, "unmatched"), promised - (node.limit or promised))
  end
  amount = math.min(sum(node, "left"), math.max(0, amount))
  settle(node, amount)
  return inner + amount
end

--- Numbers the leaves in the order of distribution; that of giving back is the opposite one.
local function seat(node, leaves)
  if node.path and #node.children == 0 then
    leaves[#leaves + 1] = node
    node.seat = #leaves
  end
  for _, child in ipairs(quota.ordered(node.children)) do
    seat(child, leaves)
  end
  return leaves
end

function reclaim.run(world)
  world.leaves = seat(world.root, {})
  for _, node in ipairs(world.nodes) do
    if #node.children == 0 then
      judge(node, world)
    end
  end
  visit_node(world.root, world)
  for _, node in ipairs(world.nodes) do
    node.over = sum(node, "over")
    node.taken = sum(node, "taken")
  end
end

return reclaim
