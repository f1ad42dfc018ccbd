-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- States as documents that were written: read again they decide the same, whatever they are of.

local allot = require "allot"
local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local gen_family = require "spec.support.cases.gen_family"
local gen_policy = require "spec.support.cases.gen_policy"
local gen_tight = require "spec.support.cases.gen_tight"
local host_world = require "spec.support.cases.host_world"
local json = require "dkjson"
local document = require "spec.support.cases.document"
local draw = require "allot.check.draw"
local property = require "spec.support.cases.property"
local queue_sites = require "spec.support.cases.queue_sites"
local queue_stream = require "spec.support.cases.queue_stream"
local Random = require "allot.check.random"
local shell = require "spec.support.house.shell"
local windows = require "spec.support.cases.windows"

--- What a state's text under a plan decides, without what it warns of, and what is written of it.
local function decided(sealed, text)
  local state, message = allot.state(sealed, text)
  assert(state, message)
  local decision = assert(allot.cycle(sealed, state))
  return decision:json():match '^(.-)"warnings"', assert(state:json())
end

--- Raises unless what is written of a state decides as it does, and is written of itself again.
local function same(sealed, state)
  local as_it_is, written = decided(sealed, document.encode(state))
  local read_again, again = decided(sealed, written)
  if as_it_is ~= read_again then error("decides otherwise: " .. written, 0) end
  if written ~= again then error("is written otherwise: " .. written .. again, 0) end
end

local function check(case)
  same(engine.sealed(case.plan, case.policy), case.state)
end

--- A tree whose leaves run tasks in sessions, with attributes that its policy declares.
local function with_tasks(seed)
  local case = gen.tree(seed)
  draw.tasks(Random.new(seed), case.state, {})
  return case
end

local function flights(seed)
  return gen_family.case(seed, { flights = true, windows = seed % 2 == 0 })
end

local function hosts(seed)
  return host_world.make(seed, { exclusive = true, given = true, make_way = true })
end

local function damped(seed)
  local case, random = gen.tree(seed), Random.new(seed)
  case.plan.options = { reclaim_interval = 60, claim_delay = 30 }
  for _, row in pairs(case.plan.groups and {} or case.state.consumers) do
    row.reclaimed_at = random:once_in(2) and case.state.now - random:int(0, 90) or nil
    row.waiting_since = random:once_in(2) and case.state.now - random:int(0, 60) or nil
    row.unlisted = random:once_in(3) and random:int(0, 9) or nil
  end
  return case
end

describe("a state that is written and read again", function ()
  it("states what leaves hold only where it was stated, not what their tasks have (C-13)",
    function ()
      local sealed = engine.sealed { version = 1, slots = 9,
        consumers = { { name = "a" }, { name = "b" } } }
      local state = assert(allot.state(sealed, document.encode { now = 1,
        consumers = { ["/b"] = { allocated = 2 } },
        tasks = { { id = "t", consumer = "/a", slots = 3 }, { id = "u", consumer = "/b" } } }))
      assert.same({ ["/b"] = { allocated = 2 } }, json.decode(state:json()).consumers)
    end)

  local function decides(name, make, runs)
    property("decides the same: " .. name, { runs = runs or 200, valid = engine.valid }, check,
      make)
  end
  decides("trees and reclaims in flight (C-1 ... C-7)", gen.tree)
  decides("policies of sites", gen_policy.case)
  decides("scarce slots", function (seed) return gen_tight.case(seed, true) end)
  decides("tasks and sessions (C-8, 5.6)", with_tasks)
  decides("times of leaves, for damping", damped)
  decides("loans (C-11)", gen.ledger)
  decides("several policies", gen.mixed)
  decides("families with slots on their way, and windows", flights)
  decides("hosts (H-14 ... H-19)", hosts)
  decides("jobs of queues", gen.queues)
  decides("jobs under limits, with resources and leases", queue_sites.case)

  property("decides the same at switches of windows (C-10)", { runs = 100, valid = engine.valid },
    function (case)
      if not engine.valid(case) then return end
      local sealed = engine.sealed(case.plan)
      for hour = 0, 23 do
        case.state.now, case.state.last = case.state.now + 3600, case.state.now
        same(sealed, case.state)
        if hour % 5 == 0 then case.state.last = nil end
      end
    end, windows.case)

  property("decides the same all along a stream of jobs", { runs = 20 }, function (case)
    local sealed = engine.sealed(case.plan)
    queue_stream.run(case, 20, function (state) same(sealed, state) end)
  end, queue_stream.case)
end)

-- What it says ---------------------------------------------------------------------------------

--- What is written of a state, decoded.
local function written(plan, state, policy)
  local sealed = engine.sealed(plan, policy)
  local made, message = allot.state(sealed, document.encode(state))
  assert(made, message)
  return json.decode(made:json())
end

local SITE = [[
return policy {
  name = "site",
  quota = { fill "all" {} },
  victims = order { "cost" },
  guards = { spare_tagged "gold" },
  task_attributes = {
    cost = { type = "integer", min = 0, max = 9, default = 1 },
    urgent = { type = "boolean", default = false },
  },
}
]]

