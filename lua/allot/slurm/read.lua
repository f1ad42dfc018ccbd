-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What Slurm's commands print, as tables: jobs of squeue, nodes of sinfo, accounts of sacctmgr.
--
-- No column has free text. A job's user writes its name and its comment, and a line break in them
-- would let the user forge the line of another job.

local array = require "allot.slurm.array"
local tree = require "allot.import.tree"

local read = {}

local SEPARATOR = "\31"

-- squeue's columns, and the members that they become.
local JOB = {
  { "JobArrayID", "name" }, { "JobID", "number" }, { "State", "state" }, { "Reason", "reason" },
  { "Account", "account" }, { "UserName", "user" }, { "Partition", "partition" },
  { "QOS", "qos" }, { "tres-alloc", "tres" }, { "SubmitTime", "submitted" },
  { "StartTime", "started" }, { "PriorityLong", "priority" }, { "RestartCnt", "restarts" },
  { "Requeue", "requeue" }, { "BatchFlag", "batch" }, { "Reservation", "reservation" },
  { "HetJobID", "het" }, { "ArrayTaskID", "array" }, { "OverSubscribe", "shares" },
  { "ReqNodes", "nodes" },
}
local NODE = {
  { "NodeList", "name" }, { "CPUsState", "cpus" }, { "StateComplete", "state" },
  { "Partition", "partition" }, { "Gres", "gres" }, { "GresUsed", "gres_used" },
  { "Memory", "memory" }, { "AllocMem", "memory_used" },
}
local STATES = "PD,R,CG,S,CF,SI,SO,ST,RS"

local function columns(rows)
  local words = {}
  for i, row in ipairs(rows) do words[i] = row[1] .. ":" .. SEPARATOR end
  return table.concat(words, ",")
end

read.jobs_command = { "squeue", "-h", "-a", "-t", STATES, "-S", "-p,V,i", "-O",
  columns(JOB) }
read.nodes_command = { "sinfo", "-h", "-a", "-N", "-O", columns(NODE) }
read.accounts_command = { "sacctmgr", "-n", "-P", "list", "assoc",
  "format=Account,User,ParentName,GrpTRES,Partition,GrpJobs,MaxJobs,MaxTRES,Cluster" }

read.config_command = { "scontrol", "show", "config" }

--- What the commands need to be told: times as numbers, array tasks in full.
read.environment = { SLURM_TIME_FORMAT = "%s", SLURM_BITSTR_LEN = "0", LC_ALL = "C" }

--- A line of such columns; nil where their number is another.
local function fields(rows, line)
  local row, at = {}, 1
  for _, column in ipairs(rows) do
    local stop = line:find(SEPARATOR, at, true)
    if not stop then return nil end
    row[column[2]] = line:sub(at, stop - 1)
    at = stop + 1
  end
  return not line:find("%S", at) and row or nil
end

local function whole(text)
  return text:find "^%d+$" and math.tointeger(tonumber(text)) or nil
end

--- The amounts of "cpu=4,mem=2G,node=1,gres/gpu=1"; memory in MiB.
local UNITS = { K = 1 / 1024, M = 1, G = 1024, T = 1048576, P = 1073741824 }
function read.tres(text)
  local amounts = {}
  for name, number, unit in text:gmatch "([%w_/:%-]+)=([%d.]+)(%a?)" do
    amounts[name] = math.ceil(tonumber(number) * (name == "mem" and UNITS[unit] or 1))
  end
  return amounts
end

--- The amounts of "gpu:a100:4(S:0-1),gpu:2", by name, and by name and type.
local function gres(text)
  local amounts = {}
  for word in text:gsub("%b()", ""):gmatch "[^,]+" do
    local name, kind, number = word:match "^([%w_%-]+):?([%w_.%-]*):(%d+)$"
    number = whole(number or "")
    if number then
      amounts["gres/" .. name] = (amounts["gres/" .. name] or 0) + number
      if kind ~= "" then amounts["gres/" .. name .. ":" .. kind] = number end
    end
  end
  return amounts
end

-- ---- Jobs ---------------------------------------------------------------------------------------

