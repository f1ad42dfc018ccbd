-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A group's consumers as a table: the tree indented, numbers to the right. Empty columns are left
-- out, and in large plans also consumers with nothing; columns about use of others' slots are shown
-- only if they fit. A narrow terminal cuts names and parts, never digits.

local grid = require "allot.text.grid"

local SMALL, NAME_MIN, ROOM = 20, 16, 100 -- consumers shown whole; columns without a terminal

local LINES = 1000 -- written at once
local FRACTION_MAX = 11 -- characters

local function signed(value)
  return value ~= 0 and ("%+d"):format(value) or ""
end

local function reclaimed(value)
  return signed(-value)
end

--- "3", "3 1/3", or "~3.3333" in place of a long fraction; of "10/3".
local function mixed(ratio)
  local num, den = ratio:match "^(%d+)/(%d+)$"
  if not num then return ratio end
  num, den = tonumber(num), tonumber(den)
  if den == 0 then return "0" end
  local part = ("%s/%s"):format(num % den, den)
  if math.type(num) == "float" or math.type(den) == "float" or #part > FRACTION_MAX then
    return (num / den < 0.001 and "~%.3g" or "~%.4f"):format(num / den)
  end
  return num > den and num // den .. " " .. part or part
end

local function same(value)
  return value
end

--- Title, field, its text, when the column is shown (always; unless empty: filled; if it also fits:
-- roomy; where the policy goes by use: used), and whether it is in the monitor. `counted`: shown
-- with all if the plan counts it.
local COLUMNS = {
  { "consumer", "name", same, "always", true }, { "own", "owned", same, "always", true },
  { "reserve", "reserve", grid.count, "filled", true }, { "limit", "limit", tostring, "filled" },
  { "demand", "demand", tostring, "always", true },
  { "allocated", "allocated", tostring, "always", true },
  { "own used", "own_used", grid.count, nil, true },
  { "lent", "lent", grid.count, "roomy", true },
  { "borrowed", "borrowed", grid.count, "roomy", true },
  { "shared", "shared", grid.count, "roomy", true },
  { "planned", "planned", tostring, nil, true },
  { "usage", "usage", grid.count, "used", counted = true },
  { "in flight", "in_flight", grid.count, "filled" },
  { "quota", "quota", tostring, "always", color = "\27[1m" }, { "", "parts", same, "filled" },
  { "granted", "granted", signed, "filled", color = "\27[32m" },
  { "held", "held", grid.count, "filled" },
  { "reclaimed", "reclaimed", reclaimed, "filled", color = "\27[33m" },
}
local NAME, LIMIT, PARTS = 1, 4, 15
local TEXTS = { [NAME] = true, [2] = true, [PARTS] = true }

local consumers = {}

local function new_grid()
  local columns = {}
  for i, it in ipairs(COLUMNS) do
    columns[i] = { title = it[1], left = i == NAME or i == PARTS, color = it.color }
  end
  return grid.new(columns)
end

--- Names are indented by their depth; fractions are for people.
local function dress(rows, count)
  local blank, depth, name, owned = {}, rows.depth or {}, rows.name or {}, rows.owned
  for i = 1, count do
    if owned[i]:find("/", 1, true) then owned[i] = mixed(owned[i]) end
    local deep = depth[i] or 0
    blank[deep] = blank[deep] or deep == 0 and "/" or ("  "):rep(deep)
    name[i] = blank[deep] .. name[i]
  end
end

