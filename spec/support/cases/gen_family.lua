-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random plans of the ready-made policies side by side: ownership that lends and borrows, share
--- ratios, hybrid; with windows, and states whose loans may be out of date.

local Random = require "allot.check.random"

local gen = {}

--- 2026-03-02, a Monday, at midnight; windows here are of UTC.
gen.midnight = 1772409600

local function leaf_columns(random, policy)
  local out = {}
  if policy ~= "share_ratio" then out.owned = random:int(0, 8) end
  if policy ~= "hybrid" then out.share = random:int(1, 4) end
  if policy == "hybrid" and random:once_in(4) then out.reserve = random:int(0, out.owned) end
  if policy == "share_ratio" and random:once_in(4) then out.share_limit = random:int(0, 9) end
  if random:once_in(3) then out.rank = random:int(0, 2) end
  if random:once_in(5) then out.limit = random:int(out.reserve or 0, 16) end
  return out
end

--- Whom an ownership leaf lends to and borrows from.
local function dealings(random, leaf, paths)
  local function whom()
    if random:once_in(3) then return true end
    local list = {}
    for _, path in ipairs(paths) do
      if path ~= leaf.path and random:once_in(2) then list[#list + 1] = path end
    end
    return list[1] and list or nil
  end
  if leaf.node.owned > 0 and not random:once_in(3) then
    leaf.node.lend = whom()
    if random:once_in(3) then leaf.node.lend_limit = random:int(0, 6) end
  end
  if not random:once_in(3) then
    leaf.node.borrow = whom()
    if random:once_in(3) then leaf.node.borrow_limit = random:int(0, 6) end
  end
  if random:once_in(4) then leaf.node.share_limit = random:int(0, 6) end
end

local function grow(random, policy, name, leaves)
  local function leaf(label, path)
    local node = leaf_columns(random, policy)
    node.name = label
    leaves[#leaves + 1] = { node = node, path = path, policy = policy }
    return node
  end
  if random:once_in(2) then return leaf(name, "/" .. name) end
  local node = { name = name, children = {}, rank = random:once_in(3) and 1 or nil }
  local owned = 0
  for i = 1, random:int(1, 3) do
    node.children[i] = leaf(name .. i, ("/%s/%s%d"):format(name, name, i))
    owned = owned + (node.children[i].owned or 0)
  end
  if policy == "ownership" and random:once_in(2) then node.owned = owned + random:int(0, 6) end
  return node
end

--- A window that says otherwise what some leaves own, share or may use.
local function window(random, leaves)
  local differs = {}
  for _, leaf in ipairs(leaves) do
    if random:once_in(2) then
      local columns = {}
      if leaf.node.owned and not leaf.node.reserve then columns.owned = random:int(0, 8) end
      if leaf.node.lend_limit then columns.lend_limit = random:int(0, 6) end
      if leaf.node.borrow_limit then columns.borrow_limit = random:int(0, 6) end
      if leaf.node.share_limit then columns.share_limit = random:int(0, 6) end
      if leaf.policy ~= "hybrid" and random:once_in(2) then columns.share = random:int(1, 4) end
      if next(columns) then differs[leaf.path] = columns end
    end
  end
  return { from = "08:00", to = "17:00", consumers = differs }
end

--- What parents own is left to their children in plans with windows, whose sums move.
local function derive_parents(plan)
  for _, branch in ipairs(plan.consumers) do
    if branch.children then branch.owned = nil end
  end
end

local POLICIES = { "ownership", "hybrid", "share_ratio", "ownership" }

local function draw_plan(random, leaves, opts)
  local pure = opts.policy or (random:once_in(3) and random:pick(POLICIES))
  local main = pure or random:pick { "ownership", "hybrid" }
  local plan = { version = 1, policy = main, consumers = {}, options = {} }
  for i = 1, random:int(1, 4) do
    local policy = pure or random:pick { "ownership", "hybrid" }
    local node = grow(random, policy, string.char(96 + i), leaves)
    if policy ~= main then node.policy = policy end
    plan.consumers[i] = node
  end
  if random:once_in(3) then plan.options.reclaim_before_borrow = true end
  if random:once_in(3) then plan.options.adjust_share_to_workload = true end
  if random:once_in(3) then plan.options.enforce_share = random:pick { "leaf", "parent" } end
  return plan, pure
end

--- The most that is owned at any hour.
local function most_owned(plan, leaves)
  local differs, owned = plan.windows[1].consumers, 0
  for _, leaf in ipairs(leaves) do
    owned = owned + math.max(leaf.node.owned or 0, (differs[leaf.path] or {}).owned or 0)
  end
  return owned
end

local function draw_slots(random, plan, leaves)
  if plan.windows then return math.max(1, most_owned(plan, leaves) + random:pick { 0, 4, 10 }) end
  local owned = 0
  for _, branch in ipairs(plan.consumers) do
    local sum = branch.owned or 0
    if branch.children and not branch.owned then
      for _, child in ipairs(branch.children) do sum = sum + (child.owned or 0) end
    end
    owned = owned + sum
  end
  return math.max(1, owned + random:pick { 0, 0, 4, 10, -3 })
end

--- Slots on their way, for somebody or for nobody.
local function draw_flights(random, leaves, rows)
  local out = {}
  for i = 1, random:int(0, 3) do
    local from, to = random:pick(leaves).path, random:pick(leaves).path
    if rows[from].allocated > 0 and not out[from] then
      local slots = random:int(1, rows[from].allocated)
      local claim = { consumer = to, slots = random:int(1, slots) }
      out[#out + 1] = { id = "r" .. i, consumer = from, slots = slots }
      out[#out]["for"] = from ~= to and { claim } or nil
      out[from] = true
    end
  end
  for _, leaf in ipairs(leaves) do out[leaf.path] = nil end
  return out[1] and out
end

local function draw_state(random, plan, leaves, flights)
  local rows, own = {}, {}
  local slots = draw_slots(random, plan, leaves)
  local left = slots + (random:once_in(8) and 3 or 0)
  for _, leaf in ipairs(leaves) do
    local allocated = random:int(0, math.min(left, 10))
    left = left - allocated
    rows[leaf.path] = { demand = random:int(0, 14), allocated = allocated }
    if leaf.policy == "ownership" then own[#own + 1] = leaf.path end
  end
  local loans = {}
  for _ = 1, #own > 1 and random:int(0, 3) or 0 do
    local lender, borrower = random:pick(own), random:pick(own)
    if lender ~= borrower then
      loans[#loans + 1] = { lender = lender, borrower = borrower, slots = random:int(1, 4) }
    end
  end
  return {
    now = gen.midnight, slots = slots, consumers = rows, loans = loans[1] and loans or nil,
    reclaims = flights and draw_flights(random, leaves, rows) or nil,
  }
end

--- A case from a seed. opts.policy: all branches go by it; opts.flights: slots are on their way;
--- opts.windows: with a window by day, and
--- as many slots as are owned at any hour: of fewer, loans decide who has them (C-11).
function gen.case(seed, opts)
  opts = opts or {}
  local random, leaves, paths = Random.new(seed), {}, {}
  local plan, pure = draw_plan(random, leaves, opts)
  for _, leaf in ipairs(leaves) do
    if leaf.policy == "ownership" then paths[#paths + 1] = leaf.path end
  end
  for _, leaf in ipairs(leaves) do
    if leaf.policy == "ownership" then dealings(random, leaf, paths) end
  end
  if opts.windows then
    derive_parents(plan)
    plan.windows = { window(random, leaves) }
  end
  return { plan = plan, state = draw_state(random, plan, leaves, opts.flights), pure = pure }
end

return gen
