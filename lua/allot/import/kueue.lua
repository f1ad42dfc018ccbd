-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan of Kueue's ClusterQueues and Cohorts, as `kubectl get -o yaml` or `-o json` prints them.

local tree = require "allot.import.tree"
local yaml = require "allot.import.yaml"

local kueue = {}

-- Members of a ClusterQueue's spec that are not carried over: true, or the default, which says
-- nothing.
local QUEUE_NOTES = { flavorFungibility = true, admissionChecks = true,
  admissionChecksStrategy = true, admissionScope = true, stopPolicy = "None",
  queueingStrategy = "BestEffortFIFO", concurrentAdmissionPolicy = true }
local ONE = 1000000 -- a weight, in millionths
local OLD = { v1alpha1 = true, v1alpha2 = true }

--- Does a text have such objects?
function kueue.is(text)
  return text:find "apiVersion[\"']?%s*:%s*[\"']?kueue%.x%-k8s%.io/" ~= nil
end

-- ---- Amounts ------------------------------------------------------------------------------------

local MOST = 1000000000

local SCALES = { n = -9, u = -6, m = -3, [""] = 0, k = 3, M = 6, G = 9, T = 12, P = 15, E = 18 }
local BINARY = { Ki = 1, Mi = 2, Gi = 3, Ti = 4, Pi = 5, Ei = 6 }

--- Whole slots of an amount as Kubernetes writes it (40, "8500m", 1.5, 2k, 1Ki, 1e3), rounded
--- down, and whether it was whole; nil, and why: it is none.
local function quantity(text)
  local whole, part, unit = text:match "^%+?(%d*)%.?(%d*)([%a%d+-]*)$"
  if not whole or #whole + #part == 0 then return nil, "is no amount" end
  local exponent = unit:match "^[eE]([+-]?%d%d?)$"
  local scale = exponent and tonumber(exponent) or SCALES[unit]
  if not scale and not BINARY[unit] then return nil, "is no amount" end
  local digits = whole .. part
  digits = digits:gsub("^0+", "")
  if #digits > 15 then return nil, "has too many digits" end
  local number = math.tointeger(tonumber(digits == "" and "0" or digits))
  local power = (scale or 0) - #part
  for _ = 1, (BINARY[unit] or 0) * 10 do
    number = number * 2
    if number > MOST << 20 then return nil, "is above 1000000000 slots" end
  end
  for _ = 1, power do
    number = number * 10
    if number > MOST << 20 then return nil, "is above 1000000000 slots" end
  end
  local exact = true
  for _ = 1, -power do
    exact, number = exact and number % 10 == 0, number // 10
  end
  if number > MOST then return nil, "is above 1000000000 slots" end
  return number, exact
end

-- ---- Objects ------------------------------------------------------------------------------------

