-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A group's consumers as a table: the tree indented, numbers to the right. Empty columns are left
-- out, and in large plans also consumers with nothing; columns about use of others' slots are shown
-- only if they fit. A narrow terminal cuts names and parts, never digits.
--
-- There may be very many consumers: their rows are read twice, once for the widths, and not kept.

local grid = require "allot.text.grid"

local SMALL, NAME_MIN, ROOM = 20, 16, 100 -- consumers shown whole; columns without a terminal

local function number(value)
  return ("%d"):format(value)
end

local function signed(value)
  return value ~= 0 and ("%+d"):format(value) or ""
end

local function reclaimed(value)
  return signed(-value)
end

local function name(_, row)
  return ("  "):rep(row.depth) .. (row.depth == 0 and not row.total and "/" or "") .. row.name
end

local function owned(value)
  return value
end

local function limit(value)
  return value and number(value) or ""
end

local function parts(value)
  local out = {}
  for i, part in ipairs(value) do
    out[i] = ("%s %d %s"):format(i == 1 and "=" or "+", part.slots, part.name)
  end
  return table.concat(out, " ")
end

--- Title, field, its text, when the column is shown (always; unless empty: filled; if it also fits:
-- roomy), and whether it is in the monitor.
local COLUMNS = {
  { "consumer", "name", name, "always", true }, { "own", "owned", owned, "always", true },
  { "reserve", "reserve", grid.count, "filled", true }, { "limit", "limit", limit, "filled" },
  { "demand", "demand", number, "always", true },
  { "allocated", "allocated", number, "always", true },
  { "used", "own_used", grid.count, nil, true }, { "lent", "lent", grid.count, "roomy", true },
  { "borrowed", "borrowed", grid.count, "roomy", true },
  { "shared", "shared", grid.count, "roomy", true },
  { "planned", "planned", number, nil, true },
  { "in flight", "in_flight", grid.count, "filled" },
  { "quota", "quota", number, "always", color = "\27[1m" }, { "", "parts", parts, "filled" },
  { "granted", "granted", signed, "filled", color = "\27[32m" },
  { "held", "held", grid.count, "filled" },
  { "reclaimed", "reclaimed", reclaimed, "filled", color = "\27[33m" },
}
local NAME, PARTS = 1, 14
local TEXTS = { [NAME] = true, [2] = true, [4] = true, [PARTS] = true }

local consumers = {}

local function new_grid()
  local columns = {}
  for i, it in ipairs(COLUMNS) do
    columns[i] = { title = it[1], left = i == NAME or i == PARTS, color = it.color }
  end
  return grid.new(columns)
end

local function cells_of(row, hidden)
  local cells = {}
  for i = 1, #COLUMNS do
    local it = COLUMNS[i]
    cells[i] = hidden[i] and "" or it[3](row[it[2]], row)
  end
  return cells
end

--- The rows to show, one by one.
local function shown(host, group, all)
  local next_row = host.rows("consumers", group)
  return function ()
    for row in next_row do
      if all or row.demand ~= 0 or row.quota ~= 0 or row.allocated ~= 0 or row.in_flight ~= 0
        or row.received ~= 0 then
        return row
      end
    end
  end
end

--- Widths, of numbers those of the least and the most; returns how many rows there are.
local function measure(of, rows)
  local least, most, count, width = {}, {}, 0, of.width
  for i = 1, #COLUMNS do least[i], most[i] = 0, 0 end
  for row in rows do
    for i = 1, #COLUMNS do
      local it = COLUMNS[i]
      local value = row[it[2]]
      if TEXTS[i] then
        width[i] = math.max(width[i], #it[3](value, row))
      elseif value > most[i] then
        most[i] = value
      elseif value < least[i] then
        least[i] = value
      end
    end
    count = count + 1
  end
  for i, it in ipairs(COLUMNS) do
    if not TEXTS[i] then width[i] = math.max(#it[3](most[i]), #it[3](least[i])) end
  end
  return count
end

--- The group as a row: the sums over its consumers.
local function total_row(host, group, index)
  local total = { name = "total", depth = 0, total = true, parts = {}, quota = 0, in_flight = 0 }
  for key, value in pairs(group) do total[key] = total[key] or value end
  for row in host.rows("consumers", index) do
    if row.depth == 0 then
      total.quota, total.in_flight = total.quota + row.quota, total.in_flight + row.in_flight
    end
  end
  return total
end

--- Hides what `choice` ("auto", "monitor", "all") does not show.
local function choose(of, choice)
  for i, it in ipairs(COLUMNS) do
    local is = choice == "all" or it[4] == "always" or it[4] and of.width[i] > 0
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

--- Puts the table of a group (a row of host.rows and its number, from 1); look: { width =, color =,
-- all =, columns = }.
function consumers.put(host, group, index, plan, look)
  local of, total = new_grid(), nil
  local all = look.all or plan.consumers <= SMALL
  local left_out = plan.consumers - measure(of, shown(host, index, all))
  if look.columns ~= "auto" then
    total = total_row(host, group, index)
    grid.widen(of, cells_of(total, {}))
  end
  choose(of, look.columns)
  grid.measure(of)
  local cut = not of.hidden[PARTS]
  fit(of, look.width, look.columns)
  local rows = shown(host, index, all)
  grid.put(of, host, look.color, function ()
    local row = rows()
    if not row then row, total = total, nil end
    return row and cells_of(row, of.hidden)
  end)
  if cut and of.hidden[PARTS] then
    host.out "(a wider terminal shows the parts of each quota)\n"
  end
  if left_out > 0 then host.out(("(and %d with nothing: --all)\n"):format(left_out)) end
end

return consumers
