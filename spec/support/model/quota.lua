-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-1 to C-4 of the model: own, reserve, need, quota.

local rational = require "spec.support.model.rational"
local round = require "spec.support.model.round"
local rules = require "spec.support.model.rules"

local quota = {}

--- The fills of the ready-made policy (architecture.md, C-3) behind the reserve, as data.
quota.HYBRID = {
  { label = "owned", by = "owned", up_to = "owned" },
  { label = "borrowed", by = "owned" },
  { label = "spare", by = 1 },
}
quota.EVENLY = {
  { label = "owned", by = "owned", up_to = "configured" },
  { label = "borrowed", by = 1 },
}

--- C-1.
local function scale(node, world)
  if world.planned == 0 then
    node.own = rational(0)
  else
    node.own = rational(node.owned) * world.slots / world.planned
  end
  for _, child in ipairs(node.children) do scale(child, world) end
  node.own_whole = math.min(node.own:floor(), 1000000000) -- the column that a policy reads
  node.group_slots = world.slots
  node.reserve_now = node.reserve
end

--- C-1: what is reserved, by the plan or by the policy's rule. A rule minds limits; a plan that
--- does not is refused.
local function reserve(node, rule)
  local below, most = 0, rule and node.limit or math.maxinteger
  for _, child in ipairs(node.children) do
    reserve(child, rule)
    below = below + child.reserve_now
  end
  local said = rule and rules.value(node, rule) or node.reserve
  node.reserve_now = math.min(most, math.max(math.min(said, node.own_whole), below))
end

--- A weight or a cap: what is owned is a fraction here.
local function amount(node, source)
  return source == "owned" and node.own or rational(rules.value(node, source))
end

--- E-23: whether all fills go by what the plan states, one by shares, and none gives a node a part.
--- Fills up to the reserve do not count: they give nothing beyond it.
local function left_out(node, fills)
  local shares = false
  for _, fill in ipairs(fills) do
    if fill.up_to ~= "reserve" then
      local stated = rules.STATED[fill.by] or fill.by == 0
      if not stated or rational(0) < amount(node, fill.by) then return false end
      shares = shares or fill.by == "share"
    end
  end
  return shares
end

--- C-2.
local function want(node, fills)
  if #node.children > 0 then
    node.demand = 0
    for _, child in ipairs(node.children) do
      want(child, fills)
      node.demand = node.demand + child.need
    end
  end
  local least = math.min(node.demand, node.limit or node.demand)
  node.need = math.max(node.reserve_now, left_out(node, fills) and 0 or least)
end

--- Raises `rows` by at most `left` towards their aims; what is left then. All get theirs, or none
--- gets more per weight than another that is short of its aim.
local function pour(rows, left)
  local total, weights = rational(0), rational(0)
  for _, row in ipairs(rows) do
    row.room = row.aim - row.base
    row.at = row.room / row.weight
    total, weights = total + row.room, weights + row.weight
  end
  table.sort(rows, function (a, b)
    return a.at < b.at
  end)
  if total <= left then
    for _, row in ipairs(rows) do
      row.node.level = row.aim
    end
    return left - total
  end
  for _, row in ipairs(rows) do
    local gift = rational.min(row.room, left * row.weight / weights)
    row.node.level = row.node.level + gift
    left, weights = left - gift, weights - row.weight
  end
  assert(left:is_zero(), "model: a critical stage takes everything")
  return left, true
end

--- What rows have in all where each is raised to `rate` times its weight, but to its aim at most;
--- none loses what it has (C-15).
local function total_at(rows, rate)
  local sum = rational(0)
  for _, row in ipairs(rows) do
    row.total = rational.max(row.base, rational.min(row.aim, rate * row.weight))
    sum = sum + row.total
  end
  return sum
end

