-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- String literals of C sources, each with the call that it is an argument of.

local c_strings = {}

local ESCAPES = { n = "\n", t = "\t", ["0"] = "\0" }

local function unescape(text)
  return (text:gsub("\\(.)", function (c) return ESCAPES[c] or c end))
end

--- The tokens of C text but its comments: { kind, text, line }.
local function tokens(text)
  local list, at, line = {}, 1, 1
  local function take(kind, to)
    local piece = text:sub(at, to)
    if kind then list[#list + 1] = { kind, piece, line } end
    line = line + select(2, piece:gsub("\n", ""))
    at = to + 1
  end
  while at <= #text do
    local two = text:sub(at, at + 1)
    if two == "/*" then
      take(nil, select(2, text:find("*/", at, true)))
    elseif text:find("^%s", at) then
      take(nil, select(2, text:find("^%s+", at)))
    elseif text:find('^"', at) then
      local to = at + 1
      while text:sub(to, to) ~= '"' do to = to + (text:sub(to, to) == "\\" and 2 or 1) end
      take("string", to)
    elseif text:find("^'", at) then
      take("char", select(2, text:find("^'\\?.[^']*'", at)))
    elseif text:find("^[%a_]", at) then
      take("name", select(2, text:find("^[%w_]+", at)))
    else
      take("mark", at)
    end
  end
  return list
end

--- Calls on_string { text, line, call, argument, stack } for each run of literals, in order; macros
-- between literals, as in "%" PRId64 " slots", read "\1". `stack` is the list of calls around.
function c_strings.each(source, on_string)
  local list = tokens((source:gsub("\n%s*#[^\n]*", "\n")))
  local stack, i = {}, 1
  while i <= #list do
    local kind, text = list[i][1], list[i][2]
    local top = stack[#stack]
    if text == "(" or text == "{" or text == "[" then
      local before = list[i - 1]
      stack[#stack + 1] = { call = text == "(" and before and before[1] == "name" and before[2],
        argument = 1 }
    elseif text == ")" or text == "}" or text == "]" then
      stack[#stack] = nil
    elseif text == "," and top then
      top.argument = top.argument + 1
    elseif kind == "string" or kind == "name" and text:find "^[%u_%d]+$" and list[i + 1]
      and list[i + 1][1] == "string" and top then
      local run, from = {}, i
      while list[i] and (list[i][1] == "string" or list[i][1] == "name"
        and list[i][2]:find "^[%u_%d]+%d*$" or list[i][2]:find "^PRI[dux]%d+$") do
        run[#run + 1] = list[i][1] == "string" and unescape(list[i][2]:sub(2, -2)) or "\1"
        i = i + 1
      end
      on_string { text = table.concat(run), line = list[from][3], call = top and top.call,
        argument = top and top.argument, stack = stack }
      i = i - 1
    end
    i = i + 1
  end
end

return c_strings
