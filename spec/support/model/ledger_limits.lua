-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Limits of parents in the books of the ledger's model: what they hold, and for whom first.
--
-- A parent's limit holds first what leaves below it use and need of their own: what is in use, then
-- reserves, then the rest by (rank, plan order), as far as inner limits hold it. What others below
-- have of pools and on loan makes way for that, and nobody takes that room.

local parts = require "spec.support.model.ledger_parts"

local NONE = 1000000000

local least, has, sum, missing = parts.least, parts.has, parts.sum, parts.missing

local Books = {}

--- What leaves are sure of: their own in use, which nobody else can have, before what is reserved,
--- and that before the rest.
function Books:set_aside()
  for _, leaf in ipairs(self.leaves) do
    leaf.sure = #leaf.branches > 0 and math.max(leaf.used, least(leaf.own, leaf.need)) or 0
  end
  for _, branch in ipairs(self.branches) do
    local left, sure = branch.limit, {}
    local function hold(most)
      for _, leaf in ipairs(branch.leaves) do
        local more = least(left, math.max(0, least(leaf.sure, most(leaf)) - (sure[leaf] or 0)))
        sure[leaf], left = (sure[leaf] or 0) + more, left - more
      end
    end
    hold(function (leaf) return leaf.used end)
    hold(function (leaf) return leaf.reserve end)
    hold(function () return NONE end)
    for _, leaf in ipairs(branch.leaves) do leaf.sure = sure[leaf] end
  end
end

--- What a leaf can have at once.
function Books:free(leaf)
  local idle = least(math.max(0, least(self.idle, self.room)), parts.outside(leaf))
  return math.max(0, least(idle + leaf.loose, self.room, parts.within(leaf)))
end

-- Slots beyond what their leaves are sure of make way; then what a limit does not hold goes.
function Books:force_branch(branch)
  local function over()
    return sum(branch.leaves, has) - branch.limit
  end
  for _, class in ipairs { "shared", "into" } do
    for i = #branch.leaves, 1, -1 do
      local leaf = branch.leaves[i]
      local most = least(has(leaf) - leaf.sure, over() + sum(branch.leaves, missing))
      if not (self.keep and class == "shared") then self:shed(leaf, class, most, true) end
    end
  end
  for _, class in ipairs { "shared", "into", "used" } do
    for i = #branch.leaves, 1, -1 do self:shed(branch.leaves[i], class, over()) end
  end
end

function Books:force_branches()
  self:set_aside()
  for _, branch in ipairs(self.branches) do self:force_branch(branch) end
end

-- What leaves below a limit ask of pools together is what it holds beside the rest: first what they
-- are sure of, the rest by share.
function Books:ask_below(branch)
  local rows, holds, asked = {}, branch.limit, 0
  for _, leaf in ipairs(branch.leaves) do
    holds = holds - leaf.used - leaf.into
    if leaf.weight == 0 then holds = holds - leaf.shared - missing(leaf) end
  end
  for _, leaf in ipairs(branch.leaves) do
    if leaf.weight > 0 then
      rows[#rows + 1] = { leaf = leaf, weight = leaf.weight }
      holds = holds - math.max(0, missing(leaf) - math.max(0, leaf.asks - leaf.shared))
      asked = asked + leaf.asks
    end
  end
  holds = math.max(0, holds)
  if asked <= holds then return end
  local left = holds
  for _, row in ipairs(rows) do
    local leaf = row.leaf
    local kept = self.keep and least(leaf.pooled, leaf.asks) or 0
    local sure = math.max(0, leaf.sure - leaf.used - leaf.into)
    row.level = math.max(kept, least(sure, leaf.asks, left))
    row.gap, left = leaf.asks - row.level, math.max(0, left - row.level)
  end
  for i, part in ipairs(parts.pour(rows, left)) do rows[i].leaf.asks = rows[i].level + part end
end

--- What leaves ask of pools; of idle slots no more than limits hold for each.
function Books:find_asks(idle)
  for _, leaf in ipairs(self.leaves) do
    local more = parts.wants(leaf, leaf.most)
    local spare = more > 0 and 0 or math.max(0, has(leaf) - leaf.most)
    if idle then more = least(more, parts.within(leaf) + leaf.loose) end
    leaf.asks = math.max(0, least(leaf.shared + more - spare, leaf.node.share_limit or NONE))
  end
  for _, branch in ipairs(self.branches) do self:ask_below(branch) end
end

-- Who drains below a limit that does not hold more slots beside its own gives some first.
function Books:claim_below(leaf, slots)
  local claimed = 0
  for _, branch in ipairs(leaf.branches) do
    local function drains(recall)
      return recall.drains and not recall.to and parts.listed({ branch.path }, recall.from.path)
    end
    local all = sum(branch.leaves, has) + slots + sum(self.recalls, function (recall)
      return drains(recall) and recall.slots or 0
    end)
    local left = math.max(0, least(all - branch.limit, slots - claimed))
    for i = 1, #self.recalls do
      if drains(self.recalls[i]) then
        local part = self:claim_one(self.recalls[i], leaf, left)
        claimed, left = claimed + part, left - part
      end
    end
  end
  return claimed
end

-- What was to make way for those who got nothing stays.
function Books:unset_aside()
  for _, leaf in ipairs(self.leaves) do leaf.sure = 0 end
  for _, leaf in ipairs(self.leaves) do
    local slots = sum(self.recalls, function (recall)
      local mine = recall.from == leaf and not recall.to and not recall.owner
      return mine and recall.way and recall.slots or 0
    end)
    slots = least(slots, parts.idle_for(leaf), self:free(leaf))
    if slots > 0 then
      self:give(leaf, slots, "shared")
      parts.put(leaf, slots)
    end
  end
end

return Books
