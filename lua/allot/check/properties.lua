-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The properties that a policy can promise by name: what each means, and how it is tried.
--
-- `try(case)` returns nothing where the property holds; else the path at fault, a message, and the
-- consumer whose part broke the property. A case (case.lua) has the decision's `view`,
-- `decide(state)` for another state of the same plan, `reseal(plan)` for another plan, and
-- `settled()`, the view once the decision is carried out. `whole(case)` replaces `try` where tasks
-- that start whole wait (C-13); without it the property is not tried there. Both set `case.spoke`
-- where the property says something of the case: where nobody borrows, say, owners_first does not.

local invariants = require "allot.check.invariants"
local whole = require "allot.check.whole"

local properties = {}

--- Calls visit(group's view, row) for every leaf until a call returns something; returns that.
local function leaves(view, visit)
  for _, it in ipairs(view.groups) do
    for _, row in ipairs(it.group.consumers) do
      if not it.inner[row.path] then
        local path, fault, blamed = visit(it, row)
        if fault then return path, fault, blamed end
      end
    end
  end
end

--- "1 slot", "3 slots".
local function slots(count)
  return ("%d slot%s"):format(count, count == 1 and "" or "s")
end

local function has(row)
  return row.allocated + row.granted + row.held
end

--- Whole slots of "9" or "10/3", rounded down and up.
local function whole_slots(text)
  local num, den = text:match "^(%d+)/?(%d*)$"
  num, den = math.tointeger(num), math.tointeger(den ~= "" and den or "1")
  if not num or not den then return nil end
  return num // den, (num + den - 1) // den
end

local function work_conserving(case)
  return leaves(case.view, function (it, row)
    local limit = it.limits[row.path]
    if has(row) >= row.need then return end
    case.spoke = true
    if it.group.idle_left == 0 then return end
    if limit and has(row) >= limit or invariants.blocked(it, row.path) then return end
    return row.path, ("it wants %s and has %d, while %d would be idle"):format(slots(row.need),
      has(row), it.group.idle_left), row.path
  end)
end

--- The consumer of a family that has most above what it owns, and by how much.
local function richest(members)
  local best, most = nil, 0
  for _, row in ipairs(members) do
    local _, own = whole_slots(row.owned)
    local above = own and row.quota - math.max(own, row.reserve) or 0
    if above > most then best, most = row, above end
  end
  return best, most
end

--- The same for whole tasks, once the decision is carried out.
local function tasks_conserved(case)
  local view = case.settled()
  if not view then return end
  case.spoke = true
  local path, fault = whole.none_idles(view)
  return path, fault, path
end

local function owners_first(case)
  for _, it in ipairs(case.view.groups) do
    for _, family in ipairs(it.families) do
      local rich, above = richest(family.members)
      for _, row in ipairs(rich and family.members or {}) do
        local own = whole_slots(row.owned)
        local due = own and row ~= rich and math.min(own, row.need) or 0
        case.spoke = case.spoke or due > 0
        if row.quota < due then
          return row.path, ("it owns %s and needs %d, but gets %d, while %s borrows %d")
            :format(slots(own), row.need, row.quota, rich.path, above), rich.path
        end
      end
    end
  end
end

--- The same for whole tasks: no task of a leaf within what it owns goes.
local function owners_keep(case)
  case.spoke = #case.decision.reclaims > 0
  local path, fault = whole.owners_keep(case.view)
  return path, fault, path
end

local function reserve_kept(case)
  local view = case.settled()
  if not view then return end
  return leaves(view, function (it, row)
    local due = math.min(row.reserve, row.quota)
    case.spoke = case.spoke or due > 0
    if has(row) >= due then return end
    local holder, most = nil, 0
    for _, other in ipairs(it.group.consumers) do
      local over = it.inner[other.path] and 0 or other.allocated - other.quota
      if over > most then holder, most = other, over end
    end
    local who = holder and (", while %s keeps %d above its quota"):format(holder.path, most) or ""
    return row.path, ("it reserves %s and has %d of them once all is carried out%s"):format(
      slots(row.reserve), has(row), who), holder and holder.path
  end)
end

--- A copy of a state without tasks, loans and slots in flight, in which `change` has been made to a
--- copy of every consumer's row.
local function changed(state, change)
  local out = {}
  for key, value in pairs(state) do out[key] = value end
  out.consumers, out.reclaims, out.loans, out.tasks = {}, nil, nil, nil
  for path, row in pairs(state.consumers or {}) do
    local other = {}
    for key, value in pairs(row) do other[key] = value end
    change(other, path)
    out.consumers[path] = other
  end
  return out
end

--- The first difference of two decisions' rows, by compare(row before, row now).
local function differs(before, now, compare)
  for i, it in ipairs(before.groups) do
    for _, row in ipairs(it.group.consumers) do
      local other = now.groups[i].rows[row.path]
      local fault = compare(row, other)
      if fault then return row.path, fault, row.path end
    end
  end
end

local function steady(case)
  local state = changed(case.state, function (row)
    row.allocated = type(row.allocated) == "table" and {} or 0
  end)
  local empty = case.decide(state)
  return differs(case.view, empty, function (row, other)
    case.spoke = case.spoke or row.allocated > 0
    if row.quota == other.quota then return end
    return ("its quota is %d while it holds %s, but would be %d if nobody held any"):format(
      row.quota, slots(row.allocated), other.quota)
  end)
end

--- Decides again with a larger demand of the consumer at `path`.
local function ask_for_more(case, path, more)
  local state = changed(case.state, function (row, each)
    if each == path then row.demand = (row.demand or 0) + more end
  end)
  state.reclaims, state.loans = case.state.reclaims, case.state.loans
  local asked = case.decide(state)
  return differs(case.view, asked, function (row, other)
    if row.path ~= path or other.quota >= row.quota then return end
    return ("it wants %s and its quota is %d; if it wanted %d, it would be %d"):format(
      slots(row.demand), row.quota, other.demand, other.quota)
  end)
end

local function demand_monotone(case)
  local paths = {}
  for path, row in pairs(case.state.consumers or {}) do
    local demand = row.demand or 0
    if type(demand) == "number" and demand < 1000000 then paths[#paths + 1] = path end
  end
  table.sort(paths)
  case.spoke = #paths > 0
  -- One consumer a case; all consumers of a case that is known to fail.
  for i = 0, #paths == 0 and -1 or case.every and math.min(3 * #paths, 30) - 1 or 0 do
    local turn = case.every and i or case.turn
    local path, fault, blamed = ask_for_more(case, paths[turn % #paths + 1], 1 + turn % 3)
    if fault then return path, fault, blamed end
  end
end

--- A plan and state that both have `house` slots; what consumers own does not depend on that
--- number.
local function sized(case, house)
  local plan, state = {}, changed(case.state, function () end)
  for key, value in pairs(case.plan) do plan[key] = value end
  plan.slots, state.slots, state.reclaims = house, house, case.state.reclaims
  return plan, state
end

local function house_monotone(case)
  if type(case.state.slots) ~= "number" or case.plan.hosts or case.plan.windows then return end
  local house = case.state.slots
  local small = case.reseal(sized(case, house))
  local large = case.reseal(sized(case, house + 1))
  if not small or not large then return end
  case.spoke = true
  return differs(small, large, function (row, other)
    if other.quota >= row.quota then return end
    return ("its quota is %d where there are %s, but %d of %d: it loses by there being more")
      :format(row.quota, slots(house), other.quota, house + 1)
  end)
end

--- What a plan states about a leaf, without its name, as a text.
local function said_of(node)
  local keys, out = {}, {}
  for key in pairs(node) do
    if key ~= "name" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for i, key in ipairs(keys) do
    if type(node[key]) == "table" then return nil end
    out[i] = key .. "=" .. tostring(node[key])
  end
  return table.concat(out, ",")
end

--- Siblings for which a plan states the same: lists of paths.
function properties.twins(plan)
  local out, special = {}, {}
  for _, list in ipairs { plan.windows or {}, plan.groups or {} } do
    for _, it in pairs(list) do
      for path in pairs(it.consumers or {}) do special[path] = true end
    end
  end
  local function walk(list, above)
    local alike = {}
    for _, node in ipairs(list) do
      local path = above .. "/" .. node.name
      local said = not node.children and not special[path] and said_of(node)
      if node.children then walk(node.children, path) end
      if said then
        alike[said] = alike[said] or {}
        table.insert(alike[said], path)
        if #alike[said] == 2 then out[#out + 1] = alike[said] end
      end
    end
  end
  walk(plan.consumers or {}, "")
  return out
end

local function envy_free(case)
  for _, it in ipairs(case.view.groups) do
    for _, paths in ipairs(case.twins) do
      local poor, rich
      for _, path in ipairs(paths) do
        local row = it.rows[path]
        case.spoke = case.spoke or row.quota < row.need
        if row.quota < row.need and (not poor or row.quota < poor.quota) then poor = row end
        if not rich or row.quota > rich.quota then rich = row end
      end
      if poor and rich.quota > poor.quota + 1 then
        return poor.path, ("the plan says the same of it and of %s, and it wants %s, but "
          .. "gets %d where %s gets %d"):format(rich.path, slots(poor.need), poor.quota, rich.path,
          rich.quota), rich.path
      end
    end
  end
end

--- By name: what a property promises, and how it is tried. `dear`: it needs plans of its own, and
--- is tried with some cases only.
properties.KNOWN = {
  work_conserving = {
    text = "no slot stays idle while somebody wants it and may have it", try = work_conserving,
    whole = tasks_conserved,
  },
  owners_first = {
    text = "nobody who needs what it owns gets less while a sibling borrows", try = owners_first,
    whole = owners_keep,
  },
  reserve_kept = {
    text = "once all is carried out, everybody has its reserve", try = reserve_kept,
  },
  steady = { text = "quotas go by what is wanted, not by who holds what", try = steady },
  demand_monotone = { text = "who asks for more does not get less", try = demand_monotone },
  house_monotone = {
    text = "one slot more costs nobody a slot, what is owned staying the same",
    try = house_monotone, dear = true,
  },
  envy_free = {
    text = "siblings of whom the plan says the same differ by one slot at most, "
      .. "unless the lesser wants no more",
    try = envy_free,
  },
}

return properties
