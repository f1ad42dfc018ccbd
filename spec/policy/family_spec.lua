-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership, hybrid and share ratio, alone and side by side: what holds on random plans.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local family = require "spec.support.cases.gen_family"
local property = require "spec.support.cases.property"

local function claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

--- Leaves' columns of the plan by path, and by branch the policy.
local function leaves_of(plan)
  local out = {}
  local function walk(list, above, policy)
    for _, node in ipairs(list) do
      local path, goes_by = above .. "/" .. node.name, node.policy or policy
      if node.children then
        walk(node.children, path, goes_by)
      else
        out[path] = { node = node, policy = goes_by }
      end
    end
  end
  walk(plan.consumers, "", plan.policy)
  return out
end

--- Smaller cases leave numbers out: they are put in again, as nothing.
local function whole(it)
  it.state.consumers = it.state.consumers or {}
  for path in pairs(leaves_of(it.plan)) do
    local row = it.state.consumers[path] or {}
    it.state.consumers[path] = { demand = row.demand or 0, allocated = row.allocated or 0 }
  end
  return it
end

local function holds(name, runs, check, opts)
  property(name, { runs = runs, valid = engine.valid }, function (it)
    check(whole(it))
  end, function (seed)
    return family.case(seed, opts)
  end)
end

local function decide(it, state)
  return (engine.cycle(it.plan, state or it.state))
end

local function parent_of(path)
  return path:match "^(.*)/[^/]*$"
end

local function by(list, key)
  local out = {}
  for _, entry in ipairs(list or {}) do
    out[entry[key]] = (out[entry[key]] or 0) + entry.slots
  end
  return out
end

local function total(list)
  local out = 0
  for _, entry in ipairs(list or {}) do out = out + entry.slots end
  return out
end

local function held(state)
  local out = 0
  for _, row in pairs(state.consumers) do out = out + row.allocated end
  return out
end

