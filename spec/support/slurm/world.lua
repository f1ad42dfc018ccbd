-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A bridge between a fake Slurm and a service in a few lines: the plan's own cycle, and the
--- reclaims in flight, as the service keeps them.

local core = require "allot.core"
local bridge = require "allot.slurm"
local heard = require "spec.support.house.heard"

local world = {}
world.__index = world

-- ---- The service --------------------------------------------------------------------------------

--- Slots of a reclaim whose tasks still run; nil: none does. A task submitted at another time is
-- another.
local function still(flight, running, submitted)
  local tasks, slots = core.list(), 0
  for _, id in ipairs(flight.tasks) do
    local task = running[id]
    if task and submitted[id] == task.submitted then
      tasks[#tasks + 1] = id
      slots = slots + task.slots
    end
  end
  if slots == 0 then return nil end
  local left, claims = slots, core.list()
  for _, claim in ipairs(flight["for"]) do
    local part = math.min(left, claim.slots)
    if part > 0 then claims[#claims + 1] = { consumer = claim.consumer, slots = part } end
    left = left - part
  end
  return { id = flight.id, consumer = flight.consumer, slots = slots, tasks = tasks,
    ["for"] = claims, deadline = flight.deadline }
end

local function running(tasks)
  local list = {}
  for _, task in ipairs(tasks) do
    if task.state == "running" then list[task.id] = task end
  end
  return list
end

--- What `sync` answers.
function world:sync(params)
  for key, value in pairs(params) do self.truth[key] = value end
  local flights, tasks = core.list(), running(self.truth.tasks)
  for _, flight in ipairs(self.flights) do
    flights[#flights + 1] = still(flight, tasks, self.submitted[flight.id])
  end
  local state = core.encode {
    now = self.slurm.now, slots = self.truth.slots, consumers = self.truth.consumers,
    tasks = core.list(self.truth.tasks), reclaims = flights,
  }
  local plan = self.plan
  local decision = core.decode(assert(core.cycle(plan, assert(core.state(plan, state)))):json())
  if self.heed then self.heed(decision, flights, self.truth) end
  for _, reclaim in ipairs(decision.reclaims) do
    self.count = self.count + 1
    reclaim.id = "r" .. self.count
    if reclaim.tasks and #reclaim.tasks > 0 then
      local submitted = {}
      for _, id in ipairs(reclaim.tasks) do submitted[id] = tasks[id].submitted end
      flights[#flights + 1], self.submitted[reclaim.id] = reclaim, submitted
    end
  end
  self.flights, self.decision = flights, decision
  return { decision = decision, flights = flights, seq = self.count, dropped_count = 0 }
end

-- ---- The host -----------------------------------------------------------------------------------

--- The words of `run`, without env and what it sets.
local function words_of(text)
  local words = {}
  for word in text:match "^%d+ (.*)$":gmatch "([^\0]*)\0" do
    if word ~= "env" and not word:find "^[%u_]+=" then words[#words + 1] = word end
  end
  return words
end

local calls = {}

function calls.run(self, text)
  local out, why = self.slurm:run(words_of(text))
  if not out and why == "late" then return "late\0\0" end
  return out and "exit 0\0\0" .. out or "exit 1\0" .. why .. "\0"
end

function calls.ask(self, text)
  local method, params = text:match "^(%S+) (.*)$"
  if self.deaf then return nil, "no answer" end
  if method ~= "sync" then return "{}" end
  local answer = self:sync(assert(core.decode(params)))
  if self.undecided then answer.decision, answer.error = core.null, { message = self.undecided } end
  answer.dropped, answer.dropped_count = core.list(self.dropped), #(self.dropped or {})
  return core.encode(answer)
end

--- Waits: time goes on, and after so many passes the bridge ends.
function calls.wait(self)
  self.slurm:tick(2)
  self.passes = self.passes - 1
  return self.passes <= 0 and "quit" or ""
end

function calls.now(self) return tostring(self.slurm.now) end
function calls.note(self, text)
  heard(text)
  self.notes[#self.notes + 1] = text
end
calls.show = calls.note
function calls.forget() return "" end
function calls.notify() return "" end

-- ---- A world ------------------------------------------------------------------------------------

--- A bridge for a plan's document and a fake Slurm; options as on the command line.
function world.new(plan, slurm, options)
  local text = core.encode(plan)
  local self = setmetatable({ slurm = slurm, plan = assert(core.plan(text)), plan_text = text,
    truth = {}, flights = {}, submitted = {}, count = 0,
    notes = {}, said = {}, written = {} }, world)
  self.options = options or {}
  self.options.socket = "there"
  self:begin()
  return self
end

--- A bridge that knows nothing of the one before.
function world:begin()
  local host = {
    call = function (name, text) return calls[name](self, text) end,
    option = function (name) return self.options[name] end,
    read = function () return self.plan_text end,
    write = function (name, text)
      if self.full then return nil, "No space left on device" end
      self.written[name] = text
      return true
    end,
    say = function (finding) self.said[#self.said + 1] = finding end,
    clock = function () return self.slurm.now * 1000000 end,
  }
  self.bridge = assert(bridge.bridge(host, "plan.json"), self.said[1] and self.said[1].message)
end

--- So many passes of the bridge's own loop; what it said in them, without the times.
function world:live(passes)
  self.passes, self.notes = passes, {}
  self.bridge:loop()
  local said = {}
  for i, line in ipairs(self.notes) do said[i] = line:match "^%S+ (.*)\n" end
  assert(table.remove(said) == "ended: ceilings stay as they are (allot slurm --open)")
  return said
end

--- A pass; the commands that changed something.
function world:pass()
  local before = #self.slurm.log
  local good, why = self.bridge:turn()
  local list = {}
  for i = before + 1, #self.slurm.log do
    local line = self.slurm.log[i]
    if not line:find "^s[qi]" and not line:find " list " and not line:find " show " then
      list[#list + 1] = line
    end
  end
  return list, not good and why or nil
end

return world
