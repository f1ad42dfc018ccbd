-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The time until an edited policy or plan decides, and how long the service's loop is busy
--- meanwhile, with 100,000 consumers, while events come in.
---
--- One connection asks for `status` over and over and times the answers; on another events flow. An
--- edit begins when the file has been renamed into its place, and ends when a cycle has run after
--- the swap.

local core = require "allot.core"
local service = require "allot.bench.service"
local text = require "allot.bench.text"

local reload = {}

local LEAVES, OWNED = service.CONSUMERS, service.OWNED
local RATE, BEHIND = 2000, 200 -- events a second; the most sent at once
local PATIENCE = 600 -- s for an edit: ends a hang, even on slow machines
local CALM = 2 -- s without edits, between two of them and before the first
local MANY = 100 -- events of a batch

local POLICY = [[
return policy { name = "g%d", quota = {
  fill "own" { by = "owned", up_to = "owned" },
  fill "rest" { by = "owned" },
  fill "spare" { by = 1 } } }
]]

--- The results of edits of a kind, in ms: the time until each decided; the longest wait for an
--- answer, computation of the loop, and computation to swap. Other load on the machine lengthens
--- the wait.
local function edits()
  return { decides = {}, away = 0, busy = 0, swap = 0 }
end

-- ---- Talk ---------------------------------------------------------------------------------------

--- Sends events that are due. If a slow service fell behind, sends only the last of them, since
--- catching up with all would take ever longer.
local function feed(it)
  local due = (it.clock() - it.since) * RATE // 1000000
  for i = math.max(it.fed, due - BEHIND), due - 1 do
    it.at:send(it.feeder, service.event(1, "demand", i * 7919 % LEAVES, i % 5) .. "\n")
  end
  it.fed = math.max(it.fed, due)
end

