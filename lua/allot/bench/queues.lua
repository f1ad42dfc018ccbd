-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Cycles over queues, beside reading the bytes of their state once: 1,000 queues on 10,000 hosts,
--- 100,000 running and as many pending jobs, of random queues and users. Unless a site states
--- otherwise, the hosts are full, all running jobs are of the lower half of the queues, and 1,000
--- pending jobs are of the upper half, which may preempt them. Of the sites with `backfill` there
--- is one queue without hosts, where 10,000 jobs of many widths run and as many wait.

local draw = require "allot.bench.draw"
local measure = require "allot.bench.measure"
local text = require "allot.bench.text"

local queues = {}

local QUEUES, HOSTS, RUNNING, PENDING, URGENT = 1000, 10000, 100000, 100000, 1000
local USERS, POOLS, NOW = 500, 100, 1000
local AGAIN, CALM = 100, 5 -- cycles after a change, measured and not

local VICTIMS = '"queue_order", "load", "host", "queue_priority", desc "started"'
local POLICY = [[
return policy { name = "site", dispatch = order { desc "priority", "submitted" },
  victims = order { %s }, fewest = "%s", backfill = "%s" }
]]

--- slots of a host; hosts of a queue (all); width: the most slots of a running job (1); jobs that
--- preempt have from `least` up to `least + want` slots.
queues.SITES = {
  { name = "plain", slots = 10 },
  { name = "free-slots", slots = 20 },
  { name = "pools", slots = 20, pools = true },
  { name = "limits", slots = 10, limits = true },
  { name = "few-hosts", slots = 10, hosts = 10 },
  { name = "lua-key", slots = 10, victims = "function (ran, slots) return ran * slots end" },
  { name = "mini-job", slots = 23, fewest = "mini_job", width = 4, want = 12 },
  { name = "optimal-mini-job", slots = 23, fewest = "optimal_mini_job", width = 4, want = 12 },
  { name = "wide-jobs", slots = 10, least = 90000, want = 9999 },
  { name = "all-preempt", slots = 10, all = true },
  { name = "first-fit", backfill = "first_fit" },
  { name = "easy", backfill = "easy" },
  { name = "conservative", backfill = "conservative" },
}

queues.list = {
  key = "queues",
  title = "queues: ms of a cycle; from memory that no cache has, and reading the state's bytes\n"
    .. "from there; ns a job; bytes a job of the state, and of a cycle beside it",
  named = "site",
  columns = {
    { "jobs", "jobs", 1, 0 },
    { "starts", "starts", 1, 0 },
    { "victims", "victims", 1, 0 },
    { "cycle_s", "cycle", 1e3, 1 },
    { "cycle_cold_s", "cold", 1e3, 1, "best" },
    { "stream_cold_s", "read", 1e3, 1, "best" },
    { "ns_per_job", "ns", 1, 1 },
    { "state_bytes_per_job", "state", 1, 0 },
    { "cycle_bytes_per_job", "cycle", 1, 0 },
  },
  rows = {},
}

queues.documents = {
  key = "queue_documents",
  title = "documents of queues: ms to read and seal the state, and to write the decision",
  single = true,
  columns = {
    { "jobs", "jobs", 1, 0 },
    { "state_bytes", "state, MB", 1e-6, 1 },
    { "decision_bytes", "decision, MB", 1e-6, 1 },
    { "state_s", "state", 1e3, 1 },
    { "seal_s", "sealing it", 1e3, 1 },
    { "write_s", "decision", 1e3, 1 },
  },
  rows = {},
}

queues.again = {
  key = "queue_changes",
  title = "a job changes: ms to seal the state again, and to decide; carried: the decision before\n"
    .. "was carried out; full: both from scratch",
  named = "decision",
  columns = {
    { "jobs", "jobs", 1, 0 },
    { "victims", "victims", 1, 0 },
    { "seal_p50_s", "seal", 1e3, 2 },
    { "cycle_p50_s", "cycle", 1e3, 2 },
    { "both_p50_s", "both", 1e3, 2 },
    { "both_p99_s", "p99", 1e3, 2 },
    { "full_p50_s", "full", 1e3, 2 },
  },
  rows = {},
}

