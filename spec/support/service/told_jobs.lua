-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Jobs of a random cluster that a manager tells by `sync`, and a plain model of what the books of
--- a service have then, by the rules of core/service/README.md. How long jobs ran is left out: no
--- plan here asks.

local random = require "allot.check.random"

local jobs = {}
jobs.__index = jobs

local QUEUES = { "low", "mid", "high" }
local MEMBERS = { id = true, queue = true, slots = true, user = true, priority = true,
                  submitted = true, state = true, hosts = true, started = true }

--- The plan of a site.
function jobs.site(number)
  local chance, hosts = random.new(number), {}
  for i = 1, 3 do hosts["h" .. i] = { slots = chance:int(2, 6) } end
  return { plan = { version = 1, policy = "preemption", hosts = hosts, queues = {
    { name = "low", priority = 10, preemptable = true,
      max_job_preempt = chance:once_in(2) and 2 or nil },
    { name = "mid", priority = 20, ujob_limit = chance:once_in(2) and 3 or nil },
    { name = "high", priority = 30, preemptive = true } } } }
end

--- An empty cluster of a site, and books that have what is there of clusters before.
function jobs.new(chance, seed, books)
  return setmetatable({ chance = chance, seed = seed, count = 0, born = 0, there = {},
    sources = chance:once_in(2) and { "one-" .. seed, "two-" .. seed } or {},
    timed = chance:once_in(2), books = books or {} }, jobs)
end

-- The cluster ----------------------------------------------------------------------------------

function jobs.ids(things)
  local ids = {}
  for id in pairs(things) do ids[#ids + 1] = id end
  table.sort(ids)
  return ids
end

--- A manager carries out what it heard of, or has not yet.
function jobs:carry_out(job)
  local known = self.books[job.id]
  if not known or known.submitted ~= job.submitted or self.chance:once_in(3) then return end
  local runs = known.state == "running"
  job.state, job.hosts = runs and "running" or nil, runs and known.hosts or nil
end

function jobs:submit(id)
  local chance = self.chance
  self.born = self.born + 1
  local job = { id = id, queue = chance:pick(QUEUES), slots = chance:int(1, 5),
                user = chance:pick { "ann", "bob" }, submitted = 1000 + self.born,
                priority = chance:once_in(3) and chance:int(1, 9) or nil,
                source = self.sources[1] and chance:pick(self.sources) or nil }
  if chance:once_in(10) then -- another has started it
    job.state, job.started = "running", 2000 + self.born
    job.hosts = { ["h" .. chance:int(1, 3)] = job.slots }
  end
  self.there[id] = job
end

function jobs:change()
  local chance = self.chance
  for _, id in ipairs(jobs.ids(self.there)) do
    if chance:once_in(5) then
      self.there[id] = nil
    else
      self:carry_out(self.there[id])
      if chance:once_in(10) then self.there[id].priority = chance:int(1, 9) end
    end
  end
  for _ = 1, chance:int(0, 6) do
    local id = "j" .. chance:int(1, 30)
    if not self.there[id] then self:submit(id) end
  end
end

--- A row that is wrong; most name a job that is there.
function jobs:spoil(rows)
  local chance = self.chance
  self.born = self.born + 1
  local row = { id = "j" .. chance:int(1, 30), queue = "low", slots = 2,
                submitted = 1000 + self.born }
  local one = chance:int(1, 6)
  if one == 1 then row.queue = "none"
  elseif one == 2 then row.slots = 0
  elseif one == 3 then row.colour = "red"
  elseif one == 4 then row.id = nil
  elseif one == 5 then row.state = "asleep"
  elseif rows[1] then row.id = chance:pick(rows).id end -- told twice
  if one < 6 or rows[1] then table.insert(rows, chance:int(1, #rows + 1), row) end
end

function jobs:call()
  local chance, rows = self.chance, {}
  local source = self.sources[1] and chance:pick(self.sources) or nil
  for _, id in ipairs(jobs.ids(self.there)) do
    local job = self.there[id]
    if job.source == source then
      local row = {}
      for key in pairs(MEMBERS) do row[key] = job[key] end
      rows[#rows + 1] = row
    end
  end
  chance:shuffle(rows)
  for _ = 1, chance:once_in(2) and chance:int(1, 2) or 0 do self:spoil(rows) end
  self.count = self.count + 1
  return { source = source, jobs = rows,
           at = self.timed and 1000000 + self.seed * 100 + self.count or nil }
end

-- The books ------------------------------------------------------------------------------------

local function is_right(row)
  for key in pairs(row) do
    if not MEMBERS[key] then return false end
  end
  local queue = row.queue == "low" or row.queue == "mid" or row.queue == "high"
  return row.id and queue and row.slots >= 1 and (not row.state or row.state == "running")
end

--- What a row makes of a job. One that the service has started since is told of as it was before.
local function merged(old, row, call)
  if old and call.at and not row.state and old.state == "running"
    and (old.started or 0) >= call.at then
    return old, true
  end
  local job = { source = call.source or (old and old.source), preempted = old and old.preempted }
  for key in pairs(MEMBERS) do job[key] = row[key] end
  if row.state and old and old.state == row.state then job.started = row.started or old.started end
  return job
end

function jobs:tell(call)
  local books, new, seen = self.books, {}, {}
  for _, row in ipairs(call.jobs) do
    local old = books[row.id or ""]
    local may = not (old and old.source and call.source) or old.source == call.source
    if not is_right(row) or (old and not may) then
      seen[row.id or ""] = old and true -- what is not there cannot stay
    elseif not (old and seen[row.id]) and not new[row.id] then
      local job, same = merged(old, row, call)
      if same then job.source = call.source or job.source end
      new[row.id] = job
    end
  end
  for id, job in pairs(books) do
    local ends = not call.source or job.source == call.source
    if not new[id] and not seen[id] and ends then books[id] = nil end
  end
  for id, job in pairs(new) do books[id] = job end
end

--- A decision's orders are carried out in the books at once.
function jobs:enter(decision)
  for _, kind in ipairs { "suspends", "resumes", "starts" } do
    for _, order in ipairs(decision[kind]) do
      local job = self.books[order.job]
      if kind == "suspends" then
        job.state, job.preempted = "suspended", (job.preempted or 0) + 1
      else
        job.state, job.hosts, job.started = "running", order.hosts, decision.now
      end
    end
  end
end

--- All of it as a state's document.
function jobs:state(now)
  local state = { now = now, now_rounded = true, jobs = {} }
  for _, row in ipairs(self:rows()) do
    row.source = nil
    state.jobs[#state.jobs + 1] = row
  end
  return state
end

--- Rows as the list `jobs` has them, but for times that nobody asks for.
function jobs:rows()
  local rows = {}
  for i, id in ipairs(jobs.ids(self.books)) do
    rows[i] = { source = self.books[id].source, preempted = self.books[id].preempted }
    for key in pairs(MEMBERS) do rows[i][key] = self.books[id][key] end
  end
  return rows
end

return jobs
