-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `takes` on random cases: of one level a flow, counted anew for each claimant; of trees what must
--- hold whoever takes from whom.

local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local takes = {}

--- The largest flow from givers to claimants, one slot a step. `lacks` and `overs` are lists;
--- may(i, k): claimant i may take from giver k.
local function flow(lacks, overs, may)
  local sent, sum = {}, 0
  for i = 1, #lacks do sent[i] = {} end
  local function left(k)
    local all = overs[k]
    for i = 1, #lacks do all = all - (sent[i][k] or 0) end
    return all
  end
  local function step(i, seen)
    for k = 1, #overs do
      if not seen[k] and may(i, k) then
        seen[k] = true
        if left(k) > 0 then
          sent[i][k] = (sent[i][k] or 0) + 1
          return true
        end
        for other = 1, #lacks do
          if other ~= i and (sent[other][k] or 0) > 0 and step(other, seen) then
            sent[other][k] = sent[other][k] - 1
            sent[i][k] = (sent[i][k] or 0) + 1
            return true
          end
        end
      end
    end
    return false
  end
  for i, lack in ipairs(lacks) do
    for _ = 1, lack do sum = sum + (step(i, {}) and 1 or 0) end
  end
  return sum
end

local function nodes_of(plan)
  local nodes = {}
  local function walk(list, above)
    for i, node in ipairs(list) do
      local path = above .. "/" .. node.name
      nodes[path] = {
        priority = node.priority or 0, rank = node.rank or 0, place = i, limit = node.limit,
        parent = node.children ~= nil,
      }
      if node.children then walk(node.children, path) end
    end
  end
  walk(plan.consumers, "")
  return nodes
end

