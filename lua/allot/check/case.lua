-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- One random case of `allot check`: decided, and checked.

local invariants = require "allot.check.invariants"
local invariants_queues = require "allot.check.invariants_queues"
local properties = require "allot.check.properties"
local whole = require "allot.check.whole"

local Case = {}
Case.__index = Case

-- Cases ----------------------------------------------------------------------------------------

--- Failures while a case is decided are raised as a table: where ("plan", "state", "cycle",
-- "property", or "time": no time is left), and the report.
local function fail(where, message, report)
  error({ where = where, message = message, report = report or {} }, 0)
end

--- Seals a site's plan. `texts` are policies' texts by their names in plans.
function Case.seal(core, texts, plan)
  local sealed, message, report = core.plan(core.encode(plan), {
    file = "plan.json", policies = texts,
  })
  if not sealed then fail("plan", message, report) end
  return sealed
end

local function read(core, sealed, state)
  local now, message, report = core.state(sealed, core.encode(state), { file = "state.json" })
  if not now then fail("state", message, report) end
  return now
end

--- The text of the decision about a state that has been read, and the decision.
local function answer(core, sealed, now)
  local decision, message, report = core.cycle(sealed, now)
  if not decision then fail("cycle", message, report) end
  return decision:json(), decision
end

local function decide(core, sealed, state)
  local text, made = answer(core, sealed, read(core, sealed, state))
  return core.decode(text), made
end

--- Decides a state of a sealed site without checks.
function Case.decide(target, site, state)
  answer(target.core, site.sealed, read(target.core, site.sealed, state))
end

--- Decides a state of a sealed site. `target` has core, texts, policies(plan), and may have
-- late(), which ends a case that has begun.
function Case.new(target, site, state, turn)
  local it = setmetatable({
    target = target, site = site, plan = site.plan, state = state, turn = turn,
    tasks = state.tasks ~= nil or state.hosts ~= nil,
    waits = whole.concerns(state) and not state.hosts,
  }, Case)
  site.limits = site.limits or {}
  site.twins = site.twins or properties.twins(site.plan)
  it.twins = site.twins
  it.limits_of = function (group)
    site.limits[group] = site.limits[group]
      or invariants.limits(site.plan, group, site.limit_names, site.percents)
    return site.limits[group]
  end
  it.decide = function (other) return it:look(other) end
  it.reseal = function (plan, other)
    local ok, view = pcall(function ()
      local sealed = Case.seal(target.core, target.texts, plan)
      local decision = decide(target.core, sealed, other)
      return invariants.view(plan, other, decision)
    end)
    return ok and view or nil
  end
  it.settled = function () return it:rest().view end
  it.read = read(target.core, site.sealed, state)
  it.text, it.made = answer(target.core, site.sealed, it.read)
  it.decision = target.core.decode(it.text)
  it.view = invariants.view(it.plan, state, it.decision, it.limits_of)
  return it
end

--- The view of another state's decision, its document, and the decision.
function Case:look(state)
  if self.target.late and self.target.late() then fail "time" end
  local decision, made = decide(self.target.core, self.site.sealed, state)
  return invariants.view(self.plan, state, decision, self.limits_of), decision, made
end

--- The state that a decision leads to, at the same time; where tasks wait, a second later, so that
--- tasks that start now have run less.
function Case:after(made)
  local after, message, report = (made or self.made):apply { seconds = self.waits and 1 or 0 }
  if not after then fail("state", message, report) end
  return self.target.core.decode(after:json())
end

-- Rest -----------------------------------------------------------------------------------------

--- Cycles after which nothing more is decided: two where quotas depend on demand (C-6), this many
-- where they depend on allocation.
local FEW, MANY = 2, 32

