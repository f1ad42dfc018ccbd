-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Generated trees. A third of the leaves have a limit, a quarter a reserve, ranks are 0 to 3, most
--- leaves want more than they own, and allocations differ from quotas in both directions, so that
--- every stage of a cycle has work.

local draw = require "allot.bench.draw"
local text = require "allot.bench.text"

local tree = {}
tree.__index = tree

--- Keys of a plan that differ from their defaults.
local function put_keys(plan, keys)
  if keys.owned then plan:add(', "owned": %d', keys.owned) end
  if keys.reserve then plan:add(', "reserve": %d', keys.reserve) end
  if keys.limit then plan:add(', "limit": %d', keys.limit) end
  if keys.rank > 0 then plan:add(', "rank": %d', keys.rank) end
  if keys.share and keys.share > 1 then plan:add(', "share": %d', keys.share) end
end

local function put_leaf(self, path, family)
  local random = self.random
  local owned = random(20)
  local reserve = random(4) == 0 and random(1 + owned // 2) or 0
  local limit = random(3) == 0 and owned + random(10)
  local keys = { reserve = reserve > 0 and reserve, limit = limit, rank = random(4),
                 share = 1 + random(8), owned = owned > 0 and owned }
  put_keys(self.text, keys)
  family.owned, family.reserve = family.owned + owned, family.reserve + reserve
  self.leaves[#self.leaves + 1] = { path, owned }
end

--- Keys of a consumer with children, once these are known.
local function put_inner(self, own, family)
  local random, reserve = self.random, own.reserve
  local keys = { rank = random(4) }
  if random(4) == 0 then
    reserve = reserve + (own.owned - reserve) // 10
    keys.reserve = reserve > 0 and reserve
  end
  keys.limit = random(3) == 0 and own.owned + own.owned // 8
  put_keys(self.text, keys)
  family.owned, family.reserve = family.owned + own.owned, family.reserve + reserve
end

local function put_family(self, path, level, family)
  self.text:list(self.fan[level], function (i)
    local own, below = ("%s/c%d"):format(path, i), { owned = 0, reserve = 0 }
    self.consumers = self.consumers + 1
    self.text:add('{"name": "c%d"', i)
    if self.fan[level + 1] then
      self.text:add ', "children": '
      put_family(self, own, level + 1, below)
      put_inner(self, below, family)
    else
      put_leaf(self, own, family)
    end
    self.text:add "}"
  end)
end

--- The tree with these numbers of children a node, by level: `plan`, and how many `consumers`.
function tree.new(fan)
  local self = setmetatable({ fan = fan, leaves = {}, consumers = 0 }, tree)
  local all = { owned = 0, reserve = 0 }
  self.random = draw.split(1993)
  self.text = text.new '{"version": 1, "policy": "hybrid", "consumers": '
  put_family(self, "", 1, all)
  self.text:add "}\n"
  self.plan, self.owned, self.text = self.text:done(), all.owned, nil
  return self
end

--- A state whose slots are a percentage of those planned; a function of what a leaf owns returns
--- its demand and allocation.
function tree:state(percent, usage)
  local out, between = text.new(), "\n"
  out:add('{"now": 0, "slots": %d, "consumers": {', self.owned * percent // 100)
  for _, leaf in ipairs(self.leaves) do
    local demand, allocated = usage(leaf[2])
    out:add('%s"%s": {"demand": %d, "allocated": %d}', between, leaf[1], demand, allocated)
    between = ",\n"
  end
  out:add "}}\n"
  return out:done()
end

--- A state of demands by a function of what a leaf owns; a task runs on each leaf.
function tree:running(percent, demand)
  local out, between = text.new(), "\n"
  out:add('{"now": 1, "slots": %d, "consumers": {', self.owned * percent // 100)
  for _, leaf in ipairs(self.leaves) do
    out:add('%s"%s": {"demand": %d}', between, leaf[1], demand(leaf[2]))
    between = ",\n"
  end
  out:add '},\n"tasks": '
  out:list(#self.leaves, function (i)
    out:add('{"id": "a%d", "consumer": "%s", "started": 1}', i, self.leaves[i + 1][1])
  end)
  out:add "}\n"
  return out:done()
end

--- A state in which most leaves are busy.
function tree:busy(percent)
  local random = draw.split(1860)
  return self:state(percent, function (owned)
    local demand = random(5) == 0 and random(1 + owned) or owned + 1 + random(20)
    return demand, random(1 + 2 * owned) * percent * 95 // 10000
  end)
end

return tree
