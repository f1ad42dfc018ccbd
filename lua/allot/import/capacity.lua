-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues of YARN's Capacity Scheduler: properties yarn.scheduler.capacity.PATH.KEY.

local lsf = require "allot.import.lsf"
local tree = require "allot.import.tree"

local capacity = {}

local HEAD = "yarn.scheduler.capacity."
local MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
local ENABLED = "yarn.resourcemanager.scheduler.monitor.enable"
local PERCENT = 100000000 -- a whole, in millionths of a percent

-- Keys of a queue that are carried over, or mean nothing else.
local CARRIED = { capacity = true, ["maximum-capacity"] = true, queues = true, priority = true,
  ["ordering-policy"] = true, ["accessible-node-labels"] = true }
local WHY = {
  ["user-limit-factor"] = ": a plan does not divide among users of a queue",
  ["minimum-user-limit-percent"] = ": a plan does not divide among users of a queue",
  ["queue-mappings"] = " (--map says it for logs)",
}
local KINDS = { percent = "in percent", weight = "a weight", absolute = "absolute" }

-- ---- Values -------------------------------------------------------------------------------------

local function place_of(site, name)
  return site.found[name] and site.found[name].place or site.with.head
end

local function list_of(text)
  local list = {}
  for item in (text or ""):gmatch "[^,]+" do
    item = lsf.trim(item)
    if item ~= "" then list[#list + 1] = item end
  end
  return list
end

--- A setting of a queue, and its property's name.
local function get(site, path, key)
  local name = HEAD .. path .. "." .. key
  site.used[name] = true
  return site.setting(name), name
end

--- What a capacity says: its kind, and millionths of percent or of a weight, or whole slots.
local function amount_of(site, path, text, name)
  local inside = text:match "^%[(.*)%]$"
  local number, weight = text:match "^(%-?[%d.]+)%s*(w?)$"
  local fail = site.with.fail
  if inside then
    local slots = inside:match((site.memory and "memory" or "vcores") .. "%s*=%s*(%d+)")
    return "absolute", slots and math.tointeger(tonumber(slots)) or 0
  end
  local exact = number and tree.millionths(number)
  if not exact or weight == "" and exact > PERCENT then
    fail(place_of(site, name), ("%s: capacity %s, allowed 0 to 100, a weight as 2w, or [vcores=N]")
      :format(path, text))
    return "percent", 0
  end
  return weight == "w" and "weight" or "percent", exact
end

-- ---- The tree -----------------------------------------------------------------------------------

local function read_limit(site, node, key)
  local text, name = get(site, node.path, key)
  if not text or text == "-1" then return nil end
  local kind, number = amount_of(site, node.path, text, name)
  return { kind = kind, number = number }
end

local function read_queue(site, parent, name)
  local node = { raw = name, path = parent.path .. "." .. name, parent = parent, children = {},
    capacity = {}, most = {} }
  local text, property = get(site, node.path, "capacity")
  local kind, number = "percent", 0
  if text and text ~= "-1" then kind, number = amount_of(site, node.path, text, property) end
  node.place = place_of(site, property)
  node.kind, node.capacity.default = kind, number
  node.most.default = read_limit(site, node, "maximum-capacity")
  node.priority = math.tointeger(tonumber((get(site, node.path, "priority")))) or 0
  parent.children[#parent.children + 1] = node
  return node
end

--- Queues of one kind beside each other; of percent the sum is 100.
local function check(site, node)
  local first, sum = node.children[1], 0
  for _, child in ipairs(node.children) do
    if child.kind ~= first.kind then
      site.with.fail(child.place, ("%s's capacity is %s, that of %s before it %s: siblings have "
        .. "one kind"):format(child.path, KINDS[child.kind], first.path, KINDS[first.kind]))
      return
    end
    sum = sum + child.capacity.default
  end
  local free = site.setting(HEAD .. "legacy-queue-mode.enabled") == "false"
    or sum == 0 and get(site, node.path, "allow-zero-capacity-sum") == "true"
  if first.kind == "percent" and sum ~= PERCENT and not free then
    site.with.fail(place_of(site, HEAD .. node.path .. ".queues"), ("the capacities of %s's queues "
      .. "are %s in sum, allowed 100 (but with legacy-queue-mode.enabled = false)"):format(
      node.path, ("%.6f"):format(sum / 1000000):gsub("%.?0+$", "")))
  end
end

local function read_tree(site, node, depth)
  local text, name = get(site, node.path, "queues")
  local seen = {}
  for _, child in ipairs(depth < 64 and list_of(text) or {}) do
    if seen[child] then
      site.with.fail(place_of(site, name), ("%s lists %s twice"):format(node.path, child))
    else
      seen[child] = true
      read_tree(site, read_queue(site, node, child), depth + 1)
    end
  end
  if #node.children > 0 then check(site, node) end
end

-- ---- Labels -------------------------------------------------------------------------------------

--- The labels that a queue's nodes may have; a queue that says none has its parent's.
local function labels_of(site, node)
  local text = get(site, node.path, "accessible-node-labels")
  if not text then return node.parent and node.parent.labels or {}, false end
  local labels = {}
  for _, label in ipairs(list_of(text)) do labels[label] = true end
  return labels, true
end

local function read_labels(site, node)
  node.labels, node.labelled = labels_of(site, node)
  for _, label in ipairs(site.labels) do
    local head = ("accessible-node-labels.%s."):format(label)
    local text, name = get(site, node.path, head .. "capacity")
    if text and not node.labelled and node.parent and node.parent.labelled then
      site.with.note(place_of(site, name), ("%s has no accessible-node-labels of its own: it has "
        .. "those of %s"):format(node.path, node.parent.path))
    end
    local sees = node.labels[label] or node.labels["*"]
    node.capacity[label] = sees and text and select(2, amount_of(site, node.path, text, name)) or 0
    node.most[label] = read_limit(site, node, head .. "maximum-capacity")
  end
  for _, child in ipairs(node.children) do read_labels(site, child) end
end

--- All labels that properties name, by name.
local function find_labels(site)
  local seen = {}
  for _, name in ipairs(site.found) do
    local label = name:match "%.accessible%-node%-labels%.([%w_.-]+)%.[%w-]+$"
    if label and name:find(HEAD, 1, true) == 1 and not seen[label] then
      seen[label], site.labels[#site.labels + 1] = true, label
    end
  end
  table.sort(site.labels)
end

-- ---- The plan -----------------------------------------------------------------------------------

--- Slots that a queue may have at most: percent of the parent's most, rounded down.
local function most_of(node, group, above)
  local most = node.most[group]
  if not most then return above, nil end
  if most.kind == "absolute" then return most.number, most.number end
  local slots = tree.times_over(above, most.number, PERCENT)
  return slots, most.number < PERCENT and slots or nil
end

--- Calls each(node, columns) for what every queue has in a group, `above` being its parent's most.
local function columns(node, group, above, each)
  local numbers, absolute = {}, false
  for i, child in ipairs(node.children) do
    numbers[i], absolute = child.capacity[group], child.kind == "absolute"
  end
  local shares = absolute and numbers or tree.lowest(numbers)
  for i, child in ipairs(node.children) do
    local most, limit = most_of(child, group, above)
    local of = { limit = limit }
    of[absolute and "owned" or "share"] = shares[i]
    each(child, of)
    columns(child, group, most, each)
  end
end

--- Ranks by priority, where the parent's order is by it; the rest of a queue's own row.
local function rows_of(site, node, grace)
  local rows, taken, most = {}, {}, 0
  local order = get(site, node.path, "ordering-policy") or node.order
  local ranks = order == "priority-utilization"
  for _, child in ipairs(node.children) do
    most, child.order = math.max(most, child.priority), order
  end
  for i, child in ipairs(node.children) do
    local row = { name = tree.name(child.raw, child.place, taken, site.with) }
    if ranks and most > child.priority then row.rank = most - child.priority end
    if not ranks and child.priority ~= 0 then
      site.with.note(place_of(site, HEAD .. child.path .. ".priority"), ("%s: priority is not "
        .. "carried over: %s's ordering-policy does not read it"):format(child.path, node.path))
    end
    child.at, child.row = (node.at or "") .. "/" .. row.name, row
    if #child.children > 0 then
      row.children = rows_of(site, child, grace)
    else
      row.grace = grace
    end
    site.with.at[row], rows[i] = { row = child.place }, row
  end
  return rows
end

local function put_groups(site, root, plan)
  if #site.labels == 0 then
    columns(root, "default", site.slots, function (node, of)
      for key, value in pairs(of) do node.row[key] = value end
    end)
    return
  end
  plan.slots, plan.groups = nil, {}
  for i = 0, #site.labels do
    local name = site.labels[i] or "default"
    local slots = i == 0 and site.slots or site.group_slots[name]
    if not slots then
      site.with.fail(site.with.head, ("--slots %s=N says how many slots the label %s has"):format(
        name, name))
    end
    local group = { slots = slots, consumers = {} }
    columns(root, name, slots or 0, function (node, of) group.consumers[node.at] = of end)
    plan.groups[name] = group
  end
end

--- Preemption: the grace in seconds, or none; policy's options.
local function policy_of(site, absolute)
  local options = { use = absolute and "hybrid" or "share_ratio" }
  if site.setting(ENABLED) ~= "true" then
    if absolute then
      site.with.note(site.with.head, "YARN's preemption is off, but in a plan owners call back "
        .. "what they lent")
      return "hybrid"
    end
    options.reclaim_shared = false
    return options
  end
  local wait = math.tointeger(tonumber((site.setting(MONITOR .. "max_wait_before_kill")))) or 15000
  local after = site.setting(MONITOR .. "preemption-to-balance-queue-after-satisfied.enabled")
  if after == "true" and not absolute then options.adjust_share_to_workload = true end
  return after == "true" and not absolute and options or options.use, (wait + 999) // 1000
end

-- ---- Notes --------------------------------------------------------------------------------------

--- The queue and the key of a property; nil: it is of the whole scheduler.
local function queue_of(name, paths)
  local rest = name:sub(#HEAD + 1)
  local best
  for path in pairs(paths) do
    if rest:sub(1, #path + 1) == path .. "." and #path > #(best or "") then best = path end
  end
  return best, best and rest:sub(#best + 2) or rest
end

local function note_property(site, name, paths)
  local path, key = queue_of(name, paths)
  local value = site.setting(name) or ""
  local plain = key:gsub("^accessible%-node%-labels%.[^.]+%.", "")
  if site.used[name] or plain ~= key and CARRIED[plain] then return end
  if path == "root" and key:find(".", 1, true) and key:find "%.[%w-]+$" and not CARRIED[key] then
    local gone = key:match "^([^.]+)%."
    if not WHY[key] and CARRIED[key:match "[%w-]+$"] then
      return site.with.note(place_of(site, name), ("root.%s is not carried over: it is in no list "
        .. "of queues"):format(gone))
    end
  end
  if key == "state" then value = value:upper() end
  if key == "state" and value == "RUNNING" then return end
  site.with.note(place_of(site, name), ("%s%s%s is not carried over%s"):format(
    path and path .. ": " or "", key, key == "state" and " " .. value or "", WHY[key] or ""))
end

local function note_rest(site, root)
  local paths = {}
  local function walk(node)
    paths[node.path] = true
    for _, child in ipairs(node.children) do walk(child) end
  end
  walk(root)
  for _, name in ipairs(site.found) do
    if name:find(HEAD, 1, true) == 1 and not name:find "legacy%-queue%-mode" then
      note_property(site, name, paths)
    elseif name:find(MONITOR, 1, true) == 1 and not name:find "max_wait_before_kill$"
      and not name:find "after%-satisfied" then
      site.with.note(place_of(site, name), ("%s is not carried over: it is of the cluster, "
        .. "most_reclaimed of a consumer"):format(name:sub(#MONITOR + 1)))
    end
  end
end

-- ---- All ----------------------------------------------------------------------------------------

--- The slots that root's absolute capacity says; nil: it says none.
function capacity.slots(site)
  site.used = site.used or {}
  local text, name = get(site, "root", "capacity")
  if text and text:find "^%[" then site.slots = select(2, amount_of(site, "root", text, name)) end
  return site.slots
end

--- The plan of properties. `site`: with, found, slots, group_slots, memory, setting(name).
function capacity.plan(site)
  local root = { raw = "root", path = "root", children = {}, capacity = {}, most = {} }
  site.used, site.labels = { [HEAD .. "root.capacity"] = true }, {}
  read_tree(site, root, 0)
  if #root.children == 0 then
    site.with.fail(site.with.head, "no queues: " .. HEAD .. "root.queues lists them")
  end
  find_labels(site)
  read_labels(site, root)
  local absolute = root.children[1] and root.children[1].kind == "absolute"
  local policy, grace = policy_of(site, absolute)
  local plan = { version = 1, slots = site.slots, policy = policy,
    consumers = rows_of(site, root, grace) }
  put_groups(site, root, plan)
  note_rest(site, root)
  return plan
end

return capacity
