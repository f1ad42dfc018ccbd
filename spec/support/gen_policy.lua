-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random quota rules: the same list of fills as a policy in Lua for the engine and as data for
--- the model.

local Random = require "spec.support.random"
local gen = require "spec.support.gen"

local gen_policy = {}

local BY = { "owned", "configured", "reserve", "share", "rank", 1, 2 }
local UP_TO = {
  "owned", "configured", "reserve", "share", "rank", "limit", "need", "demand", "allocated", 3, 50,
}
local ORDER = { "rank", "share", "configured" }

--- What the model calls the columns.
local FIELDS = { owned = "own", configured = "owned", reserve = "reserve_now", limit = "most" }

local function field(column)
  return FIELDS[column] or column
end

local function literal(source)
  return type(source) == "string" and '"' .. source .. '"' or tostring(source)
end

--- One fill: its Lua text and the model's data. A number may be said by a function.
local function draw_fill(random, label)
  local by = random:pick(BY)
  local up_to = random:once_in(2) and random:pick(UP_TO) or nil
  local order = random:once_in(3) and random:pick(ORDER) or nil
  local text = literal(by)
  if type(by) == "string" and random:once_in(4) then
    text = ("function (%s) return %s end"):format(by, by)
    by = by == "owned" and "own_whole" or by
  end
  local lua = ('  fill "%s" { by = %s%s%s },'):format(label, text,
    up_to and ", up_to = " .. literal(up_to) or "",
    order and ', order = { "' .. order .. '" }' or "")
  return lua, { label = label, by = field(by), up_to = field(up_to), order = field(order) }
end

--- A random case with a policy: `policy` is its text, `fills` what the model pours.
function gen_policy.case(seed)
  local random = Random.new(seed * 7919)
  local it = gen.case(seed)
  local lines = {}
  -- The core puts the reserve first, whatever the policy says (policy.h).
  it.fills = { { label = "reserved", by = "reserve_now", up_to = "reserve_now" } }
  for i = 1, random:int(1, 4) do
    lines[i], it.fills[i + 1] = draw_fill(random, "f" .. i)
  end
  it.policy = 'return policy { name = "site", quota = {\n' .. table.concat(lines, "\n") .. "\n} }\n"
  it.plan.policy = "site.lua"
  if it.plan.options then
    it.plan.options.evenly = nil
    it.plan.options = next(it.plan.options) and it.plan.options
  end
  gen.each_leaf(it.plan.consumers, "", function (_, leaf)
    leaf.share = random:once_in(2) and random:int(0, 5) or nil
  end)
  return it
end

return gen_policy
