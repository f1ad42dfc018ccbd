-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- How values are shown: keys sorted, depth and width limited, lists of records as tables.

local core = require "allot.core"
local native = require "allot.repl.native"

local show = {}

local DEPTH, ITEMS, WIDTH = 6, 200, 80
local CELL, COLUMNS = 40, 14

local function width()
  local columns = native.width()
  return columns > 0 and columns or WIDTH
end

-- ---- Scalars ------------------------------------------------------------------------------------

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

local function quote(text)
  local out, from = {}, 1
  for i = 1, #text do
    local c = text:sub(i, i)
    if c:byte() < 32 or c == '"' or c == "\\" or c:byte() == 127 then
      out[#out + 1] = text:sub(from, i - 1) .. (ESCAPES[c] or ("\\%03d"):format(c:byte()))
      from = i + 1
    end
  end
  out[#out + 1] = text:sub(from)
  return '"' .. table.concat(out) .. '"'
end

local function scalar(value)
  if type(value) == "string" then return quote(value) end
  if value == core.null then return "null" end
  return tostring(value)
end

local KEYWORDS = {}
for _, word in ipairs(("and break do else elseif end false for function goto if in local nil not "
  .. "or repeat return then true until while"):split " ") do KEYWORDS[word] = true end

--- Can `text` stand behind a dot?
function show.is_name(text)
  if #text == 0 or KEYWORDS[text] then return false end
  for i = 1, #text do
    local c = text:sub(i, i)
    local digit = c >= "0" and c <= "9"
    local letter = c >= "a" and c <= "z" or c >= "A" and c <= "Z" or c == "_"
    if not (letter or digit and i > 1) then
      return false
    end
  end
  return true
end

local function key_text(key)
  if type(key) == "string" and show.is_name(key) then return key end
  return "[" .. scalar(key) .. "]"
end

--- Characters, of which UTF-8 may take several bytes.
local function length(text)
  local count = 0
  for i = 1, #text do
    local byte = text:byte(i)
    if byte < 128 or byte > 191 then count = count + 1 end
  end
  return count
end

-- ---- Tables -------------------------------------------------------------------------------------

--- Keys in order, at most so many, and how many there are.
local function keys_of(value, most)
  local keys, count = {}, 0
  for key in pairs(value) do
    count = count + 1
    if count <= most then keys[count] = key end
  end
  return keys, count
end

local function is_list(value, count)
  return #value == count
end

local write

local function items(value, depth, open)
  local keys, count = keys_of(value, ITEMS)
  local out, list = {}, is_list(value, count)
  for i, key in ipairs(keys) do
    local text = write(value[key], depth + 1, open)
    out[i] = list and text or key_text(key) .. " = " .. text
  end
  if count > ITEMS then out[#out + 1] = ("... (and %d more)"):format(count - ITEMS) end
  return out
end

--- One line if it fits beside its depth, else a line an item.
local function lay_out(parts, depth)
  local whole = 0
  local lines = false
  for _, part in ipairs(parts) do
    whole = whole + length(part) + 2
    lines = lines or part:find "\n" ~= nil
  end
  if not lines and whole + 2 + 2 * depth <= width() then
    return "{ " .. table.concat(parts, ", ") .. " }"
  end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(parts, ",\n" .. indent) .. ",\n" .. ("  "):rep(depth)
    .. "}"
end

function write(value, depth, open)
  if type(value) ~= "table" then return scalar(value) end
  if open[value] then return "{ (itself) }" end
  local _, count = keys_of(value, 0)
  if count == 0 then return "{}" end
  if depth >= DEPTH then return "{ ... }" end
  open[value] = true
  local text = lay_out(items(value, depth, open), depth)
  open[value] = nil
  return text
end

-- ---- Records ------------------------------------------------------------------------------------

local function small(value)
  if type(value) == "table" then
    for _, each in pairs(value) do
      if type(each) == "table" then return nil end
    end
    local text = "{" .. table.concat(items(value, 0, {}), ", ") .. "}"
    return length(text) <= CELL and text or nil
  end
  local text = type(value) == "string" and value or scalar(value)
  return not text:find "\n" and length(text) <= CELL and text or nil
end

--- The columns of rows, each with the number of rows that have it; nil: not records.
local function columns_of(rows)
  local names, seen = {}, {}
  for _, row in ipairs(rows) do
    if type(row) ~= "table" then return nil end
    for key, value in pairs(row) do
      if type(key) ~= "string" or not small(value) then return nil end
      if not seen[key] then names[#names + 1], seen[key] = key, true end
    end
  end
  table.sort(names)
  return #names <= COLUMNS and names or nil
end

--- Cells in columns, numbers to the right. `head` names them.
function show.aligned(head, rows)
  local widths, numeric = {}, {}
  for c, name in ipairs(head) do
    widths[c], numeric[c] = length(name), c > 1
    for _, row in ipairs(rows) do
      local cell = row[c] or ""
      if length(cell) > widths[c] then widths[c] = length(cell) end
      if cell ~= "" and not tonumber(cell) then numeric[c] = false end
    end
  end
  local lines = {}
  local function add(row)
    local line = {}
    for c = 1, #head do
      local cell = row[c] or ""
      local blanks = (" "):rep(widths[c] - length(cell))
      line[c] = numeric[c] and blanks .. cell or cell .. blanks
    end
    local text = table.concat(line, "  ")
    while text:ends " " do text = text:sub(1, -2) end
    lines[#lines + 1] = text
  end
  add(head)
  for _, row in ipairs(rows) do add(row) end
  return table.concat(lines, "\n")
end

--- The rows of `step`.
function show.steps(rows)
  local cells = {}
  for i, row in ipairs(rows) do
    cells[i] = { tostring(i), core.time(row.at), tostring(row.granted), tostring(row.reclaimed),
      tostring(row.idle) }
  end
  return show.aligned({ "step", "at", "granted", "reclaimed", "idle left" }, cells)
end

local function records(keys, rows, title, more)
  local names = columns_of(rows)
  if not names or #names == 0 then return nil end
  local head, cells = {}, {}
  if title then head[1] = title end
  for _, name in ipairs(names) do head[#head + 1] = name end
  for i, row in ipairs(rows) do
    cells[i] = {}
    if title then cells[i][1] = tostring(keys[i]) end
    for _, name in ipairs(names) do
      local value = row[name]
      cells[i][#cells[i] + 1] = value == nil and "" or small(value)
    end
  end
  local text = show.aligned(head, cells)
  local first = text:find "\n"
  local room = native.width()
  if room > 0 and length(text:sub(1, first - 1)) > room then return nil end
  return text .. (more > 0 and ("\n... (and %d more)"):format(more) or "")
end

--- A list of records, or records by name, as a table; nil for other values.
local function as_records(value, order, title)
  local keys, count = keys_of(value, ITEMS)
  if order then keys = order end
  local rows = {}
  for i, key in ipairs(keys) do
    if i <= ITEMS then rows[i] = value[key] end
  end
  if #rows == 0 or #rows == 1 and not order then return nil end
  local list = not order and is_list(value, count)
  if not list and not order then
    for _, key in ipairs(keys) do
      if type(key) ~= "string" then return nil end
    end
  end
  return records(keys, rows, not list and (title or "") or nil, count - #rows)
end

--- The text of one value. `order`: its keys, if they have an order; `title` names them.
function show.text(value, order, title)
  if type(value) ~= "table" then return scalar(value) end
  return as_records(value, order, title) or write(value, 0, {})
end

return show
