-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- H-13 of the model with A-57: the figure of free slots.

local rational = require "spec.support.model.rational"
local round = require "spec.support.model.round"

local free = {}

--- Someone has unmet demand: what reserves keep free.
local function reserved(node)
  local below = 0
  for _, child in ipairs(node.children) do
    below = below + reserved(child)
  end
  node.free = math.max(below, node.reserve_now - node.allocated, 0)
  return node.free
end

--- Nobody has: the idle slots in proportion to what the plan says is owned.
local function split(node, slots)
  local total = 0
  for _, child in ipairs(node.children) do
    total = total + child.owned
  end
  if total == 0 then
    slots, total = 0, 1
  end
  for _, child in ipairs(node.children) do
    child.of_idle = rational(child.owned) * slots / total
  end
  round.by_rank(node.children, "of_idle", "free")
  for _, child in ipairs(node.children) do
    split(child, child.free)
  end
end

function free.run(world)
  local hungry = false
  for _, node in ipairs(world.nodes) do
    hungry = hungry or #node.children == 0 and node.demand > node.allocated
  end
  if not hungry then
    return split(world.root, world.idle)
  end
  for _, child in ipairs(world.root.children) do
    reserved(child)
  end
end

return free
