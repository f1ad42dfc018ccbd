-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The columns that a rule can read, and the stage of the cycle from which they are known.

local names = require "allot.language.names"

local columns = {}

--- In the order of the core.
columns.names = {
  "owned", "reserve", "limit", "rank", "share", "grace", "exclusive", "rebalance",
  "configured", "group_slots", "demand", "need", "allocated", "usage", "used_over_share",
  "in_flight", "parent_slots", "quota", "received", "over",
}

--- Of tasks and sessions; every stage that reads them knows all.
columns.tasks = {
  "slots", "started", "submitted", "ran", "preempted", "preemption_rank", "priority", "created",
  "session_over", "importance", "host", "load", "lot", "joined", "least_ran", "queue",
  "queue_priority", "preference", "queue_order", "uninterrupted", "remaining", "suspended_for",
  "preemptions_left", "preempt_time_left", "interval_over", "run_time_left", "finish_time_left",
  "user", "group", "waited", "usage",
}
--- Those that tasks that wait have, too: what `inside` compares.
columns.waiting = {
  "slots", "started", "submitted", "ran", "preempted", "preemption_rank", "priority", "created",
  "least_ran", "uninterrupted", "waited",
}
--- Those that only jobs have: of a task 0, or 1000000000 if the column counts down.
columns.jobs = {
  "queue", "queue_priority", "preference", "queue_order", "remaining", "suspended_for",
  "preemptions_left", "preempt_time_left", "interval_over", "run_time_left", "finish_time_left",
  "user", "group", "usage",
}
columns.sessions = {
  "priority", "preemption_rank", "created", "minimum", "demand", "allocated", "place",
}

--- Of queues, when the slices of their pool are cut.
columns.queues = {
  "slot_share", "priority", "used", "usage", "used_over_share", "pending", "place",
}

--- The place of a column in a list (default: of consumers'), or nil.
function columns.index(name, list)
  for i, known in ipairs(list or columns.names) do
    if known == name then return i end
  end
end

--- How many columns of consumers each stage knows.
columns.known = {
  reserve = columns.index "group_slots",
  quota = columns.index "in_flight", distribute = columns.index "quota",
  reclaim = columns.index "over",
}

--- The rows that have a column of this name: "consumers", "tasks", "sessions", "queues" or nil.
local function rows_of(name)
  if columns.index(name) then return "consumers" end
  for _, rows in ipairs { "tasks", "sessions", "queues" } do
    if columns.index(name, columns[rows]) then return rows end
  end
end

--- The fault of a column that a rule names; `known` are the allowed ones. The rule is about
--- `rows`: "tasks", "sessions" or "queues", or about consumers in a stage: "quota".
function columns.fault(value, rows, known)
  if value == "parent_slots" then
    return "parent_slots is the same for all siblings: a function reads it, or percent \"NAME\""
  end
  if type(value) ~= "string" or names.has(known, value) then return nil end
  local other = rows_of(value)
  if columns.known[rows] then
    return other == "consumers" and ("column '%s' is not known yet in %s"):format(value, rows)
      or names.unknown("column", value, known)
  elseif other and other ~= rows then
    return ("'%s' is a column of %s; this rule is about %s"):format(value, other, rows)
  end
  return names.unknown("column of " .. rows, value, known)
end

--- The same of a column that `inside` compares; `known` are those of all tasks.
function columns.waiting_fault(value, known)
  if names.has(columns.tasks, value) and not names.has(columns.waiting, value) then
    return ("inside cannot compare '%s', which a task has only while it runs; tasks that wait have "
      .. "%s, and attributes"):format(value, table.concat(columns.waiting, ", "))
  end
  return columns.fault(value, "tasks", known)
end

--- The first fault of an order's keys, and its place.
function columns.keys_fault(keys, rows, known)
  for _, key in ipairs(keys or {}) do
    local fault = columns.fault(key.key, rows, known)
    if fault then return fault, key.at end
  end
end

return columns
