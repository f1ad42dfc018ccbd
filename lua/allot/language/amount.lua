-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Amounts in rules: a column's name, a whole number, or a function of columns.

local amount = {}

local MOST = 1000000000

--- The fault of an amount, or nil.
function amount.fault(what, value)
  local kind = math.type(value) or type(value)
  if kind == "string" or kind == "function" then return nil end
  if kind == "integer" then
    if value >= 0 and value <= MOST then return nil end
    return ("%s = %d; a number here is 0 to %d"):format(what, value, MOST)
  end
  if kind == "float" then return ("%s = %s, a float; whole numbers only"):format(what, value) end
  return ("%s is a %s; it is a column's name, a whole number or a function"):format(what, kind)
end

--- Adds the faults of a table's stated `keys` to `faults` (placed.lua).
function amount.faults(spec, keys, faults)
  for _, key in ipairs(keys) do
    local fault = spec[key] ~= nil and amount.fault(key, spec[key])
    if fault then faults[#faults + 1] = { fault } end
  end
end

return amount
