-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Quotas of a group under ownership, for the model of whole tasks: need as ever (C-2), then the
--- model of a ledger (C-11) with what leaves demand at present.

local ledger = require "spec.support.model.ledger"
local quota = require "spec.support.model.quota"

local FIELDS = { "quota", "received", "taken" }

--- The state as the model of a ledger reads it.
local function told(world, loans)
  local out = { slots = world.slots, loans = loans, consumers = {} }
  for path, node in pairs(world.by_path) do
    out.consumers[path] = { demand = node.demand, allocated = node.allocated }
  end
  return out
end

local function sum_up(node)
  for _, child in ipairs(node.children) do
    sum_up(child)
    for _, field in ipairs(FIELDS) do node[field] = node[field] + child[field] end
  end
end

--- Quotas, and what comes of them: slots received and taken; world.lent has loans, and
--- world.passed tells whether idle slots were passed on, of whom the model knows no more.
return function (world, plan, loans)
  world.planned = world.slots -- what consumers own stays as planned, whatever the group's size
  quota.needs(world)
  local rows, lent, passed = ledger(plan, told(world, loans))
  for _, node in ipairs(world.nodes) do
    local row = rows[node.path] or { 0, 0, 0 }
    for i, field in ipairs(FIELDS) do node[field] = row[i] end
  end
  for _, child in ipairs(world.root.children) do sum_up(child) end
  world.idle = math.max(0, world.slots - world.root.allocated)
  world.lent, world.passed = lent, passed
end
