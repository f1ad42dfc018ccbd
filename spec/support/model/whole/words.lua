-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Holds what is said of tasks (C-13) to the decision that it is said about: who starts, goes and
--- waits, and every number.

local words = {}

local function by_path(document)
  local out = {}
  for name, group in pairs(document.groups) do
    out[name] = {}
    for _, row in ipairs(group.consumers) do out[name][row.path] = row end
  end
  return out
end

local function named(list)
  local out = {}
  for _, entry in ipairs(list) do
    for _, id in ipairs(entry.tasks or {}) do out[id] = true end
  end
  return out
end

local function slots_of(task)
  return type(task.slots) == "table" and task.slots or { default = task.slots or 1 }
end

local function differs(line, what, expected, found)
  if expected ~= found then
    error(("%s: expected %s, found %s in: %s"):format(what, tostring(expected), tostring(found),
      line), 0)
  end
end

--- The group and path that a sentence begins with.
local function subject(line)
  local group, path = line:match "^In (%S+) (/%S+) "
  if group then return group, path end
  return "default", line:match "^(/%S+) "
end

--- Slots of the tasks named in "tasks before it 6 (t2, t3)".
local function sum_of(it, list, group)
  local sum = 0
  for id in list:gmatch "[%w-]+" do sum = sum + (slots_of(it.tasks[id])[group] or 0) end
  return sum
end

--- "/a has a quota of 8 slots: running tasks use 8, tasks before it 2 (t), and 0 are left for the
--- 8 that it needs."
local function quota_line(it, task, line)
  local group, path = subject(line)
  local quota, runs, left, needs, who = line:match(
    "has a quota of (%d+) slots?: running tasks use (%d+).-, and (%d+) %a+ left for the (%d+) that "
    .. "(%S+) needs%.$")
  if not quota then return end
  differs(line, "quota", it.rows[group][path].quota, tonumber(quota))
  local of = who == "it" and task or it.tasks[who]
  differs(line, "slots", slots_of(of)[group], tonumber(needs))
  local before, list = line:match ", tasks before it (%d+) (%b())"
  if before and not list:find " more" then
    differs(line, "before", sum_of(it, list, group), tonumber(before))
  end
  differs(line, "sum", tonumber(quota), runs + (before or 0) + left)
  return tonumber(needs)
end

--- Slots of a group that no leaf's quota has.
local function left_over(it, group)
  local left = it.document.groups[group].slots
  for path, row in pairs(it.rows[group]) do
    if it.leaf[path] then left = left - row.quota end
  end
  return left
end

local function missing_line(it, line)
  local missing, group, left = line:match "^(%d+) %a+ missing, of which (.+) has (%d+) left over%.$"
  if not missing then return end
  group = group == "the group" and "default" or group
  if tonumber(left) >= tonumber(missing) then error("nothing is missing: " .. line, 0) end
  if tonumber(left) > left_over(it, group) then error("not so many are left: " .. line, 0) end
end

local function limit_line(it, task, line)
  local path, limit, lacks = line:match "^The limit of (/%S+) is (%d+): (%d+) too low%.$"
  if not path then return end
  for group in pairs(it.rows) do
    local row = it.rows[group][path]
    if it.limits[group][path] == tonumber(limit) and row.quota <= tonumber(limit)
      and tonumber(lacks) > 0 and tonumber(lacks) <= (slots_of(task)[group] or 1e9) then
      return
    end
  end
  if it.behind then return end
  error("no such limit: " .. line, 0)
end

local function demand_line(it, line)
  local path, demand = line:match "^(/%S+) demands (%d+) slots? in all, as the state says: %d+ too"
  if not path then return end
  for group in pairs(it.rows) do
    if it.rows[group][path].demand == tonumber(demand) then return end
  end
  error("no such demand: " .. line, 0)
end

local function held_line(needs, line)
  local held, more = line:match "^(%d+) %a+ held for it, and (%d+) %a+ to come%.$"
  if not held then return end
  differs(line, "held and to come", needs, held + more)
end

local CLAUSES = { "It starts now: ", "It waits: ", "It waits behind " }

local function of_pending(it, task, lines)
  local clause, needs
  for _, line in ipairs(lines) do
    for _, start in ipairs(CLAUSES) do
      if line:sub(1, #start) == start then clause = start end
    end
    needs = quota_line(it, task, line) or needs
    missing_line(it, line)
    it.behind = clause == CLAUSES[3]
    limit_line(it, task, line)
    demand_line(it, line)
    held_line(needs, line)
  end
  if not clause then error("neither starts nor waits: " .. table.concat(lines, "\n"), 0) end
  differs(lines[1], "starts", it.starts[task.id] or false, clause == CLAUSES[1])
end

local function of_running(it, task, lines)
  local goes = false
  for _, line in ipairs(lines) do goes = goes or line:find "^It is reclaimed" ~= nil end
  differs(lines[1], "goes", it.goes[task.id] or false, goes)
end

--- "Its quota is 10 = 6 owned + 4 whole."
local function sum_line(line)
  local quota, parts = line:match "^Its quota is (%d+) = (.+)%.$"
  if not quota then return line:match "^Its quota is (%d+)%.$" end
  local sum = 0
  for slots in parts:gmatch "(%d+) %a+" do sum = sum + slots end
  differs(line, "parts", tonumber(quota), sum)
  return quota
end

local function of_leaf(it, path, group, lines)
  local waits, row = 0, it.rows[group][path]
  for id, task in pairs(it.tasks) do
    local pending = task.consumer == path and task.state == "pending" and slots_of(task)[group]
    if pending and not it.starts[id] then waits = waits + 1 end
  end
  local said, used = 0, nil
  for _, line in ipairs(lines) do
    said = tonumber(line:match "^(%d+) of its tasks wait") or said
    differs(line, "quota", row.quota, tonumber(sum_line(line) or row.quota))
    used = tonumber(line:match "^Its tasks start whole and can use (%d+) of") or used
    for id in (line:match "^These tasks start: (.*) %(C%-13%)" or ""):gmatch "t%d+" do
      differs(line, id, true, it.starts[id])
    end
  end
  differs(lines[1], "tasks that wait", waits, said)
  if used and used >= row.demand then error("it uses all: " .. lines[1], 0) end
end

--- Leaves by path, and limits by group and path.
local function read_plan(plan, it)
  local function visit(list, above)
    for _, node in ipairs(list) do
      local path = above .. "/" .. node.name
      it.leaf[path] = not node.children
      for group, limits in pairs(it.limits) do
        local own = plan.groups and (plan.groups[group].consumers or {})[path] or {}
        limits[path] = own.limit or node.limit
      end
      visit(node.children or {}, path)
    end
  end
  visit(plan.consumers, "")
end

--- Raises where an explanation of a task or a leaf does not agree with the decision.
function words.judge(plan, state, document, decision)
  local it = { document = document, rows = by_path(document), tasks = {}, leaf = {}, limits = {},
    starts = named(document.grants), goes = named(document.reclaims) }
  for group in pairs(document.groups) do it.limits[group] = {} end
  read_plan(plan, it)
  for _, task in ipairs(state.tasks or {}) do it.tasks[task.id] = task end
  for _, task in ipairs(state.tasks or {}) do
    local judge = task.state == "pending" and of_pending or of_running
    judge(it, task, assert(decision:explain(task.id)))
  end
  for path, leaf in pairs(it.leaf) do
    for group in pairs(leaf and it.rows or {}) do
      of_leaf(it, path, group, assert(decision:explain(path, group)))
    end
  end
end

return words
