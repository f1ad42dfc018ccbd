-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- How soon a service decides that has nothing else to do: leaves demand what they own, one after
--- another, and each waits for its grant, which is on disk before subscribers get it.

local core = require "allot.core"
local service = require "allot.bench.service"

local decide = {}

local CLOSED = "the service closed a connection"
local FIRST = 20 -- events that are not counted: the first cycles are full passes

--- Sends an event; the microseconds until its acknowledgement and until its decision.
local function time_event(it, at, client, i)
  local began, acknowledged, decided = it.clock(), nil, nil
  at:send(client, service.event(i, "demand", i, service.OWNED) .. "\n")
  while not (acknowledged and decided) do
    local lines = at:turn(100, CLOSED)
    local now = it.clock() - began
    for peer, line in lines do
      if peer == tostring(client) then
        if line:find('"error"', 1, true) then it:fail(5, "E-service", line:sub(1, 200)) end
        acknowledged = now
      elseif line:find('"grants": [{', 1, true) then
        decided = now
      end
    end
  end
  return acknowledged, decided
end

--- The median and the 99th percentile, in ms.
local function times(samples)
  table.sort(samples)
  local count = #samples
  return { half = samples[count // 2 + 1] / 1e3, most = samples[count - count // 100] / 1e3 }
end

local function run(it, at, events)
  local client, acknowledge, decided = at:connect(), {}, {}
  at:send(at:connect(), '{"jsonrpc":"2.0","id":0,"method":"subscribe"}\n')
  local computed
  for i = 0, FIRST + events - 1 do
    if i == FIRST then computed = at:computed() end
    local one, other = time_event(it, at, client, i)
    if i >= FIRST then
      acknowledge[#acknowledge + 1] = one
      decided[#decided + 1] = other
    end
  end
  local busy = (at:computed() - computed) / events
  return { acknowledge = times(acknowledge), decide = times(decided), busy = busy * 1e3 }
end

local TEXT = [[
%d consumers, %d events one at a time, decided at once, each on disk (WAL, synchronous FULL)

event to acknowledgement half within %.3f ms, 99 %% within %.3f ms
event to decision        half within %.3f ms, 99 %% within %.3f ms
the service              %.3f ms of processor time an event
bare limits              a commit of 100 rows %.3f ms
]]

local JSON = [[
{"schema": "allot/bench-decide/v1", "version": "%s", "consumers": %d, "events": %d,
"acknowledge_ms": {"p50": %.3f, "p99": %.3f}, "decide_ms": {"p50": %.3f, "p99": %.3f},
"processor_ms": %.3f, "limits": {"commit_ms": %.4f}}
]]

--- Runs for a number of events, and of consumers, rounded down to whole branches.
function decide.run(it, events, consumers)
  local branches = consumers // service.LEAVES
  local at = service.new(it, service.plan("hybrid", 0, branches))
  local limits = it:numbers "limits"
  at:start "now"
  local of = run(it, at, events)
  local values = {
    branches * service.LEAVES, events, of.acknowledge.half, of.acknowledge.most, of.decide.half,
    of.decide.most, of.busy, limits[1] * 1e3,
  }
  if it.host.option "format" == "json" then
    it.host.out(JSON:format(core.version, table.unpack(values)))
  else
    it.host.out(TEXT:format(table.unpack(values)))
  end
end

return decide
