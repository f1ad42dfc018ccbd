-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random cases of what `allot check` draws: { plan = document, state = document }, each a pure
--- function of its seed.

local draw_ledger = require "allot.check.draw_ledger"
local draw_queues = require "allot.check.draw_queues"
local draw_tree = require "allot.check.draw_tree"
local Random = require "allot.check.random"

local gen = {}

-- Trees ----------------------------------------------------------------------------------------

local function draw_group(random, style, paths, planned, group)
  local slots = draw_tree.size(random, planned, style)
  local rows = draw_tree.rows(random, style, paths, slots, random:once_in(5))
  local reclaims = random:once_in(3) and draw_tree.reclaims(random, rows, paths, group) or {}
  return slots, rows, reclaims
end

local function tree_state(random, style, plan, planned)
  local paths = draw_tree.leaves(plan)
  local state = { now = random:int(0, 2000000000), consumers = {}, slots = {} }
  if not plan.groups then
    state.slots, state.consumers, state.reclaims = draw_group(random, style, paths, planned)
  end
  for _, path in ipairs(plan.groups and paths or {}) do
    state.consumers[path] = { demand = {}, allocated = {} }
  end
  for i = 1, plan.groups and style.groups or 0 do
    local name = "g" .. i
    local slots, rows, reclaims = draw_group(random, style, paths, planned, name)
    state.slots[name] = slots
    for path, row in pairs(rows) do
      state.consumers[path].demand[name] = row.demand
      state.consumers[path].allocated[name] = row.allocated
    end
    state.reclaims = table.move(reclaims, 1, #reclaims, #(state.reclaims or {}) + 1,
      state.reclaims or {})
  end
  state.reclaims = state.reclaims[1] and state.reclaims or nil
  return state
end

--- A plan under hybrid and a state.
function gen.tree(seed)
  local random = Random.new(seed)
  local style = draw_tree.style(random)
  local plan, planned = draw_tree.plan(random, style)
  return { plan = plan, state = tree_state(random, style, plan, planned) }
end

-- Ledgers --------------------------------------------------------------------------------------

local function strip(node)
  node.lend_limit, node.borrow_limit, node.share_limit = nil, nil, nil
  for _, child in ipairs(node.children or {}) do strip(child) end
end

-- One branch goes by hybrid.
local function mix(plan)
  local node = plan.consumers[#plan.consumers]
  strip(node)
  node.policy = "hybrid"
end

--- A plan under ownership and a state; `mixed`: a branch goes by hybrid.
function gen.ledger(seed, mixed)
  local random, leaves = Random.new(seed), {}
  local plan = draw_ledger.plan(random, leaves)
  if mixed then mix(plan) end
  local state = draw_ledger.state(random, plan, leaves)
  plan.options = random:once_in(4) and { hold_rounding = true } or nil
  return { plan = plan, state = state, seed = seed }
end

function gen.mixed(seed)
  return gen.ledger(seed, true)
end

-- Queues ---------------------------------------------------------------------------------------

--- Queues, hosts and jobs; opts.crowded: up to 30 jobs.
function gen.queues(seed, opts)
  local random = Random.new(seed)
  local plan = draw_queues.plan(random, opts or {})
  return { plan = plan, state = draw_queues.state(random, plan, opts and opts.crowded and 30) }
end

return gen
