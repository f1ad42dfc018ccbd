-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random sites with whole tasks (C-13): small trees with limits, reserves and ranks, one group or
--- two that tasks couple, and tasks that come and go.

local Random = require "allot.check.random"
local draw_ledger = require "allot.check.draw_ledger"
local gen_policy = require "spec.support.cases.gen_policy"
local windows = require "spec.support.cases.windows"

local gen_whole = {}

--- Groups of a plan, in the order in which all is drawn.
local ONE, TWO = { "default" }, { "cpu", "gpu" }
local SIZES = { 1, 1, 2, 2, 3, 4, 5, 8 }

-- The plan -------------------------------------------------------------------------------------

--- What a node has of its own in a group; `least` is what those below reserve.
local function draw_columns(random, style, owned, least)
  local out = { owned = owned }
  if owned > 0 and random:once_in(style.reserves) then out.reserve = random:int(0, owned) end
  out.rank = random:once_in(2) and random:int(0, style.ranks) or nil
  if random:once_in(style.limits) then
    out.limit = random:int(math.max(out.reserve or 0, least), 12)
  end
  return out
end

local function reserved(node, below)
  return math.max(node.reserve or 0, below)
end

--- Draws the columns of a node and all below; what they own and reserve.
local function draw_node(random, style, node, path, put)
  local owned, least = 0, 0
  for _, child in ipairs(node.children or {}) do
    local more, kept = draw_node(random, style, child, path .. "/" .. child.name, put)
    owned, least = owned + more, least + kept
  end
  if not node.children then
    owned = random:once_in(4) and 0 or random:int(0, 8)
  elseif random:once_in(4) then
    owned = owned + random:int(0, 4) -- the branch's unowned balance
  end
  local columns = draw_columns(random, style, owned, least)
  put(path, node, columns)
  return owned, reserved(columns, least)
end

local function shape(random, style, name, depth)
  local node = { name = name }
  if depth > 0 and random:once_in(2) then
    node.children = {}
    for i = 1, random:int(1, style.wide) do
      node.children[i] = shape(random, style, name .. i, depth - 1)
    end
  end
  return node
end

--- Columns of all nodes; what the first level owns.
local function draw_all(random, style, consumers, put)
  local sum = 0
  for _, node in ipairs(consumers) do
    sum = sum + draw_node(random, style, node, "/" .. node.name, put)
  end
  return sum
end

local function draw_plan(random, style)
  local plan, planned = { version = 1, policy = "hybrid", consumers = {} }, {}
  for i = 1, random:int(2, style.wide + 1) do
    plan.consumers[i] = shape(random, style, "n" .. i, style.deep)
  end
  if random:once_in(2) then plan.options = { pending = "skip" } end
  if style.groups == ONE then
    planned.default = draw_all(random, style, plan.consumers, function (_, node, columns)
      for key, value in pairs(columns) do node[key] = value end
    end)
    return plan, planned
  end
  plan.groups = {}
  for _, group in ipairs(style.groups) do
    local consumers = {}
    planned[group] = draw_all(random, style, plan.consumers, function (path, _, columns)
      consumers[path] = columns
    end)
    plan.groups[group] = { slots = math.max(1, planned[group]), consumers = consumers }
  end
  return plan, planned
end

--- Calls visit(path) for every leaf, in plan order.
local function each_leaf(list, above, visit)
  for _, node in ipairs(list) do
    local path = above .. "/" .. node.name
    if node.children then each_leaf(node.children, path, visit) else visit(path) end
  end
end

-- The state ------------------------------------------------------------------------------------

local function draw_slots(random, groups)
  if groups == ONE then return random:pick(SIZES) end
  local out = { cpu = random:pick(SIZES) }
  if random:once_in(2) then out.gpu = random:int(1, 3) end
  if out.gpu and random:once_in(4) then out.cpu = nil end
  return out
end

--- The n-th task of a site, pending. Where tasks are alike, ids tell who comes first.
local function new_task(random, it, path, n, now)
  return {
    id = (it.alike and "t%03d" or "t%d"):format(n), consumer = path, state = "pending",
    slots = draw_slots(random, it.plan.groups and TWO or ONE),
    priority = it.alike and 1 or random:int(1, 3),
    submitted = it.alike and n or now - random:int(0, 3),
  }
end

