-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Reads configuration files of LSF: `Begin Queue` ... `End Queue` and their like.
--
-- A section is a list of `KEY = value` lines, or a table: a line of keywords, then rows of cells. A
-- value in parentheses or quotes is one cell; `-`, `()` and `""` mean the default. `#` begins a
-- comment at the start of a line or after a blank; `\` at the end of a line continues it.
--
-- Nothing is an error: text outside of sections, or of another form, is noted with its place.

local lsf = {}

--- Trims blanks at both ends, in one pass whatever the text.
function lsf.trim(text)
  local from, to = text:find "%S", #text
  while from and to > from and text:find("^%s", to) do to = to - 1 end
  return from and text:sub(from, to) or ""
end

--- Text that is not UTF-8 is taken for Latin-1, byte by byte.
function lsf.utf8(text)
  if utf8.len(text) then return text end
  return (text:gsub("[\128-\255]", function (c) return utf8.char(c:byte()) end))
end

local MOST, HEAD, TAIL = 500, 250, 200 -- bytes

--- A message that may quote anything; if it is too long, without its middle.
function lsf.legible(text)
  if #text > MOST then
    local head = text:sub(1, HEAD):gsub("[\192-\255][\128-\191]*$", "")
    local tail = text:sub(-TAIL):gsub("^[\128-\191]+", "")
    text = head .. " ... " .. tail
  end
  return (lsf.utf8(text):gsub("%z", "?"))
end

--- A value as it stands, and where: { text, file, line, col }.
local function value(text, place, col)
  return { text = text, file = place.file, line = place.line, col = col }
end

local SOMETIMES = "what holds at some times alone is read as if it always held"
local DIRECTIVES = {
  { "^#[Ii][Nn][Cc][Ll][Uu][Dd][Ee]%s", "#INCLUDE", "that file is not read; name it besides" },
  { "^#if%s+time%s*%(", "#if", SOMETIMES }, { "^#elif%s+time%s*%(", "#elif", SOMETIMES },
  { "^#else%s*$", "#else", SOMETIMES },
}

--- A line without its comment; calls directive(line, text) if it is a directive.
local function uncommented(line, number, directive)
  if not line:find "^%s*#" then return (line:gsub("%s#.*$", "")) end
  for _, it in ipairs(DIRECTIVES) do
    if line:find(it[1]) then directive(number, it[2] .. " is not carried over: " .. it[3]) end
  end
  return ""
end

--- Calls `each(text, line)` for every line with content, continued ones as one; and
--- `directive(line, text)`.
local function logical_lines(text, each, directive)
  local number, from, held = 0, nil, {}
  for raw in (text:gsub("\r\n?", "\n") .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local line = uncommented(raw, number, directive)
    local head = line:match "^(.*)\\%s*$"
    from = from or number
    held[#held + 1] = head and head .. " " or line
    if not head then
      local whole = table.concat(held)
      if whole:find "%S" then each(whole, from) end
      from, held = nil, {}
    end
  end
  local rest = table.concat(held)
  if rest:find "%S" then each(rest, from) end
end

local CLOSING = { ["("] = ")", ['"'] = '"', ["["] = "]" }

--- The end of the cell that begins at `at`; parentheses end where they are closed.
local function cell_end(line, at)
  local open = line:sub(at, at)
  local close = CLOSING[open]
  if not close then return line:find("%s", at) or #line + 1 end
  local depth, i = 0, at
  repeat
    local c = line:sub(i, i)
    if c == open and open ~= close or i == at then
      depth = depth + 1
    elseif c == close then
      depth = depth - 1
    end
    i = i + 1
  until depth == 0 or i > #line
  return i
end

--- The cells of a row: { text, col }.
function lsf.cells(line)
  local out, at = {}, line:find "%S"
  while at do
    local stop = cell_end(line, at)
    out[#out + 1] = { text = line:sub(at, stop - 1), col = at }
    at = line:find("%S", stop)
  end
  return out
end

--- Text without the parentheses or quotes around it; nil where it means the default.
function lsf.plain(text)
  local inner = text:match "^%s*%((.*)%)%s*$" or text:match '^%s*"(.*)"%s*$' or text
  inner = lsf.trim(inner)
  if inner ~= "" and inner ~= "-" then return inner end
end

--- Words of a list, with blanks or commas between them, with or without outer parentheses; brackets
--- do not end a word: `node[1-3, 7]`.
function lsf.words(text)
  local out, rest = {}, lsf.plain(text) or ""
  local at, closes = rest:find "[^%s,]", rest:find("]", 1, true)
  while at do
    local stop = at
    while stop <= #rest and not rest:find("^[%s,]", stop) do
      if rest:sub(stop, stop) == "[" and closes and closes < stop then
        closes = rest:find("]", stop, true)
      end
      local inside = closes and rest:sub(stop, stop) == "["
      stop = (inside and closes or stop) + 1
    end
    out[#out + 1] = rest:sub(at, stop - 1)
    at = rest:find("[^%s,]", stop)
  end
  return out
end

local function new_section(name, place)
  return { name = name, file = place.file, line = place.line, rows = {} }
end

--- A line of a section: `KEY = value`, a line of keywords, or a row.
local function read_line(section, line, place, note)
  local key, at = line:match "^%s*([%w_/%-]+)%s*=%s*()"
  if key and not section.keys then
    section.rows[1] = section.rows[1] or { line = place.line, file = place.file }
    local row = section.rows[1]
    row[#row + 1] = { key = key:upper(), value = value(lsf.trim(line:sub(at)), place, at) }
    return
  end
  local cells = lsf.cells(line)
  if not section.keys and #section.rows == 0 then
    section.keys = {}
    for i, cell in ipairs(cells) do section.keys[i] = cell.text:upper() end
    return
  elseif not section.keys then
    return note(place, 1, "this line is no KEY = value")
  end
  local row = { line = place.line, file = place.file }
  for i, cell in ipairs(cells) do
    if section.keys[i] then
      row[#row + 1] = { key = section.keys[i], value = value(cell.text, place, cell.col) }
    else
      note(place, cell.col, ("'%s' stands under no keyword"):format(cell.text))
    end
  end
  section.rows[#section.rows + 1] = row
end

--- The sections of a file; calls note(place, col, text) for each fault. A section has `name`
-- (lower case) and `rows`, each a list of { key, value }; one of KEY = value lines has one row.
function lsf.sections(file, text, note)
  local out, open = {}, nil
  logical_lines(text, function (line, number)
    local place = { file = file, line = number }
    local word, name = line:match "^%s*(%a+)%s+(%S+)%s*$"
    word = word and word:lower()
    if word == "begin" then
      if open then note(place, 1, ("%s begins inside %s"):format(name, open.name)) end
      open = new_section(name:lower(), place)
      out[#out + 1] = open
    elseif word == "end" and open and name:lower() == open.name then
      open = nil
    elseif line:find "^%s*[Ee]nd%s" then
      note(place, 1, ("'%s' ends what has not begun"):format(lsf.trim(line)))
      open = nil
    elseif open then
      read_line(open, line, place, note)
    else
      note(place, 1, "this line is in no section")
    end
  end, function (number, why) note({ file = file, line = number }, 1, why) end)
  if open then note(open, 1, ("%s has no end"):format(open.name)) end
  return out
end

return lsf