local function put_queue(out, site, i)
  local preempts = not site.pools and (site.all or i < QUEUES // 2)
  out:add('{"name": "q%d", "priority": %d, "preemptive": %s', i, QUEUES - i, preempts)
  if site.hosts then
    out:add ', "hosts": '
    out:list(site.hosts, function (k) out:add('"h%d"', (i * site.hosts + k) % HOSTS) end)
  end
  if site.pools then
    out:add(', "slot_pool": "p%d", "slot_share": %d', i % POOLS, 100 * POOLS // QUEUES)
  end
  if site.limits then out:add ', "qjob_limit": 400, "ujob_limit": 50, "hjob_limit": 8' end
  out:add "}"
end

local function plan_of(site)
  local out = text.new '{"version": 1, "policy": "site.lua", "hosts": '
  out:object(HOSTS, function (i) out:add('"h%d": {"slots": %d}', i, site.slots) end)
  out:add ', "queues": '
  out:list(QUEUES, function (i) put_queue(out, site, i) end)
  out:add "}\n"
  return out:done()
end

local function state_of(site)
  local random, out = draw.linear(1888), text.new()
  local function lower()
    return site.all and random(QUEUES) or QUEUES // 2 + random(QUEUES // 2)
  end
  local function put_running(i)
    out:add('{"id": "r%d", "queue": "q%d", "state": "running", "hosts": {"h%d": %d}, '
      .. '"started": %d, "user": "u%d"}', i, lower(), i % HOSTS, 1 + i // HOSTS % (site.width or 1),
      random(NOW - 100), random(USERS))
  end
  local function put_pending(i)
    local urgent = i < URGENT and not site.all
    local queue = urgent and random(QUEUES // 2) or lower()
    local slots = urgent and site.want and (site.least or 0) + 1 + random(site.want) or 1
    out:add('{"id": "p%d", "queue": "q%d", "state": "pending", "slots": %d, "submitted": %d, '
      .. '"user": "u%d"}', i, queue, slots, random(NOW - 100), random(USERS))
  end
  out:add('{"now": %d, "jobs": ', NOW)
  out:list(RUNNING + PENDING, function (i)
    if i < RUNNING then put_running(i) else put_pending(i - RUNNING) end
  end)
  out:add "}\n"
  return out:done()
end

local CROWD, WIDEST = 10000, 7 -- jobs that run, and that wait; of 1, 2, 4, ... 128 slots

--- A queue in which all slots but ten are in use, and jobs that wait for them.
local function crowd()
  local random, out, slots = draw.linear(2001), text.new(), 10
  out:add('{"now": %d, "jobs": ', NOW)
  out:list(2 * CROWD, function (i)
    local width = 1 << random(WIDEST + 1)
    if i < CROWD then
      slots = slots + width
      out:add('{"id": "r%d", "queue": "q", "state": "running", "slots": %d, "started": %d, '
        .. '"run_limit": %d}', i, width, random(NOW), NOW + 60 * random(1440))
    else
      out:add('{"id": "p%d", "queue": "q", "slots": %d, "run_limit": %d}', i, width,
        60 * (1 + random(1440)))
    end
  end)
  out:add "}\n"
  return ('{"version": 1, "policy": "site.lua", "slots": %d, "queues": [{"name": "q"}]}\n')
    :format(slots), out:done()
end

local function open(it, site, plan, state)
  it:call("policy", POLICY:format(site.victims or VICTIMS, site.fewest or "no",
    site.backfill or "first_fit"))
  it:call("plan", plan)
  local planned = it:numbers("bytes")[1]
  it:call("state", state)
  return it:numbers("bytes")[1] - planned
end

--- Orders of a kind in a decision.
local function count(decision, kind)
  local list = decision:match('"' .. kind .. '": (%b[])')
  return select(2, list:gsub('{"job": ', ""))
end

local function measure_site(it, site, plan, state)
  local jobs = site.backfill and 2 * CROWD or RUNNING + PENDING
  local bytes = open(it, site, plan, state)
  local before = it:numbers("bytes")[1]
  local row = { name = site.name, jobs = jobs, cycle_s = it:cycles "orders" }
  row.cycle_bytes_per_job = (it:numbers("bytes")[2] - before) / jobs
  local decision = it:call "decision"
  row.starts = count(decision, "starts")
  row.victims = count(decision, "suspends") + count(decision, "kills")
  row.cycle_cold_s = measure.time(it:numbers("cycle", "orders %d cold", it:few()))
  row.stream_cold_s = measure.time(it:numbers("stream", "%d %d cold", bytes, it:few()))
  row.ns_per_job = row.cycle_s.best * 1e9 / jobs
  row.state_bytes_per_job = bytes / jobs
  table.insert(queues.list.rows, row)
end

local function measure_documents(it, site, plan, state)
  local samples = { state = {}, seal = {}, write = {} }
  local written
  for i = 1, it:few() do
    open(it, site, plan, state)
    samples.state[i] = it:numbers("took")[1]
    it:call("cycle", "orders 1")
    written = #it:call "decision"
    samples.write[i] = it:numbers("took")[1]
    samples.seal[i] = it:numbers("seal")[1]
  end
  local row = { jobs = RUNNING + PENDING, state_bytes = #state, decision_bytes = written }
  for name, list in pairs(samples) do row[name .. "_s"] = measure.time(list) end
  queues.documents.rows[1] = row
end

--- Sorted seconds to seal, to decide, and of both.
local function change(it, times, full, carried)
  local list = it:numbers("jobs", "%d %d %d", times, full, carried)
  local seal, cycle, both = {}, {}, {}
  for i = 1, times do
    seal[i], cycle[i] = list[2 * i - 1], list[2 * i]
    both[i] = seal[i] + cycle[i]
  end
  table.sort(seal)
  table.sort(cycle)
  table.sort(both)
  return seal, cycle, both
end

--- Changes one job after another, with the decisions carried out or not.
local function measure_again(it, site, plan, state)
  local jobs, half = RUNNING + PENDING, AGAIN // 2 + 1
  open(it, site, plan, state)
  for carried, name in ipairs { "again", "carried" } do
    local _, _, full = change(it, CALM, 1, carried - 1)
    change(it, CALM, 0, carried - 1)
    local seal, cycle, both = change(it, AGAIN, 0, carried - 1)
    local decision = it:call "decision"
    table.insert(queues.again.rows, {
      name = name, jobs = jobs, victims = count(decision, "suspends"),
      seal_p50_s = seal[half], cycle_p50_s = cycle[half], both_p50_s = both[half],
      both_p99_s = both[AGAIN * 99 // 100], full_p50_s = full[CALM // 2 + 1],
    })
  end
end

function queues.run(it, wanted)
  for i, site in ipairs(queues.SITES) do
    if wanted("queues/" .. site.name) then
      local plan, state = crowd()
      if not site.backfill then plan, state = plan_of(site), state_of(site) end
      measure_site(it, site, plan, state)
      if i == 1 then
        measure_documents(it, site, plan, state)
        measure_again(it, site, plan, state)
      end
    end
  end
  it:call("policy", "")
end

return queues
