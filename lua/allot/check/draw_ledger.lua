-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random plans under ownership (pools, lists, limits), and states whose loans may or may not fit
--- them.

local gen = {}

local function columns(random, node)
  node.rank = random:once_in(3) and random:int(0, 2) or nil
  node.owned = random:once_in(4) and 0 or random:int(0, 12)
  node.reserve = random:once_in(4) and random:int(0, node.owned) or nil
  node.share = random:once_in(3) and random:int(0, 4) or nil
  node.limit = random:once_in(8) and random:int(node.reserve or 0, 15) or nil
  node.lend_limit = random:once_in(4) and random:int(0, 8) or nil
  node.borrow_limit = random:once_in(4) and random:int(0, 8) or nil
  node.share_limit = random:once_in(5) and random:int(0, 6) or nil
end

local function grow(random, depth, prefix, above, leaves, plain)
  local list, owned, reserve = {}, 0, 0
  for i = 1, random:int(1, depth == 0 and 4 or 3) do
    local node = { name = prefix .. i }
    local path = above .. "/" .. node.name
    if depth < 2 and random:once_in(3) then
      local below, kept
      node.children, below, kept = grow(random, depth + 1, node.name, path, leaves, plain)
      node.owned = below + (random:once_in(2) and random:int(0, 8) or 0)
      node.limit = random:once_in(6) and math.max(kept, random:int(0, 20)) or nil
      reserve = reserve + kept
    else
      columns(random, node)
      leaves[#leaves + 1] = { path = path, node = node, plain = plain }
      reserve = reserve + (node.reserve or 0)
    end
    owned = owned + node.owned
    list[i] = node
  end
  return list, owned, reserve
end

-- True, or a list of other leaves and parents.
local function peers(random, leaf, leaves, parents)
  if random:once_in(2) then return true end
  local seen, list = {}, {}
  for _ = 1, random:int(1, 3) do
    local other = random:once_in(4) and #parents > 0 and random:pick(parents)
      or random:pick(leaves).path
    if other ~= leaf.path and not seen[other] then
      seen[other] = true
      list[#list + 1] = other
    end
  end
  return #list > 0 and list or true
end

local function draw_loans(random, rows, leaves)
  local loans = {}
  for _ = 1, random:int(0, 4) do
    local lender, borrower = random:pick(leaves).path, random:pick(leaves).path
    if lender ~= borrower and rows[borrower].allocated > 0 then
      loans[#loans + 1] = {
        lender = lender, borrower = borrower, slots = random:int(1, rows[borrower].allocated),
      }
    end
  end
  return loans[1] and loans
end

--- A plan under ownership; its leaves, { path, node } each, are added to `leaves`.
function gen.plan(random, leaves)
  local list, owned = grow(random, 0, "C", "", leaves)
  local parents = {}
  for _, node in ipairs(list) do
    if node.children then parents[#parents + 1] = "/" .. node.name end
  end
  for _, leaf in ipairs(leaves) do
    leaf.node.lend = random:once_in(2) and peers(random, leaf, leaves, parents) or nil
    leaf.node.borrow = random:once_in(2) and peers(random, leaf, leaves, parents) or nil
    leaf.node.rebalance = not random:once_in(8) and nil or false
  end
  local plan = {
    version = 1, slots = owned + (random:once_in(2) and random:int(0, 15) or 0), consumers = list,
    policy = {
      use = "ownership", reclaim_before_borrow = random:once_in(3),
      reclaim_shared = not random:once_in(4),
      adjust_share_to_workload = random:once_in(3),
    },
  }
  return plan
end

--- A state of a plan whose leaves these are.
function gen.state(random, plan, leaves)
  local rows = {}
  local slots = random:once_in(4) and random:int(0, plan.slots + 5) or plan.slots
  local left = slots
  for _, leaf in ipairs(leaves) do
    local held = random:once_in(3) and 0 or random:int(0, math.min(left, 14))
    left = left - held
    rows[leaf.path] = { demand = random:once_in(4) and held or random:int(0, 20), allocated = held }
  end
  return { now = 0, slots = slots, consumers = rows, loans = draw_loans(random, rows, leaves) }
end

return gen
