-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What ties a plan to a cluster: consumers and accounts, groups of slots and TRES.

local core = require "allot.core"

local site = {}

--- A name that a plan can have, of any name of Slurm's: "2024.Proj" is "q2024_proj".
function site.name_of(text)
  local name = text:lower():gsub("[^a-z0-9_-]", "_")
  return (name:find "^[a-z]" and name or "q" .. name):sub(1, 128)
end

-- ---- The plan -----------------------------------------------------------------------------------

local function walk(list, parent, out)
  for _, row in ipairs(list) do
    local path = parent .. "/" .. row.name
    if row.name == "*" then out.wild[parent] = row end
    out.known[path] = true
    out.limits[path] = row.limit
    local name = row.name:lower()
    out.by_name[name] = out.by_name[name] == nil and path or false
    if row.children and #row.children > 0 then
      walk(row.children, path, out)
    elseif row.name ~= "*" then
      out.leaves[#out.leaves + 1] = path
      out.is_leaf[path] = true
    end
  end
end

--- A plan's document: known paths, leaves in order, limits by path and by group; `wild`, wildcards
-- by their parents' paths.
function site.plan(text, file)
  local document, why = core.decode(text, { file = file, relaxed = true })
  if not document then return nil, why end
  local out = { known = {}, leaves = {}, is_leaf = {}, limits = {}, by_name = {}, groups = {},
    group_limits = {}, wild = {} }
  walk(document.consumers or {}, "", out)
  for name, group in pairs(document.groups or {}) do
    out.groups[#out.groups + 1] = name
    out.group_limits[name] = {}
    for path, row in pairs(group.consumers or {}) do
      out.group_limits[name][path] = row.limit
    end
  end
  table.sort(out.groups)
  return out
end

--- The path of the wildcard that stands for a path; nil: none does.
function site.wildcard_of(plan, path)
  local parent = path:match "^(.*)/"
  return not plan.known[path] and plan.wild[parent] and parent .. "/*" or nil
end

-- ---- Groups and TRES ----------------------------------------------------------------------------

--- How much of each group the nodes have; a TRES of no node (billing) is as large as planned: -1.
function site.sizes(nodes, groups)
  local sizes = {}
  for i, group in ipairs(groups) do
    local sum, known = 0, false
    for _, node in pairs(nodes) do
      local amount = (not group.partition or node.partitions[group.partition])
        and node.amounts[group.tres]
      if amount then sum, known = sum + amount, true end
    end
    sizes[i] = known and sum or -1
  end
  return sizes
end

--- What whole nodes hold for a job that wants them for itself: as many of the smallest node.
function site.whole_nodes(nodes)
  local least = {}
  for _, node in pairs(nodes) do
    for partition in pairs(node.partitions) do
      local has = least[partition] or {}
      least[partition] = has
      for tres, amount in pairs(node.alone) do
        has[tres] = math.min(has[tres] or amount, amount)
      end
    end
  end
  return function (job, group)
    local partition = least[group.partition or job.partition:match "^[^,]*"]
    return (partition and partition[group.tres] or 0) * math.max(1, job.amounts.node or 1)
  end
end

-- ---- Consumers and accounts ---------------------------------------------------------------------

--- The consumer that an account stands for; nil: none. All accounts are below `root`: a plan's leaf
-- of that name is the user's, and no ceiling for the whole cluster. Users of root are leaves of the
-- first level.
local function path_of(plan, account)
  local path = plan.by_name[site.name_of(account)]
  if account == "root" and (not path or plan.is_leaf[path]) then return "" end
  return path or nil
end

--- The leaf of a user below an account's consumer: that of the name, else that of user and
-- partition (as import has users who stand twice below an account), which the second result says,
-- else one that a wildcard stands for.
local function leaf_below(plan, path, user, partition)
  local below = path .. "/" .. site.name_of(user)
  if plan.is_leaf[below] then return below, false end
  local parted = path .. "/" .. site.name_of(("%s-%s"):format(user, partition or ""))
  if plan.is_leaf[parted] then return parted, true end
  return path ~= "" and site.wildcard_of(plan, below) and below or nil, false
end

--- The consumer of a job, by its account: the leaf below it that has the user's name, else the
-- account's own leaf, else the leaf for the rest; nil: none stands for it.
function site.consumer_of(plan, map, rest)
  local by_account = {}
  return function (job)
    local mapped = map and map(job)
    if mapped == false then return nil end
    if mapped then
      if plan.is_leaf[mapped] or site.wildcard_of(plan, mapped) then return mapped end
      error({ why = ("the map gives job %s to %s, which is no leaf of the plan"):format(job.name,
        mapped) }, 0)
    end
    local path = by_account[job.account]
    if path == nil then
      path = path_of(plan, job.account) or false
      by_account[job.account] = path
    end
    if not path then return rest end
    if plan.is_leaf[path] then return path end
    return leaf_below(plan, path, job.user, job.partition) or rest
  end
end

--- The tags of a job: those of the list that its QOS or its partition is named after.
function site.tags_of(list)
  return function (job)
    local tags = {}
    for _, tag in ipairs(list) do
      if tag == job.qos or tag == job.partition then tags[#tags + 1] = tag end
    end
    return tags
  end
end

--- Whether a leaf is below an account's consumer, or is that.
function site.is_of(plan)
  return function (leaf, account)
    local path = path_of(plan, account)
    return path and (leaf == path or leaf:sub(1, #path + 1) == path .. "/")
  end
end

--- Of amounts by "account": those of the account and all accounts below it.
local function with_children(beside, accounts)
  local sums = {}
  for account in pairs(accounts) do
    local at = account
    for _ = 1, 64 do -- accounts are a tree
      if not at or not beside[account] then break end
      sums[at] = sums[at] or {}
      for tres, amount in pairs(beside[account]) do
        sums[at][tres] = (sums[at][tres] or 0) + amount
      end
      at = accounts[at] and accounts[at].parent
    end
  end
  return sums
end

--- The associations that stand for consumers: { account =, user = or nil, path =, limits =,
-- where = a partition or nil, beside = amounts of truth.of }.
function site.associations(plan, accounts, beside)
  local list = {}
  beside = beside or {}
  local sums = with_children(beside, accounts)
  for account, row in pairs(accounts) do
    local path = path_of(plan, account)
    if path and path ~= "" then
      list[#list + 1] = { account = account, path = path, limits = row.limits,
        beside = sums[account] or {} }
    end
    local seen = {} -- a user with a leaf may stand below an account several times, by partition
    for _, it in pairs(path and row.associations or {}) do
      local below, by_partition = leaf_below(plan, path, it.user, it.partition)
      local other = path == "" and it.user ~= "root" and accounts[it.user] -- its leaf
      if below and not other and (not seen[below] or it.partition < seen[below].partition) then
        seen[below] = { account = account, user = it.user, partition = it.partition, path = below,
          limits = it.limits, where = by_partition and it.partition or nil,
          beside = not by_partition and beside[account .. "/" .. it.user] or {} }
      end
    end
    for _, it in pairs(seen) do list[#list + 1] = it end
  end
  table.sort(list, function (a, b)
    if a.account ~= b.account then return a.account < b.account end
    if a.user ~= b.user then return (a.user or "") < (b.user or "") end
    return a.path < b.path
  end)
  return list
end

--- Leaves of a plan for which neither an account nor a user stands, in the plan's order; and the
-- consumers for which several do, as "/a_b (a.b, a_b)".
function site.unmatched(plan, accounts)
  local known, missing, several = {}, {}, {}
  for _, it in ipairs(site.associations(plan, accounts)) do
    local names = known[it.path] or {}
    known[it.path], names[#names + 1] = names, it.user or it.account
    if #names == 2 then several[#several + 1] = it.path end
  end
  for _, path in ipairs(plan.leaves) do
    if not known[path] then missing[#missing + 1] = path end
  end
  for i, path in ipairs(several) do
    several[i] = ("%s (%s)"):format(path, table.concat(known[path], ", "))
  end
  return missing, several
end

return site
