-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- KAI's resource division, by its documentation and source (d5bc503), in units that are whole.

--- One band's rounds (K-4 to K-6): what is left then. Rows { weight, usage, ask }; `rest` gets the
--- fraction that each lost last.
local function divide(left, rows, got, rest, k)
  local again = true
  while again and left > 0 do
    local weights, parts, all, pot = 0, {}, 0, left
    again = false
    for _, row in ipairs(rows) do
      if got[row] < row.ask then weights = weights + row.weight end
    end
    for _, row in ipairs(rows) do
      if got[row] < row.ask and row.weight > 0 then
        local weight = row.weight / weights
        parts[row] = math.max(0, weight + k * (weight - row.usage))
        all = all + parts[row]
      end
    end
    for _, row in ipairs(rows) do
      local part = all > 0 and parts[row] and pot * parts[row] / all
      if part then
        local wants = row.ask - got[row]
        local gets = wants <= part and wants or math.floor(part)
        rest[row] = wants <= part and 0 or part - gets
        again = again or gets > 0 and wants < part
        got[row], left = got[row] + gets, left - gets
      end
    end
  end
  return left
end

--- The fair shares of rows { deserved, weight, priority, ask, usage (0 to 1) }: K-2 to K-7.
return function (total, rows, k)
  local got, rest, left, bands, of = {}, {}, total, {}, {}
  for i, row in ipairs(rows) do
    row.place, got[row], rest[row] = i, math.min(row.deserved, row.ask), 0
    left = left - got[row]
    if not of[row.priority] then
      of[row.priority] = {}
      bands[#bands + 1] = row.priority
    end
    table.insert(of[row.priority], row)
  end
  table.sort(bands, function (a, b) return a > b end)
  for _, band in ipairs(bands) do left = divide(left, of[band], got, rest, k or 0) end
  for _, band in ipairs(bands) do
    table.sort(of[band], function (a, b)
      if rest[a] ~= rest[b] then return rest[a] > rest[b] end
      return a.place < b.place
    end)
    for _, row in ipairs(of[band]) do
      if left > 0 and got[row] < row.ask and row.weight > 0 then
        got[row], left = got[row] + 1, left - 1
      end
    end
  end
  local out = {}
  for i, row in ipairs(rows) do out[i] = got[row] end
  return out
end