local function by_group(slots)
  return type(slots) == "table" and slots or { default = slots }
end

--- Has a task run, if its slots are idle still.
local function run(random, task, free, now)
  for group, n in pairs(by_group(task.slots)) do
    if n > free[group] then return end
  end
  for group, n in pairs(by_group(task.slots)) do free[group] = free[group] - n end
  task.state, task.started = nil, now - random:int(1, 5)
end

--- A leaf that takes any number of slots, and holds some.
local function draw_row(random, groups, free)
  local row = { demand = {}, allocated = {} }
  for _, group in ipairs(groups) do
    local held = random:once_in(2) and 0 or random:int(0, math.min(free[group], 6))
    row.allocated[group], free[group] = held, free[group] - held
    row.demand[group] = random:int(0, 9)
  end
  if groups ~= ONE then return row end
  return { demand = row.demand.default, allocated = row.allocated.default }
end

--- How large groups are, and the same to count down.
local function sizes(random, style, planned)
  local out, free = {}, {}
  for _, group in ipairs(style.groups) do
    local own = planned[group]
    out[group] = math.max(1, random:pick { own, own, own, own + 3, own + 7, own - 2 })
    free[group] = out[group]
  end
  return out, free
end

local function draw_state(random, style, it, planned)
  local slots, free = sizes(random, style, planned)
  local state, list = { now = 1000, slots = slots.default or slots, consumers = {} }, {}
  each_leaf(it.plan.consumers, "", function (path)
    if random:once_in(style.numbers) then
      state.consumers[path] = draw_row(random, style.groups, free)
      return
    end
    for _ = 1, random:int(0, style.tasks) do
      list[#list + 1] = new_task(random, it, path, #list + 1, state.now)
    end
  end)
  for _, task in ipairs(list) do
    if random:once_in(style.idle) then run(random, task, free, state.now) end
  end
  state.consumers = next(state.consumers) and state.consumers or nil
  state.tasks = list[1] and list or nil
  return state
end

local function draw_shares(random, list)
  for _, node in ipairs(list) do
    node.share = random:pick { 1, 1, 1, 2, 3, 8 }
    draw_shares(random, node.children or {})
  end
end

local function draw_style(random)
  return {
    wide = random:pick { 1, 2, 3, 4 }, deep = random:pick { 0, 1, 1, 2 },
    ranks = random:pick { 0, 1, 3 }, limits = random:pick { 2, 4, 1000 },
    reserves = random:pick { 2, 4, 1000 }, groups = random:once_in(4) and TWO or ONE,
    tasks = random:pick { 2, 3, 6 }, numbers = random:pick { 4, 8, 1000 },
    idle = random:pick { 1, 2, 4 },
  }
end

--- A case: plan and state, `seed`, and whether its tasks are `alike`: of one priority, with ids in
--- the order in which they came. `policy`: under another than hybrid, by shares; `style`: if known.
function gen_whole.case(seed, policy, style)
  local random = Random.new(seed * 4051)
  style = style or draw_style(random)
  local plan, planned = draw_plan(random, style)
  local it = { seed = seed, plan = plan, alike = random:once_in(2) }
  it.state = draw_state(random, style, it, planned)
  if policy then
    plan.policy = policy
    draw_shares(random, plan.consumers)
  end
  return it
end

--- A case of many siblings, few of which can use what they have.
function gen_whole.wide(seed, policy)
  return gen_whole.case(seed, policy, { wide = 24, deep = 0, ranks = 1, limits = 8, reserves = 8,
    groups = ONE, tasks = 3, numbers = 1000, idle = 4 })
end

--- A case under a random policy that gives, in the end, slots to whoever needs some.
function gen_whole.site(seed)
  local it, drawn = gen_whole.case(seed), gen_policy.case(seed, false, true)
  it.site, it.write = drawn.site, drawn.write
  it.site.fills[#it.site.fills + 1] = { label = "open", by = 1 }
  it.policy, it.plan.policy = it.write(it.site), "site.lua"
  draw_shares(Random.new(seed * 4057), it.plan.consumers)
  return it
end

--- Loans to leaves that hold something.
local function draw_loans(random, state, leaves)
  local out, held = {}, {}
  for _, task in ipairs(state.tasks or {}) do
    if task.started then held[task.consumer] = (held[task.consumer] or 0) + task.slots end
  end
  for _, leaf in ipairs(leaves) do
    local lender = random:pick(leaves).path
    if held[leaf.path] and lender ~= leaf.path and random:once_in(2) then
      out[#out + 1] = {
        lender = lender, borrower = leaf.path, slots = random:int(1, held[leaf.path]),
      }
    end
  end
  return out[1] and out or nil
end

--- A case under ownership.
function gen_whole.ledger(seed)
  local random, style, leaves = Random.new(seed * 4093), draw_style(Random.new(seed * 4091)), {}
  style.groups = ONE
  local it = { seed = seed, plan = draw_ledger.plan(random, leaves), alike = random:once_in(2) }
  if random:once_in(2) then it.plan.options = { pending = "skip" } end
  it.state = draw_state(random, style, it, { default = it.plan.slots })
  it.state.loans = draw_loans(random, it.state, leaves)
  return it
end

--- What a leaf states that it wants: of two groups in one or both.
local function draw_demand(random, groups)
  if groups == ONE then return random:int(0, 9) end
  local out = {}
  for _, group in ipairs(random:once_in(2) and TWO or { random:pick(TWO) }) do
    out[group] = random:int(0, 9)
  end
  return out
end

--- A case some of whose leaves with tasks state what they want. It does not live: what such a leaf
--- has beyond its tasks is nowhere in a state.
function gen_whole.stated(seed)
  local it, random = gen_whole.case(seed), Random.new(seed * 4073)
  local rows = it.state.consumers or {}
  for _, task in ipairs(it.state.tasks or {}) do
    if not rows[task.consumer] and random:once_in(2) then
      rows[task.consumer] = { demand = draw_demand(random, it.plan.groups and TWO or ONE) }
    end
  end
  it.state.consumers, it.alone = next(rows) and rows, true
  return it
end

local function copied(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, inner in pairs(value) do out[key] = copied(inner) end
  return out
end

--- A case, such as make(seed), with windows. It may be invalid.
function gen_whole.windows(seed, make)
  local it = windows.case(seed, false, make(seed))
  it.state.last = nil -- nothing switches
  return it
end

--- The same, whose slots are those of open hosts that all consumers can use; of several groups as
--- it is.
function gen_whole.hosts(seed, make)
  local it, random = make(seed), Random.new(seed * 4079)
  if it.plan.groups then return it end
  local left = it.state.slots
  it.plan.slots = random:int(math.max(1, left - 2), left + 2)
  it.plan.hosts, it.state.slots, it.state.hosts = {}, nil, nil
  for i = 1, random:int(1, 4) do
    local slots = i == 4 and left or random:int(0, left)
    it.plan.hosts["h" .. i], left = { slots = slots }, left - slots
  end
  it.plan.hosts.rest = { slots = left }
  if random:once_in(2) then
    it.plan.hosts.closed, it.state.hosts = { slots = 3 }, { closed = { closed = "drain" } }
  end
  return it
end

--- Plan and state that come to the same without windows and hosts.
function gen_whole.plain(plan, state)
  local out, slots = windows.flat(plan, state.now), 0
  if not plan.hosts then return out, state end
  for name, host in pairs(plan.hosts) do
    slots = slots + ((state.hosts or {})[name] and 0 or host.slots)
  end
  state = copied(state)
  out.hosts, state.hosts, state.slots = nil, nil, slots
  return out, state
end

--- Tasks of a state that stay: some end, and a few that wait are withdrawn.
local function staying(random, state)
  local out = {}
  for _, task in ipairs(state.tasks or {}) do
    if not random:once_in(task.state == "pending" and 12 or 4) then out[#out + 1] = task end
  end
  return out
end

--- A state of a case, `round` times changed: tasks end, others come.
function gen_whole.change(it, state, round)
  local random, out, paths = Random.new(it.seed * 4051 + round), copied(state), {}
  local rows, list = out.consumers or {}, staying(random, out)
  each_leaf(it.plan.consumers, "", function (path)
    if not rows[path] then paths[#paths + 1] = path end
  end)
  for i = 1, paths[1] and random:int(0, 3) or 0 do
    local path = random:pick(paths)
    list[#list + 1] = new_task(random, it, path, 1000 * round + i, out.now)
  end
  out.tasks = list[1] and list or nil
  return out
end

return gen_whole
