-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A table for people: rows of cells, in columns as wide as they need.

local line = require "allot.text.line"

local GAP = 2
local BOLD, RESET = "\27[1m", "\27[0m"

local grid = {}

--- A table without rows. columns: a list of { title =, left = (else to the right), optional = (left
-- out if all its cells are empty), color = (of its cells) }.
function grid.new(columns)
  local it = { columns = columns, rows = {}, width = {}, hidden = {} }
  for i = 1, #columns do it.width[i] = 0 end
  return it
end

--- Makes columns wide enough for a row: texts.
function grid.widen(it, cells)
  for i = 1, #cells do it.width[i] = math.max(it.width[i], #cells[i]) end
end

function grid.add(it, cells)
  it.rows[#it.rows + 1] = cells
  grid.widen(it, cells)
end

--- A number as a cell; nothing for 0.
function grid.count(number)
  return number ~= 0 and tostring(number) or ""
end

--- Hides empty optional columns, and fits widths to titles. `hidden` and `width` may change then.
function grid.measure(it)
  for i, column in ipairs(it.columns) do
    it.hidden[i] = it.hidden[i] or column.optional and it.width[i] == 0
    it.width[i] = math.max(it.width[i], #column.title)
  end
end

--- The width of a line.
function grid.total(it)
  local sum = -GAP
  for i = 1, #it.columns do sum = sum + (it.hidden[i] and 0 or it.width[i] + GAP) end
  return sum
end

--- Narrows a column, at most to `least`, until the table fits `room`.
function grid.narrow(it, column, least, room)
  local spare, width = grid.total(it) - room, it.width[column]
  if spare > 0 and width > least then it.width[column] = math.max(width - spare, least) end
end

local BLANKS = setmetatable({}, {
  __index = function (of, count)
    of[count] = (" "):rep(count)
    return of[count]
  end,
})

--- A cell that is too long loses its middle.
function grid.fit(cell, width)
  if #cell > width then
    local tail = (width - 3) // 2
    cell = cell:sub(1, width - 3 - tail) .. "..." .. cell:sub(-tail)
  end
  return cell:find "%c" and line.safe(cell) or cell
end

--- Writes one line of cells; those of hidden columns may be missing. Blanks are written only before
-- more text.
local function put(it, cells, host, color, title)
  local out, owed = {}, 0
  for i, column in ipairs(it.columns) do
    local cell, width = cells[i], it.width[i]
    if not it.hidden[i] then
      local pad = width > #cell and width - #cell or 0
      if cell ~= "" then
        local paint = color and (title and BOLD or column.color)
        out[#out + 1] = BLANKS[owed + (column.left and 0 or pad)]
        out[#out + 1] = paint and paint .. grid.fit(cell, width) .. RESET or grid.fit(cell, width)
        owed, pad = 0, column.left and pad or 0
      end
      owed = owed + pad + GAP
    end
  end
  host.out(table.concat(out) .. "\n")
end

--- Writes a row of cells.
function grid.line(it, cells, host, color)
  put(it, cells, host, color, false)
end

--- Writes titles and the rows that were added.
function grid.put(it, host, color)
  local titles = {}
  for i, column in ipairs(it.columns) do titles[i] = column.title end
  put(it, titles, host, color, true)
  for _, cells in ipairs(it.rows) do put(it, cells, host, color, false) end
end

return grid
