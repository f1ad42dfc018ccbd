-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Checks a policy's keys about tasks, sessions and hosts: `victims`, `guards`, `sessions`,
--- `requirements` and `task_attributes`.

local names = require "allot.language.names"
local columns = require "allot.language.columns"
local order = require "allot.language.order"
local declare = require "allot.language.declare"
local rule = require "allot.language.rule"
local relation = require "allot.language.relation"

local tasks = {}

local SCHEDULINGS = { "proportional", "minimum", "priority" }
local MOST = { guards = 16, fills = 16, requirements = 32 }

local column_fault, keys_fault = columns.fault, columns.keys_fault

--- Columns of tasks: built in, declared, and the tags that guards name.
function tasks.known(attributes, guards)
  local known = { table.unpack(columns.tasks) }
  for _, attribute in ipairs(attributes) do known[#known + 1] = attribute.name end
  for _, guard in ipairs(type(guards) == "table" and guards or {}) do
    if type(guard) == "table" and guard.tag then known[#known + 1] = guard.tag end
  end
  return known
end

local function victims_fault(keys, known)
  if type(keys) ~= "table" or keys.kind ~= "order" then
    return ("victims is an order of tasks: order { \"importance\", desc \"started\" }, not a %s")
      :format(type(keys))
  end
  return keys_fault(keys, "tasks", known)
end

local function guards_fault(guards, known)
  if type(guards) ~= "table" or guards.kind then
    return "guards is a list: { min_run_time(60), guard \"label\" { ... } }"
  end
  local labels = {}
  for i, guard in ipairs(guards) do
    if type(guard) ~= "table" or guard.kind ~= "guard" then
      return ("guards[%d] is no guard: write guard \"label\" { value = , min = }"):format(i)
    end
    local fault = column_fault(guard.value, "tasks", known)
    if guard.tag and columns.index(guard.tag, columns.tasks) then
      fault = ("the tag '%s' has the name of a column of tasks"):format(guard.tag)
    end
    if labels[guard.label] then fault = ("two guards are called '%s'"):format(guard.label) end
    if fault then return fault, guard.at end
    labels[guard.label] = true
  end
  if #guards > MOST.guards then return ("at most %d guards are allowed"):format(MOST.guards) end
end

local function session_fault(fill)
  local known = columns.sessions
  for _, key in ipairs { "by", "up_to" } do
    local fault = column_fault(fill[key], "sessions", known)
    if fill[key] == "created" then fault = key .. " = \"created\", a time; it is no amount" end
    if type(fill[key]) == "table" then fault = "sessions take neither part, held nor percent" end
    if fault then return fault, fill.at end
  end
  if fill.level then return "level is of fills in quota; those of sessions have none", fill.at end
  return keys_fault(fill.order, "sessions", known)
end

local function sessions_fault(sessions)
  if sessions == nil then return nil end
  if type(sessions) ~= "table" then
    return ("sessions is a %s, not a table { proportional = { fill ... }, ... }")
      :format(type(sessions))
  end
  local fault = names.stranger(sessions, SCHEDULINGS, "scheduling")
  if fault then return fault end
  for _, name in ipairs(SCHEDULINGS) do
    local list = sessions[name]
    if list ~= nil and (type(list) ~= "table" or list.kind or #list < 1 or #list > MOST.fills) then
      return ("sessions.%s is a list of 1 to %d fills"):format(name, MOST.fills)
    end
    for i, fill in ipairs(list or {}) do
      if type(fill) ~= "table" or fill.kind ~= "fill" then
        return ("sessions.%s[%d] is no fill: write fill { by = ... }"):format(name, i)
      end
      local where
      fault, where = session_fault(fill)
      if fault then return fault, where end
    end
  end
end

--- As a list by name; or nil and what is wrong.
local function requirements_of(requirements)
  if requirements == nil then return {} end
  if type(requirements) ~= "table" then
    return nil, ("requirements is a %s, not a table of functions by name")
      :format(type(requirements))
  end
  local list = {}
  for name, test in pairs(requirements) do
    if not names.valid(name, "-") then
      return nil, ("'%s' is no name of a requirement (letters, digits, '_', '-')")
        :format(tostring(name))
    elseif type(test) ~= "function" then
      return nil, ("requirement '%s' is a function of hosts' attributes, not a %s")
        :format(name, type(test))
    end
    list[#list + 1] = { kind = "requirement", name = name, test = test }
  end
  if #list > MOST.requirements then
    return nil, ("at most %d requirements are allowed"):format(MOST.requirements)
  end
  table.sort(list, function (a, b) return a.name < b.name end)
  return list
end

-- A plain list of keys means an order of them.
local function as_order(place, victims)
  if type(victims) == "table" and not victims.kind then return order.keys(place, victims) end
  return victims
end

--- Puts the rules of `spec` into `made`. note(key, fault, where) records a fault.
function tasks.rules(place, spec, made, note)
  made.task_attributes = declare.list("task attribute", spec.task_attributes,
    function (fault, ...) note("task_attributes", fault, { "task_attributes", ... }) end)
  local known = tasks.known(made.task_attributes, spec.guards)
  local fault, where
  if spec.victims ~= nil then
    local victims
    victims, fault = as_order(place, spec.victims)
    if not fault then
      made.victims, fault, where = rule.sound(place, "victims", victims, function (keys)
        return victims_fault(keys, known)
      end)
    end
    note("victims", fault, where)
  end
  if spec.guards ~= nil then
    made.guards, fault, where = rule.sound(place, "guards", spec.guards, function (guards)
      return guards_fault(guards, known)
    end)
    note("guards", fault, where)
  end
  if spec.inside ~= nil then
    made.inside, fault, where = relation.of_rows(place, "inside", spec.inside, function (field)
      return columns.waiting_fault(field, known)
    end)
    note("inside", fault, where)
  end
  made.sessions = spec.sessions
  note("sessions", sessions_fault(spec.sessions))
  made.requirements, fault = requirements_of(spec.requirements)
  note("requirements", fault)
end

return tasks
