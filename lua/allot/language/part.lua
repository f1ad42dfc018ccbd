-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a fill may go up to besides amounts.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local PERCENTS = { "slot_share" }

return {
  --- The planned share: the whole slots of a row's part, by `by`, among all its siblings, of what
  -- is planned for their parent; whatever demand and quotas are.
  part = { kind = "part" },
  --- What a row needs of what it holds (a parent: of what its children count for), or of its
  -- planned share if that is more.
  held = { kind = "held" },
  --- Of slices of a pool: so many percent of what they are cut from, rounded up.
  percent = placed(function (place, column)
    if names.has(PERCENTS, column) then return { kind = "percent", column = column, at = place } end
    return nil, names.unknown("percentage", column, PERCENTS)
  end),
}
