-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- HTCondor's groups, by its manual and GroupEntry.cpp (7491a14), exactly: nodes { quota, dynamic
--- (thousandths), accept, want, children } get `got` (N-2, N-5, N-6). Branches have no jobs of
--- their own, and dynamic quotas are whole here.

local rational = require "spec.support.model.rational"

--- What a subtree still takes: a branch as far as its children accept.
local function takes(node)
  if not node.children then return rational(node.want) - node.got end
  local out = rational(0)
  for _, child in ipairs(node.children) do
    if child.accept then out = out + takes(child) end
  end
  return out
end

local offer

--- Gives in proportion to `weight`, nobody more than it takes; returns what is left.
local function pour(surplus, rows, weight)
  while not surplus:is_zero() do
    local all, given = 0, rational(0)
    for _, row in ipairs(rows) do
      if not takes(row):is_zero() then all = all + weight(row) end
    end
    if all == 0 then return surplus end
    for _, row in ipairs(rows) do
      if weight(row) > 0 and not takes(row):is_zero() then
        local gets = rational.min(surplus * weight(row) / all, takes(row))
        offer(row, gets)
        given = given + gets
      end
    end
    surplus = surplus - given
  end
  return surplus
end

function offer(node, surplus)
  if not node.children then
    local gets = rational.min(surplus, takes(node))
    node.got = node.got + gets
    return surplus - gets
  end
  local accept = {}
  for _, child in ipairs(node.children) do
    if child.accept then accept[#accept + 1] = child end
  end
  surplus = pour(surplus, accept, function (row) return row.quota end)
  return pour(surplus, accept, function (row) return row.quota == 0 and 1 or 0 end)
end

--- Up the tree: what a node's subtree does not use of its quota.
local function settle(node)
  if not node.children then
    node.got = rational(math.min(node.want, node.quota))
    return rational(node.quota) - node.got
  end
  local surplus, own = rational(0), node.quota
  for _, child in ipairs(node.children) do
    surplus, own = surplus + settle(child), own - child.quota
  end
  return offer(node, surplus + own)
end

local function total(node)
  if not node.children then return node.got end
  local out = rational(0)
  for _, child in ipairs(node.children) do out = out + total(child) end
  return out
end

--- Quotas of a level: static ones, and parts of what these leave (N-2).
local function set_quotas(node)
  local static, dynamic = 0, 0
  for _, child in ipairs(node.children or {}) do
    static, dynamic = static + child.quota, dynamic + child.dynamic
  end
  for _, child in ipairs(node.children or {}) do
    if child.dynamic > 0 then
      local part = rational(child.dynamic, math.max(dynamic, 1000))
      child.quota = (math.max(0, node.quota - static) * part):floor()
    end
    set_quotas(child)
  end
end

--- Divides the root's quota; returns the sum of a node's subtree.
return function (root)
  set_quotas(root)
  settle(root)
  return total
end
