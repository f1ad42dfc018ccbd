-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Words for a fill's `up_to` besides amounts.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

return {
  --- The planned share: the whole slots of a row's part, by `by`, among all its siblings, of their
  -- parent's planned slots, whatever demand and quotas are.
  part = { kind = "part" },
  --- The needed part of what a row holds (a parent: what its children count for), or of its
  -- planned share if that is more.
  held = { kind = "held" },
  --- A column in percent of the slots that a row and its siblings divide, rounded down; of the
  -- slots that slices of a pool are cut from, rounded up.
  percent = placed(function (place, column)
    if names.valid(column) then return { kind = "percent", column = column, at = place } end
    return nil, ("percent takes the name of a column, not %s"):format(
      type(column) == "string" and "'" .. column .. "'" or "a " .. type(column))
  end),
}
