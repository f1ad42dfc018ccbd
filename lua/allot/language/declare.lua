-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A policy's declarations: the attributes that it adds to a plan, and its options.

local names = require "allot.language.names"
local columns = require "allot.language.columns"
local words = require "allot.language.words"

local declare = {}

local KEYS = {
  ["task attribute"] = { "type", "min", "max", "default", "doc" },
  attribute = { "type", "min", "max", "default", "limit", "doc" },
  option = { "type", "min", "max", "default", "values", "doc" },
}
local TYPES = {
  ["task attribute"] = { "integer", "boolean", "tag" },
  attribute = { "integer", "boolean" },
  option = { "integer", "boolean", "string", "words" },
}
local MOST_VALUES = 16
local MOST = 1000000000

--- No bound: the default of an attribute such as a limit.
declare.none = 2147483647

local function bounds(what, spec, made)
  made.min, made.max = spec.min or 0, spec.max or MOST
  for _, key in ipairs { "min", "max" } do
    local value = made[key]
    if math.type(value) ~= "integer" or value < -MOST or value > MOST then
      return ("%s: %s is a whole number, %d to %d"):format(what, key, -MOST, MOST)
    end
  end
  if made.min > made.max then return ("%s: min is above max"):format(what) end
end

local function integer(what, spec, made, may_be_none)
  local fault = bounds(what, spec, made)
  if fault then return fault end
  local value = spec.default
  if value == nil then value = made.min > 0 and made.min or made.max < 0 and made.max or 0 end
  local inside = math.type(value) == "integer" and value >= made.min and value <= made.max
  if not inside and not (may_be_none and value == declare.none) then
    return ("%s: default is a whole number, %d to %d"):format(what, made.min, made.max)
  end
  made.default = value
end

local function boolean(what, spec, made)
  if spec.min ~= nil or spec.max ~= nil then return what .. ": a boolean has no min and max" end
  if spec.default ~= nil and type(spec.default) ~= "boolean" then
    return what .. ": default is true or false"
  end
  made.min, made.max, made.default = 0, 1, spec.default == true
end

--- One of a few strings, stored as its index among them, from 0.
local function choice(what, spec, made)
  local values = spec.values
  if spec.min ~= nil or spec.max ~= nil then return what .. ": a string has no min and max" end
  if type(values) ~= "table" or #values < 1 or #values > MOST_VALUES then
    return ("%s: values is a list of 1 to %d strings"):format(what, MOST_VALUES)
  end
  for i, value in ipairs(values) do
    if type(value) ~= "string" then return what .. ": values is a list of strings" end
    if value == (spec.default or values[1]) then made.default = i - 1 end
  end
  if not made.default then
    return what .. ": " .. names.unknown("default", spec.default, values)
  end
  made.min, made.max, made.values = 0, #values - 1, values
end

--- Whether an attribute limits what a consumer holds.
local function limit(what, spec, made)
  if spec.limit == nil then return nil end
  if type(spec.limit) ~= "boolean" and spec.limit ~= "percent" then
    return what .. ": limit is true, false or \"percent\""
  end
  if spec.limit and (made.type ~= "integer" or made.min < 0) then
    return what .. ": a limit is an integer with a min of 0 or more"
  end
  made.limit = spec.limit
end

local function tag(what, spec, made)
  if spec.min ~= nil or spec.max ~= nil or spec.default ~= nil then
    return what .. ": a tag has no min, max and default"
  end
  made.min, made.max, made.default = 0, 1, false
end

--- A set of words, stored as a number with a bit for each word's index.
local function set(what, spec, made)
  local values = spec.values
  if spec.min ~= nil or spec.max ~= nil then return what .. ": words have no min and max" end
  if type(values) ~= "table" or #values < 1 or #values > MOST_VALUES then
    return ("%s: words are a list of 1 to %d"):format(what, MOST_VALUES)
  end
  for i, value in ipairs(values) do
    if not names.valid(value) or value ~= value:lower() then
      return ("%s: word %d is no name in lower case (letters, digits, '_')"):format(what, i)
    end
  end
  local has, fault = words.set(what, spec.default or {}, values)
  if not has then return fault end
  made.default = 0
  for i, value in ipairs(values) do
    if names.has(has, value) then made.default = made.default + (1 << (i - 1)) end
  end
  made.min, made.max, made.values = 0, (1 << #values) - 1, values
end

local MAKERS = { boolean = boolean, string = choice, words = set, tag = tag }

-- What a task has besides its attributes.
local TASK_KEYS = { "id", "consumer", "group", "session", "slot", "tags" }

local function taken(word, name)
  if word == "attribute" and columns.index(name) then
    return ("attribute '%s' is a built-in column"):format(name)
  elseif word == "task attribute" and
    (columns.index(name, columns.tasks) or columns.index(name, TASK_KEYS)) then
    return ("task attribute '%s': a task has a key or column of that name"):format(name)
  end
end

local function one(word, what, name, spec)
  if type(spec) ~= "table" then
    return nil, ("%s is a %s, not a table { type = , ... }"):format(what, type(spec))
  end
  local fault = names.stranger(spec, KEYS[word], "key of " .. what)
  if fault then return nil, fault end
  if not names.has(TYPES[word], spec.type) then
    return nil, what .. ": " .. names.unknown("type", spec.type, TYPES[word])
  end
  if spec.doc ~= nil and type(spec.doc) ~= "string" then return nil, what .. ": doc is a string" end
  local made = { name = name, type = spec.type, doc = spec.doc }
  if MAKERS[spec.type] then
    fault = MAKERS[spec.type](what, spec, made)
  else
    fault = integer(what, spec, made, word ~= "option")
  end
  if not fault and word == "attribute" then fault = limit(what, spec, made) end
  if fault then return nil, fault end
  return made
end

local function named(word, name, spec)
  if not names.valid(name) then
    local article = word == "task attribute" and "a" or "an"
    return nil, ("'%s' is no name of %s %s (letters, digits, '_')")
      :format(tostring(name), article, word)
  end
  local clash = taken(word, name)
  if clash then return nil, clash end
  return one(word, word .. " '" .. name .. "'", name, spec)
end

--- The declarations of a table by name, as a list in the order of their names. `word` is
-- "attribute", "option" or "task attribute". note(fault, name) is called for each fault.
function declare.list(word, specs, note)
  local list = {}
  if specs == nil then return list end
  if type(specs) ~= "table" then
    note(("%ss is a %s, not a table of %ss by name"):format(word, type(specs), word))
    return list
  end
  for name, spec in pairs(specs) do
    local made, fault = named(word, name, spec)
    if fault then note(fault, tostring(name)) end
    list[#list + 1] = made or names.valid(name) and { name = name } or nil
  end
  table.sort(list, function (a, b) return a.name < b.name end)
  return list
end

return declare
