-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slot pools (Q-20 ... Q-43), from the rules: sizes, order and slices.

local pool = {}

local function ceil_of(base, share)
  return (base * share + 99) // 100
end

--- Q-30, Q-31: rows { share, wants } in their order get `slice`, slots in all; who has more keeps
-- it and gets no more (Q-34).
function pool.cut(rows, base, again)
  local left = base
  for _, row in ipairs(rows) do
    row.slice = math.min(ceil_of(base, row.share), row.wants, left)
    row.first, left = row.slice, left - row.slice
  end
  local moved = again
  while moved and left > 0 do
    local round = left
    moved = false
    for _, row in ipairs(rows) do
      local more = math.min(ceil_of(round, row.share), row.wants - row.slice, left)
      if more > 0 then
        row.slice, left, moved = row.slice + more, left - more, true
      end
    end
  end
end

--- Q-42: by use over share, then PRIORITY, then as in the file. `usage` is by name.
function pool.order(queues, usage)
  local out = { table.unpack(queues) }
  table.sort(out, function (a, b)
    local x = (usage[a.name] or 0) * b.share
    local y = (usage[b.name] or 0) * a.share
    if x ~= y then return x < y end
    if a.priority ~= b.priority then return a.priority > b.priority end
    return a.place < b.place
  end)
  return out
end

return pool
