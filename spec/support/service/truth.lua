-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a service's books are after a `sync`, by the rules of core/service/README.md alone: a plain
--- model, in which each call is worked through row by row. Plans without queues or damping by time;
--- numbers that nobody has are 0.

local truth = {}
truth.__index = truth

local MOST = 1000000000
local MEMBERS = { id = true, consumer = true, slots = true, group = true, session = true,
                  host = true, started = true, state = true, submitted = true, priority = true }
local SESSION = { id = true, consumer = true, group = true, priority = true, demand = true }
local NUMBERS = { "demand", "allocated", "unlisted" }

--- Books of a plan with these leaves, groups (a list of names; {} where there is only one), and
--- hosts (by name; nil: none).
function truth.new(leaves, groups, planned)
  local self = setmetatable({ leaves = {}, groups = groups, tasks = {}, sessions = {}, hosts = {},
                              planned = planned or {}, sizes = {}, flights = {}, keys = {} }, truth)
  for _, leaf in ipairs(leaves) do
    self.leaves[leaf] = {}
    for _, group in ipairs(groups[1] and groups or { "" }) do
      self.leaves[leaf][group] = { demand = 0, allocated = 0, unlisted = 0 }
    end
  end
  return self
end

local function whole(value, least)
  return math.type(value) == "integer" and value >= least and value <= MOST
end

local function known(row, members)
  for key in pairs(row) do
    if not members[key] then return false end
  end
  return true
end

--- The number of a leaf's row where the row's things count, or nil: the row is wrong.
function truth:place(row)
  local leaf = self.leaves[row.consumer]
  return leaf and leaf[self.groups[1] and row.group or ""]
end

--- The slots of a row by its leaf's groups, or nil: they are wrong.
function truth:parts(row)
  local leaf, parts = self.leaves[row.consumer], {}
  local slots = type(row.slots) == "table" and row.slots
    or { [self.groups[1] and row.group or ""] = row.slots or 1 }
  for group, number in pairs(slots) do
    if not (leaf and leaf[group] and whole(number, 1)) then return nil end
    parts[leaf[group]] = number
  end
  return parts[self:place(row)] and parts
end

function truth:is_task(row)
  local waits, priority = row.state == "pending", row.priority or 1
  return known(row, MEMBERS) and row.id and self:place(row) ~= nil and self:parts(row)
    and (row.state == nil or waits or row.state == "running")
    and not (waits and (row.host or row.started))
    and whole(priority, 1) and priority <= 10000
end

function truth:is_session(row)
  return known(row, SESSION) and row.id and self:place(row) ~= nil
    and (row.priority == nil or (whole(row.priority, 1) and row.priority <= 10000))
end

--- Whether a thing that is there may be told of by the source, and whether its end is the source's.
local function owns(thing, source) return not source or thing.source == source end
local function may_tell(thing, source) return not thing.source or owns(thing, source) end

--- What a leaf's tasks of a state (running, if none is given) have, or ask for.
function truth:held(place, state)
  local held = 0
  for _, task in pairs(self.tasks) do
    if task.state == state then held = held + (task.parts[place] or 0) end
  end
  return held
end

--- A task that ran has fewer slots now, or none: they come back; reclaims where it has none count
--- it alone.
function truth:give_back(task, parts)
  for place, slots in pairs(not task.state and task.parts or {}) do
    place.allocated = place.allocated - math.max(slots - (parts[place] or 0), 0)
  end
  for _, flight in ipairs(self.flights) do
    for i, id in ipairs(parts[self:place(flight)] and {} or flight.tasks or {}) do
      if id == task.id then
        table.remove(flight.tasks, i)
        flight.gone = (flight.gone or 0) + 1
        break
      end
    end
  end
end

function truth:finish(task)
  self.tasks[task.id] = nil
  self:give_back(task, {})
end

-- Tasks and sessions ---------------------------------------------------------------------------

--- What comes of each row, by its place, and ids that stay (`seen`). Nothing is changed yet.
function truth:judge(rows, things, source, is_right)
  local verdicts, seen = {}, {}
  for i, row in ipairs(rows) do
    local thing = things[row.id]
    if not is_right(self, row) then
      seen[row.id or ""] = thing and true or seen[row.id or ""]
    elseif not thing then
      verdicts[i] = "new"
    elseif not seen[row.id] then
      if may_tell(thing, source) then
        local again = row.submitted and thing.submitted and row.submitted ~= thing.submitted
        local moves = again or thing.place ~= self:place(row)
        verdicts[i] = moves and is_right == truth.is_task and "new" or "known"
        seen[row.id] = verdicts[i] == "known"
        if verdicts[i] == "new" then thing.source = source end
      else
        seen[row.id] = true
      end
    end
  end
  return verdicts, seen
