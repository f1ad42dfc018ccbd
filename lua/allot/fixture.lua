-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Cases for policies' tests: a plan and a state from one line (fixture_text.lua), what a policy
--- decides about them, and assertions that say why they fail.
--
--     local fixture = require "allot.fixture"
--     local case = fixture("prod{own=10} dev{own=5}: prod wants 12 holds 8, dev wants 9 holds 7",
--       "fair.lua")
--     assert.gets(case, "prod", 2)
--
-- The policy is a ready-made name, a .lua file, or a policy's text; nothing: what the plan says.
-- Under busted the functions of `fixture.check` are assertions; elsewhere they return true, or
-- false and a message, and case:expect raises.

local apply = require "allot.apply"
local core = require "allot.core"
local coverage = require "allot.coverage"
local text = require "allot.fixture_text"

local fixture = { check = {} }

-- Policies -------------------------------------------------------------------------------------

local function read_file(path)
  local file, message = io.open(path, "rb")
  if not file then error("fixture: " .. message, 0) end
  local whole = file:read "a"
  file:close()
  return whole
end

--- Puts a policy into a plan; returns texts of policies by name.
local function use(plan, policy)
  policy = policy or plan.policy
  if type(policy) ~= "string" then return nil end
  if policy:find "return%s+policy" then
    plan.policy = "policy.lua"
    return { ["policy.lua"] = policy }
  end
  plan.policy = policy
  return policy:find "%.lua$" and { [policy] = read_file(policy) } or nil
end

-- Cases ----------------------------------------------------------------------------------------

local Case = {}
Case.__index = Case

-- Nobody has seen these: in them a path says more than a line.
local OURS = { ["plan.json"] = true, ["state.json"] = true }

--- Raises the first fault.
local function fail(what, message, report)
  local first = report and report[1] or {}
  if OURS[first.file] and first.path then message = first.path .. ": " .. first.message end
  local hint = first.hint and ("\n  hint: " .. first.hint) or ""
  error(("fixture: %s: %s%s"):format(what, message, hint), 0)
end

local function make(given, policy)
  local case = setmetatable({
    line = given.line, plan = given.plan, state = given.state, paths = given.paths,
    resolve = given.resolve, said = {},
  }, Case)
  case.policies = given.policies or use(case.plan, policy) or false
  return case
end

--- The case of a line, or of documents { plan = , state = }.
function fixture.case(given, policy)
  if type(given) == "string" then return make(text.read(given), policy) end
  return make({
    line = "documents", plan = given.plan, state = given.state, paths = {},
    resolve = function (path) return path end,
  }, policy)
end

