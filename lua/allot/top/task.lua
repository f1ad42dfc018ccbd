-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A task of a consumer in a line, as the live page has it, too.

local core = require "allot.core"
local line = require "allot.text.line"

local task = {}

--- "4 slots", "4 cpu + 1 gpu".
local function slots_of(it)
  if type(it.slots) ~= "table" then return line.count(it.slots or 1, "slot") end
  local parts = {}
  for group, slots in pairs(it.slots) do parts[#parts + 1] = slots .. " " .. group end
  table.sort(parts)
  return table.concat(parts, " + ")
end

--- "7: 4 slots, running since 2026-11-28T08:21:27Z, goes by reclaim 3".
function task.line(it)
  local waits = it.state == "pending"
  local since = it[waits and "submitted" or "started"]
  return ("%s: %s, %s%s%s"):format(it.id, slots_of(it), waits and "pending" or "running",
    since and " since " .. core.time(since) or "",
    it.reclaim and ", goes by reclaim " .. it.reclaim or "")
end

return task
