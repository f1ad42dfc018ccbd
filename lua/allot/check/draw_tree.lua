-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random valid plans and states: deep and wide trees, one group or several, ranks, limits,
--- reserves, owners of nothing, groups that shrank or grew, reclaims in flight.

local walk = require "allot.check.walk"

local gen = {}

local MOST = 1000000000
--- Up to this many leaves, claimants are drawn from all.
local FEW = 512

--- The character of a case, drawn once, so that cases differ in kind and not only in numbers.
function gen.style(random)
  local style = {
    wide = random:pick { 1, 2, 3, 3, 5, 12 },
    deep = random:pick { 1, 1, 2, 2, 3, 5 },
    scale = random:pick { 2, 6, 20, 100, 100, 10000, MOST },
    groups = random:once_in(5) and random:int(2, 3) or 1,
    ranks = random:pick { 1, 1, 2, 4 },
    limits = random:pick { 0, 2, 3, 6 }, -- one in this many has a limit; 0: none has
    reserves = random:pick { 0, 2, 4 },
    zeros = random:pick { 2, 4, 9 },
    greedy = random:pick { 1, 2, 4 },
  }
  style.most_nodes = random:pick { 4, 8, 8, 16, 40 }
  return style
end

local function chance(random, one_in)
  return one_in > 0 and random:once_in(one_in)
end

local function amount(random, most)
  if random:once_in(4) then
    return random:int(0, math.min(3, most))
  end
  return random:int(0, most)
end

-- The plan -------------------------------------------------------------------------------------

local function grow(random, style, depth, count)
  local list = {}
  for i = 1, random:int(1, style.wide) do
    if count.nodes >= style.most_nodes and i > 1 then
      break
    end
    count.nodes = count.nodes + 1
    local node = { name = "c" .. count.nodes }
    if depth < style.deep and random:int(1, 3) > 1 then
      node.children = grow(random, style, depth + 1, count)
    else
      count.leaves = count.leaves + 1
    end
    list[i] = node
  end
  return list
end

--- Columns of a leaf; `most` bounds what it owns.
local function leaf_columns(random, style, most)
  local out = {}
  if not chance(random, style.zeros) then
    out.owned = amount(random, most)
  end
  if chance(random, style.reserves) then
    out.reserve = random:int(0, out.owned or 0)
  end
  return out
end

--- Fills a leaf in; returns what it owns and the most that it reserves in any group.
local function fill_leaf(random, style, node, path, plan)
  local most = MOST // (style.most_nodes * 8)
  local bound = math.min(style.scale, most)
  for key, value in pairs(leaf_columns(random, style, bound)) do
    node[key] = value
  end
  local reserve = node.reserve or 0
  for i = 1, plan.groups and style.groups or 0 do
    if random:once_in(2) then
      local differs = leaf_columns(random, style, bound)
      differs.owned = differs.owned or 0
      differs.reserve = differs.reserve or 0
      plan.groups["g" .. i].consumers[path] = differs
      reserve = math.max(reserve, differs.reserve)
    end
  end
  return node.owned or 0, reserve
end

local fill

