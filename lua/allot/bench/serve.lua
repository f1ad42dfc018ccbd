-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The load that a service carries on this machine: 100,000 consumers, ten clients that send
--- events at a fixed rate, and one subscriber; every event is on disk before it is acknowledged.
--- Also measures disk and loop alone.
---
--- A leaf's loop: it demands what it owns, gets it, then demands nothing and releases the slots.
--- An event is due at its time whether the service keeps up or not, and its latency is counted from
--- that time: a slow service does not get fewer events.

local core = require "allot.core"
local service = require "allot.bench.service"

local serve = {}

local CLIENTS = 10
local OWN = service.CONSUMERS // CLIENTS -- leaves of a client
local AHEAD = 1 << 16 -- events of a client that may wait for their answers
local BESIDE = 10 -- s with readers, at most
local READING = 16 -- requests of a reader that wait for their answers
local CLOSED = "the service closed a connection under load"

-- ---- Sending ------------------------------------------------------------------------------------

--- The next event of a client: a demand of nothing is followed by a release.
local function make_event(load, client, due)
  client.due[client.sent] = due
  local id = client.sent
  client.sent = id + 1
  if client.releasing then
    local leaf = client.releasing
    client.releasing = nil
    return service.event(id, "release", leaf, service.OWNED)
  end
  if client.first < client.last then
    client.releasing = client.granted[client.first]
    client.granted[client.first] = nil
    client.first = client.first + 1
    return service.event(id, "demand", client.releasing, 0)
  end
  local leaf = client.base + client.next
  client.next = (client.next + 1) % OWN
  load.waits[leaf] = load.waits[leaf] or due
  return service.event(id, "demand", leaf, service.OWNED)
end

