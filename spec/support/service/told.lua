-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random clusters that change, and what their managers tell of them by `sync`.

local random = require "allot.check.random"

local told = {}
told.__index = told

-- Sites ----------------------------------------------------------------------------------------

local function leaf(chance, name)
  return { name = name, owned = chance:int(0, 6), grace = chance:pick { 0, 0, 30 } }
end

--- The plan of a site, its leaves and groups; every second has two groups, half of them have hosts
--- (`hosted`), half of these such as the plan has (`planned`).
function told.site(number)
  local chance = random.new(number)
  local site = { leaves = { "/a", "/b", "/c/x", "/c/y" }, groups = {}, slots = 20,
                 plan = { version = 1, policy = "hybrid", slots = 20 } }
  if number % 2 == 0 then
    site.groups, site.slots = { "cpu", "gpu" }, { cpu = 20, gpu = 8 }
    site.plan.slots = nil
    site.plan.groups = { cpu = { slots = 20 }, gpu = { slots = 8 } }
  end
  site.plan.consumers = { leaf(chance, "a"), leaf(chance, "b"),
    { name = "c", children = { leaf(chance, "x"), leaf(chance, "y") } } }
  site.hosted = number % 8 >= 4
  if number % 8 >= 6 then
    site.planned = { h1 = { slots = 4 }, h2 = { slots = 6 }, h3 = { slots = 8 } }
    site.plan.hosts = {}
    for name, host in pairs(site.planned) do
      site.plan.hosts[name] = { slots = host.slots, group = site.groups[1] }
    end
  end
  return site
end

-- Clusters -------------------------------------------------------------------------------------

--- One that is empty; its seed names its keys, and its times lie behind those of seeds before.
function told.new(chance, site, seed)
  local one, two = "one-" .. seed, "two-" .. seed
  return setmetatable({ chance = chance, site = site, seed = seed, count = 0, born = 0, tasks = {},
    sessions = {}, hosts = {}, one = one, sources = chance:once_in(2) and { one, two } or {},
    timed = chance:once_in(2) }, told)
end

function told:of()
  local place = { consumer = self.chance:pick(self.site.leaves),
                  source = self.sources[1] and self.chance:pick(self.sources) or nil }
  place.group = self.site.groups[1] and self.chance:pick(self.site.groups) or nil
  return place
end

local function free_id(things, letter, chance, most)
  local id = letter .. chance:int(1, most)
  return not things[id] and id
end

--- Hosts that tasks name are there, or gone: they were there at first. They come in the order of
--- their names, which decides where nothing else does; only the last one comes later.
local HOSTS = { "h1", "h2", "h3", "h4", "h5", "h6" }

function told:first_hosts()
  if not self.site.hosted then return nil end
  for i = 1, #HOSTS - 1 do self.hosts[HOSTS[i]] = { slots = self.chance:int(0, 8) } end
  return self:host_rows()
end

function told:change_hosts()
  local chance = self.chance
  for _, name in ipairs(self.site.hosted and HOSTS or {}) do
    local host = self.hosts[name]
    if host and chance:once_in(6) then
      self.hosts[name] = nil
    elseif host and chance:once_in(4) then
      host.slots, host.closed = chance:int(0, 8), chance:pick { false, "drain", "reclaim" }
      host.load = chance:once_in(2) and chance:int(0, 40) / 8 or nil
    elseif not host and chance:once_in(2) then
      self.hosts[name] = { slots = chance:int(1, 8),
                           source = self.sources[1] and chance:pick(self.sources) or nil }
    end
  end
end

function told:host_rows(source)
  local rows = setmetatable({}, { __jsonorder = HOSTS, __jsontype = "object" })
  for name, host in pairs(self.hosts) do
    if host.source == source then
      rows[name] = { slots = host.slots, closed = host.closed, load = host.load }
      if self.site.planned and self.site.planned[name] and self.chance:once_in(4) then
        rows[name].slots = nil -- as planned
      end
    end
  end
  return rows
end

--- Hosts are of the first group, where there are any.
function told:host_of(task)
  local fits = not self.site.hosted or task.group == self.site.groups[1]
  return fits and "h" .. self.chance:int(1, 3) or nil
end

function told:change()
  local chance = self.chance
  self:change_hosts()
  for _, id in ipairs(self.ids(self.tasks)) do
    local task = self.tasks[id]
    if chance:once_in(6) then
      self.tasks[id] = nil
    elseif chance:once_in(8) then
      task.slots = chance:int(1, 5)
    elseif chance:once_in(task.waits and 3 or 15) then
      task.waits = not task.waits
    elseif task.also and chance:once_in(8) then
      task.also = nil
    elseif chance:once_in(12) then
      task.consumer = chance:pick(self.site.leaves)
    elseif chance:once_in(12) then
      task.host = self:host_of(task)
    end
  end
  for _ = 1, chance:int(0, 8) do
    local id, task = free_id(self.tasks, "t", chance, 30), self:of()
    if id then
      self.born = self.born + 1
      task.id, task.slots, task.began = id, chance:int(1, 4), 1000 + self.born
      local other = self.site.groups[1] and chance:once_in(3)
      task.also = other and self.site.groups[task.group == self.site.groups[1] and 2 or 1]
      task.others = other and chance:int(1, 3)
      task.waits, task.priority = chance:once_in(3), chance:once_in(4) and chance:int(1, 3) or nil
      self.tasks[id] = task
    end
  end
  for _, id in ipairs(self.ids(self.sessions)) do
    if chance:once_in(4) then self.sessions[id] = nil end
  end
  local id, session = free_id(self.sessions, "s", chance, 6), self:of()
  if id and chance:once_in(3) then
    session.id, session.priority = id, tonumber(id:sub(2)) -- no two alike: order decides nothing
    self.sessions[id] = session
  end
