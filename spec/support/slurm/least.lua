-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- How few jobs may go: a search over all choices, which knows nothing of ranks, proportions and
--- orders of victims. A leaf is { keeps =, holds =, jobs = sizes of those that may go }.

local least = {}

local function candidates_of(leaves)
  local list = {}
  for _, leaf in ipairs(leaves) do
    for _, size in ipairs(leaf.holds > leaf.keeps and leaf.jobs or {}) do
      list[#list + 1] = { size = size, leaf = leaf }
    end
  end
  table.sort(list, function (a, b) return a.size > b.size end)
  return list
end

--- The fewest of list[at], ... that free `need`, at most `most`; nil: none do. The first of a leaf
-- that goes is its largest: `leaf.beside` are the others.
local function search(list, at, need, most)
  if need <= 0 then return 0 end
  local job = list[at]
  if not job or most * job.size < need then return nil end
  local leaf, with = job.leaf, nil
  local before = leaf.beside
  local beside = before and before + job.size or 0
  if beside < leaf.holds - leaf.keeps then
    leaf.beside = beside
    with = search(list, at + 1, need - job.size, most - 1)
    leaf.beside = before
  end
  return search(list, at + 1, need, with or most) or with and with + 1
end

--- The fewest jobs that free `need` slots; nil: none do. Jobs of any leaf may go, one by one, as
-- long as their leaf has more than it keeps.
function least.to_free(leaves, need)
  local list = candidates_of(leaves)
  return search(list, 1, need, #list)
end

--- What owners claim beyond the slots that are free of `size`: their waiting jobs, first to last,
-- as far as all fit into what they own (`keeps`). `waiting` has their sizes.
function least.claimed(leaves, size)
  local claimed = -size
  for _, leaf in ipairs(leaves) do
    local has = leaf.holds
    for _, slots in ipairs(leaf.waiting) do
      if has + slots > leaf.keeps then break end
      has = has + slots
    end
    claimed = claimed + has
  end
  return math.max(0, claimed)
end

-- ---- A service's log ----------------------------------------------------------------------------

local function follow(tasks, event)
  local it = event.params
  if event.method == "finish" then
    tasks[it.id] = nil
  elseif event.method == "start" or event.method == "task" then
    tasks[it.id] = { leaf = it.consumer, slots = it.slots, runs = it.state == "running",
      order = { -it.priority, it.submitted, it.id } }
  end
end

local function first_of(a, b)
  for i, key in ipairs(a.order) do
    if key ~= b.order[i] then return key < b.order[i] end
  end
  return false
end

--- The leaves at an entry, of whom `owned` says what each owns.
local function leaves_of(tasks, owned)
  local list, by_path, waiting = {}, {}, {}
  for path, slots in pairs(owned) do
    by_path[path] = { keeps = slots, holds = 0, jobs = {}, waiting = {} }
    list[#list + 1] = by_path[path]
  end
  for _, task in pairs(tasks) do
    local leaf = by_path[task.leaf]
    if not task.runs then
      waiting[#waiting + 1] = task
    elseif not task.goes then
      leaf.holds = leaf.holds + task.slots
      leaf.jobs[#leaf.jobs + 1] = task.slots
    end
  end
  table.sort(waiting, first_of)
  for _, task in ipairs(waiting) do
    table.insert(by_path[task.leaf].waiting, task.slots)
  end
  return list
end

--- For each decision of a log (entries as `allot log` prints them) that orders victims: how many
-- go, and the fewest that would do.
function least.of_log(entries, owned, size)
  local tasks, list = {}, {}
  for _, entry in ipairs(entries) do
    local reclaims = entry.kind == "decision" and entry.decision.reclaims or {}
    if entry.kind == "event" then follow(tasks, entry) end
    if #reclaims > 0 then
      local leaves, count = leaves_of(tasks, owned), 0
      for _, reclaim in ipairs(reclaims) do
        for _, id in ipairs(reclaim.tasks) do
          count, tasks[id].goes = count + 1, true
        end
      end
      list[#list + 1] = { go = count, fewest = least.to_free(leaves, least.claimed(leaves, size)) }
    end
  end
  return list
end

return least
