-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `policy { ... }`: one policy, checked, in the form that the core reads.

local placed = require "allot.language.placed"
local names = require "allot.language.names"
local columns = require "allot.language.columns"
local declare = require "allot.language.declare"
local amount = require "allot.language.amount"
local order = require "allot.language.order"
local tasks = require "allot.language.tasks"
local queues = require "allot.language.queues"
local damping_fault = require "allot.language.damping"
local like = require "allot.language.like"
local relation = require "allot.language.relation"
local property = require "allot.language.property"
local rule = require "allot.language.rule"

local KEYS = {
  "name", "doc", "like", "options", "attributes", "scale", "reserve", "quota", "round",
  "distribute", "reclaim", "takes", "recall", "shared", "enforce", "damping", "properties",
  "task_attributes", "victims", "inside", "guards", "sessions", "requirements",
  table.unpack(queues.KEYS)
}
-- Switches with their values; the first is the default.
local SWITCHES = {
  recall = { "last", "first" }, shared = { "reclaim", "adjust", "keep" },
  enforce = { "parent", "leaf" },
}
local PARTS = { "fill", "pool", "loan" }
local ROUNDINGS = { "rank", "ceil_in_order", "largest_remainder", "webster" }
local MOST_FILLS = 16

-- The names that `stage` knows: columns known by then, and the policy's attributes.
local function known_at(stage, attributes)
  local known = {}
  for i = 1, columns.known[stage] do known[i] = columns.names[i] end
  for _, attribute in ipairs(attributes) do known[#known + 1] = attribute.name end
  return known
end

-- A percentage is of what a plan states: `share`, or an integer of the policy's own.
local function percent_fault(up_to, attributes)
  local known = { "share" }
  for _, it in ipairs(attributes) do
    if it.type == "integer" and it.min >= 0 then known[#known + 1] = it.name end
  end
  if not names.has(known, up_to.column) then
    return names.unknown("percentage", up_to.column, known), up_to.at
  end
end

-- Also for a pool and a loan.
local function fill_fault(fill, stage, known)
  for _, key in ipairs { "by", "up_to", "lend_limit", "borrow_limit" } do
    local fault = columns.fault(fill[key], stage, known)
    if fault then return fault, fill.at end
  end
  return columns.keys_fault(fill.order or fill.borrowers, stage, known)
end

local function is_own(fill, column)
  return fill and fill.kind == "fill" and fill.by == column and fill.up_to == column
    and not fill.order and not fill.level
end

-- Pools and loans need own slots to be known: fills of these come before, and none after.
local function parts_fault(quota)
  local place
  for i, fill in ipairs(quota) do
    local before = i > 1 and quota[i - 1].kind
    if fill.kind == "fill" and (before == "pool" or before == "loan") then
      return "behind a pool or a loan there is no fill", fill.at
    elseif fill.kind == before and before ~= "fill" or fill.kind == "pool" and before == "loan" then
      return "there is one pool and one loan at most, the loan behind", fill.at
    end
    place = place or (fill.kind ~= "fill" and fill.at)
  end
  local first = is_own(quota[1], "reserve") and 2 or 1
  local third = quota[first + 1] or {}
  if place and not (is_own(quota[first], "owned") and third.kind ~= "fill") then
    return "before a pool or a loan stands fill \"owned\" { by = \"owned\", up_to = \"owned\" }, "
      .. "before that at most the fill of reserve, and nothing else", place
  end
end

local function list_fault(quota, known, attributes)
  if type(quota) ~= "table" or quota.kind then
    return "quota is a list of fills, or a function of the options that returns one"
      .. (quota == nil and "; a policy of queues has none, but says dispatch or preempts" or "")
  end
  local labels, parts = {}, 0
  for i, fill in ipairs(quota) do
    if type(fill) ~= "table" or not names.has(PARTS, fill.kind) then
      return ("quota[%d] is no fill: write fill \"label\" { by = ... }"):format(i)
    end
    local fault, place = fill_fault(fill, "quota", known)
    if fault then return fault, place end
    local label, word = fill.label or "fill" .. i, type(fill.up_to) == "table" and fill.up_to.kind
    if fill.again then return "again is of slices, which a policy of queues says", fill.at end
    if word == "percent" then fault, place = percent_fault(fill.up_to, attributes) end
    if fault then return fault, place end
    if labels[label] then return ("two fills are called '%s'"):format(label), fill.at end
    labels[label] = true
    parts = parts + (word == "part" and 1 or 0)
    if parts > 1 then return "of all fills one goes up_to = part", fill.at end
    if word == "held" and parts == 0 then
      return "up_to = held goes behind a fill up_to = part", fill.at
    end
  end
  if #quota < 1 or #quota > MOST_FILLS then
    return ("quota has %d fills; 1 to %d are allowed"):format(#quota, MOST_FILLS)
  end
  return parts_fault(quota)
end

local function word_fault(key, word)
  if type(word) ~= "string" then
    return ("%s is a word, not a %s"):format(key, type(word))
  elseif not names.has(SWITCHES[key], word) then
    return key .. ": " .. names.unknown("word", word, SWITCHES[key])
  end
end

-- A switch as the core takes it: a word, or a function of options that returns a valid one.
local function switch(place, key, given)
  if type(given) ~= "function" then return given, word_fault(key, given) end
  return placed(function (_, options)
    local word = given(options)
    local fault = word_fault(key, word)
    if fault then return nil, fault, place end
    return word
  end)
end

local function reclaim_fault(reclaim, attributes)
  if reclaim == nil or reclaim == false then return nil end
  if type(reclaim) ~= "table" or reclaim.kind ~= "fill" then
    return "reclaim is a fill: fill { order = order { desc \"rank\" }, by = \"over\" }; "
      .. "or false: nothing is reclaimed"
  end
  if type(reclaim.up_to) == "table" or reclaim.again then
    return "reclaim takes neither part, held, percent nor again", reclaim.at
  end
  if reclaim.level then return "reclaim takes slots: it raises no totals (level)", reclaim.at end
  if reclaim.up_to ~= nil and reclaim.up_to ~= "over" then
    return "reclaim takes what is over; its up_to is \"over\" or left out", reclaim.at
  end
  return fill_fault(reclaim, "reclaim", known_at("reclaim", attributes))
end

--- The relation of claimants and givers: tests by columns that reclaim knows, and functions.
local function takes_of(place, takes, made)
  local known = known_at("reclaim", made.attributes)
  local value, fault, where = relation.of_rows(place, "takes", takes, function (field)
    return columns.fault(field, "reclaim", known)
  end)
  if not value then return nil, fault, where end
  local last = type(made.quota) == "table" and made.quota[#made.quota]
  if last and last.kind ~= "fill" then
    return nil, "pools and loans say who takes from whom, so takes goes with fills alone"
  elseif made.enforce ~= "parent" then
    return nil, "takes settles among siblings first: enforce is \"parent\" or left out"
  end
  return value
end

local function distribute_fault(place, spec, made)
  if spec.distribute == nil then return nil end
  local fault, where
  made.distribute, fault = order.keys(place, spec.distribute)
  if fault then return fault end
  local known = known_at("distribute", made.attributes)
  fault, where = columns.keys_fault(made.distribute, "distribute", known)
  if fault then return fault, where end
  for _, key in ipairs(made.distribute) do
    if made.round == "ceil_in_order" and key.key == "quota" then
      return "round = \"ceil_in_order\" goes by distribute, which then cannot go by quota", key.at
    end
  end
end

--- The rules that divide slots among consumers. `note(key, fault, where)` records a fault.
local function rules(place, spec, made, note)
  local fault, known = nil, known_at("quota", made.attributes)
  local function add(key, fault_of)
    local where
    made[key], fault, where = rule.sound(place, key, spec[key], fault_of)
    note(key, fault, where)
  end
  add("quota", function (quota) return list_fault(quota, known, made.attributes) end)
  made.reserve = spec.reserve
  if made.reserve ~= nil then
    note("reserve", amount.fault("reserve", made.reserve)
      or columns.fault(made.reserve, "reserve", known_at("reserve", made.attributes)))
  end
  add("reclaim", function (reclaim) return reclaim_fault(reclaim, made.attributes) end)
  add("damping", damping_fault)
  made.round = spec.round or "rank"
  if not names.has(ROUNDINGS, made.round) then
    note("round", names.unknown("rounding", made.round, ROUNDINGS))
  end
  for key, words in pairs(SWITCHES) do
    made[key], fault = words[1], nil
    if spec[key] ~= nil then made[key], fault = switch(place, key, spec[key]) end
    note(key, fault)
  end
  if spec.takes ~= nil then
    local where
    made.takes, fault, where = takes_of(place, spec.takes, made)
    note("takes", fault, where)
  end
  note("distribute", distribute_fault(place, spec, made))
end

-- Faults of keys that are not rules.
local function plain_faults(spec, note)
  for key in pairs(spec) do
    if not names.has(KEYS, key) then note(key, names.unknown("key of policy", key, KEYS)) end
  end
  if type(spec.name) ~= "string" or spec.name == "" then note("name", "a policy needs a name") end
  if spec.doc ~= nil and type(spec.doc) ~= "string" then note("doc", "doc is a string") end
  if spec.scale ~= nil and type(spec.scale) ~= "boolean" then
    note("scale", ("scale is true or false, not a %s"):format(type(spec.scale)))
  end
end

local function fill_in(place, spec, made, note)
  for _, word in ipairs { "attribute", "option" } do
    made[word .. "s"] = declare.list(word, spec[word .. "s"], function (fault, ...)
      note(word .. "s", fault, { word .. "s", ... })
    end)
  end
  if queues.dispatches(spec) then
    made.round = "ceil_in_order"
  else
    rules(place, spec, made, note)
  end
  tasks.rules(place, spec, made, note)
  if queues.dispatches(spec) then
    local known = tasks.known(made.task_attributes, spec.guards)
    queues.rules(place, spec, made, known, note)
  end
  if spec.properties ~= nil then
    local dispatches = queues.dispatches(spec)
    local fault, where
    made.properties, fault, where = rule.sound(place, "properties", spec.properties, function (list)
      return property.fault(list, dispatches)
    end)
    note("properties", fault, where)
  end
end

local function make(place, spec)
  if type(spec) ~= "table" then
    return nil, ("policy needs a table, not a %s"):format(type(spec))
  end
  local faults, base_fault = {}, nil
  local function note(key, fault, where)
    if where == place then where = nil end -- the key's place is more exact
    if fault then faults[#faults + 1] = { fault, where or { tostring(key) } } end
  end
  plain_faults(spec, note)
  if spec.like ~= nil then
    local own = spec
    spec, base_fault = like(spec)
    note("like", base_fault)
    spec = spec or own
  end
  local made = { kind = "policy", name = spec.name, doc = spec.doc, at = place, said = spec }
  made.scale = spec.scale ~= false
  if not base_fault then fill_in(place, spec, made, note) end
  if #faults > 0 then return nil, faults end
  return made
end

return placed(make)