--- A job of squeue's line; nil where the line makes no sense.
function read.job(line)
  local job = fields(JOB, line)
  if not job then return nil end
  job.submitted, job.priority = whole(job.submitted), whole(job.priority)
  job.restarts, job.started = whole(job.restarts) or 0, whole(job.started)
  if not (job.submitted and job.priority and job.name:find "^%d") then return nil end
  job.amounts = read.tres(job.tres)
  job.batch, job.requeue = job.batch == "1", job.requeue ~= "0"
  job.het = whole(job.het)
  job.wants_nodes = job.nodes:find "^[%w]" ~= nil
  job.reserved = job.reservation ~= "(null)" and job.reservation ~= ""
  job.waiting = job.name:find("[", 1, true) and array.read(job.array) or nil
  return job
end

-- ---- Nodes --------------------------------------------------------------------------------------

--- A node that can start nothing more, or only jobs of a reservation, offers what is in use there.
-- The second result is what it has for a job that takes all of it.
local function amounts_of(node)
  local used, idle, other, all = node.cpus:match "^(%d+)/(%d+)/(%d+)/(%d+)$"
  if not used then return nil end
  local closed = whole(other) > 0 and whole(idle) == 0 and whole(used) + whole(other) == whole(all)
    or node.state:find "%+reserved" or node.state:find "maint"
  local amounts, alone = gres(closed and node.gres_used or node.gres), gres(node.gres)
  amounts.cpu, alone.cpu = whole(used) + (closed and 0 or whole(idle)), whole(all)
  amounts.node = (not closed or whole(used) > 0) and 1 or 0
  amounts.mem = whole(closed and node.memory_used or node.memory) or 0
  return amounts, alone
end

--- The nodes of sinfo's text by name: { amounts =, alone =, partitions = set }; nil, a reason.
function read.nodes(text)
  local nodes, count = {}, 0
  for line in text:gmatch "[^\n]+" do
    count = count + 1
    local row = fields(NODE, line)
    local amounts, alone
    if row then amounts, alone = amounts_of(row) end
    if not amounts then
      return nil, ("sinfo's line %d makes no sense: %q"):format(count, line:sub(1, 200))
    end
    local node = nodes[row.name] or { amounts = amounts, alone = alone, partitions = {} }
    node.partitions[row.partition:gsub("%*$", "")] = true
    nodes[row.name] = node
  end
  if count == 0 then return nil, "sinfo lists no node" end
  return nodes
end

-- ---- Accounts -----------------------------------------------------------------------------------

--- Rows of so many fields that sacctmgr prints; nil, a reason.
function read.rows(text, width)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local row = tree.split(line)
    if #row ~= width then
      return nil, ("sacctmgr's line %d makes no sense: %q"):format(#rows + 1, line:sub(1, 200))
    end
    rows[#rows + 1] = row
  end
  return rows
end

--- Amounts that may be in use at once, with the number of jobs (`job`).
function read.limits(tres, ...)
  local amounts = read.tres(tres)
  for _, jobs in ipairs { ... } do
    amounts.job = math.min(amounts.job or math.maxinteger, whole(jobs) or math.maxinteger)
  end
  if amounts.job == math.maxinteger then amounts.job = nil end
  return amounts
end

local function put_association(accounts, row)
  local name, user, parent, tres, partition = table.unpack(row)
  local account = accounts[name] or { limits = {}, associations = {} }
  accounts[name] = account
  if user == "" then
    account.parent, account.limits = parent ~= "" and parent or nil, read.limits(tres, row[6])
  else
    account.associations[user .. "|" .. partition] = { user = user, partition = partition,
      limits = read.limits(tres, row[6], row[7]), each = read.tres(row[8]),
      key = table.concat({ name, user, partition }, "|") }
  end
end

--- Accounts by name: { parent =, limits = amounts, associations }, these { user =, partition =,
-- key =, limits =, each = } by user and partition, for read.association; nil, a reason. Those of
-- other clusters than that are left out: the second result is whether there are any.
function read.accounts(text, cluster)
  local accounts, others = {}, false
  local rows, why = read.rows(text, 9)
  if not rows then return nil, why end
  for _, row in ipairs(rows) do
    if cluster and row[9] ~= cluster then others = true else put_association(accounts, row) end
  end
  return accounts, others
end

--- The association that a job counts in: that of its partition, if there is one; nil: none.
function read.association(accounts, job)
  local of = (accounts[job.account] or { associations = {} }).associations
  return of[job.user .. "|" .. job.partition] or of[job.user .. "|"]
end

return read
