-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- String literals of C and Lua sources, each with the call that it is an argument of.

local literals = {}

local ESCAPES = { n = "\n", t = "\t", ["0"] = "\0" }

local function unescape(text)
  return (text:gsub("\\(.)", function (c) return ESCAPES[c] or c end))
end

-- Where a comment that begins at `at` ends; nil: there is none.
local COMMENT = {
  c = function (text, at)
    if text:find("^/%*", at) then return select(2, text:find("*/", at, true)) end
  end,
  lua = function (text, at)
    if text:find("^%-%-", at) then return (text:find("\n", at, true) or #text + 1) - 1 end
  end,
}

local function string_end(text, at)
  local quote, to = text:sub(at, at), at + 1
  while to <= #text and text:sub(to, to) ~= quote do
    to = to + (text:sub(to, to) == "\\" and 2 or 1)
  end
  return to
end

-- What begins at `at`: its kind and its end.
local function token(text, at, language)
  local long = language == "lua" and text:match("^%[(=*)%[", at)
  local comment = COMMENT[language](text, at)
  if comment then return nil, comment end
  if text:find("^%s", at) then return nil, select(2, text:find("^%s+", at)) end
  if long then return "long", select(2, text:find("]" .. long .. "]", at, true)) end
  if text:find('^"', at) or language == "lua" and text:find("^'", at) then
    return "string", string_end(text, at)
  end
  if text:find("^'", at) then return "char", string_end(text, at) end
  if text:find("^[%a_]", at) then return "name", select(2, text:find("^[%w_]+", at)) end
  return "mark", at
end

--- The tokens of a text but its comments: { kind, text, line }.
local function tokens(text, language)
  local list, at, line = {}, 1, 1
  while at <= #text do
    local kind, to = token(text, at, language)
    local piece = text:sub(at, to)
    if kind then list[#list + 1] = { kind, piece, line } end
    line = line + select(2, piece:gsub("\n", ""))
    at = to + 1
  end
  return list
end

--- The literals that stand one behind the other from the i-th token on, as one text, and where they
-- end; macros between them, as in "%" PRId64 " slots", read "\1".
local function run_at(list, i)
  local run = {}
  while list[i] and (list[i][1] == "string" or #run > 0 and list[i][1] == "name"
    and list[i][2]:find "^[%u_][%u_%d]+x?u?d?%d*$") do
    run[#run + 1] = list[i][1] == "string" and unescape(list[i][2]:sub(2, -2)) or "\1"
    i = i + 1
  end
  return table.concat(run), i - 1
end

local OPEN, CLOSE = { ["("] = true, ["{"] = true, ["["] = true },
  { [")"] = true, ["}"] = true, ["]"] = true }

--- Calls on_string { text, line, call, argument, key } for each run of literals, in order: `call`
-- is the nearest function around that has a name, `key` what it is assigned to.
function literals.each(source, language, on_string)
  if language == "c" then source = source:gsub("\n[ \t]*#[^\n]*", "\n") end
  local list, stack, i = tokens(source, language), {}, 1
  while i <= #list do
    local kind, text, line = list[i][1], list[i][2], list[i][3]
    local top, before = stack[#stack], list[i - 1]
    if OPEN[text] then
      local named = text ~= "[" and before and before[1] == "name" and before[2]
      stack[#stack + 1] = { call = named or (text == "{" or not top) and "" or top.call,
        argument = 1 }
    elseif CLOSE[text] then
      stack[#stack] = nil
    elseif text == "," and top then
      top.argument = top.argument + 1
    elseif kind == "string" then
      local from = i
      text, i = run_at(list, i)
      on_string { text = text, line = line, call = top and top.call or "",
        argument = top and top.argument or 0,
        key = before and before[2] == "=" and list[from - 2] and list[from - 2][2] }
    end
    i = i + 1
  end
end

return literals
