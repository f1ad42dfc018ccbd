-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service that runs, with its live view, for specs: started, asked, and stopped again.

local json = require "dkjson"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

local live = {}
live.__index = live

live.PLAN = [[{"version": 1, "slots": 60, "policy": "hybrid", "consumers": [
  {"name": "physics", "children": [{"name": "lattice", "owned": 20, "reserve": 5},
                                   {"name": "theory", "owned": 10}]},
  {"name": "biology", "owned": 20},
  {"name": "students", "owned": 10}]}]]

--- Is there LuaSocket, with which the view is asked?
function live.there()
  return (pcall(require, "socket"))
end

--- Starts a service of a plan's text, its view on a port of its own.
function live.start(plan, words)
  local self = setmetatable({ folder = shell.directory() }, live)
  self.socket = self.folder .. "/sock"
  shell.write(self.folder .. "/plan.json", plan or live.PLAN)
  self.pid = shell.lines(([[
    %s serve %s/plan.json --socket %s --store :memory: --http %s %s > %s/log 2>&1 &
    echo $!]]):format(shell.allot, self.folder, self.socket, "127.0.0.1:0", words or "",
    self.folder))[1]
  for _ = 1, 1200 do
    if shell.run(("%s call --socket %s ping"):format(shell.allot, self.socket)) == 0 then
      self.port = self:call("status").http.port
      return self
    end
    os.execute "sleep 0.05"
  end
  error("the service does not start: " .. shell.read(self.folder .. "/log"))
end

--- Ends it, and tells how it ended: its log.
function live:stop()
  shell.run(("kill %s; for i in $(seq 1200); do kill -0 %s 2>/dev/null || break; sleep 0.05; done")
    :format(self.pid, self.pid))
  local log = shell.read(self.folder .. "/log")
  heard(log)
  shell.remove(self.folder)
  return log
end

function live:call(method, params)
  local status, out, err = shell.command("call", "--socket", self.socket, method,
    params and json.encode(params) or "{}")
  assert(status == 0, err)
  return json.decode(out)
end

--- Many calls at once: {{method, params} ...}.
function live:batch(calls)
  local lines = {}
  for i, call in ipairs(calls) do
    lines[i] = json.encode { jsonrpc = "2.0", id = i, method = call[1], params = call[2] }
  end
  shell.write(self.folder .. "/batch", "[" .. table.concat(lines, ",") .. "]\n")
  return shell.run(([[python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(open(sys.argv[2], "rb").read())
s.makefile("rb").readline()' %s %s/batch]]):format(self.socket, self.folder))
end

--- A connection to the view.
function live:connect()
  local tcp = assert(require "socket".tcp())
  tcp:settimeout(60)
  assert(tcp:connect("127.0.0.1", self.port))
  return tcp
end

--- All that comes on a connection until it ends.
function live.rest(tcp)
  local text, _, part = tcp:receive("*a")
  return text or part
end

--- What a viewer who says `text` over a WebSocket is told first with one of its `words` in it.
function live:say(text, words)
  local tcp = self:connect()
  tcp:send(("GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
    .. "Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
    .. "Sec-WebSocket-Version: 13\r\n\r\n"):format(self.port))
  repeat
    local line = assert(tcp:receive "*l")
  until line == ""
  -- A frame of text, masked by zeros.
  tcp:send("\x81\xfe" .. (">I2"):pack(#text) .. "\0\0\0\0" .. text)
  tcp:settimeout(0.05)
  local all = ""
  for _ = 1, 1200 do
    local part, _, rest = tcp:receive(4096)
    all = all .. (part or rest)
    if all:find(words, 1, true) then break end
  end
  tcp:close()
  heard(all)
  return all
end

--- Sends a text and reads what comes: status, body, headers, all of it.
function live:raw(text)
  local tcp = self:connect()
  tcp:send(text)
  local all = live.rest(tcp)
  tcp:close()
  heard(all)
  local head, body = all:match("^(.-)\r\n\r\n(.*)$")
  return tonumber((head or ""):match("^HTTP/1.1 (%d+)")), body, head, all
end

--- GET, with more header lines if they are wanted.
function live:get(path, more)
  return self:raw(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n")
    :format(path, self.port, more or ""))
end

return live
