-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Runs many random cases, and reduces the failing ones.

local draw = require "allot.check.draw"
local Random = require "allot.check.random"
local shrink = require "allot.check.shrink"
local side = require "allot.check.side"
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

--- Whether a policy's text has a word, outside of comments.
local function says(text, word)
  return text:gsub("%-%-[^\n]*", ""):find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil
end

--- Whether quotas depend on plan and demand alone.
local function is_plain(declared, text)
  for _, word in ipairs { "allocated", "in_flight", "takes", "claimant" } do
    if says(text, word) then return false end
  end
  local function plain(source)
    return type(source) == "number" or type(source) == "string"
  end
  for _, fill in ipairs(declared.quota or {}) do
    local most = fill.up_to or "need"
    if fill.kind ~= "fill" or not plain(fill.by) or fill.order then return false end
    if not plain(most) and most.kind ~= "function" then return false end
  end
  return declared.enforce ~= "leaf" and declared.reclaim ~= false
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
  site.plain = #policies == 1 and is_plain(policies[1].declared, policies[1].text or "")
    and not site.plan.hosts
  for _, policy in ipairs(policies) do
    site.takes = site.takes or policy.declared.takes ~= nil or says(policy.text or "", "claimant")
  end
  site.declared = site.declared or policies[1] and policies[1].declared or {}
  site.damped = is_damped(site)
  site.limit_names = { "limit" }
  for _, it in ipairs(site.declared.attributes or {}) do
    if it.limit == true then table.insert(site.limit_names, it.name) end
    site.percents = site.percents or it.limit == "percent"
  end
  for _, policy in ipairs(policies) do
    if policy.declared.inside then site.checks[#site.checks + 1] = Case.INSIDE_REST end
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
  end, target.tries or DEAR_TRIES[code] or TRIES, target.late)
  if not last then
    local late = target.late
    target.late = nil
    last = outcome(target, case, site.kind, id)
    target.late = late
  end
  return case, last
end

-- Parts ----------------------------------------------------------------------------------------
--
-- A part of a run is a site with some of its states. What comes of a part depends on the seed, its
-- number and its size alone, so parts may be tried in any order and in other processes; they are
-- added up in the order of their numbers.

