-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Kueue with fair sharing, by its documentation and source (ff69552): units are admitted one by
--- one to nodes { nominal, borrowing, lending, weight, want, children } (U-1 to U-4, U-9, U-15).

--- Subtree quota and local quota (U-1).
local function prepare(node, parent)
  node.parent, node.used, node.quota = parent, 0, node.nominal
  for _, child in ipairs(node.children or {}) do
    prepare(child, node)
    node.quota = node.quota + child.quota - child.own
  end
  node.own = math.max(0, node.quota - node.lending)
end

--- What may still be used at a node (U-3).
local function free(node)
  if not node.parent then return node.quota - node.used end
  local lends = node.quota - node.own - math.max(0, node.used - node.own) + node.borrowing
  return math.max(0, node.own - node.used) + math.min(free(node.parent), lends)
end

local function use(node)
  local beyond = node.used >= node.own
  node.used = node.used + 1
  if beyond and node.parent then use(node.parent) end
end

--- The share of a node with a unit more (U-9): what it borrows by its weight.
local function share(node)
  local borrows = math.max(0, node.used + 1 - node.quota)
  return borrows == 0 and 0 or node.weight == 0 and 1e9 + borrows or borrows / node.weight
end

--- The leaf that wins the tournament below a node, or nil (U-15).
local function winner(node)
  if not node.children then
    return node.used < node.want and free(node) >= 1 and node or nil
  end
  local best, least
  for _, child in ipairs(node.children) do
    local leaf = winner(child)
    if leaf and (not best or share(child) < least) then best, least = leaf, share(child) end
  end
  return best
end

return function (root)
  prepare(root)
  while true do
    local leaf = winner(root)
    if not leaf then return end
    use(leaf)
  end
end
