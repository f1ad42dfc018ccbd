-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The cost of cycles over trees, beside that of reading 64 bytes a consumer from memory; reading,
--- deciding and writing a user's documents; and cycles that continue those before.

local draw = require "allot.bench.draw"
local measure = require "allot.bench.measure"
local tree = require "allot.bench.tree"

local cycles = {}

local ROW_BYTES = 64 -- read per consumer by the yardstick

--- Children of a node, level by level, and the present slots in percent of those planned.
cycles.SHAPES = {
  { "flat", { 10000 }, 100 },
  { "10x10x100", { 10, 10, 100 }, 90 },
  { "10x100x100", { 10, 100, 100 }, 115 },
  { "100x100x100", { 100, 100, 100 }, 100 },
  { "100x100x100/97%", { 100, 100, 100 }, 97 },
}

--- hybrid, with a Lua function as one weight: one that ends by itself, and one that calls another
--- and so runs under the budget.
local SCRIPTED = [[
return policy {
  name = "scripted",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = function (owned, share) return %s end },
    fill "spare" { by = 1 },
  },
}
]]
local WEIGHTS = { scripted = "owned + share", calling = "math.min(owned + share, 20)" }

--- Half of what each owns, and the rest by share: as an ordinary fill, and as one that raises
--- totals (C-15).
local FAIR = [[
return policy {
  name = "fair",
  quota = { fill "half" { by = "owned", up_to = %d }, fill "fair" { by = "owned", level = %s } },
}
]]
local HALF = 4 -- of what a leaf owns on average

--- What distribution goes by: quotas read none of it, so that only making the column costs.
local GOES_BY = [[
return policy {
  name = "goes_by",
  quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "fair" { by = "owned" } },
  distribute = order { "%s" },
}
]]
local WEEK = 604800

cycles.trees = {
  key = "shapes", title = "ns a consumer; read: 64 bytes of each", named = "tree", always = true,
  columns = {
    { "consumers", "consumers", 1, 0 },
    { "quota_ns", "quota", 1, 1 },
    { "cycle_ns", "cycle", 1, 1 },
    { "cycle_with_lists_ns", "with lists", 1, 1 },
    { "stream_ns", "read", 1, 1 },
    { "scripted_cycle_ns" },
    { "calling_cycle_ns" },
    { "fill_quota_ns" },
    { "level_quota_ns" },
    { "rank_quota_ns" },
    { "usage_quota_ns" },
    { "quota_to_stream", "quota:read", 1, 1 },
    { "cycle_to_stream", "cycle:read", 1, 1 },
    { "script_ns_per_row", "Lua", 1, 1 },
    { "calling_ns_per_row", "calls", 1, 1 },
    { "usage_ns_per_row", "usage", 1, 1 },
    { "level_to_fill", "level:fill", 1, 2 },
    { "bytes_per_consumer", "bytes", 1, 1 },
  },
  rows = {},
}

cycles.documents = {
  key = "documents", title = "documents: ms to read plan and state, to decide, and to write",
  single = true,
  columns = {
    { "consumers", "consumers", 1, 0 },
    { "plan_bytes", "plan, MB", 1e-6, 1 },
    { "state_bytes", "state, MB", 1e-6, 1 },
    { "decision_bytes", "decision, MB", 1e-6, 1 },
    { "plan_s", "plan", 1e3, 1 },
    { "state_s", "state", 1e3, 1 },
    { "cycle_s", "cycle", 1e3, 1 },
    { "write_s", "decision", 1e3, 1 },
  },
  rows = {},
}

local function script(it, row, made, state, each)
  for name, weight in pairs(WEIGHTS) do
    it:call("policy", SCRIPTED:format(weight))
    it:call("plan", made.plan)
    it:call("state", state)
    row[name .. "_cycle_ns"] = it:cycles("reclaim", each)
  end
  it:call("policy", "")
  row.script_ns_per_row = row.scripted_cycle_ns.best - row.cycle_ns.best
  row.calling_ns_per_row = row.calling_cycle_ns.best - row.cycle_ns.best
end

--- The quotas of a policy that raises totals, beside one that pours on top of them.
local function level(it, row, made, state, each)
  for name, flag in pairs { fill_quota_ns = "false", level_quota_ns = "true" } do
    it:call("policy", FAIR:format(HALF, flag))
    it:call("plan", made.plan)
    it:call("state", state)
    row[name] = it:cycles("quota", each)
  end
  it:call("policy", "")
  row.level_to_fill = row.level_quota_ns.best / row.fill_quota_ns.best
end

--- Use over time (C-14), of leaves whose slots changed at any second of the last two weeks.
local function usage(it, row, made, state, each)
  local random = draw.split(1860)
  local used = state:gsub('{"demand"', function ()
    return ('{"usage": %d, "usage_at": %d, "demand"'):format(random(1000000), -random(2 * WEEK))
  end)
  for _, column in ipairs { "rank", "usage" } do
    it:call("policy", GOES_BY:format(column))
    it:call("plan", (made.plan:gsub("^{", ('{"half_life": %d, '):format(WEEK), 1)))
    it:call("state", used)
    row[column .. "_quota_ns"] = it:cycles("quota", each)
  end
  it:call("policy", "")
  row.usage_ns_per_row = row.usage_quota_ns.best - row.rank_quota_ns.best
end