--- Widths, of numbers those of the least and the most.
local function measure(of, rows, count)
  for i, it in ipairs(COLUMNS) do
    local column, least, most, width = rows[it[2]], 0, 0, 0
    for row = 1, column and count or 0 do
      local value = column[row] or 0
      if TEXTS[i] then
        if #value > width then width = #value end
      elseif value > most then
        most = value
      elseif value < least then
        least = value
      end
    end
    of.width[i] = TEXTS[i] and width or i == LIMIT and (rows.limit and #tostring(most) or 0)
      or math.max(#it[3](most), #it[3](least))
  end
end

--- The group as a row of cells: the sums over its consumers.
local function total_of(host, group, index)
  local total = {
    name = "total", parts = "", quota = 0, in_flight = 0, usage = 0, owned = mixed(group.owned),
  }
  for key, value in pairs(group) do total[key] = total[key] or value end
  local rows, count = host.consumers(index, true)
  for i = 1, count do
    if not (rows.depth and rows.depth[i]) then
      total.quota = total.quota + (rows.quota and rows.quota[i] or 0)
      total.in_flight = total.in_flight + (rows.in_flight and rows.in_flight[i] or 0)
      total.usage = total.usage + (rows.usage and rows.usage[i] or 0)
    end
  end
  local cells = {}
  for i, it in ipairs(COLUMNS) do
    cells[i] = i == LIMIT and "" or it[3](total[it[2]])
  end
  return cells
end

--- Hides what `choice` ("auto", "monitor", "all") does not show. `by_use`: the policy goes by use.
local function choose(of, rows, choice, by_use)
  for i, it in ipairs(COLUMNS) do
    local all = choice == "all" and (not it.counted or rows[it[2]])
    local is = all or it[4] == "always"
    if it[4] == "used" then is = is or by_use else is = is or it[4] and of.width[i] > 0 end
    if choice == "monitor" then is = it[5] end
    of.hidden[i] = not is
  end
end

--- Removes optional columns first, then cuts names in the middle, then removes parts.
local function fit(of, width, choice)
  if choice == "auto" and grid.total(of) > (width > 0 and width or ROOM) then
    for i, it in ipairs(COLUMNS) do of.hidden[i] = of.hidden[i] or it[4] == "roomy" end
  end
  for step = 1, 2 do
    if width > 0 and grid.total(of) > width then
      of.hidden[PARTS] = of.hidden[PARTS] or step == 2
      local spare = width - (grid.total(of) - of.width[NAME])
      if step == 2 or spare >= NAME_MIN then grid.narrow(of, NAME, NAME_MIN, width) end
    end
  end
end

--- A function from a row to its line: as many cells as are not empty behind their last.
local function liner(of, rows, color)
  local values, texts, blanks, paints, widths, forms = {}, {}, {}, {}, {}, {}
  local whole, n = "", 0
  for i, it in ipairs(COLUMNS) do
    if not of.hidden[i] then
      n = n + 1
      values[n], texts[n], paints[n] = rows[it[2]] or {}, it[3], color and it.color
      widths[n] = of.width[i]
      local left, number = of.columns[i].left, it[3] == tostring and i ~= LIMIT and not paints[n]
      local form = paints[n] and "%s" or (number and "%%%dd" or "%%%ds"):format(widths[n])
      forms[n] = whole .. (left and "%s" or form)
      whole = whole .. (left and ("%%-%ds"):format(widths[n]) or form) .. "  "
      blanks[n] = i == LIMIT and "" or number and 0 or it[3](0)
      texts[n] = not number and it[3] ~= same and texts[n] or nil
    end
  end
  local format, unpack, cells = string.format, table.unpack, {}
  return function (row)
    local last = 1
    for k = 1, n do
      local cell = values[k][row]
      if not cell then
        cell = blanks[k]
      elseif texts[k] then
        cell = texts[k](cell)
      end
      if paints[k] then
        local pad = (" "):rep(widths[k] - #cell)
        if cell ~= "" then last = k end
        cell = cell == "" and pad or pad .. paints[k] .. cell .. "\27[0m"
      elseif cell ~= "" then
        last = k
      end
      cells[k] = cell
    end
    if #cells[1] > widths[1] then cells[1] = grid.fit(cells[1], widths[1]) end
    return format(forms[last], unpack(cells, 1, last))
  end
end

--- Puts the table of a group (a row of host.rows and its number, from 1); look: { width =, color =,
-- all =, columns = }.
function consumers.put(host, group, index, plan, look)
  local of, total = new_grid(), nil
  local rows, count = host.consumers(index, look.all or plan.consumers <= SMALL)
  dress(rows, count)
  measure(of, rows, count)
  if look.columns ~= "auto" then
    total = total_of(host, group, index)
    grid.widen(of, total)
  end
  choose(of, rows, look.columns, group.by_use)
  grid.measure(of)
  local cut = not of.hidden[PARTS]
  fit(of, look.width, look.columns)
  grid.put(of, host, look.color)
  local line, out = liner(of, rows, look.color), {}
  for row = 1, count do
    out[#out + 1] = line(row)
    if #out == LINES or row == count then
      out[#out + 1] = ""
      host.out(table.concat(out, "\n"))
      out = {}
    end
  end
  if total then grid.line(of, total, host, look.color) end
  if cut and of.hidden[PARTS] then
    host.out "(a wider terminal shows the parts of each quota)\n"
  end
  if count < plan.consumers then
    host.out(("(and %d with nothing: --all)\n"):format(plan.consumers - count))
  end
end

return consumers
