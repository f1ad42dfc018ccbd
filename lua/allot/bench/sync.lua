-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- One call of `sync` gives a service the whole truth: 100,000 tasks; the same again; one task in
--- ten changed; no task left. Measures how long the loop is busy, in all and at a time, beside
--- reading the line from memory, and a commit.

local core = require "allot.core"
local list = require "allot.bench.list"
local measure = require "allot.bench.measure"
local service = require "allot.bench.service"
local text = require "allot.bench.text"

local sync = {}

local BRANCHES, LEAVES, HOSTS = 10, 100, 1000 -- leaves of a branch
local LIMIT_ROUNDS, ROUNDS_MOST = 9, 1000

local function plan_of(tasks)
  local slots = 4 * tasks // HOSTS + 1 -- of a host
  local out = text.new '{"version": 1, "policy": "hybrid", "hosts": {'
  for i = 0, HOSTS - 1 do
    out:add('%s"h%d": {"slots": %d}', i > 0 and ", " or "", i, slots)
  end
  out:add '}, "consumers": '
  out:list(BRANCHES, function (i)
    out:add('{"name": "b%d", "children": ', i)
    out:list(LEAVES, function (k)
      out:add('{"name": "l%d", "owned": %d}', k, slots * HOSTS // BRANCHES // LEAVES)
    end)
    out:add "}"
  end)
  out:add "}\n"
  return out:done()
end

--- A request; one task in `other` has another size.
local function call_of(tasks, other)
  local out = text.new('{"jsonrpc":"2.0","id":1,"method":"sync","params":{"brief":true,'
    .. '"consumers":{},"tasks":[')
  for i = 0, tasks - 1 do
    out:add('%s{"id":"t%d","consumer":"/b%d/l%d","slots":%d,"host":"h%d","started":%d}',
            i > 0 and "," or "", i, i % BRANCHES, i // BRANCHES % LEAVES,
            other and i % other == 0 and 3 or 1 + i % 2, i % HOSTS, 1700000000 + i)
  end
  out:add "]}}\n"
  return out:done()
end

local COLUMNS = {
  { "answered_ms", "answered", 1, 1 },
  { "loop_ms", "on the loop", 1, 1 },
  { "longest_ms", "at a time", 1, 1 },
  { "thread_ms", "its thread", 1, 1 },
  { "events", "events", 1, 0 },
}

local function tell(it, at, call)
  local event = service.number(at:call(0, "status"), "event")
  local looped = at:looped()
  local answer, answered = at:ask(0, call.line)
  local thread = at:looped() - looped
  if service.number(answer, "dropped_count") ~= 0 then
    it:fail(5, "E-io", "the service refused: " .. answer:sub(1, 400))
  end
  local status = at:call(0, "status")
  local figures = {
    answered_ms = answered / 1e3, thread_ms = thread,
    events = service.number(answer, "event") - event,
    loop_ms = service.number(status, "last_loop_us") / 1e3,
    longest_ms = service.number(status, "last_longest_us") / 1e3,
  }
  for name, value in pairs(figures) do table.insert(call.samples[name], value) end
end

local function result(calls)
  local out = { key = "calls", title = "ms, the best and (the median)", named = "told",
                columns = COLUMNS, rows = {} }
  for i, call in ipairs(calls) do
    local row = { name = call.name }
    for name, samples in pairs(call.samples) do row[name] = measure.time(samples) end
    row.events = row.events.best
    out.rows[i] = row
  end
  return out
end

local function new_call(name, tasks, other)
  local samples = {}
  for _, column in ipairs(COLUMNS) do samples[column[1]] = {} end
  return { name = name, line = call_of(tasks, other), samples = samples }
end

function sync.run(it, tasks)
  local rounds = math.min(it.count or 5, ROUNDS_MOST)
  local calls = { new_call("all", tasks), new_call("again", tasks),
                  new_call("changed", tasks, 10), new_call("none", 0) }
  local at, bytes = service.new(it, plan_of(tasks)), #calls[1].line
  local read = measure.time(it:numbers("stream", "%d %d", bytes, LIMIT_ROUNDS)).best
  local commit = it:numbers("limits")[1]
  at:start()
  at:connect()
  at:call(0, "cycle") -- past the cycle that the service runs at its start
  for _ = 1, rounds do
    for _, call in ipairs(calls) do tell(it, at, call) end
  end
  local told = result(calls)
  if it.host.option "format" == "json" then
    it.host.out(('{"schema": "allot/bench-sync/v1", "version": "%s", "tasks": %d, "bytes": %d, '
      .. '"repeat": %d%s,\n"limits": {"read_ms": %.4f, "commit_ms": %.4f}}\n')
      :format(core.version, tasks, bytes, rounds, list.json(told), read * 1e3, commit * 1e3))
  else
    it.host.out(("%d tasks on %d leaves and %d hosts, told in a call of %.1f MB; then again, one "
      .. "in ten changed, and none\n%s\nbare limits: reading the call from memory %.2f ms; a "
      .. "commit of 100 rows %.3f ms\n"):format(tasks, BRANCHES * LEAVES, HOSTS, bytes / 1e6,
      list.text(told), read * 1e3, commit * 1e3))
  end
end

return sync
