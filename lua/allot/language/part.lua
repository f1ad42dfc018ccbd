-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Words for a fill's `up_to` besides amounts.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local PERCENTS = { "slot_share" }

return {
  --- The planned share: the whole slots of a row's part, by `by`, among all its siblings, of their
  -- parent's planned slots, whatever demand and quotas are.
  part = { kind = "part" },
  --- The needed part of what a row holds (a parent: what its children count for), or of its
  -- planned share if that is more.
  held = { kind = "held" },
  --- For slices of a pool: a percentage of the slots that they are cut from, rounded up.
  percent = placed(function (place, column)
    if names.has(PERCENTS, column) then return { kind = "percent", column = column, at = place } end
    return nil, names.unknown("percentage", column, PERCENTS)
  end),
}
