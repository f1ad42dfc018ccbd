-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `words { "mini_job", "user_jlp" }`: an option that is a set of words.
--
-- A plan gives such an option as one text with blanks between the words, or as a list; case is
-- ignored. A function of the options sees a table with true or false for each word.
-- `default` and `doc` may stand beside the words.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local words = {}

-- The words of a text between blanks.
local function split(text)
  local list, from = {}, nil
  for i = 1, #text + 1 do
    local c = text:sub(i, i)
    local blank = c == "" or c == " " or c == "\t" or c == "\r" or c == "\n"
    if blank and from then
      list[#list + 1] = text:sub(from, i - 1)
      from = nil
    elseif not blank and not from then
      from = i
    end
  end
  return list
end

-- The given words: those of a text, the items of a list, or a table's names that are true.
local function said_of(value)
  if type(value) == "string" then return split(value) end
  if type(value) ~= "table" or value.kind then return nil end
  local list = {}
  for key, on in pairs(value) do
    if math.type(key) == "integer" then
      list[#list + 1] = on
    elseif type(on) == "boolean" then
      if on then list[#list + 1] = key end
    else
      return nil
    end
  end
  return list
end

--- The words of `value`, as spelled in `known` and in its order; or nil and a fault.
function words.set(what, value, known)
  local said = said_of(value)
  if not said then
    return nil, ("%s is words: a text, a list, or a table { %s = true }, not a %s")
      :format(what, known[1], type(value))
  end
  local has, list = {}, {}
  for _, word in ipairs(said) do
    local name = type(word) == "string" and word:lower() or word
    if not names.has(known, name) then
      return nil, what .. ": " .. names.unknown("word", word, known)
    end
    has[name] = true
  end
  for _, word in ipairs(known) do
    if has[word] then list[#list + 1] = word end
  end
  return list
end

words.words = placed(function (_, list)
  if type(list) ~= "table" then
    return nil, ("words needs a list of words, not a %s"):format(type(list))
  end
  local made = { type = "words", values = {}, default = list.default, doc = list.doc }
  for i, word in ipairs(list) do made.values[i] = word end
  for key in pairs(list) do
    if key ~= "default" and key ~= "doc" and not made.values[key] then
      return nil, ("words is a list, with default and doc; it has no '%s'"):format(tostring(key))
    end
  end
  return made
end)

return words
