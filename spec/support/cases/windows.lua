-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Windows on random plans, and the plan without windows that says what they say at a time: written
--- from the contract alone, in zones without daylight saving.

local Random = require "allot.check.random"
local gen = require "spec.support.cases.gen"
local shrink = require "allot.check.shrink"

local windows = {}

local DAYS = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" }
-- Hours ahead of UTC. POSIX signs are the other way round.
local ZONES = { ["UTC"] = 0, ["Etc/GMT-3"] = 3, ["Etc/GMT+7"] = -7 }

-- Drawing --------------------------------------------------------------------------------------

local function draw_days(random)
  if random:once_in(3) then
    return nil
  end
  local days = random:shuffle { table.unpack(DAYS) }
  return table.move(days, 1, random:int(1, 7), 1, {})
end

local function draw_columns(random, leaf)
  local out = {}
  if random:once_in(2) then
    out.rank = random:int(0, 4)
  end
  if random:once_in(4) then
    out.grace = random:int(0, 90)
  end
  if random:once_in(3) then
    out.limit = random:int(0, 60)
  end
  if leaf and random:once_in(2) then
    out.owned = random:int(0, 40)
  end
  return out
end

local function paths_of(list, above, out)
  for _, node in ipairs(list) do
    out[#out + 1] = { path = above .. "/" .. node.name, leaf = not node.children }
    paths_of(node.children or {}, above .. "/" .. node.name, out)
  end
  return out
end

local function draw_window(random, plan, paths, zone)
  local from = random:int(0, 23)
  local out = {
    from = ("%02d:00"):format(from), to = ("%02d:30"):format(random:int(0, 23)),
    days = draw_days(random), timezone = zone, consumers = {},
    slots = random:once_in(4) and random:int(0, 200) or nil,
  }
  if plan.groups and random:once_in(2) then
    out.group = "g1"
  end
  for _ = 1, random:int(1, 4) do
    local it = random:pick(paths)
    out.consumers[it.path] = draw_columns(random, it.leaf)
  end
  return out
end

--- A random case whose plan has windows, of one zone or (`mixed`) of several. It may be invalid.
--- `case`: of a plan without any.
function windows.case(seed, mixed, case)
  local random = Random.new(seed * 7919 + 13)
  case = case or gen.tree(seed)
  local paths = paths_of(case.plan.consumers, "", {})
  local names = { "UTC", "Etc/GMT-3", "Etc/GMT+7" }
  local zone = random:pick(names)
  case.plan.windows = {}
  for i = 1, paths[1] and random:int(1, 4) or 0 do
    local own = mixed and random:pick(names) or zone
    case.plan.windows[i] = draw_window(random, case.plan, paths, own)
  end
  if not case.plan.windows[1] then
    case.plan.windows = nil
  end
  case.state.last = case.state.now
  return case
end

-- What holds -----------------------------------------------------------------------------------

local function seconds(text)
  local hours, minutes = text:match "^(%d+):(%d+)$"
  return hours * 3600 + minutes * 60
end

local function has(days, day)
  for _, name in ipairs(days or DAYS) do
    if name == day then
      return true
    end
  end
  return false
end

local function holds(window, now)
  local wall = os.date("!*t", now + 3600 * ZONES[window.timezone])
  local second = wall.hour * 3600 + wall.min * 60 + wall.sec
  local today, yesterday = DAYS[(wall.wday + 5) % 7 + 1], DAYS[(wall.wday + 4) % 7 + 1]
  local from, to = seconds(window.from), seconds(window.to)
  if from < to then
    return from <= second and second < to and has(window.days, today)
  end
  return (from <= second and has(window.days, today))
    or (second < to and has(window.days, yesterday))
end

local function find(list, path)
  local name, rest = path:match "^/([^/]+)(.*)$"
  for _, node in ipairs(list) do
    if node.name == name then
      return rest == "" and node or find(node.children, rest)
    end
  end
end

local function state_in(plan, group, window)
  local entry = plan.groups[group]
  entry.slots = window.slots or entry.slots
  entry.consumers = entry.consumers or {}
  for path, columns in pairs(window.consumers) do
    entry.consumers[path] = entry.consumers[path] or {}
    for column, value in pairs(columns) do
      entry.consumers[path][column] = value
    end
  end
end

local function state_all(plan, window)
  plan.slots = window.slots or plan.slots
  for path, columns in pairs(window.consumers) do
    local node = find(plan.consumers, path)
    for column, value in pairs(columns) do
      node[column] = value
    end
  end
end

--- The plan as it is at a time, without windows; and which hold, as text.
function windows.flat(plan, now)
  local out, held = shrink.copy(plan), {}
  out.windows = nil
  for i, window in ipairs(plan.windows or {}) do
    if holds(window, now) then
      held[#held + 1] = i - 1
      if not plan.groups then
        state_all(out, window)
      end
      for group in pairs(plan.groups or {}) do
        if not window.group or window.group == group then
          state_in(out, group, window)
        end
      end
    end
  end
  for _, entry in pairs(out.groups or {}) do
    entry.consumers = next(entry.consumers or {}) and entry.consumers or nil
  end
  return out, table.concat(held, ", ")
end

return windows
