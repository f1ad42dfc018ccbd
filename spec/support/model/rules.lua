-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a policy's rules read, in the model: columns, numbers and functions of columns; and orders.
--
-- A source is a number, a column's name, `{ reads = "a, b", body = "a Lua expression" }`, or, of a
-- cap, `{ percent = "a column's name" }`.
-- A key is `{ key = source, desc = boolean }`.

local rules = {}

--- Where the model keeps a column under another name.
local FIELDS = {
  owned = "own_whole", configured = "owned", reserve = "reserve_now", limit = "most",
}

--- Use over time is cut there (C-14).
local MOST_USE = 1 << 62

--- Whether a site divides by what consumers own.
local function owns(site)
  local function reads(source)
    local names = type(source) == "table" and source.reads or source
    return type(names) == "string" and (names:find "owned" or names:find "configured") ~= nil
  end
  for i = 2, #site.fills do -- behind the reserve
    local fill = site.fills[i]
    local found = reads(fill.by) or reads(fill.up_to)
    for _, key in ipairs(fill.order or {}) do found = found or reads(key.key) end
    if found then return true end
  end
  return false
end

--- C-14: usage * 1000 by what is owned, or by share where that says nothing.
local function used_over_share(node, site)
  local owned, of = 0, node.share
  for _, sibling in ipairs(node.parent.children) do owned = owned + sibling.owned end
  if owned > 0 and owns(site) then of = node.owned end
  return of > 0 and node.usage * 1000 // of or node.usage > 0 and MOST_USE or 0
end

--- Sets what a policy reads of use, once its rules are known.
function rules.set_use(world, site)
  for _, node in ipairs(world.nodes) do node.used_over_share = used_over_share(node, site) end
end

--- Columns that a plan states.
rules.STATED = {
  owned = true, configured = true, reserve = true, limit = true, rank = true, share = true,
  grace = true, cap = true, tier = true,
}

--- Slots that the leaves of a node are over and have not given back.
function rules.still_over(node)
  local sum = node.left or 0
  for _, child in ipairs(node.children) do
    sum = sum + rules.still_over(child)
  end
  return sum
end

--- A column of a node, as a whole number. What a leaf is over is told as before any reclaim; of a
--- parent it is what its leaves still are.
function rules.column(node, name)
  local summed = name:match "^sum_(.*)"
  if summed then
    local sum = 0
    for _, sibling in ipairs(node.parent.children) do
      sum = sum + math.min(rules.column(sibling, summed), MOST_USE - sum)
    end
    return sum
  end
  if name == "parent_slots" then return node.parent.divided end
  if name == "over" and #node.children > 0 then
    return rules.still_over(node)
  end
  return assert(node[FIELDS[name] or name], name)
end

--- Whether a function reads what a family divides: it is computed family by family.
local function is_late(source)
  return type(source) == "table" and source.reads ~= nil and source.reads:find "parent_slots" ~= nil
end

local function compute(world, source)
  local text = ("return function (%s) return %s end"):format(source.reads, source.body)
  local call = assert(load(text))()
  for _, node in ipairs(world.nodes) do
    local read = {}
    for name in source.reads:gmatch "[%w_]+" do
      read[#read + 1] = rules.column(node, name)
    end
    node.said[source] = call(table.unpack(read))
  end
end

--- Computes the functions among these sources: once, with what is known now.
function rules.prepare(world, ...)
  for _, source in ipairs { ... } do
    if type(source) == "table" and source.reads then
      compute(world, source)
    end
  end
end

--- The sources of a fill; those of functions that are computed family by family, or all others.
function rules.sources(fill, late)
  local out = {}
  local function add(source)
    if is_late(source) == (late or false) then out[#out + 1] = source end
  end
  add(fill.by)
  if fill.up_to then add(fill.up_to) end
  for _, key in ipairs(fill.order or {}) do add(key.key) end
  return table.unpack(out)
end

--- The same for the keys of an order, or of none.
function rules.prepare_keys(world, keys)
  for _, key in ipairs(keys or {}) do
    rules.prepare(world, key.key)
  end
end

--- A source's value at a node, as a whole number.
function rules.value(node, source)
  if type(source) == "table" and source.percent then
    local part = node.parent.divided * rules.column(node, source.percent) // 100
    return math.min(part, 1000000000)
  elseif type(source) == "table" then
    return node.said[source]
  end
  return type(source) == "number" and source or rules.column(node, source)
end

--- Negative, 0 or positive as a node stands before, with or behind another by the keys alone.
function rules.compare(keys, a, b)
  for _, key in ipairs(keys or {}) do
    local x, y = rules.value(a, key.key), rules.value(b, key.key)
    if x ~= y then
      return (x < y) == not key.desc and -1 or 1
    end
  end
  return 0
end

--- The nodes in order; ties in plan order.
function rules.ordered(keys, nodes)
  local out = { table.unpack(nodes) }
  table.sort(out, function (a, b)
    local way = rules.compare(keys, a, b)
    return way < 0 or way == 0 and a.index < b.index
  end)
  return out
end

--- Groups of nodes that agree in all keys, one after another.
function rules.groups(keys, nodes)
  local out = {}
  for _, node in ipairs(rules.ordered(keys, nodes)) do
    local group = out[#out]
    if not group or rules.compare(keys, group[1], node) ~= 0 then
      group = {}
      out[#out + 1] = group
    end
    group[#group + 1] = node
  end
  return out
end

local RANK = { { key = "rank" } }

--- By rank, then plan order: how slots that fractions add up to are handed out.
function rules.by_rank(nodes)
  return rules.ordered(RANK, nodes)
end

--- What a site says, filled in where it says nothing.
function rules.of(site, fills)
  site = site or {}
  local reserved = { label = "reserved", by = "reserve", up_to = "reserve" }
  return {
    -- The core puts the reserve first, whatever the policy says (policy.h).
    fills = { reserved, table.unpack(site.fills or fills) },
    reserve = site.reserve, -- in place of the plan's (C-1)
    round = site.round or "rank",
    distribute = site.distribute or RANK,
    reclaim = site.reclaim or { by = "over", order = { { key = "rank", desc = true } } },
    across = site.across, -- shares are enforced at the leaves (E-22)
  }
end

return rules
