-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Volcano's plugins, by their designs and source (ed72c7c).

local rational = require "spec.support.model.rational"

local volcano = {}

--- proportion: what rows { weight, guarantee, capability, request } deserve (V-2 to V-5), exactly:
--- but for what is less than a tenth of a thousandth, which Volcano leaves.
function volcano.proportion(total, rows)
  local deserved, met, left, kept = {}, {}, rational(total), 0
  for i, row in ipairs(rows) do
    kept, deserved[i] = kept + row.guarantee, rational(0)
    met[i] = row.request == 0
  end
  while true do
    local weights, before = 0, left
    for i, row in ipairs(rows) do weights = weights + (met[i] and 0 or row.weight) end
    if weights == 0 or left < rational(1, 10000) then return deserved end
    local risen = rational(0)
    for i, row in ipairs(rows) do
      if not met[i] then
        local real = math.min(math.max(0, total - kept) + row.guarantee, row.capability)
        local now = deserved[i] + left * row.weight / weights
        now = rational.max(rational.min(now, math.min(real, row.request)), row.guarantee)
        risen = risen + now - deserved[i]
        met[i] = rational(row.request) <= now or now == deserved[i]
        deserved[i] = now
      end
    end
    left = rational.max(left - risen, 0)
    if left == before then return deserved end
  end
end

--- capacity: what rows { deserved, guarantee, capability, held, request } hold in the end, in units
--- that are tasks: idle ones to the least share (V-7, V-8), then reclaims by those below what they
--- deserve (V-10 to V-13), one by one.
function volcano.capacity(total, rows)
  local function share(row)
    return row.deserved > 0 and row.held / row.deserved or row.held > 0 and 1 or 0
  end
  local function before(a, b) -- the queue served first
    if share(a) ~= share(b) then return share(a) < share(b) end
    if a.deserved > 0 or b.deserved > 0 then return b.deserved == 0 end
    return a.held < b.held -- Volcano: the older
  end
  local function pick(fits, first)
    local best
    for _, row in ipairs(rows) do
      if fits(row) and (not best or first(row, best)) then best = row end
    end
    return best
  end
  local taken = 0 -- what is held, or guaranteed to somebody
  local function counts(row) return math.max(row.held, row.guarantee) end
  local function idle(row)
    local left = total - taken + counts(row) - row.held
    return row.held < math.min(row.request, row.capability) and left > 0
  end
  local function claims(row)
    return row.held < math.min(row.request, row.capability, row.deserved)
  end
  local function gives(row)
    return row.held > math.max(row.guarantee, row.deserved)
  end
  while true do
    taken = 0
    for _, row in ipairs(rows) do taken = taken + counts(row) end
    local claimant = pick(idle, before)
    if not claimant then
      claimant = pick(claims, before)
      local giver = claimant and pick(gives, function (a, b)
        if (a.deserved == 0) ~= (b.deserved == 0) then return a.deserved == 0 end
        return before(b, a)
      end)
      if not giver then return end
      giver.held = giver.held - 1
    end
    claimant.held = claimant.held + 1
  end
end

return volcano