--- As `pour`, of a fill that raises totals: the rate is found between two rates at which some row
--- begins to rise, or ends.
local function pour_level(rows, left)
  local bends, had, wanted = { rational(0) }, rational(0), left
  for _, row in ipairs(rows) do
    bends[#bends + 1], bends[#bends + 2] = row.base / row.weight, row.aim / row.weight
    had, wanted = had + row.base, wanted + row.base
  end
  table.sort(bends, function (a, b) return a < b end)
  local before, sum = bends[1], had
  for _, bend in ipairs(bends) do
    local here = total_at(rows, bend)
    if wanted < here then
      total_at(rows, before + (bend - before) * (wanted - sum) / (here - sum))
      for _, row in ipairs(rows) do row.node.level = row.total end
      return rational(0), true
    end
    before, sum = bend, here
  end
  for _, row in ipairs(rows) do row.node.level = row.aim end
  return wanted - sum
end

--- The planned shares of all below a node, which is planned to have so many slots (E-21): whole
--- slots, by weight among all siblings.
local function plan(node, slots, by)
  local sum = rational(0)
  for _, child in ipairs(node.children) do
    sum = sum + amount(child, by)
  end
  for _, child in ipairs(node.children) do
    child.part = sum:is_zero() and 0 or (rational(slots) * amount(child, by) / sum):floor()
    plan(child, child.part, by)
  end
end

--- What a leaf needs of the slots that count as its own: those in flight where they will be (C-6).
local function counts(leaf)
  return math.min(leaf.need, math.max(0, leaf.allocated - leaf.in_flight + leaf.claimed))
end

--- What a node is sure of: its planned share, or its reserve if that is more.
local function sure_of(node)
  return math.min(node.need, math.max(node.part, node.reserve_now))
end

--- Sums below a node: what leaves hold, and what they lack of what they are sure of; of a parent
--- also what its own reserve lacks beyond these.
local function survey(node)
  if #node.children == 0 then
    node.holds = counts(node)
    node.lacks = math.max(0, sure_of(node) - node.holds)
    return
  end
  node.holds, node.lacks = 0, 0
  for _, child in ipairs(node.children) do
    survey(child)
    node.holds, node.lacks = node.holds + child.holds, node.lacks + child.lacks
  end
  node.lacks = math.max(node.lacks, (node.reserve_now or 0) - node.holds)
end

--- What nodes keep where siblings settle first: what they hold, or their planned share if that is
--- more. Of `free` slots, which nobody keeps, those are a branch's that its leaves lack.
local function hold(node, free)
  for _, child in ipairs(node.children) do
    local more = #child.children > 0 and math.min(free, child.lacks) or 0
    child.held = math.min(child.need, math.max(child.holds + more, child.part))
    hold(child, free)
  end
end

-- Where leaves give whatever their branches (E-22), all are sure of their planned shares, and what
-- there is beyond those goes to the leaves that hold it, the best rank first.

local function each_leaf(node, visit)
  if #node.children == 0 then
    visit(node)
  end
  for _, child in ipairs(node.children) do
    each_leaf(child, visit)
  end
end

--- What a node has if leaves of ranks up to `bound` keep what they hold.
local function kept_up_to(node, bound, by)
  local sure = sure_of(node)
  local most = amount(node, by):is_zero() and sure or node.need
  local slots = 0
  if #node.children == 0 then
    slots = node.rank <= bound and counts(node) or 0
  end
  for _, child in ipairs(node.children) do
    slots = slots + kept_up_to(child, bound, by)
  end
  return math.max(sure, math.min(most, slots))
end

--- Ranks of leaves below a node, best first, and one that is better than all.
local function ranks_below(node)
  local seen, out = {}, { -1 }
  each_leaf(node, function (leaf)
    if not seen[leaf.rank] then
      seen[leaf.rank], out[#out + 1] = true, leaf.rank
    end
  end)
  table.sort(out)
  return out
end

--- What the members of a node keep of `room`, and all below.
local function keep(node, room, by)
  local better = -1
  for _, rank in ipairs(ranks_below(node)) do
    local sum = 0
    for _, child in ipairs(node.children) do
      sum = sum + kept_up_to(child, rank, by)
    end
    if sum > room then
      break
    end
    better = rank
  end
  local worst = math.maxinteger -- the rank at which slots run out, if they do
  for _, rank in ipairs(ranks_below(node)) do
    worst = rank > better and math.min(worst, rank) or worst
  end
  local rows, left = {}, room
  for _, child in ipairs(node.children) do
    local low, weight = kept_up_to(child, better, by), amount(child, by)
    child.level, left = rational(low), left - low
    if not weight:is_zero() then
      local high = rational(kept_up_to(child, worst, by))
      rows[#rows + 1] = { node = child, base = child.level, aim = high, weight = weight }
    end
  end
  if worst < math.maxinteger and left > 0 then
    pour(rows, rational(left))
  end
  round.by_rank(node.children, "level", "held")
  for _, child in ipairs(node.children) do
    keep(child, child.held, by)
  end
end

--- Planned shares, then what is kept.
local function plan_and_hold(world, fill, say)
  plan(world.root, world.slots, fill.by)
  local kept, deep
  for _, other in ipairs(say.fills) do
    kept = kept or other.up_to == "held" and other
  end
  for _, child in ipairs(world.root.children) do
    deep = deep or #child.children > 0
  end
  if say.across and kept and deep then
    keep(world.root, world.slots, kept.by)
  else
    survey(world.root)
    hold(world.root, math.max(0, world.slots - world.root.holds))
  end
end

--- A group's rows that take part in a fill.
local function rows_of(group, fill)
  local rows = {}
  for _, node in ipairs(group) do
    local weight = amount(node, fill.by)
    if rational(0) < weight then
      local cap = fill.up_to and amount(node, fill.up_to) or rational(node.need)
      cap = rational.min(cap, node.need)
      rows[#rows + 1] = {
        node = node, weight = weight, cap = cap,
        base = node.level, aim = rational.max(node.level, cap), level = fill.level,
      }
    end
  end
  return rows
end

--- All fills over a family, groups of equal key one after another. Returns the rows, by node, of
--- the group where slots ran out, if they did.
local function pour_all(family, fills, left)
  for _, fill in ipairs(fills) do
    for _, group in ipairs(rules.groups(fill.order, family)) do
      local rows = rows_of(group, fill)
      local rest, critical = (fill.level and pour_level or pour)(rows, left)
      left = rest
      if critical then
        local short = {}
        for _, row in ipairs(rows) do
          short[row.node] = row
        end
        return short
      end
    end
  end
end

--- C-3, top-down.
local function divide(node, slots, say)
  if #node.children == 0 then
    return
  end
  for _, child in ipairs(node.children) do
    child.level = rational(0)
  end
  node.divided = slots
  for _, fill in ipairs(say.fills) do
    rules.prepare({ nodes = node.children }, rules.sources(fill, true))
  end
  local critical = pour_all(node.children, say.fills, rational(slots))
  round[say.round](node.children, critical, say.distribute)
  for _, child in ipairs(node.children) do
    divide(child, child.quota, say)
  end
end

--- C-1 and C-2.
function quota.needs(world)
  local rule = world.rules.reserve
  for _, child in ipairs(world.root.children) do scale(child, world) end
  if rule then rules.prepare(world, rule) end
  for _, child in ipairs(world.root.children) do
    reserve(child, rule)
    want(child, world.rules.fills)
  end
end

function quota.run(world)
  quota.needs(world)
  local say = world.rules
  for _, fill in ipairs(say.fills) do
    rules.prepare(world, rules.sources(fill))
    if fill.up_to == "part" then
      plan_and_hold(world, fill, say)
    end
  end
  if say.round == "ceil_in_order" then
    rules.prepare_keys(world, say.distribute)
  end
  divide(world.root, world.slots, say)
end

return quota
