-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `sync` under random clusters that change between calls, some of which are lost, come again, come
-- late, or have rows that are wrong: after each the books are what a plain model makes of the last
-- truth that came (spec/support/service/truth.lua; of jobs told_jobs.lua), and what is decided is
-- what allot decides for that truth. ALLOT_SEED=n repeats one case, ALLOT_RUNS=n runs so many.

local json = require "dkjson"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local heard = require "spec.support.house.heard"
local live = require "spec.support.service.live"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local truth = require "spec.support.service.truth"
local told = require "spec.support.service.told"
local told_jobs = require "spec.support.service.told_jobs"

local RUNS, CALLS, SITES = 1000, 6, 8

--- Without what is not of the truth: names that the service gives, what is said of the plan.
local function bare(decision)
  for _, reclaim in ipairs(decision.reclaims) do
    reclaim.id = nil
    -- All tasks of a host that is closed go: they stand in the order in which they came.
    if reclaim.why.code == "closed-host" and reclaim.tasks then table.sort(reclaim.tasks) end
  end
  decision.flights, decision.policy, decision.warnings = nil, nil, nil
  table.sort(decision.sessions, function (a, b) return a.id < b.id end)
  return decision
end

--- The first difference of two documents, or nothing.
local function difference(wanted, found, path)
  if type(wanted) ~= "table" or type(found) ~= "table" then
    return wanted ~= found and ("%s: wanted %s, found %s"):format(path, json.encode(wanted),
      json.encode(found))
  end
  for key, value in pairs(wanted) do
    local it = difference(value, found[key], path .. "." .. key)
    if it then return it end
  end
  for key, value in pairs(found) do
    if wanted[key] == nil then
      return ("%s.%s: found %s"):format(path, key, json.encode(value))
    end
  end
end

local function same(what, wanted, found)
  local it = difference(wanted, found, what)
  if it then error(it, 0) end
end

