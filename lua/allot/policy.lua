-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `policy { ... }`: one policy, checked, in the form that the core reads.

local placed = require "allot.placed"
local names = require "allot.names"
local columns = require "allot.columns"
local declare = require "allot.declare"
local order = require "allot.order"

local KEYS = {
  "name", "doc", "options", "attributes", "scale", "quota", "round", "distribute", "reclaim",
}
local ROUNDINGS = { "rank", "ceil_in_order", "largest_remainder", "webster" }
local MOST_FILLS = 16

-- The names that `stage` knows: columns so far, then the policy's attributes.
local function known_at(stage, attributes)
  local known = {}
  for i = 1, columns.known[stage] do known[i] = columns.names[i] end
  for _, attribute in ipairs(attributes) do known[#known + 1] = attribute.name end
  return known
end

local function column_fault(value, stage, known)
  if type(value) ~= "string" or names.has(known, value) then return nil end
  if columns.index(value) then
    return ("column '%s' is not known yet in %s"):format(value, stage)
  end
  return names.unknown("column", value, known)
end

-- What is wrong with the columns that keys name, and where.
local function keys_fault(keys, stage, known)
  for _, key in ipairs(keys or {}) do
    local fault = column_fault(key.key, stage, known)
    if fault then return fault, key.at end
  end
end

local function fill_fault(fill, stage, known)
  local fault = column_fault(fill.by, stage, known) or column_fault(fill.up_to, stage, known)
  if fault then return fault, fill.at end
  return keys_fault(fill.order, stage, known)
end

local function list_fault(quota, known)
  if type(quota) ~= "table" or quota.kind then
    return "quota is a list of fills, or a function of the options that returns one"
  end
  local labels = {}
  for i, fill in ipairs(quota) do
    if type(fill) ~= "table" or fill.kind ~= "fill" then
      return ("quota[%d] is no fill: write fill \"label\" { by = ... }"):format(i)
    end
    local fault, place = fill_fault(fill, "quota", known)
    if fault then return fault, place end
    local label = fill.label or "fill" .. i
    if labels[label] then return ("two fills are called '%s'"):format(label), fill.at end
    labels[label] = true
  end
  if #quota < 1 or #quota > MOST_FILLS then
    return ("quota has %d fills; 1 to %d are allowed"):format(#quota, MOST_FILLS)
  end
end

-- The quota rule as the core takes it: a list, or a function of options that returns a sound one.
local function quota_rule(place, quota, known)
  if type(quota) ~= "function" then
    local fault, where = list_fault(quota, known)
    return quota, fault, where
  end
  return placed(function (_, options)
    local list = quota(options)
    local fault, where = list_fault(list, known)
    if fault then return nil, fault, where or place end
    return list
  end)
end

local function reclaim_fault(reclaim, attributes)
  if reclaim == nil then return nil end
  if type(reclaim) ~= "table" or reclaim.kind ~= "fill" then
    return "reclaim is a fill: fill { order = order { desc \"rank\" }, by = \"over\" }"
  end
  if reclaim.up_to ~= nil and reclaim.up_to ~= "over" then
    return "reclaim takes what is over; its up_to is \"over\" or left out", reclaim.at
  end
  return fill_fault(reclaim, "reclaim", known_at("reclaim", attributes))
end

local function rules(place, spec, made)
  local fault, where
  made.quota, fault, where = quota_rule(place, spec.quota, known_at("quota", made.attributes))
  if fault then return fault, where end
  made.round, made.reclaim = spec.round or "rank", spec.reclaim
  if not names.has(ROUNDINGS, made.round) then
    return names.unknown("rounding", made.round, ROUNDINGS)
  end
  if spec.distribute ~= nil then
    made.distribute, fault = order.keys(place, spec.distribute)
    if fault then return fault end
    fault, where = keys_fault(made.distribute, "distribute",
      known_at("distribute", made.attributes))
    if fault then return fault, where end
    for _, key in ipairs(made.distribute) do
      if made.round == "ceil_in_order" and key.key == "quota" then
        return "round = \"ceil_in_order\" goes by distribute, which then cannot go by quota", key.at
      end
    end
  end
  return reclaim_fault(spec.reclaim, made.attributes)
end

local function make(place, spec)
  if type(spec) ~= "table" then
    return nil, ("policy needs a table, not a %s"):format(type(spec))
  end
  local fault = names.stranger(spec, KEYS, "key of policy")
  if fault then return nil, fault end
  if type(spec.name) ~= "string" or spec.name == "" then return nil, "a policy needs a name" end
  if spec.doc ~= nil and type(spec.doc) ~= "string" then return nil, "doc is a string" end
  if spec.scale ~= nil and type(spec.scale) ~= "boolean" then
    return nil, ("scale is true or false, not a %s"):format(type(spec.scale))
  end
  local made = { kind = "policy", name = spec.name, doc = spec.doc, at = place }
  made.scale = spec.scale ~= false
  for _, word in ipairs { "attribute", "option" } do
    made[word .. "s"], fault = declare.list(word, spec[word .. "s"])
    if fault then return nil, fault end
  end
  local where
  fault, where = rules(place, spec, made)
  if fault then return nil, fault, where end
  return made
end

return placed(make)
