-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A part of a large plan: a few of its leaves with the branches above them, so that a case costs
-- the same whatever the size of the plan.

local part = {}

--- A plan of more leaves than this is tried part by part.
part.LEAVES = 128
--- Neighbouring leaves are chosen together, so families stay whole where possible.
local TOGETHER = 8

--- Numbers of leaves in the order of the plan, as a set.
local function chosen(random, all)
  local kept, count = {}, 0
  while count < part.LEAVES do
    local first = random:int(1, all)
    for i = first, math.min(first + TOGETHER - 1, all) do
      if not kept[i] and count < part.LEAVES then
        kept[i], count = true, count + 1
      end
    end
  end
  return kept
end

--- The kept consumers of a list, and the slots owned by the others. `walk` has the
-- set `kept`, the number of leaves so far, and `known`, which gets the paths.
local function kept_of(walk, list, above)
  local out, lost = {}, 0
  for _, node in ipairs(list) do
    local path, children, less = above .. "/" .. node.name, nil, 0
    if node.children then
      children, less = kept_of(walk, node.children, path)
    else
      walk.leaves = walk.leaves + 1
    end
    if children and children[1] or not children and walk.kept[walk.leaves] then
      local copy = {}
      for key, value in pairs(node) do copy[key] = value end
      copy.children = children
      if children and copy.owned then copy.owned = math.max(0, copy.owned - less) end
      if copy.reserve and children then copy.reserve = math.min(copy.reserve, copy.owned or 0) end
      out[#out + 1], walk.known[path] = copy, true
      lost = lost + less
    else
      lost = lost + (node.owned or less)
    end
  end
  return out, lost
end

--- A copy without references to removed consumers; nil for a list or an object that became
-- empty.
local function without(value, known)
  if type(value) == "string" and value:sub(1, 1) == "/" and not known[value] then return nil end
  if type(value) ~= "table" then return value end
  local out, list = {}, #value
  for i = 1, list do out[#out + 1] = without(value[i], known) end
  for key, inner in pairs(value) do
    local gone = type(key) == "string" and key:sub(1, 1) == "/" and not known[key]
    if key == "policy" then -- a path of a file
      out[key] = inner
    elseif math.type(key) ~= "integer" and not gone then
      out[key] = without(inner, known)
    end
  end
  return (next(out) ~= nil or next(value) == nil) and out or nil
end

--- The same share of slots as of leaves.
local function scale(holder, all)
  if math.type(holder.slots) ~= "integer" then return end
  holder.slots = math.max(1, holder.slots * part.LEAVES // all)
end

--- A part, as a document, of a plan with `all` leaves, more than part.LEAVES. The part may be
-- invalid if it needs what was left out.
function part.of(random, plan, all)
  local walk = { kept = chosen(random, all), leaves = 0, known = {} }
  local rest = {}
  for key, value in pairs(plan) do rest[key] = value end
  rest.consumers = kept_of(walk, plan.consumers, "")
  local out = without(rest, walk.known)
  scale(out, all)
  for _, window in ipairs(out.windows or {}) do scale(window, all) end
  for _, group in pairs(out.groups or {}) do scale(group, all) end
  return out
end

return part
