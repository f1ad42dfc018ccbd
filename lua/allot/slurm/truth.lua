-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The cluster as `sync` reads it: leaves, and tasks that run or wait.
--
-- A job is a task of its id; each task of an array is one; so are all parts of a heterogeneous job
-- together. Slurm uses an id again after it lost a job, so `sync` also gets when it was submitted.

local core = require "allot.core"
local array = require "allot.slurm.array"
local limit = require "allot.slurm.limit"
local read = require "allot.slurm.read"
local reason = require "allot.slurm.reason"

local truth = {}

local HOLDS = { RUNNING = true, COMPLETING = true, CONFIGURING = true, SIGNALING = true,
  STAGE_OUT = true, STOPPED = true, RESIZING = true, SUSPENDED = true }
-- What a suspended job gives back.
local SUSPENDED = { cpu = true, node = true, billing = true }

--- One of at most 256 priorities, in steps of an eighth: one that grows with the waiting time
-- shall not change the task at each look. Larger ones start first.
local function step_of(priority)
  local bits, at = 0, priority
  while at > 7 do bits, at = bits + 1, at >> 1 end
  return math.min(10000, 8 * bits + at + 1)
end

--- Whether a job runs in a partition, or waits for it, maybe beside others.
local function is_in(job, partition)
  return not partition or ("," .. job.partition .. ","):find("," .. partition .. ",", 1, true)
end

--- The job's amount of each group; nil: it has nothing to do with any. One that waits for several
-- partitions is of the group that comes first.
local function amounts_of(job, site)
  local amounts, some, found = {}, false, {}
  for i, group in ipairs(site.groups) do
    local inside = is_in(job, group.partition) and not found[group.tres]
      and not (job.state == "SUSPENDED" and SUSPENDED[group.tres])
    local amount = inside and job.amounts[group.tres] or 0
    if inside and job.shares == "NO" and job.state == "PENDING" then
      amount = math.max(amount, site.whole_nodes(job, group))
    end
    amounts[i], some = amount, some or amount > 0
    found[group.tres] = inside or found[group.tres]
  end
  return some and amounts or nil
end

--- What Slurm counts of a job in its account's ceilings, and the account's consumer does not have:
-- amounts in a partition of no group, or all, of a job that is another's. nil: nothing.
local function beside_of(job, leaf, amounts, site)
  local own, list = leaf and site.is_of(leaf, job.account), {}
  for i, group in ipairs(site.groups) do
    list[group.tres] = (list[group.tres] or job.amounts[group.tres] or 0)
      - (own and amounts and amounts[i] or 0)
  end
  for tres, amount in pairs(list) do
    if amount <= 0 then list[tres] = nil end
  end
  return next(list) and list
end

local function add(to, amounts, times)
  for i, amount in ipairs(amounts) do to[i] = (to[i] or 0) + amount * (times or 1) end
end