end

--- Slots as lists have them: those of one group as a number.
function truth.several(slots)
  if type(slots) ~= "table" then return slots end
  local group, number = next(slots)
  return next(slots, group) and slots or number
end

function truth:tell_tasks(call)
  local verdicts, seen = self:judge(call.tasks, self.tasks, call.source, truth.is_task)
  for id, task in pairs(self.tasks) do
    if not seen[id] and owns(task, call.source) then self:finish(task) end
  end
  for i, row in ipairs(call.tasks) do
    local old = self.tasks[row.id]
    if verdicts[i] == "known" or (verdicts[i] == "new" and not old) then
      local waits = row.state == "pending" or nil
      local runs_on = old and not old.state and not waits
      local task = { id = row.id, consumer = row.consumer, group = row.group, host = row.host,
                     session = row.session, slots = self.several(row.slots) or 1,
                     parts = self:parts(row), place = self:place(row),
                     submitted = row.submitted, priority = row.priority,
                     state = waits and "pending",
                     started = not waits and (row.started or (runs_on and old.started) or call.at)
                       or nil,
                     source = call.source or (old and old.source) }
      if old then self:give_back(old, runs_on and task.parts or {}) end
      self.tasks[row.id] = task
      for place in pairs(task.parts) do
        place.allocated = math.max(place.allocated, self:held(place))
      end
    end
  end
end

function truth:tell_sessions(call)
  local verdicts, seen = self:judge(call.sessions, self.sessions, call.source, truth.is_session)
  for id, session in pairs(self.sessions) do
    if not seen[id] and owns(session, call.source) then self.sessions[id] = nil end
  end
  for i, row in ipairs(call.sessions) do
    local old = self.sessions[row.id]
    if verdicts[i] then
      self.sessions[row.id] = { id = row.id, consumer = row.consumer, group = row.group,
                                priority = row.priority, demand = row.demand,
                                place = self:place(row),
                                source = call.source or (old and old.source) }
    end
  end
end

-- Hosts ----------------------------------------------------------------------------------------

local HOST = { slots = true, closed = true, load = true }
local CLOSED = { drain = true, reclaim = true }

--- Hosts of the plan have slots without being told; others not.
function truth:is_host(name, row)
  return known(row, HOST) and (row.slots and whole(row.slots, 0) or (not row.slots and
    self.planned[name] ~= nil)) and (not row.closed or CLOSED[row.closed])
    and (row.load == nil or row.load >= 0)
end

--- A host that is gone stays known, without slots, and is nobody's.
function truth:tell_hosts(call)
  for name, row in pairs(call.hosts) do
    local old = self.hosts[name]
    if self:is_host(name, row) and (not old or may_tell(old, call.source)) then
      self.hosts[name] = { slots = row.slots, closed = row.closed or nil, load = row.load,
                           source = call.source or (old and old.source) }
    end
  end
  for name, host in pairs(self.hosts) do
    if not call.hosts[name] and owns(host, call.source) then self.hosts[name] = { slots = 0 } end
  end
  for name in pairs(call.source and {} or self.planned) do
    if not call.hosts[name] then self.hosts[name] = { slots = 0 } end
  end
end

function truth:host_rows()
  local rows = {}
  for name, host in pairs(self.hosts) do
    rows[#rows + 1] = { name = name, slots = host.slots, closed = host.closed, load = host.load,
                        source = host.source }
  end
  table.sort(rows, function (a, b) return a.name < b.name end)
  return rows
end

-- Leaves ---------------------------------------------------------------------------------------

--- A leaf's row by groups, or nil: it is wrong.
function truth:numbers(row)
  local of = {}
  for _, group in ipairs(self.groups[1] and self.groups or { "" }) do of[group] = {} end
  for key, value in pairs(row) do
    if key ~= "demand" and key ~= "allocated" and key ~= "unlisted" then return nil end
    if self.groups[1] and type(value) ~= "table" then return nil end
    for group, number in pairs(self.groups[1] and value or { [""] = value }) do
      if not (of[group] and whole(number, 0)) then return nil end
      of[group][key] = number
    end
  end
  return of
end

