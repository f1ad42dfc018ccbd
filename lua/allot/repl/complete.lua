-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Completions at the cursor: names, fields, methods, and paths and names inside quotes.

local core = require "allot.core"
local nearest = require "allot.language.names".nearest
local show = require "allot.repl.show"

local complete = {}

local COMMANDS = { ":help", ":load", ":quit", ":save", ":time" }
local KEYWORDS = ("and break do else elseif end false for function if in local nil not or repeat "
  .. "return then true until while"):split " "

local function is_letter(c)
  return c >= "a" and c <= "z" or c >= "A" and c <= "Z" or c >= "0" and c <= "9" or c == "_"
end

--- The start and the quote of the string in which the text ends; nil: it ends in no string.
local function open_quote(text)
  local quote, from
  local i = 1
  while i <= #text do
    local c = text:sub(i, i)
    if quote and c == "\\" then
      i = i + 1
    elseif quote then
      if c == quote then quote = nil end
    elseif c == '"' or c == "'" then
      quote, from = c, i
    elseif c == "-" and text:sub(i, i + 1) == "--" then
      return nil
    end
    i = i + 1
  end
  return quote and from or nil, quote
end

local function word_before(text, at)
  local from = at
  while from > 1 and is_letter(text:sub(from - 1, from - 1)) do from = from - 1 end
  return from, text:sub(from, at - 1)
end

--- The start of a `["key"]` that ends before `at`, and the key; or nil.
local function index_before(text, at)
  local quote = text:sub(at - 2, at - 2)
  if text:sub(at - 1, at - 1) ~= "]" or quote ~= '"' and quote ~= "'" then return nil end
  for i = at - 3, 2, -1 do
    if text:sub(i, i) == quote then
      return text:sub(i - 1, i - 1) == "[" and i - 1 or nil, text:sub(i + 1, at - 3)
    end
  end
end

--- The names and keys of the expression before `at`, `a.b["c"]`; nil: it has another form.
local function chain_before(text, at)
  local names = {}
  while true do
    local from, word = index_before(text, at)
    if from then
      table.insert(names, 1, word)
      at = from
    else
      from, word = word_before(text, at)
      if word == "" then return nil end
      table.insert(names, 1, word)
      local c = from > 1 and text:sub(from - 1, from - 1) or ""
      if c ~= "." and c ~= ":" then return names end
      at = from - 1
    end
  end
end

--- The value of the expression before `at`, and its container; or nil.
local function value_before(text, at, find)
  local names = chain_before(text, at)
  if not names then return nil end
  local value, within = find(names[1]), nil
  for i = 2, #names do
    if type(value) ~= "table" then return nil end
    value, within = value[names[i]], value
  end
  return value, within
end

local function keys_of(value)
  local keys = {}
  for key in pairs(value) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  return keys
end

local function starting(list, prefix)
  local out, seen = {}, {}
  for _, each in ipairs(list) do
    if each:starts(prefix) and not seen[each] then out[#out + 1], seen[each] = each, true end
  end
  table.sort(out)
  return out
end

local function add_all(list, more)
  for _, each in ipairs(more) do list[#list + 1] = each end
  return list
end

--- Completions inside quotes after `[` or `(`: keys of the table, policies, paths, ids.
local function in_quotes(text, from, scope)
  local at = from
  while at > 1 and text:sub(at - 1, at - 1) == " " do at = at - 1 end
  local open = at > 1 and text:sub(at - 1, at - 1) or ""
  if open == "[" then
    local value = value_before(text, at - 1, scope.find)
    if type(value) ~= "table" then return {} end
    if value == scope.env.state.consumers then return keys_of(scope.env.consumers) end
    return keys_of(value)
  end
  local before = open == "(" and at - 1 or at
  while before > 1 and text:sub(before - 1, before - 1) == " " do before = before - 1 end
  local _, word = word_before(text, before)
  if word == "try" or open == "=" then return core.ready() end
  local list = keys_of(scope.env.consumers)
  return add_all(add_all(list, keys_of(scope.env.jobs)), keys_of(scope.env.queues))
end

local function names_of(list)
  local out = {}
  for _, each in ipairs(list) do
    if show.is_name(each) then out[#out + 1] = each end
  end
  return out
end

local function in_code(text, scope)
  local from, word = word_before(text, #text + 1)
  local c = from > 1 and text:sub(from - 1, from - 1) or ""
  if c ~= "." and c ~= ":" then
    return from, starting(add_all(add_all({}, KEYWORDS), scope.globals()), word)
  end
  local value, within = value_before(text, from - 1, scope.find)
  if type(value) == "string" then value = scope.find "string" end
  if type(value) ~= "table" then return from, {} end
  local names = names_of(keys_of(value))
  local env = scope.env
  if within == env.consumers or within == env.queues or within == env.jobs then
    for _, row in pairs(within) do -- a field of one row may be set in another
      if type(row) == "table" then add_all(names, names_of(keys_of(row))) end
    end
  end
  return from, starting(names, word)
end

--- Files that complete the last word of a text, and where it begins.
local function files(text, list)
  local words = text:split " "
  local word = words[#words]
  local parts = word:split "/"
  local part = parts[#parts]
  local folder, found = word:sub(1, #word - #part), {}
  for _, name in ipairs(list(folder == "" and "." or folder) or {}) do
    if name:starts(part) and (part ~= "" or not name:starts ".") then
      found[#found + 1] = folder .. name
    end
  end
  return #text - #word, found
end

--- The start, counted from 0, of the word at the end of the text, and its completions.
-- scope: env (the session's tables), find(name), globals(), topics() and list(folder).
function complete.at(text, scope)
  if text:starts ":" then
    if text:starts ":help " then return #":help ", starting(scope.topics(), text:sub(7)) end
    if text:starts ":load " or text:starts ":save " then return files(text, scope.list) end
    if text:find " " then return #text, {} end
    return 0, starting(COMMANDS, text)
  end
  local quote = open_quote(text)
  if quote then return quote, starting(in_quotes(text, quote, scope), text:sub(quote + 1)) end
  local from, list = in_code(text, scope)
  return from - 1, list
end

--- A suggestion for an error about a field that is nil: `consumers["/sciense"].owned`.
function complete.hint(message, env)
  local from = message:find "nil value (field '"
  local name = from and message:sub(from + #"nil value (field '"):split "'"[1]
  if not name then return nil end
  for _, flat in ipairs { env.consumers, env.queues, env.jobs } do
    local near = type(flat) == "table" and flat[name] == nil and nearest(name, keys_of(flat))
    if near then return ("did you mean %s?"):format(near) end
  end
end

return complete
