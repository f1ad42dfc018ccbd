-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Makes a plan to begin with for any log in the Standard Workload Format, of its groups and users:
--
--     lua5.4 examples/log/plan_of_log.lua log.swf.gz > plan.json
--     allot simulate plan.json log.swf.gz
--
-- A group owns what it used of the processor time, in whole slots (largest remainders); inside a
-- group a user's `share` is what it used, in thousandths of the group's time, and owned slots are
-- divided likewise. Users that used too little for a slot own none. Edit the plan.
--
-- Where nobody waits, no policy makes a difference. So the plan has the slots of the machine only
-- if jobs would contend for them, else as many as suffice for 95 % of the time, if every job
-- started at once; but no job is wider than the plan.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/../../lua/?.lua;" .. package.path
local swf = require "allot.swf"

--- How many slots suffice for 95 % of the time in which some job runs, if all start at once.
local function enough(events)
  local seconds, levels, all, level, last = {}, {}, 0, 0, 0
  table.sort(events, function (a, b) return a.at < b.at end)
  for _, it in ipairs(events) do
    if level > 0 then
      if not seconds[level] then levels[#levels + 1] = level end
      seconds[level], all = (seconds[level] or 0) + it.at - last, all + it.at - last
    end
    level, last = level + it.slots, it.at
  end
  table.sort(levels)
  local sum = 0
  for _, slots in ipairs(levels) do
    sum = sum + seconds[slots]
    if sum * 20 >= all * 19 then return slots end
  end
  return 1
end

--- The use of groups and their users, in order of number: { name, used, members }.
local function read(path)
  local log = assert(swf.open(path))
  local groups, widest, events = {}, 1, {}
  for job in log:jobs() do
    local slots = job.processors or job.requested_processors or 0
    local used = (job.run or 0) * slots
    local group = groups[job.group or -1] or { number = job.group or -1, used = 0, members = {} }
    groups[group.number] = group
    local user = group.members[job.user or -1] or { number = job.user or -1, used = 0 }
    group.members[user.number] = user
    group.used, user.used = group.used + used, user.used + used
    widest = math.max(widest, slots)
    if slots > 0 and (job.run or 0) > 0 and job.submit then
      events[#events + 1] = { at = job.submit, slots = slots }
      events[#events + 1] = { at = job.submit + job.run, slots = -slots }
    end
  end
  local machine = log:number "MaxProcs" or log:number "MaxNodes" or widest
  return groups, math.max(widest, math.min(machine, enough(events)))
end

local function in_order(rows)
  local out = {}
  for _, row in pairs(rows) do out[#out + 1] = row end
  table.sort(out, function (a, b) return a.number < b.number end)
  return out
end

--- Divides slots by use: floors, then one each to the largest remainders.
local function divide(rows, slots)
  local total, left, order = 0, slots, { table.unpack(rows) }
  for _, row in ipairs(rows) do total = total + row.used end
  for _, row in ipairs(rows) do
    row.owned = total > 0 and row.used * slots // total or 0
    row.rest = total > 0 and row.used * slots % total or 0
    row.share = total > 0 and math.max(1, row.used * 1000 // total) or 1
    left = left - row.owned
  end
  table.sort(order, function (a, b)
    if a.rest ~= b.rest then return a.rest > b.rest end
    return a.number < b.number
  end)
  for i = 1, total > 0 and left or 0 do order[i].owned = order[i].owned + 1 end
end

local function name_of(prefix, number)
  return number < 0 and prefix .. "_unknown" or prefix .. number
end

local function user_lines(rows, indent)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = ('%s{"name": "%s", "owned": %d, "share": %d}'):format(indent,
      name_of("u", row.number), row.owned, row.share)
  end
  return table.concat(lines, ",\n")
end

local function group_lines(groups)
  local lines = {}
  for i, group in ipairs(groups) do
    local users = in_order(group.members)
    divide(users, group.owned)
    lines[i] = ('    {"name": "%s", "owned": %d, "share": %d, "children": [\n%s\n    ]}'):format(
      name_of("g", group.number), group.owned, group.share, user_lines(users, "      "))
  end
  return table.concat(lines, ",\n")
end

local function main(path)
  local by_number, slots = read(path)
  local groups = in_order(by_number)
  local lines
  if #groups == 1 and groups[1].number < 0 then -- a log without groups
    local users = in_order(groups[1].members)
    divide(users, slots)
    lines = user_lines(users, "    ")
  else
    divide(groups, slots)
    lines = group_lines(groups)
  end
  print(('// Made by examples/log/plan_of_log.lua of %s.'):format(path:match "[^/]*$"))
  print(('{\n  "version": 1,\n  "slots": %d,\n  "policy": "hybrid",\n  "consumers": [\n%s\n  ]\n}')
    :format(slots, lines))
end

if not arg[1] then
  io.stderr:write("usage: lua5.4 plan_of_log.lua LOG\n")
  os.exit(2)
end
main(arg[1])
