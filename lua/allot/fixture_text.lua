-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Plans and states from one line.
--
--     prod{own=10} dev{own=5,limit=8}: prod wants 12 holds 3, dev wants 9 holds 8
--     [slots=20, evenly] lab/(anna{share=2} ben): lab/anna wants 4, ben runs t1 t2{slots=2}
--     host h{slots=4} queue night{priority=10}: night awaits 1{slots=2}, now=100, h is closed
--
--     line      = [ "[" settings "]" ] { thing } [ ":" fact { "," fact } ]
--     thing     = [ "queue" | "host" ] name [ "{" settings "}" ] [ "/(" { thing } ")" ]
--     settings  = name [ "=" value ] { "," name [ "=" value ] }          a name alone is true
--     value     = a whole number, a word, a path, "text"
--     fact      = name "=" value | path verb ... { verb ... }
--
-- Settings in brackets are the plan's keys and options. A path may be its last name alone, where
-- only one consumer has that name. Verbs:
--
--     wants N, holds N              demand, allocated
--     returns N [to PATH]           slots on their way back
--     lends N to PATH               a loan
--     has SESSION{...} ...          sessions
--     runs ID{...} ...              tasks; of a queue running jobs
--     awaits ID{...} ...            of a queue: pending jobs
--     suspended ID{...} ...         of a queue: suspended jobs
--     is closed|drain|reclaim       of a host

local names = require "allot.names"

local text = {}

-- Words ----------------------------------------------------------------------------------------

local Reader = {}
Reader.__index = Reader

--- Fails at a column (nil: where the last word began): the line, a caret, what was found.
function Reader:fail(format, ...)
  local message = format:format(...)
  error(("fixture:1:%d: %s\n  %s\n  %s^"):format(self.from, message,
    (self.line:gsub("%s", " ")), (" "):rep(self.from - 1)), 0)
end