local function fill_parent(random, style, node, path, plan)
  local owned, reserve = 0, 0
  for _, child in ipairs(node.children) do
    local more_owned, more_reserve = fill(random, style, child, path, plan)
    owned, reserve = owned + more_owned, reserve + more_reserve
  end
  if not plan.groups and random:once_in(3) then
    node.owned = owned + amount(random, style.scale // 10)
    node.owned = math.min(node.owned, math.max(owned, MOST // 4))
    owned = node.owned
    if chance(random, style.reserves) then
      node.reserve = random:int(0, owned)
      reserve = math.max(reserve, node.reserve)
    end
  end
  return owned, reserve
end

--- Draws the columns of a node and all below; returns owned and the most reserved.
function fill(random, style, node, above, plan)
  local path = above .. "/" .. node.name
  local filler = node.children and fill_parent or fill_leaf
  local owned, reserve = filler(random, style, node, path, plan)
  if chance(random, style.limits) then
    node.limit = math.min(MOST, reserve + amount(random, style.scale))
  end
  if style.ranks > 1 and random:once_in(2) then
    node.rank = random:int(0, style.ranks)
  end
  return owned, reserve
end

local function draw_options(random)
  local options = {}
  for _, name in ipairs { "evenly", "keep_shrunk_ownership", "hold_rounding" } do
    if random:once_in(4) then
      options[name] = random:once_in(2)
    end
  end
  if random:once_in(6) then
    options.default_rank = random:int(0, 3)
  end
  return next(options) and options or nil
end

--- A plan under hybrid, and the planned slots (of each group, if there are several).
function gen.plan(random, style)
  local plan = { version = 1, policy = "hybrid", options = draw_options(random) }
  if style.groups > 1 then
    plan.groups = {}
    for i = 1, style.groups do
      plan.groups["g" .. i] = { consumers = {} }
    end
  end
  plan.consumers = grow(random, style, 1, { nodes = 0, leaves = 0 })
  local owned = 0
  for _, node in ipairs(plan.consumers) do
    owned = owned + fill(random, style, node, "", plan)
  end
  for _, group in pairs(plan.groups or {}) do
    group.consumers = next(group.consumers) and group.consumers or nil
  end
  if random:once_in(4) then
    -- The first level may own more than the group has (E-5), or less.
    local more = random:once_in(3) and -random:int(0, owned) or amount(random, style.scale)
    plan.slots = math.min(MOST, owned + more)
  end
  for i = 1, plan.groups and style.groups or 0 do
    plan.groups["g" .. i].slots = random:once_in(4) and amount(random, style.scale) or nil
  end
  return plan, plan.slots or owned
end

-- The state ------------------------------------------------------------------------------------

--- The paths of all leaves of a plan; two for a consumer that stands for others.
function gen.leaves(plan)
  local paths = {}
  walk(plan.consumers, function (path, node)
    if node.name == "*" then
      paths[#paths + 1] = (path:gsub("%*$", "newcomer-1"))
      paths[#paths + 1] = (path:gsub("%*$", "newcomer-2"))
    elseif not node.children then
      paths[#paths + 1] = path
    end
  end)
  return paths
end

--- A group's size: usually as planned, or more, or fewer.
function gen.size(random, planned, style)
  local kind = random:int(1, 6)
  if kind == 1 then
    return math.min(MOST, planned + amount(random, style.scale))
  elseif kind == 2 then
    return random:int(0, planned)
  elseif kind == 3 then
    return random:int(0, math.min(MOST, 4 * style.scale))
  end
  return planned
end

--- Spreads at most `slots` over the leaves of a group as allocated, and draws demands.
function gen.rows(random, style, paths, slots, crowd)
  local rows, left = {}, slots
  for _, path in ipairs(random:shuffle(table.move(paths, 1, #paths, 1, {}))) do
    local held = random:once_in(3) and 0 or random:int(0, left)
    held = random:once_in(3) and math.min(held, style.scale) or held
    left = left - held
    if crowd then
      held = math.min(MOST, held + amount(random, style.scale))
    end
    local wish = random:int(1, style.greedy + 2)
    local demand = wish == 1 and 0 or wish == 2 and random:int(0, held)
      or math.min(MOST, held + amount(random, style.scale))
    rows[path] = { demand = demand, allocated = held }
  end
  return rows
end

local function draw_claims(random, paths, donor, slots)
  local claims = {}
  for _, path in ipairs(paths) do
    if path ~= donor and slots > 0 and random:once_in(2) then
      local part = random:int(1, slots)
      claims[#claims + 1] = { consumer = path, slots = part }
      slots = slots - part
    end
  end
  return claims[1] and claims
end

--- Leaves in any order: all, or a few of very many.
local function some(random, paths)
  if #paths <= FEW then return random:shuffle(table.move(paths, 1, #paths, 1, {})) end
  local out, seen = {}, {}
  for _ = 1, FEW // 8 do
    local path = random:pick(paths)
    if not seen[path] then out[#out + 1] = path end
    seen[path] = true
  end
  return out
end

--- Slots in flight from some leaves, with or without claimants.
function gen.reclaims(random, rows, paths, group)
  local out = {}
  for _, path in ipairs(paths) do
    local held = rows[path].allocated
    if held > 0 and random:once_in(3) then
      local slots = random:int(1, held)
      out[#out + 1] = {
        id = "r" .. #out .. (group or ""), consumer = path, group = group, slots = slots,
        ["for"] = draw_claims(random, some(random, paths), path, slots),
      }
    end
  end
  return out
end

return gen
