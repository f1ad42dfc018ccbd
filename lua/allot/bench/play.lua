-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Playing a log: events a second and bytes a job, beside the cost of reading its jobs from memory
--- once.

local draw = require "allot.bench.draw"
local measure = require "allot.bench.measure"
local text = require "allot.bench.text"

local play = {}

local JOB_BYTES = 64 -- read of a job by the yardstick
local SWF = "%d %d -1 %d %d -1 -1 -1 -1 -1 1 %d %d -1 %d -1 -1 -1\n"

local COLUMNS = {
  { "jobs", "jobs", 1, 0 },
  { "events", "events", 1, 0 },
  { "cycles", "cycles", 1, 0 },
  { "kills", "kills", 1, 0 },
  { "run_s", "ms", 1e3, 1 },
  { "stream_s", "read", 1e3, 2 },
  { "events_per_s", "events a second", 1, 0 },
  { "us_per_cycle", "us a cycle", 1, 2 },
  { "bytes_per_job", "bytes a job", 1, 0 },
}

play.simulated = {
  key = "simulate", named = "plan",
  title = "a log played through a plan: ms of it all, and of reading its jobs once",
  columns = COLUMNS, rows = {},
}
play.rigid = {
  key = "rigid", title = "rigid jobs of a grid that is overloaded", named = "plan",
  columns = COLUMNS, rows = {},
}

local function measure_play(it, list, name, plan, log, rigid)
  it:call("plan", plan)
  local before = it:numbers("bytes")[1]
  it:call("log", log)
  local samples = it:numbers("play", "%d %d", rigid, it.count)
  local jobs, events, cycles, kills = table.unpack(table.move(samples, 1, 4, 1, {}))
  local run = measure.time(table.move(samples, 5, #samples, 1, {}))
  local bytes = it:numbers("bytes")[2] - before
  local reading = it:numbers("stream", "%d %d", jobs * JOB_BYTES, it.count)
  table.insert(list.rows, {
    name = name, jobs = jobs, events = events, cycles = cycles, kills = kills, run_s = run,
    stream_s = measure.time(reading), events_per_s = events / run.best,
    us_per_cycle = run.best * 1e6 / cycles, bytes_per_job = bytes / jobs,
  })
end

-- ---- A machine of 128 processors ----------------------------------------------------------------
-- The log imitates that of the iPSC/860 at NASA Ames: 69 users in two groups, jobs whose sizes are
-- powers of two, most of them short, more by day than by night.

local USERS, SLOTS, DAY = 69, 128, 86400

local SCRIPTED = [[
return policy { name = "scripted", quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  },
  victims = order { function (ran, slots) return ran * slots end } }
]]

--- Most jobs run for seconds, some for hours: the slots in use are as on the real machine.
local function draw_run(random)
  local kind = random(100)
  if kind < 60 then return 1 + random(60) end
  return kind < 90 and 60 + random(1200) or 1200 + random(9000)
end

local function nasa_log()
  local random, at, out = draw.linear(1993), 0, text.new()
  for job = 1, 18239 do
    at = at + random(at % DAY < DAY // 3 and 1300 or 650)
    local user = random(4) == 0 and random(USERS) or random(9)
    local width = 1 << random(random(3) == 0 and 8 or 6)
    out:add(SWF, job, at, draw_run(random), math.min(width, SLOTS), user, 1, 1)
  end
  return out:done()
end

local function user(i)
  return i < 40 and ('{"name": "u%d", "owned": 3}'):format(i)
    or ('{"name": "u%d", "rank": 10}'):format(i)
end

local function users_plan()
  local normal, system = {}, {}
  for i = 0, USERS - 1 do table.insert(i % 4 == 3 and system or normal, user(i)) end
  return ('{"version": 1, "slots": %d, "policy": "hybrid", "consumers": ['
    .. '{"name": "normal", "children": [%s]}, {"name": "system", "children": [%s]}]}')
    :format(SLOTS, table.concat(normal, ", "), table.concat(system, ", "))
end

local QUEUES = [[
{"version": 1, "slots": 128, "policy": "queue_pool", "queues": [
 {"name": "q1", "slot_pool": "all", "slot_share": 50},
 {"name": "q2", "slot_pool": "all", "slot_share": 50}]}
]]

function play.run(it)
  local log, plan = nasa_log(), users_plan()
  measure_play(it, play.simulated, "built-in", plan, log, 0)
  it:call("policy", SCRIPTED)
  measure_play(it, play.simulated, "Lua victim key", plan, log, 0)
  it:call("policy", "")
  measure_play(it, play.simulated, "queue pool", QUEUES, log, 0)
end

-- ---- Rigid jobs ---------------------------------------------------------------------------------
-- Jobs that start whole or not at all, on an overloaded grid: 300 users, whose jobs of up to 64
-- slots want 1.5 times the grid's 1,600.

local RIGID_USERS, RIGID_SLOTS, JOBS, HOSTS = 300, 1600, 12000, 100
local WIDTHS = { 1, 2, 4, 8, 16, 64 }

local function hosts()
  local list = {}
  for i = 0, HOSTS - 1 do
    list[i + 1] = ('"h%d": {"slots": %d}'):format(i, RIGID_SLOTS // HOSTS)
  end
  return ('"hosts": {%s}, '):format(table.concat(list, ", "))
end

--- `more`: members of the plan; `columns`: of every user, the last of them 3 ... 6.
play.SITES = {
  { name = "hybrid", policy = "hybrid", columns = '"owned"' },
  { name = "share_ratio", policy = "share_ratio", columns = '"share"' },
  { name = "ownership", policy = "ownership", columns = '"lend": "all", "borrow": "all", "owned"' },
  { name = "windows", policy = "hybrid", columns = '"owned"',
    more = '"windows": [{"from": "00:00", "to": "06:00", "slots": 1500,'
      .. ' "consumers": {"/u1": {"owned": 1}}}], ' },
  { name = "hosts", policy = "hybrid", columns = '"owned"', more = hosts() },
}

local function rigid_log()
  local random, out = draw.linear(7), text.new()
  for job = 1, JOBS do
    local run, width = 200 + random(801), WIDTHS[1 + random(6)]
    out:add(SWF, job, job * 4, run, width, 1 + random(RIGID_USERS), -1, -1)
  end
  return out:done()
end

local function rigid_plan(site)
  local out = text.new()
  out:add('{"version": 1, "slots": %d, "policy": "%s", %s"consumers": ', RIGID_SLOTS, site.policy,
          site.more or "")
  out:list(RIGID_USERS, function (i)
    out:add('{"name": "u%d", %s: %d}', i + 1, site.columns, 3 + (i + 1) % 4)
  end)
  out:add "}\n"
  return out:done()
end

function play.run_rigid(it, wanted)
  for _, site in ipairs(play.SITES) do
    if wanted("rigid/" .. site.name) then
      measure_play(it, play.rigid, site.name, rigid_plan(site), rigid_log(), 1)
    end
  end
end

return play
