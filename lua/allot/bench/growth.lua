-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What grows with a site's size: each case at n, 2n and 4n. What grows as the work does takes four
--- times as long at 4n; a quadratic cost shows as sixteen.

local measure = require "allot.bench.measure"
local text = require "allot.bench.text"

local growth = {}

local MB = 1e-6

growth.list = {
  key = "growth",
  title = "growth: ms to read plan and state, and of a cycle, at n, 2n and 4n; and 4n beside n",
  named = "what grows",
  columns = {
    { "n", "n", 1, 0 },
    { "read_1_s", "read n", 1e3, 1 },
    { "read_2_s", "2n", 1e3, 1 },
    { "read_4_s", "4n", 1e3, 1 },
    { "read_growth", "growth", 1, 1 },
    { "cycle_1_s", "cycle n", 1e3, 2 },
    { "cycle_2_s", "2n", 1e3, 2 },
    { "cycle_4_s", "4n", 1e3, 2 },
    { "cycle_growth", "growth", 1, 1 },
    { "bytes", "MB at 4n", MB, 1 },
  },
  rows = {},
}

-- ---- Sites --------------------------------------------------------------------------------------

--- Consumers on as many hosts; a quarter must have hosts alone.
local function hosts(n)
  local plan = text.new '{"version": 1, "policy": "hybrid", '
  plan:add('"slots": %d, "consumers": ', 4 * n)
  plan:list(n, function (i)
    plan:add('{"name": "c%d", "owned": 2%s}', i, i % 4 == 0 and ', "exclusive": true' or "")
  end)
  plan:add "}"
  local state = text.new '{"now": 1000, "hosts": '
  state:object(n, function (i) state:add('"h%d": {"slots": 4}', i) end)
  state:add ', "consumers": '
  state:object(n, function (i)
    state:add('"/c%d": {"demand": %d, "allocated": 2}', i, 1 + i % 7)
  end)
  state:add ', "tasks": '
  state:list(n, function (i)
    state:add('{"id": "t%d", "consumer": "/c%d", "slots": 2, "started": %d, "host": "h%d"}', i, i,
              1 + i % 999, i * 7 % n)
  end)
  state:add "}"
  return plan:done(), state:done()
end

--- Queues that each preempt all below.
local function queues(n)
  local plan = text.new '{"version": 1, "policy": "preemption", "hosts": {"h": {"slots": 4}}'
  plan:add ', "queues": '
  plan:list(n, function (i)
    plan:add('{"name": "q%d", "priority": %d, "preemptive": true}', i, i + 1)
  end)
  plan:add "}"
  return plan:done(), '{"now": 1000, "jobs": []}'
end

--- Urgent jobs of up to 64 slots, on hosts that hold a tenth more than they have.
local function urgent(n)
  local count = n * 10 // 110
  local plan = text.new '{"version": 1, "policy": "preemption", "hosts": '
  plan:object(count, function (i) plan:add('"h%d": {"slots": 10}', i) end)
  plan:add ', "queues": [{"name": "high", "priority": 9, "preemptive": true}, {"name": "low"}]}'
  local state = text.new '{"now": 1000, "jobs": '
  state:list(n + n // 100, function (i)
    if i < n then
      state:add('{"id": "r%d", "queue": "low", "state": "running", "hosts": {"h%d": 1}, '
        .. '"started": %d}', i, i % count, i * 7 % 900)
    else
      state:add('{"id": "p%d", "queue": "high", "state": "pending", "slots": %d, '
        .. '"submitted": %d}', i, 1 + i * 11 % 64, i % 900)
    end
  end)
  state:add "}"
  return plan:done(), state:done()
end

--- Half-hours at which consumers own other numbers.
local function windows(n)
  local plan = text.new '{"version": 1, "policy": "hybrid", '
  plan:add('"slots": %d, "consumers": ', 2 * n)
  plan:list(n, function (i) plan:add('{"name": "c%d", "owned": 2}', i) end)
  plan:add ', "timezone": "UTC", "windows": '
  plan:list(32, function (i)
    plan:add('{"from": "%02d:%02d", "to": "%02d:%02d", "consumers": {"/c%d": {"owned": 1}}}',
             i // 2, i % 2 * 30, (i + 1) // 2, (i + 1) % 2 * 30, i)
  end)
  plan:add "}"
  local state = text.new '{"now": 1000, "consumers": '
  state:object(n, function (i) state:add('"/c%d": {"demand": %d}', i, 1 + i % 4) end)
  state:add "}"
  return plan:done(), state:done()
end

--- Branches one below the other, each with a leaf beside the next.
local function comb(n, policy, branch)
  local plan = text.new '{"version": 1, '
  plan:add('"policy": "%s", "slots": %d, "consumers": [', policy, 2 * n)
  local path, state = {}, text.new '{"now": 1000, "consumers": {'
  for i = 1, n do
    plan:add('{"name": "l", %s}, {"name": "b", %s, "children": [', branch(1), branch(n - i))
    if i % 16 == 1 then
      state:add('%s"%s/l": {"demand": 3}', i > 1 and ", " or "", table.concat(path))
    end
    path[i] = "/b"
  end
  plan:add '{"name": "l"}'
  for _ = 1, n do plan:add "]}" end
  plan:add "]}"
  state:add "}}"
  return plan:done(), state:done()
end

local function ownership(n)
  return comb(n, "ownership", function (below) return ('"owned": %d'):format(2 * below) end)
end

local function ratio(n)
  return comb(n, "share_ratio", function () return '"share": 1' end)
end

growth.SITES = {
  { name = "hosts", n = 4000, make = hosts },
  { name = "queues", n = 4000, make = queues },
  { name = "urgent", n = 27500, make = urgent },
  { name = "windows", n = 25000, make = windows },
  { name = "pools", n = 120, make = ownership },
  { name = "levels", n = 120, make = ratio },
}

local function measure_at(it, site, row, times)
  local plan, state = site.make(site.n * times)
  local samples = {}
  it:call("policy", "")
  for i = 1, it:few() do
    it:call("plan", plan)
    samples[i] = it:numbers("took")[1]
    it:call("state", state)
    samples[i] = samples[i] + it:numbers("took")[1]
  end
  row[("read_%d_s"):format(times)] = measure.time(samples).best
  row[("cycle_%d_s"):format(times)] = it:cycles("orders").best
  row.bytes = it:numbers("bytes")[2]
end

function growth.run(it, wanted)
  for _, site in ipairs(growth.SITES) do
    if wanted("growth/" .. site.name) then
      local row = { name = site.name, n = site.n }
      for _, times in ipairs { 1, 2, 4 } do measure_at(it, site, row, times) end
      row.read_growth = row.read_4_s / row.read_1_s
      row.cycle_growth = row.cycle_4_s / row.cycle_1_s
      table.insert(growth.list.rows, row)
    end
  end
end

return growth
