-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Policies of examples/peers beside references of the rules that their peers publish
-- (spec/support/peers): random trees, and what a decision gives each family of them.

local Random = require "allot.check.random"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local shell = require "spec.support.house.shell"

local peers = { CASES = 2000 }

--- The text of a policy, with the file's name in errors.
function peers.policy(name)
  return shell.read("examples/peers/" .. name .. ".lua")
end

local function sum(rows, key)
  local out = 0
  for _, row in ipairs(rows) do out = out + row[key] end
  return out
end
peers.sum = sum

-- Random trees -----------------------------------------------------------------------------------

--- A consumer; `columns` are those of the plan, of a leaf or a branch.
local function node(random, name, opts, depth)
  local out = { name = name }
  if depth < (opts.depth or 2) and random:once_in(3) then
    out.children = {}
    for i = 1, random:int(2, 3) do
      out.children[i] = node(random, name .. i, opts, depth + 1)
    end
  end
  for key, value in pairs(opts.columns(random, out)) do out[key] = value end
  return out
end

--- The leaves of a list of consumers, with their paths.
function peers.leaves(list, above, out)
  out = out or {}
  for _, each in ipairs(list) do
    local path = (above or "") .. "/" .. each.name
    if each.children then peers.leaves(each.children, path, out)
    else out[#out + 1] = { path = path, node = each } end
  end
  return out
end

--- The key `policy` of a plan: site.lua, with options.
local function use_of(options)
  local out = { use = "site.lua" }
  for key, value in pairs(options or {}) do out[key] = value end
  return out
end

--- A random case of a policy: `columns(random, node)` are a consumer's columns, `depth` the levels
--- (2), `demand(random, slots)` what a leaf wants, `hold` whether leaves hold slots, `slots(plan)`
--- how many slots there are (1 to 60); `whole`: as many as are owned; `use` of leaves is counted,
--- `options` are the policy's.
function peers.draw(seed, name, opts)
  local random = Random.new(seed)
  local list = {}
  for i = 1, random:int(2, 5) do
    list[i] = node(random, string.char(96 + i), opts, 1)
  end
  local plan = { version = 1, policy = use_of(opts.options), consumers = list }
  plan.half_life = opts.use and 3600 or nil
  local slots = opts.whole and sum(list, "owned")
    or opts.slots and opts.slots(random, plan) or random:int(1, 60)
  local state, left = { now = 0, slots = slots, consumers = {} }, slots
  for _, leaf in ipairs(random:shuffle(peers.leaves(list))) do
    local held = opts.hold and random:int(0, math.min(left, leaf.node.limit or left)) or 0
    left = left - held
    state.consumers[leaf.path] = {
      demand = math.max(held, opts.demand and opts.demand(random, slots) or random:int(0, 40)),
      allocated = held, usage = opts.use and math.max(0, random:int(-200, 1000)) or nil,
    }
  end
  return { plan = plan, state = state, policy = peers.policy(name) }
end

-- Decisions --------------------------------------------------------------------------------------

--- What a consumer needs (C-2), computed here.
local function need(it, each, path)
  local wanted = 0
  if each.children then
    for _, child in ipairs(each.children) do
      wanted = wanted + need(it, child, path .. "/" .. child.name)
    end
  else
    wanted = (it.state.consumers[path] or {}).demand or 0
  end
  return math.max(each.reserve or 0, math.min(wanted, each.limit or wanted))
end

--- The sum of a key of the state over a consumer's leaves.
local function state_sum(it, each, path, key)
  if not each.children then return (it.state.consumers[path] or {})[key] or 0 end
  local out = 0
  for _, child in ipairs(each.children) do
    out = out + state_sum(it, child, path .. "/" .. child.name, key)
  end
  return out
end

local function number(text)
  local above, below = text:match "^(%d+)/(%d+)$"
  return above and tonumber(above) / tonumber(below) or tonumber(text)
end

local function add_families(it, rows, list, above, slots, out)
  local family = { slots = slots }
  out[#out + 1] = family
  for i, each in ipairs(list) do
    local path = above .. "/" .. each.name
    local row = {
      path = path, leaf = not each.children, need = need(it, each, path),
      held = state_sum(it, each, path, "allocated"), usage = state_sum(it, each, path, "usage"),
      limit = math.huge, share = 1, owned = 0, reserve = 0,
      quota = rows[path].quota, exact = number(rows[path].exact), parts = rows[path].parts,
    }
    for key, value in pairs(each) do row[key] = value end
    family[i] = row
    if each.children then add_families(it, rows, each.children, path, row.quota, out) end
  end
  return out
end

--- Each family of a case: `slots` that it divides, and its rows: columns, need, held, usage, and
--- what is decided, `exact` before it is whole. The root's family is the first.
function peers.families(it)
  local made = engine.cycle(it.plan, it.state, nil, it.policy)
  local group = made.groups.default
  local out = add_families(it, case.by_path(group), it.plan.consumers, "", group.slots, {})
  for _, family in ipairs(out) do
    for _, row in ipairs(family) do
      assert(math.abs(row.quota - row.exact) < 1, row.path .. " is not rounded to a neighbour")
    end
  end
  return out
end

--- Raises unless a family has what a reference says, in slots, up to `most` for each of its rows.
function peers.agree(family, expected, most)
  for i, row in ipairs(family) do
    if math.abs(row.exact - expected[i]) > (most or 0) * #family + 1e-9 then
      error(("%s has %s of %d, the peer gives it %s"):format(row.path, row.exact, family.slots,
        expected[i]), 0)
    end
  end
end

--- Smaller cases leave out what is nothing: it is put in again.
local function complete(list)
  for _, each in ipairs(list) do
    complete(each.children or {})
    each.owned, each.share = each.owned or sum(each.children or {}, "owned"), each.share or 1
  end
end

--- Whether a smaller case is one of `opts`: valid, nobody holds more than it wants, and as many
--- slots as are owned where these are all.
local function is_valid(it, opts)
  if not engine.valid(it) then return false end
  local all = 0
  for _, row in pairs(it.state.consumers or {}) do
    all = all + (row.allocated or 0)
    if (row.allocated or 0) > (row.demand or 0) then return false end
  end
  if all > (it.state.slots or 0) then return false end
  complete(it.plan.consumers)
  return not opts.whole or it.state.slots == sum(it.plan.consumers, "owned")
end

--- Declares a spec of random cases of a policy; `check(families, it)` raises where it differs.
function peers.random(name, policy, opts, check)
  local function valid(it) return is_valid(it, opts) end
  property(name, { runs = peers.CASES, valid = valid }, function (it)
    complete(it.plan.consumers)
    it.state.consumers = it.state.consumers or {}
    check(peers.families(it), it)
  end, function (seed)
    return peers.draw(seed, policy, opts)
  end)
end

--- Quotas of a short plan and state (case.lua) under a policy with options, by name; `use`: the use
--- of leaves.
function peers.quotas(policy, short, now, options, use)
  short.policy = use_of(options)
  local state = case.state(now)
  for path, usage in pairs(use or {}) do state.consumers["/" .. path].usage = usage end
  local made = engine.cycle(case.plan(short), state, nil, peers.policy(policy))
  local out = {}
  for path, row in pairs(case.by_path(made.groups.default)) do
    out[path:match "[^/]+$"] = row.quota
  end
  return out, made
end

return peers
