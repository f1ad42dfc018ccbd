-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Leaves, lists and proportions of the ledger's model, which knows what they are for.

local NONE = 1000000000

local parts = {}

function parts.least(a, ...)
  for _, b in ipairs { ... } do a = b < a and b or a end
  return a
end
local least = parts.least

-- The deepest first; of those as deep as each other the later, as the worst-ranked leaf is.
local function deepest_first(list)
  for at, each in ipairs(list) do each.at = at end
  table.sort(list, function (a, b)
    if a.depth ~= b.depth then return a.depth > b.depth end
    return a.at > b.at
  end)
  return list
end

--- Leaves by (rank, plan order), each with its pools, nearest first: {slots, used = 0}; branches
--- that have a limit, the deepest first: {limit, leaves}.
function parts.open(plan, state)
  local leaves, all = {}, { slots = 0, used = 0, members = {} }
  local pools, branches = {}, {}
  local function walk(list, above, chain)
    local sum = 0
    for _, node in ipairs(list) do
      local path = above .. "/" .. node.name
      if node.children then
        local pool = { used = 0, members = {}, depth = #chain }
        local below = walk(node.children, path, { pool, table.unpack(chain) })
        if node.limit then
          branches[#branches + 1] = { path = path, limit = node.limit, depth = #chain }
        end
        pool.slots = (node.owned or below) - below
        pools[#pools + 1] = pool
        sum = sum + (node.owned or below)
      else
        local row = (state.consumers or {})[path] or {}
        local own = node.owned or 0
        local reserve = least(node.reserve or 0, own)
        local most = least(row.demand or 0, node.limit or NONE)
        leaves[#leaves + 1] = {
          path = path, node = node, place = #leaves, rank = node.rank or 0, own = own,
          reserve = reserve, most = most, need = math.max(reserve, most), chain = chain,
          held = row.allocated or 0, into = 0, out = 0, used = 0, shared = 0, granted = 0,
          drains = node.rebalance == false, promised = 0, lost = 0, loose = 0, gone = 0,
          loans = {},
          weight = node.share or 1,
        }
        sum = sum + own
      end
    end
    return sum
  end
  local owned = walk(plan.consumers, "", { all })
  deepest_first(pools)
  pools[#pools + 1] = all
  local slots = state.slots or plan.slots or owned
  all.slots = math.max(0, slots - owned)
  table.sort(leaves, function (a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.place < b.place
  end)
  for i, leaf in ipairs(leaves) do
    leaf.index = i
    for _, pool in ipairs(leaf.chain) do
      if leaf.weight > 0 then table.insert(pool.members, leaf) end
    end
  end
  return leaves, pools, slots, parts.below(deepest_first(branches), leaves)
end

--- Fills in the leaves of branches, and the branches of leaves: the nearest first.
function parts.below(branches, leaves)
  for _, leaf in ipairs(leaves) do leaf.branches, leaf.sure = {}, 0 end
  for _, branch in ipairs(branches) do -- children come before their parents
    branch.leaves = {}
    for _, leaf in ipairs(leaves) do
      if parts.listed({ branch.path }, leaf.path) then
        branch.leaves[#branch.leaves + 1] = leaf
        table.insert(leaf.branches, branch)
      end
    end
  end
  return branches
end

function parts.has(leaf) return leaf.used + leaf.shared + leaf.into end

function parts.sum(list, of)
  local out = 0
  for _, each in ipairs(list) do out = out + of(each) end
  return out
end

--- What a leaf lacks of what it is sure of below limits.
function parts.missing(leaf)
  return math.max(0, leaf.sure - parts.has(leaf))
end

--- What limits hold for a leaf: what it is sure of, whose turn it is, and what is not set aside for
--- others. Slots of `from` below the same limit take no room, but for what that one is sure of.
function parts.within(leaf, from)
  local most, own = NONE, parts.missing(leaf)
  for _, branch in ipairs(leaf.branches) do
    local room = branch.limit - parts.sum(branch.leaves, parts.has)
    local left = room - (parts.sum(branch.leaves, parts.missing) - own)
    if from and parts.listed({ branch.path }, from.path) then
      left = math.max(own, left + math.max(0, parts.has(from) - from.sure))
    else
      left = math.max(least(own, room), left)
    end
    most = least(most, left)
  end
  return math.max(0, most)
end

--- What limits hold of idle slots: who is to give some has them until it has.
function parts.outside(leaf)
  local most = NONE
  for _, branch in ipairs(leaf.branches) do
    most = least(most, branch.limit - parts.sum(branch.leaves, function (other)
      return other.held + other.granted
    end))
  end
  return math.max(0, most)
end

--- Pools, and what leaves use of them: pool[leaf].
function parts.use(pool, leaf, slots)
  pool[leaf] = (pool[leaf] or 0) + slots
  pool.used = pool.used + slots
  leaf.pooled = (leaf.pooled or 0) + slots
end

--- What is idle in a leaf's pools.
function parts.idle_for(leaf)
  return parts.sum(leaf.weight > 0 and leaf.chain or {}, function (pool)
    return math.max(0, pool.slots - pool.used)
  end)
end

--- Puts slots of a leaf there, nearest first.
function parts.put(leaf, slots)
  for _, pool in ipairs(leaf.chain) do
    local part = least(slots, math.max(0, pool.slots - pool.used))
    parts.use(pool, leaf, part)
    slots = slots - part
  end
end

--- Slots of a leaf are going: those of the farthest pools first.
function parts.pools_less(leaf, slots)
  for i = #leaf.chain, 1, -1 do
    local part = least(slots, leaf.chain[i][leaf] or 0)
    parts.use(leaf.chain[i], leaf, -part)
    slots = slots - part
  end
end

--- What a leaf must have from others, or idle: what it loses is gone once that is in flight, but
--- for what it borrowed. Who drains loses nothing that nobody claims.
function parts.lacks(leaf, target)
  local losing = leaf.gone + (leaf.drains and 0 or leaf.loose)
  return math.max(0, target - leaf.held - leaf.granted - leaf.promised + losing)
end

--- The same, or what it could keep of slots that it loses to nobody, if that is more.
function parts.wants(leaf, target)
  return math.max(parts.lacks(leaf, target), least(target - parts.has(leaf), leaf.loose))
end

--- Whole parts of `slots` by weight, each up to its gap: floors of the exact parts, then one each
--- to fractions in order. All are {weight, gap}.
function parts.pour(rows, slots)
  local open_rows, left, whole = {}, slots, {}
  for i, row in ipairs(rows) do open_rows[i], whole[i] = row.gap > 0 and row.weight > 0, 0 end
  repeat
    local weight, changed = 0, false
    for i, row in ipairs(rows) do weight = weight + (open_rows[i] and row.weight or 0) end
    for i, row in ipairs(rows) do
      if open_rows[i] and row.gap * weight <= left * row.weight then
        -- met: decided for all by the same rate before anything is taken off
        open_rows[i], whole[i], changed = false, row.gap, true
      end
    end
    left = slots
    for i in ipairs(rows) do left = left - (open_rows[i] and 0 or whole[i]) end
  until not changed
  local weight, rest = 0, left
  for i, row in ipairs(rows) do weight = weight + (open_rows[i] and row.weight or 0) end
  for i, row in ipairs(rows) do
    if open_rows[i] then
      whole[i] = left * row.weight // weight
      rest = rest - whole[i]
    end
  end
  for i, row in ipairs(rows) do
    if open_rows[i] and rest > 0 and left * row.weight % weight ~= 0 then
      whole[i], rest = whole[i] + 1, rest - 1
    end
  end
  return whole
end

--- What is planned (E-21): what the ratio gives among all members of a pool, rounded as ever;
--- pool.planned[leaf], and leaf.planned, the sum over pools.
function parts.plan(pools, leaves)
  for _, leaf in ipairs(leaves) do leaf.planned = 0 end
  for _, pool in ipairs(pools) do
    local rows = {}
    for i, leaf in ipairs(pool.members) do rows[i] = { weight = leaf.weight, gap = NONE } end
    pool.planned = {}
    for i, part in ipairs(parts.pour(rows, pool.slots)) do
      local leaf = pool.members[i]
      pool.planned[leaf], leaf.planned = part, leaf.planned + part
    end
  end
end

--- What members deserve of a pool by what is planned (E-21): up to their planned shares; then up to
--- what they hold, rank by rank, the best first; then by ratio. All are {weight, gap, planned,
--- held, rank}, the best rank first.
function parts.planned(rows, slots)
  local out, left = {}, slots
  for i in ipairs(rows) do out[i] = 0 end
  local function pour(most, rank)
    local stage = {}
    for i, row in ipairs(rows) do
      local up_to = least(most(row), row.gap) - out[i]
      local mine = not rank or row.rank == rank
      stage[i] = { weight = row.weight, gap = mine and math.max(0, up_to) or 0 }
    end
    for i, part in ipairs(parts.pour(stage, left)) do out[i] = out[i] + part end
    left = slots
    for i in ipairs(rows) do left = left - out[i] end
  end
  pour(function (row) return row.planned end)
  for i, row in ipairs(rows) do
    if i == 1 or rows[i - 1].rank ~= row.rank then
      pour(function (each) return each.held end, row.rank)
    end
  end
  pour(function () return NONE end)
  return out
end

function parts.listed(list, path)
  if list == true then return true end
  for _, other in ipairs(list or {}) do
    if other == path or path:sub(1, #other + 1) == other .. "/" then return true end
  end
  return false
end

function parts.peers(node, key)
  if node[key] == nil and node[key .. "_limit"] then return true end
  return node[key]
end

function parts.allowed(lender, borrower)
  return parts.listed(parts.peers(lender.node, "lend"), borrower.path)
    and parts.listed(parts.peers(borrower.node, "borrow"), lender.path)
end

--- What rows have in all if all are raised to one rate times their weights, each by at most its gap
--- (C-15); fractions go by order.
function parts.level(rows, slots)
  local bends, low, out = {}, { 0, 1 }, {}
  for _, row in ipairs(rows) do
    if row.weight == 0 then row.gap = 0 end
    bends[#bends + 1] = { row.level, math.max(row.weight, 1) }
    bends[#bends + 1] = { row.level + row.gap, math.max(row.weight, 1) }
  end
  table.sort(bends, function (a, b) return a[1] * b[2] < b[1] * a[2] end)
  for _, bend in ipairs(bends) do
    local gain = 0
    for _, row in ipairs(rows) do
      local level = row.level * bend[2]
      gain = gain + math.max(0, math.min(row.gap * bend[2], row.weight * bend[1] - level))
    end
    if gain > slots * bend[2] then break end
    low = bend
  end
  -- From the rate `low` on the same rows rise until slots run out; the others have what they have.
  local rises, left, weight = {}, slots, 0
  for i, row in ipairs(rows) do
    local at, top = row.weight * low[1], (row.level + row.gap) * low[2]
    rises[i] = row.gap > 0 and row.level * low[2] <= at and at < top
    out[i] = row.level + (at >= top and row.gap or 0)
    left = left + (rises[i] and row.level or row.level - out[i])
    weight = weight + (rises[i] and row.weight or 0)
  end
  local rest = left
  for i, row in ipairs(rows) do
    if rises[i] then out[i] = left * row.weight // weight end
    rest = rest - (rises[i] and out[i] or 0)
  end
  for i, row in ipairs(rows) do
    if rises[i] and rest > 0 and left * row.weight % weight ~= 0 then
      out[i], rest = out[i] + 1, rest - 1
    end
  end
  return out
end

function parts.lend_most(leaf)
  return least(leaf.own - leaf.reserve, leaf.node.lend_limit or NONE)
end

-- What each member gives of `slots`: worst rank first, in a rank in proportion to what is over.
function parts.give_back(rows, slots)
  local to = #rows
  while to > 0 do
    local from, sum = to, rows[to].over
    while from > 1 and rows[from - 1].leaf.rank == rows[to].leaf.rank do
      from = from - 1
      sum = sum + rows[from].over
    end
    local part, order = least(sum, slots), {}
    local rest = part
    for i = from, to do
      rows[i].gives = sum > 0 and part * rows[i].over // sum or 0
      rest = rest - rows[i].gives
      order[#order + 1] = { row = rows[i], at = i }
    end
    table.sort(order, function (a, b)
      if a.row.over ~= b.row.over then return a.row.over > b.row.over end
      return a.at > b.at
    end)
    for _, item in ipairs(order) do
      if rest > 0 and item.row.gives < item.row.over then
        item.row.gives, rest = item.row.gives + 1, rest - 1
      end
    end
    slots, to = slots - part, from - 1
  end
end

function parts.loan_of(lender, borrower)
  for _, loan in ipairs(borrower.loans) do
    if loan.lender == lender then return loan end
  end
end

function parts.by_lender(loans, lender)
  local list = {}
  for _, loan in ipairs(loans) do
    if loan.lender == lender then list[#list + 1] = loan end
  end
  table.sort(list, function (a, b)
    if a.borrower.rank ~= b.borrower.rank then return a.borrower.rank > b.borrower.rank end
    return a.age > b.age
  end)
  return list
end

--- Slots are alike: nobody gives what it gets at the same time. True where what it gets is idle.
function parts.net(leaves, recalls)
  local passed = false
  for _, leaf in ipairs(leaves) do
    local gets = leaf.granted
    for _, recall in ipairs(recalls) do
      if recall.to == leaf then gets = gets + recall.slots end
    end
    leaf.passed = leaf.granted > 0 and leaf.lost > 0
    passed = passed or leaf.passed
    leaf.lost = math.max(0, leaf.lost - gets)
  end
  return passed
end

return parts
