-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A session's plan and state as plain tables, and as documents again.
--
-- The tables are `plan`, `consumers` (by path), `queues` (by name), `state` and `jobs` (by id). A
-- document's order, which breaks ties, is stored beside them: new rows come last, by name.
-- Faults are placed by paths, names and ids, since no user wrote the document they were found in.

local core = require "allot.core"
local native = require "allot.repl.native"

local model = {}

--- Raises an error for the user: `status` is a name of ALLOT_STATUS_MAP.
function model.fail(status, findings)
  error({ message = findings[1].message, status = status, findings = findings })
end

function model.refuse(message, hint)
  model.fail("EINVALID",
    { { severity = "error", code = "E-desk", message = message, hint = hint } })
end

-- ---- From documents -----------------------------------------------------------------------------

-- A shallow copy without the named keys.
local function rest_of(flat, ...)
  local out = {}
  for key, value in native.next, flat do out[key] = value end
  for _, key in ipairs { ... } do out[key] = nil end
  return out
end

local function count(flat)
  local n = 0
  for _ in native.next, flat do n = n + 1 end
  return n
end

--- The tree of a plan as rows by path, and the paths in the plan's order.
local function flatten(list)
  local flat, order, stack = {}, {}, {}
  for i = #list, 1, -1 do stack[#stack + 1] = { "", list[i] } end
  while #stack > 0 do
    local parent, row = stack[#stack][1], stack[#stack][2]
    stack[#stack] = nil
    local path = parent .. "/" .. row.name
    flat[path], order[#order + 1] = rest_of(row, "name", "children"), path
    for i = row.children and #row.children or 0, 1, -1 do
      stack[#stack + 1] = { path, row.children[i] }
    end
  end
  return flat, order
end

local function by_key(list, key)
  local flat, order = {}, {}
  for i, row in ipairs(list) do
    flat[row[key]], order[i] = rest_of(row, key), row[key]
  end
  return flat, order
end

--- The tables of documents' values, and the order of their rows; a nil state makes a new one.
function model.spread(plan, state)
  state = state or { now = 0 }
  local tables, order = {}, {}
  tables.plan = rest_of(plan, "consumers", "queues")
  tables.consumers, order.consumers = flatten(plan.consumers or {})
  tables.queues, order.queues = by_key(plan.queues or {}, "name")
  tables.state = rest_of(state, "jobs")
  tables.jobs, order.jobs = by_key(state.jobs or {}, "id")
  if tables.state.consumers == nil then tables.state.consumers = {} end
  return tables, order
end

--- Replaces a table's content by that of `new`.
local function fill_in(old, new)
  local gone = {}
  for key in pairs(old) do
    if new[key] == nil then gone[#gone + 1] = key end
  end
  for _, key in ipairs(gone) do old[key] = nil end
  for key, value in pairs(new) do old[key] = value end
end

--- Remaining rows stay the same tables, since pieces may hold them.
local function fill_rows(old, new)
  local rows = rest_of(new)
  for key, row in pairs(new) do
    if old[key] then
      fill_in(old[key], row)
      rows[key] = old[key]
    end
  end
  fill_in(old, rows)
end

--- Replaces the state's value.
function model.settle(tables, state)
  local made = rest_of(state, "jobs")
  fill_rows(tables.jobs, (by_key(state.jobs or {}, "id")))
  local rows = tables.state.consumers or {}
  fill_rows(rows, made.consumers or {})
  made.consumers = rows
  fill_in(tables.state, made)
end

-- ---- To documents -------------------------------------------------------------------------------

local function check_table(value, name)
  if type(value) ~= "table" then
    model.refuse(("%s is a %s, and was a table"):format(name, type(value)),
      ("assign to what is in it: %s.x = ..., or undo () what you did"):format(name))
  end
end

local function check_row(row, key, name)
  if type(key) ~= "string" then
    model.refuse(("%s has the key %s; its keys are texts"):format(name, tostring(key)))
  end
  if type(row) ~= "table" then
    model.refuse(("%s[%q] is a %s; a table of attributes is wanted"):format(name, key, type(row)),
      ("like %s[%q] = { }"):format(name, key))
  end
end

--- The keys of `flat` in the document's order, new ones behind, by name; rows must be tables.
function model.arrange(flat, order, name)
  local list, seen = {}, {}
  check_table(flat, name)
  for _, key in ipairs(order) do
    local row = flat[key]
    if row ~= nil and not seen[key] then
      check_row(row, key, name)
      list[#list + 1], seen[key] = key, true
    end
  end
  if count(flat) == #list then return list end
  for key, row in pairs(flat) do
    if not seen[key] then
      check_row(row, key, name)
      list[#list + 1] = key
    end
  end
  return list
end

local function name_in(path)
  for i = #path, 1, -1 do
    if path:sub(i, i) == "/" then return path:sub(1, i - 1), path:sub(i + 1) end
  end
end

local function grow(flat, order)
  local top, nodes = core.list(), {}
  for _, path in ipairs(model.arrange(flat, order, "consumers")) do
    local parent, name = name_in(path)
    local above = parent == "" and top or nodes[parent]
    if not parent or name == "" then
      model.refuse(("consumers[%q]: a path begins with / and ends with a name"):format(path),
        ("like consumers[%q]"):format("/" .. path))
    elseif not above then
      model.refuse(("consumers[%q]: there is no %s"):format(path, parent),
        ("make it first: consumers[%q] = {}"):format(parent))
    end
    local node = rest_of(flat[path])
    node.name = name
    if parent ~= "" then
      above.children = above.children or core.list()
      above = above.children
    end
    above[#above + 1], nodes[path] = node, node
  end
  return top
end

local function listed(flat, order, key, name)
  local list = core.list()
  for i, each in ipairs(model.arrange(flat, order, name)) do
    list[i] = rest_of(flat[each])
    list[i][key] = each
  end
  return list
end

local function is_empty(value)
  return type(value) == "table" and count(value) == 0
end

local function check_apart(tables, name, key)
  if tables[name][key] ~= nil then
    model.refuse(("%s.%s: %s lie beside the %s"):format(name, key, key, name),
      ("say %s = ... instead"):format(key))
  end
end

--- The tables' values as documents: plan, state.
function model.join(tables, order)
  check_table(tables.plan, "plan")
  check_table(tables.state, "state")
  check_apart(tables, "plan", "consumers")
  check_apart(tables, "plan", "queues")
  check_apart(tables, "state", "jobs")
  local plan, state = rest_of(tables.plan), rest_of(tables.state)
  local consumers = grow(tables.consumers, order.consumers)
  local queues = listed(tables.queues, order.queues, "name", "queues")
  local jobs = listed(tables.jobs, order.jobs, "id", "jobs")
  if #queues > 0 then plan.queues = queues end
  if #consumers > 0 or #queues == 0 and plan.leases == nil then plan.consumers = consumers end
  if #jobs > 0 then state.jobs = jobs end
  if is_empty(state.consumers) then state.consumers = nil end
  return plan, state
end

-- ---- Faults in the session's words --------------------------------------------------------------

--- "[12]rest": 12 and "rest"; or nil.
local function cut_index(text)
  local close = text:starts "[" and text:find "]"
  if close then return tonumber(text:sub(2, close - 1)), text:sub(close + 1) end
end

--- consumers[0].children[1].ownd as consumers["/a/b"].ownd. Indices count from `base`.
local function consumer_place(plan, rest, base)
  local list, path = plan.consumers or {}, ""
  while true do
    local index, behind = cut_index(rest)
    local node = index and list[index + 1 - base]
    if not node then return path, rest end
    path, rest, list = path .. "/" .. tostring(node.name), behind, node.children or {}
    if not rest:starts ".children[" then return path, rest end
    rest = rest:sub(#".children" + 1)
  end
end

local function listed_place(list, rest, key, base)
  local index, behind = cut_index(rest)
  local row = index and (list or {})[index + 1 - base]
  return row and row[key], behind
end

--- A path in a document as the session has it: consumers["/a"].owned, plan.slots, jobs["17"].state.
function model.place(kind, path, plan, state, base)
  local name, rest
  if path:starts "/" then
    local colon = path:find ": "
    local who = colon and path:sub(1, colon - 1) or path
    return ("%sconsumers[%q]%s"):format(kind == "plan" and "" or "state.", who,
      colon and "." .. path:sub(colon + 2) or "")
  elseif kind == "plan" and path:starts "consumers[" then
    name, rest = consumer_place(plan, path:sub(#"consumers" + 1), base)
    if name ~= "" then return ("consumers[%q]%s"):format(name, rest) end
  elseif kind == "plan" and path:starts "queues[" then
    name, rest = listed_place(plan.queues, path:sub(#"queues" + 1), "name", base)
    if name then return ("queues[%q]%s"):format(name, rest) end
  elseif kind == "state" and path:starts "jobs[" then
    name, rest = listed_place(state.jobs, path:sub(#"jobs" + 1), "id", base)
    if name then return ("jobs[%q]%s"):format(name, rest) end
  end
  if path == "" then return kind end
  return kind .. (path:starts "[" and "" or ".") .. path
end

local HINTS = {
  demand = 'what is demanded stands in the state: demand ("%s", 40)',
  allocated = 'what is held stands in the state: holds ("%s", 40)',
  usage = 'what was used stands in the state: used ("%s", 900)',
}

--- Rewrites findings of a document, and leaves those of other files unchanged.
local function retold(kind, findings, file, plan, state)
  local out = {}
  for i, it in ipairs(findings) do
    if it.file == file then
      local place = model.place(kind, it.path or "", plan, state, 0)
      local hint = it.hint
      for key, text in pairs(HINTS) do
        local who = kind == "plan" and place:starts 'consumers["' and place:ends("." .. key)
        if who then hint = text:format(place:sub(#'consumers["' + 1, -#key - 4)) end
      end
      it = { severity = it.severity, code = it.code, message = place .. ": " .. it.message,
        hint = hint }
    end
    out[i] = it
  end
  return out
end

--- The text of a document; rejects values that JSON does not have.
local function encode(kind, value, plan, state)
  local text, message = core.encode(value)
  if text then return text end
  local colon = message:find ": "
  local place = colon and model.place(kind, message:sub(1, colon - 1), plan, state, 1) or kind
  model.refuse(place .. ": " .. (colon and message:sub(colon + 2) or message))
end

--- Both documents as texts, and their values.
function model.texts(tables, order)
  local plan, state = model.join(tables, order)
  return { plan = encode("plan", plan, plan, state), state = encode("state", state, plan, state),
    plan_value = plan, state_value = state }
end

local function status_of(findings)
  for _, it in ipairs(findings) do
    if it.code == "E-io" then return "EIO" end
    if it.code == "E-policy-budget" or it.code == "E-policy-memory" then return "EBUDGET" end
  end
  return "EINVALID"
end

--- Makes the engine read both; raises faults. `options` is core.plan's.
function model.seal(texts, options)
  local plan, _, findings = core.plan(texts.plan, options)
  if not plan then
    model.fail(status_of(findings),
      retold("plan", findings, options.file, texts.plan_value, texts.state_value))
  end
  local state
  state, _, findings = core.state(plan, texts.state, { file = "state" })
  if not state then
    model.fail("EINVALID",
      retold("state", findings, "state", texts.plan_value, texts.state_value))
  end
  return plan, state
end

--- Decides; raises faults.
function model.decide(plan, state)
  local decision, message, findings = core.cycle(plan, state)
  if decision then return decision end
  if #findings == 0 then
    findings = { { severity = "error", code = "ESCRIPT", message = message } }
  end
  local status = status_of(findings)
  model.fail(status == "EINVALID" and "ESCRIPT" or status, findings)
end

return model
