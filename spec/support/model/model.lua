-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The cycle, said a second time: exact, recursive, slow, and written from the rules alone
-- (contract.md C-1 to C-9, rules.md section 4), so that it can contradict the engine.

local tree = require "spec.support.model.tree"
local rules = require "spec.support.model.rules"
local quota = require "spec.support.model.quota"
local distribute = require "spec.support.model.distribute"
local reclaim = require "spec.support.model.reclaim"
local free = require "spec.support.model.free"

local model = {}

local function row(node)
  return {
    path = node.path,
    demand = node.demand,
    need = node.need,
    owned = tostring(node.own),
    reserve = node.reserve_now,
    exact = tostring(node.level),
    quota = node.quota,
    allocated = node.allocated,
    granted = node.granted,
    held = node.held,
    over = node.over,
    free = node.free,
  }
end

--- One group's answer; its grants (best first) and reclaims (the opposite) go to `out`.
local function group(plan, state, name, site, out)
  local world = tree.read(plan, state, name)
  world.rules = rules.of(site, world.options.evenly and quota.EVENLY or quota.HYBRID)
  rules.set_use(world, world.rules)
  quota.run(world)
  distribute.run(world)
  reclaim.run(world)
  free.run(world)
  local rows, count = {}, #world.leaves
  for i, node in ipairs(world.nodes) do
    rows[i] = row(node)
    rows[i].usage = plan.half_life and node.usage or nil
  end
  for i, leaf in ipairs(world.leaves) do
    local last = world.leaves[count + 1 - i]
    if leaf.granted > 0 then
      table.insert(out.grants, { group = name, consumer = leaf.path, slots = leaf.granted })
    end
    if last.taken > 0 then
      local moved = { group = name, consumer = last.path, slots = last.taken, ["for"] = last.due }
      table.insert(out.reclaims, moved)
    end
  end
  local answer = { slots = world.slots, idle = world.idle, idle_left = world.idle_left }
  answer.held, answer.consumers = world.held, rows
  return answer
end

--- The whole decision, as far as it is numbers. `site` has the rules of a policy of
-- one's own (gen_policy.lua).
function model.cycle(plan, state, site)
  local out = { groups = {}, grants = {}, reclaims = {} }
  for name in pairs(plan.groups or { default = true }) do
    out.groups[name] = group(plan, state, name, site, out)
  end
  return out
end

return model
