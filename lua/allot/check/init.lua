-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot check`: are plans and policies valid, and do they keep what they promise?
--
-- Every file is read, and all its faults are reported. Valid files are then tried on random cases:
-- a policy on plans within its declarations, a plan on states of its own (run.lua).

local Run = require "allot.check.run"
local coverage = require "allot.fixture.coverage"
local findings = require "allot.check.findings"
local formats = require "allot.check.formats"
local idle = require "allot.check.idle"
local live = require "allot.check.live"
local names = require "allot.language.names"
local Target = require "allot.check.target"

local check = {}

local RUNS, SECONDS, SEED, OUT = 1000, 10, 1, "allot-failure"
local LIVE_SECONDS = 2
--- A host that writes no cases.
local UNWRITTEN = { write = function () return nil, "not wanted" end }
--- The smallest state: a plan's warnings come with any state.
local STATE = '{"now": 1772409600}'
--- Readers of all other formats need a document whatever the result.
local FORMATS = { text = true, json = true }
local DONE, FOUND, INVALID, SCRIPT, IO, INTERNAL = 0, 1, 3, 4, 5, 70

--- Exit statuses of diagnostics that are not faults of a document.
local STATUS = {
  ["E-policy-run"] = SCRIPT, ["E-policy-budget"] = SCRIPT, ["E-policy-memory"] = SCRIPT,
  ["E-io"] = IO, ENOMEM = INTERNAL, EINTERNAL = INTERNAL,
}

local function status_of(code)
  return STATUS[code] or INVALID
end

-- Findings of a file ---------------------------------------------------------------------------

--- A message with its subject in front, unless the message has it.
local function with_path(finding)
  local path, message = finding.path, finding.message
  if not path or path == "" or message:find(path, 1, true) then return message end
  return path .. ": " .. message
end

local function add(file, list)
  for _, finding in ipairs(list) do
    finding.text = with_path(finding)
    finding.whole = finding.text .. (finding.hint and "\nhint: " .. finding.hint or "")
    file.findings[#file.findings + 1] = finding
    file.status = math.max(file.status, finding.status)
  end
end

local function add_error(file, code, message, hint)
  add(file, {
    { severity = "error", code = code, rule = code, file = file.file, message = message,
      hint = hint, status = status_of(code) },
  })
end

--- Invalid outranks other failures.
local function add_report(file, report)
  local list, invalid = findings.of_report(report, status_of), false
  for _, finding in ipairs(list) do invalid = invalid or finding.status == INVALID end
  for _, finding in ipairs(list) do
    if invalid and finding.status > INVALID then finding.status = INVALID end
  end
  add(file, list)
end

-- Files ----------------------------------------------------------------------------------------

--- Every state has a time of its own, and no plan has: was a state meant?
local function is_state(report)
  for _, each in ipairs(report) do
    if each.code == "E-unknown-key" and each.path == "now" then return true end
  end
  return false
end

local function open_policy(core, file, text)
  local target, _, report = Target.of_policy(core, text, file.file)
  if not target then return add_report(file, report) end
  local list = idle.of_policy(core, file.file, text, target.declared)
  add(file, findings.of_idle(file.file, text, list))
  return target
end

--- The diagnostics of a plan's first decision that concern the plan: all of the decision's report
-- except those of the state alone.
local function said_of(core, file, plan, report)
  local state, told, failed = core.state(plan, STATE)
  local decision = state and { core.cycle(plan, state) }
  if decision and decision[1] then
    report = decision[2]
  elseif not state then
    report = table.move(failed, 1, #failed, #report + 1, report)
  else
    report = table.move(told, 1, #told, #report + 1, report)
  end
  local out = {}
  for _, each in ipairs(report) do
    if each.file == file.file then out[#out + 1] = each end
  end
  return out
end

local function count(file, document, consumers)
  local queues, leases = #(document.queues or {}), #(document.leases or {})
  file.counts = { consumer = consumers }
  if queues > 0 then file.counts.queue = queues end
  if leases > 0 then file.counts.lease = leases end
end

local function open_plan(core, host, file, text)
  -- For a valid plan the report comes second.
  local plan, warnings, report = core.plan(text, { file = file.file })
  if plan then
    local target, message = Target.of_plan(core, host, text, file.path)
    add_report(file, said_of(core, file, plan, warnings))
    if not target then return add_error(file, "E-io", message) end
    if file.status ~= DONE then return nil end
    add(file, findings.of_idle(file.file, text, idle.of_plan(text, target.document)))
    for _, policy in ipairs(target.policies(target.document)) do
      local own = idle.of_policy(core, policy.file, policy.text, policy.declared)
      add(file, findings.of_idle(policy.file, policy.text, own))
    end
    count(file, target.document, #plan:consumers())
    return target
  end
  add_report(file, report)
  if is_state(report) then
    add_error(file, "E-not-a-plan", "this looks like a state",
      "check reads plans and policies; run and explain read a state, behind its plan")
  end
end

local function try(host, file, target, opts, text)
  local shown
  local watch = Run.watch(host.clock, opts.seconds)
  local run = Run.of(target, {
    runs = opts.runs, seed = opts.seed, watch = watch,
    host = host.call and not opts.coverage and host or nil, -- lines are counted in this process
    given = opts.live and live.states(opts.live, target.document),
    progress = function (done, total)
      local percent = 100 * done // total
      if percent ~= shown then host.progress(done, total + 1, "cases of " .. file.file) end
      shown = percent
    end,
  })
  file.cases, file.plans, file.seed = run.cases, run.plans, opts.seed
  file.checks, file.use = run.list, run.use
  file.complete = not run.broken and not run.unsure and not run.lost
  file.late, file.runs, file.part = run.late, opts.runs, target.part
  file.given = run.given
  add(file, findings.of_run(target, host, opts, run, status_of))
  if opts.fault then
    add_error(file, "E-io", opts.fault)
    opts.fault = nil
  end
  if run.cannot then add_report(file, run.cannot.report) end
  if run.lost then file.status = INTERNAL end
  if run.cases == 0 and not run.given and not run.late and file.status == DONE then
    add_error(file, "E-nothing", "nothing was tried: " .. tostring(run.why))
  end
  if file.kind == "policy" then
    add(file, findings.of_use(target.core, file.file, run.use))
  elseif file.complete then
    add(file, findings.of_unreachable(file.file, text, Target.unreachable(target, watch.late)))
  end
end

--- Stores the coverage of a policy by its checks, and ends counting.
local function cover(core, file, text)
  local counted = core.coverage()
  file.coverage = coverage.report(text, file.file, counted and counted[file.file])
  core.coverage(false)
end

-- Beside a service ------------------------------------------------------------------------------

--- A policy in the live plan, or (`text` nil) the live plan as it is.
local function open_inside(core, file, text, service)
  file.inside = text and service.file
  local alone = not text or open_policy(core, file, text)
  if not alone then return end
  local target, plan, report = live.target(core, service, text and file.path, text)
  add_report(file, target and {} or report)
  if not target then return end
  add_report(file, live.faults(core, service, plan, service.file))
  count(file, target.document, #plan:consumers())
  return file.status == DONE and target or nil
end

--- Another plan, which must fit the live state.
local function open_beside(core, host, file, text, service)
  local target = open_plan(core, host, file, text)
  if not target then return end
  local plan = core.plan(core.encode(target.document), {
    file = "plan.json", policies = target.texts,
  })
  add_report(file, live.faults(core, service, plan, file.file))
  return file.status == DONE and target or nil
end

local function open(core, host, file, text, service)
  local policy = file.kind == "policy"
  if service and policy then return open_inside(core, file, text, service) end
  if service then return open_beside(core, host, file, text, service) end
  if policy then return open_policy(core, file, text) end
  return open_plan(core, host, file, text)
end

local function ask(core, host)
  local answer, message, code = host.call("ask", 'state {"plan": true}')
  if answer then return live.read(core, answer) end
  return nil, message, code
end

--- Tries the plan on the live state alone, within LIVE_SECONDS, and says what breaks; of properties
--- that a policy states only those of `policies`, by their names in the plan. The exit status.
function check.live(host, policies)
  local core, named = require "allot.core", {}
  for _, name in ipairs(policies) do named[name] = true end
  local service = assert(ask(core, host))
  local target, _, report = live.target(core, service)
  if not target then
    for _, each in ipairs(report) do host.say(each) end
    return INVALID
  end
  target.tries = 0 -- what is said is said of the live state
  local run = Run.of(target, {
    runs = 0, seed = SEED, watch = Run.watch(host.clock, LIVE_SECONDS),
    given = live.states(service, target.document),
  })
  local kept = {}
  for _, failure in ipairs(run.failures) do
    local policy = failure.check.policy
    if not policy or named[policy.file] then kept[#kept + 1] = failure end
  end
  run.failures = kept
  local list = findings.of_run(target, UNWRITTEN, { out = OUT }, run, status_of)
  for _, each in ipairs(run.cannot and run.cannot.report or {}) do list[#list + 1] = each end
  for _, each in ipairs(list) do host.say(each) end
  return #list > 0 and FOUND or DONE
end

--- The live plan, with its state.
local function check_live(core, host, opts)
  local service = opts.live
  local file = {
    path = service.file, file = service.file, kind = "plan", findings = {}, status = DONE,
  }
  local target = open_inside(core, file, nil, service)
  file.valid = target ~= nil
  if target and opts.runs > 0 then try(host, file, target, opts, service.text) end
  return file
end

-- The verb -------------------------------------------------------------------------------------

local function check_file(core, host, path, opts)
  local policy = Target.is_policy(path) or core.ready(path) ~= nil
  local file = {
    path = path, file = path == "-" and "<stdin>" or path, kind = policy and "policy" or "plan",
    findings = {}, status = DONE,
  }
  local text, message = core.ready(path), nil
  host.progress(0, 1, "of " .. file.file)
  if not text then text, message = host.read(path) end
  if not text and not path:find "[./]" and message:find "^No such file" then
    local ready = core.ready()
    local near = names.nearest(path, ready)
    add_error(file, "E-unknown-policy", ("there is no file and no policy %s; ready-made are %s")
      :format(path, table.concat(ready, ", ")), near and ("did you mean %s?"):format(near))
    return file
  elseif not text then
    add_error(file, "E-io", "cannot be read: " .. message)
    return file
  end
  local covered = policy and opts.coverage and core.coverage(true)
  local target = open(core, host, file, text, opts.live)
  file.valid = target ~= nil
  if target and opts.runs > 0 then try(host, file, target, opts, text) end
  if target and covered then cover(core, file, text) end
  return file
end

local function number(host, name, fallback)
  return math.tointeger(tonumber(host.option(name))) or fallback
end

--- Checks the files; the exit status. Options of the host: format, runs, seconds, seed,
--- out, coverage; socket: of a service; policies then replace its plan's own, and its state is
--- tried first.
function check.run(host, args)
  local core = require "allot.core"
  local format = host.option "format" or "text"
  local opts = {
    runs = number(host, "runs", RUNS), seconds = number(host, "seconds", SECONDS),
    seed = number(host, "seed", SEED),
    out = host.option "out" or OUT, coverage = host.option "coverage" ~= nil,
  }
  local files, status = {}, DONE
  if not FORMATS[format] then host.call "always" end
  if host.option "socket" then
    local service, _, code = ask(core, host)
    if not service then return code == FOUND and IO or code end -- "no" is the verb's own answer
    opts.live = service
  elseif #args == 0 then
    host.say { severity = "error", code = "E-nothing", message = "nothing was checked",
               hint = "name a plan or a policy" }
    return INVALID
  end
  if #args == 0 then files[1] = check_live(core, host, opts) end
  for i, path in ipairs(args) do files[i] = check_file(core, host, path, opts) end
  host.progress(1, 1, "")
  for _, file in ipairs(files) do status = math.max(status, file.status) end
  for _, file in ipairs(files) do
    for _, finding in ipairs(file.findings) do host.say(finding) end
  end
  if format ~= "json" or status <= FOUND then formats[format](core, files, host.out) end
  return status
end

return check
