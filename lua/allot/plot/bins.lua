-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Levels over time, summed exactly into bins of one width.
--
-- A row is a level that changes at times, or amounts at instants. Its cells are exact
-- sums: of a level slot-seconds, of amounts slots. All bins are equally wide and begin at multiples
-- of their width; when time passes the last bin, neighbours are joined, and no sum changes. So
-- memory does not grow with the log: at most `most` bins a row, and fewer of many rows.

local CELLS_MOST, LEAST = 4000000, 200
local MINUTE, HOUR, DAY = 60, 3600, 86400
local WIDTHS = { 1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR,
                 6 * HOUR, 12 * HOUR, DAY, 7 * DAY }

local bins = {}
bins.__index = bins

--- a + b and a * b of non-negative integers; at most the largest integer.
function bins.plus(a, b)
  local sum = a + b
  return sum < a and math.maxinteger or sum
end

local function times(a, b)
  return b ~= 0 and a > math.maxinteger // b and math.maxinteger or a * b
end

--- `rows` only bounds the number of bins: a row exists once it is named.
function bins.new(rows, most)
  local room = math.max(CELLS_MOST // math.max(rows, 1), LEAST)
  return setmetatable({
    most = math.min(most, room), used = 0, width = 1, cells = {}, levels = {}, since = {},
  }, bins)
end

local function wider(width)
  for _, it in ipairs(WIDTHS) do
    if it > width then return it end
  end
  return width * 2
end

local function join(it)
  local width = wider(it.width)
  local origin = it.origin and it.origin // width * width
  local shift = it.origin and (it.origin - origin) // it.width or 0
  local ratio = width // it.width
  for row, cells in pairs(it.cells) do
    local joined = {}
    for bin, sum in pairs(cells) do
      local into = (bin + shift) // ratio
      joined[into] = bins.plus(joined[into] or 0, sum)
    end
    it.cells[row] = joined
  end
  if it.used > 0 then it.used = (it.used - 1 + shift) // ratio + 1 end
  it.width, it.origin = width, origin
end

--- Joins bins until they are as wide.
function bins:widen(width)
  while self.width < width do join(self) end
end

local function bin_of(it, at)
  if not it.first then it.first, it.last, it.origin = at, at, at end
  while (at - it.origin) // it.width >= it.most do join(it) end
  local bin = (at - it.origin) // it.width
  it.used = math.max(it.used, bin + 1)
  it.last = math.max(it.last, at)
  return bin
end

local function add(it, row, bin, amount)
  local cells = it.cells[row]
  if not cells then
    cells = {}
    it.cells[row] = cells
  end
  cells[bin] = bins.plus(cells[bin] or 0, amount)
end

--- Adds a row's level since its last change to its bins.
local function settle(it, row, at)
  local level, from = it.levels[row] or 0, it.since[row]
  it.since[row] = at
  if level == 0 then return end
  local bin = (from - it.origin) // it.width
  while from < at do
    local to = math.min(it.origin + (bin + 1) * it.width, at)
    add(it, row, bin, times(level, to - from))
    from, bin = to, bin + 1
  end
end

--- Sets a row's level from `at` on. Times never go back.
function bins:level(row, at, level)
  bin_of(self, at)
  settle(self, row, at)
  self.levels[row] = level
end

--- Adds an amount at `at`.
function bins:add(row, at, amount)
  if amount ~= 0 then add(self, row, bin_of(self, at), amount) end
end

--- Ends all rows: levels hold until `at`.
function bins:finish(at)
  if not self.first then return end
  bin_of(self, at)
  for row in pairs(self.levels) do settle(self, row, at) end
  self.levels = {}
end

--- How much of a bin lies between the first and the last instant, in s.
function bins:seconds(bin)
  local from = self.origin + bin * self.width
  return math.max(math.min(from + self.width, self.last) - math.max(from, self.first), 0)
end

--- A row's sum in a bin, or in all.
function bins:at(row, bin)
  local cells = self.cells[row]
  return cells and cells[bin] or 0
end

function bins:sum(row)
  local sum = 0
  for _, it in pairs(self.cells[row] or {}) do sum = bins.plus(sum, it) end
  return sum
end

return bins
