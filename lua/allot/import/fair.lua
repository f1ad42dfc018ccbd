-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues of YARN's Fair Scheduler: an allocation file.

local tree = require "allot.import.tree"

local fair = {}

local PERCENT = 100000000 -- a whole, in millionths of a percent
local QUEUES = { queue = true, pool = true }
-- Elements of a queue that are carried over.
local CARRIED = { queue = true, pool = true, weight = true, maxResources = true,
  minResources = true }
local WHY = {
  maxChildResources = ": queues that come up by themselves are no part of a plan",
  queuePlacementPolicy = " (--map says it for logs)",
  defaultQueueSchedulingPolicy = ": slots are of one kind (--slot)",
}

-- ---- Amounts ------------------------------------------------------------------------------------

--- What is said of the resource that a slot is: a number and whether it is percent; nil: nothing.
local function part_of(text, memory)
  local word, unit = memory and "memory%-mb" or "vcores", memory and "mb" or "vcores"
  local new = text:find "=" ~= nil
  local number, mark
  if new then
    number, mark = text:match(word .. "%s*=%s*([%d.]+)%s*(%%?)")
  elseif text:find "%%" then
    number = text:match("([%d.]+)%s*%%%s*" .. (memory and "memory" or "cpu"))
      or text:match "^([%d.]+)%s*%%$"
    mark = "%"
  else
    number = text:match("([%d.]+)%s*" .. unit)
  end
  return number, mark == "%", new
end

--- Whole slots of an amount; nil: it says none. What is guaranteed is rounded up, a limit down.
local function slots_of(site, node, element, up)
  local text = element.text:lower()
  local number, percent, new = part_of(text, site.memory)
  local fail = site.with.fail
  if not number and not new then
    fail(element.place, ("%s: %s %s names no %s"):format(node.path, element.name, element.text,
      site.memory and "memory" or "vcores"))
  end
  local exact = number and tree.millionths(number)
  if number and not exact then
    fail(element.place, ("%s: %s is no number"):format(node.path, number))
  end
  if not exact then return nil end
  local slots, rest = exact // 1000000, exact % 1000000
  if percent then
    slots, rest = tree.times_over(site.slots, exact, PERCENT)
    if not text:find "=" then
      site.with.note(element.place, ("%s %s is of the cluster: %s of %d"):format(element.name,
        element.text, up and "slots" or "a limit", slots))
    end
  end
  return up and rest > 0 and slots + 1 or slots
end

-- ---- The tree -----------------------------------------------------------------------------------

local function weight_of(site, node, element)
  local weight = tree.millionths(element.text)
  if not weight then
    site.with.fail(element.place, ("%s: weight %s is no number of at most six decimals"):format(
      node.path, element.text))
  end
  return weight or 1000000
end

local read_queues

local function read_queue(site, element, parent)
  local name = (element.of.name or ""):match "^%s*(.-)%s*$"
  local node = { raw = name, path = parent.path .. "." .. name, place = element.place,
    weight = 1000000, children = {}, limit = site.limit }
  if name == "" or name:find(".", 1, true) then
    site.with.fail(element.place, name == "" and "a queue has no name"
      or name .. ": a queue's name has no period")
  end
  for _, it in ipairs(element.children) do
    if it.name == "weight" then
      node.weight = weight_of(site, node, it)
    elseif it.name == "minResources" then
      node.owned = slots_of(site, node, it, true)
    elseif it.name == "maxResources" then
      node.limit = slots_of(site, node, it, false)
    elseif not CARRIED[it.name] then
      site.with.note(it.place, ("%s: %s%s is not carried over%s"):format(node.path, it.name,
        #it.children == 0 and it.text ~= "" and #it.text < 20 and " " .. it.text or "",
        WHY[it.name] or ""))
    end
  end
  if node.owned == 0 then node.owned = nil end
  if node.owned and node.limit and node.limit < node.owned then node.limit = node.owned end
  site.owns = site.owns or node.owned ~= nil
  parent.children[#parent.children + 1] = node
  read_queues(site, element, node)
end

function read_queues(site, element, node)
  for _, it in ipairs(element.children) do
    if QUEUES[it.name] then read_queue(site, it, node) end
  end
end

local function is_root(element)
  return QUEUES[element.name] and (element.of.name or ""):lower():match "^%s*root%s*$" ~= nil
end

--- Elements beside queues, and the queue root, if it is written; nothing may stand beside it.
local function read_top(site, top, root)
  local written
  for _, it in ipairs(top.children) do
    if is_root(it) then written = it end
    if it.name == "queueMaxResourcesDefault" then
      site.limit = slots_of(site, root, it, false)
    elseif not QUEUES[it.name] then
      site.with.note(it.place, ("%s%s is not carried over%s"):format(it.name,
        it.name:find "Policy$" and it.text ~= "" and " " .. it.text or "", WHY[it.name] or ""))
    end
  end
  for _, it in ipairs(top.children) do
    if QUEUES[it.name] and it ~= written then
      if written then site.with.fail(it.place, "no queue may stand beside root") end
      read_queue(site, it, root)
    end
  end
  if written then read_queues(site, written, root) end
end

-- ---- The plan -----------------------------------------------------------------------------------

local function rows_of(site, parent)
  local rows, taken, weights = {}, {}, {}
  for i, node in ipairs(parent.children) do weights[i] = node.weight end
  for i, share in ipairs(tree.lowest(weights)) do parent.children[i].share = share end
  tree.fit_shares(parent.children, "weight", site.with)
  local owned = 0
  for i, node in ipairs(parent.children) do
    local row = { name = tree.name(node.raw, node.place, taken, site.with), limit = node.limit,
      share = (node.share ~= 1 or node.raised) and node.share or nil }
    local leaf = #node.children == 0
    if not leaf then
      row.children, node.sum = rows_of(site, node)
      node.owned = math.max(node.owned or 0, node.sum)
    end
    row.owned = (node.owned or 0) > 0 and node.owned or nil
    if site.owns and leaf then row.borrow, row.lend = true, row.owned and true or nil end
    owned = owned + (node.owned or 0)
    site.with.at[row], rows[i] = { row = node.place }, row
  end
  return rows, owned
end

--- The plan of an allocation file's root element. `site`: with, slots, memory, setting(name).
function fair.plan(site, top)
  local root = { path = "root", children = {} }
  read_top(site, top, root)
  local policy = site.owns and { use = "ownership" }
    or { use = "share_ratio", adjust_share_to_workload = true }
  if site.setting "yarn.scheduler.fair.preemption" ~= "true" then policy.reclaim_shared = false end
  if site.owns then
    site.with.note(site.with.head, "minResources are owned slots, what is left is a pool by weight "
      .. "(policy ownership); YARN counts the minimum into the fair share: a queue with a minimum "
      .. "gets somewhat more here")
  end
  return { version = 1, slots = site.slots, policy = policy, consumers = rows_of(site, root) }
end

return fair
