-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service in a process of its own, and peers that talk to it.

local text = require "allot.bench.text"

local service = {}
service.__index = service

service.BRANCHES, service.LEAVES, service.OWNED = 100, 1000, 2 -- leaves of a branch
service.CONSUMERS = service.BRANCHES * service.LEAVES

--- The plan's document, with `more` consumers that own nothing before the others, and as many
--- branches, or BRANCHES.
function service.plan(policy, more, branches)
  local out = text.new()
  branches = branches or service.BRANCHES
  out:add('{"version": 1, "slots": %d, "policy": "%s", "consumers": [',
          branches * service.LEAVES * service.OWNED, policy)
  for i = 0, more - 1 do out:add('{"name": "more%d"}, ', i) end
  for i = 0, branches - 1 do
    out:add('%s\n{"name": "b%d", "children": [', i > 0 and "," or "", i)
    for k = 0, service.LEAVES - 1 do
      out:add('%s{"name":"l%d","owned":%d}', k > 0 and "," or "", k, service.OWNED)
    end
    out:add "]}"
  end
  out:add "]}\n"
  return out:done()
end

--- An event of the i-th leaf; `more`: further members.
function service.event(id, method, leaf, slots, more)
  return ('{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"consumer":"/b%d/l%d","slots":%d%s}}')
    :format(id, method, leaf // service.LEAVES, leaf % service.LEAVES, slots, more or "")
end

--- A folder for a service, with a plan in it.
function service.new(it, plan)
  local self = setmetatable({ it = it, folder = it:call "folder", peers = 0 }, service)
  self:put("plan.json", plan)
  return self
end

--- Replaces a file in the folder as a whole.
function service:put(name, content)
  local path = self.folder .. "/" .. name
  local good, why = self.it.host.write(path, content)
  if not good then self.it:fail(5, "E-io", path .. " cannot be written: " .. why) end
end

--- Starts it: "watching" its files, or deciding "now" without debounce.
function service:start(how)
  collectgarbage() -- the forked service would have this garbage, too
  self.pid, self.ticks = table.unpack(self.it:numbers("serve", how or "plainly"))
end

--- Connects one more peer; returns its number.
function service:connect()
  self.it:call "connect"
  self.peers = self.peers + 1
  return self.peers - 1
end

function service:disconnect()
  self.it:call "disconnect"
  self.peers = 0
end

function service:send(peer, line)
  self.it:call("send", peer .. " " .. line)
end

--- Sends and receives what is ready: iterates over peers and their lines.
function service:turn(milliseconds, failure)
  local lines = self.it:call("turn", milliseconds)
  if lines == "closed" then self.it:fail(5, "E-connection", failure) end
  return lines:gmatch "(%d+) ([^\n]*)\n"
end

--- Sends a line and waits; returns the answer and the microseconds that it took. Drops lines of
--- other peers.
function service:ask(peer, line)
  local began, wanted = self.it.clock(), tostring(peer)
  self:send(peer, line)
  while true do
    local answer
    for from, got in self:turn(100, "the service does not answer") do
      if from == wanted then answer = got end
    end
    if answer then return answer, self.it.clock() - began end
  end
end

function service:call(peer, method)
  return self:ask(peer, ('{"jsonrpc":"2.0","id":1,"method":"%s"}\n'):format(method))
end

--- The first number of that name in an answer.
function service.number(answer, name)
  return tonumber(answer:match('"' .. name .. '": (%-?%d+)') or -1)
end

-- ---- What the system reports --------------------------------------------------------------------

local function proc(self, name)
  return self.it.host.read(("/proc/%d/%s"):format(self.pid, name)) or ""
end

--- Bytes of its memory that are in use; 0: unknown.
function service:memory()
  return tonumber(proc(self, "status"):match "VmRSS:%s*(%d+)" or 0) * 1024
end

--- Seconds of processor time of the service.
function service:computed()
  local fields = proc(self, "stat"):match "%) (.*)" or ""
  local user, system = fields:match(("%S+ "):rep(11) .. "(%d+) (%d+)")
  return ((user or 0) + (system or 0)) / self.ticks
end

--- Milliseconds of processor time of the loop's thread.
function service:looped()
  return tonumber(proc(self, "schedstat"):match "^%d+" or 0) * 1e-6
end

return service
