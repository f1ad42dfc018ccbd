-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Differences of two decisions: quotas, grants and reclaims of consumers, fates of jobs.

local show = require "allot.repl.show"

local diff = {}

local FIELDS = { "demand", "quota", "granted", "reclaimed" }

--- Consumers of all groups by name, and the names in order; of several groups with the group.
local function rows_of(decision)
  local rows, order = {}, {}
  local several = 0
  for _ in pairs(decision.groups) do several = several + 1 end
  for group, it in pairs(decision.groups) do
    for _, row in ipairs(it.consumers) do
      local name = row.path .. (several > 1 and " (" .. group .. ")" or "")
      rows[name], order[#order + 1] = row, name
    end
  end
  return rows, order
end

local KINDS = { starts = "starts", resumes = "resumes", suspends = "is suspended",
  kills = "is killed", resizes = "is resized" }

local function fates_of(decision)
  local fates, order = {}, {}
  for kind, words in pairs(KINDS) do
    for _, it in ipairs(decision[kind] or {}) do
      local id = it.job or it.task
      if id and not it.held then fates[id], order[#order + 1] = words, id end
    end
  end
  table.sort(order)
  return fates, order
end

local function change(before, after)
  before, after = before or 0, after or 0
  if before == after then return tostring(after) end
  return ("%d -> %d"):format(before, after)
end

local function differs(a, b)
  for _, field in ipairs(FIELDS) do
    if (a[field] or 0) ~= (b[field] or 0) then return true end
  end
  return false
end

local function both(before, after)
  local seen, list = {}, {}
  for _, order in ipairs { after, before } do
    for _, name in ipairs(order) do
      if not seen[name] then list[#list + 1], seen[name] = name, true end
    end
  end
  return list
end

local function consumer_rows(before, after)
  local old, old_order = rows_of(before)
  local new, new_order = rows_of(after)
  local rows = {}
  for _, name in ipairs(both(old_order, new_order)) do
    local a, b = old[name] or {}, new[name] or {}
    if differs(a, b) or not old[name] or not new[name] then
      local row = { name .. (not new[name] and " (gone)" or not old[name] and " (new)" or "") }
      for _, field in ipairs(FIELDS) do row[#row + 1] = change(a[field], b[field]) end
      rows[#rows + 1] = row
    end
  end
  return rows
end

local function job_lines(before, after)
  local old, old_order = fates_of(before)
  local new, new_order = fates_of(after)
  local lines = {}
  for _, id in ipairs(both(old_order, new_order)) do
    if old[id] ~= new[id] then
      lines[#lines + 1] = ("job %s: %s -> %s"):format(id, old[id] or "stays", new[id] or "stays")
    end
  end
  return lines
end

--- Lines of text; empty if nothing differs.
function diff.lines(before, after)
  local lines = {}
  local rows = consumer_rows(before, after)
  if #rows > 0 then
    local head = { "consumer" }
    for _, field in ipairs(FIELDS) do head[#head + 1] = field end
    lines[1] = show.aligned(head, rows)
  end
  for _, line in ipairs(job_lines(before, after)) do lines[#lines + 1] = line end
  return lines
end

return diff
