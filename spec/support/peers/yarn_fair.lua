-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- YARN's Fair Scheduler, by its guide and source (Hadoop 3.4), in units that are whole.

local fair = {}

local function at(rate, row)
  return math.floor(math.min(math.max(row.weight * rate, row.min), row.max))
end

local function sum(rate, rows)
  local out = 0
  for _, row in ipairs(rows) do out = out + at(rate, row) end
  return out
end

--- ComputeFairShares: the shares of rows { weight, min, max, active } (F-2 to F-5).
function fair.shares(total, rows)
  local out, open, most = {}, {}, 0
  for i, row in ipairs(rows) do
    out[i] = (row.max <= 0 or not row.active) and 0 or row.weight <= 0 and row.min or nil
    if out[i] then total = total - out[i] else
      open[#open + 1], most = row, most + row.max
    end
  end
  total = math.min(total, most)
  local low, high = 0, 1
  while sum(high, open) < total do high = high * 2 end
  for _ = 1, 25 do
    local middle = (low + high) / 2
    local given = sum(middle, open)
    if given < total then low = middle else high = middle end
    if given == total then break end
  end
  for i, row in ipairs(rows) do out[i] = out[i] or at(high, row) end
  return out
end

--- FairSharePolicy: units one by one to who is first (F-8), of rows { weight, min, need }.
function fair.assign(total, rows)
  local used = {}
  for i in ipairs(rows) do used[i] = 0 end
  for _ = 1, total do
    local best, needy, least
    for i, row in ipairs(rows) do
      local floor = math.min(row.min, row.need)
      local is_needy = used[i] < floor
      local ratio = is_needy and used[i] / math.max(floor, 1) or used[i] / row.weight
      if row.weight == 0 and not is_needy then ratio = 1e9 + used[i] end
      if used[i] < row.need and (not best or is_needy and not needy
        or is_needy == needy and ratio < least) then
        best, needy, least = i, is_needy, ratio
      end
    end
    if not best then break end
    used[best] = used[best] + 1
  end
  return used
end

return fair
