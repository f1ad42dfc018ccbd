-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What Slurm lets jobs use at once beside the ceilings: limits of QOS, of users, and of accounts
--- that no consumer stands for. While the cluster is full Slurm does not say that a job meets one
--- (its reason is Priority or Resources), so what the job wants would be taken from others for
--- nothing.

local read = require "allot.slurm.read"
local site = require "allot.slurm.site"

local limit = {}

limit.command = { "sacctmgr", "-n", "-P", "list", "qos",
  "format=Name,GrpTRES,GrpJobs,MaxTRESPU,MaxJobsPU,MaxTRESPA,MaxJobsPA,MaxTRES" }

--- Limits of QOS by name; nil, a reason.
function limit.qos(text)
  local list = {}
  local rows, why = read.rows(text, 8)
  if not rows then return nil, why end
  for _, row in ipairs(rows) do
    list[row[1]] = { all = read.limits(row[2], row[3]), user = read.limits(row[4], row[5]),
      account = read.limits(row[6], row[7]), each = read.limits(row[8], "") }
  end
  return list
end

--- An association's limits without those that are the bridge's ceilings.
local function others(limits, groups)
  local left = {}
  for name, most in pairs(limits) do left[name] = most end
  for _, group in ipairs(groups) do left[group.tres] = nil end
  return left
end

local NONE = { scopes = {}, each = {} }

--- As limit.of gives it, where nothing is known.
function limit.none() return NONE end

--- Function of a job's party { account, user, partition, qos }: the scopes that it counts in, a
-- list of { key, most = amounts }, and what one job may have, a list of amounts.
function limit.of(plan, groups, accounts, qos)
  local ceiled = {}
  for _, it in ipairs(site.associations(plan, accounts)) do
    ceiled[it.account .. "|" .. (it.user or "")] = true
  end
  local function put(list, key, most, association)
    if association and ceiled[association] then most = others(most, groups) end
    if most and next(most) then list[#list + 1] = { key = key, most = most } end
  end
  local function associations(list, job)
    local user = read.association(accounts, job)
    local at, account = job.account, accounts[job.account]
    if user then put(list, "user " .. user.key, user.limits, at .. "|" .. job.user) end
    while account do
      put(list, "account " .. at, account.limits, at .. "|")
      at = account.parent
      account = at and accounts[at]
    end
    return user and user.each or {}
  end
  local known = {}
  return function (party)
    if known[party] then return known[party] end
    local list, of = {}, qos[party.qos] or { each = {} }
    local each = associations(list, party)
    put(list, "qos " .. party.qos, of.all)
    put(list, "qos " .. party.qos .. " user " .. party.user, of.user)
    put(list, "qos " .. party.qos .. " account " .. party.account, of.account)
    known[party] = { scopes = list, each = { each, of.each } }
    return known[party]
  end
end

-- ---- What is used of them -----------------------------------------------------------------------

--- Counts so many tasks of that size; `used` has amounts by scope.
function limit.use(used, limits, size, many)
  for _, scope in ipairs(limits.scopes) do
    local has = used[scope.key] or {}
    used[scope.key] = has
    for name in pairs(scope.most) do has[name] = (has[name] or 0) + many * (size[name] or 0) end
  end
end

--- How many of so many waiting tasks may run beside those counted before; they are counted, too.
function limit.let(used, limits, size, many)
  for _, most in ipairs(limits.each) do
    for name, amount in pairs(most) do
      if (size[name] or 0) > amount then return 0 end
    end
  end
  for _, scope in ipairs(limits.scopes) do
    local has = used[scope.key] or {}
    for name, most in pairs(scope.most) do
      local amount = size[name] or 0
      if amount > 0 then many = math.min(many, math.max(0, most - (has[name] or 0)) // amount) end
    end
  end
  limit.use(used, limits, size, many)
  return many
end

return limit
