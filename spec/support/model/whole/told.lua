-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A decision with whole tasks in the short form of vectors.lua, for one group or several.

local told = {}

local function short(path)
  return path:sub(2)
end

local function claims_of(move)
  local sums, out = {}, {}
  for _, claim in ipairs(move["for"] or {}) do
    sums[claim.consumer] = (sums[claim.consumer] or 0) + claim.slots
  end
  for path, slots in pairs(sums) do out[#out + 1] = (" for %s %d"):format(short(path), slots) end
  table.sort(out)
  return table.concat(out)
end

local function moves_of(list, group, blind)
  local out = {}
  for _, move in ipairs(list) do
    if move.group == group then
      local tasks = table.concat(move.tasks or {}, " ")
      out[#out + 1] = ("%s %d%s%s"):format(short(move.consumer), move.slots,
        tasks ~= "" and ": " .. tasks or "", blind and "" or claims_of(move))
    end
  end
  return out
end

--- What is above 0 of the rows.
local function numbers(rows, number)
  local out = {}
  for _, row in ipairs(rows) do
    local n = number(row)
    if n ~= 0 then out[short(row.path)] = n end
  end
  return out
end

local function whole_of(row)
  return row.parts.whole or 0
end

--- Of one group: quotas, whole, held, grants, reclaims, left.
local function group_of(decision, name, blind)
  local it = decision.groups[name]
  return {
    quotas = numbers(it.consumers, function (row) return row.quota end),
    whole = numbers(it.consumers, whole_of),
    held = numbers(it.consumers, function (row) return row.held end),
    grants = moves_of(decision.grants, name),
    reclaims = moves_of(decision.reclaims, name, blind),
    left = it.idle_left,
  }
end

local FIELDS = { "quotas", "whole", "held", "grants", "reclaims", "left" }

--- By group, as group_of tells; `blind`: without claims.
function told.groups(decision, blind)
  local out = {}
  for name in pairs(decision.groups) do out[name] = group_of(decision, name, blind) end
  return out
end

--- What a vector expects, by group in full.
function told.expected(expect, plan)
  local out = {}
  for name in pairs(plan.groups or { default = true }) do
    local one = {}
    for _, field in ipairs(FIELDS) do
      local of = expect[field]
      if plan.groups and of then of = of[name] end
      one[field] = of or field == "left" and 0 or {}
    end
    out[name] = one
  end
  return out
end

return told
