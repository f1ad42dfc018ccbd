-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of Slurm's associations. Accounts become branches, users leaves, Fairshare their share,
--- GrpTRES their limit.

local associations = require "allot.import.associations"
local tree = require "allot.import.tree"

local slurm = { is = associations.is }


local function name_of(node, taken, with)
  if node.wildcard then return "*" end
  if not (node.twice and node.partition) then
    return tree.name(node.raw, node.place, taken, with)
  end
  local name = (node.raw .. "-" .. node.partition):gsub("[^%w_-]", "_")
  name = (name:find "^%a" and name or "q" .. name):sub(1, 128)
  if taken[name] then
    with.fail(node.place, ("%s and %s become the same name, %s"):format(taken[name], node.raw,
      name))
  end
  taken[name] = node.raw
  return name
end

--- Users that stand twice below an account, by partition.
local function find_twins(children, with)
  local first = {}
  for _, node in ipairs(children) do
    local before = node.user and first[node.raw]
    if before then
      before.twice, node.twice = true, true
      with.note(before.place, ("%s is here several times, by partition"):format(node.raw))
    elseif node.user then
      first[node.raw] = node
    end
  end
  for _, node in ipairs(children) do
    if node.partition and not node.twice then
      with.note(node.place, ("%s is of partition %s alone: a plan does not say it"):format(node.raw,
        node.partition))
    end
  end
end

--- One leaf in place of the users below an account who state nothing of their own.
local function fold_users(parent, with)
  local left, folded = {}, {}
  for _, node in ipairs(parent.children) do
    local plain = node.user and node.share == 1 and not node.partition and not node.twice
      and next(node.limits) == nil
    local list = plain and folded or left
    list[#list + 1] = node
  end
  if #folded == 0 then return end
  left[#left + 1] = { raw = "*", user = true, wildcard = true, share = 1, limits = {},
    children = {}, place = folded[1].place }
  parent.children, with.folded = left, with.folded + #folded
end

--- An account with Fairshare=parent has its children's shares, which count beside its siblings.
local function sum_parents(node, note)
  for _, child in ipairs(node.children) do sum_parents(child, note) end
  if node.with_parent and not node.user and #node.children > 0 then
    node.share = 0
    for _, child in ipairs(node.children) do node.share = node.share + child.share end
    note(node.place, ("%s: Fairshare=parent: its children count beside its siblings; its share is "
      .. "the sum of theirs"):format(node.raw))
  end
end

--- The limits of a node: in its row, or among the groups' consumers.
local function put_limits(row, path, node, with)
  if not with.named then
    row.limit = node.limits[1]
    return
  end
  for i, group in ipairs(with.groups) do
    if node.limits[i] then
      local limited = { limit = node.limits[i] }
      with.at[limited] = { row = node.place }
      group.consumers = group.consumers or {}
      group.consumers[path] = limited
    end
  end
end

local function rows_of(parent, above_path, with)
  local rows, taken = {}, {}
  find_twins(parent.children, with)
  if with.folded and above_path ~= "" then fold_users(parent, with) end
  tree.fit_shares(parent.children, "Fairshare", with)
  for i, node in ipairs(parent.children) do
    local row = { name = name_of(node, taken, with),
      share = (node.share ~= 1 or node.raised) and node.share or nil }
    local path = above_path .. "/" .. row.name
    put_limits(row, path, node, with)
    with.at[row] = { row = node.place }
    if #node.children > 0 then row.children = rows_of(node, path, with) end
    rows[i] = row
  end
  return rows
end

--- Settings that say nothing about slots get one note together.
local function note_keys(found, with)
  local quiet = {}
  for key in pairs(found.quiet) do quiet[#quiet + 1] = key end
  table.sort(quiet)
  if #quiet > 0 then
    with.note(with.head, table.concat(quiet, ", ") .. (#quiet > 1 and " are" or " is")
      .. " not carried over")
  end
  for _, key in ipairs(found.order) do
    local of = found.keys[key]
    with.note(of.place, ("%s is not carried over%s"):format(key,
      of.times > 1 and (" (%d times)"):format(of.times) or ""))
  end
end

--- The groups of a plan by name, where it has any.
local function groups_of(with)
  if not with.named then return nil end
  local groups = {}
  for _, group in ipairs(with.groups) do
    groups[group.name] = { slots = group.slots, consumers = group.consumers }
  end
  return groups
end

--- A plan of files, its notes (fatal ones are errors), and where its parts come from. `options`:
-- `groups`, a list of { name = or nil, tres =, slots = of the cluster }, by default CPUs;
-- `wildcard`: users who state nothing of their own are one leaf.
function slurm.of(files, options)
  local with = tree.with(files)
  with.groups = options.groups or { { tres = "cpu", slots = options.slots } }
  with.named, with.folded = with.groups[1].name ~= nil, options.wildcard and 0 or nil
  local found = associations.read(files, with)
  sum_parents(found.root, with.note)
  local consumers = rows_of(found.root, "", with)
  note_keys(found, with)
  if (with.folded or 0) > 0 then
    with.note(with.head, ("%d users state nothing of their own: * stands for them"):format(
      with.folded))
  end
  if #consumers == 0 then with.fail(with.head, "no account and no user is stated") end
  if not with.groups[1].slots then
    with.fail(with.head, "--slots says how large the cluster is: associations do not")
  end
  with.note(with.head, "Slurm orders jobs by shares and by past use; in the plan the ratio holds "
    .. "among those who want slots now (policy share_ratio)")
  return { version = 1, slots = not with.named and with.groups[1].slots or nil,
    groups = groups_of(with), consumers = consumers, policy = {
      use = "share_ratio", adjust_share_to_workload = true, reclaim_shared = false } },
    with.notes(), with.at
end

return slurm
