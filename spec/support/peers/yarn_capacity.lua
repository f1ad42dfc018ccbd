-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- YARN's Capacity Scheduler, ideals of one level, by its guide and source (Hadoop 3.4), in units
--- that are whole: rows { capacity, used, demand (at most the maximum), leaf } (Y-3 to Y-6).

local function most(row)
  return row.leaf and math.min(row.demand, math.max(row.used, row.capacity)) or row.demand
end

--- Rounds over those with a capacity, or those without: what is left then.
local function rounds(left, rows, ideal)
  local open = { table.unpack(rows) }
  while left > 0 and #open > 0 do
    local all, least, pot = 0, math.huge, left
    for _, row in ipairs(open) do
      all = all + math.max(row.capacity, 0)
      least = math.min(least, row.capacity > 0 and ideal[row] / row.capacity or 0)
    end
    local still = {}
    for _, row in ipairs(open) do
      local first = row.capacity == 0 or ideal[row] / row.capacity == least
      local part = row.capacity == 0 and 1 / #open or row.capacity / all
      local offer = math.min(math.floor(pot * part + 0.5), left)
      local gets = first and math.max(0, math.min(offer, most(row) - ideal[row])) or 0
      ideal[row], left = ideal[row] + gets, left - gets
      if gets > 0 or not first then still[#still + 1] = row end
    end
    open = still
  end
  return left
end

return function (total, rows)
  local ideal, with, without, left = {}, {}, {}, total
  for _, row in ipairs(rows) do
    ideal[row] = math.min(row.capacity, row.used)
    left = left - ideal[row]
    table.insert(row.capacity > 0 and with or without, row)
  end
  rounds(rounds(left, with, ideal), without, ideal)
  local out = {}
  for i, row in ipairs(rows) do out[i] = ideal[row] end
  return out
end
