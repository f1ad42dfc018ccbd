-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Locations in the text of a plan or a policy: bytes of words, lines and columns.

local places = {}

--- Line, column and width of `width` bytes at a byte of a text.
function places.at(text, byte, width)
  local line, start = 1, 1
  for newline in text:sub(1, byte - 1):gmatch "()\n" do line, start = line + 1, newline + 1 end
  return line, byte - start + 1, width
end

--- The line and the file of a prefix "site.lua:12: "; nil: there is no prefix.
function places.line(at)
  local file, line = tostring(at):match "^(.*):(%d+): $"
  return math.tointeger(tonumber(line)), file
end

-- Plans ----------------------------------------------------------------------------------------

--- The byte after blanks and comments.
local function skip(text, at)
  while true do
    local start = at
    at = text:match("^[%s\239\187\191]*()", at)
    at = text:match("^//[^\n]*()", at) or text:match("^/%*.-%*/()", at) or at
    if at == start then return at end
  end
end

--- The byte after a string.
local function behind_string(text, at)
  at = at + 1
  while true do
    local stop = text:find('["\\]', at)
    if not stop or text:byte(stop) == 34 then return (stop or #text) + 1 end
    at = stop + 2
  end
end

local value_of

local function list_of(text, at)
  local out = {}
  at = skip(text, at + 1)
  while text:byte(at) ~= 93 and at <= #text do
    out[#out + 1], at = value_of(text, at)
    at = skip(text, text:match("^,()", skip(text, at)) or skip(text, at))
  end
  return out, at + 1
end

local function object_of(text, at)
  local out = {}
  at = skip(text, at + 1)
  while text:byte(at) == 34 do
    local stop = behind_string(text, at)
    local key, place = text:sub(at + 1, stop - 2), at
    at = skip(text, text:match("^:()", skip(text, stop)) or stop)
    local inner
    inner, at = value_of(text, at)
    out[key] = { at = place, width = stop - place, inner = inner }
    at = skip(text, text:match("^,()", skip(text, at)) or skip(text, at))
  end
  return out, at + 1
end

function value_of(text, at)
  local byte = text:byte(at)
  if byte == 123 then return object_of(text, at) end
  if byte == 91 then return list_of(text, at) end
  if byte == 34 then return false, behind_string(text, at) end
  return false, text:match("^[%w%+%-%.]*()", at)
end

--- The places of a valid plan's keys: { key -> { at, width, inner } } for an object, its items for
-- a list, false for anything else.
function places.of_plan(text)
  return (value_of(text, skip(text, 1)))
end

-- Policies -------------------------------------------------------------------------------------

--- The string, comment or blank at a byte: its kind, where it ends, and a string's content.
local function quoted(text, at)
  local comment = text:match("^%-%-()", at)
  local level, start = text:match("^%[(=*)%[()", comment or at)
  if level then
    local stop, behind = text:match("()%]" .. level .. "%]()", start)
    return comment and "blank" or "string", behind or #text + 1, text:sub(start, (stop or 0) - 1)
  elseif comment then
    return "blank", text:match("^[^\n]*()", at)
  end
  local quote = text:match("^[\"']", at)
  if not quote then return nil end
  local stop = at + 1
  while stop <= #text and text:sub(stop, stop) ~= quote do
    stop = stop + (text:byte(stop) == 92 and 2 or 1)
  end
  return "string", stop + 1, text:sub(at + 1, stop - 1)
end

--- The words of a policy's text in order: { kind = "name", "string" or "symbol", word, at }.
function places.of_policy(text)
  local out, at = {}, 1
  while at <= #text do
    local kind, stop, word = quoted(text, at)
    if not kind then
      word, stop = text:match("^([%a_][%w_]*)()", at)
      kind = word and "name" or "symbol"
    end
    if kind == "symbol" then
      word, stop = text:match("^(%d[%w%.]*)()", at)
      if not word then word, stop = text:match("^([=~<>]=)()", at) end
      if not word then word, stop = text:match("^(.)()", at) end
    end
    if kind ~= "blank" and not word:find "^%s$" then
      out[#out + 1] = { kind = kind, word = word, at = at }
    end
    at = stop
  end
  return out
end

return places