describe("of any mix of policies", function ()
  holds("quotas are slots that are there, and no more than is needed", 250, function (it)
    local group = decide(it).groups.default
    local sums, rows = {}, case.by_path(group)
    for _, row in ipairs(group.consumers) do
      claim(row.quota <= row.need, "%s: quota %d above need", row.path, row.quota)
      local parts = 0
      for _, slots in pairs(row.parts) do parts = parts + slots end
      claim(parts == row.quota, "%s: parts sum to %d", row.path, parts)
      local above = parent_of(row.path)
      sums[above] = (sums[above] or 0) + row.quota
    end
    for above, sum in pairs(sums) do
      claim(sum <= (rows[above] or { quota = group.slots }).quota, "%s: %d", above, sum)
    end
  end)

  holds("so they are while slots are on their way", 1200, function (it)
    local group, sum = decide(it).groups.default, 0
    for _, row in ipairs(group.consumers) do
      claim(row.quota <= row.need, "%s: quota %d above need", row.path, row.quota)
      sum = sum + (parent_of(row.path) == "" and row.quota or 0)
    end
    claim(sum <= group.slots, "quotas of %d", sum)
  end, { flights = true })

  holds("who is granted slots has no more than its quota, those on their way included (C-5)", 400,
    function (it)
      local decision = decide(it)
      local rows = case.by_path(decision.groups.default)
      for path, slots in pairs(by(decision.grants, "consumer")) do
        local row = rows[path]
        claim(row.allocated + slots <= row.quota, "%s holds %d, quota %d, gets %d", path,
          row.allocated, row.quota, slots)
      end
    end, { flights = true })

  holds("a claim is of who is owed: it lacks slots, or others have its own", 400, function (it)
    local decision = decide(it)
    local lent, borrowed = by(decision.loans, "lender"), by(decision.loans, "borrower")
    local claims, gives = {}, {}
    for _, reclaim in ipairs(decision.reclaims) do
      local from = reclaim.consumer
      gives[from] = (gives[from] or 0) + total(reclaim["for"])
      for _, each in ipairs(reclaim["for"]) do
        claims[each.consumer] = (claims[each.consumer] or 0) + each.slots
      end
    end
    local leaves = leaves_of(it.plan)
    for path, row in pairs(case.by_path(decision.groups.default)) do
      local has = row.allocated + row.received + row.earmarked
      local own = leaves[path] and leaves[path].policy == "ownership"
        and leaves[path].node.owned or 0
      local keeps = has - (gives[path] or 0) - (borrowed[path] or 0)
      local missing = own - (lent[path] or 0) - math.max(keeps, 0)
      local owed = math.max(row.quota - has, missing)
      claim((claims[path] or 0) <= math.max(owed, 0), "%s: %d claimed, %d owed", path,
        claims[path] or 0, owed)
    end
  end, { flights = true })

  holds("grants are idle slots, each within demand and limit", 250, function (it)
    local decision, leaves = decide(it), leaves_of(it.plan)
    local idle = math.max(0, decision.groups.default.slots - held(it.state))
    claim(total(decision.grants) <= idle, "%d of %d idle", total(decision.grants), idle)
    for path, slots in pairs(by(decision.grants, "consumer")) do
      local row = it.state.consumers[path]
      local most = math.min(row.demand, leaves[path].node.limit or row.demand)
      claim(row.allocated + slots <= most, "%s: %d more", path, slots)
    end
  end)

  holds("nobody loses a slot that nobody is owed, but by force", 250, function (it)
    for _, reclaim in ipairs(decide(it).reclaims) do
      local owed = total(reclaim["for"])
      claim(owed <= reclaim.slots, "%s: %d owed", reclaim.consumer, owed)
      claim(owed == reclaim.slots or reclaim.why.code ~= "over-quota", "%s gives %d, %d are owed",
        reclaim.consumer, reclaim.slots, owed)
      claim(reclaim.slots <= it.state.consumers[reclaim.consumer].allocated, "gives too much")
    end
  end)

  holds("three cycles settle it (architecture, invariants)", 250, function (it)
    local state = it.state
    for _ = 1, 3 do state = engine.after(decide(it, state)) end
    local last = decide(it, state)
    claim(#last.grants == 0, "grants %s %d", #last.grants > 0 and last.grants[1].consumer, 0)
    claim(#last.reclaims == 0, "reclaims %s", #last.reclaims > 0 and last.reclaims[1].consumer)
    claim(total(last.loans) == total(state.loans), "lent %d, now %d", total(last.loans),
      total(state.loans))
  end)

  holds("reclaims that take their time settle it too", 200, function (it)
    local state = it.state
    for _ = 1, 6 do state = engine.after(decide(it, state), { returns = "later" }) end
    local last = decide(it, state)
    claim(#last.grants + #last.reclaims == 0, "goes on")
  end)
end)

--- Whether a leaf's list has the other.
local function names(list, path)
  if list == true then return true end
  for _, other in ipairs(list or {}) do
    if other == path then return true end
  end
  return false
end

local function willing(node, key, path)
  if node[key] == nil and node[key .. "_limit"] then return true end
  return names(node[key], path)
end

describe("loans (C-11)", function ()
  holds("balance: what is borrowed is held, what is lent is owned, within limits and lists", 500,
    function (it)
      local decision, leaves = decide(it), leaves_of(it.plan)
      local after = engine.after(decision)
      for path, slots in pairs(by(after.loans, "borrower")) do
        local leaf = leaves[path]
        claim(leaf.policy == "ownership", "%s borrows", path)
        claim(slots <= after.consumers[path].allocated, "%s borrows %d", path, slots)
        claim(slots <= (leaf.node.borrow_limit or slots), "%s borrows %d", path, slots)
      end
      for path, slots in pairs(by(after.loans, "lender")) do
        local leaf = leaves[path]
        claim(slots <= leaf.node.owned - (leaf.node.reserve or 0), "%s lends %d", path, slots)
        claim(slots <= (leaf.node.lend_limit or slots), "%s lends %d", path, slots)
      end
      for _, loan in ipairs(after.loans or {}) do
        claim(willing(leaves[loan.lender].node, "lend", loan.borrower), "%s lends", loan.lender)
        claim(willing(leaves[loan.borrower].node, "borrow", loan.lender), "%s borrows",
          loan.borrower)
      end
    end)

  holds("nobody borrows while its lender lacks slots, once it is settled", 200, function (it)
    local state, lacks = it.state, {}
    for _ = 1, 3 do state = engine.after(decide(it, state)) end
    local decision = decide(it, state)
    for _, row in ipairs(decision.groups.default.consumers) do
      lacks[row.path] = row.demand - row.allocated
    end
    local leaves = leaves_of(it.plan)
    for _, loan in ipairs(decision.loans) do
      local lender = leaves[loan.lender].node
      local most = math.min(lender.limit or 1000, 1000)
      local room = most - ((state.consumers[loan.lender] or {}).allocated or 0)
      claim(loan.slots == 0 or math.min(lacks[loan.lender], room) <= 0, "%s lacks %d", loan.lender,
        lacks[loan.lender])
    end
  end, { policy = "ownership" })
end)

describe("windows", function ()
  local function settle(it, state, hour)
    local at = { now = family.midnight + hour * 3600 }
    for _, key in ipairs { "slots", "consumers", "loans" } do at[key] = state[key] end
    state = at
    for _ = 1, 5 do state = engine.after(decide(it, state)) end
    return state
  end

  holds("switched back and forth return to the same allotment (C-10)", 120, function (it)
    for _, row in pairs(it.state.consumers) do row.demand = math.max(row.demand, row.allocated) end
    local state = settle(it, it.state, 7)
    state = settle(it, state, 8)
    state = settle(it, state, 17)
    local night = state
    state = settle(it, state, 24 + 8)
    state = settle(it, state, 24 + 17)
    for path, row in pairs(night.consumers) do
      local now = state.consumers[path].allocated
      claim(now == row.allocated, "%s held %d, holds %d", path, row.allocated, now)
    end
  end, { windows = true })
end)
