-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Checks of a decision for the core's guarantees, which hold under every policy.
--
-- A check gets a view of a decision and returns nothing, or the path at fault and a
-- message.

local walk = require "allot.check.walk"

local invariants = {}

-- Views ----------------------------------------------------------------------------------------

local function parent_of(path)
  return path:match "^(.*)/[^/]*$"
end

--- Reclaims between consumers: not those for a leaf's own pending tasks, which change no amount.
local function between(reclaims)
  local out = {}
  for _, it in ipairs(reclaims or {}) do
    if not it.why or it.why.code ~= "inside" then out[#out + 1] = it end
  end
  return out
end

--- Slots by group and path of a list of moves.
local function moved(list, key)
  local out = {}
  for _, move in ipairs(list or {}) do
    local group = move.group or "default"
    out[group] = out[group] or {}
    local path = move[key or "consumer"]
    out[group][path] = (out[group][path] or 0) + move.slots
  end
  return setmetatable(out, { __index = function () return {} end })
end

--- The least of some columns, which may be missing.
local function least_of(columns, names, fallback)
  local least = fallback
  for _, name in ipairs(names) do
    local value = columns[name]
    if value ~= nil and (least == nil or value < least) then least = value end
  end
  return least
end

--- The limits of a plan for a group, by path: the loosest where windows state several.
-- `names` are the columns that limit, by default `limit` alone. `percents`: there are others, in
-- percent, which are not computed here.
function invariants.limits(plan, group, names, percents)
  local out = { percents = percents }
  names = names or { "limit" }
  walk(plan.consumers, function (path, node) out[path] = least_of(node, names) end)
  local own = plan.groups and plan.groups[group] or {}
  for path, columns in pairs(own.consumers or {}) do
    out[path] = least_of(columns, names, columns.limit == nil and out[path] or nil)
  end
  for _, window in ipairs(plan.windows or {}) do
    for path, columns in pairs(window.consumers or {}) do
      -- Outside the windows the plan's own limit holds; without one there is no limit to check.
      local limit = least_of(columns, names)
      if limit ~= nil and out[path] ~= nil then out[path] = math.max(out[path], limit) end
    end
  end
  return out
end

local function view_group(view, name, group)
  local rows, families, inner, above_all = {}, {}, {}, {}
  for _, row in ipairs(group.consumers) do
    local above = parent_of(row.path)
    rows[row.path], inner[above] = row, true
    if not families[above] then
      families[above] = {}
      above_all[#above_all + 1] = above
    end
    table.insert(families[above], row)
  end
  local out = { name = name, group = group, rows = rows, inner = inner, families = {} }
  for i, above in ipairs(above_all) do
    out.families[i] = { above = rows[above] or group, path = above, members = families[above] }
  end
  out.limits = view.limits_of(name)
  return out
end

--- Prepares the decision about a plan and a state, all documents. `limits_of(group)` may be given
-- where one plan has many decisions.
function invariants.view(plan, state, decision, limits_of)
  local view = {
    plan = plan, state = state, decision = decision, groups = {},
    limits_of = limits_of or function (group) return invariants.limits(plan, group) end,
    granted = moved(decision.grants), reclaimed = moved(between(decision.reclaims)),
    flying = moved(state.reclaims),
  }
  local names = {}
  for name in pairs(decision.groups or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do
    view.groups[i] = view_group(view, name, decision.groups[name])
  end
  return view
end

function invariants.sum(rows, field)
  local out = 0
  for _, row in ipairs(rows) do out = out + row[field] end
  return out
end

local sum = invariants.sum

-- Quotas ---------------------------------------------------------------------------------------

--- The children's quotas are within their parent's.
function invariants.quotas_fit(view)
  for _, it in ipairs(view.groups) do
    for _, family in ipairs(it.families) do
      local slots = family.above.quota or family.above.slots
      local all = sum(family.members, "quota")
      if all > slots then
        return family.path, ("its children get %d slots, but it has %d"):format(all, slots)
      end
    end
  end
end

--- A quota is the sum of its parts, and within the need.
function invariants.quotas_sound(view)
  for _, it in ipairs(view.groups) do
    for _, row in ipairs(it.group.consumers) do
      local parts = 0
      for label, slots in pairs(row.parts) do
        if slots < 0 then return row.path, ("its part %s is %d"):format(label, slots) end
        parts = parts + slots
      end
      if parts ~= row.quota then
        return row.path, ("its quota is %d, but its parts sum to %d"):format(row.quota, parts)
      elseif row.quota > row.need then
        return row.path, ("its quota is %d, but it needs %d"):format(row.quota, row.need)
      elseif row.reserve > row.need then
        return row.path, ("it reserves %d, but needs %d"):format(row.reserve, row.need)
      end
    end
  end
end

--- Reserves are kept where all of a family's fit: consumers may own more than planned (E-5).
function invariants.reserves_kept(view)
  for _, it in ipairs(view.groups) do
    for _, family in ipairs(it.families) do
      local room = sum(family.members, "reserve") <= (family.above.quota or family.above.slots)
      for _, row in ipairs(room and family.members or {}) do
        if row.reserve > row.quota then
          return row.path, ("it reserves %d slots, but its quota is %d"):format(row.reserve,
            row.quota)
        end
      end
    end
  end
end

--- No quota is above a limit, and nothing is granted above one.
function invariants.limits_kept(view)
  for _, it in ipairs(view.groups) do
    for _, row in ipairs(it.group.consumers) do
      local limit, received = it.limits[row.path], row.granted + row.held
      if limit and row.quota > limit then
        return row.path, ("its quota is %d, above its limit of %d"):format(row.quota, limit)
      elseif limit and received > 0 and row.allocated + received > limit then
        return row.path, ("it holds %d and gets %d, above its limit of %d"):format(row.allocated,
          received, limit)
      end
    end
  end
end

-- Slots ----------------------------------------------------------------------------------------

--- Idle slots are granted, held for a reserve, or left: each once.
function invariants.idle_once(view)
  for _, it in ipairs(view.groups) do
    local group, granted = it.group, 0
    for _, slots in pairs(view.granted[it.name]) do granted = granted + slots end
    if granted + group.held + group.idle_left ~= group.idle then
      return nil, ("of %d idle slots %d are granted, %d held and %d left"):format(group.idle,
        granted, group.held, group.idle_left)
    end
  end
end

--- Grants of a leaf are within its quota and its demand.
function invariants.grants_sound(view)
  for _, it in ipairs(view.groups) do
    local granted = view.granted[it.name]
    for _, row in ipairs(it.group.consumers) do
      local gets = granted[row.path] or 0
      if it.inner[row.path] then
        gets = 0
      elseif gets ~= row.granted then
        return row.path, ("%d slots are granted to it, and %d by its row"):format(gets, row.granted)
      elseif not view.plan.hosts and -- where hosts differ, unusable slots are lent (H-18)
        row.allocated + row.granted + row.held > math.max(row.quota, row.allocated) then
        return row.path, ("it holds %d and gets %d, above its quota of %d"):format(row.allocated,
          row.granted + row.held, row.quota)
      end
      if gets > 0 and row.allocated + gets > row.demand then
        return row.path, ("it holds %d and gets %d, but wants %d"):format(row.allocated, gets,
          row.demand)
      end
    end
  end
end

--- Only leaves give back, and only slots above their quota.
function invariants.reclaims_sound(view)
  for _, it in ipairs(view.groups) do
    local reclaimed, flying = view.reclaimed[it.name], view.flying[it.name]
    for _, row in ipairs(it.group.consumers) do
      local back, going = reclaimed[row.path] or 0, flying[row.path] or 0
      local moves = view.plan.hosts and row.granted + row.held or 0 -- make_way (H-19)
      if back > 0 and it.inner[row.path] then
        return row.path, "slots are reclaimed from it, but it has children who hold them"
      elseif back > row.over then
        return row.path, ("%d slots are reclaimed, but it is over by %d"):format(back, row.over)
      elseif back > 0 and row.allocated - going - back + moves < row.quota then
        return row.path, ("it holds %d of a quota of %d, and gives back %d"):format(
          row.allocated - going, row.quota, back)
      end
    end
  end
end

--- The slots that each row of a group may still claim.
local function lacking(it)
  local lacks = {}
  for _, row in ipairs(it.group.consumers) do
    lacks[row.path] = row.quota - row.allocated - row.granted - row.held
  end
  -- A parent claims for its own reserve: slots beyond its children's, less held ones.
  for _, family in ipairs(it.families) do
    if family.above.path then
      local quota = family.above.quota - sum(family.members, "quota")
      lacks[family.path] = quota - (family.above.held - sum(family.members, "held"))
    end
  end
  return lacks
end

--- Reclaimed slots go to consumers that lack them, and none twice.
function invariants.claims_sound(view)
  local lacks = {}
  for _, it in ipairs(view.groups) do lacks[it.name] = lacking(it) end
  for _, reclaim in ipairs(between(view.decision.reclaims)) do
    local claimed, left = 0, lacks[reclaim.group]
    for _, part in ipairs(reclaim["for"]) do
      claimed, left[part.consumer] = claimed + part.slots, left[part.consumer] - part.slots
      if part.slots <= 0 or left[part.consumer] < 0 then
        return part.consumer, ("%s gives %d slots back for it, more than it lacks"):format(
          reclaim.consumer, part.slots)
      end
    end
    if claimed > reclaim.slots then
      return reclaim.consumer, ("of %d slots that it gives back, %d are claimed"):format(
        reclaim.slots, claimed)
    end
  end
end

--- Whether a consumer above `path` is at its limit, so that it may get nothing.
function invariants.blocked(it, path)
  local above = parent_of(path)
  if it.limits.percents and above ~= "" then return true end -- it may be
  while above ~= "" do
    local row, limit = it.rows[above], it.limits[above]
    if limit and row.allocated + row.granted + row.held >= limit then return true end
    above = parent_of(above)
  end
  return false
end

--- No slot stays idle while a leaf is below its quota and nothing forbids it.
function invariants.quotas_served(view)
  for _, it in ipairs(view.groups) do
    for _, row in ipairs(it.group.idle_left > 0 and it.group.consumers or {}) do
      local short = row.quota - row.allocated - row.granted - row.held
      if short > 0 and not it.inner[row.path] and not invariants.blocked(it, row.path) then
        return row.path, ("its quota is %d and it holds %d, while %d slots stay idle"):format(
          row.quota, row.allocated + row.granted + row.held, it.group.idle_left)
      end
    end
  end
end

-- All ------------------------------------------------------------------------------------------

--- The checks in their order: id, the promise in words. `loose` ones do not hold in every cycle of
-- policies with ledgers, whose decisions depend on who holds slots. `placed` ones do not hold
-- where hosts decide as well.
invariants.ALL = {
  { id = "quotas-fit", text = "children get no more than their parent has",
    check = invariants.quotas_fit },
  { id = "quotas-sound", text = "a quota is the sum of its parts, and within the need",
    check = invariants.quotas_sound },
  { id = "reserves-kept", text = "nobody's quota is below its reserve",
    check = invariants.reserves_kept, loose = true },
  { id = "limits-kept", text = "no limit is exceeded", check = invariants.limits_kept },
  { id = "idle-once", text = "an idle slot is granted once", check = invariants.idle_once },
  { id = "grants-sound", text = "nobody is granted more than its quota and its demand",
    check = invariants.grants_sound },
  { id = "reclaims-sound", text = "nobody gives back what is within its quota",
    check = invariants.reclaims_sound, loose = true },
  { id = "claims-sound", text = "a reclaimed slot has one claimant, who lacks it",
    check = invariants.claims_sound, loose = true },
  { id = "quotas-served", text = "no slot stays idle while somebody is below its quota",
    check = invariants.quotas_served, loose = true, placed = true },
}

return invariants