--- Leaves that run two tasks each hold twice what they own; others want the surplus.
local function fill(it, tasks)
  local batch = {}
  local function put(method, leaf, slots, id)
    batch[#batch + 1] = service.event(1, method, leaf, slots, id and (',"id":%d'):format(id))
  end
  local function send()
    it.at:ask(it.asker, "[" .. table.concat(batch, ",") .. "]\n")
    batch = {}
  end
  for i = 0, tasks - 1, 2 do
    put("allocated", i // 2, 2 * OWNED)
    put("start", i // 2, OWNED, i + 1)
    put("start", i // 2, OWNED, i + 2)
    if i // 2 % MANY == MANY - 1 or i + 2 >= tasks then send() end
  end
  for i = 0, LEAVES - 1 do
    put("demand", i, 1 + i % (2 * OWNED))
    if i % MANY == MANY - 1 then send() end
  end
  it.at:call(it.asker, "cycle")
  it.flights = service.number(it.at:call(it.asker, "status"), "reclaims")
end

-- ---- Edits --------------------------------------------------------------------------------------

--- Asks repeatedly until a number of swaps and a cycle after them (nil: no swaps), or for a time;
--- returns the time that it took, in ms, and the last answer.
local function watch(it, swaps, seconds, of)
  local began = it.clock()
  local cycle, now = math.huge, began
  local answer, took
  while now - began < seconds * 1000000 do
    feed(it)
    local looped = it.at:looped()
    answer, took = it.at:call(it.asker, "status")
    now = it.clock()
    of.away = math.max(of.away, took / 1e3)
    of.busy = math.max(of.busy, it.at:looped() - looped)
    local last = service.number(answer, "cycle")
    if swaps and cycle == math.huge and service.number(answer, "swapped") >= swaps then
      cycle = last
    end
    if last > cycle then return (now - began) / 1e3, answer end
    for _ in it.at:turn(1, "the service does not answer") do end
  end
  if swaps then
    it.measure:fail(5, "E-reload", "the service refused an edit: " .. answer:sub(1, 400))
  end
end

local function edit(it, of, swaps)
  local took, answer = watch(it, swaps, PATIENCE, of)
  table.insert(of.decides, took)
  of.swap = math.max(of.swap, service.number(answer, "last_swap_us") / 1e3)
  watch(it, nil, CALM, of)
end

local function edit_all(it, wanted)
  watch(it, nil, CALM, edits()) -- by then the tasks are decided about
  watch(it, nil, 2 * CALM, it.calm)
  for i = 1, wanted do
    it.at:put("fair.lua", POLICY:format(i))
    edit(it, it.policy, 2 * i - 1)
    it.at:put("plan.json", service.plan("fair.lua", i))
    edit(it, it.plan, 2 * i)
  end
  table.sort(it.policy.decides)
  table.sort(it.plan.decides)
end

--- Times reading plan and policy, and a cycle in which all leaves have demand, in ms.
local function bare(measure, plan)
  local state = text.new '{"now": 0, "consumers": {'
  for i = 0, LEAVES - 1 do
    state:add('%s"/b%d/l%d": {"demand": %d}', i > 0 and ", " or "", i // service.LEAVES,
              i % service.LEAVES, 1 + i % (2 * OWNED))
  end
  state:add "}}"
  measure:call("policy", POLICY:format(0))
  measure:call("plan", plan)
  local read = measure:numbers("took")[1] * 1e3
  measure:call("state", state:done())
  local cycle = measure:numbers("cycle", "orders 1")[1] * 1e3
  measure:call("plan", '{"version": 1, "policy": "bare", "consumers": []}') -- frees memory
  return { read = read, cycle = cycle }
end

-- ---- The result ---------------------------------------------------------------------------------

local function middle(of)
  return of.decides[#of.decides // 2 + 1], of.decides[#of.decides]
end

local function put_text(out, it)
  local function put(format, ...) out(format:format(...)) end
  local away = "the loop is away for at most %.1f ms, and computes %.1f"
  local function put_edits(what, of)
    local half, most = middle(of)
    put("%-16s decides after %.0f ms, at most %.0f; " .. away .. ", %.1f to swap\n", what, half,
        most, of.away, of.busy, of.swap)
  end
  put("%d consumers, %d tasks, %d reclaims in flight, %d events a second; each edited %d times\n\n",
      LEAVES, it.tasks, it.flights, RATE, it.wanted)
  put("%-16s " .. away .. "\n", "nothing edited", it.calm.away, it.calm.busy)
  put_edits("policy edited", it.policy)
  put_edits("plan edited", it.plan)
  put("%-16s reading plan and policy %.1f ms, a cycle %.1f ms; files are to be quiet for 150 ms\n",
      "bare limits", it.bare.read, it.bare.cycle)
end

local function put_json(out, it)
  local function put(format, ...) out(format:format(...)) end
  local function put_edits(name, of)
    put(',\n"%s": {"count": %d, ', name, #of.decides)
    if #of.decides > 0 then
      local half, most = middle(of)
      put('"decides_ms": {"p50": %.3f, "max": %.3f}, "swap_ms": %.3f, ', half, most, of.swap)
    end
    put('"away_ms": %.3f, "busy_ms": %.3f}', of.away, of.busy)
  end
  put('{"schema": "allot/bench-reload/v1", "version": "%s", "consumers": %d, "tasks": %d, '
    .. '"reclaims": %d, "rate": %d', core.version, LEAVES, it.tasks, it.flights, RATE)
  put_edits("none", it.calm)
  put_edits("policy", it.policy)
  put_edits("plan", it.plan)
  put(',\n"limits": {"read_ms": %.3f, "cycle_ms": %.3f, "quiet_ms": 150}}\n', it.bare.read,
      it.bare.cycle)
end

--- Makes a number of edits of policy and of plan, while a number of tasks run.
function reload.run(measure, wanted, tasks)
  local plan = service.plan("fair.lua", 0)
  local at = service.new(measure, plan)
  local it = {
    measure = measure, clock = measure.clock, at = at, wanted = wanted, tasks = tasks, fed = 0,
    policy = edits(), plan = edits(), calm = edits(),
  }
  at:put("fair.lua", POLICY:format(0))
  it.bare = bare(measure, plan)
  at:start "watching"
  it.asker, it.feeder = at:connect(), at:connect()
  fill(it, tasks)
  it.since = it.clock()
  edit_all(it, wanted)
  local put = measure.host.option "format" == "json" and put_json or put_text
  put(measure.host.out, it)
end

return reload