--- Documents in, cycle, document out.
local function path(it, made, state)
  local samples = { plan = {}, state = {}, cycle = {}, write = {} }
  local written
  for i = 1, it:few() do
    it:call("plan", made.plan)
    samples.plan[i] = it:numbers("took")[1]
    it:call("state", state)
    samples.state[i] = it:numbers("took")[1]
    samples.cycle[i] = it:numbers("cycle", "orders 1")[1]
    written = #it:call "decision"
    samples.write[i] = it:numbers("took")[1]
  end
  local row = { consumers = made.consumers, plan_bytes = #made.plan, state_bytes = #state,
                decision_bytes = written }
  for name, list in pairs(samples) do row[name .. "_s"] = measure.time(list) end
  cycles.documents.rows[1] = row
end

local function measure_tree(it, shape)
  local made = tree.new(shape[2])
  local state, each = made:busy(shape[3]), 1e9 / made.consumers
  it:call("plan", made.plan)
  it:call("state", state)
  local row = { name = shape[1], consumers = made.consumers }
  row.bytes_per_consumer = it:numbers("bytes")[1] / made.consumers
  row.quota_ns = it:cycles("quota", each)
  row.cycle_ns = it:cycles("reclaim", each)
  row.cycle_with_lists_ns = it:cycles("orders", each)
  local bytes = made.consumers * ROW_BYTES
  row.stream_ns = measure.time(it:numbers("stream", "%d %d", bytes, it.count), each)
  row.quota_to_stream = row.quota_ns.best / row.stream_ns.best
  row.cycle_to_stream = row.cycle_ns.best / row.stream_ns.best
  script(it, row, made, state, each)
  level(it, row, made, state, each)
  usage(it, row, made, state, each)
  table.insert(cycles.trees.rows, row)
  if shape[1] == "10x100x100" then path(it, made, state) end
end

function cycles.run(it, wanted)
  for _, shape in ipairs(cycles.SHAPES) do
    if wanted(shape[1]) then measure_tree(it, shape) end
  end
end

-- ---- Changes ------------------------------------------------------------------------------------

local CYCLES, BATCHES, BATCH, CALM = 2000, 200, 100, 30

cycles.CHANGES = {
  { "10x100x100", { 10, 100, 100 } },
  { "100x100x100", { 100, 100, 100 } },
  { "100x1000", { 100, 1000 } },
  { "flat100k", { 100000 } },
  { "flat1M", { 1000000 } },
  { "tasks", { 10, 100, 100 }, tasks = true },
  -- A change of these is never local: each cycle is a full pass, and keeps what nobody uses.
  { "ownership", { 10000 }, as = '"policy": "ownership"' },
  { "windows", { 10, 10, 100 }, as = '"policy": "hybrid", "timezone": "UTC", "windows": '
    .. '[{"from": "08:00", "to": "18:00", "consumers": {"/c0/c0/c0": {"owned": 1}}}]' },
  { "damping", { 10, 10, 100 }, as = '"policy": "hybrid", "options": {"dead_zone": 2}' },
  { "functions", { 10, 10, 100 }, scripted = true },
}

cycles.changes = {
  key = "changes",
  title = "changes: us from one changed demand, and from a hundred, to the decision",
  named = "tree",
  columns = {
    { "consumers", "consumers", 1, 0 },
    { "demand_percent", "demand %", 1, 0 },
    { "one_p50_s", "one, us", 1e6, 1 },
    { "one_p99_s", "p99, us", 1e6, 1 },
    { "hundred_p50_s", "100, us", 1e6, 1 },
    { "full_s", "full, us", 1e6, 0 },
    { "one_to_full", "one:full", 1, 3 },
    { "full_passes", "full passes", 1, 0 },
    { "bytes_per_consumer", "bytes", 1, 1 },
  },
  rows = {},
}

--- Runs cycles, each after a number of leaves changed their demand; returns sorted samples, and
--- the number of full passes.
local function change(it, count, leaves, percent, full)
  local list = it:numbers("changes", "%d %d %d %d", count, leaves, percent, full)
  local passes = table.remove(list, 1)
  table.sort(list)
  return list, passes
end

local function measure_changes(it, shape, made, percent)
  local random = draw.linear(1995)
  local fill = shape.tasks and made.running or made.state
  it:call("policy", shape.scripted and SCRIPTED:format(WEIGHTS.scripted) or "")
  it:call("plan", shape.as and made.plan:gsub('"policy": "hybrid"', shape.as) or made.plan)
  it:call("state", fill(made, 100, function (owned)
    return random(2 * owned * percent // 100 + 1), 0
  end))
  local before = it:numbers("bytes")[1]
  it:call("cycle", "orders 1")
  local full = change(it, CALM, 1, percent, 1)
  change(it, CALM, 1, percent, 0)
  local ones, passes = change(it, CYCLES, 1, percent, 0)
  local many, others = change(it, BATCHES, BATCH, percent, 0)
  table.insert(cycles.changes.rows, {
    name = shape[1], consumers = made.consumers, demand_percent = percent,
    one_p50_s = ones[CYCLES // 2 + 1], one_p99_s = ones[CYCLES * 99 // 100 + 1],
    hundred_p50_s = many[BATCHES // 2 + 1], full_s = full[CALM // 2 + 1],
    one_to_full = ones[CYCLES // 2 + 1] / full[CALM // 2 + 1],
    full_passes = passes + others,
    bytes_per_consumer = (it:numbers("bytes")[1] - before) / made.consumers,
  })
end

function cycles.run_changes(it, wanted)
  for _, shape in ipairs(cycles.CHANGES) do
    if wanted("changes/" .. shape[1]) then
      local made = tree.new(shape[2])
      for _, percent in ipairs { 70, 100, 101, 130 } do
        measure_changes(it, shape, made, percent)
      end
    end
  end
end

return cycles