--- Sends events that are due by now, clients in turn, until one client is far behind.
local function make_due(load, now)
  local until_now = math.min((now - load.began) * load.rate // 1000000, load.all)
  while load.made < until_now do
    local client = load.clients[load.made % CLIENTS]
    if client.sent - client.answered >= AHEAD then return end
    local due = load.began + load.made * 1000000 / load.rate
    client.out[#client.out + 1] = make_event(load, client, due)
    load.made = load.made + 1
  end
end

local function send_due(load, now)
  make_due(load, now)
  for i = 0, CLIENTS - 1 do
    local client = load.clients[i]
    if client.out[1] then
      client.out[#client.out + 1] = ""
      load.service:send(client.peer, table.concat(client.out, "\n"))
      client.out = {}
    end
  end
end

-- ---- Receiving ----------------------------------------------------------------------------------

local function take_answer(load, client, line, now)
  if line:find('"error"', 1, true) then
    load.refused = load.refused + 1
  else
    load.acknowledge[#load.acknowledge + 1] = now - client.due[client.answered]
  end
  client.due[client.answered] = nil
  client.answered = client.answered + 1
end

local function take_grant(load, leaf, now)
  local due, client = load.waits[leaf], load.clients[leaf // OWN]
  if not due then return end
  load.decide[#load.decide + 1] = now - due
  load.waits[leaf] = nil
  client.granted[client.last] = leaf
  client.last = client.last + 1
end

--- Paths in `grants`, up to the list after it.
local function take_decision(load, line, now)
  local from = line:find('"grants"', 1, true)
  if not from then return end
  local grants = line:sub(from, line:find("]", from, true))
  load.decisions = load.decisions + 1
  for branch, leaf in grants:gmatch '"/b(%d+)/l(%d+)"' do
    take_grant(load, branch * service.LEAVES + leaf, now)
    load.grants = load.grants + 1
  end
end

local function turn(load)
  local lines = load.service:turn(1, CLOSED)
  local now = load.it.clock()
  for peer, line in lines do
    local client = load.by_peer[peer]
    if client then take_answer(load, client, line, now) else take_decision(load, line, now) end
  end
end

-- ---- The loop -----------------------------------------------------------------------------------

local function new_load(it, at, seconds, rate)
  local load = {
    it = it, service = at, rate = rate, all = rate * seconds, seconds = seconds, made = 0,
    clients = {}, by_peer = {}, waits = {}, acknowledge = {}, decide = {}, decisions = 0,
    grants = 0, refused = 0, undecided = 0, memory = {},
  }
  for i = 0, CLIENTS - 1 do
    local client = { peer = at:connect(), base = i * OWN, next = 0, sent = 0, answered = 0,
                     first = 0, last = 0, due = {}, granted = {}, out = {} }
    load.clients[i] = client
    load.by_peer[tostring(client.peer)] = client
  end
  at:send(at:connect(), '{"jsonrpc":"2.0","id":0,"method":"subscribe"}\n')
  return load
end

local function is_answered(load)
  for i = 0, CLIENTS - 1 do
    if load.clients[i].answered < load.clients[i].sent then return false end
  end
  return true
end

--- The median, the 99th percentile and the longest, in ms.
local function times(samples)
  table.sort(samples)
  local count = #samples
  if count == 0 then return { half = 0, most = 0, worst = 0, count = 0 } end
  return { half = samples[count // 2 + 1] / 1e3, most = samples[count - count // 100] / 1e3,
           worst = samples[count] / 1e3, count = count }
end

local function run(it, at, seconds, rate)
  local load = new_load(it, at, seconds, rate)
  local clock = it.clock
  collectgarbage "generational" -- a full collection over all samples would delay answers
  load.began = clock()
  local now, computed = load.began, at:computed()
  local half, limit = load.began + seconds * 500000, load.began + (2 * seconds + 30) * 1000000
  load.memory[1] = at:memory()
  while (load.made < load.all or not is_answered(load)) and now < limit do
    now = clock()
    send_due(load, now)
    turn(load)
    if now > half and not load.memory[2] then load.memory[2] = at:memory() end
  end
  load.took = (clock() - load.began) / 1e6
  load.processors = (at:computed() - computed) / load.took
  load.memory[3] = at:memory()
  load.memory[2] = load.memory[2] or load.memory[3]
  local last = clock() + 1000000
  while clock() < last do turn(load) end -- the last demands are decided soon
  at:disconnect()
  for _ in pairs(load.waits) do load.undecided = load.undecided + 1 end
  load.acknowledged = #load.acknowledge
  load.acknowledge, load.decide = times(load.acknowledge), times(load.decide)
  return load
end

-- ---- The result ---------------------------------------------------------------------------------

local function put_text(out, from)
  local function put(format, ...) out(format:format(...)) end
  local function put_times(what, of)
    put("%-24s half within %8.2f ms, 99 %% within %8.2f ms, all within %8.2f ms\n", what, of.half,
        of.most, of.worst)
  end
  put("%d consumers, %d clients, %d events a second for %d s, each on disk (WAL, synchronous FULL) "
    .. "before it is acknowledged\n\n", service.CONSUMERS, CLIENTS, from.rate, from.seconds)
  put("events                   %d sent, %d acknowledged, %d refused, in %.1f s: %.0f a second\n",
      from.made, from.acknowledged, from.refused, from.took, from.acknowledged / from.took)
  put("decisions                %d with %d grants; %d demands without one\n", from.decisions,
      from.grants, from.undecided)
  put_times("event to acknowledgement", from.acknowledge)
  put_times("... with 100 readers", from.beside)
  put_times("event to decision", from.decide)
  put("the service              %.2f processors; %.1f MB at first, %.1f half way, %.1f at the end"
    .. "\n", from.processors, from.memory[1] / 1e6, from.memory[2] / 1e6, from.memory[3] / 1e6)
  put("bare limits              a commit of 100 rows %.3f ms; an echo %.2f us a message, 64 in "
    .. "flight\n", from.limits[1] * 1e3, from.limits[2] * 1e6)
end

local function put_json(out, from)
  local function put(format, ...) out(format:format(...)) end
  local function put_times(name, of)
    put(',\n"%s": {"p50": %.3f, "p99": %.3f, "max": %.3f, "count": %d}', name, of.half, of.most,
        of.worst, of.count)
  end
  put('{"schema": "allot/bench-serve/v1", "version": "%s", "consumers": %d, "clients": %d, '
    .. '"rate": %d, "seconds": %d,\n"sent": %d, "acknowledged": %d, "refused": %d, '
    .. '"took_s": %.3f,\n"decisions": %d, "grants": %d, "undecided": %d', core.version,
    service.CONSUMERS, CLIENTS, from.rate, from.seconds, from.made, from.acknowledged, from.refused,
    from.took, from.decisions, from.grants, from.undecided)
  put_times("acknowledge_ms", from.acknowledge)
  put_times("acknowledge_beside_readers_ms", from.beside)
  put_times("decide_ms", from.decide)
  put(',\n"memory_bytes": [%d, %d, %d], "processors": %.3f,\n"limits": {"commit_ms": %.4f, '
    .. '"echo_us": %.4f}}\n', from.memory[1], from.memory[2], from.memory[3], from.processors,
    from.limits[1] * 1e3, from.limits[2] * 1e6)
end

--- Runs for a number of seconds with a number of events a second; then for some seconds more, while
--- others read.
function serve.run(it, seconds, rate)
  local at = service.new(it, service.plan("hybrid", 0))
  local limits = it:numbers "limits"
  at:start()
  local result = run(it, at, seconds, rate)
  it:call("readers", READING)
  result.beside = run(it, at, math.min(seconds, BESIDE), rate).acknowledge
  it:call("readers", 0)
  result.limits = limits
  local put = it.host.option "format" == "json" and put_json or put_text
  put(it.host.out, result)
end

return serve