--- All allocations as a text, with running tasks where some wait.
local function allotment(view)
  local out = {}
  for _, task in ipairs(whole.concerns(view.state) and view.state.tasks or {}) do
    out[#out + 1] = task.state ~= "pending" and task.id or nil
  end
  for _, it in ipairs(view.groups) do
    for _, row in ipairs(it.group.consumers) do out[#out + 1] = row.allocated end
  end
  return table.concat(out, " ")
end

local function changes(decision)
  return #decision.grants > 0 or #decision.reclaims > 0
end

--- Cycles after which nothing more may be decided: one more at a switch of windows, which first
-- enforces ownership whatever the demand (C-10). Whole tasks take one or two more (C-13). Where
-- claimants may not take from all (takes, guards that read the claimant), slots that came back for
-- one may go to another, whom `distribute` puts first, and are claimed again: one slot a cycle at
-- least.
function Case:cycles()
  local held = 0
  for _, it in ipairs(self.site.takes and self.view.groups or {}) do
    held = held + it.group.allocated
  end
  return held + (self.site.plain and not self.waits and FEW or MANY)
    + (self.state.reclaims and 1 or 0) + (self.plan.windows and 1 or 0)
end

--- Runs cycles until nothing is decided: { cycles, view } then; { again = views } when an
-- earlier allocation returns; { } when there is no end. Computed once.
function Case:rest()
  if self.rested then return self.rested end
  local state, decision, view, made = self.state, self.decision, self.view, self.made
  local seen, views, most = {}, {}, self:cycles()
  self.rested = { most = most }
  for cycle = 0, math.max(most, MANY) do
    if not changes(decision) and not state.reclaims then
      self.rested = { cycles = cycle, view = view, most = most }
      break
    end
    local key = not state.reclaims and not state.loans and allotment(view)
    if key and seen[key] then
      self.rested = { again = { table.unpack(views, seen[key]) }, most = most }
      break
    end
    views[#views + 1] = view
    if key then seen[key] = #views end
    state = self:after(made)
    view, decision, made = self:look(state)
  end
  return self.rested
end

--- The consumer whose allocation goes up and down, and by how much.
local function restless(views)
  for i, it in ipairs(views[1].groups) do
    for _, row in ipairs(it.group.consumers) do
      local least, most, richest = row.allocated, row.allocated, row
      for _, view in ipairs(views) do
        local other = view.groups[i].rows[row.path]
        if other.allocated > most then most, richest = other.allocated, other end
        least = math.min(least, other.allocated)
      end
      if most > least and not it.inner[row.path] then return row.path, least, most, richest end
    end
  end
end

--- A consumer that is granted slots and gives back as many.
local function swaps(view)
  local reclaim = view.decision.reclaims[1]
  local path = reclaim and reclaim.consumer
  return path, ("it gives back %d and is granted as many, cycle after cycle, for ever"):format(
    reclaim and reclaim.slots or 0), path
end

--- Does a pending task take the place of one that runs, by the policy's `inside`?
local function by_inside(views)
  for _, view in ipairs(views or {}) do
    for _, reclaim in ipairs(view.decision.reclaims) do
      if reclaim.why.code == "inside" then return reclaim end
    end
  end
end

--- Tasks that take each other's place.
local function inside_rests(it)
  local reclaim = not it.site.damped and by_inside(it:rest().again)
  if reclaim then
    return reclaim.consumer, ("its task %s takes the place of %s, which comes back in turn, and so "
      .. "on for ever"):format(reclaim.why.pending, reclaim.tasks[1])
  end
end

local function rests(it)
  if it.site.damped then return end
  local rest = it:rest()
  if by_inside(rest.again) then return end
  if rest.again then
    local path, least, most = restless(rest.again)
    if not path then return swaps(rest.again[1]) end
    return path, ("it holds %d slots, then %d, then %d again, and so on for ever, though nobody "
      .. "wants anything else: slots go to and fro"):format(least, most, least), path
  elseif not rest.cycles or rest.cycles > rest.most then
    return nil, ("slots still move after %d cycles, though nobody wants anything else"):format(
      rest.most)
  end
end

--- The first job that is stopped at once.
local function stopped(decision)
  for _, kind in ipairs { "suspends", "kills" } do
    for _, order in ipairs(decision[kind]) do
      if order.job and not order.held then return order end
    end
  end
end

--- The same for jobs: which run and which wait.
local function jobs_rest(it)
  local state, decision, made, seen = it.state, it.decision, it.made, {}
  for _ = 1, MANY do
    local order = stopped(decision)
    if not order then return end
    local states = {}
    for i, job in ipairs(state.jobs or {}) do
      states[i] = job.id .. " " .. (job.state or "pending")
    end
    local key = table.concat(states, " ")
    if seen[key] then
      return order.job, ("it is started and stopped again and again, now for %s"):format(
        order["for"] or "others")
    end
    seen[key] = true
    local leases = state.leases
    state = it:after(made)
    state.leases = leases
    _, decision, made = it:look(state)
  end
end

-- Checks ---------------------------------------------------------------------------------------

local TELLING = { "quota", "granted", "exact", "allocated" }

--- Keys of a row, the most informative first.
local function keys_of(row)
  local keys = {}
  for key, value in pairs(row) do
    if type(value) ~= "table" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  return table.move(keys, 1, #keys, #TELLING + 1, { table.unpack(TELLING) })
end

--- The first consumer whose row differs in two decisions, and how.
local function difference(one, other)
  for i, it in ipairs(one.groups) do
    for _, row in ipairs(it.group.consumers) do
      local now = other.groups[i].rows[row.path]
      for _, key in ipairs(keys_of(row)) do
        if now[key] ~= row[key] then
          return row.path, ("its %s is %s, and then %s"):format(key, row[key], now[key])
        end
      end
    end
  end
  return nil, "the decisions differ"
end

local function answers_alike(it)
  local core = it.target.core
  local text = answer(core, it.site.sealed, it.read)
  if text == it.text and it.turn % 64 == 0 then
    local sealed = Case.seal(core, it.target.texts, it.plan)
    text = answer(core, sealed, read(core, sealed, it.state))
  end
  if text == it.text then return end
  local decision = core.decode(text)
  local path, how = difference(it.view, invariants.view(it.plan, it.state, decision, it.limits_of))
  return path, how .. ", of the same plan and state", path
end

local function of_invariant(it)
  return {
    id = it.id, code = "E-invariant", text = it.text,
    run = function (each)
      if each.tasks then return end
      local path, fault = it.check(each.view)
      return path, fault, path
    end,
  }
end

local function of_queues(it)
  return {
    id = it.id, code = "E-invariant", text = it.text,
    run = function (each)
      local jobs = each:after().jobs or {}
      return it.check(each.plan, each.state, each.decision, jobs)
    end,
  }
end

local ALIKE = {
  id = "same-answer", code = "E-same-answer", run = answers_alike, ends = true,
  text = "the same plan and state give the same answer",
  hint = "a function of the policy remembers something from call to call: what it returns may go "
    .. "by its row alone",
}
local REST = {
  id = "rest", code = "E-rest", text = "cycle after cycle comes to rest",
  run = function (it) if not it.tasks or it.waits then return rests(it) end end,
  hint = "let quotas go by demand, need and what the plan says, rather than by allocated",
}
--- Of policies that have `inside`.
Case.INSIDE_REST = {
  id = "inside-rest", code = "E-rest", key = "inside",
  text = "no tasks of a leaf take each other's place in turn",
  run = function (it) if it.waits then return inside_rests(it) end end,
  hint = "of two tasks let one take the other's place, and not both: higher \"priority\"",
}
local TASKS_WHOLE = {
  id = "tasks-whole", code = "E-invariant",
  text = "a task starts with all its slots, which are those that are granted for it",
  run = function (it)
    local path, fault = whole.tasks_whole(it.view)
    return path, fault, path
  end,
}
local JOBS_REST = {
  id = "rest", code = "E-rest", text = "no jobs take each other's place in turn", run = jobs_rest,
  hint = "of two queues let one preempt the other, and not both: higher \"priority\"",
}

--- The checks for every site of a kind, "tree", "books" or "queues".
function Case.checks(kind, plan)
  local out = { ALIKE }
  if kind == "queues" then
    for _, it in ipairs(invariants_queues.ALL) do out[#out + 1] = of_queues(it) end
    out[#out + 1] = JOBS_REST
    return out
  end
  for _, it in ipairs(invariants.ALL) do
    local told = not (kind == "books" and it.loose == true) and not (plan.hosts and it.placed)
    if told then out[#out + 1] = of_invariant(it) end
  end
  out[#out + 1] = TASKS_WHOLE
  out[#out + 1] = REST
  return out
end

--- A property with a known name.
function Case.known(name)
  local it = properties.KNOWN[name]
  return {
    id = name, code = "E-property", text = it.text, property = name, dear = it.dear,
    run = function (each)
      local try = not each.tasks and it.try or each.waits and it.whole
      if try then return try(each) end
    end,
  }
end

--- A policy's own property, the i-th of those declared.
function Case.own(policy, i, text)
  return {
    id = text, code = "E-property", text = text, property = text, own = true,
    run = function (each)
      each.spoke = true
      local after = each:after()
      for _, it in ipairs(each.view.groups) do
        local holds, message, report = policy:judge(i, {
          plan = each.plan, state = each.state, decision = each.decision, group = it.name,
          rows = it.rows, after = after,
        })
        if holds == nil then fail("property", message, report) end
        if not holds then return nil, message ~= "" and message or "it does not hold" end
      end
    end,
  }
end

return Case
