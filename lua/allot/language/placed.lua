-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Words of the policy language: functions whose errors name the line that uses them.
--
-- `check(place, ...)` gets the place of the call ("fair.lua:12: ") before its arguments. It returns
-- a value; or nil, a message and, when the fault lies elsewhere, that place, or the path of keys in
-- the table of `policy` ({ "attributes", "vip" }); or nil and a list of such { message, where }.
-- In the sandbox the host replaces this function by its own, which also knows the place of
-- `return policy { }`: plain Lua loses this place, since a tail call
-- leaves no trace.

return function (check)
  return function (...)
    local _, place = pcall(error, "", 3)
    local value, message, elsewhere = check(place, ...)
    if value ~= nil then return value end
    local faults = type(message) == "table" and message or { { message, elsewhere } }
    for i, it in ipairs(faults) do
      faults[i] = (type(it[2]) == "string" and it[2] or place) .. it[1]
    end
    error(table.concat(faults, "\n"), 0)
  end
end
