-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a ledger keeps whatever it is fed (C-11, architecture.md), on random plans and states.

local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local model = require "spec.support.model.ledger"
local property = require "spec.support.cases.property"

local function claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

local function sums(list, key)
  local out = {}
  for _, each in ipairs(list) do out[each[key]] = (out[each[key]] or 0) + each.slots end
  return out
end

--- Calls visit(row, node, is_leaf) for every consumer of the plan.
local function each(it, decision, visit)
  local rows = {}
  for _, row in ipairs(decision.groups.default.consumers) do rows[row.path] = row end
  local function walk(list, above)
    for _, node in ipairs(list) do
      local path = above .. "/" .. node.name
      visit(rows[path], node, not node.children, rows)
      walk(node.children or {}, path)
    end
  end
  walk(it.plan.consumers, "")
end

local function decide(it)
  return engine.cycle(it.plan, it.state)
end

local WEIGHED = [[return policy { name = "weighed", like = "ownership", quota = {
  fill "owned" { by = "owned", up_to = "owned" }, pool "shared" { by = "share",
    up_to = "share_limit" },
  loan "borrowed" { by = "share", lend_limit = "lend_limit", borrow_limit = "borrow_limit" } } }]]

--- The same, where borrowers of a rank are weighed by their shares.
local function decide_weighed(it)
  local use = it.plan.policy.use
  it.plan.policy.use = "site.lua"
  local decision = engine.cycle(it.plan, it.state, nil, WEIGHED)
  it.plan.policy.use = use
  return decision
end

--- Smaller cases still go by ownership.
local function valid(it)
  return it.plan.policy ~= nil and engine.valid(it)
end

local function both(name, runs, check)
  property(name, { runs = runs, valid = valid }, check, gen.ledger)
  property(name .. ", in mixed plans", { runs = runs, valid = valid }, check, gen.mixed)
end

describe("a ledger", function ()
  both("balances: nobody borrows more than it holds, or lends what it has not", 400, function (it)
    local decision = decide(it)
    local lent, borrowed = sums(decision.loans, "lender"), sums(decision.loans, "borrower")
    local granted, taken = sums(decision.grants, "consumer"), sums(decision.reclaims, "consumer")
    each(it, decision, function (row, node, leaf)
      if not leaf then return end
      local holds = row.allocated + (granted[row.path] or 0) - (taken[row.path] or 0)
      claim((borrowed[row.path] or 0) <= holds, "%s borrows more than it holds", row.path)
      local most = (node.owned or 0) - math.min(node.reserve or 0, node.owned or 0)
      claim((lent[row.path] or 0) <= most, "%s lends more than it may", row.path)
    end)
  end)

  both("grants no more than is idle, and no quota beyond the group", 400, function (it)
    local decision = decide(it)
    local group = decision.groups.default
    local granted, quota = group.held, 0
    for _, grant in ipairs(decision.grants) do granted = granted + grant.slots end
    claim(granted <= group.idle, "%d of %d idle slots", granted, group.idle)
    claim(granted + group.idle_left == group.idle, "idle slots are lost")
    each(it, decision, function (row)
      quota = quota + (row.path:find("/", 2, true) and 0 or row.quota)
    end)
    claim(quota <= group.slots, "quotas of %d", quota)
  end)

  both("gives parts that sum to the quota, within need and limit", 400, function (it)
    each(it, decide(it), function (row, node)
      local sum = 0
      for _, slots in pairs(row.parts) do
        claim(slots > 0, "%s: a part of %d", row.path, slots)
        sum = sum + slots
      end
      claim(sum == row.quota, "%s: parts sum to %d", row.path, sum)
      claim(row.quota <= row.need, "%s: above its need", row.path)
      claim(not node.limit or row.allocated + row.granted <= math.max(node.limit, row.allocated),
        "%s: above its limit", row.path)
    end)
  end)

  both("takes slots for somebody, unless they may not stay", 400, function (it)
    local demanded = { recalled = true, ["over-share"] = true, ["over-quota"] = true }
    for _, reclaim in ipairs(decide(it).reclaims) do
      local claimed = 0
      for _, each_claim in ipairs(reclaim["for"]) do claimed = claimed + each_claim.slots end
      claim(claimed <= reclaim.slots, "%s: claims of %d", reclaim.consumer, claimed)
      claim(claimed == reclaim.slots or not demanded[reclaim.why.code],
        "%s: nobody is owed its slots", reclaim.consumer)
    end
  end)

  for _, slow in ipairs { false, true } do
    both(slow and "comes to rest when slots are in flight" or "comes to rest within 3 cycles", 300,
      function (it)
        local state = it.state
        -- Limits of branches that are full of slots beyond demand take more cycles.
        -- Who drains gives a slot at a time, each to the one whose turn it is.
        local drains = 0
        each(it, decide(it), function (_, node, leaf)
          node.limit = leaf and node.limit or nil
          drains = node.rebalance == false and 15 or drains
        end)
        for _ = 0, (slow and 5 or 3) + drains do
          local decision = engine.cycle(it.plan, state)
          if #decision.grants == 0 and #decision.reclaims == 0 and not state.reclaims then
            return
          end
          state = engine.after(decision, { returns = slow and "later" or nil })
        end
        error("it goes on", 0)
      end)
  end

  both("comes to rest below limits of branches", 300, function (it)
    -- One more: a member whose limit is full passes by givers that come before its siblings.
    local state = it.state
    each(it, decide(it), function (_, node) node.rebalance = nil end) -- who drains takes more
    for _ = 0, 4 do
      local decision = engine.cycle(it.plan, state)
      if #decision.grants == 0 and #decision.reclaims == 0 then return end
      state = engine.after(decision)
    end
    error("it goes on", 0)
  end)

  both("answers the same again", 50, function (it)
    claim(engine.text(it.plan, it.state) == engine.text(it.plan, it.state), "otherwise")
  end)

  local function is_modelled(weighed)
    return function (it)
      it.plan.options = nil -- the model knows nothing of damping
      local decision = weighed and decide_weighed(it) or decide(it)
      local rows, loans, passed = model(it.plan, it.state, weighed)
      each(it, decision, function (row, _, leaf)
        local said = leaf and rows[row.path]
        claim(not said or said[1] == row.quota and (passed or said[2] == row.received)
          and said[3] == row.reclaimed,
          "%s: quota %d, received %d, reclaimed %d; the model says %s", row.path, row.quota,
          row.received, row.reclaimed, said and table.concat(said, ", "))
      end)
      for _, loan in ipairs(decision.loans) do
        local key = loan.lender .. ">" .. loan.borrower
        claim(loan.slots == (loans[key] or 0), "%s: %d, the model says %d", key, loan.slots,
          loans[key] or 0)
        loans[key] = nil
      end
      claim(next(loans) == nil, "the model lends %s", next(loans))
    end
  end

  property("is what the model says, phase by phase", { runs = 1500, valid = valid },
    is_modelled(false), gen.ledger)
  property("is what the model says, where borrowers are weighed", { runs = 1500, valid = valid },
    is_modelled(true), gen.ledger)
end)
