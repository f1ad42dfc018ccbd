-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service that runs in a folder of its own, spoken to over its socket.

local busted = require "busted"
local json = require "dkjson"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"
local socket = require "socket"
local unix = require "socket.unix"

local live = {}
live.__index = live

--- Starts `allot serve plan.json` in the folder; it ends after ten minutes at the latest. Its store
-- is in memory, unless the words say where.
function live.start(folder, words)
  words = words or ""
  local here = shell.lines("pwd")[1]
  local command = shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot
  local pid = shell.lines(("cd %s && { timeout 600 %s serve plan.json --socket sock "
    .. "%s %s >out 2>>log & echo $!; }"):format(folder, command,
      words:find("--store", 1, true) and "" or "--store :memory:", words))[1]
  local self = setmetatable({ folder = folder, pid = pid }, live)
  for _ = 1, 3000 do
    local peer = (unix.stream or unix) ()
    if peer:connect(folder .. "/sock") then
      self.peer = peer
      peer:settimeout(60)
      return self
    end
    peer:close()
    socket.sleep(0.02)
  end
  error("the service does not listen: " .. shell.read(folder .. "/log"))
end

--- For a `describe`: each of its tests has a folder, `folder`; start(words) starts a service there,
-- which ends with the test, or with stop(), which says how (live.stop).
function live.world()
  local world = {}
  function world.start(words)
    world.service = live.start(world.folder, words)
    return world.service
  end
  function world.kill()
    world.service:kill()
    world.service = nil
  end
  function world.stop()
    local service = world.service
    world.service = nil
    return service and service:stop()
  end
  busted.before_each(function () world.folder = shell.directory() end)
  busted.after_each(function ()
    world.stop()
    shell.remove(world.folder)
  end)
  return world
end

function live:signal(name)
  shell.run(("kill -%s %s"):format(name, self.pid))
end

--- Whether a process is no more, or waits to be buried.
local function is_over(pid)
  local file = io.open("/proc/" .. pid .. "/stat")
  local text = file and file:read "a"
  if file then file:close() end
  return not text or text:match "%) (%a)" == "Z"
end

--- Waits for its end.
local function wait_end(self)
  self.peer:close()
  for _ = 1, 6000 do
    if is_over(self.pid) then break end
    socket.sleep(0.01)
  end
end

--- Kills it: `pid` is the process that limits its time.
function live:kill()
  shell.run("kill -KILL " .. shell.lines("pgrep -P " .. self.pid)[1])
  wait_end(self)
end

--- Ends it, and says how: its log, in which no sanitizer complains.
function live:stop()
  self:signal "TERM"
  wait_end(self)
  local log = shell.read(self.folder .. "/log")
  heard(log)
  assert(log:find("the service has stopped", 1, true), log)
  assert(not log:find "Sanitizer" and not log:find "runtime error", log)
  return log
end

--- A connection more, to the socket or to a port of this machine.
function live:connect(port)
  local peer = port and socket.tcp() or (unix.stream or unix) ()
  peer:settimeout(60)
  assert(peer:connect(port and "127.0.0.1" or self.folder .. "/sock", port))
  return peer
end

--- A port that nobody has, and that no connection is given.
function live.free_port()
  local server
  repeat server = socket.bind("127.0.0.1", math.random(10000, 32000)) until server
  local _, port = server:getsockname()
  server:close()
  return port
end

--- What a line is answered, on a connection (its own, if there is none).
function live:ask(text, peer)
  peer = peer or self.peer
  assert(peer:send(text .. "\n"))
  return self.read(peer)
end

--- The next line that comes on a connection.
function live.read(peer)
  local line = assert(peer:receive "*l")
  local answer = json.decode(line)
  if answer.error or answer[1] then heard(line) end
  return answer
end

--- The result, or nil and the error.
function live:call(method, params)
  local answer = self:ask(json.encode { jsonrpc = "2.0", id = 1, method = method, params = params })
  return answer.result, answer.error
end

function live:status()
  return assert(self:call "status")
end

function live:policy()
  return self:status().plan.policy
end

--- Waits until test(status) is true; a minute is taken for a hang.
function live:wait(test)
  local began, status = socket.gettime(), nil
  while socket.gettime() - began < 60 do
    status = self:status()
    if test(status) then return end
    socket.sleep(0.005)
  end
  error("it does not come to that: " .. json.encode(status.reload or status), 2)
end

function live:wait_policy(name)
  return self:wait(function (status) return status.plan.policy == name end)
end

--- Bytes of memory that it has.
function live:memory()
  local pid = shell.lines("pgrep -P " .. self.pid)[1]
  return 1024 * tonumber(shell.read("/proc/" .. pid .. "/status"):match "VmRSS:%s+(%d+)")
end

live.sleep, live.now = socket.sleep, socket.gettime

return live
