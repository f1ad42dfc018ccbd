-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- C-11 as plainly as it can be written: one group under ownership alone, nothing is in flight.
--- No care is taken for speed.

local parts = require "spec.support.model.ledger_parts"

local NONE = 1000000000

local least, has, wants = parts.least, parts.has, parts.wants
local pour, allowed, lend_most, use = parts.pour, parts.allowed, parts.lend_most, parts.use

-- One run: the state of the books.
local Books = setmetatable({}, require "spec.support.model.ledger_moves")
Books.__index = Books

function Books:loan(lender, borrower)
  local loan = parts.loan_of(lender, borrower)
  if not loan then
    loan = { lender = lender, borrower = borrower, slots = 0, age = #self.loans }
    table.insert(borrower.loans, 1, loan) -- the newest first
    table.insert(self.loans, loan)
  end
  return loan
end

local function less(loan, slots)
  loan.slots = loan.slots - slots
  loan.lender.out = loan.lender.out - slots
  loan.borrower.into = loan.borrower.into - slots
end

function Books:read(state)
  local by_path = {}
  for _, leaf in ipairs(self.leaves) do by_path[leaf.path] = leaf end
  for _, told in ipairs(state.loans or {}) do
    local loan = self:loan(by_path[told.lender], by_path[told.borrower])
    less(loan, -told.slots)
    loan.before = loan.slots
  end
  for _, leaf in ipairs(self.leaves) do
    for _, loan in ipairs(leaf.loans) do
      less(loan, least(loan.slots, math.max(0, leaf.into - leaf.held)))
    end
  end
end

function Books:settle()
  local changed = true
  while changed do
    changed = false
    for _, leaf in ipairs(self.leaves) do
      for _, loan in ipairs(leaf.loans) do
        local free = leaf.own - leaf.out - (leaf.held - leaf.lost - leaf.into)
        local slots = least(loan.slots, free)
        if slots > 0 then
          less(loan, slots)
          changed = true
        end
      end
    end
  end
end

function Books:force(loan, slots, way)
  slots = least(slots, loan.slots)
  if slots <= 0 then return 0 end
  less(loan, slots)
  loan.borrower.into = loan.borrower.into + slots -- take() takes it
  self:take(loan.borrower, "into", slots, nil, loan.lender, way)
  return slots
end

function Books:force_loans()
  for _, loan in ipairs(self.loans) do
    if not allowed(loan.lender, loan.borrower) then self:force(loan, loan.slots) end
  end
  for _, leaf in ipairs(self.leaves) do
    for _, loan in ipairs(parts.by_lender(self.loans, leaf)) do
      self:force(loan, leaf.out - lend_most(leaf))
    end
  end
  for _, leaf in ipairs(self.leaves) do
    for _, loan in ipairs(leaf.loans) do
      self:force(loan, leaf.into - (leaf.node.borrow_limit or NONE))
    end
  end
end

function Books:shed(leaf, class, slots, way)
  slots = least(slots, leaf[class], leaf.held - leaf.lost)
  if slots <= 0 then return 0 end
  if class ~= "into" then
    self:take(leaf, class, slots, nil, nil, way)
    return slots
  end
  local left = slots
  for _, loan in ipairs(leaf.loans) do left = left - self:force(loan, left, way) end
  return slots - left
end

local CLASSES = { "shared", "into", "used" }

function Books:force_rest()
  for _, leaf in ipairs(self.leaves) do
    self:shed(leaf, "shared", leaf.shared - (leaf.node.share_limit or NONE))
  end
  for _, leaf in ipairs(self.leaves) do
    for _, class in ipairs(CLASSES) do
      self:shed(leaf, class, has(leaf) - (leaf.node.limit or NONE))
    end
  end
  self:force_branches()
  self:attribute()
  for _, leaf in ipairs(self.leaves) do self:shed(leaf, "shared", leaf.shared - leaf.pooled) end
  for _, class in ipairs(CLASSES) do
    for i = #self.leaves, 1, -1 do
      local leaf = self.leaves[i]
      local gone = self:shed(leaf, class, -self.room)
      if class == "shared" then parts.pools_less(leaf, gone) end
    end
  end
end

function Books:attribute()
  for _, leaf in ipairs(self.leaves) do leaf.pooled = 0 end
  for _, pool in ipairs(self.pools) do
    local rows = {}
    for i, leaf in ipairs(pool.members) do
      local slots = leaf.shared
      if leaf.drains then slots = least(slots, leaf.most - leaf.used - leaf.into) end
      rows[i] = { weight = leaf.weight, gap = math.max(0, slots - leaf.pooled) }
    end
    for i, part in ipairs(pour(rows, pool.slots)) do use(pool, pool.members[i], part) end
  end
end

local function put_anew(pool, rows)
  pool.used = 0
  for i, leaf in ipairs(pool.members) do
    pool[leaf] = 0
    use(pool, leaf, least(rows[i].due, leaf.shared - leaf.pooled))
  end
  for _, leaf in ipairs(pool.members) do
    use(pool, leaf, least(leaf.shared - leaf.pooled, pool.slots - pool.used))
  end
end

-- What leaves deserve "by ratio" among those who want some; what is "planned" for them alone; or
-- that, then what they have ("held"), then by ratio. Who has, or is due, as much as is planned for
-- it in all pools has no more to claim by that.
function Books:find_due(idle, by)
  local anew = by == "held"
  self:find_asks(idle)
  for _, leaf in ipairs(self.leaves) do
    leaf.due = 0
    if anew then leaf.pooled = 0 end
  end
  for _, pool in ipairs(self.pools) do
    local rows, left = {}, pool.slots
    for i, leaf in ipairs(pool.members) do
      local level = self.keep and (pool[leaf] or 0) or 0
      rows[i] = { weight = leaf.weight, gap = math.max(0, leaf.asks - leaf.due - level) }
      rows[i].level, rows[i].rank = level, leaf.rank
      rows[i].held = math.max(0, leaf.shared - leaf.due)
      local claims = math.max(0, math.max(leaf.planned, leaf.shared) - leaf.due)
      rows[i].planned = least(pool.planned[leaf], claims)
      if by == "planned" and self.planned then rows[i].gap = least(rows[i].gap, rows[i].planned) end
      left = left - level
    end
    local poured = anew and self.planned and parts.planned(rows, pool.slots)
      or pour(rows, math.max(0, left))
    for i, leaf in ipairs(pool.members) do
      rows[i].due = rows[i].level + poured[i]
      leaf.due = leaf.due + rows[i].due
    end
    if anew then put_anew(pool, rows) end
  end
end

local function short_of(leaf, most)
  return least(math.max(0, leaf.due - leaf.shared), most)
end

local function lacks(leaf)
  return short_of(leaf, parts.lacks(leaf, leaf.most))
end

function Books:take_own(leaf, target)
  local idle = math.max(0, leaf.own - leaf.used - leaf.out)
  local slots = least(target - has(leaf), idle, self.room, parts.within(leaf))
  if slots <= 0 then return end
  local wanted = wants(leaf, target)
  local now = least(slots, wanted, self:free(leaf))
  self:give(leaf, now, "used")
  slots = slots - now
  local later = least(parts.lacks(leaf, target), slots)
  self:claim(leaf, later)
  self:promise(leaf, slots, "used")
  leaf.promised = leaf.promised - (slots - later)
end

-- First what leaves could claim in the last phase, then what the ratio gives among those who want
-- some; then what limits keep from some goes to others.
function Books:share()
  self:give_idle(false)
  if #self.branches > 0 then self:give_idle(true) end
end

function Books:give_idle(idle)
  if self.idle <= 0 then
    local loose = 0
    for _, leaf in ipairs(self.leaves) do loose = loose + leaf.loose end
    if loose == 0 then return end
  end
  for _, by in ipairs { "planned", "by ratio" } do
    self:find_due(idle, by)
    for _, leaf in ipairs(self.leaves) do
      local slots = least(math.max(0, leaf.due - leaf.shared), wants(leaf, leaf.most))
      slots = least(slots, self:free(leaf), parts.idle_for(leaf))
      if slots > 0 then
        self:give(leaf, slots, "shared")
        parts.put(leaf, slots)
      end
    end
  end
end

function Books:lenders(leaf)
  local list, in_order = {}, { table.unpack(self.leaves) }
  table.sort(in_order, function (a, b) return a.place < b.place end)
  local asked = parts.peers(leaf.node, "borrow")
  for _, path in ipairs(asked == true and { "" } or asked or {}) do
    for _, other in ipairs(in_order) do
      local inside = path == "" or parts.listed({ path }, other.path)
      if inside and other ~= leaf and allowed(other, leaf) then list[#list + 1] = other end
    end
  end
  return list
end

local function can_lend(lender)
  local idle = lender.own - math.max(lender.used, lender.reserve) - lender.out
  return math.max(0, least(idle, lend_most(lender) - lender.out))
end

function Books:can_borrow(leaf)
  return math.max(0, least(wants(leaf, leaf.most), (leaf.node.borrow_limit or NONE) - leaf.into,
    self:free(leaf)))
end

function Books:borrow_most(leaf, most)
  for _, lender in ipairs(self:lenders(leaf)) do
    local slots = least(can_lend(lender), self:can_borrow(leaf), most)
    if slots > 0 then
      local loan = self:loan(lender, leaf)
      loan.slots, lender.out, most = loan.slots + slots, lender.out + slots, most - slots
      self:give(leaf, slots, "into")
    end
  end
end

function Books:borrow()
  if self.weighed then return self:borrow_by_weight() end
  for _, leaf in ipairs(self.leaves) do self:borrow_most(leaf, NONE) end
end

-- One turn of leaves of a rank; whether any borrowed.
function Books:divide(leaves)
  local rows, all, seen, moved = {}, 0, {}, false
  for i, leaf in ipairs(leaves) do
    local reach = 0
    for _, lender in ipairs(leaf.weight > 0 and self:can_borrow(leaf) > 0 and self:lenders(leaf)
      or {}) do
      reach = reach + can_lend(lender)
      if not seen[lender] then all = all + can_lend(lender) end
      seen[lender] = true
    end
    rows[i] = { leaf = leaf, at = i, level = leaf.into, weight = leaf.weight, reach = reach,
                gap = least(self:can_borrow(leaf), reach) }
  end
  for i, total in ipairs(parts.level(rows, self.idle > 0 and least(all, self.idle) or all)) do
    rows[i].part = total - rows[i].level
  end
  table.sort(rows, function (a, b)
    if a.reach ~= b.reach then return a.reach < b.reach end
    return a.at < b.at
  end)
  for _, row in ipairs(rows) do
    self:borrow_most(row.leaf, row.part)
    moved = moved or row.leaf.into > row.level
  end
  return moved
end

-- By rank; leaves of one rank in proportion to weight.
function Books:borrow_by_weight()
  local from = 1
  while self.leaves[from] do
    local group = {}
    for _, leaf in ipairs(self.leaves) do
      if leaf.rank == self.leaves[from].rank then group[#group + 1] = leaf end
    end
    local turns = 0
    repeat turns = turns + 1 until not self:divide(group) or turns == #group + 1
    for _, leaf in ipairs(turns == #group + 1 and group or {}) do
      if leaf.weight > 0 then self:borrow_most(leaf, NONE) end
    end
    from = from + #group
  end
end

function Books:recall()
  for _, leaf in ipairs(self.leaves) do
    for _, loan in ipairs(parts.by_lender(self.loans, leaf)) do
      local lack = parts.lacks(leaf, leaf.most)
      local slots = loan.age < self.known and least(loan.slots, lack) or 0
      slots = least(slots, parts.within(leaf, loan.borrower))
      if slots > 0 then
        less(loan, slots)
        loan.borrower.into = loan.borrower.into + slots
        self:take(loan.borrower, "into", slots, leaf)
        self:promise(leaf, slots, "used")
      end
    end
  end
end

-- Who drains keeps its slots, though they are in no pool any more, while others are idle.
function Books:hand_over(from, to, slots, class)
  if from.drains then
    self:take(from, "shared", slots)
    local taken = self.recalls[#self.recalls]
    local now = least(slots, self:free(to))
    self:give(to, now, class)
    slots = slots - now
    self:claim_one(taken, to, slots)
  else
    self:take(from, "shared", slots, to)
  end
  self:promise(to, slots, class)
end

-- What a leaf has of the pools beyond what it deserves.
function Books:over(leaf)
  if self.keep then return 0 end
  return math.max(0, least(leaf.shared - leaf.due, leaf.held - leaf.lost))
end

function Books:reclaim_pool(pool)
  local rows, lack, over = {}, 0, 0
  for i, leaf in ipairs(pool.members) do
    rows[i] = { leaf = leaf, over = least(self:over(leaf), pool[leaf] or 0) }
    lack, over = lack + lacks(leaf), over + rows[i].over
  end
  if lack == 0 or over == 0 then return false end
  parts.give_back(rows, least(lack, over))
  -- What limits kept from some, others that are over can give, while anything moves.
  local moved = self:serve(pool, rows, "gives")
  while self:serve(pool, rows, "over") do moved = true end
  return moved
end

function Books:serve(pool, rows, column)
  local moved = false
  for _, leaf in ipairs(pool.members) do
    for i = #rows, 1, -1 do
      local slots = least(lacks(leaf), rows[i][column], parts.within(leaf, rows[i].leaf))
      if slots > 0 then
        rows[i].over, moved = rows[i].over - slots, true
        rows[i].gives = math.max(0, rows[i].gives - slots)
        use(pool, rows[i].leaf, -slots)
        use(pool, leaf, slots)
        self:hand_over(rows[i].leaf, leaf, slots, "shared")
      end
    end
  end
  return moved
end

-- Pool slots that no leaf has and this one can have.
function Books:can_have(leaf)
  return least(self.room, parts.idle_for(leaf), parts.within(leaf))
end

function Books:pour_rest()
  self:find_due(false, "held")
  for _, leaf in ipairs(self.leaves) do
    local kept = least(short_of(leaf, wants(leaf, leaf.most)), leaf.loose, self:can_have(leaf))
    if kept > 0 then
      self:give(leaf, kept, "shared")
      parts.put(leaf, kept)
    end
    local slots = least(lacks(leaf), self:can_have(leaf))
    if slots > 0 then
      self:claim(leaf, slots)
      self:promise(leaf, slots, "shared")
      parts.put(leaf, slots)
    end
  end
end

-- Who is over in any pool gives, the worst first, what others lack of their own, or of pools, where
-- these have some idle but the group has no more room.
function Books:draw(leaf, slots, class)
  local moved = false
  for i = #self.leaves, 1, -1 do
    local from = self.leaves[i]
    local part = from ~= leaf and least(slots, self:over(from), parts.within(leaf, from)) or 0
    if part > 0 then
      slots, moved = slots - part, true
      parts.pools_less(from, part)
      self:hand_over(from, leaf, part, class)
      if class == "shared" then parts.put(leaf, part) end
    end
  end
  return moved
end

function Books:draw_all()
  local moved = false
  if self.room > 0 then return false end
  for _, leaf in ipairs(self.leaves) do
    local idle = math.max(0, leaf.own - leaf.used - leaf.out)
    moved = self:draw(leaf, least(idle, parts.lacks(leaf, leaf.need)), "used") or moved
  end
  self:find_due(false, "held") -- below limits own slots leave less room for others
  for _, leaf in ipairs(self.leaves) do
    moved = self:draw(leaf, least(parts.idle_for(leaf), lacks(leaf)), "shared") or moved
  end
  return moved
end

-- As long as anything moves: what one gets is of its pools then, and others are over elsewhere.
function Books:reclaim()
  local rounds, moved = 0
  repeat
    self:pour_rest()
    self:find_due(false, "held")
    moved, rounds = self:draw_all(), rounds + 1
    self:find_due(false, "held")
    for _, pool in ipairs(self.pools) do moved = self:reclaim_pool(pool) or moved end
  until not moved or rounds > #self.pools
end

-- What a leaf is given: no more than its quota in all. The rest it has not borrowed after all.
local function received(leaf, quota)
  local slots = least(leaf.granted, math.max(0, quota - leaf.held))
  local rest = leaf.passed and 0 or leaf.granted - slots
  for _, loan in ipairs(leaf.loans) do
    local new = least(rest, math.max(0, loan.slots - (loan.before or 0)))
    loan.slots, rest = loan.slots - new, rest - new
  end
  return slots
end

--- {path = {quota, received, reclaimed}}, {"lender>borrower" = slots}; and whether idle slots were
--- passed on to others, of whom the model knows no more. `weighed`: leaves of a rank borrow by
--- share.
return function (plan, state, weighed)
  local leaves, pools, slots, branches = parts.open(plan, state)
  local books = setmetatable({
    leaves = leaves, pools = pools, branches = branches, room = slots, idle = slots, loans = {},
    recalls = {}, weighed = weighed,
    keep = (plan.policy or {}).reclaim_shared == false,
    planned = not (plan.policy or {}).adjust_share_to_workload
      and (plan.policy or {}).reclaim_shared ~= false,
  }, Books)
  for _, leaf in ipairs(leaves) do
    books.room, books.idle = books.room - leaf.held, books.idle - leaf.held
  end
  parts.plan(pools, leaves)
  books:read(state)
  books.known = #books.loans
  books:settle()
  books:force_loans()
  books:settle()
  for _, leaf in ipairs(leaves) do
    local rest = leaf.held - leaf.lost - leaf.into
    leaf.used = math.max(0, least(rest, leaf.own - leaf.out))
    leaf.shared = rest - leaf.used
  end
  books:force_rest()
  for _, leaf in ipairs(leaves) do books:take_own(leaf, least(leaf.reserve, leaf.need)) end
  for _, leaf in ipairs(leaves) do books:take_own(leaf, leaf.need) end
  books:share()
  if (plan.policy or {}).reclaim_before_borrow then books:recall() end
  books:borrow()
  if not (plan.policy or {}).reclaim_before_borrow then books:recall() end
  books:reclaim()
  books:unset_aside()
  books:spare()
  local passed = parts.net(leaves, books.recalls)
  local rows, loans = {}, {}
  for _, leaf in ipairs(leaves) do
    local quota = least(has(leaf), leaf.need)
    rows[leaf.path] = { quota, received(leaf, quota), leaf.lost }
  end
  for _, loan in ipairs(books.loans) do
    if loan.slots > 0 then loans[loan.lender.path .. ">" .. loan.borrower.path] = loan.slots end
  end
  return rows, loans, passed
end
