-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Writes down what specs were told, where ALLOT_DIAGNOSTICS names a folder for it; diagnostics.lua
--- reads it.

local folder = os.getenv "ALLOT_DIAGNOSTICS"
local file
local seen = {} -- seeded cases say the same over and over

return function (text)
  if not folder or seen[text] then return end
  seen[text] = true
  if not file then
    local pipe = assert(io.popen(("mktemp %s/XXXXXXXX"):format(folder)))
    file = assert(io.open(pipe:read "l", "wb"))
    pipe:close()
  end
  file:write(text, "\n")
  file:flush()
end
