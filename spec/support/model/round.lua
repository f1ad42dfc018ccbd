-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The four roundings of the model: whole slots from exact shares (C-4, Q-30; engine/fill/round.h).

local rational = require "spec.support.model.rational"
local rules = require "spec.support.model.rules"

local round = {}

local function ceil(share)
  return share:floor() + (share:fraction():is_zero() and 0 or 1)
end

--- Whole slots that the shares in a field cover.
local function whole_of(family, share)
  local sum = rational(0)
  for _, node in ipairs(family) do
    sum = sum + node[share]
  end
  return sum:floor()
end

--- One each to rows with a fraction, in the order given, while slots last.
local function hand_out(rows, slots, share, field)
  for _, node in ipairs(rows) do
    if slots > 0 and not node[share]:fraction():is_zero() then
      node[field] = node[field] + 1
      slots = slots - 1
    end
  end
end

--- Rounds down; how many slots that lost.
local function floors(family, share, field)
  local slots = whole_of(family, share)
  for _, node in ipairs(family) do
    node[field] = node[share]:floor()
    slots = slots - node[field]
  end
  return slots
end

--- C-4, of any share into any field.
function round.by_rank(family, share, field)
  hand_out(rules.by_rank(family), floors(family, share, field), share, field)
end

function round.rank(family)
  round.by_rank(family, "level", "quota")
end

function round.largest_remainder(family)
  local slots = floors(family, "level", "quota")
  local rows = rules.by_rank(family)
  local seats = {}
  for i, node in ipairs(rows) do
    seats[node] = i
  end
  table.sort(rows, function (a, b)
    local x, y = a.level:fraction(), b.level:fraction()
    return y < x or x == y and seats[a] < seats[b]
  end)
  hand_out(rows, slots, "level", "quota")
end

--- Each its share rounded up while slots last, but for those that rows behind it reserve.
function round.ceil_in_order(family, _, keys)
  local left, kept = whole_of(family, "level"), 0
  local function reserved(node)
    return math.min(node.reserve_now, node.level:floor())
  end
  for _, node in ipairs(family) do
    kept = kept + reserved(node)
  end
  for _, node in ipairs(rules.ordered(keys, family)) do
    kept = kept - reserved(node)
    node.quota = math.min(ceil(node.level), left - kept)
    left = left - node.quota
  end
end

--- The row with the largest weight / (2 * slots of this fill + 1), among those below their cap. Of
--- a fill that raises totals all slots of a row count (C-15).
local function next_of(rows)
  local best
  for _, row in ipairs(rows) do
    if row.slots < row.most then
      local odd = 2 * (row.slots + (row.level and row.node.quota or 0)) + 1
      if not best or best.weight * odd < row.weight * best.odd then
        best, row.odd = row, odd
      end
    end
  end
  return best
end

--- Goes at once to where no row has more than it will have, and few slots are left. By the odd
-- divisors a row that is below its aim gets no less than the exact pouring gave it, but for 5/2 a
-- row (a half for rounding, two for aims and bases that are not whole) and 3/2.
local function skip_ahead(rows, slots)
  for _, row in ipairs(rows) do
    local poured = (row.node.level - row.base):floor()
    row.slots = math.max(0, math.min(row.most, poured - (5 * #rows + 5) // 2))
    slots = slots - row.slots
  end
  return slots
end

--- The slots of the critical fill one by one; what is lost then goes as by rank to those who are
--- left with less than their share.
function round.webster(family, critical)
  if not critical then
    return round.rank(family)
  end
  local slots, rows = whole_of(family, "level"), {}
  for _, node in ipairs(rules.by_rank(family)) do
    local row = critical[node]
    node.quota = row and row.base:floor() or node.level:floor()
    slots = slots - node.quota
    if row then
      row.most = math.max(0, ceil(row.cap) - node.quota)
      rows[#rows + 1] = row
    end
  end
  slots = skip_ahead(rows, slots)
  local row = next_of(rows)
  while slots > 0 and row do
    row.slots, slots = row.slots + 1, slots - 1
    row = next_of(rows)
  end
  for _, it in ipairs(rows) do
    it.node.quota = it.node.quota + it.slots
  end
  local others = {}
  for _, node in ipairs(rules.by_rank(family)) do
    others[#others + 1] = node.quota == node.level:floor() and node or nil
  end
  hand_out(others, slots, "level", "quota")
end

return round
