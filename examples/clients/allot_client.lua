-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A client of `allot serve` in Lua 5.4. Lua has no sockets of its own: it needs luasocket
-- (Debian: lua-socket), and nothing else.
--
--     local service = require "allot_client".connect "/run/allot/allot.sock"
--     service:send ("demand", { consumer = "/physics", slots = 40 })
--     for decision in service:subscribe (1) do
--       print (decision.seq, #decision.grants, #decision.reclaims)
--     end
--
-- A message is a line of JSON-RPC 2.0. `call` asks once; `send` is for events: it gives each a key,
-- so an event repeated over a new connection is entered once. If the connection breaks, `subscribe`
-- continues where it was and fetches missed decisions; if the service's store no longer has
-- decisions that were received (it was restored from a copy, or is another), `poll` returns nil and
-- "restored" once. Of several services with one store one leads: "address,address" knows them all,
-- and the next one is asked when one is gone or stands by. Wrong use raises; failures return nil, a
-- message and JSON-RPC's code (nil: the connection broke).

local json = require "json"
local socket = require "socket"

local client = {}

local PATIENCE = 60 -- seconds that `send` and `subscribe` go on trying
local TIMEOUT = 30

-- ---- Connections ----------------------------------------------------------------------------

local Connection = {}
Connection.__index = Connection

local function open_socket(address)
  if address:find("/", 1, true) or not address:find(":", 1, true) then
    local unix = require "socket.unix"
    local it = assert(unix.stream and unix.stream() or unix())
    return it, it:connect(address)
  end
  local host, port = address:match("^%[?(.-)%]?:(%d+)$")
  local it = assert(socket.tcp())
  return it, it:connect(host == "" and "127.0.0.1" or host, tonumber(port))
end

local function open(address, token)
  local it, done, message = open_socket(address)
  if not done then
    it:close()
    return nil, message
  end
  local connection = setmetatable({ socket = it, number = 0, told = {}, part = "" }, Connection)
  if token then
    local result, why, code = connection:ask("auth", { token = token })
    if result == nil then
      connection:close()
      return nil, why, code
    end
  end
  local name = (arg and arg[0] or ""):match("[^/]*$"):sub(1, 64)
  if name:find("^[%g ]+$") then -- in the service's log; needs no answer
    connection:write { jsonrpc = "2.0", method = "hello", params = { name = name } }
  end
  return connection
end

function Connection:close()
  self.socket:close()
end

function Connection:write(message)
  self.socket:settimeout(TIMEOUT)
  return self.socket:send(json.encode(message) .. "\n")
end

--- The next message; nil, "timeout" after so many seconds without one; nil, "closed".
function Connection:read(timeout)
  self.socket:settimeout(timeout)
  local line, why, part = self.socket:receive("*l", self.part)
  if not line then
    self.part = part or ""
    return nil, why
  end
  self.part = ""
  return json.decode(line)
end

--- The next message that is not a notification.
function Connection:answer()
  while true do
    local message, why = self:read(TIMEOUT)
    if not message then
      return nil, why
    elseif not message.method then
      return message
    end
    self.told[#self.told + 1] = message
  end
end

function Connection:request(method, params)
  self.number = self.number + 1
  return { jsonrpc = "2.0", id = self.number, method = method, params = params or {} }
end

local ELSEWHERE = { ["E-standby"] = true, ["E-lost"] = true }

--- One that does not lead is as good as none: without a code another one is asked.
local function result_of(answer)
  if answer.error and ELSEWHERE[(answer.error.data or {}).code] then
    return nil, answer.error.message
  elseif answer.error then
    return nil, answer.error.message, answer.error.code, answer.error.data
  end
  return answer.result
end

function Connection:ask(method, params)
  local sent, why = self:write(self:request(method, params))
  local answer
  if sent then
    answer, why = self:answer()
  end
  if not answer then
    return nil, why
  end
  return result_of(answer)
end

-- ---- A service ------------------------------------------------------------------------------

local Service = {}
Service.__index = Service

--- A service at "/a/socket" or "host:port", or the leader of several, with commas between their
-- addresses; the first request connects to it.
function client.connect(address, token)
  local addresses = {}
  for one in address:gmatch "[^,]+" do
    addresses[#addresses + 1] = one
  end
  return setmetatable({ addresses = addresses, token = token, sent = 0 }, Service)
end

function Service:turn()
  table.insert(self.addresses, (table.remove(self.addresses, 1)))
end

function Service:close()
  if self.connection then
    self.connection:close()
    self.connection = nil
  end
end

function Service:open()
  if not self.connection then
    local connection, why, code = open(self.addresses[1], self.token)
    if not connection then
      self:turn()
      return nil, why, code
    end
    self.connection = connection
  end
  return self.connection
end

--- Asks once. If the connection breaks, the service may or may not have done what was asked.
function Service:call(method, params)
  local connection, why, code = self:open()
  if not connection then
    return nil, why, code
  end
  local result, message, number, data = connection:ask(method, params)
  if result == nil and not number then
    self:close()
    self:turn()
  end
  return result, message, number, data
end

--- Asks until there is an answer, which may be an error.
local function insist(service, ask)
  local most = #service.addresses > 1 and 0.2 or 2
  local stop, pause = socket.gettime() + PATIENCE, 0.05
  while true do
    local result, message, code, data = ask()
    if result ~= nil or code or socket.gettime() > stop then
      return result, message, code, data
    end
    socket.sleep(pause)
    pause = math.min(pause * 2, most)
  end
end

--- A unique key: this object's address and time, and a count.
local function new_key(service)
  service.sent = service.sent + 1
  service.name = service.name
    or ("%s-%.6f-%d"):format(tostring(service):match("0x(%x+)"), socket.gettime(),
                             math.random(0, math.maxinteger))
  return service.name .. "-" .. service.sent
end

--- Enters an event once, however often the connection breaks meanwhile.
function Service:send(method, params)
  local with_key = {}
  for key, value in pairs(params or {}) do
    with_key[key] = value
  end
  with_key.key = with_key.key or new_key(self)
  return insist(self, function ()
    return self:call(method, with_key)
  end)
end

--- Asks { { method, params }, ... } in one line: a list of { result = ... } or { error = ... }.
function Service:batch(calls)
  local connection, why, code = self:open()
  if not connection then
    return nil, why, code
  end
  local asked, by_id, results = {}, {}, {}
  for i, call in ipairs(calls) do
    asked[i] = connection:request(call[1], call[2])
  end
  local answers
  local sent, broken = connection:write(asked)
  if sent then
    answers, broken = connection:answer()
  end
  if not answers then
    self:close()
    return nil, broken
  elseif answers.error then
    return result_of(answers)
  end
  for _, answer in ipairs(answers) do
    by_id[answer.id] = answer
  end
  for i, one in ipairs(asked) do
    results[i] = { result = by_id[one.id].result, error = by_id[one.id].error }
  end
  return results
end

-- ---- Subscriptions --------------------------------------------------------------------------

local Subscription = {}
Subscription.__index = Subscription

function Subscription:open()
  self:close()
  local service = self.service
  local connection, why, code = open(service.addresses[1], service.token)
  if not connection then
    service:turn()
    return nil, why, code
  end
  local told
  told, why, code = connection:ask("subscribe", self.next and { from = self.next } or {})
  -- Decisions were received that the store does not have.
  local beyond = told == nil and code and self.store and why:find("^from: found ") ~= nil
  if beyond then
    told, why, code = connection:ask("subscribe", {})
  end
  if told == nil then
    connection:close()
    if not code then
      service:turn()
    end
    return nil, why, code
  end
  self.connection, self.next = connection, self.next or told.next
  -- A newer epoch begins where the last one ended, and never before.
  if self.store and (beyond or told.store ~= self.store
                     or told.epoch ~= self.epoch and told.began < self.next - 1) then
    self.next, self.waiting, self.restored = told.newest + 1, {}, true
    self:close()
  end
  self.store, self.epoch = told.store, told.epoch
  return true
end

function Subscription:close()
  if self.connection then
    self.connection:close()
    self.connection = nil
  end
end

--- Fetches from the store the decisions that a slow subscriber missed.
function Subscription:fetch(missed)
  local first = missed.from
  while first <= missed.to do
    local found = insist(self.service, function ()
      return self.service:call("decisions", { from = first, to = missed.to })
    end)
    local list = found or {}
    if #list == 0 then
      return
    end
    table.move(list, 1, #list, #self.waiting + 1, self.waiting)
    first = list[#list].seq + 1
  end
end

local function message_of(self, timeout)
  if #self.connection.told > 0 then
    return table.remove(self.connection.told, 1)
  end
  return self.connection:read(timeout)
end

--- Takes the service's notifications; true: one came, false: none in time.
function Subscription:take(timeout)
  local message, why = nil, "closed"
  if self.connection then
    message, why = message_of(self, timeout)
  end
  if message and message.method == "missed" then
    self:fetch(message.params)
  elseif message then
    self.waiting[#self.waiting + 1] = message.params
  elseif why == "timeout" then
    return false
  else
    self:close()
    assert(insist(self.service, function () return self:open() end))
  end
  return true
end

--- The next decision, each once and in order; nil: none came in that many seconds; nil, "restored":
-- the store no longer has decisions that were received.
function Subscription:poll(timeout)
  local stop = socket.gettime() + timeout
  while true do
    if self.restored then
      self.restored = nil
      return nil, "restored"
    end
    local decision = table.remove(self.waiting, 1)
    if decision and decision.seq >= self.next then
      self.next = decision.seq + 1
      return decision
    elseif not decision and not self:take(math.max(stop - socket.gettime(), 0)) then
      return nil
    end
  end
end

--- In a `for`: decisions without end, unless the store was restored.
function Subscription:__call()
  local decision, why
  repeat
    decision, why = self:poll(3600)
  until decision or why
  return decision
end

--- Decisions from that number on; nil: from now on.
function Service:subscribe(since)
  local it = setmetatable({ service = self, next = since, waiting = {} }, Subscription)
  local done, why, code = insist(self, function () return it:open() end)
  if not done then
    return nil, why, code
  end
  return it
end

return client
