-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A policy's declarations as `policy` made them, and its options with the values that a plan
--- states.

local names = require "allot.language.names"

local format, type_of = string.format, math.type

local LIMITS = { [true] = 1, percent = 2 }
local MOST, NONE = 1000000000, 2147483647
local CUT = 60 -- bytes of a name or value in a list
-- Parameters of LSF that plans state elsewhere.
local PARAMETERS = {
  "max_job_preempt", "max_total_time_preempt", "no_preempt_interval", "hist_hours",
  "no_preempt_finish_time", "no_preempt_run_time", "preempt_delay", "half_life",
  "mc_reclaim_delay",
}

local options = {}

-- ---- Declarations -------------------------------------------------------------------------------

local function typed(of, key, word)
  local value = of[key]
  if value ~= nil and type(value) ~= word then
    error(format("%s is a %s, not a %s", key, type(value), word), 0)
  end
  return value
end

local function number(of, key, otherwise)
  local value = of[key]
  if value == nil then return otherwise end
  if type(value) == "boolean" then return value and 1 or 0 end
  if type_of(value) ~= "integer" then
    error(format("%s is a %s, not a whole number", key, type(value)), 0)
  end
  if value < -MOST or value > NONE then error(key .. " is out of range", 0) end
  return value
end

--- The name and type of a declaration, and a table of the rest.
function options.declaration(of)
  if type(of) ~= "table" then
    error(format("a declaration is a table, not a %s", type(of)), 0)
  end
  local name, kind = typed(of, "name", "string"), typed(of, "type", "string")
  if not name then error("a declaration needs a name", 0) end
  local flag = kind == "boolean" or kind == "tag"
  return name, kind, {
    min = number(of, "min", 0), max = number(of, "max", flag and 1 or MOST),
    default = number(of, "default", 0), limit = LIMITS[of.limit] or 0,
    doc = typed(of, "doc", "string"),
  }
end

local function values_of(of)
  local list = typed(of, "values", "table")
  for _, value in ipairs(list or {}) do
    if type(value) ~= "string" then error("values is a list of strings", 0) end
  end
  return list and #list > 0 and list or nil
end

--- An option: its value is a number, of a string its place among the values, of words their bits.
local function option(of)
  local name, kind, it = options.declaration(of)
  it.name, it.kind, it.values, it.value = name, kind, values_of(of), it.default
  local most = it.values and (kind == "words" and 1 << #it.values or #it.values)
  if most and (it.value < 0 or it.value >= most) then
    error("default is none of the values", 0)
  end
  return it
end

local function value_of(it)
  if it.kind == "words" then
    local set = {}
    for i, word in ipairs(it.values or {}) do set[word] = it.value >> (i - 1) & 1 == 1 end
    return set
  elseif it.values then
    return it.values[it.value + 1]
  elseif it.kind == "boolean" then
    return it.value ~= 0
  end
  return it.value
end

-- ---- What a plan states -------------------------------------------------------------------------

--- "did you mean ...?" of the nearest of the names, or nil.
local function advice(name, list)
  local near = names.nearest(name, list)
  return near and format('did you mean "%s"?', near)
end

local function listed(values, mark)
  local out = {}
  for i, value in ipairs(values) do out[i] = mark .. value:sub(1, CUT) .. mark end
  return table.concat(out, ", ")
end

local function take_string(it, stated, whose, refuse)
  local text = stated.type == "string"
  for i, value in ipairs(it.values) do
    if text and value == stated.value then
      it.value = i - 1
      return true
    end
  end
  return refuse(it.name, text and "E-range" or "E-type", text and advice(stated.value, it.values),
    format("option \"%s\" of policy \"%s\" is one of %s", it.name, whose, listed(it.values, '"')))
end

local function take_words(it, stated, whose, refuse)
  if stated.type ~= "string" and stated.type ~= "words" then
    return refuse(it.name, "E-type", nil, format(
      "option \"%s\" of policy \"%s\" is a text of words, or a list of them", it.name, whose))
  end
  it.value = 0
  for _, word in ipairs(stated.words) do
    local place
    for i, known in ipairs(it.values) do
      if #word == #known and word:lower() == known then place = i - 1 end
    end
    if not place then
      return refuse(it.name, "E-range", advice(word, it.values),
        format("option \"%s\" of policy \"%s\": unknown word \"%s\"; known are %s", it.name, whose,
          word:sub(1, CUT), listed(it.values, "")))
    end
    it.value = it.value | 1 << place
  end
  return true
end

local function take_plain(it, stated, whose, refuse)
  local boolean = it.kind == "boolean"
  if stated.type ~= (boolean and "boolean" or "integer") then
    return refuse(it.name, "E-type", nil, format("option \"%s\" of policy \"%s\" is %s", it.name,
      whose, boolean and "true or false" or "a whole number"))
  elseif stated.value < it.min or stated.value > it.max then
    return refuse(it.name, "E-range", nil, format("option \"%s\" is %d, allowed is %d ... %d",
      it.name, stated.value, it.min, it.max))
  end
  it.value = stated.value
  return true
end

local function refuse_unknown(name, known, whose, refuse)
  local hint = advice(name, known)
  if name == "half_life" or name == "hist_hours" then
    hint = "write it in the plan"
  elseif names.has(PARAMETERS, name) then
    hint = "write it in \"params\" of the plan, or in a queue"
  end
  return refuse(name, "E-unknown-key", hint,
    format("policy \"%s\" has no option \"%s\"", whose, name))
end

--- The options' values by name; nil: what a plan states is faulty, and core.refuse was told.
function options.values(declared, whose, core)
  local values, known, by_name, fine = {}, {}, {}, true
  for i, of in ipairs(declared) do
    local it = option(of)
    known[i], by_name[it.name], values[it.name] = it.name, of, value_of(it)
  end
  for _, stated in ipairs(core.stated()) do
    local it = by_name[stated.name] and option(by_name[stated.name])
    local take = it and it.kind == "words" and take_words or it and it.values and take_string
      or take_plain
    if it and take(it, stated, whose, core.refuse) then
      values[it.name] = value_of(it)
    elseif it or stated.mine and not refuse_unknown(stated.name, known, whose, core.refuse) then
      fine = false
    end
  end
  return fine and values or nil
end

--- A copy in which unknown options, and unknown words of an option, are errors.
function options.copy(values, core)
  local all = {}
  for name, value in pairs(values) do
    if type(value) == "table" then
      local set = {}
      for word, on in pairs(value) do set[word] = on end
      value = core.strict(set, "word")
    end
    all[name] = value
  end
  return core.strict(all, "option")
end

return options