end

function told.ids(things)
  local ids = {}
  for id in pairs(things) do ids[#ids + 1] = id end
  table.sort(ids)
  return ids
end

-- What is told ---------------------------------------------------------------------------------

function told:task_rows(source, at)
  local rows, chance = {}, self.chance
  for _, id in ipairs(self.ids(self.tasks)) do
    local task = self.tasks[id]
    if task.source == source then
      local row = { id = id, consumer = task.consumer, group = task.group, slots = task.slots }
      if task.also then -- of both groups
        row.slots = { [task.group] = task.slots, [task.also] = task.others }
      end
      if task.slots == 1 then row.slots = nil end
      if task.waits then
        row.state, row.submitted, row.priority = "pending", task.began, task.priority
      else
        row.host, row.started = task.host, not (at and chance:once_in(8)) and task.began or nil
        row.state = chance:once_in(5) and "running" or nil
      end
      rows[#rows + 1] = row
    end
  end
  return chance:shuffle(rows)
end

function told:session_rows(source)
  local rows = {}
  for _, id in ipairs(self.ids(self.sessions)) do
    local it = self.sessions[id]
    if it.source == source then
      rows[#rows + 1] = { id = id, consumer = it.consumer, group = it.group,
                          priority = it.priority }
    end
  end
  return rows
end

--- A number, or one for some of the groups.
function told:number(low, high)
  if not self.site.groups[1] then return self.chance:int(low, high) end
  local numbers = {}
  for _, group in ipairs(self.site.groups) do
    if self.chance:once_in(2) then numbers[group] = self.chance:int(low, high) end
  end
  return next(numbers) and numbers
end

function told:leaf_rows(source)
  local rows, chance = {}, self.chance
  for i, path in ipairs(self.site.leaves) do
    local its = not source or (i % 2 == 0) == (source == self.one)
    if (its and not chance:once_in(5)) or chance:once_in(15) then
      rows[path] = { demand = chance:once_in(2) and self:number(0, 14) or nil,
                     allocated = chance:once_in(6) and self:number(4, 12) or nil,
                     unlisted = chance:once_in(6) and self:number(0, 3) or nil }
    end
  end
  return rows
end

--- Rows that are wrong, each in its way; most name something that is there.
function told:spoil(call)
  local chance, id = self.chance, "t" .. self.chance:int(1, 30)
  local place = self:of()
  local row = { id = id, consumer = place.consumer, group = place.group }
  local one, tasks = chance:int(0, call.hosts and 11 or 8), call.tasks or {}
  if one == 0 then row.state, row.priority = "pending", 0
  elseif one == 1 then row.slots = 0
  elseif one == 2 then row.consumer = "/nowhere"
  elseif one == 3 then row.colour = "red"
  elseif one == 4 then row.state, row.host = "pending", "h1"
  elseif one == 5 then row.id = nil
  elseif one == 6 and tasks[1] then -- told twice
    local twin = chance:pick(tasks)
    row.id, row.consumer, row.group = twin.id, twin.consumer, twin.group
    row.slots, row.started = 2, 7
  elseif one == 7 and call.consumers then
    call.consumers[place.consumer] = { demand = -1 }
  elseif one == 8 and call.sessions then
    table.insert(call.sessions, { id = "s" .. chance:int(1, 6), consumer = place.consumer,
                                  group = place.group, priority = 0 })
  elseif one == 9 then
    call.hosts[chance:pick(HOSTS)] = { slots = -1 }
  elseif one == 10 then
    call.hosts[chance:pick(HOSTS)] = { closed = "shut" }
  elseif one == 11 then
    call.hosts.h9 = {}
  end
  if one <= 6 and call.tasks and (one < 6 or row.started) then
    table.insert(tasks, chance:int(1, #tasks + 1), row)
  end
end

--- The time of a call, and its number.
function told:time()
  self.count = self.count + 1
  return 1000000 + self.seed * 100 + self.count
end

--- The params of a call, of one of the sources if there are several.
function told:call()
  local chance, source = self.chance, self.sources[1] and self.chance:pick(self.sources) or nil
  local call = { source = source, at = (self.timed or not source) and self:time() or nil }
  if chance:once_in(3) then call.key = ("%d-%d"):format(self.seed, chance:int(1, 1000000)) end
  if not chance:once_in(8) then call.tasks = self:task_rows(source, call.at) end
  if not chance:once_in(8) then call.sessions = self:session_rows(source) end
  if not chance:once_in(8) then call.consumers = self:leaf_rows(source) end
  if self.site.hosted and not chance:once_in(4) then call.hosts = self:host_rows(source) end
  if chance:once_in(4) then
    call.slots = self.site.groups[1] and { cpu = chance:int(5, 25) } or chance:int(5, 25)
  end
  for _ = 1, chance:once_in(2) and chance:int(1, 3) or 0 do self:spoil(call) end
  return call
end

return told