--- Who claims the slots of a reclaim gets those that are back best first.
local function take_claims(flight, slots)
  local left = {}
  for _, claim in ipairs(flight["for"] or {}) do
    local part = math.min(claim.slots, slots)
    slots = slots - part
    if claim.slots > part then
      left[#left + 1] = { consumer = claim.consumer, slots = claim.slots - part }
    end
  end
  flight["for"] = left[1] and left
end

--- Reclaims that named no tasks: what of them is back.
function truth:back(place, fewer)
  local sum = 0
  local function of(flight)
    return self:place(flight) == place and not (flight.tasks and flight.tasks[1])
      and (flight.gone or 0) == 0
  end
  for _, flight in ipairs(self.flights) do
    if of(flight) then sum = sum + flight.slots end
  end
  local back = math.max(sum - (place.allocated - self:held(place)), fewer)
  for _, flight in ipairs(self.flights) do
    if of(flight) and back > 0 then
      local part = math.min(flight.slots, back)
      flight.slots, back = flight.slots - part, back - part
      take_claims(flight, part)
    end
  end
end

function truth:put_leaf(place, told, source, by_name)
  local held, before = self:held(place), place.allocated
  local unlisted = told.unlisted or 0
  local allocated = told.allocated or held + unlisted
  if allocated < held then return end
  place.unlisted, place.allocated = unlisted, allocated
  place.demand = told.demand or math.min(held + unlisted + self:held(place, "pending"), MOST)
  if by_name then
    place.source, place.nobodys = source or place.source, false
  end
  self:back(place, before - allocated)
end

function truth:tell_leaves(call)
  for path, leaf in pairs(self.leaves) do
    local row = call.consumers[path]
    local numbers = row and self:numbers(row)
    for group, place in pairs(leaf) do
      if numbers and may_tell(place, call.source) then
        self:put_leaf(place, numbers[group], call.source, true)
      elseif not row and owns(place, call.source) then
        self:put_leaf(place, {}, call.source)
        place.source, place.nobodys = nil, call.source ~= nil
      end
    end
  end
end

--- Who has no leaf's truth told has what it is granted.
function truth:grant(grants)
  for _, grant in ipairs(grants) do
    local leaf = self.leaves[grant.consumer]
    local place = leaf[self.groups[1] and grant.group or ""]
    if place.nobodys then place.allocated = place.allocated + grant.slots end
  end
end

-- The call, and what is there then -------------------------------------------------------------

--- The call is entered at its time (`at`), which the service says.
function truth:tell(call)
  for group, number in pairs(type(call.slots) == "table" and call.slots or { [""] = call.slots }) do
    self.sizes[group] = number
  end
  if call.hosts then self:tell_hosts(call) end
  if call.sessions then self:tell_sessions(call) end
  if call.tasks then self:tell_tasks(call) end
  if call.consumers then self:tell_leaves(call) end
end

local function sorted(things, members)
  local rows = {}
  for _, thing in pairs(things) do
    local row = {}
    for _, key in ipairs(members) do row[key] = thing[key] end
    rows[#rows + 1] = row
  end
  table.sort(rows, function (a, b) return a.id < b.id end)
  return rows
end

--- Rows as lists have them: with `source`.
function truth:rows(list)
  local rows = sorted(self[list], list == "tasks"
    and { "id", "consumer", "group", "host", "session", "slots", "state", "started", "submitted",
          "priority", "source" }
    or { "id", "consumer", "group", "priority", "demand", "source" })
  for _, row in ipairs(rows) do
    if row.slots == 1 then row.slots = nil end
    if row.priority == 1 then row.priority = nil end
  end
  return rows[1] and rows or nil
end

local function without_source(rows)
  for _, row in ipairs(rows or {}) do row.source = nil end
  return rows
end

--- Whether a leaf has tasks in a group.
function truth:has_tasks(place)
  for _, task in pairs(self.tasks) do
    if task.parts[place] then return true end
  end
  return false
end

--- All of it as a state's document.
function truth:state(now)
  local state = { now = now, now_rounded = true, last = now, consumers = {}, reclaims = {},
                  slots = next(self.sizes) and (self.sizes[""] or self.sizes),
                  tasks = without_source(self:rows "tasks"),
                  sessions = without_source(self:rows "sessions") }
  for name, host in pairs(self.hosts) do
    state.hosts = state.hosts or {}
    state.hosts[name] = { slots = host.slots or self.planned[name].slots,
                          closed = host.closed, load = host.load }
  end
  for path, leaf in pairs(self.leaves) do
    local row = {}
    for group, place in pairs(leaf) do
      for _, key in ipairs(NUMBERS) do
        -- Without a demand a leaf wants what its tasks have (C-13).
        local told = place[key] > 0 or (key == "demand" and self:has_tasks(place))
        if group == "" then
          row[key] = told and place[key] or nil
        elseif told then
          row[key] = row[key] or {}
          row[key][group] = place[key]
        end
      end
    end
    state.consumers[path] = next(row) and row
  end
  for _, flight in ipairs(self.flights) do
    if flight.tasks and not flight.tasks[1] then flight.tasks = nil end
    if flight.slots > 0 then
      state.reclaims[#state.reclaims + 1] = flight
    end
  end
  if not state.reclaims[1] then state.reclaims = nil end
  return state
end

return truth
