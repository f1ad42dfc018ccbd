-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `guard "label" { value = , min = , max = }`: protects tasks whose value is outside.
--
-- The value is a column of tasks or a function of such columns. `guard "label" (function (ran)
-- return ran > 5 end)` lets tasks go for which the function returns true. Ready-made guards are
-- `min_run_time(60)`, `max_preemptions(3)` and `spare_tagged "interactive"`; and, for jobs of
-- queues, the parameters that protect them (`max_job_preempt` and the like), as applications,
-- queues and the plan state them.

local placed = require "allot.language.placed"
local names = require "allot.language.names"

local guard = {}

local KEYS = { "value", "min", "max" }
local LONGEST = 255
local MOST = 1000000000

local function label_fault(label)
  if type(label) ~= "string" or #label == 0 or #label > LONGEST then
    return ("a guard's label is a text of 1 to %d bytes, first: guard \"label\" { ... }")
      :format(LONGEST)
  end
end

local function bound_fault(spec)
  for _, key in ipairs { "min", "max" } do
    if spec[key] ~= nil and math.type(spec[key]) ~= "integer" then
      return ("%s is a whole number, not a %s"):format(key, math.type(spec[key]) or type(spec[key]))
    end
  end
  if spec.min == nil and spec.max == nil then return "a guard needs a min or a max" end
  if spec.min and spec.max and spec.min > spec.max then return "min is above max" end
end

local function make(place, label, spec)
  local made = { kind = "guard", label = label, at = place }
  if type(spec) == "function" then
    made.test = spec
    return made
  end
  if type(spec) ~= "table" then
    return nil, ("guard needs a table { value = , min = , max = } or a function, not a %s")
      :format(type(spec))
  end
  local faults, fault = {}, bound_fault(spec)
  names.strangers(spec, KEYS, "key of guard", faults)
  if fault then faults[#faults + 1] = { fault } end
  if type(spec.value) ~= "string" and type(spec.value) ~= "function" then
    faults[#faults + 1] =
      { ("value is a %s; it is a column of tasks or a function"):format(type(spec.value)) }
  end
  if #faults > 0 then return nil, faults end
  made.value, made.min, made.max = spec.value, spec.min, spec.max
  return made
end

guard.guard = placed(function (_, label)
  local fault = label_fault(label)
  if fault then return nil, fault end
  return placed(function (rest, spec) return make(rest, label, spec) end)
end)

local function amount_fault(what, value)
  if math.type(value) == "integer" and value >= 0 and value <= MOST then return nil end
  return ("%s needs a whole number, 0 to %d"):format(what, MOST)
end

--- Protects tasks that have run for less than so many seconds, and tasks that share their slots.
guard.min_run_time = placed(function (place, seconds)
  local fault = amount_fault("min_run_time", seconds)
  if fault then return nil, fault end
  return {
    kind = "guard", label = "min_run_time", value = "least_ran", min = seconds, at = place,
  }
end)

--- Protects tasks that were reclaimed so many times.
guard.max_preemptions = placed(function (place, times)
  local fault = amount_fault("max_preemptions", times)
  if fault then return nil, fault end
  return {
    kind = "guard", label = "max_preemptions", value = "preempted", max = times - 1, at = place,
  }
end)

--- Protects tasks that have a tag.
guard.spare_tagged = placed(function (place, tag)
  if not names.valid(tag, "-") then
    return nil, ("spare_tagged needs a tag (letters, digits, '_', '-'), not '%s'")
      :format(tostring(tag))
  end
  return { kind = "guard", label = "spare_tagged " .. tag, tag = tag, max = 0, at = place }
end)

-- The parameters that protect running jobs (P-30 ... P-34), each by its column of what is left.
local PARAMETERS = {
  max_job_preempt = "preemptions_left",
  max_total_time_preempt = "preempt_time_left",
  no_preempt_interval = "interval_over",
  no_preempt_run_time = "run_time_left",
  no_preempt_finish_time = "finish_time_left",
}
for name, column in pairs(PARAMETERS) do
  guard[name] = { kind = "guard", label = name, value = column, min = 1, at = "" }
end

return guard
