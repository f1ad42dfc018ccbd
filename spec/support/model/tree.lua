-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The model's tree of one group: what plan and state say of every consumer, nothing computed.

local tree = {}

local MOST = 1000000000 -- how no limit reads as a column
local COLUMNS = { "owned", "reserve", "limit", "rank", "share", "grace", "cap", "tier" }

--- The policy's options for a group: the plan's, then what stands beside the policy's name.
function tree.options(plan, group)
  local out = {}
  for key, value in pairs(plan.options or {}) do
    out[key] = value
  end
  local stated = plan.groups and plan.groups[group].policy or plan.policy
  if type(stated) == "table" then
    for key, value in pairs(stated) do
      out[key] = value
    end
  end
  return out
end

--- A number of the state that may be told by group.
local function of_group(value, group)
  if type(value) == "table" then
    return value[group]
  end
  return value
end

local function new_node(stated, parent, differs)
  local path = (parent.path or "") .. "/" .. stated.name
  local node = { name = stated.name, path = path, parent = parent, children = {}, said = {} }
  local over = differs[path] or {}
  for _, column in ipairs(COLUMNS) do
    node[column] = over[column] or stated[column]
  end
  node.in_flight, node.claimed = 0, 0
  return node
end

local function grow(parent, list, world, differs)
  for _, stated in ipairs(list or {}) do
    local node = new_node(stated, parent, differs)
    parent.children[#parent.children + 1] = node
    world.nodes[#world.nodes + 1] = node
    node.index = #world.nodes
    world.by_path[node.path] = node
    grow(node, stated.children, world, differs)
  end
end

--- Defaults of the plan: bottom-up, since a parent's omitted `owned` is its children's sum.
local function complete(node, default_rank)
  local sum = 0
  for _, child in ipairs(node.children) do
    complete(child, default_rank)
    sum = sum + child.owned
  end
  node.owned = node.owned or sum
  node.reserve = node.reserve or 0
  node.rank = node.rank or default_rank
  node.share = node.share or 1
  node.grace = node.grace or 0
  node.most = node.limit or MOST
  -- Attributes of random policies (gen_policy.lua): no limit by default, and a number.
  node.cap = node.cap or MOST
  node.tier = node.tier or 2
end

--- `allocated` that is not stated is the sum of the leaf's tasks.
local function read_consumers(world, state, group)
  local held = {}
  for _, task in ipairs(state.tasks or {}) do
    held[task.consumer] = (held[task.consumer] or 0) + (task.slots or 1)
  end
  for _, node in ipairs(world.nodes) do
    local said = (state.consumers or {})[node.path] or {}
    node.demand = of_group(said.demand, group) or 0
    node.allocated = of_group(said.allocated, group) or held[node.path] or 0
    node.usage = of_group(said.usage, group) or 0 -- of now, so none has faded
  end
end

--- `claimed` is what others give back for a leaf: its earmarked slots.
local function read_reclaims(world, state, group)
  for _, reclaim in ipairs(state.reclaims or {}) do
    if (reclaim.group or world.only) == group then
      local donor = world.by_path[reclaim.consumer]
      donor.in_flight = donor.in_flight + reclaim.slots
      for _, claim in ipairs(reclaim["for"] or {}) do
        local claimant = world.by_path[claim.consumer]
        claimant.claimed = claimant.claimed + claim.slots
      end
    end
  end
end

--- Sums that every node has over the leaves below.
local function sum_up(node)
  node.claimed_itself = node.claimed -- of a parent: for its own reserve
  for _, child in ipairs(node.children) do
    sum_up(child)
    node.allocated = node.allocated + child.allocated
    if node.usage then node.usage = node.usage + child.usage end
    node.in_flight = node.in_flight + child.in_flight
    node.claimed = node.claimed + child.claimed
  end
end

--- The group of that name: root (virtual), nodes in plan order, planned and actual size.
function tree.read(plan, state, group)
  local spec = (plan.groups or {})[group] or {}
  local options = tree.options(plan, group)
  local root = { children = {}, owned = 0, allocated = 0, in_flight = 0, claimed = 0 }
  local world = { root = root, nodes = {}, by_path = {}, options = options, group = group }
  world.only = not plan.groups and "default" or nil
  grow(root, plan.consumers, world, spec.consumers or {})
  complete(root, options.default_rank or 0)
  local sum = 0
  for _, child in ipairs(root.children) do
    sum = sum + child.owned
  end
  world.planned = spec.slots or plan.slots or sum
  world.slots = of_group(state.slots, group) or world.planned
  read_consumers(world, state, group)
  read_reclaims(world, state, group)
  sum_up(root)
  return world
end

return tree
