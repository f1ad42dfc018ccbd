-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Runs many random cases, and reduces the failing ones.

local draw = require "allot.check.draw"
local Random = require "allot.check.random"
local shrink = require "allot.check.shrink"
local Case = require "allot.check.case"

local Run = {}

--- States a plan; the most cases tried to reduce a failure.
local STATES, TRIES = 16, 500
--- The latter where each case costs a whole budget.
local DEAR_TRIES = { ["E-policy-budget"] = 40, ["E-policy-memory"] = 40 }
--- Fifths of the time for cases; the rest is for reducing failures.
local FIFTHS = 4
--- One plan in this many is tried with tasks, and with dear properties.
local WITH_TASKS, DEAR = 4, 2
--- Every case of such a number is also decided under its plan sealed anew (case.lua).
local SEALS = 64

-- Time -----------------------------------------------------------------------------------------

--- Watches the time from now on: over(), whether no more cases may begin; late(), whether all time
-- is used up; done(cases, runs), the progress of a run in cases. Without a clock time never ends.
function Run.watch(clock, seconds)
  local start, all = clock and clock(), seconds * 1000000
  if not start or seconds == 0 then
    local function never() return false end
    return { over = never, late = never, done = function (cases) return cases end }
  end
  local function spent() return clock() - start end
  return {
    over = function () return spent() >= all * FIFTHS // 5 end,
    late = function () return spent() >= all end,
    done = function (cases, runs) return math.max(cases, math.min(runs, runs * spent() // all)) end,
  }
end

-- Checks of a site -----------------------------------------------------------------------------

--- Damping moves slots by the clock, so rest is not checked with it. Options of the plan, words
-- of the policy.
local DAMPING = { "dead_zone", "most_reclaimed", "reclaim_interval", "claim_delay" }

local function is_damped(site)
  local policy = site.declared and site.declared.damping or {}
  for _, from in ipairs { site.plan.options or {}, policy } do
    for _, name in ipairs(DAMPING) do
      if from[name] then return true end
    end
  end
  return false
end

--- Whether quotas depend on plan and demand alone, and slots for a reserve stay with who claimed
-- them: where claimants may not take from all, they may serve another one, cycle by cycle.
local function is_plain(declared)
  local function plain(source)
    return type(source) == "number"
      or type(source) == "string" and source ~= "allocated" and source ~= "in_flight"
  end
  for _, fill in ipairs(declared.quota or {}) do
    if fill.kind ~= "fill" or not plain(fill.by) then return false end
    if fill.up_to ~= nil and not plain(fill.up_to) or fill.order then return false end
  end
  return declared.enforce ~= "leaf" and declared.reclaim ~= false and declared.takes == nil
end

--- Seals a site, and finds which checks apply to it. Raises as a case does.
local function prepare(target, site)
  site.sealed = Case.seal(target.core, target.texts, site.plan)
  local policies = target.policies(site.plan)
  for _, policy in ipairs(policies) do
    local kind = draw.kind(policy.declared)
    if kind == "books" and site.kind == "tree" then site.kind = kind end
  end
  site.checks = Case.checks(site.kind, site.plan)
  site.plain = #policies == 1 and is_plain(policies[1].declared) and not site.plan.hosts
  site.declared = site.declared or policies[1] and policies[1].declared or {}
  site.damped = is_damped(site)
  site.limit_names = { "limit" }
  for _, it in ipairs(site.declared.attributes or {}) do
    if it.limit then table.insert(site.limit_names, it.name) end
  end
  for _, policy in ipairs(policies) do
    for i, property in ipairs(policy.declared.properties or {}) do
      local own = type(property) == "table"
      local check
      if own then
        check = Case.own(policy.loaded, i, property.text)
      elseif #policies == 1 and site.kind ~= "queues" then
        check = Case.known(property)
      end
      if check then
        check.policy, check.at = policy, own and property.at or nil
        site.checks[#site.checks + 1] = check
      end
    end
  end
  return site
end

-- Small cases ----------------------------------------------------------------------------------

local function first_code(fault)
  for _, each in ipairs(fault.report or {}) do
    if each.severity == "error" then return each.code end
  end
end

--- The result of a case: nothing, or what was raised, or the path, the fault and the culprit.
local function outcome(target, case, kind, id)
  local site = { plan = case.plan, kind = kind }
  local ok, result = pcall(function ()
    prepare(target, site)
    local it = Case.new(target, site, case.state, 0)
    it.every = true
    for _, check in ipairs(site.checks) do
      if check.id == id then
        local path, text, blamed = check.run(it)
        return text and { path = path, text = text, blamed = blamed, check = check, decided = it }
      end
    end
  end)
  if ok then return result end
  if type(result) ~= "table" then error(result, 0) end
  return { raised = result, code = first_code(result) }
end

--- The smallest case found with the same result, and that result.
local function smallest(target, site, state, id, code, where)
  local last
  local case = shrink.run({ plan = site.plan, state = state }, function (smaller)
    local made = outcome(target, smaller, site.kind, id)
    local same = made and made.code == code and (code ~= nil or made.text ~= nil)
    if same and made.raised and made.raised.where ~= where then same = false end
    if same then last = made end
    return same
  end, DEAR_TRIES[code] or TRIES, target.late)
  if not last then
    local late = target.late
    target.late = nil
    last = outcome(target, case, site.kind, id)
    target.late = late
  end
  return case, last
end

-- Runs -----------------------------------------------------------------------------------------

--- The checks and their results: { list = checks in order, by_id = { id -> row } }.
local function note_checks(run, checks)
  for _, check in ipairs(checks) do
    if not run.by_id[check.id] then
      local row = { id = check.id, text = check.text, property = check.property, cases = 0 }
      run.by_id[check.id] = row
      run.list[#run.list + 1] = row
    end
  end
end

local function add_failure(run, target, site, state, check)
  local case, made = smallest(target, site, state, check.id, nil)
  run.by_id[check.id].failed = true
  run.failures[#run.failures + 1] = {
    check = made and made.check or check, case = case, path = made and made.path,
    text = made and made.text or "it does not hold", blamed = made and made.blamed,
    decided = made and made.decided,
  }
end

--- A policy or property that fails while it runs ends the run.
local function add_break(run, target, site, state, raised, id)
  local case, made = smallest(target, site, state, id, first_code(raised), raised.where)
  made = made and made.raised
  run.broken = { case = case, raised = made or raised, alone = made ~= nil }
end

--- Whether the policy itself failed, rather than the random document being wrong.
local function is_break(raised)
  local code = first_code(raised) or ""
  return raised.where == "cycle" or raised.where == "property"
    or raised.where == "plan" and (code == "E-cycle" or code:find("^E%-policy%-") ~= nil)
end

local function try_state(run, target, site, state, turn)
  local running
  local ok, raised = pcall(function ()
    local it = Case.new(target, site, state, turn)
    for _, check in ipairs(site.checks) do
      local row = run.by_id[check.id]
      running = check.id
      if not row.failed and not (check.dear and site.number % DEAR ~= 0) then
        row.cases = row.cases + 1
        local _, fault = check.run(it)
        if fault then add_failure(run, target, site, state, check) end
        run.unsure = run.unsure or fault ~= nil and check.ends
        if run.unsure then return end
      end
    end
  end)
  if ok then
    run.cases = run.cases + 1
  elseif type(raised) ~= "table" then
    error(raised, 0)
  elseif raised.where == "time" then
    run.late = true
  elseif is_break(raised) then
    add_break(run, target, site, state, raised, running)
  else
    run.strange, run.why = run.strange + 1, run.why or raised.message
  end
end

local function measure(run, site)
  local use = site.sealed:use()
  for key, value in pairs(use) do run.use[key] = math.max(run.use[key] or 0, value) end
end

--- A site and some of its states; `ends()` before each returns whether time is over.
local function try_site(run, target, site, random, states, ends)
  local ok, raised = site.sealed ~= nil, nil
  if not ok then ok, raised = pcall(prepare, target, site) end
  if not ok then
    if type(raised) ~= "table" then error(raised, 0) end
    if not site.fixed and is_break(raised) then
      return add_break(run, target, site, draw.state(random, site), raised, "none")
    end
    run.strange, run.why = run.strange + 1, run.why or raised.message
    if site.fixed then run.cannot = raised end
    return
  end
  note_checks(run, site.checks)
  for i = 1, states do
    if run.broken or run.unsure or run.late or ends() then return end
    local state = draw.state(random, site)
    if site.kind == "tree" and not site.plan.groups and not site.plan.hosts
      and site.number % WITH_TASKS == 0 and i % 2 == 0 then
      draw.tasks(random, state, site.declared)
      if i % 4 == 0 then draw.waiting(random, state, site.declared) end
    end
    try_state(run, target, site, state, run.cases + i)
  end
  measure(run, site)
end

--- Given states of the whole plan, tried before random ones.
local function try_given(run, target, states)
  local site = target.whole
  site.number = DEAR -- all checks
  local ok, raised = pcall(prepare, target, site)
  if not ok then
    if type(raised) ~= "table" then error(raised, 0) end
    run.cannot = raised
    return
  end
  note_checks(run, site.checks)
  for _, state in ipairs(states) do
    if not (run.broken or run.unsure) then try_state(run, target, site, state, SEALS) end
  end
  run.given, run.cases = run.cases, 0
  measure(run, site)
end

--- A thousand siblings at once, or the whole of a large plan: the most that a policy takes.
local function try_crowd(run, target, random)
  local site, state = target.crowd(random)
  site.number = 1
  local ok, raised = pcall(prepare, target, site)
  if not ok then return run, raised end
  ok, raised = pcall(Case.decide, target, site, state)
  if ok then
    measure(run, site)
  elseif type(raised) ~= "table" then
    error(raised, 0)
  elseif is_break(raised) then
    add_break(run, target, site, state, raised, "none")
  end
end

--- `target`: core; texts of policies by their names in plans; policies(plan), those that a plan
-- uses, { loaded, declared, file, text } of each; site(random), the next plan; crowd(random), a
-- large one, or nil. opts: runs, seed, progress(done, total), watch (Run.watch; nil: no bound),
-- given (states of a plan, target.whole, that are tried first). The first case always begins,
-- however little time there is; `late` of the result: time ran out before others began.
function Run.of(target, opts)
  local run = { cases = 0, strange = 0, list = {}, by_id = {}, failures = {}, use = {} }
  local number, watch = 0, opts.watch or Run.watch(nil, 0)
  local function tell()
    if opts.progress then opts.progress(watch.done(run.cases, opts.runs), opts.runs) end
  end
  target.late = function ()
    tell()
    return watch.late()
  end
  local function ends()
    tell()
    run.late = run.late or run.cases > 0 and watch.over()
    return run.late
  end
  if opts.given then try_given(run, target, opts.given) end
  while run.cases < opts.runs and not (run.broken or run.cannot or run.unsure) and not ends() do
    number = number + 1
    if run.strange > 50 + 4 * run.cases then break end
    local random = Random.new(opts.seed * 1000003 + number)
    local site = target.site(random)
    site.number = number
    try_site(run, target, site, random, math.min(STATES, opts.runs - run.cases), ends)
  end
  run.plans = number
  if target.crowd and not run.broken and not run.unsure and opts.runs > 0 and not watch.late() then
    try_crowd(run, target, Random.new(opts.seed))
  end
  return run
end

return Run
