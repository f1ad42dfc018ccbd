-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Choosing victims, beside reading once the columns that decide. One leaf holds all slots; the
--- other owns and wants those that are reclaimed.

local draw = require "allot.bench.draw"
local measure = require "allot.bench.measure"
local text = require "allot.bench.text"

local victims = {}

local SESSIONS = 100
local TASK_BYTES = 8 + 4 -- when it started, and its session
local SIZES = { { 100000, 1000 }, { 1000000, 10000 } }

--- Three built-in keys, and one computed by Lua.
local KEYS = '"importance", desc "joined", desc "started"'
local LUA = "function (ran, slots) return ran * slots end"

local POLICY = [[
return policy { name = "victims", quota = { fill "owned" { by = "owned", up_to = "owned" } },
  victims = order { %s } }
]]
local PLAN = [[
{"version": 1, "policy": "victims.lua",
 "consumers": [{"name": "a", "owned": %d}, {"name": "b", "owned": %d}]}
]]

victims.list = {
  key = "victims",
  title = "victims: ms to choose by three keys those that go; from memory that no cache has, and\n"
    .. "reading what decides from there",
  columns = {
    { "tasks", "tasks", 1, 0 },
    { "going", "going", 1, 0 },
    { "three_keys_s", "three keys", 1e3, 3 },
    { "lua_key_s" },
    { "three_keys_cold_s", "cold", 1e3, 3 },
    { "stream_cold_s", "read", 1e3, 3 },
    { "lua_key_ns_per_task", "Lua, ns a task", 1, 1 },
  },
  rows = {},
}

local function state_of(tasks, going)
  local random, out = draw.linear(1888), text.new()
  out:add('{"now": 1000000, "consumers": {"/a": {"demand": %d}, "/b": {"demand": %d}},\n', tasks,
          going)
  out:add '"sessions": '
  out:list(SESSIONS, function (i)
    out:add('{"id": "s%d", "consumer": "/a", "scheduling": "priority", "priority": %d, '
      .. '"created": %d}', i, 1 + random(3), random(10))
  end)
  out:add ',\n"tasks": '
  out:list(tasks, function (i)
    out:add('{"id": "t%d", "consumer": "/a", "session": "s%d", "slots": 1, "started": %d}', i,
            random(SESSIONS), random(1000000))
  end)
  out:add "}\n"
  return out:done()
end

function victims.run(it)
  for _, size in ipairs(SIZES) do
    local tasks, going = table.unpack(size)
    local state = state_of(tasks, going)
    local row = { tasks = tasks, going = going }
    for name, keys in pairs { three_keys_s = KEYS, lua_key_s = LUA } do
      it:call("policy", POLICY:format(keys))
      it:call("plan", PLAN:format(tasks - going, going))
      it:call("state", state)
      row[name] = it:cycles "orders"
      if keys == KEYS then
        row.three_keys_cold_s = measure.time(it:numbers("cycle", "orders %d cold", it.count))
      end
      local _, chosen = it:call("decision"):gsub('"t%d+"', "")
      assert(chosen == going, chosen)
    end
    local bytes = tasks * TASK_BYTES
    row.stream_cold_s = measure.time(it:numbers("stream", "%d %d cold", bytes, it.count))
    row.lua_key_ns_per_task = { best = row.lua_key_s.best * 1e9 / tasks,
                                median = row.lua_key_s.median * 1e9 / tasks }
    table.insert(victims.list.rows, row)
  end
  it:call("policy", "")
end

return victims