local function log_to(said)
  return function (level, line, where)
    said[#said + 1] = ("%s: %s: %s"):format(where, level, line)
  end
end

--- What is decided, as the decision's document has it; the same table until the next step.
function Case:decide()
  if self.decision then return self.decision end
  local plan, message, report = core.plan(core.encode(self.plan),
    { file = "plan.json", policies = self.policies or nil, log = log_to(self.said) })
  if not plan then fail("plan", message, report) end
  local state
  state, message, report = core.state(plan, core.encode(self.state), { file = "state.json" })
  if not state then fail("state", message, report) end
  local made
  made, message, report = core.cycle(plan, state)
  if not made then fail("cycle", message, report) end
  self.made = made
  self.decision = assert(core.decode(made:json()))
  return self.decision
end

--- Why somebody gets what it gets, or a task goes: a consumer's path or short name, or an id.
function Case:explain(what)
  self:decide()
  local ok, path = pcall(self.resolve, what)
  local lines, message = self.made:explain(ok and path or what)
  return lines and table.concat(lines, "\n") or message
end

--- The case a cycle later, its decision carried out.
function Case:step()
  local after = make({
    line = self.line, plan = self.plan, paths = self.paths, resolve = self.resolve,
    policies = self.policies, state = apply.after(self.state, self:decide()),
  })
  after.said = self.said
  return after
end

--- The case in which nothing is left to do, and after how many cycles; nil and a message after
--- `most` (20).
function Case:settle(most)
  local case, cycles = self, 0
  while not apply.rests(case:decide()) do
    if cycles == (most or 20) then
      return nil, ("after %d cycles there is still something to do"):format(cycles)
    end
    case, cycles = case:step(), cycles + 1
  end
  return case, cycles
end

local function sum(list, path)
  local slots = 0
  for _, entry in ipairs(list) do
    if entry.consumer == path then slots = slots + entry.slots end
  end
  return slots
end

function Case:row(name)
  local path = self.resolve(name)
  for _, row in ipairs(self:decide().groups.default.consumers) do
    if row.path == path then return row end
  end
  error(("fixture: there is no consumer \"%s\""):format(name), 0)
end

--- Slots by consumer.
function Case:quota(name) return self:row(name).quota end
function Case:reserved(name) return self:row(name).held end
function Case:gets(name) return sum(self:decide().grants, self:row(name).path) end
function Case:gives_back(name) return sum(self:decide().reclaims, self:row(name).path) end

local FATES = {
  { "starts", "starts" }, { "resumes", "resumes" }, { "suspends", "is suspended" },
  { "kills", "is killed" },
}

--- What becomes of a task or job: "goes", "starts", "resumes", "is suspended", "is killed" or
--- "stays".
function Case:fate(id)
  local decision = self:decide()
  for _, reclaim in ipairs(decision.reclaims) do
    for _, task in ipairs(reclaim.tasks or {}) do
      if task == id then return "goes" end
    end
  end
  for _, fate in ipairs(FATES) do
    for _, order in ipairs(decision[fate[1]] or {}) do
      if (order.job or order.task) == id then return fate[2] end
    end
  end
  for _, list in ipairs { self.state.tasks or {}, self.state.jobs or {} } do
    for _, each in ipairs(list) do
      if each.id == id then return "stays" end
    end
  end
  error(("fixture: there is no task or job \"%s\""):format(id), 0)
end

-- Checks ---------------------------------------------------------------------------------------

local check = fixture.check

local function indent(lines) return "    " .. lines:gsub("\n", "\n    ") end

local function told(case, message, what)
  local said = case.said[1] and "\n  the policy said:\n"
    .. indent(table.concat(case.said, "\n")) or ""
  return ("%s\n  in: %s\n  why:\n%s%s"):format(message, case.line, indent(case:explain(what)), said)
end

--- A check of slots, of one consumer, or of several: { prod = 10, dev = 5 }.
local function slots_check(name, what)
  check[name] = function (case, who, slots)
    local wanted = type(who) == "table" and who or { [who] = slots }
    local list = {}
    for each in pairs(wanted) do list[#list + 1] = each end
    table.sort(list)
    for _, each in ipairs(list) do
      local is = case[name](case, each)
      if is ~= wanted[each] then
        return false, told(case, what:format(each, wanted[each], is), each)
      end
    end
    return true
  end
end

slots_check("quota", "%s: expected a quota of %s, it is %s")
slots_check("gets", "%s: expected to get %s idle slots, it gets %s")
slots_check("gives_back", "%s: expected to give back %s slots, it gives back %s")
slots_check("reserved", "%s: expected %s idle slots in its reserve, there are %s")

local function fate_check(name, fate)
  check[name] = function (case, ...)
    for _, id in ipairs { ... } do
      local is = case:fate(id)
      if is ~= fate then
        return false, told(case, ("%s: expected that it %s, but it %s"):format(id, fate, is), id)
      end
    end
    return true
  end
end

for name, fate in pairs {
  goes = "goes", stays = "stays", starts = "starts", resumes = "resumes",
  is_suspended = "is suspended", is_killed = "is killed",
} do
  fate_check(name, fate)
end

--- Carried out again and again, decisions come to an end, after at most `most` cycles.
function check.settles(case, most)
  local after, message = case:settle(most)
  if after then return true end
  return false, ("%s\n  in: %s"):format(message, case.line)
end

--- Nothing is to be done at all.
function check.rests(case)
  if apply.rests(case:decide()) then return true end
  local out = {}
  for _, list in ipairs { "grants", "reclaims", "starts", "resumes", "suspends", "kills" } do
    for _, entry in ipairs(case.decision[list] or {}) do
      out[#out + 1] = ("%s: %s %d"):format(list, entry.consumer or entry.job or entry.task,
        entry.slots or 1)
    end
  end
  return false, ("expected nothing to do, but there is:\n%s\n  in: %s")
    :format(indent(table.concat(out, "\n")), case.line)
end

--- Checks all that is listed, and raises: case:expect { quota = { prod = 10 }, goes = { "t1" } }.
function Case:expect(wanted)
  local list = {}
  for name in pairs(wanted) do list[#list + 1] = name end
  table.sort(list)
  for _, name in ipairs(list) do
    if not check[name] then error(("fixture: there is no check \"%s\""):format(name), 2) end
    local value = wanted[name]
    local ids = type(value) == "table" and value[1] ~= nil
    local ok, message
    if ids then
      ok, message = check[name](self, table.unpack(value))
    else
      ok, message = check[name](self, value ~= true and value or nil)
    end
    if not ok then error(message, 2) end
  end
  return self
end

-- Coverage -------------------------------------------------------------------------------------

--- Counts lines of policies from now on: of cases that are made later.
function fixture.cover() assert(core.coverage(true)) end

--- What of a policy's file ran since fixture.cover: the report of coverage.lua, and it in words.
function fixture.coverage(path)
  local counted = assert(core.coverage())
  local report = assert(coverage.report(read_file(path), path, counted[path]))
  return report, coverage.words(report, path)
end

--- Of a policy's file at least `least` percent (100) of the lines ran.
function check.covered(path, least)
  local report, words = fixture.coverage(path)
  if report.percent >= (least or 100) then return true end
  return false, ("expected %d %% of the lines to run\n%s"):format(least or 100, words)
end

--- The same for a teardown: raises.
function fixture.covered(path, least)
  local ok, message = check.covered(path, least)
  if not ok then error(message, 2) end
end

-- Under busted ---------------------------------------------------------------------------------

local function register(luassert)
  for name, of in pairs(check) do
    luassert:register("assertion", name, function (state, arguments)
      local ok, message = of(table.unpack(arguments, 1, arguments.n))
      state.failure_message = not ok and message or ("expected otherwise of \"%s\""):format(name)
      return ok
    end)
  end
end

if package.loaded["luassert"] then register(package.loaded["luassert"]) end

return setmetatable(fixture, { __call = function (_, ...) return fixture.case(...) end })
