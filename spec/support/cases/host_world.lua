-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random plans in which hosts are not all alike, and a model of what hosts can hold: one slot
--- after another, each on a host where it may be, others moving on for it (a matching found by
--- brute force). Written from the rules H-14, H-17 to H-19 and E-30, not from the engine.

local random = require "allot.check.random"

local world = {}

world.POLICY = [[
return policy {
  name = "site", like = "hybrid", doc = "Hybrid, and what hosts are.",
  requirements = {
    a = function (a) return a == 1 end,
    b = function (b) return b == 1 end,
    c = function (a, c) return a == 1 or c == 1 end,
  },
}
]]

local MEETS = {
  a = function (host) return host.a == 1 end,
  b = function (host) return host.b == 1 end,
  c = function (host) return host.a == 1 or host.c == 1 end,
}

-- ---- Plans and states ---------------------------------------------------------------------------

local function consumer(rng, name, options)
  return {
    name = name, owned = rng:once_in(4) and 0 or rng:int(0, 6), rank = rng:int(0, 1),
    requires = rng:once_in(2) and rng:pick { "a", "b", "c" } or nil,
    exclusive = options.exclusive and rng:once_in(4) or nil,
    limit = rng:once_in(5) and rng:int(0, 9) or nil,
  }
end

local function reserve(rng, node)
  local most = math.min(node.owned, node.limit or node.owned)
  if rng:once_in(5) and most > 0 then node.reserve = rng:int(0, most) end
  return node
end

local function consumers(rng, options)
  local out = {}
  for i = 1, rng:int(1, 4) do
    local node = consumer(rng, "c" .. i, options)
    if rng:once_in(3) then
      node.owned, node.children = nil, {}
      for k = 1, rng:int(1, 3) do
        node.children[k] = consumer(rng, "x" .. k, options)
      end
    else
      reserve(rng, node)
    end
    out[i] = node
  end
  return out
end

--- What leaves are, in plan order and by path: limits (a list of {path, limit}, its own first), the
--- nearest exclusive consumer, what is required.
function world.leaves(plan)
  local out = {}
  local function walk(list, above, unit, requires, limits, parents)
    for _, node in ipairs(list) do
      local path = above .. "/" .. node.name
      local own = { path = path, unit = node.exclusive and path or unit,
        requires = node.requires or requires, limits = { table.unpack(limits) },
        parents = { path, table.unpack(parents) } }
      if node.limit then table.insert(own.limits, 1, { path = path, limit = node.limit }) end
      if node.children and #node.children > 0 then
        walk(node.children, path, own.unit, own.requires, own.limits, own.parents)
      else
        out[#out + 1], out[path] = own, own
      end
    end
  end
  walk(plan.consumers, "", nil, nil, {}, {})
  return out
end

--- Whether a leaf may run on a host, whoever is there; `given` is whom the state gives it to.
function world.may(plan, leaf, name, given)
  if leaf.requires and not MEETS[leaf.requires](plan.hosts[name]) then return false end
  if not given then return true end
  for _, path in ipairs(leaf.parents) do
    if path == given then return true end
    if path == leaf.unit then return false end
  end
  return false
end

local function hosts_of(plan)
  local names = {}
  for name in pairs(plan.hosts) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Tasks that keep the rules.
local function tasks_of(rng, plan, leaves, given)
  local tasks = {}
  for _, name in ipairs(hosts_of(plan)) do
    local able = {}
    for _, leaf in ipairs(leaves) do
      if world.may(plan, leaf, name, given[name]) then able[#able + 1] = leaf end
    end
    local first = #able > 0 and rng:pick(able)
    for i = 1, first and not rng:once_in(3) and rng:int(0, plan.hosts[name].slots) or 0 do
      local leaf = rng:pick(able)
      if leaf.unit ~= first.unit then leaf = first end
      tasks[#tasks + 1] = { id = name .. "-" .. i, consumer = leaf.path, host = name,
        started = rng:int(0, 99) }
    end
  end
  return #tasks > 0 and tasks or nil
end

--- A case; `options`: exclusive, given, make_way: whether there may be such.
function world.make(seed, options)
  local rng = random.new(seed)
  local plan = { version = 1, policy = "site.lua", hosts = {}, options = {
    placement = rng:pick { "stacked", "balanced" },
    make_way = options.make_way and rng:once_in(2) or nil,
  } }
  for i = 1, rng:int(1, 5) do
    plan.hosts["h" .. i] = { slots = rng:int(1, 6), a = rng:int(0, 1), b = rng:int(0, 1),
      c = rng:int(0, 1) }
  end
  plan.consumers = consumers(rng, options)
  local leaves, given = world.leaves(plan), {}
  local state = { now = 100, consumers = {} }
  for _, leaf in ipairs(leaves) do
    state.consumers[leaf.path] = { demand = rng:once_in(3) and 0 or rng:int(0, 14) }
  end
  if options.given and rng:once_in(2) then
    local name = rng:pick(hosts_of(plan))
    given[name] = rng:pick(leaves).path
    state.hosts = { [name] = { exclusive_to = given[name] } }
  end
  state.tasks = tasks_of(rng, plan, leaves, given)
  return { plan = plan, state = state, policy = world.POLICY }
end

-- ---- What hosts can hold ------------------------------------------------------------------------

--- How many slots by leaf hosts can hold together: `wants` is by path, `free` by host, may(leaf,
--- host) whether a slot may be there. Each slot finds a host, others moving on for it.
function world.hold(leaves, wants, free, may)
  local on, left, total = {}, {}, 0
  for host, slots in pairs(free) do on[host], left[host] = {}, slots end
  local names = {}
  for host in pairs(free) do names[#names + 1] = host end
  table.sort(names)
  local function place(leaf, seen)
    for _, host in ipairs(names) do
      if not seen[host] and may(leaf, host) then
        seen[host] = true
        if left[host] > 0 then
          left[host] = left[host] - 1
          on[host][#on[host] + 1] = leaf
          return true
        end
        for i, other in ipairs(on[host]) do
          if place(other, seen) then
            on[host][i] = leaf
            return true
          end
        end
      end
    end
    return false
  end
  for _, leaf in ipairs(leaves) do
    for _ = 1, wants[leaf.path] or 0 do
      if not place(leaf, {}) then break end
      total = total + 1
    end
  end
  return total
end

return world
