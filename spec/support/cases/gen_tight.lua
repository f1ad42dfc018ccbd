-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random sites in which slots are scarce: small trees with limits, ranks and shares at every
--- level, more held than there is, reclaims in flight.

local Random = require "allot.check.random"

local gen_tight = {}

local function draw_node(random, name, depth, ranks)
  local node = { name = name, share = random:pick { 0, 1, 1, 1, 2, 3, 8 } }
  node.rank = random:int(0, ranks)
  node.limit = random:once_in(3) and random:int(0, 12) or nil
  if depth > 0 and not random:once_in(3) then
    node.children = {}
    for i = 1, random:int(1, 3) do
      node.children[i] = draw_node(random, name .. i, depth - 1, ranks)
    end
  else
    node.owned = random:int(0, 6)
  end
  return node
end

--- Calls visit(path, node) for every leaf, in plan order.
function gen_tight.each_leaf(list, above, visit)
  for _, node in ipairs(list) do
    local path = above .. "/" .. node.name
    if node.children then
      gen_tight.each_leaf(node.children, path, visit)
    else
      visit(path, node)
    end
  end
end

local function draw_rows(random, consumers)
  local rows, paths, held = {}, {}, 0
  gen_tight.each_leaf(consumers, "", function (path)
    local allocated = random:once_in(3) and 0 or random:int(0, 9)
    local demand = random:once_in(4) and 0 or random:int(0, 14)
    rows[path] = { demand = demand, allocated = allocated }
    paths[#paths + 1], held = path, held + allocated
  end)
  return rows, paths, held
end

--- Gives parents more slots than their children own: share pools. No limit holds these.
function gen_tight.pools(random, list)
  local sum = 0
  for _, node in ipairs(list) do
    if node.children then
      node.owned = gen_tight.pools(random, node.children) + random:pick { 0, 0, 1, 2, 5 }
      node.limit = nil
    end
    sum = sum + node.owned
  end
  return sum
end

--- Slots of some leaves on their way, to others or nobody.
local function draw_flights(random, rows, paths)
  local out = {}
  for _, path in ipairs(paths) do
    local held = rows[path].allocated
    if held > 0 and random:once_in(4) then
      local slots = random:int(1, held)
      local to, claims = random:pick(paths), nil
      if to ~= path and not random:once_in(4) then
        claims = { { consumer = to, slots = random:int(1, slots) } }
      end
      out[#out + 1] = { id = "f" .. #out, consumer = path, slots = slots, ["for"] = claims }
    end
  end
  return out[1] and out or nil
end

--- A site without a policy: a plan, a state whose leaves hold about all slots.
function gen_tight.case(seed, flights)
  local random = Random.new(seed * 6007)
  local consumers, ranks = {}, random:pick { 0, 1, 3 }
  for i = 1, random:int(2, 4) do
    consumers[i] = draw_node(random, "n" .. i, random:int(1, 3), ranks)
  end
  local rows, paths, held = draw_rows(random, consumers)
  local state = { now = 1000, consumers = rows }
  state.slots = math.max(0, held + random:pick { 0, 0, 0, -2, 1, 3, 8 })
  state.reclaims = flights and random:once_in(2) and draw_flights(random, rows, paths) or nil
  local plan = { version = 1, consumers = consumers }
  return { plan = plan, state = state, random = random }
end

return gen_tight
