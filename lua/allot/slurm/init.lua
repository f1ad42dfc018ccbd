-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The verb `slurm`: the bridge between a service and a Slurm cluster. This file has its hands and
--- its clock; what it thinks is in pass.lua.

local core = require "allot.core"
local limits = require "allot.slurm.limit"
local pass = require "allot.slurm.pass"
local read = require "allot.slurm.read"
local site = require "allot.slurm.site"
local slot = require "allot.import.slot"
local text = require "allot.slurm.text"
local within = require "allot.slurm.victim".within

local DONE, USAGE, INVALID, IO = 0, 2, 3, 5
local LOOK, CHANGE = 15000, 60000 -- ms that a command may take
local ACCOUNTS = 30 -- s between looks at the accounts, unless a ceiling changed

local Bridge = {}
Bridge.__index = Bridge

-- ---- Hands --------------------------------------------------------------------------------------

--- Runs a command; its output, or nil and the reason.
function Bridge:run(words, limit)
  local list = { "env" }
  for name, value in pairs(read.environment) do list[#list + 1] = name .. "=" .. value end
  table.sort(list, function (a, b) return a == "env" or b ~= "env" and a < b end)
  table.move(words, 1, #words, #list + 1, list)
  local answer, fault = self.host.call("run", limit .. " " .. table.concat(list, "\0") .. "\0")
  if not answer then return nil, fault end
  local how, err, out = answer:match "^([^\0]*)\0([^\0]*)\0(.*)$"
  if how == "exit 0" then return out end
  if how == "exit 127" or how:find "^missing" then
    return nil, words[1] .. " is not here: the PATH has no such command"
  end
  local said = err:match "[^\n]*fatal:[^\n]*" or err:match "[^\n]+" or ""
  said = said:gsub("^" .. words[1] .. ": ", ""):gsub("^%a+: ", "", 1)
  return nil, ("%s: %s%s"):format(words[1], how, said ~= "" and ": " .. said or "")
end

function Bridge:now()
  return math.tointeger(tonumber(self.host.call "now"))
end

--- The service's answer; nil, the reason.
function Bridge:ask(method, params)
  local answer, why = self.host.call("ask", method .. " " .. params)
  if not answer then
    self.host.call "forget"
    return nil, why
  end
  return core.decode(answer)
end

function Bridge:say(line)
  self.host.call("note", text.line(self:now(), line))
end

--- Says a reason once, until another comes, or none.
function Bridge:trouble(why)
  if why and why ~= self.why then self:say(why) end
  if not why and self.why then self:say "all is well again" end
  self.why = why
end

-- ---- Looking ------------------------------------------------------------------------------------

function Bridge:look()
  local jobs, why = self:run(read.jobs_command, LOOK)
  if not jobs then return nil, why end
  local nodes, fault = self:run(read.nodes_command, LOOK)
  if not nodes then return nil, fault end
  self.seen_at = self:now()
  local good, body, fault_of = pcall(pass.look, self.kept, jobs, nodes)
  if good then return body, fault_of end
  if type(body) ~= "table" then error(body, 0) end
  self.host.call "forget"
  return nil, "--map: " .. body.why
end

function Bridge:look_at_accounts()
  if self.options.hold and not self.host.option "open" then return end
  local now = self:now()
  if self.accounts and within(ACCOUNTS, self.accounts_at, now) then return end
  local accounts
  local out, why = self:run(read.accounts_command, LOOK)
  local qos = out
  if out then qos, why = self:run(limits.command, LOOK) end
  self.config = self.config or self:run(read.config_command, LOOK)
  local cluster = (self.config or ""):match "ClusterName%s*=%s*(%S+)"
  if qos then accounts, why = pass.know(self.kept, out, qos, cluster) end
  self.accounts, self.accounts_at = accounts or self.accounts, now
  self.fault = accounts and self:mismatch() or why and "accounts cannot be read: " .. why
end

--- What makes ceilings useless, or the plan another cluster's; nil: nothing does.
function Bridge:mismatch()
  local enforced = (self.config or ""):match "AccountingStorageEnforce%s*=%s*([^\n]*)"
  if enforced and not enforced:find "limits" then
    return ("Slurm enforces no ceilings: slurm.conf has AccountingStorageEnforce=%s, without "
      .. "limits"):format(enforced)
  end
  local options = self.options
  local left, several = site.unmatched(options.plan, self.accounts)
  if #several > 0 then
    return "each of several accounts or users may use all of a consumer's slots: "
      .. table.concat(several, ", ", 1, math.min(5, #several))
  end
  if options.map then return nil end
  local names = {}
  for _, path in ipairs(left) do
    if path ~= options.rest then names[#names + 1] = path end
  end
  if #names == 0 then return nil end
  return ("no account or user of Slurm stands for %s%s"):format(table.concat(names, ", ", 1,
    math.min(5, #names)), #names > 5 and (" and %d more"):format(#names - 5) or "")
end

-- ---- Deciding -----------------------------------------------------------------------------------

--- Asks the service: decision, reclaims in flight.
function Bridge:told(body)
  local answer, why = self:ask("sync", '{"source": "slurm"' .. (body ~= "" and ", " .. body or "")
    .. "}")
  if not answer then return nil, "the service: " .. why end
  if not answer.decision or answer.decision == core.null then
    return nil, "the service decided nothing: " .. tostring((answer.error or {}).message)
  end
  if body ~= "" then self.left_out = text.left_out(answer) end
  if self.left_out then self.kept.jobs_text = nil end -- a changed plan may take them
  self.seq = math.max(self.seq or 0, answer.seq or 0)
  return answer.decision, answer.flights
end

--- Decides here, of a dry run without a service: nothing is remembered.
function Bridge:alone(body)
  self.body = body ~= "" and body or self.body
  local plan, why = core.plan(self.plan_text, { file = self.plan_file })
  if not plan then return nil, why end
  local state, fault = core.state(plan, ('{"now": %d, %s}'):format(self:now(), self.body))
  if not state then return nil, fault end
  local decision, failed = core.cycle(plan, state)
  if not decision then return nil, failed end
  local document = core.decode(decision:json())
  return document, document.reclaims
end

-- ---- Acting -------------------------------------------------------------------------------------

--- Says what a command did; the same failure again only after a minute.
function Bridge:say_done(words, why)
  local line, now = text.command(words, why), self:now()
  if why and within(60, self.failed[line], now) then return end
  self.failed[line] = why and now or nil
  self:say(line)
end

--- Runs commands, or shows them; whether all did their work.
function Bridge:carry_out(commands)
  local good = true
  for _, words in ipairs(commands) do
    if self.dry then
      self.host.call("show", table.concat(words, " ") .. "\n")
    else
      local out, why = self:run(words, CHANGE)
      self:say_done(words, out and nil or why)
      good = good and out ~= nil
      if not out and words[2] == "update" then self.kept.mute = true end -- it has no right to
      if words[1] == "sacctmgr" then self.accounts_at = 0 end
    end
  end
  return good
end

--- One pass; nil, the reason.
function Bridge:pass()
  self:look_at_accounts()
  local body, why = self:look()
  if not body then return nil, why end
  local decide = self.service and self.told or self.alone
  local decision, flights = decide(self, body)
  if not decision then
    self.kept.jobs_text = nil
    return nil, flights
  end
  local commands
  self.decided_at, self.flights = self:now(), #flights
  commands, self.did = pass.act(self.kept, decision, flights, self.accounts, self.decided_at)
  self:carry_out(commands)
  return true
end

--- Passes, and says how that went; `once`: by an error where it failed.
function Bridge:turn(once)
  local good, why = self:pass()
  if once and not good then
    self.host.say { severity = "error", code = "E-slurm", message = why }
    self.why = why
  else
    self:trouble(not good and why or self.fault or self.left_out or self.unwritten)
  end
  if not self.dry then
    local document = core.encode(text.status_of(self), { indent = 2 }) .. "\n"
    local written, fault = self.host.write(self.status_file, document)
    self.unwritten = not written and ("%s cannot be written: %s"):format(self.status_file, fault)
  end
  return good, why
end

--- Without a decision for too long, nobody shall be held back.
function Bridge:open_if_stale()
  local stale = math.tointeger(tonumber(self.host.option "stale" or 300))
  if stale == 0 or self.opened or self.dry or not self.accounts then return end
  local now = self:now()
  self.decided_at = math.min(self.decided_at, now) -- a clock that was set back is no reason
  if now - self.decided_at < stale then return end
  if self.opened == nil then
    self:say(("no decision for %d s: the ceilings are opened"):format(stale))
  end
  self.opened = self:carry_out(pass.open(self.kept, self.accounts))
end

-- ---- The loop -----------------------------------------------------------------------------------

function Bridge:is_news(line)
  local note = core.decode(line)
  local seq = note and note.params and note.params.seq
  return not seq or seq > (self.seq or 0)
end

--- Waits for the next pass; true: the bridge ends. Where jobs are released slots are free until the
-- next look, so after a release that comes sooner.
function Bridge:wait(seconds)
  local released = self.did and self.did.released or 0
  local until_ = self.host.clock() + seconds * (released > 0 and 200000 or 1000000)
  repeat
    local left = math.max(0, (until_ - self.host.clock()) // 1000)
    local what = self.host.call("wait", tostring(left))
    if what == "quit" then return true end
    if what == "lost" then self.subscribed = false end
  until what == "" or what ~= "lost" and self:is_news(what)
  return false
end

function Bridge:subscribe()
  if not self.service or self.subscribed then return end
  self.subscribed = self:ask("hello", '{"name": "allot slurm"}') ~= nil
    and self:ask("subscribe", "{}") ~= nil
end

function Bridge:loop()
  local every = math.tointeger(tonumber(self.host.option "interval" or 2))
  self.decided_at = self:now()
  self.host.call("notify", "READY=1")
  while true do
    self:subscribe()
    local good, why = self:turn()
    if good then self.opened = nil else self:open_if_stale() end
    self.host.call("notify", "WATCHDOG=1\nSTATUS=" .. text.summary(self, why))
    if self:wait(every) then
      self:say "ended: ceilings stay as they are (allot slurm --open)"
      return DONE
    end
  end
end

-- ---- The verb -----------------------------------------------------------------------------------

local function fail(host, code, why, file)
  host.say { severity = "error", code = code, message = why, file = file }
end

--- What --map says of a job: a leaf, nil: nothing, false: no consumer stands for it. Raises.
local function map_of(host)
  return function (job)
    local fields = { job.name, job.user, job.account, job.qos, job.partition,
      tostring(job.amounts.cpu or 0), tostring(job.priority) }
    local answer, why = host.call("map", table.concat(fields, "\0") .. "\0")
    if not answer then error({ why = why }, 0) end
    if answer == "-" then return false end
    return answer ~= "" and answer or nil
  end
end

local function options_of(host, plan)
  local groups, why = slot.groups(slot.words(host.option "slot"), plan)
  if not groups then return nil, why end
  local rest = host.option "rest"
  if rest and not plan.is_leaf[rest] then
    return nil, ("--rest: %s is no leaf of the plan"):format(rest)
  end
  return {
    plan = plan, groups = groups, rest = rest, cancel = host.option "cancel" ~= nil,
    hold = host.option "hold" ~= nil, signal = host.option "signal",
    map = host.option "map" and map_of(host),
    tags_of = site.tags_of(slot.words(host.option "tag")),
    most_requeues = math.tointeger(tonumber(host.option "most-requeues" or 60)),
  }
end

--- Where the bridge says what it did last: beside the plan, or in the folder of --out.
local function status_file(host, file)
  local folder = host.option "out"
  return (folder and folder .. "/" .. file:match "[^/]*$" or file) .. ".slurm"
end

local function bridge_of(host, file)
  local plan_text, why = host.read(file)
  if not plan_text then
    fail(host, "E-io", "cannot be read: " .. why, file)
    return nil, IO
  end
  local good, message, findings = core.plan(plan_text, { file = file })
  if not good then
    for _, finding in ipairs(findings) do host.say(finding) end
    return nil, INVALID, message
  end
  local plan = site.plan(plan_text, file)
  local options, fault = options_of(host, plan)
  if not options then
    fail(host, "E-usage", fault)
    return nil, USAGE
  end
  return setmetatable({
    host = host, options = options, kept = pass.new(options), plan_text = plan_text,
    plan_file = file, status_file = status_file(host, file), dry = host.option "dry-run" ~= nil,
    service = host.option "socket" ~= nil, failed = {}, flights = 0,
  }, Bridge)
end

local function open(bridge)
  bridge:look_at_accounts()
  if not bridge.accounts then
    fail(bridge.host, "E-slurm", bridge.fault)
    return IO
  end
  return bridge:carry_out(pass.open(bridge.kept, bridge.accounts)) and DONE or IO
end

--- The verb: exit status.
function Bridge.verb(host, args)
  local file = args[1]
  if host.option "status" then return text.show_status(host, status_file(host, file)) end
  local bridge, code = bridge_of(host, file)
  if not bridge then return code end
  if host.option "open" then return open(bridge) end
  if not bridge.service and not bridge.dry then
    fail(host, "E-usage", "--socket says where the service listens, or --dry-run prints commands")
    return USAGE
  end
  if host.option "once" then return bridge:turn(true) and DONE or IO end
  return bridge:loop()
end

return { run = Bridge.verb, bridge = bridge_of }