--- Goes to the next word: self.kind is "name", "number", "text", "end", or a mark itself.
function Reader:step()
  self.from = self.line:find("%S", self.at) or #self.line + 1
  local rest = self.line:sub(self.from)
  local word = rest:match "^/?%a[%w_./-]*" or rest:match "^%d[%w_.-]*"
  if rest == "" then
    self.kind, self.word = "end", ""
  elseif rest:find '^"' then
    self.word = rest:match '^"[^"]*"' or self:fail "this text has no end: a \" is missing"
    self.kind = "text"
  elseif word then
    -- what is before "/(" is a name, and "/(" a mark
    word = rest:sub(#word + 1, #word + 1) == "(" and word:match "^(.-)/?$" or word
    self.kind, self.word = word:find "^%d+$" and "number" or "name", word
  else
    self.word = rest:match "^/%(" or rest:match "^%-%d+" or rest:sub(1, 1)
    self.kind = self.word:find "^%-%d" and "number" or self.word
  end
  self.at = self.from + #self.word
end

function Reader:found()
  return self.kind == "end" and "the end" or ('"%s"'):format((self.word:gsub('^"(.*)"$', "%1")))
end

function Reader:want(kind, what)
  if self.kind ~= kind then self:fail("found %s, expected %s", self:found(), what) end
  local word = self.word
  self:step()
  return word
end

function Reader:take(mark)
  if self.kind == mark then
    self:step()
    return true
  end
end

local function number_of(self)
  local word = self:want("number", "a whole number")
  return math.tointeger(tonumber(word))
end

--- A name, or an id that is a number.
local function id_of(self, what)
  if self.kind ~= "number" and self.kind ~= "text" then return self:want("name", what) end
  local word = self.word:gsub('^"(.*)"$', "%1")
  self:step()
  return word
end

local WORDS = { ["true"] = true, ["false"] = false }

local function value_of(self)
  if self.kind == "number" then return number_of(self) end
  local word = id_of(self, "a value: a number, a word, a path or a \"text\"")
  if WORDS[word] ~= nil then return WORDS[word] end
  return word
end

local ALIASES = { own = "owned" }

--- What stands behind an opening mark, up to the closing one, by name.
local function settings_of(self, closing)
  local out = {}
  if self:take(closing) then return out end
  repeat
    local at = self.from
    local name = self:want("name", ("a name, or \"%s\""):format(closing))
    name = ALIASES[name] or name
    if out[name] ~= nil then
      self.from = at
      self:fail("found \"%s\" twice", name)
    end
    out[name] = true
    if self:take "=" then out[name] = value_of(self) end
  until not self:take ","
  self:want(closing, ("\",\" or \"%s\""):format(closing))
  return out
end

-- Consumers ------------------------------------------------------------------------------------

local function paths_of(list, above, out)
  for _, each in ipairs(list) do
    local path = above .. "/" .. each.name
    out[#out + 1] = path
    paths_of(each.children or {}, path, out)
  end
  return out
end

local things_of

--- Adds a consumer, queue or host; inside others only consumers can be.
local function thing_of(self, made, list)
  local kind = self.word
  local name = self:want("name", "a consumer's name")
  if (kind == "queue" or kind == "host") and self.kind == "name" then
    name = self:want("name", "a name")
  else
    kind = "consumer"
  end
  local thing = self:take "{" and settings_of(self, "}") or {}
  if kind == "host" then
    made.plan.hosts = made.plan.hosts or {}
    made.plan.hosts[name] = thing
    return
  end
  thing.name = name
  if kind == "queue" then
    made.plan.queues = made.plan.queues or {}
    list = made.plan.queues
  elseif self:take "/(" then
    thing.children = things_of(self, made, {})
    self:want(")", "a consumer's name or \")\"")
  end
  list[#list + 1] = thing
end

function things_of(self, made, list)
  while self.kind == "name" do thing_of(self, made, list) end
  return list
end

-- Keys of a plan; other settings are its options.
local PLAN = { slots = true, policy = true, timezone = true, version = true }

local function read_plan(self, made)
  for key, value in pairs(self:take "[" and settings_of(self, "]") or {}) do
    if PLAN[key] then
      made.plan[key] = value
    else
      made.plan.options = made.plan.options or {}
      made.plan.options[key] = value
    end
  end
  local list = things_of(self, made, {})
  made.plan.consumers = list[1] and list or nil
  if not list[1] and not made.plan.queues then
    self:fail("found %s, expected a consumer: name{own=...}", self:found())
  end
  made.paths = paths_of(list, "", {})
  made.queues = {}
  for _, queue in ipairs(made.plan.queues or {}) do made.queues[queue.name] = true end
end

-- Facts ----------------------------------------------------------------------------------------

--- A consumer's path of what was said: itself, or its last name.
local function resolve(self, made, said, at)
  local found = {}
  for _, path in ipairs(made.paths) do
    if path == said or path == "/" .. said then return path end
    if path:sub(-#said - 1) == "/" .. said then found[#found + 1] = path end
  end
  if #found == 1 then return found[1] end
  self.from = at
  if #found > 1 then
    self:fail("\"%s\" is %s: say which", said, table.concat(found, " or "))
  end
  local near = names.nearest(said:gsub("^/", ""), text.short_names(made))
  self:fail("there is no consumer \"%s\"%s", said, near and ("; did you mean \"" .. near .. "\"?")
    or "")
end

--- What consumers, queues and hosts are called, for "did you mean".
function text.short_names(made)
  local out = {}
  for _, path in ipairs(made.paths) do
    out[#out + 1] = path:sub(2)
    out[#out + 1] = path:match "[^/]+$"
  end
  for name in pairs(made.queues) do out[#out + 1] = name end
  for name in pairs(made.plan.hosts or {}) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function path_of(self, made)
  local at = self.from
  return resolve(self, made, self:want("name", "a consumer's path"), at)
end

local function push(state, key, entry)
  state[key] = state[key] or {}
  table.insert(state[key], entry)
end

local function row_of(state, path)
  state.consumers = state.consumers or {}
  state.consumers[path] = state.consumers[path] or {}
  return state.consumers[path]
end

local verbs = {}

function verbs.wants(self, made, path) row_of(made.state, path).demand = number_of(self) end

function verbs.holds(self, made, path) row_of(made.state, path).allocated = number_of(self) end

function verbs.returns(self, made, path)
  local slots = number_of(self)
  local claims
  if self.kind == "name" and self.word == "to" then
    self:step()
    claims = { { consumer = path_of(self, made), slots = slots } }
  end
  push(made.state, "reclaims", { consumer = path, slots = slots, ["for"] = claims })
end

function verbs.lends(self, made, path)
  local slots = number_of(self)
  if self.word ~= "to" then self:fail("found %s, expected \"to\" and a path", self:found()) end
  self:step()
  push(made.state, "loans", { lender = path, borrower = path_of(self, made), slots = slots })
end

--- Things with an id and settings, one after the other: up to "," or the next verb.
local function each_thing(self, what, take)
  repeat
    local id = id_of(self, what)
    local thing = self:take "{" and settings_of(self, "}") or {}
    thing.id = id
    take(thing)
  until self.kind ~= "number" and self.kind ~= "text"
    and (self.kind ~= "name" or verbs[self.word])
end

function verbs.has(self, made, path)
  each_thing(self, "a session's id", function (session)
    session.consumer = path
    push(made.state, "sessions", session)
  end)
end

local function add_job(made, queue, state)
  return function (job)
    job.queue, job.state = queue, state
    if type(job.host) == "string" then
      job.hosts, job.host = { [job.host] = job.slots or 1 }, nil
    end
    push(made.state, "jobs", job)
  end
end

function verbs.runs(self, made, path, queue)
  each_thing(self, "a task's id", queue and add_job(made, queue, "running") or function (task)
    task.consumer = path
    push(made.state, "tasks", task)
  end)
end

local QUEUES = {
  runs = true,
  awaits = function (self, made, queue)
    each_thing(self, "a job's id", add_job(made, queue, "pending"))
  end,
  suspended = function (self, made, queue)
    each_thing(self, "a job's id", add_job(made, queue, "suspended"))
  end,
}
for name, verb in pairs(QUEUES) do
  verbs[name] = verbs[name] or function (self, made, _, queue) verb(self, made, queue) end
end

local CLOSED = { closed = "drain", drain = "drain", reclaim = "reclaim" }

local function host_fact(self, made, host)
  if self.word ~= "is" then self:fail("found %s, expected \"is\"", self:found()) end
  self:step()
  local how = CLOSED[self.word]
  if not how then
    self:fail("found %s, expected \"closed\", \"drain\" or \"reclaim\"", self:found())
  end
  self:step()
  made.state.hosts = made.state.hosts or {}
  made.state.hosts[host] = { closed = how }
end

--- What somebody does: verbs until the next comma.
local function deeds(self, made, path, queue)
  repeat
    local verb = self.kind == "name" and verbs[self.word]
    local known = queue and "runs, awaits, suspended" or "wants, holds, returns, lends, has, runs"
    if not verb or (queue ~= nil) ~= (QUEUES[self.word] ~= nil) and self.word ~= "runs" then
      self:fail("found %s, expected one of %s", self:found(), known)
    end
    self:step()
    verb(self, made, path, queue)
  until self.kind ~= "name"
end

local function fact(self, made)
  local at = self.from
  local name = self:want("name", "a consumer's path, or a key of the state")
  if self:take "=" then
    made.state[name] = value_of(self)
  elseif made.queues[name] then
    deeds(self, made, nil, name)
  elseif made.plan.hosts and made.plan.hosts[name] then
    host_fact(self, made, name)
  else
    deeds(self, made, resolve(self, made, name, at))
  end
end

-- The whole ------------------------------------------------------------------------------------

--- Reads a line: { plan = , state = } as documents. Raises where it is not understood, with the
--- column.
function text.read(line)
  local self = setmetatable({ line = line, at = 1, from = 1 }, Reader)
  local made = { plan = { version = 1 }, state = { now = 0 } }
  self:step()
  read_plan(self, made)
  if self:take ":" then
    repeat fact(self, made) until not self:take ","
    if self.kind ~= "end" then
      self:fail("found %s, expected \",\" or the end", self:found())
    end
  elseif self.kind ~= "end" then
    self:fail("found %s, expected a name, \":\" or the end", self:found())
  end
  return { plan = made.plan, state = made.state, paths = made.paths, line = line,
    resolve = function (said) return resolve(self, made, said, 1) end }
end

return text