--- Slots that each claimant of a decision of one level gets, by path; none: left out.
function takes.served(plan, made)
  local nodes, claimants, givers = nodes_of(plan), {}, {}
  for _, row in ipairs(made.groups.default.consumers) do
    local lack = row.quota - row.allocated - row.granted - row.held
    if lack > 0 then claimants[#claimants + 1] = { path = row.path, slots = lack } end
    if row.over > 0 then givers[#givers + 1] = { path = row.path, slots = row.over } end
  end
  table.sort(claimants, function (a, b)
    local x, y = nodes[a.path], nodes[b.path]
    if x.rank ~= y.rank then return x.rank < y.rank end
    return x.place < y.place
  end)
  local overs, lacks, before, out = {}, {}, 0, {}
  for i, giver in ipairs(givers) do overs[i] = giver.slots end
  local function may(i, k)
    return nodes[claimants[i].path].priority > nodes[givers[k].path].priority
  end
  for i, claimant in ipairs(claimants) do
    lacks[i] = claimant.slots
    local sum = flow(lacks, overs, may)
    out[claimant.path] = sum > before and sum - before or nil
    before = sum
  end
  return out
end

--- Slots that a decision's reclaims are for, by claimant.
function takes.found(made)
  local out = {}
  for _, reclaim in ipairs(made.reclaims) do
    for _, part in ipairs(reclaim["for"]) do
      out[part.consumer] = (out[part.consumer] or 0) + part.slots
    end
  end
  return out
end

local function parent_of(path)
  return path:match "^(.*)/[^/]*$"
end

--- Raises unless reclaims are for claimants that may take them, limits and the group's size are
--- kept once all is carried out, and nobody who may take is left without.
function takes.check(plan, made)
  local nodes, after, lack, over = nodes_of(plan), {}, {}, {}
  local group = made.groups.default
  local total = 0
  for _, row in ipairs(group.consumers) do
    local node = nodes[row.path]
    if not node.parent then
      after[row.path] = row.allocated + row.granted + row.held
      lack[row.path] = math.max(0, row.quota - after[row.path])
      over[row.path] = row.over
    end
  end
  for _, reclaim in ipairs(made.reclaims) do
    local giver = reclaim.consumer
    after[giver] = after[giver] - reclaim.slots
    over[giver] = over[giver] - reclaim.slots
    for _, part in ipairs(reclaim["for"]) do
      local to = part.consumer
      after[to] = (after[to] or 0) + part.slots
      lack[to] = (lack[to] or 0) - part.slots
      assert(lack[to] >= 0, to .. " gets more than it lacks")
      if reclaim.why.code == "over-quota" and nodes[to].priority <= nodes[giver].priority then
        error(("%s gives to %s"):format(giver, to), 0)
      end
    end
  end
  local sums = {}
  for path, slots in pairs(after) do
    total = total + slots
    local above = path
    while above ~= "" do
      sums[above] = (sums[above] or 0) + slots
      above = parent_of(above)
    end
  end
  assert(total <= group.slots, "above the group's size")
  local function full(path, giver)
    while path ~= "" do
      local limit = nodes[path].limit
      local shared = giver == path or giver:sub(1, #path + 1) == path .. "/"
      if limit and not shared and sums[path] >= limit then return true end
      path = parent_of(path)
    end
    return false
  end
  for path, node in pairs(nodes) do
    if node.limit and sums[path] and sums[path] > node.limit then
      error(path .. " is above its limit", 0)
    end
  end
  for to, short in pairs(lack) do
    for giver, slots in pairs(over) do
      if short > 0 and slots > 0 and nodes[to].priority > nodes[giver].priority
        and not full(to, giver) then
        error(("%s lacks %d, and %s keeps %d"):format(to, short, giver, slots), 0)
      end
    end
  end
end

local POLICY = [[
return policy {
  name = "site",
  attributes = { priority = { type = "integer", default = 0 } },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "spare" { by = 1 },
  },
  %s
}]]
local PLAIN = POLICY:format ""
local LOWER = POLICY:format 'takes = relation { higher "priority" },'
local ANY = POLICY:format "takes = function () return true end,"

-- ---- Random cases -------------------------------------------------------------------------------

--- A level of consumers that all slots are given to; quotas differ from what they hold.
local function level(seed, tree)
  local random = Random.new(seed)
  local it = { plan = { version = 1, policy = "site.lua", consumers = {} }, state = { now = 0 } }
  local held, rows = 0, {}
  local function leaf(list, above, name)
    local node = {
      name = name, owned = random:int(0, 6), priority = random:int(0, 3), rank = random:int(0, 2),
    }
    list[#list + 1] = node
    local allocated = random:int(0, 8)
    held = held + allocated
    rows[above .. "/" .. name] = {
      demand = random:int(0, 12), allocated = allocated,
    }
  end
  for i = 1, 1 + random:int(0, 7) do
    if tree and random:int(0, 2) == 0 then
      local parent = { name = "p" .. i, children = {} }
      it.plan.consumers[#it.plan.consumers + 1] = parent
      for k = 1, 1 + random:int(0, 3) do leaf(parent.children, "/p" .. i, "c" .. k) end
      if random:int(0, 2) == 0 then parent.limit = 30 + random:int(0, 10) end
    else
      leaf(it.plan.consumers, "", "c" .. i)
    end
  end
  it.state.consumers, it.state.slots = rows, held
  it.policy = LOWER
  return it
end

local function run(it, text)
  return (engine.cycle(it.plan, it.state, nil, text or it.policy))
end

describe("takes on random cases", function ()
  property("serves as many as a flow can, the first in order first", { runs = 500 },
    function (it)
      local made = run(it)
      assert.same(takes.served(it.plan, made), takes.found(made))
    end, function (seed) return level(seed) end)

  property("comes to rest, keeps limits and size, and serves whom it may", { runs = 500 },
    function (it)
      local now = it.state
      for cycle = 1, 20 do
        local made = engine.cycle(it.plan, now, nil, it.policy)
        takes.check(it.plan, made)
        if engine.rests(made) then return end
        if cycle == 20 then error("no rest", 0) end
        now = engine.after(made)
      end
    end, function (seed) return level(seed, true) end)

  property("that always hold is as good as none", { runs = 300 }, function (it)
    assert.same(run(it, PLAIN).reclaims, run(it, ANY).reclaims)
  end, function (seed) return level(seed, true) end)
end)
