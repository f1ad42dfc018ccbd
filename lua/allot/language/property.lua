-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `property "text" (function (case) ... end)`: a policy's promise, which `allot check` tries.
--
-- The function gets a case: `plan` and `state` as documents, `decision` as `allot run
-- --format json` prints it, `group`, `rows` (the decision's consumers of that group by path), and
-- `after`, the state that the decision leads to. It returns true, or false and a message:
--
--     properties = {
--       "work_conserving",
--       property "guests never hold more than ten" (function (case)
--         local guests = case.rows["/guests"]
--         if not guests or guests.quota <= 10 then return true end
--         return false, "/guests gets " .. guests.quota
--       end),
--     }
--
-- Properties given only by name are those of `allot check` itself (check/properties.lua).

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local property = {}

--- The properties that are known by name.
property.KNOWN = {
  "demand_monotone", "envy_free", "house_monotone", "owners_first", "reserve_kept", "steady",
  "work_conserving",
}
local MOST = 32

property.property = placed(function (_, text)
  if type(text) ~= "string" or text == "" or #text > 200 then
    return nil, "a property begins with a text of 1 to 200 bytes: "
      .. "property \"nobody starves\" (function (case) ... end)"
  end
  return placed(function (place, test)
    if type(test) ~= "function" then
      return nil, ("property \"%s\" is a function of a case, not a %s"):format(text, type(test))
    end
    return { kind = "property", text = text, test = test, at = place }
  end)
end)

--- The fault of a list of properties, and its place.
function property.fault(list, dispatches)
  if type(list) ~= "table" or list.kind then
    return "properties is a list: { \"work_conserving\", property \"text\" (function (case) "
      .. "... end) }"
  end
  local seen = {}
  for i, item in ipairs(list) do
    local own = type(item) == "table" and item.kind == "property"
    local name = own and item.text or item
    if not own and not names.has(property.KNOWN, item) then
      return names.unknown("property", item, property.KNOWN)
    elseif not own and dispatches then
      return ("'%s' is about consumers that divide slots; a policy of queues has only properties "
        .. "of its own: property \"text\" (function (case) ... end)"):format(item)
    elseif seen[name] then
      return ("property '%s' is there twice"):format(name), own and item.at or nil
    end
    seen[name] = i
  end
  if #list > MOST then return ("at most %d properties are allowed"):format(MOST) end
end

return property
