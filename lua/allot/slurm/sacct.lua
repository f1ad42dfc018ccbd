-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `sacct` prints, as a log of jobs that simulations read. To be asked for so:
---
---     SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert -S 2026-01-01 -E now -o JobIDRaw,JobID,\
---     Account,User,Partition,QOS,AllocTRES,Submit,Eligible,Start,End,ElapsedRaw,State

local core = require "allot.core"
local read = require "allot.slurm.read"
local site = require "allot.slurm.site"
local tree = require "allot.import.tree"

local sacct = {}

local NEEDED = { "JobIDRaw", "JobID", "Account", "User", "AllocTRES", "Submit", "Start", "End",
  "ElapsedRaw", "State" }
local TIMES = { "Submit", "Eligible", "Start", "End" }
-- A record with one of these is followed by another of the same job, which is submitted when this
-- one ends.
local AGAIN = { REQUEUED = true, PREEMPTED = true, NODE_FAIL = true }
local ENDED = { COMPLETED = true, FAILED = true, TIMEOUT = true, CANCELLED = true,
  NODE_FAIL = true, PREEMPTED = true, OUT_OF_MEMORY = true, BOOT_FAIL = true, DEADLINE = true }

local function whole(text) return math.tointeger(tonumber(text or "")) end

local function header_of(line)
  local header = tree.split((line:gsub("\r$", "")))
  local known = {}
  for _, name in ipairs(header) do known[name] = true end
  for _, name in ipairs(NEEDED) do
    if not known[name] then return nil, ("the column %s is missing"):format(name) end
  end
  return header
end

--- A record of a row; nil, a reason.
local function record_of(header, line)
  local fields = tree.split((line:gsub("\r$", "")))
  if #fields ~= #header then
    return nil, ("found %d columns, expected %d"):format(#fields, #header)
  end
  local row = {}
  for i, name in ipairs(header) do row[name] = fields[i] end
  for _, name in ipairs(TIMES) do
    local text = row[name]
    row[name] = whole(text)
    if text and not row[name] and text ~= "Unknown" and text ~= "None" and text ~= "" then
      return nil, ("%s is %q, no number of seconds: ask with SLURM_TIME_FORMAT=%%s"):format(name,
        text:sub(1, 40))
    end
  end
  row.State = row.State:match "^%S*"
  row.slots = read.tres(row.AllocTRES).cpu
  row.ran = whole(row.ElapsedRaw) or 0
  return row
end

--- The records of a text, without steps; nil, a reason, the line.
local function records_of(text)
  local header, why
  local list, number = {}, 0
  for line in text:gmatch "([^\n]*)\n?" do
    number = number + 1
    if number == 1 then
      header, why = header_of(line)
      if not header then return nil, why, 1 end
    elseif line:find "%S" then
      local row, fault = record_of(header, line)
      if not row then return nil, fault, number end
      if not row.JobIDRaw:find(".", 1, true) then list[#list + 1] = row end
    end
  end
  return list
end

--- Jobs, each with its first and its last record. Slurm uses ids again, so a record belongs to the
-- one before only where it was submitted as that one ended.
local function chains_of(records)
  local chains, last = {}, {}
  local order = {}
  for i, row in ipairs(records) do order[i], row.place = row, i end
  table.sort(order, function (a, b)
    if a.Submit ~= b.Submit then return (a.Submit or 0) < (b.Submit or 0) end
    return a.place < b.place
  end)
  for _, row in ipairs(order) do
    local before = last[row.JobIDRaw]
    if before and AGAIN[before.last.State] and before.last.End == row.Submit then
      before.last = row
    else
      last[row.JobIDRaw] = { first = row, last = row }
      chains[#chains + 1] = last[row.JobIDRaw]
    end
  end
  return chains
end

--- Jobs that ran to some end; the number of others by state. Parts of a heterogeneous job are one.
local function jobs_of(chains)
  local jobs, left, leaders = {}, {}, {}
  for _, chain in ipairs(chains) do
    local first, last = chain.first, chain.last
    local base = first.JobID:match "^(%d+)%+%d+$"
    local leader = base and leaders[base .. "@" .. first.Submit]
    if not ENDED[last.State] or not last.slots then
      left[last.State] = (left[last.State] or 0) + 1
    elseif leader then
      leader.slots, leader.run = leader.slots + last.slots, math.max(leader.run, last.ran)
    else
      local job = { at = first.Eligible or first.Submit, place = first.place,
        id = base or first.JobID, slots = last.slots, run = last.ran, user = first.User,
        account = first.Account, qos = first.QOS, partition = first.Partition }
      jobs[#jobs + 1] = job
      if base then leaders[base .. "@" .. first.Submit] = job end
    end
  end
  table.sort(jobs, function (a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.place < b.place
  end)
  return jobs, left
end

local function line_of(job, consumer)
  local words = { ('{"at": %d, "event": "submit", "id": %s'):format(job.at, core.encode(job.id)) }
  local function put(name, value)
    if value and value ~= "" then
      words[#words + 1] = (', "%s": %s'):format(name, core.encode(value))
    end
  end
  put("consumer", consumer)
  put("slots", job.slots)
  put("run", job.run)
  put("user", job.user)
  put("group", job.account)
  put("queue", job.qos)
  put("partition", job.partition)
  return table.concat(words) .. "}\n"
end

--- An event log of sacct's text, with the consumers that a plan's document has for accounts and
-- users; the number of jobs left out, by state. nil, a reason, a line: the text makes no sense.
function sacct.log(text, plan_text)
  local records, why, line = records_of(text)
  if not records then return nil, why, line end
  local plan = site.plan(plan_text, "plan")
  local consumer_of = plan and site.consumer_of(plan)
  local jobs, left = jobs_of(chains_of(records))
  local lines = {}
  for i, job in ipairs(jobs) do lines[i] = line_of(job, consumer_of and consumer_of(job)) end
  return table.concat(lines), left
end

--- The verb's part: writes the log of the file args[1], with the consumers of the plan args[2].
function sacct.show(host, args)
  local function fail(code, line, why)
    host.say { severity = "error", code = code, file = args[1], line = line, message = why }
    return code == "E-io" and 5 or 3
  end
  local text, why = host.read(args[1])
  if not text then return fail("E-io", nil, "cannot be read: " .. why) end
  local log, left, line = sacct.log(text, host.read(args[2]) or "")
  if not log then return fail("E-sacct", line, left) end
  local others = {}
  for state, count in pairs(left) do others[#others + 1] = ("%d %s"):format(count, state) end
  table.sort(others)
  if #others > 0 then
    host.call("note", ("%s: note: jobs that did not run to an end are left out: %s\n"):format(
      args[1], table.concat(others, ", ")))
  end
  host.out(log)
  return 0
end

return sacct
