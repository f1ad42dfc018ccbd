-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What importers of trees have in common: lines, notes, names, whole shares and whole slots.

local lsf = require "allot.import.lsf"

local tree = {}

local MOST_SHARE = 1000000000 -- of a plan

--- The lines of a file with their numbers, without a byte order mark and carriage returns.
function tree.lines(file)
  local number, next_line = 0, (file.text:gsub("^\xef\xbb\xbf", "") .. "\n"):gmatch "([^\n]*)\n"
  return function ()
    local line = next_line()
    number = number + 1
    if line then return number, (line:gsub("\r$", "")) end
  end
end

--- The fields of a line with | between them, as Slurm's commands print tables.
function tree.split(line)
  local fields = {}
  for field in (line .. "|"):gmatch "([^|]*)|" do fields[#fields + 1] = field end
  return fields
end

--- What an import notes: note(place, said), fail(place, said) for what gives no plan; `at` has the
-- places that parts of the plan come from, `head` is the place of what no line says.
function tree.with(files)
  local notes, with = {}, { at = {}, head = { file = files[1].name, line = 1, col = 1 } }
  local rank = {}
  for i, file in ipairs(files) do rank[file.name] = i end
  function with.note(place, said, fatal)
    notes[#notes + 1] = { file = place.file, line = place.line, col = place.col or 1,
      text = lsf.legible(said), fatal = fatal, order = #notes }
  end
  function with.fail(place, said) with.note(place, said, true) end
  --- All of them, by file and line.
  function with.notes()
    table.sort(notes, function (a, b)
      if a.file ~= b.file then return rank[a.file] < rank[b.file] end
      if a.line ~= b.line then return a.line < b.line end
      return a.order < b.order
    end)
    return notes
  end
  return with
end

--- The name in the plan of what the site calls `raw`; siblings share `taken`.
function tree.name(raw, place, taken, with)
  local name = raw:gsub("[^%w_-]", "_")
  name = (name:find "^%a" and name or "q" .. name):sub(1, 128)
  if name ~= raw then
    with.note(place, ("%s becomes %s: names match [A-Za-z][A-Za-z0-9_-]{0,127}"):format(
      raw:find "[^%w_.-]" and "'" .. raw .. "'" or raw, name))
  end
  if taken[name] then
    with.fail(place, ("%s and %s become the same name, %s"):format(taken[name], raw, name))
  end
  taken[name] = raw
  return name
end

--- Who has 0 runs when nobody else wants slots; a plan's share of 0 gets nothing.
local function raise_zeros(children, key, with)
  local some = false
  for _, node in ipairs(children) do some = some or node.share == 0 end
  if not some then return end
  for _, node in ipairs(children) do
    if node.share == 0 then
      with.note(node.place, ("%s has %s 0: it runs when no other wants slots; its siblings' "
        .. "shares are taken times 1000, its own is 1"):format(node.raw, key))
      node.share, node.raised = 1, true
    else
      node.share = node.share * 1000
    end
  end
end

--- Makes the shares of siblings fit a plan, whose shares are at most 10^9 and whose 0 gets nothing.
-- `key` is the site's word for a share, where its 0 means after all others; nil: it means none.
function tree.fit_shares(children, key, with)
  local most = 0
  if key then raise_zeros(children, key, with) end
  for _, node in ipairs(children) do most = math.max(most, node.share) end
  local by = (most + MOST_SHARE - 1) // MOST_SHARE
  if by <= 1 then return end
  with.note(children[1].place, ("shares beside %s are divided by %d and rounded up: a plan's are "
    .. "at most %d"):format(children[1].raw, by, MOST_SHARE))
  for _, node in ipairs(children) do node.share = (node.share + by - 1) // by end
end

--- a * b // c and a * b % c, where the product may be too large; c below 2^61.
function tree.times_over(a, b, c)
  local quotient, rest, whole, part = 0, 0, b // c, b % c
  for bit = 62, 0, -1 do
    quotient, rest = quotient * 2, rest * 2
    if a >> bit & 1 == 1 then quotient, rest = quotient + whole, rest + part end
    quotient, rest = quotient + rest // c, rest % c
  end
  return quotient, rest
end

--- Whole slots of a total in proportion to whole `weights`, the largest remainders first, the
--- earlier of equals; the sum is the total, if some weight is above 0.
function tree.divide(total, weights)
  local sum, left, slots, rests, order = 0, total, {}, {}, {}
  for i, weight in ipairs(weights) do sum, order[i] = sum + weight, i end
  for i, weight in ipairs(weights) do
    slots[i], rests[i] = tree.times_over(total, weight, math.max(sum, 1))
    left = left - slots[i]
  end
  if sum == 0 then return slots end
  table.sort(order, function (a, b)
    return rests[a] > rests[b] or rests[a] == rests[b] and a < b
  end)
  for i = 1, left do slots[order[i]] = slots[order[i]] + 1 end
  return slots
end

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

--- Whole numbers in lowest terms: siblings' shares.
function tree.lowest(numbers)
  local common, out = 0, {}
  for _, number in ipairs(numbers) do common = gcd(common, number) end
  for i, number in ipairs(numbers) do out[i] = number // math.max(common, 1) end
  return out
end

--- A decimal as a whole number of millionths; nil: it is none, or has more digits.
function tree.millionths(text)
  local whole, part = text:match "^%s*%+?(%d*)%.?(%d*)%s*$"
  if not whole or #whole + #part == 0 or #whole > 9 then return nil end
  part = part:gsub("0+$", "")
  if #part > 6 then return nil end
  return math.tointeger(tonumber(whole == "" and "0" or whole)) * 1000000
    + math.tointeger(tonumber(part .. ("0"):rep(6 - #part)))
end

return tree
