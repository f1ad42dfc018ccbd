-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-6, C-7, C-9 of the model: who gives back how much, and for whom.

local rational = require "spec.support.model.rational"
local rules = require "spec.support.model.rules"
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

--- What a leaf lacks once it has what it received and what comes back for it.
local function await(leaf)
  leaf.deficit = math.max(0, leaf.quota - leaf.allocated - leaf.received - leaf.claimed)
  leaf.unmatched = leaf.deficit
  leaf.taken, leaf.due = 0, {}
end

local function judge(leaf, world)
  local over = math.max(0, leaf.allocated - leaf.in_flight - target(leaf, world))
  if world.options.hold_rounding and rational(leaf.allocated) - leaf.level < rational(1) then
    over = 0
  end
  leaf.over, leaf.left = over, over
  await(leaf)
end

--- A parent's last member.
local function judge_itself(member)
  member.over, member.left = 0, 0
  await(member)
end

local function sum(node, field)
  return distribute.sum(node, function (leaf)
    return leaf[field]
  end)
end

--- Who has more left to give comes first, then who is later in plan order.
local function by_over(rows)
  table.sort(rows, function (a, b)
    if a.over ~= b.over then
      return a.over > b.over
    end
    return a.node.index > b.node.index
  end)
end

--- Sets the parts of rows that give back `amount` in proportion to their weights, nobody more than
--- it is over: rounded down, then the rest one each.
local function in_proportion(rows, amount)
  local left, weights = rational(amount), 0
  for _, row in ipairs(rows) do
    row.at = rational(row.over) / row.weight
    weights = weights + row.weight
  end
  table.sort(rows, function (a, b)
    return a.at < b.at
  end)
  for _, row in ipairs(rows) do
    local exact = rational.min(row.over, left * row.weight / weights)
    left, weights = left - exact, weights - row.weight
    row.part = exact:floor()
    amount = amount - row.part
  end
  by_over(rows)
  for _, row in ipairs(rows) do
    if amount > 0 and row.part < row.over then
      row.part, amount = row.part + 1, amount - 1
    end
  end
  assert(amount == 0, "model: a group gives back what it was asked for")
end

local take

--- Who gives back below a node: its children, or all its leaves alike; to `out`.
local function donors(node, across, out)
  for _, child in ipairs(node.children) do
    if across and #child.children > 0 then
      donors(child, across, out)
    else
      out[#out + 1] = child
    end
  end
  return out
end

--- `owned` weighs as configured, since scaling keeps proportions: but of a group that is planned to
--- have no slots nobody owns any (C-1).
local function weight_of(node, by, over)
  if by == "over" then return over end
  if by == "owned" then return rational(0) < node.own and node.owned or 0 end
  return rules.value(node, by)
end

--- C-7 among equals: those without a weight give what the others cannot.
local function take_from_equals(group, amount, taker)
  local weighty, others, most = {}, {}, 0
  for _, node in ipairs(group) do
    local over = rules.still_over(node)
    local weight = weight_of(node, taker.say.by, over)
    if over > 0 and weight > 0 then
      weighty[#weighty + 1] = { node = node, over = over, weight = weight }
      most = most + over
    elseif over > 0 then
      others[#others + 1] = { node = node, over = over, weight = over }
    end
  end
  in_proportion(weighty, math.min(amount, most))
  in_proportion(others, amount - math.min(amount, most))
  for _, rows in ipairs { weighty, others } do
    for _, row in ipairs(rows) do
      take(row.node, row.part, taker)
    end
  end
end

--- C-7: takes `amount` from a node as `taker.say` tells; taker.leaf(leaf, slots) hears of every
--- leaf.
function take(node, amount, taker)
  if amount == 0 then
    return
  elseif #node.children == 0 then
    node.left, node.taken = node.left - amount, node.taken + amount
    return taker.leaf(node, amount)
  end
  local members = donors(node, taker.across, {})
  for _, group in ipairs(rules.groups(taker.say.order, members)) do
    local part = 0
    for _, child in ipairs(group) do
      part = part + rules.still_over(child)
    end
    part = math.min(part, amount)
    amount = amount - part
    take_from_equals(group, part, taker)
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
  for _, member in ipairs(node.members) do
    amount = match(member, amount, visit)
  end
  return amount
end

--- Serves deficits inside a node, best first, with slots of leaves ({leaf, slots} each), the last
--- leaf in the order of distribution first. What serves nobody is left in the list.
local function serve(node, given)
  table.sort(given, function (a, b)
    return a.leaf.seat > b.leaf.seat
  end)
  local whole = 0
  for _, from in ipairs(given) do
    whole = whole + from.slots
  end
  local at = 1
  match(node, whole, function (claimant, slots)
    while slots > 0 do
      local from = given[at]
      local part = math.min(slots, from.slots)
      if part > 0 then
        table.insert(from.leaf.due, { consumer = claimant.path, slots = part })
      end
      from.slots, slots = from.slots - part, slots - part
      at = from.slots == 0 and at + 1 or at
    end
  end)
end

--- C-6: what limits inside took and nobody there is owed serves deficits here, nearest first.
local function pass_on(node)
  local freed = {}
  for _, child in ipairs(node.children) do
    table.move(child.freed or {}, 1, #(child.freed or {}), #freed + 1, freed)
  end
  serve(node, freed)
  return freed
end

--- Takes so many slots inside a node; those that no deficit there wants are free.
local function settle(node, amount, world, freed)
  local takes = {}
  local said = world.rules
  take(node, amount, { say = said.reclaim, across = said.across, leaf = function (leaf, slots)
    takes[#takes + 1] = { leaf = leaf, slots = slots }
  end })
  serve(node, takes)
  node.freed = table.move(takes, 1, #takes, #freed + 1, freed)
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
  local freed = pass_on(node)
  local promised = node.allocated - node.in_flight + node.received + node.claimed
    + sum(node, "deficit") - inner
  local amount
  if node == world.root then
    amount = promised - world.slots
  else
    local owed = world.rules.across and 0 or sum(node, "unmatched")
    amount = math.max(owed, promised - (node.limit or promised))
  end
  amount = math.min(rules.still_over(node), math.max(0, amount))
  settle(node, amount, world, freed)
  return inner + amount
end

--- Numbers the leaves in the order of distribution; that of giving back is the opposite one.
local function seat(node, leaves)
  for _, member in ipairs(node.members) do
    if #member.children > 0 then
      seat(member, leaves)
    elseif member ~= node.itself then
      leaves[#leaves + 1] = member
      member.seat = #leaves
    end
  end
  return leaves
end

function reclaim.run(world)
  world.leaves = seat(world.root, {})
  for _, node in ipairs(world.nodes) do
    if #node.children == 0 then
      judge(node, world)
    else
      judge_itself(node.itself)
    end
  end
  rules.prepare(world, world.rules.reclaim.by)
  rules.prepare_keys(world, world.rules.reclaim.order)
  visit_node(world.root, world)
  for _, node in ipairs(world.nodes) do
    node.over = sum(node, "over")
    node.taken = sum(node, "taken")
  end
end

return reclaim
