-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Reads the text of a policy: where a key stands, which function takes a boolean for a number,
--- and which local name is near an unknown one.
--
-- The core asks this in a Lua state of its own (core/script/sandbox/text.c); no policy can.

local names = require "allot.language.names"

local text = {}

local function set(list)
  local out = {}
  for _, item in ipairs(list) do out[item] = true end
  return out
end

-- ---- Words: comments are blanks -----------------------------------------------------------------

local MARKS = set { "==", "~=", "<=", ">=", "<<", ">>", "//", ".." }

--- The place after the long bracket that begins at a place, "[==[ ... ]==]"; nil: none begins.
local function behind_bracket(source, at)
  local level = source:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, stop = source:find("]" .. level .. "]", at + #level + 2, true)
  return (stop or #source) + 1
end

local function behind_blank(source, at)
  while true do
    local blank, comment = source:match("^%s+()", at), source:match("^%-%-()", at)
    if not blank and not comment then return at end
    at = blank or behind_bracket(source, comment) or source:find("\n", comment, true)
      or #source + 1
  end
end

local function behind_string(source, at)
  local stop = "[\\\n" .. source:sub(at, at) .. "]"
  repeat
    at = source:find(stop, at + 1)
    local escaped = at and source:sub(at, at) == "\\"
    if escaped then at = at + 1 end
  until not escaped
  return (at or #source) + 1
end

local function behind_word(source, at)
  if source:find("^[\"']", at) then return behind_string(source, at) end
  return behind_bracket(source, at) or source:match("^%d[%w_.]*()", at)
    or source:match("^[%w_]+()", at) or at + (MARKS[source:sub(at, at + 1)] and 2 or 1)
end

--- A text's words in a list, and each word's line and column.
local function words_of(source)
  local words, lines, columns = {}, {}, {}
  local line, from, at = 1, 1, 1 -- from: where the line begins
  local function go(to)
    for newline in source:sub(at, to - 1):gmatch "()\n" do
      line, from = line + 1, at + newline
    end
    at = to
  end
  go(behind_blank(source, at))
  while at <= #source do
    local behind = behind_word(source, at)
    words[#words + 1] = source:sub(at, behind - 1)
    lines[#words], columns[#words] = line, at - from + 1
    go(behind_blank(source, behind))
  end
  return words, lines, columns
end

--- The number of the first word on a line or after it.
local function first_on(lines, line)
  local low, high = 1, #lines + 1
  while low < high do
    local middle = (low + high) // 2
    if lines[middle] < line then low = middle + 1 else high = middle end
  end
  return low
end

local BLOCKS = { ["function"] = 1, ["if"] = 1, ["do"] = 1, ["repeat"] = 1, ["end"] = -1,
  ["until"] = -1 }
local BRACKETS = { ["{"] = 1, ["("] = 1, ["["] = 1, ["}"] = -1, [")"] = -1, ["]"] = -1 }

-- ---- Keys ---------------------------------------------------------------------------------------

--- The number of the key of that name in the table whose brace stands before; nil: no such key.
local function find_key(words, at, name)
  local depth = 1
  while words[at] and depth > 0 do
    if depth == 1 and words[at] == name and words[at + 1] == "=" then return at end
    depth = depth + (BLOCKS[words[at]] or BRACKETS[words[at]] or 0)
    at = at + 1
  end
end

--- The line and column of a key of the table that word `name` takes on that line: `name { a = { b =
--- ...` has path "a", "b"; as much of it as is there. Nil: not even that.
function text.key(source, line, name, ...)
  local words, lines, columns = words_of(source)
  local at = first_on(lines, line)
  while lines[at] == line and words[at] ~= name do at = at + 1 end
  if words[at] ~= name then return nil end
  if words[at + 1] == "(" then at = at + 1 end
  local found
  for _, step in ipairs { ... } do
    local key = words[at + 1] == "{" and find_key(words, at + 2, step)
    if not key then break end
    found, at = key, key + 1
  end
  if found then return lines[found], columns[found] end
end

-- ---- Locals -------------------------------------------------------------------------------------

local OPENS = set { "then", "else", "do", "repeat" }
local CLOSES = set { "end", "until", "elseif", "else" }

--- Adds the names of a list "a, b" to a scope, from word `at` on; the number of the word behind it.
local function bind(words, at, scope)
  repeat
    scope[#scope + 1] = words[at]
    at = at + (words[at + 1] == "<" and 4 or 1) -- an attribute, <const>
    local more = words[at] == ","
    if more then at = at + 1 end
  until not more
  return at
end

--- The locals that word `to` sees, the innermost last.
local function locals_at(words, to)
  local scopes, loop, at = { {} }, {}, 1
  while at < to do
    local word = words[at]
    if CLOSES[word] and #scopes > 1 then scopes[#scopes] = nil end
    if OPENS[word] then scopes[#scopes + 1], loop = loop, {} end
    local named = word == "local" and words[at + 1] == "function"
    at = at + (named and 2 or 1)
    if word == "for" or word == "local" then
      at = bind(words, at, word == "for" and loop or scopes[#scopes])
    end
    if named or word == "function" then
      while at < to and words[at] ~= "(" do at = at + 1 end
      scopes[#scopes + 1] = {}
      if words[at + 1] ~= ")" then at = bind(words, at + 1, scopes[#scopes]) end
    end
  end
  local out = {}
  for _, scope in ipairs(scopes) do table.move(scope, 1, #scope, #out + 1, out) end
  return out
end

--- The line, and the name nearest to an unknown one on it: of the locals there and of `near`, the
--- nearest of other names (nil: none is). Nil: none is near.
function text.near(source, line, name, near)
  local words, lines = words_of(source)
  local at = first_on(lines, line)
  while words[at] and words[at] ~= name do at = at + 1 end
  local list = {}
  for _, known in ipairs(locals_at(words, at)) do
    if known ~= name then list[#list + 1] = known end
  end
  list[#list + 1] = near
  local nearest = names.nearest(name, list)
  if nearest then return line, nearest end
end

-- ---- Booleans taken for numbers -----------------------------------------------------------------
--
-- Lua compares a boolean with a number and says that they differ: `vip == 1` never holds, and
-- nothing fails. So the text of a function is read, from the line on which it begins to its end,
-- for a comparison or an arithmetic operator beside such a name. Doubtful cases pass: Lua reports
-- most of them when it runs.

local SUMS = set { "+", "-", "*", "/", "//", "%", "^", "<", ">", "<=", ">=" }
local EQUAL = set { "==", "~=" }
local BINDS = set { "local", "for" }

--- If these are the parameters of a function, the number of the first word of its body.
local function body_of(words, at, parameters)
  while words[at] and words[at] ~= "(" do at = at + 1 end -- its name
  for i, name in ipairs(parameters) do
    at = at + 1
    if i > 1 and words[at] == "," then at = at + 1 end
    if words[at] ~= name then return nil end
  end
  return words[at + 1] == ")" and at + 2 or nil
end

--- The words of the body of the function that begins on that line, alone; nil: not found.
local function find_body(words, lines, line, parameters)
  for at = first_on(lines, line), #words do
    if lines[at] > line then return nil end
    local from = words[at] == "function" and body_of(words, at + 1, parameters)
    if from then
      local body, depth, to = {}, 1, from - 1
      while depth > 0 and words[to + 1] do
        to = to + 1
        body[to] = words[to]
        depth = depth + (BLOCKS[words[to]] or 0)
      end
      return body, from, to
    end
  end
end

--- Is a parameter bound again: assigned to, or a local of that name?
local function bound_again(body, from, to, name)
  for at = from, to do
    local before = body[at - 1]
    if body[at] == name and (BINDS[before] or body[at + 1] == "="
      or before == "(" and (body[at - 2] == "function" or body[at - 3] == "function")) then
      return true
    end
  end
  return false
end

local function is_number(word)
  return word ~= nil and word:find "^%d" ~= nil
end

--- Is the expression from `first` to `last` an operand of an operator on numbers?
local function as_number(body, first, last)
  local before, behind, right = body[first - 1], body[last + 1], last + 2
  if SUMS[before] or SUMS[behind] then return true end
  if EQUAL[behind] and body[right] == "-" then right = right + 1 end
  return EQUAL[before] and is_number(body[first - 2]) or EQUAL[behind] and is_number(body[right])
end

--- The line and the name of the first boolean that a function takes for a number, or nil. The
--- function begins on `line`; `flags` are names of booleans: its parameters or, with `fields`,
--- fields of these.
local function flag_in(words, lines, of)
  local body, from, to = find_body(words, lines, of.line, of.parameters)
  local flags, parameters, bound = set(of.flags), set(of.parameters), {}
  for at = from or 1, to or 0 do
    local name, first = body[at], of.fields and at - 2 or at
    local field = body[at - 1] == "." or body[at - 1] == ":"
    if flags[name] and field == of.fields and body[first - 1] ~= "." and parameters[body[first]]
      and as_number(body, first, at) then
      local owner = body[first]
      if bound[owner] == nil then bound[owner] = bound_again(body, from, to, owner) end
      if not bound[owner] then return lines[at], name end
    end
  end
end

--- The same for the first such function of a list: { line, parameters, flags, fields }.
function text.flag(source, functions)
  local words, lines = words_of(source)
  for _, of in ipairs(functions) do
    local line, name = flag_in(words, lines, of)
    if line then return line, name end
  end
end

return text
