-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The cluster as `sync` reads it: leaves, and tasks that run or wait.
--
-- A job is a task, named "ID@SUBMITTED", since Slurm uses an id again after it lost a job. Each
-- task of an array is one; so are all parts of a heterogeneous job together.

local core = require "allot.core"
local array = require "allot.slurm.array"

local truth = {}

local HOLDS = { RUNNING = true, COMPLETING = true, CONFIGURING = true, SIGNALING = true,
  STAGE_OUT = true, STOPPED = true, RESIZING = true }

-- Why a job waits for slots. For any other reason (a dependency, a hold, a time, a licence, another
-- limit) more slots would not start it, and it demands nothing. Slurm writes the first reason that
-- it meets, so those of the ceilings belong here.
local WAITS = { None = true, Resources = true, Priority = true, AssocGrpCpuLimit = true,
  AssocGrpGRES = true, AssocGrpMemLimit = true, AssocGrpBilling = true, AssocGrpNodeLimit = true }
local HELD = { JobHeldUser = true, JobHeldAdmin = true }

--- Whether more slots would start the job. One that was requeued waits for a time, but a short one,
-- and its leaf wants it as before: a demand that falls with each victim and comes back would make
-- victims of others in turn.
local function waits(job, site)
  if job.reason == "BeginTime" then return job.restarts > 0 end
  if job.waiting and job.reason == "JobArrayTaskLimit" then
    return job.waiting.throttle ~= nil
  end
  return WAITS[job.reason] or site.hold and HELD[job.reason]
end

--- One of at most 256 priorities, in steps of an eighth: one that grows with the waiting time
-- shall not change the task at each look. Larger ones start first.
local function step_of(priority)
  local bits, at = 0, priority
  while at > 7 do bits, at = bits + 1, at >> 1 end
  return math.min(10000, 8 * bits + at + 1)
end

--- The job's amount of each group; nil: it has nothing to do with any.
local function amounts_of(job, site)
  local amounts, some = {}, false
  for i, group in ipairs(site.groups) do
    local inside = not group.partition or job.partition == group.partition
    local amount = inside and job.amounts[group.tres] or 0
    if inside and job.shares == "NO" and not job.started then
      amount = math.max(amount, site.whole_nodes(job, group))
    end
    amounts[i], some = amount, some or amount > 0
  end
  return some and amounts or nil
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

local function task_json(job, site, state, amounts)
  local words = { ', "consumer": ', core.encode(job.consumer), ', "slots": ',
    written(site, amounts), ', "submitted": ', job.submitted, ', "priority": ',
    step_of(job.priority), ', "state": "', state, '"' }
  if job.restarts > 0 then words[#words + 1] = ', "preempted": ' .. job.restarts end
  if state == "running" and job.started then
    words[#words + 1] = ', "started": ' .. job.started
  end
  local tags = site.tags_of(job)
  if #tags > 0 then words[#words + 1] = ', "tags": ' .. core.encode(core.list(tags)) end
  return table.concat(words) .. "}"
end

-- ---- A job --------------------------------------------------------------------------------------

--- What is the same at each look at an unchanged line, kept in the job.
local function look(job, site)
  local as = { amounts = amounts_of(job, site) }
  job.as = as
  if not as.amounts then return as end
  local holds = HOLDS[job.state]
  if not holds and not (job.state == "PENDING" and waits(job, site)) then return as end
  job.consumer = site.consumer_of(job)
  as.state = holds and "running" or "pending"
  as.spared = holds and not site.cancel
    and not (job.batch and job.requeue and not job.reserved)
  as.name = job.het and tostring(job.het) or job.name:match(job.waiting and "^%d+" or "^[^%+]*")
  as.id = as.name .. "@" .. job.submitted
  as.json = job.consumer and task_json(job, site, as.state, as.amounts)
  return as
end

--- The parts of heterogeneous jobs, put together as their first ones.
local function joined(jobs)
  local leaders, list = {}, {}
  for _, job in ipairs(jobs) do
    local leader = job.het and leaders[job.het]
    if leader then
      for name, amount in pairs(job.amounts) do
        leader.amounts[name] = (leader.amounts[name] or 0) + amount
      end
    elseif job.het then
      local copy = { amounts = {} }
      for key, value in pairs(job) do if key ~= "as" then copy[key] = copy[key] or value end end
      copy.amounts = {}
      for name, amount in pairs(job.amounts) do copy.amounts[name] = amount end
      leaders[job.het], list[#list + 1] = copy, copy
    else
      list[#list + 1] = job
    end
  end
  return list
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

local function put(out, id, json, job)
  out.tasks[#out.tasks + 1] = '{"id": "' .. id .. '"' .. json
  out.jobs[id] = job
end

--- Do more waiting tasks of the leaf change nothing, since the cluster cannot hold those listed?
local function enough(leaf, site)
  for i, size in ipairs(site.sizes) do
    if size > 0 and (leaf.listed[i] or 0) >= size then return true end
  end
  return false
end

local function put_running(out, leaf, job, as)
  add(leaf.held, as.amounts)
  add(leaf.demand, as.amounts)
  if as.spared then add(leaf.unlisted, as.amounts) else put(out, as.id, as.json, job) end
end

--- How many tasks of an array may start beside those that run.
local function startable(out, job)
  local waiting = job.waiting
  if not waiting then return 1 end
  local running = out.running[job.name:match "^%d+"] or 0
  return waiting.throttle and math.max(0, math.min(waiting.count, waiting.throttle - running))
    or waiting.count
end

local function put_waiting(out, leaf, job, as, site)
  local many = startable(out, job)
  add(leaf.demand, as.amounts, many)
  if not job.waiting then
    if not enough(leaf, site) then
      put(out, as.id, as.json, job)
      add(leaf.listed, as.amounts)
    end
    return
  end
  for _, number in ipairs(array.first(job.waiting, many)) do
    if enough(leaf, site) then return end
    put(out, ("%s_%d@%d"):format(as.name, number, job.submitted), as.json, job)
    add(leaf.listed, as.amounts)
  end
end

local function put_job(out, job, site)
  local as = job.as or look(job, site)
  if not as.state then return end
  if not job.consumer then
    if as.state == "running" then
      add(out.outside, as.amounts)
      out.strangers[job.account] = (out.strangers[job.account] or 0) + 1
    end
    return
  end
  local leaf = leaf_of(out, job.consumer)
  if as.state == "running" then put_running(out, leaf, job, as)
  else put_waiting(out, leaf, job, as, site) end
end

local function count_arrays(out, jobs)
  for _, job in ipairs(jobs) do
    local number = HOLDS[job.state] and job.name:match "^(%d+)_"
    if number then out.running[number] = (out.running[number] or 0) + 1 end
  end
end

-- ---- All of it ----------------------------------------------------------------------------------

local function consumers_json(out, site)
  local words = {}
  for _, path in ipairs(site.leaves) do
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

--- Jobs, in squeue's order: members of a state and of `sync`; the jobs by the ids of their tasks;
-- the number of running jobs of each account that no consumer stands for; what leaves have.
function truth.of(jobs, site)
  local out = { tasks = {}, jobs = {}, leaves = {}, outside = {}, strangers = {}, running = {} }
  local list = joined(jobs)
  count_arrays(out, list)
  for _, job in ipairs(list) do put_job(out, job, site) end
  local body = ('%s"consumers": %s, "tasks": [%s]'):format(sizes_json(out, site),
    consumers_json(out, site), table.concat(out.tasks, ", "))
  return body, out.jobs, out.strangers, out.leaves
end

return truth