local function node_of(site, kind, name, place)
  local key = kind .. " " .. name
  local node = site[key]
  if not node then
    node = { raw = name, kind = kind, place = place, quotas = {}, children = {} }
    site[key], site[#site + 1] = node, node
  end
  return node
end

--- Whole slots at a path of a resource; nil: it says none.
local function slots_of(node, resource, key, with)
  local value = yaml.at(resource, key)
  if not value then return nil end
  local slots, exact = quantity(value.text or "")
  if not slots then
    with.fail(value.place, ("%s: %s %s %s"):format(node.raw, key, value.text or "", exact))
  elseif not exact then
    with.note(value.place, ("%s: %s %s is no whole number of slots: %d"):format(node.raw, key,
      value.text, slots))
  end
  return slots or 0
end

--- The quotas of a queue or a cohort in the resource that a slot is, by flavor.
local function read_quotas(site, node, spec, with)
  local groups = yaml.at(spec, "resourceGroups")
  for _, group in ipairs(groups and groups.list or {}) do
    local flavors = yaml.at(group, "flavors")
    for _, flavor in ipairs(flavors and flavors.list or {}) do
      local name, resources = yaml.text(flavor, "name") or "", yaml.at(flavor, "resources")
      for _, resource in ipairs(resources and resources.list or {}) do
        local what = yaml.text(resource, "name") or ""
        if what == with.resource then
          if not site.flavors[name] then
            site.flavors[name], site.flavors[#site.flavors + 1] = true, name
          end
          node.quotas[name] = { place = resource.place,
            nominal = slots_of(node, resource, "nominalQuota", with) or 0,
            borrowing = slots_of(node, resource, "borrowingLimit", with),
            lending = slots_of(node, resource, "lendingLimit", with) }
        elseif not node[what] then
          node[what] = true
          with.note(resource.place, ("%s: %s is not carried over: the slots are %s (--slot)")
            :format(node.raw, what, with.resource))
        end
      end
    end
  end
end

local function read_weight(node, spec, with)
  local weight = yaml.at(spec, "fairSharing", "weight")
  node.weight = ONE
  if not weight then return end
  with.weighs = true
  node.weight = tree.millionths(weight.text or "")
  if not node.weight then
    with.fail(weight.place, ("%s: weight %s is no number of at most six decimals"):format(node.raw,
      weight.text or ""))
    node.weight = ONE
  end
end

local function read_parent(site, node, parent)
  if not parent or parent.text == "" then return end
  node.parent, node.parent_place = node_of(site, "Cohort", parent.text or "?", parent.place),
    parent.place
end

local function note_preemption(node, spec, with)
  local reclaim = yaml.at(spec, "preemption", "reclaimWithinCohort")
  local how = reclaim and reclaim.text or "Never"
  if node.parent then with.reclaims = with.reclaims or how ~= "Never" end
  if node.parent and how == "Never" then
    with.note(reclaim and reclaim.place or node.place, ("%s: reclaimWithinCohort is Never%s, but "
      .. "in a plan owners call back what they lent"):format(node.raw,
      reclaim and "" or " (the default)"))
  elseif how == "LowerPriority" then
    with.note(reclaim.place, ("%s: reclaimWithinCohort LowerPriority is not carried over: whoever "
      .. "borrowed gives back"):format(node.raw))
  end
  local borrow = yaml.at(spec, "preemption", "borrowWithinCohort")
  if borrow then
    with.note(borrow.key, node.raw .. ": borrowWithinCohort is not carried over")
  end
  local within = yaml.at(spec, "preemption", "withinClusterQueue")
  if within and within.text ~= "Never" then
    with.note(within.key, node.raw .. ": withinClusterQueue is not carried over: a plan does not "
      .. "rank jobs of one consumer")
  end
end

local function read_queue(site, node, spec, with)
  read_parent(site, node, yaml.at(spec, "cohortName") or yaml.at(spec, "cohort"))
  note_preemption(node, spec, with)
  for _, key in ipairs(spec and spec.keys or {}) do
    local value, default = yaml.at(spec, key), QUEUE_NOTES[key]
    if value and default and value.text ~= default then
      with.note(value.key, ("%s: %s%s is not carried over"):format(node.raw, key,
        value.text and " " .. value.text or ""))
    end
  end
end

local function read_object(site, object, with)
  local api, kind = yaml.text(object, "apiVersion") or "", yaml.text(object, "kind") or ""
  local items = yaml.at(object, "items")
  if kind:find "List$" and items then
    for _, it in ipairs(items.list or {}) do read_object(site, it, with) end
    return
  end
  local version, name = api:match "^kueue%.x%-k8s%.io/(.+)", yaml.at(object, "metadata", "name")
  if not version or not name then return end
  local spec = yaml.at(object, "spec")
  if kind == "LocalQueue" then
    site.locals[#site.locals + 1] = { object = object, name = name.text }
  elseif kind == "ClusterQueue" or kind == "Cohort" then
    if OLD[version] and (kind == "ClusterQueue" or version ~= "v1alpha1") then
      return with.fail(object.place, ("%s %s of %s is too old: allowed v1beta1 and later"):format(
        kind, name.text, api))
    end
    local node = node_of(site, kind, name.text, name.place)
    if node.stated then
      return with.note(object.place, ("%s %s is stated again: line %d holds"):format(kind,
        name.text, node.stated.line))
    end
    node.stated, node.place = object.place, name.place
    if kind == "ClusterQueue" then
      read_queue(site, node, spec, with)
    else
      read_parent(site, node, yaml.at(spec, "parentName") or yaml.at(spec, "parent"))
    end
    read_weight(node, spec, with)
    read_quotas(site, node, spec, with)
  end
end

-- ---- The tree -----------------------------------------------------------------------------------

--- Kueue lets no cohort of a circle take part.
local function check_circles(site, with)
  for _, node in ipairs(site) do
    local names, it = { node.raw }, node.parent
    while it and it ~= node and #names <= #site do
      names[#names + 1], it = it.raw, it.parent
    end
    if it == node then
      names[#names + 1] = node.raw
      with.fail(node.parent_place, ("cohort %s is its own ancestor (%s)"):format(node.raw,
        table.concat(names, ", ")))
      return false
    end
  end
  return true
end

--- Limits are against others of the cohort.
local function check_limits(site, with)
  for _, node in ipairs(site) do
    for _, quota in pairs(node.parent and {} or node.quotas) do
      if quota.borrowing or quota.lending then
        with.fail(quota.place, ("%s: borrowingLimit and lendingLimit need a cohort%s"):format(
          node.raw, node.kind == "Cohort" and " above" or ""))
      end
    end
  end
end

--- Children in the order in which the files have them first; sums of quotas by flavor.
local function link(site)
  local root = { children = {} }
  for _, node in ipairs(site) do
    local parent = node.parent or root
    parent.children[#parent.children + 1] = node
  end
  local function sum(node)
    node.owned = {}
    for flavor, quota in pairs(node.quotas or {}) do node.owned[flavor] = quota.nominal end
    for _, child in ipairs(node.children) do
      sum(child)
      for flavor, slots in pairs(child.owned) do
        node.owned[flavor] = (node.owned[flavor] or 0) + slots
      end
    end
  end
  sum(root)
  return root
end

--- Weights of siblings as whole shares.
local function share(children, with)
  local weights = {}
  for i, node in ipairs(children) do weights[i] = node.weight or ONE end
  for i, whole in ipairs(tree.lowest(weights)) do children[i].share = whole end
  tree.fit_shares(children, "weight", with)
end

-- ---- The plan -----------------------------------------------------------------------------------

local function rows_of(parent, path, with)
  local rows, taken = {}, {}
  share(parent.children, with)
  for i, node in ipairs(parent.children) do
    local row = { name = tree.name(node.raw, node.place, taken, with),
      share = node.share ~= 1 and node.share or nil }
    node.path, node.row = path .. "/" .. row.name, row
    if #node.children > 0 then row.children = rows_of(node, node.path, with) end
    with.at[row], rows[i] = { row = node.place }, row
  end
  return rows
end

local function top_of(node)
  while node.parent do node = node.parent end
  return node
end

--- Whom a queue lends to and borrows from: all, or the other queues of its tree.
local function peers_of(site, node, single)
  if single then return true end
  local peers = {}
  for _, other in ipairs(site) do
    if other ~= node and other.kind == "ClusterQueue" and top_of(other) == top_of(node) then
      peers[#peers + 1] = other.path
    end
  end
  return #peers > 0 and peers or nil
end

--- What a queue or a cohort is in the group of a flavor.
local function columns_of(site, node, flavor, single, with)
  local quota, owned = node.quotas[flavor] or {}, node.owned[flavor] or 0
  local columns, where = { owned = owned > 0 and owned or nil }, #site.flavors > 1
  if node.kind == "Cohort" then
    if quota.borrowing then
      columns.limit = owned + quota.borrowing
      with.note(quota.place, ("%s: borrowingLimit %d is a limit of %d + %d%s"):format(node.raw,
        quota.borrowing, owned, quota.borrowing, where and " in group " .. flavor or ""))
    end
    if quota.lending then
      with.note(quota.place, node.raw .. ": a cohort's lendingLimit is not carried over")
    end
  elseif not node.quotas[flavor] then
    columns.limit = 0
    with.note(node.place, ("%s has no flavor %s: limit 0 there"):format(node.raw, flavor))
  elseif node.parent and owned > 0 then
    local peers = peers_of(site, node, single)
    columns.lend, columns.borrow = peers, peers
    columns.borrow_limit = peers and quota.borrowing
    columns.lend_limit = peers and quota.lending
  end
  return columns
end

local function note_locals(site, with)
  for _, it in ipairs(site.locals) do
    local queue = site["ClusterQueue " .. (yaml.text(it.object, "spec", "clusterQueue") or "")]
    with.note(it.object.place, ("LocalQueue %s/%s is not carried over%s"):format(
      yaml.text(it.object, "metadata", "namespace") or "default", it.name,
      queue and queue.path and (": its jobs are %s's"):format(queue.path) or ""))
  end
end

--- Quotas in the plan itself, or, of several flavors, in groups.
local function put_quotas(site, root, plan, options, with)
  local single, sizes = #root.children == 1, {}
  for _, group in ipairs(options.groups) do sizes[group.name or 1] = group.slots end
  for _, flavor in ipairs(site.flavors) do
    local group = { slots = sizes[flavor] or root.owned[flavor], consumers = {} }
    for _, node in ipairs(site) do
      local columns = columns_of(site, node, flavor, single, with)
      if #site.flavors == 1 then
        for key, value in pairs(columns) do node.row[key] = value end
      elseif next(columns) then
        group.consumers[node.path] = columns
      end
    end
    if #site.flavors > 1 then
      plan.groups = plan.groups or {}
      plan.groups[flavor] = group
    else
      plan.slots = options.slots or group.slots
    end
  end
end

--- A plan of files, its notes, and where its parts come from; as slurm.of.
function kueue.of(files, options)
  local with, site = tree.with(files), { flavors = {}, locals = {} }
  with.resource = options.groups[1].tres
  local plan = { version = 1, consumers = {} }
  for _, file in ipairs(files) do
    for _, document in ipairs(yaml.documents(file, options.markup, with)) do
      read_object(site, document, with)
    end
  end
  if not check_circles(site, with) then return plan, with.notes(), with.at end
  check_limits(site, with)
  local root = link(site)
  plan.consumers = rows_of(root, "", with)
  if #site.flavors == 0 and #site > 0 then
    with.fail(with.head, ("no quota of %s: nobody has slots (--slot)"):format(with.resource))
  end
  put_quotas(site, root, plan, options, with)
  note_locals(site, with)
  plan.policy = with.reclaims == false and { use = "ownership", reclaim_shared = false }
    or "ownership"
  if with.weighs then
    with.note(with.head, "weights count in Kueue only where fair sharing is enabled in its "
      .. "Configuration")
  end
  return plan, with.notes(), with.at
end

return kueue
