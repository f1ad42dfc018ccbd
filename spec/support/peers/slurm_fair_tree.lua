-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's Fair Tree, by its documentation and fair_tree.c (284c3b9): users of a tree of nodes
--- { share, usage, children } from the first to the last, in tiers of one rank (S-2 to S-5, but
--- accounts that tie are not merged).

local rational = require "spec.support.model.rational"

local NEVER = rational(1 << 40)

--- The level fair-share factor of a node among its siblings.
local function factor(node, shares, usage)
  if node.share == 0 then return rational(0) end
  if node.usage == 0 then return NEVER end
  return rational(node.share, shares) / rational(node.usage, usage)
end

local function visit(list, tiers)
  local shares, usage, ranked = 0, 0, {}
  for i, node in ipairs(list) do
    shares, usage, ranked[i] = shares + node.share, usage + node.usage, node
  end
  for _, node in ipairs(list) do node.factor = factor(node, shares, usage) end
  table.sort(ranked, function (a, b) return b.factor < a.factor end)
  for i, node in ipairs(ranked) do
    local before = ranked[i - 1]
    local ties = before and before.factor == node.factor
    if ties and (node.children or before.children) then tiers.merged = true end
    if node.children then visit(node.children, tiers)
    elseif ties and not before.children then table.insert(tiers[#tiers], node)
    else tiers[#tiers + 1] = { node } end
  end
  return tiers
end

return function (list) return visit(list, {}) end
