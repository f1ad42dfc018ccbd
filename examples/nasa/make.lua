-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Makes this folder's plan and states from the log of the iPSC/860 at NASA Ames:
--
--     lua5.4 examples/nasa/make.lua NASA-iPSC-1993-3.1-cln.swf.gz [FOLDER]
--
-- The same log gives the same bytes. Without FOLDER the files go beside this script.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/../../lua/?.lua;" .. package.path
local swf = require "allot.swf"

local SLOTS = 128
local DUE_WITHIN = 600 -- jobs that start within so many seconds are demand now
local STATES = 3 -- so many moments,
local APART = 7 * 86400 -- so many seconds apart
local SYSTEM = 2 -- the group of system personnel
local SYSTEM_OWNS, SYSTEM_RESERVES = 8, 4
local LARGE_OWNER, LARGE_LIMIT = 16, 96

-- The log ----------------------------------------------------------------------------------------

local function read_jobs(path)
  local log = assert(swf.open(path))
  local jobs = {}
  for job in log:jobs() do
    jobs[#jobs + 1] = job
  end
  return jobs, assert(log:number "UnixStartTime", "the log does not tell its UnixStartTime")
end

--- Users in order of number: {user, group, used = processor seconds}.
local function users_of(jobs)
  local by_user, users = {}, {}
  for _, job in ipairs(jobs) do
    local user = by_user[job.user]
    if not user then
      user = { number = job.user, group = job.group, used = 0 }
      by_user[job.user] = user
      users[#users + 1] = user
    end
    user.used = user.used + job.run * job.processors
  end
  table.sort(users, function (a, b)
    return a.number < b.number
  end)
  return users
end

-- The plan ---------------------------------------------------------------------------------------

--- Divides slots by use: floors, then one each to the largest remainders.
local function divide(users, slots)
  local total = 0
  for _, user in ipairs(users) do
    total = total + user.used
  end
  local left, order = slots, { table.unpack(users) }
  for _, user in ipairs(users) do
    user.owned = user.used * slots // total
    user.rest = user.used * slots % total
    left = left - user.owned
  end
  table.sort(order, function (a, b)
    if a.rest ~= b.rest then
      return a.rest > b.rest
    end
    return a.number < b.number
  end)
  for i = 1, left do
    order[i].owned = order[i].owned + 1
  end
end

local function user_line(user)
  local out = { ('{"name": "u%d"'):format(user.number) }
  if user.owned > 0 then
    out[#out + 1] = ('"owned": %d'):format(user.owned)
  else
    out[#out + 1] = '"rank": 10'
  end
  if user.owned >= LARGE_OWNER then
    out[#out + 1] = ('"limit": %d'):format(LARGE_LIMIT)
  end
  return "      " .. table.concat(out, ", ") .. "}"
end

local function group_lines(group, users, owned, more)
  local lines = {}
  for _, user in ipairs(users) do
    if (user.group == SYSTEM) == (group == SYSTEM) then
      lines[#lines + 1] = user
    end
  end
  divide(lines, owned)
  for i, user in ipairs(lines) do
    lines[i] = user_line(user)
  end
  return ('    {"name": "g%d", "owned": %d%s, "children": [\n%s\n    ]}'):format(
    group, owned, more, table.concat(lines, ",\n"))
end

local HEADER = [[
// 69 users share the %d processors of an iPSC/860 (NASA Ames, October to December 1993).
//
// Made by make.lua from the log of the Parallel Workloads Archive; see README.md.
//  * g1 are normal users, g2 is system personnel, as the log numbers them.
//  * g2 owns %d slots and %d of them are reserved: never lent, there at once.
//  * Inside a group a user owns what it used of the group's processor time, rounded to whole slots
//    (largest remainders); the sums balance. Who used too little for one slot owns none and
//    ranks 10, behind the owners: it works on what they leave.
//  * Nobody who owns %d slots or more may hold more than %d: one user cannot fill the machine.
]]

local function plan_text(users)
  local header = HEADER:format(SLOTS, SYSTEM_OWNS, SYSTEM_RESERVES, LARGE_OWNER, LARGE_LIMIT)
  local reserve = (', "reserve": %d'):format(SYSTEM_RESERVES)
  return header .. ([[
{
  "version": 1,
  "slots": %d,
  "policy": "hybrid",
  "consumers": [
%s,
%s
  ]
}
]]):format(SLOTS, group_lines(1, users, SLOTS - SYSTEM_OWNS, ""),
    group_lines(SYSTEM, users, SYSTEM_OWNS, reserve))
end

-- The states -------------------------------------------------------------------------------------

--- The moment at which jobs[i] has just started: {running jobs, due jobs, processors of each}.
local function moment_at(jobs, i, running)
  local time = jobs[i].submit
  local moment = { time = time, running = {}, due = {}, held = 0, wanted = 0 }
  for _, job in ipairs(running) do
    if time < job.submit + job.run then
      moment.running[#moment.running + 1] = job
      moment.held = moment.held + job.processors
    end
  end
  while jobs[i + 1] and jobs[i + 1].submit <= time + DUE_WITHIN do
    i = i + 1
    moment.due[#moment.due + 1] = jobs[i]
    moment.wanted = moment.wanted + jobs[i].processors
  end
  return moment
end

local function consumer_of(job)
  return ("/g%d/u%d"):format(job.group == SYSTEM and SYSTEM or 1, job.user)
end

--- How many different users a list of jobs has.
local function crowd(...)
  local seen, count = {}, 0
  for _, list in ipairs { ... } do
    for _, job in ipairs(list) do
      count = count + (seen[job.user] and 0 or 1)
      seen[job.user] = true
    end
  end
  return count
end

--- The moments at which most users want slots of a full machine: a job has just started, what
--- runs fits the machine, and what is due does not.
local function busiest(jobs)
  local moments, running = {}, {}
  for i, job in ipairs(jobs) do
    running[#running + 1] = job
    if i == #jobs or jobs[i + 1].submit ~= job.submit then
      local moment = moment_at(jobs, i, running)
      running = { table.unpack(moment.running) }
      if moment.held <= SLOTS and moment.held + moment.wanted > SLOTS then
        moment.users = crowd(moment.running, moment.due)
        moments[#moments + 1] = moment
      end
    end
  end
  table.sort(moments, function (a, b)
    if a.users ~= b.users then
      return a.users > b.users
    elseif a.wanted + a.held ~= b.wanted + b.held then
      return a.wanted + a.held > b.wanted + b.held
    end
    return a.time < b.time
  end)
  return moments
end

--- The first so many that are far enough from one another, in order of time.
local function pick(moments)
  local out = {}
  for _, moment in ipairs(moments) do
    local far = #out < STATES
    for _, other in ipairs(out) do
      far = far and math.abs(other.time - moment.time) >= APART
    end
    if far then
      out[#out + 1] = moment
    end
  end
  table.sort(out, function (a, b)
    return a.time < b.time
  end)
  return out
end

local function consumer_lines(moment, users)
  local rows = {}
  for _, job in ipairs(moment.running) do
    local row = rows[job.user] or { held = 0, demand = 0 }
    rows[job.user] = row
    row.held, row.demand = row.held + job.processors, row.demand + job.processors
  end
  for _, job in ipairs(moment.due) do
    local row = rows[job.user] or { held = 0, demand = 0 }
    rows[job.user] = row
    row.demand = row.demand + job.processors
  end
  local lines = {}
  for _, user in ipairs(users) do
    local row = rows[user.number]
    if row then
      lines[#lines + 1] = ('    "%s": {"demand": %d, "allocated": %d}'):format(
        consumer_of { group = user.group, user = user.number }, row.demand, row.held)
    end
  end
  return table.concat(lines, ",\n")
end

local function task_lines(moment, epoch)
  local lines = {}
  for i, job in ipairs(moment.running) do
    lines[i] = ('    {"id": "job-%d", "consumer": "%s", "slots": %d, "started": %d}'):format(
      job.id, consumer_of(job), job.processors, epoch + job.submit)
  end
  return table.concat(lines, ",\n")
end

local function state_text(moment, users, epoch)
  return ([[
{
  "now": %d,
  "consumers": {
%s
  },
  "tasks": [
%s
  ]
}
]]):format(epoch + moment.time, consumer_lines(moment, users), task_lines(moment, epoch))
end

-- The files --------------------------------------------------------------------------------------

local function save(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function main(log_path, folder)
  local jobs, epoch = read_jobs(log_path)
  local users = users_of(jobs)
  save(folder .. "/plan.json", plan_text(users))
  for i, moment in ipairs(pick(busiest(jobs))) do
    save(("%s/state-%d.json"):format(folder, i), state_text(moment, users, epoch))
  end
end

if not arg[1] then
  io.stderr:write("usage: lua5.4 make.lua LOG [FOLDER]\n")
  os.exit(2)
end
main(arg[1], arg[2] or here)
