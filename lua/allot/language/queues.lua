-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Checks a policy's keys about queues and leases: `dispatch`, `backfill`, `preempts`, `fewest`,
--- `lift`, `job_types`, `slices` and `lease`.
--
-- A policy with one of these keys dispatches jobs and divides no slots among consumers. The core
-- has defaults for the others.

local names = require "allot.language.names"
local columns = require "allot.language.columns"
local order = require "allot.language.order"
local relation = require "allot.language.relation"
local rule = require "allot.language.rule"
local words = require "allot.language.words"

local queues = {}

queues.KEYS = {
  "dispatch", "across", "backfill", "preempts", "fewest", "lift", "job_types", "slices", "lease",
}
-- Keys about consumers.
local OTHERS = {
  "quota", "attributes", "scale", "distribute", "reclaim", "takes", "inside", "recall", "shared",
  "enforce", "sessions",
}
local BACKFILL = { "first_fit", "none", "easy", "conservative" }
local FEWEST = { "no", "mini_job", "optimal_mini_job" }
local LIFTS = { "group_jlp", "group_max", "host_jlu", "user_jlp" }
local JOB_TYPES = { "exclusive", "backfill" }
local NUMBERS = { "priority", "slot_share" }

--- Whether a policy has one of these keys.
function queues.dispatches(spec)
  for _, key in ipairs(queues.KEYS) do
    if spec[key] ~= nil then return true end
  end
  return false
end

local function keys_of(place, key, rows, known)
  return function (value)
    if type(value) == "table" and not value.kind then
      local fault
      value, fault = order.keys(place, value)
      if not value then return nil, fault end
    end
    if type(value) ~= "table" or value.kind ~= "order" then
      return nil, ("%s is an order of %s: order { desc \"priority\" }, not a %s")
        :format(key, rows, type(value))
    end
    local fault, where = columns.keys_fault(value, rows, known)
    if fault then return nil, fault, where end
    return value
  end
end

local function word_of(key, known)
  return function (value)
    if names.has(known, value) then return value end
    return nil, key .. ": " .. names.unknown("word", value, known)
  end
end

local function set_of(key, known)
  return function (value) return words.set(key, value, known) end
end

-- A pool's slices are one fill, or a list of one.
local function slices_of(value)
  local fill = value
  if type(value) == "table" and not value.kind and #value == 1 then fill = value[1] end
  if type(fill) ~= "table" or fill.kind ~= "fill" then
    return nil, "slices is a fill: fill \"slice\" { order = order { \"used_over_share\" }, "
      .. "up_to = percent \"slot_share\", again = true }"
  end
  if not (type(fill.up_to) == "table" and fill.up_to.kind == "percent") then
    return nil, "a slice goes up to percent \"slot_share\"", fill.at
  elseif fill.up_to.column ~= "slot_share" then
    return nil, names.unknown("percentage", fill.up_to.column, { "slot_share" }), fill.up_to.at
  elseif fill.by ~= 1 then
    return nil, "a slice is cut in an order, each as large as it is: it has no by", fill.at
  elseif not fill.again then
    return nil, "what slices leave over is cut again: again = true", fill.at
  elseif fill.level then
    return nil, "level is of fills in quota; slices have none", fill.at
  elseif not fill.order then
    return nil, "slices are cut in an order: order = order { \"used_over_share\" }", fill.at
  end
  local fault, where = columns.keys_fault(fill.order, "queues", columns.queues)
  if fault then return nil, fault, where end
  return fill
end

local function test_fault(test)
  if test.test == "higher" and not names.has(NUMBERS, test.field) then
    return names.unknown("number of a queue", test.field, NUMBERS)
  end
end

local function preempts_of(place, value)
  if value == false then return value end
  local made, fault, where = relation.of(place, value, test_fault)
  if made or fault then return made, fault, where end
  return nil, ("preempts is a relation, a function of two queues, or false: nobody; not a %s")
    :format(type(value))
end

local function stranger(spec, note)
  for _, key in ipairs(OTHERS) do
    if spec[key] ~= nil then
      note(key, ("'%s' divides slots among consumers; this policy dispatches jobs of queues")
        :format(key))
    end
  end
  if spec.round ~= nil and spec.round ~= "ceil_in_order" then
    note("round", "slices are rounded up, queue by queue: round = \"ceil_in_order\", or left out")
  end
end

--- Puts the rules of `spec` into `made`. `tasks` are the columns of tasks, the policy's own
-- included; note(key, fault, where) records a fault.
function queues.rules(place, spec, made, tasks, note)
  stranger(spec, note)
  local makers = {
    dispatch = keys_of(place, "dispatch", "tasks", tasks),
    backfill = word_of("backfill", BACKFILL),
    fewest = word_of("fewest", FEWEST),
    lift = set_of("lift", LIFTS),
    job_types = set_of("job_types", JOB_TYPES),
    slices = slices_of,
  }
  local fault, where
  for _, key in ipairs(queues.KEYS) do
    if spec[key] ~= nil and makers[key] then
      made[key], fault, where = rule.made(place, key, spec[key], makers[key])
      if made[key] == nil then note(key, fault, where) end
    end
  end
  if spec.preempts ~= nil then
    made.preempts, fault, where = preempts_of(place, spec.preempts)
    if made.preempts == nil then note("preempts", fault, where) end
  end
  made.across = spec.across
  if spec.across ~= nil and type(spec.across) ~= "boolean" then
    note("across", ("across is true or false, not a %s"):format(type(spec.across)))
  elseif spec.across and spec.preempts ~= false then
    note("across", "across = true sets jobs of all queues in one order, in which none preempts "
      .. "another: preempts = false")
  end
  if spec.lease ~= nil and type(spec.lease) ~= "function" then
    note("lease", ("lease is a function of provider and consumer, not a %s")
      :format(type(spec.lease)))
  end
  made.lease = spec.lease
end

return queues
