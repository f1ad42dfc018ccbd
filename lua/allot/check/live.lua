-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The plan and the state of a running service, against which `allot check --socket` tries a policy
--- or another plan.

local draw = require "allot.check.draw"
local Target = require "allot.check.target"
local walk = require "allot.check.walk"

local live = {}

--- A service, from its answer to the call `state` with `plan`: the plan's `file` and `text`, the
-- `texts` of its policies by their names in the plan, the policy `instead` of the plan's own, and
-- the `state`.
function live.read(core, text)
  local answer = core.decode(text)
  return {
    file = answer.plan.file, text = answer.plan.text, texts = answer.plan.policies,
    instead = answer.plan.instead, state = answer.state,
  }
end

-- Plans ----------------------------------------------------------------------------------------

--- Calls visit(row) for every table of columns of a plan, and for its options.
local function each_table(plan, visit)
  walk(plan.consumers, function (_, node) visit(node) end)
  for _, list in ipairs { plan.groups or {}, plan.windows or {} } do
    for _, it in pairs(list) do
      for _, row in pairs(it.consumers or {}) do visit(row) end
    end
  end
  visit(plan.options or {})
end

--- Removes from a plan keys that none of its policies knows, since these are errors. Or nil
-- and a report.
local function strip(core, plan, texts)
  while true do
    local valid, _, report = core.plan(core.encode(plan), { file = "plan.json", policies = texts })
    if valid then return plan end
    local found = false
    for _, each in ipairs(report) do
      local key = each.severity == "error" and (each.path or ""):match "([%w_]+)$"
      each_table(plan, function (row)
        found = found or key and row[key] ~= nil
        if key then row[key] = nil end
      end)
    end
    if not found then return nil, report end
  end
end

--- The live plan as the engine reads it, and the report; `use`, whose text is among `texts`,
-- replaces its own policy (nil: it stays). Or nil and the report.
local function seal(core, service, use, texts)
  local plan, second, third = core.plan(service.text, {
    file = service.file, policies = texts, instead = use or service.instead,
  })
  if plan then return plan, second end
  return nil, third
end

--- A target as Target.of_plan makes it, and the plan as the engine reads it, and the report. `use`
-- and `text` are the policy that replaces the plan's own; nil: none does. Or nil, nil and the
-- report.
function live.target(core, service, use, text)
  local texts = {}
  for name, each in pairs(service.texts) do texts[name] = each end
  if use then texts[use] = text end
  local sealed, report = seal(core, service, use, texts)
  if not sealed then return nil, nil, report end
  local plan = Target.document(core, service.text)
  if use or service.instead then plan.policy = use or service.instead end
  local made, faults = strip(core, plan, texts)
  if not made then return nil, nil, faults end
  return Target.of_document(core, made, texts, service.file), sealed, report
end

-- States ---------------------------------------------------------------------------------------

--- The faults of the live state under a plan, without places: the state is no file.
function live.faults(core, service, plan, name)
  local _, _, report = core.state(plan, core.encode(service.state))
  local out = {}
  for _, each in ipairs(report or {}) do
    if each.severity == "error" then
      out[#out + 1] = {
        severity = "error", code = each.code, message = each.message, hint = each.hint,
        path = each.path, file = name,
      }
    end
  end
  return out
end

local function copied(of)
  local out = {}
  for key, value in pairs(of) do out[key] = value end
  return out
end

--- The live state with a row of each leaf. If leaves have tasks, also a second state with the same
-- slots and no tasks, since checks of numbers skip states with tasks.
function live.states(service, plan)
  local state, several = copied(service.state), next(plan.groups or {}) ~= nil
  if next(plan.queues or {}) or next(plan.leases or {}) then return { state } end
  state.consumers = copied(state.consumers or {})
  for _, path in ipairs(draw.leaves(plan)) do
    local row = copied(state.consumers[path] or {})
    row.demand = row.demand or several and {} or 0
    row.allocated = row.allocated or several and {} or 0
    state.consumers[path] = row
  end
  if not state.tasks or state.hosts or plan.hosts then return { state } end
  local bare = copied(state)
  bare.tasks, bare.sessions = nil, nil
  for i, reclaim in ipairs(state.reclaims or {}) do
    bare.reclaims = i > 1 and bare.reclaims or {}
    bare.reclaims[i] = copied(reclaim)
    bare.reclaims[i].tasks, bare.reclaims[i].gone = nil, nil
  end
  return { state, bare }
end

return live