--- The checks and their results: { list = checks in order, by_id = { id -> row } }.
local function note_checks(to, checks)
  for _, check in ipairs(checks) do
    if not to.by_id[check.id] then
      local row = { id = check.id, text = check.text, property = check.property, cases = 0,
                    spoke = 0 }
      to.by_id[check.id] = row
      to.list[#to.list + 1] = row
    end
  end
end

local function new_part(number)
  return { number = number, cases = 0, strange = 0, list = {}, by_id = {}, failures = {}, use = {} }
end

--- Whether the policy itself failed, rather than the random document being wrong.
local function is_break(raised)
  local code = first_code(raised) or ""
  return raised.where == "cycle" or raised.where == "property"
    or raised.where == "plan" and (code == "E-cycle" or code:find("^E%-policy%-") ~= nil)
end

--- Tries a part's i-th state.
local function try_state(part, target, site, state, turn, i)
  local running
  local ok, raised = pcall(function ()
    local it = Case.new(target, site, state, turn)
    for _, check in ipairs(site.checks) do
      local row = part.by_id[check.id]
      running = check.id
      if not row.failed and not (check.dear and site.number % DEAR ~= 0) then
        it.spoke = false
        local _, fault = check.run(it)
        row.cases, row.spoke = row.cases + 1, row.spoke + (it.spoke and 1 or 0)
        row.failed = fault ~= nil
        if fault then part.failures[#part.failures + 1] = { id = check.id, state = i } end
        part.unsure = part.unsure or fault ~= nil and check.ends
        if part.unsure then return end
      end
    end
  end)
  if ok then
    part.cases = part.cases + 1
  elseif type(raised) ~= "table" then
    error(raised, 0)
  elseif raised.where == "time" then
    part.late = true
  elseif is_break(raised) then
    part.broken = { raised = raised, id = running, state = i }
  else
    part.strange, part.why = part.strange + 1, part.why or raised.message
  end
end

local function measure(to, use)
  for key, value in pairs(use) do to.use[key] = math.max(to.use[key] or 0, value) end
end

--- The site of a number, and its random numbers.
local function site_of(target, seed, number)
  local random = Random.new(seed * 1000003 + number)
  local site = target.site(random)
  site.number = number
  return site, random
end

--- The i-th state of a prepared site, after those before it.
local function draw_state(random, site, i)
  local state = draw.state(random, site)
  if site.kind == "tree" and not site.plan.groups and not site.plan.hosts
    and site.number % WITH_TASKS == 0 and i % 2 == 0 then
    draw.tasks(random, state, site.declared)
    if i % 4 == 0 then draw.waiting(random, state, site.declared) end
  end
  return state
end

--- The part of a number with so many states; ends(cases) before each returns whether time is over.
local function try_part(target, seed, number, states, ends)
  local part = new_part(number)
  local site, random = site_of(target, seed, number)
  local ok, raised = pcall(prepare, target, site)
  if not ok then
    if type(raised) ~= "table" then error(raised, 0) end
    if not site.fixed and is_break(raised) then
      part.broken = { raised = raised, id = "none", state = 1 }
    else
      part.strange, part.why, part.cannot = 1, raised.message, site.fixed and raised or nil
    end
    return part
  end
  note_checks(part, site.checks)
  for i = 1, states do
    if part.broken or part.unsure or part.late then break end
    part.late = ends(part.cases)
    if part.late then break end
    try_state(part, target, site, draw_state(random, site, i), number * STATES + i, i)
  end
  if not part.broken then measure(part, site.sealed:use()) end
  return part
end

-- Runs -----------------------------------------------------------------------------------------

--- A part's i-th state again, and its site.
local function again(target, seed, part, i)
  if part.given then return part.site, part.given[i] end
  local site, random = site_of(target, seed, part.number)
  local state
  if pcall(prepare, target, site) then
    for k = 1, i do state = draw_state(random, site, k) end
  end
  return site, state or draw.state(random, site)
end

local function add_failure(run, target, site, state, id)
  local case, made = smallest(target, site, state, id, nil)
  local check = made and made.check
  for _, it in ipairs(site.checks) do
    if it.id == id then check = check or it end
  end
  run.failures[#run.failures + 1] = {
    check = check, case = case, path = made and made.path,
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

--- Adds the next part to a run: checks that have failed take no more part.
local function add_part(run, target, part)
  local failed = {}
  note_checks(run, part.list)
  for _, it in ipairs(part.failures) do
    if not run.by_id[it.id].failed then
      failed[it.id] = true
      local site, state = again(target, run.seed, part, it.state)
      add_failure(run, target, site, state, it.id)
    end
  end
  for _, it in ipairs(part.list) do
    local row = run.by_id[it.id]
    if not row.failed then
      row.cases, row.spoke, row.failed = row.cases + it.cases, row.spoke + it.spoke, failed[it.id]
    end
  end
  if part.broken then
    local site, state = again(target, run.seed, part, part.broken.state)
    add_break(run, target, site, state, part.broken.raised, part.broken.id)
  end
  if part.cases + part.strange > 0 then run.plans = run.plans + 1 end
  run.cases, run.strange = run.cases + part.cases, run.strange + part.strange
  run.why, run.cannot = run.why or part.why, run.cannot or part.cannot
  run.unsure, run.late = run.unsure or part.unsure, run.late or part.late
  measure(run, part.use)
end

--- Given states of the whole plan, tried before random ones.
local function try_given(run, target, states)
  local site, part = target.whole, new_part(0)
  site.number = DEAR -- all checks
  local ok, raised = pcall(prepare, target, site)
  if not ok then
    if type(raised) ~= "table" then error(raised, 0) end
    run.cannot = raised
    return
  end
  note_checks(part, site.checks)
  part.site, part.given = site, states
  for i, state in ipairs(states) do
    if not (part.broken or part.unsure) then try_state(part, target, site, state, SEALS, i) end
  end
  measure(part, site.sealed:use())
  add_part(run, target, part)
  run.given, run.cases, run.plans = run.cases, 0, 0
end

--- A thousand siblings at once, or the whole of a large plan: the most that a policy takes.
local function try_crowd(run, target, random)
  local site, state = target.crowd(random)
  site.number = 1
  local ok, raised = pcall(prepare, target, site)
  if not ok then return run, raised end
  ok, raised = pcall(Case.decide, target, site, state)
  if ok then
    measure(run, site.sealed:use())
  elseif type(raised) ~= "table" then
    error(raised, 0)
  elseif is_break(raised) then
    add_break(run, target, site, state, raised, "none")
  end
end

--- Tries one part after the other: work(i) tries it, take(part) adds it up and returns whether to
--- end.
local function in_turn(count, work, take)
  for i = 1, count do
    local part = work(i)
    if take(part) or part.late then return end
  end
end

--- As many parts as the cases that a run lacks may need; whether the run has ended.
local function try_round(run, target, opts, watch, tell)
  local before, lacks, ended = run.number, opts.runs - run.cases, false
  local count = (lacks + STATES - 1) // STATES
  local function work(i, apart)
    local number = before + i
    return try_part(target, run.seed, number, math.min(STATES, lacks - (i - 1) * STATES),
      function (cases)
        if not apart then tell(cases) end
        return (cases > 0 or number > 1 and (apart or run.cases > 0)) and watch.over()
      end)
  end
  local spread = opts.host and side(target.core, opts.host, in_turn) or in_turn
  run.lost = spread(count, work, function (part)
    add_part(run, target, part)
    ended = run.broken or run.cannot or run.unsure or run.strange > 50 + 4 * run.cases
    return ended
  end)
  run.number = before + count
  return ended or run.late or run.lost
end

--- `target`: core; texts of policies by their names in plans; policies(plan), those that a plan
-- uses, { loaded, declared, file, text } of each; site(random), the next plan; crowd(random), a
-- large one, or nil; `tries`, how many smaller cases of a failure are tried (nil: many). opts:
-- runs, seed, progress(done, total), watch (Run.watch; nil: no bound), given (states of a plan,
-- target.whole, that are tried first), host (starts processes that try parts side by side; nil: in
-- turn). The first case always begins, however little time there is;
-- `late` of the result: time ran out before others began; `lost`: a process was, which is reported.
function Run.of(target, opts)
  local run = { cases = 0, strange = 0, list = {}, by_id = {}, failures = {}, use = {}, plans = 0,
                number = 0, seed = opts.seed }
  local watch = opts.watch or Run.watch(nil, 0)
  local function tell(more)
    local cases = run.cases + (more or 0)
    if opts.progress then opts.progress(watch.done(cases, opts.runs), opts.runs) end
  end
  target.late = function ()
    tell()
    return watch.late()
  end
  if opts.given then try_given(run, target, opts.given) end
  local done = run.broken or run.cannot or run.unsure
  while run.cases < opts.runs and not done do
    done = try_round(run, target, opts, watch, tell)
  end
  if target.crowd and not (run.broken or run.unsure or run.lost) and opts.runs > 0
    and not watch.late() then
    try_crowd(run, target, Random.new(opts.seed))
  end
  return run
end

return Run