local function written(site, amounts)
  if site.single then return tostring(amounts[1] or 0) end
  local words = {}
  for i, group in ipairs(site.groups) do
    if (amounts[i] or 0) > 0 then
      words[#words + 1] = ("%s: %d"):format(core.encode(group.name), amounts[i])
    end
  end
  return "{" .. table.concat(words, ", ") .. "}"
end

local function task_json(job, site, entry, amounts)
  local words = { ', "consumer": ', core.encode(entry.leaf), ', "slots": ',
    written(site, amounts), ', "submitted": ', job.submitted, ', "priority": ',
    step_of(job.priority), ', "state": "', entry.state, '"' }
  if job.restarts > 0 then words[#words + 1] = ', "preempted": ' .. job.restarts end
  if entry.state == "running" and job.started then
    words[#words + 1] = ', "started": ' .. job.started
  end
  local tags = site.tags_of(job)
  if #tags > 0 then words[#words + 1] = ', "tags": ' .. core.encode(core.list(tags)) end
  return table.concat(words) .. "}"
end

-- ---- A job --------------------------------------------------------------------------------------

--- Amounts of the same numbers are one table: a cluster has few sizes of jobs.
local function shared(amounts, site)
  local key = table.concat(amounts, " ")
  local known = site.shared[key]
  if not known then site.shared[key], known = amounts, amounts end
  return known
end

--- Jobs of the same account, user, partition and QOS meet the same limits: one table for them.
local function party_of(job, site)
  local key = table.concat({ job.account, job.user, job.partition, job.qos }, "|")
  local known = site.shared[key] or { account = job.account, user = job.user,
    partition = job.partition, qos = job.qos }
  site.shared[key] = known
  return known
end

--- All that passes need of a job, kept as long as its line stays the same: `state` (nil: the job
-- has and wants nothing), `name` as the task's id and for Slurm's commands, the task's `text`, ...
local function entry_of(job, site, amounts)
  local holds = HOLDS[job.state]
  if not holds and job.state ~= "PENDING" then return {} end
  if not holds then
    if job.reserved then return {} end -- its slots are those of the reservation
    local wants, unknown = reason.wants(job, site.ceilings, site.hold)
    if not wants then return { unknown = amounts and unknown and job.reason } end
  end
  local leaf = amounts and site.consumer_of(job)
  local beside, party = beside_of(job, leaf, amounts, site), party_of(job, site)
  if not amounts then return { beside = beside, party = party, waiting = job.waiting } end
  local entry = {
    state = holds and "running" or "pending", amounts = shared(amounts, site), beside = beside,
    leaf = leaf, account = job.account, ending = job.state == "COMPLETING",
    requeues = job.batch and job.requeue, held = reason.is_hold(job.reason), waiting = job.waiting,
    party = party, tres = job.amounts,
    name = job.het and tostring(job.het)
      or job.name:match(job.waiting and "^%d+" or "^[^%+]*"),
  }
  entry.array = holds and entry.name:match "^(%d+)_"
  entry.spared = holds and not site.cancel
    and (not entry.requeues or job.reserved or job.state == "SUSPENDED")
  entry.submitted, entry.tres.job = job.submitted, 1
  local rest = entry.leaf and task_json(job, site, entry, amounts)
  if job.waiting then entry.rest = rest
  elseif rest then entry.text = '{"id": "' .. entry.name .. '"' .. rest end
  return entry
end

--- Parts of heterogeneous jobs, put together as their first ones; each may be in another partition.
local function joined(parts, site)
  local leaders, list, sums = {}, {}, {}
  for _, job in ipairs(parts) do
    local amounts, leader = amounts_of(job, site), leaders[job.het]
    if leader then
      for name, amount in pairs(job.amounts) do
        leader.amounts[name] = (leader.amounts[name] or 0) + amount
      end
    else
      leaders[job.het], list[#list + 1] = job, job
    end
    local before = sums[job.het]
    if amounts and before then add(before, amounts) end
    sums[job.het] = before or amounts
  end
  for i, job in ipairs(list) do list[i] = entry_of(job, site, sums[job.het]) end
  return list
end

--- The entries of squeue's text, in its order, from those of the lines before; nil, a reason.
local function entries_of(text, known, site)
  local list, lines, parts = {}, {}, {}
  local count = 0
  for line in text:gmatch "[^\n]+" do
    local entry = known[line]
    count = count + 1
    if not entry then
      local job = read.job(line)
      if not job then
        return nil, ("squeue's line %d makes no sense: %q"):format(count, line:sub(1, 200))
      end
      if job.het then
        parts[#parts + 1] = job
      else
        entry = entry_of(job, site, amounts_of(job, site))
      end
    end
    if entry then list[#list + 1], lines[line] = entry, entry end
  end
  for _, entry in ipairs(joined(parts, site)) do list[#list + 1] = entry end
  return list, lines
end

-- ---- Leaves -------------------------------------------------------------------------------------

local function leaf_of(out, path)
  local leaf = out.leaves[path]
  if not leaf then
    leaf = { held = {}, demand = {}, unlisted = {}, listed = {} }
    out.leaves[path] = leaf
  end
  return leaf
end

local function put(out, id, text, entry)
  out.tasks[#out.tasks + 1] = text
  out.jobs[id] = entry
end

--- Do more waiting tasks of the leaf change nothing, since the cluster cannot hold those listed?
local function enough(leaf, site)
  for i, size in ipairs(site.sizes) do
    if size > 0 and (leaf.listed[i] or 0) >= size then return true end
  end
  return false
end

--- Is a task larger than all there is? It never starts, and nothing behind it waits for that.
local function too_large(entry, site)
  for i, size in ipairs(site.sizes) do
    if size >= 0 and entry.amounts[i] > size then return true end
  end
  return false
end

local function put_running(out, leaf, entry)
  add(leaf.held, entry.amounts)
  add(leaf.demand, entry.amounts)
  if entry.spared then
    add(leaf.unlisted, entry.amounts)
  else
    put(out, entry.name, entry.text, entry)
  end
end

--- The tasks of an array that may start beside those that run.
local function put_array(out, leaf, entry, site)
  local waiting, running = entry.waiting, out.running[entry.name] or 0
  local many = waiting.throttle
    and math.max(0, math.min(waiting.count, waiting.throttle - running)) or waiting.count
  many = limit.let(out.used, site.limits_of(entry.party), entry.tres, many)
  add(leaf.demand, entry.amounts, many)
  for _, number in ipairs(array.first(waiting, many)) do
    if enough(leaf, site) then return end
    local id = ("%s_%d"):format(entry.name, number)
    put(out, id, ('{"id": "%s"%s'):format(id, entry.rest), entry)
    add(leaf.listed, entry.amounts)
  end
end

local function put_waiting(out, leaf, entry, site)
  if entry.waiting then return put_array(out, leaf, entry, site) end
  local limits = site.limits_of(entry.party)
  if limit.let(out.used, limits, entry.tres, 1) == 0 then return end
  add(leaf.demand, entry.amounts)
  if enough(leaf, site) then return end
  put(out, entry.name, entry.text, entry)
  add(leaf.listed, entry.amounts)
end

local function put_beside(out, entry)
  local times = entry.waiting and entry.waiting.count or 1
  for _, key in ipairs { entry.party.account, entry.party.account .. "/" .. entry.party.user } do
    local sums = out.beside[key] or {}
    out.beside[key] = sums
    for tres, amount in pairs(entry.beside) do sums[tres] = (sums[tres] or 0) + times * amount end
  end
end

local function put_entry(out, entry, site)
  if entry.beside then put_beside(out, entry) end
  if not entry.leaf then
    if entry.state == "running" then
      add(out.outside, entry.amounts)
      out.strangers[entry.account] = (out.strangers[entry.account] or 0) + 1
    end
  elseif entry.state == "running" then
    put_running(out, leaf_of(out, entry.leaf), entry)
  elseif not too_large(entry, site) then
    put_waiting(out, leaf_of(out, entry.leaf), entry, site)
  end
end

--- What runs is counted before what waits.
local function count(out, entry, site)
  if entry.array then out.running[entry.array] = (out.running[entry.array] or 0) + 1 end
  if entry.state == "running" then
    limit.use(out.used, site.limits_of(entry.party), entry.tres, 1)
  end
  if entry.unknown then out.unknown[entry.unknown] = (out.unknown[entry.unknown] or 0) + 1 end
end

-- ---- All of it ----------------------------------------------------------------------------------

--- The plan's leaves, and those with jobs that its wildcards stand for.
local function paths_of(out, site)
  local paths = {}
  for path in pairs(out.leaves) do
    if not site.is_leaf[path] then paths[#paths + 1] = path end
  end
  table.sort(paths)
  table.move(paths, 1, #paths, #site.leaves + 1)
  return table.move(site.leaves, 1, #site.leaves, 1, paths)
end

local function consumers_json(out, site)
  local words = {}
  for _, path in ipairs(paths_of(out, site)) do
    local leaf = out.leaves[path] or { held = {}, demand = {}, unlisted = {} }
    local unlisted = {}
    for i = 1, #site.groups do unlisted[i] = leaf.unlisted[i] or 0 end
    words[#words + 1] = ('%s: {"demand": %s, "allocated": %s, "unlisted": %s}'):format(
      core.encode(path), written(site, leaf.demand), written(site, leaf.held),
      written(site, unlisted))
  end
  return "{" .. table.concat(words, ", ") .. "}"
end

--- Slots of the nodes that Slurm may use, less those of jobs that no consumer stands for. Of a TRES
-- that no node has (billing) the plan knows how much there is.
local function sizes_json(out, site)
  local sizes = {}
  for i, size in ipairs(site.sizes) do
    sizes[i] = size >= 0 and math.max(0, size - (out.outside[i] or 0)) or nil
  end
  if site.single then return sizes[1] and ('"slots": %d, '):format(sizes[1]) or "" end
  local words = {}
  for i, group in ipairs(site.groups) do
    if sizes[i] then
      words[#words + 1] = ("%s: %d"):format(core.encode(group.name), sizes[i])
    end
  end
  return #words > 0 and ('"slots": {%s}, '):format(table.concat(words, ", ")) or ""
end

--- Of squeue's text: members of a state and of `sync`, as `body`; `jobs`, entries by the ids of
-- their tasks; `strangers`, the number of running jobs of each account that no consumer stands for;
-- `unknown`, how many jobs wait for a reason that is not known, by it; `leaves`, what they have;
-- `beside`, by "account" and "account/user" the amounts by TRES that Slurm counts there and that
-- are not of the account's consumer; `lines`, to be handed in as `known` next time. nil, a reason:
-- a line makes no sense, so nothing of the text can be believed.
function truth.of(text, known, site)
  local list, lines = entries_of(text, known, site)
  if not list then return nil, lines end
  local out = { tasks = {}, jobs = {}, leaves = {}, outside = {}, strangers = {}, running = {},
    used = {}, unknown = {}, beside = {}, lines = lines }
  for _, entry in ipairs(list) do count(out, entry, site) end
  for _, entry in ipairs(list) do put_entry(out, entry, site) end
  out.body = ('%s"consumers": %s, "tasks": [%s]'):format(sizes_json(out, site),
    consumers_json(out, site), table.concat(out.tasks, ", "))
  return out
end

return truth
