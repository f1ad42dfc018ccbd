-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The columns that a rule can read, and from which stage of the cycle on they are known.

local columns = {}

--- In the order of the core.
columns.names = {
  "owned", "reserve", "limit", "rank", "share", "grace", "exclusive", "rebalance",
  "configured", "demand", "need", "allocated", "in_flight", "quota", "received", "over",
}

--- How many of them each stage knows.
columns.known = { quota = 13, distribute = 14, reclaim = 16 }

--- The place of a column in the list, or nil.
function columns.index(name)
  for i, known in ipairs(columns.names) do
    if known == name then return i end
  end
end

return columns