describe("sync", function ()
  local world = live.world()
  local service, seen

  local function call(method, params)
    local answer, fault = service:call(method, params)
    assert(answer, fault and method .. ": " .. fault.message)
    return answer
  end

  local function listed(list)
    local rows = call(list, { limit = 1000 })[list]
    for _, row in ipairs(rows) do row.reclaim, row.told = nil, nil end
    return rows
  end

  --- The books are the model's, and each reclaim in flight has tasks that are there and run,
  --- and that no other of its group has.
  local function check_books(model)
    local state = call "state"
    local taken = {}
    for _, flight in ipairs(state.reclaims or {}) do
      for _, id in ipairs(flight.tasks or {}) do
        same("task " .. id, flight.consumer, model.tasks[id] and model.tasks[id].consumer)
        same("waiting " .. id, nil, model.tasks[id].state)
        local part = id .. " " .. (flight.group or "")
        same("taken " .. part, nil, taken[part])
        taken[part] = flight.id
      end
    end
    model.flights = state.reclaims or {}
    local wanted = model:state(state.now)
    table.sort(state.tasks or {}, function (a, b) return a.id < b.id end)
    table.sort(state.sessions or {}, function (a, b) return a.id < b.id end)
    wanted.last, state.last, state.schema = nil, nil, nil
    same("state", wanted, state)
    for _, list in ipairs { "tasks", "sessions" } do
      same(list, model:rows(list) or {}, listed(list))
    end
    same("hosts", model:host_rows(), listed "hosts")
    same("flights", #model.flights, call "flights".count)
  end

  --- The call that is made, and what is there then.
  local function tell(site, model, params)
    local answer = call("sync", params)
    for _, it in ipairs(answer.dropped) do heard(it.error.message) end
    local known = params.key and model.keys[params.key]
    if not known then model:tell(params) end
    if params.key then model.keys[params.key] = true end
    local wanted = json.decode((engine.decide(site.sealed, model:state(answer.decision.now))))
    seen.reclaims = seen.reclaims + #wanted.reclaims
    seen.dropped = seen.dropped + answer.dropped_count
    same("decision", bare(wanted), bare(answer.decision))
    model:grant(answer.decision.grants)
    check_books(model)
    return answer
  end

  --- Told twice: nothing is entered, whether it comes with a key or not.
  local function tell_again(site, model, params)
    local answer = tell(site, model, params)
    same("entered", {}, answer.entered)
    seen.repeated = seen.repeated + 1
  end

  --- A truth that was overtaken changes nothing.
  local function tell_late(late)
    local before = { call "state", call "status".event }
    local answer, fault = service:call("sync", late)
    same("stale", "E-stale", fault and fault.data.code or answer)
    local after = { call "state", call "status".event }
    before[1].now, after[1].now = nil, nil
    same("late", before, after)
    seen.late = seen.late + 1
  end

  local function play(site, seed)
    local chance = random.new(seed)
    local model = truth.new(site.leaves, site.groups, site.planned)
    model.hosts = site.gone or {} -- of the cluster before
    local cluster = told.new(chance, site, seed)
    for _, source in ipairs(site.before or {}) do
      call("sync", { source = source, consumers = {}, tasks = {}, sessions = {} })
    end
    site.before = cluster.sources
    tell(site, model, { consumers = {}, tasks = {}, sessions = {}, slots = site.slots,
                        hosts = cluster:first_hosts(), at = cluster:time() })
    site.gone = model.hosts
    local last = {}
    for _ = 1, CALLS do
      cluster:change()
      local params = cluster:call()
      local source = params.source or ""
      if chance:once_in(6) then
        seen.lost = seen.lost + 1
      else
        tell(site, model, params)
        if chance:once_in(3) then tell_again(site, model, params) end
        if last[source] and last[source].at and params.at then tell_late(last[source]) end
        last[source] = params
      end
    end
  end

  -- Jobs, whose orders the books carry out --------------------------------------------------------

  --- The orders, without how long jobs ran, which no order goes by.
  local function bare_jobs(decision)
    local found = {}
    for _, kind in ipairs { "starts", "suspends", "resumes", "kills", "resizes" } do
      found[kind] = decision[kind] or {}
      for _, order in ipairs(found[kind]) do order.why.ran = nil end
    end
    return found
  end

  local function check_jobs(cluster)
    local rows = listed "jobs"
    for _, row in ipairs(rows) do
      row.ran, row.since, row.suspended_for = nil, nil, nil
      row.slots, row.state = row.slots or 1, row.state ~= "pending" and row.state or nil
      row.preempted = row.preempted ~= 0 and row.preempted or nil
    end
    same("jobs", cluster:rows(), rows)
  end

  local function play_jobs(site, seed)
    local chance = random.new(seed)
    local cluster = told_jobs.new(chance, seed, site.books)
    site.books = cluster.books
    for number = 0, CALLS do
      if number > 0 then cluster:change() end
      local params = number > 0 and cluster:call() or { jobs = {} }
      if chance:once_in(6) and number > 0 then
        seen.lost = seen.lost + 1
      else
        local answer = call("sync", params)
        for _, it in ipairs(answer.dropped) do heard(it.error.message) end
        cluster:tell(params)
        local wanted = json.decode((engine.decide(site.sealed,
          cluster:state(answer.decision.now))))
        seen.dropped = seen.dropped + answer.dropped_count
        seen.reclaims = seen.reclaims + #wanted.suspends
        same("decision", bare_jobs(wanted), bare_jobs(answer.decision))
        cluster:enter(answer.decision)
        check_jobs(cluster)
      end
    end
  end

  local function play_all(site, play_one, first, last)
    shell.write(world.folder .. "/plan.json", document.encode(site.plan))
    service = world.start "--interval 0 --debounce 60000"
    site.sealed = engine.sealed(site.plan)
    for seed = first, last, SITES do
      local ok, message = pcall(play_one, site, seed)
      if not ok then
        error(("ALLOT_SEED=%d, plan %s: %s"):format(seed, json.encode(site.plan),
          type(message) == "table" and tostring(message.message) or tostring(message)), 0)
      end
    end
  end

  before_each(function ()
    seen = { reclaims = 0, dropped = 0, repeated = 0, late = 0, lost = 0 }
  end)

  local only = tonumber(os.getenv "ALLOT_SEED" or "")
  local runs = property.runs(RUNS)
  for number = 1, math.min(SITES, only and 1 or runs) do
    local first = only or number
    it("makes the books what was told, at site " .. (first - 1) % SITES + 1, function ()
      play_all(told.site((first - 1) % SITES + 1), play, first, only or runs)
      for _, count in pairs(runs >= RUNS and not only and seen or {}) do
        assert.is_true(count > 0)
      end
    end)
    it("makes the books the jobs that were told, at site " .. (first - 1) % SITES + 1, function ()
      play_all(told_jobs.site((first - 1) % SITES + 1), play_jobs, first, only or runs)
    end)
  end
end)
