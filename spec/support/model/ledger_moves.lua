-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slots given, promised, taken and claimed in the books of the ledger's model.

local parts = require "spec.support.model.ledger_parts"

local least = parts.least

local Books = setmetatable({}, { __index = require "spec.support.model.ledger_limits" })
Books.__index = Books

--- Takes slots of a class, for a leaf or for nobody; `owner` lent them; `way`: for those that a
--- limit holds first.
function Books:take(leaf, class, slots, to, owner, way)
  if slots <= 0 then return end
  leaf[class] = leaf[class] - slots
  leaf.lost = leaf.lost + slots
  self.room = self.room + slots
  if not to then leaf.loose = leaf.loose + slots end
  if to and class ~= "into" then leaf.gone = leaf.gone + slots end
  local recall = { from = leaf, to = to, slots = slots, owner = owner, way = way }
  recall.drains = not to and leaf.drains or false
  table.insert(self.recalls, recall)
end

function Books:give(leaf, slots, class)
  local kept = least(leaf.loose, slots)
  leaf.loose, leaf.lost = leaf.loose - kept, leaf.lost - kept
  for i = #self.recalls, 1, -1 do
    local recall = self.recalls[i]
    if recall.from == leaf and not recall.to then
      local part = least(recall.slots, kept)
      recall.slots, kept, slots = recall.slots - part, kept - part, slots - part
      leaf[class], self.room = leaf[class] + part, self.room - part
    end
  end
  leaf.granted, self.idle = leaf.granted + slots, self.idle - slots
  leaf[class], self.room = leaf[class] + slots, self.room - slots
end

function Books:promise(leaf, slots, class)
  leaf.promised = leaf.promised + slots
  leaf[class], self.room = leaf[class] + slots, self.room - slots
end

-- Who drains gives what it must only when there is nothing else.
function Books:claim(leaf, slots)
  if slots > 0 then slots = slots - self:claim_below(leaf, slots) end
  slots = self:claim_from(leaf, slots, false)
  self:claim_from(leaf, slots, true)
end

function Books:claim_one(recall, leaf, slots)
  local part = (recall.to or recall.from == leaf) and 0 or least(recall.slots, slots)
  if part > 0 then
    recall.slots, recall.from.loose = recall.slots - part, recall.from.loose - part
    if not recall.owner then recall.from.gone = recall.from.gone + part end
    table.insert(self.recalls, { from = recall.from, to = leaf, slots = part })
  end
  return part
end

function Books:claim_from(leaf, slots, drains)
  local function from(recall)
    if recall.drains == drains then slots = slots - self:claim_one(recall, leaf, slots) end
  end
  for i = #self.recalls, 1, -1 do
    if self.recalls[i].owner == leaf then from(self.recalls[i]) end
  end
  for i = 1, #self.recalls do from(self.recalls[i]) end
  return slots
end

-- Slots that drain go after all, below a branch, or anywhere, as far as it has too many.
function Books:let_go(inside, over)
  for i = 1, #self.recalls do
    local recall = self.recalls[i]
    local part = recall.drains and not recall.to and inside(recall.from)
      and least(recall.slots, over) or 0
    if part > 0 then
      recall.slots, over = recall.slots - part, over - part
      table.insert(self.recalls, { from = recall.from, slots = part })
    end
  end
end

-- Who drains keeps what nobody wants; but where somebody is to get slots, limits and size hold.
function Books:spare()
  local function rest(inside, left)
    local draining, claimed = 0, false
    for _, recall in ipairs(self.recalls) do
      if recall.drains and not recall.to and inside(recall.from) then
        draining = draining + recall.slots
      end
      claimed = claimed or recall.to and recall.slots > 0 and inside(recall.to)
    end
    if claimed then self:let_go(inside, draining - left) end
  end
  for _, branch in ipairs(self.branches) do
    local left = branch.limit - parts.sum(branch.leaves, parts.has)
    rest(function (leaf) return parts.listed({ branch.path }, leaf.path) end, left)
  end
  rest(function () return true end, self.room)
  for _, recall in ipairs(self.recalls) do
    if recall.drains and not recall.to then
      recall.from.lost, recall.slots = recall.from.lost - recall.slots, 0
    end
  end
end

return Books
