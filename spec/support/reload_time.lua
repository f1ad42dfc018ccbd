-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- How soon a changed policy decides, and how long the loop is away meanwhile, at 100,000
-- consumers:
--
--     ALLOT_BUILD=build/release lua5.4 spec/support/reload_time.lua [edits]
--
-- It measures this machine; it is no test.

package.path = "./?.lua;" .. package.path

local live = require "spec.support.live"
local shell = require "spec.support.shell"
local socket = require "socket"

local GOOD = 'return policy { name = "g%d", quota = {\n'
  .. '  fill "own" { by = "owned", up_to = "owned" }, fill "rest" { by = "owned" } } }\n'

local function level(name, count, child)
  local list = {}
  for i = 1, count do list[i] = ('{"name": "%s%d", %s}'):format(name, i, child) end
  return "[" .. table.concat(list, ",") .. "]"
end

--- 10 x 100 x 100 leaves.
local function plan()
  local leaves = level("l", 100, '"owned": 10')
  local branches = level("b", 100, '"children": ' .. leaves)
  return '{"version": 1, "slots": 1000000, "policy": "fair.lua", "consumers": '
    .. level("a", 10, '"children": ' .. branches) .. "}"
end

local function fill(service)
  for i = 0, 999 do
    local lines = {}
    for leaf = 1, 100 do
      lines[leaf] = ('{"jsonrpc": "2.0", "method": "demand", "params": {"consumer": '
        .. '"/a%d/b%d/l%d", "slots": %d}}'):format(i // 100 + 1, i % 100 + 1, leaf, leaf * 7 % 19)
    end
    assert(service.peer:send("[" .. table.concat(lines, ",") .. "]\n"))
    if i % 50 == 49 then service:call "cycle" end
  end
end

--- Calls in a row for so long, or until test(status): seconds in all, and the longest call's.
local function watch(service, seconds, test)
  local began, longest = socket.gettime(), 0
  while socket.gettime() - began < seconds do
    local before = socket.gettime()
    service:call "ping"
    longest = math.max(longest, socket.gettime() - before)
    if test and test(service:status()) then break end
    socket.sleep(0.002)
  end
  return socket.gettime() - began, longest
end

local folder = shell.directory()
shell.write(folder .. "/plan.json", plan())
shell.write(folder .. "/fair.lua", GOOD:format(0))
local service = live.start(folder)
fill(service)
watch(service, 2)
local _, away = watch(service, 3)
print(("no edit: the loop was away for %.1f ms at most"):format(away * 1000))
for i = 1, tonumber(arg[1]) or 5 do
  shell.write(folder .. "/next.lua", GOOD:format(i))
  shell.run(("mv %s/next.lua %s/fair.lua"):format(folder, folder))
  local took, longest = watch(service, 10, function (status)
    return status.plan.policy == "g" .. i
  end)
  print(("edit %d: decides after %.0f ms; the loop was away for %.1f ms at most, %.1f of them to "
    .. "swap"):format(i, took * 1000, longest * 1000, service:status().reload.last_swap_us / 1000))
  watch(service, 2)
end
service:stop()
shell.remove(folder)
