-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `order { "rank", desc "over" }`: rows by keys, one after another; ties stay in plan order.
--
-- A key is a column's name, a function of columns, or one of these under `desc` (largest first)
-- or `asc` (smallest first, as without).

local placed = require "allot.language.placed"

local order = {}

local LONGEST = 8

local function is_key(value)
  return type(value) == "string" or type(value) == "function"
end

local function direction(word, descending)
  return placed(function (place, key)
    if is_key(key) then
      return { kind = "key", key = key, descending = descending, at = place }
    end
    return nil, ("%s needs a column's name or a function, not a %s"):format(word, type(key))
  end)
end

order.desc = direction("desc", true)
order.asc = direction("asc", false)

--- A list of keys as the core reads it, or nil and a fault.
function order.keys(place, list)
  if type(list) ~= "table" then
    return nil, ("order needs a list of keys, not a %s"):format(type(list))
  end
  if list.kind == "order" then return list end
  local keys = { kind = "order", at = place }
  for i, value in ipairs(list) do
    if is_key(value) then value = { kind = "key", key = value, descending = false, at = place } end
    if type(value) ~= "table" or value.kind ~= "key" then
      return nil, ("key %d of an order is a %s; a key is a column's name, a function, "
        .. "or one of these under desc"):format(i, type(value))
    end
    keys[i] = value
  end
  for key in pairs(list) do
    if math.type(key) ~= "integer" or key < 1 or key > #keys then
      return nil, ("an order is a list of keys; it has no '%s'"):format(tostring(key))
    end
  end
  if #keys > LONGEST then
    return nil, ("an order has at most %d keys"):format(LONGEST)
  end
  return keys
end

order.order = placed(order.keys)

return order