describe("a written state", function ()
  it("says its schema, times and sizes, and what leaves have", function ()
    local plan = { version = 1, slots = 9, policy = "hybrid", consumers = {
      { name = "a", owned = 9, children = { { name = "b" }, { name = "c" } } },
    } }
    assert.same({ schema = "allot/state/v1", now = 7, now_rounded = true, last = 5, slots = 4,
                  consumers = {
      ["/a/b"] = { demand = 3, allocated = 2, unlisted = 1, reclaimed_at = -4, waiting_since = 6 },
    } }, written(plan, { now = 7, now_rounded = true, last = 5, slots = 4, consumers = {
      ["/a/b"] = { demand = 3, allocated = 2, unlisted = 1, reclaimed_at = -4, waiting_since = 6 },
      ["/a/c"] = { demand = 0, allocated = 0 },
    } }))
  end)

  it("says by group what several groups have", function ()
    local plan = { version = 1, policy = "hybrid", consumers = { { name = "a" } },
      groups = { cpu = { slots = 4 }, gpu = { slots = 2 } } }
    local state = { schema = "allot/state/v1", now = 0, slots = { gpu = 1 }, consumers = {
      ["/a"] = { demand = { gpu = 2 }, allocated = { cpu = 1, gpu = 1 } },
    }, tasks = { { id = "t", consumer = "/a", group = "gpu" } } }
    assert.same(state, written(plan, state))
  end)

  it("says all of hosts, sessions, tasks, reclaims and loans", function ()
    local plan = { version = 1, policy = "ownership", slots = 20,
      hosts = { h1 = { slots = 8 }, h2 = { slots = 8 }, ["h \"3\""] = { slots = 8 } },
      consumers = { { name = "a", owned = 10 }, { name = "b", owned = 10 } } }
    local state = { schema = "allot/state/v1", now = 100, consumers = {
      ["/a"] = { demand = 3, allocated = 6 }, ["/b"] = { demand = 9, allocated = 2 },
    }, hosts = {
      h1 = { slots = 7, closed = "drain", load = 1.25 },
      h2 = { slots = 8, closed = "reclaim", load = 2 },
      ["h \"3\""] = { slots = 8, exclusive_to = "/b", load = 0.007 },
    }, sessions = { { id = "s", consumer = "/a", priority = 3, preemption_rank = 2, created = 4,
      scheduling = "minimum", minimum = 1, demand = 5 } }, tasks = {
      { id = "t1", consumer = "/a", slots = 2, session = "s", host = "h1", slot = "7", started = 9,
        submitted = 8, preempted = 1 },
      { id = "t2", consumer = "/a" },
    }, reclaims = {
      { id = "r", consumer = "/a", slots = 3, tasks = { "t1", "t0" }, gone = 2, deadline = 130,
        ["for"] = { { consumer = "/b", slots = 1 } } },
      { consumer = "/b", slots = 1, ["for"] = { { consumer = "/a", slots = 1 } } },
    }, loans = { { lender = "/b", borrower = "/a", slots = 1 } } }
    assert.same(state, written(plan, state))
  end)

  it("says tags and attributes of tasks", function ()
    local state = { schema = "allot/state/v1", now = 0, consumers = { ["/a"] = { allocated = 2 } },
      tasks = {
        { id = "t1", consumer = "/a", tags = { "gold", "other" }, cost = 0,
          urgent = true },
        { id = "t2", consumer = "/a", urgent = false },
      } }
    assert.same(state, written({ version = 1, slots = 2, policy = "site.lua",
      consumers = { { name = "a" } } }, state, SITE))
  end)

  it("says all of jobs, use, resources and contracts", function ()
    local plan = { version = 1, policy = "preemption", resources = { lic = 3, gas = 2 },
      params = { preemptable_resources = { "lic" } }, queues = {
        { name = "q", priority = 9, slot_pool = "p", slot_share = 50 },
        { name = "r", priority = 3, slot_pool = "p", slot_share = 50 }, { name = "s" },
      }, hosts = { h1 = { slots = 8 }, h2 = { slots = 8 }, h3 = { slots = 8 } }, leases = {
        { name = "l", provider = "P", consumer = "C", slots = 10 },
        { name = "m", provider = "P", consumer = "C", slots = 10 },
      } }
    local state = { schema = "allot/state/v1", now = 1000, jobs = {
      { id = "17", queue = "q", slots = 2, submitted = 5, priority = -3,
        user = "ann", group = "lab", app = "cfd", run_limit = 60, resources = { lic = 1 } },
      { id = "b", queue = "s", state = "running", slots = 3, hosts = { h1 = 1, h2 = 2 },
        started = 900, ran = 150, suspended_for = 20, since = 990, preempted = 2,
        forced = true, backfill = { queue = "q", ["until"] = 1100 } },
      { id = "c", queue = "s", state = "running", hosts = { h1 = 1 }, backfill = {},
        resize = { grow = 3, granted = { h1 = 2 }, notifying = true } },
      { id = "d", queue = "r", state = "suspended", hosts = { h2 = 1 } },
      { id = "f", queue = "r", begin = 2000 },
      { id = "e", queue = "r", state = "stopped", hosts = { h3 = 1 }, exclusive = true },
    }, usage = { q = 70, s = 0 }, usage_rest = { q = 5 }, usage_at = 950,
      resources_preempted_at = { lic = 940 }, leases = {
        l = { provider = { available = 6, used = 1, demand = 2 }, consumer = { available = 4 },
          phase = "inactive", since = 12 },
      } }
    assert.same(state, written(plan, state))
  end)

  -- Lists are read and written by one table; the other keys are not.
  it("has every key that states are read by", function ()
    local sources, missing, count = "", {}, 0
    for _, path in ipairs(shell.lines "ls core/json/state/write*.c") do
      sources = sources .. shell.read(path)
    end
    for _, path in ipairs(shell.lines "ls core/json/state/state*.c") do
      for key in shell.read(path):gmatch '{"([%l_]+)", %(?ALLOT__' do
        local found = key == "sharing" -- of no version yet
          or sources:find('"' .. key .. '"', 1, true)
          or sources:find("ALLOT_ITEM_" .. key:sub(1, -2):upper(), 1, true)
        count = count + 1
        if not found then missing[#missing + 1] = path .. ": " .. key end
      end
    end
    assert.same({}, missing)
    assert.is_true(count > 20)
  end)
end)
