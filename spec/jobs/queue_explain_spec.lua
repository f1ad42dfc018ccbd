-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Why a job waits or goes: the numbers in the sentences are those that the documents and the model
--- come to, and what is said to have spared a job does.

local engine = require "spec.support.cases.engine"
local gen = require "spec.support.cases.gen"
local kit = require "spec.support.cases.queue_kit"
local property = require "spec.support.cases.property"
local room = require "spec.support.model.queue_room"
local world = require "spec.support.model.queue_world"

local hosts, running = kit.hosts, kit.running

local function explained(plan, state, id)
  local document, decision = engine.cycle(plan, state)
  return assert(decision:explain(id)), document
end

--- The numbers of the first line that a pattern finds, as one text; nil: there is none.
local function numbers(lines, pattern)
  for _, line in ipairs(lines) do
    local found = { line:match(pattern) }
    if found[1] then return table.concat(found, " ") end
  end
end

-- ---- Why pending -------------------------------------------------------------------------------

local ROOM = "(%d+) slots? open: (%d+) with running jobs.-, (%d+) free for it%. It needs (%d+)%."
local SUM = "^(%d+) free and (%d+) that may go are (%d+) of the (%d+) it needs: (%d+) too few"

local function queues(low, high)
  low.name, low.priority = "low", 1
  high = high or {}
  high.name, high.priority = "high", 9
  if high.preemptive == nil then high.preemptive = true end
  return { high, low }
end

-- What each says: the reason's words, then patterns and the numbers that the documents come to.
local VECTORS = {
  { "too few slots are free, and there is no job to preempt", "P-5",
    { hosts = hosts(1, 5), queues = queues({}, { preemptive = false }) },
    { running("l", "low", "h1", 3), { id = "p", queue = "high", slots = 4 } },
    { ROOM, "5 3 2 4" },
    { "^  /low, with (%d+) job %((%d+) slots%) there: neither", "1 3" } },
  { "a limit binds", "P-23",
    { hosts = hosts(1, 9), queues = queues({}, { qjob_limit = 5 }) },
    { running("h", "high", "h1", 3), { id = "p", queue = "high", slots = 4 } },
    { "at most (%d+) slots, (%d+) used", "5 3" },
    { "With its (%d+) it would be (%d+), (%d+) above", "4 7 2" } },
  { "the queue has what it may of its slice of the pool", "Q-34",
    { hosts = hosts(1, 4), queues = {
      { name = "a", priority = 2, slot_pool = "P", slot_share = 25 },
      { name = "b", priority = 1, slot_pool = "P", slot_share = 75 } } },
    { { id = "p0", queue = "a" }, { id = "p", queue = "a" }, { id = "b", queue = "b", slots = 3 } },
    { "pool P of (%d+) slots: its slice is (%d+) %((%d+) %%, Q%-30%), and its jobs use (%d+)",
      "4 1 25 1" } },
  { "the pool has MAX_SLOTS_IN_POOL", "Q-3",
    { hosts = hosts(1, 9), queues = {
      { name = "a", slot_pool = "P", slot_share = 100, max_slots_in_pool = 5 } } },
    { running("a", "a", "h1", 3), { id = "p", queue = "a", slots = 4 } },
    { "lets pool P use (%d+) slots, and its queues use (%d+): (%d+) are left", "5 3 2" } },
  { "PREEMPT_DELAY is not over", "P-35",
    { hosts = hosts(1, 1), queues = queues({}, { preempt_delay = 300 }) },
    { running("l", "low", "h1"), { id = "p", queue = "high", submitted = 99880 } },
    { "PREEMPT_DELAY is (%d+) s, and it has waited (%d+) s%. In (%d+) s", "300 120 180" } },
  { "the jobs in the way are protected", "P-30",
    { hosts = hosts(1, 7), queues = queues { max_job_preempt = 2 } },
    { running("l", "low", "h1", 3, { preempted = 2 }), running("k", "low", "h1", 2),
      { id = "p", queue = "high", slots = 6 } },
    { "(%d+) job %((%d+) slots%): protected by max_job_preempt %(P%-30%)", "1 3" },
    { SUM, "2 2 4 6 2" }, { "If no job were protected, it would be (%d+): enough", "7" } },
  { "preempting would not make enough room", "A-10",
    { hosts = hosts(1, 8), queues = queues({}, {}) },
    { running("h", "high", "h1", 5), running("l", "low", "h1", 2),
      { id = "p", queue = "high", slots = 6 } },
    { SUM, "1 2 3 6 3" },
    { "^  /high, with (%d+) job %((%d+) slots%) there: jobs of one", "1 5" } },
  { "jobs in the way are being notified of new slots first", "A-15",
    { hosts = hosts(1, 2), queues = queues({}, {}) },
    { running("l", "low", "h1", 2, { resize = { grow = 1, notifying = true } }),
      { id = "p", queue = "high" } },
    { "It is to preempt (l) of /low", "l" } },
  { "no host is empty", "P-40",
    { hosts = hosts(2, 2), queues = queues({}, { preemptive = false }) },
    { running("l", "low", "h1"), running("k", "low", "h2"),
      { id = "p", queue = "high", exclusive = true } },
    { ROOM, "4 2 2 1" },
    { "and (%d+) of these are empty", "0" } },
  { "the queue's hosts have fewer slots than the job asks for", "P-23",
    { hosts = hosts(2, 3), queues = queues({}, { hosts = { "h1" } }) },
    { { id = "p", queue = "high", slots = 4 } },
    { "have (%d+) slots in all", "3" } },
  { "the slots are leased out, or their lease is inactive", "L-7",
    { hosts = hosts(1, 5), queues = queues({}, { preemptive = false }), leases = {
      { name = "L", provider = "P", consumer = "C", hosts = { h1 = 5 } } } },
    { { id = "p", queue = "high", slots = 5 } },
    { "(%d+) leased out.-, (%d+) free for it%. It needs (%d+)%.", "1 4 5" } },
}

describe("why a job waits:", function ()
  for _, vector in ipairs(VECTORS) do
    it(vector[1] .. " (" .. vector[2] .. ")", function ()
      local plan = vector[3]
      plan.version = 1
      local lines = explained(plan, { now = 100000, jobs = vector[4] }, "p")
      local text = table.concat(lines, "\n")
      assert.equal("It waits: " .. vector[1] .. ".", numbers(lines, "^It waits: .*$"), text)
      for i = 5, #vector do
        assert.equal(vector[i][2], numbers(lines, vector[i][1]), vector[i][1] .. " in\n" .. text)
      end
    end)
  end

  it("a suspended one: its own slots are not counted twice against it (P-22, P-23)", function ()
    local lines = explained({ version = 1, hosts = hosts(1, 9),
      queues = queues({}, { qjob_limit = 5 }) }, {
      now = 9, jobs = { running("h", "high", "h1", 3),
        { id = "p", queue = "high", state = "suspended", hosts = { h1 = 4 } } },
    }, "p")
    assert.equal("5 3", numbers(lines, "at most (%d+) slots, (%d+) used by running jobs"))
    assert.equal("4 7 2", numbers(lines, "With its (%d+) it would be (%d+), (%d+) above"))
  end)

  -- a, which has its turn first, used so much that its slice is cut last: of 4 slots b gets 2 and c
  -- 1, so 1 is a's. But c uses 2 already: what is free is what b lacks.
  it("its queue leaves to those before it in the pool's order what they lack (Q-43)", function ()
    local function share(name, priority, percent)
      return { name = name, priority = priority, slot_pool = "P", slot_share = percent }
    end
    local plan = { version = 1, hosts = hosts(1, 4), queues = {
      share("a", 9, 49), share("b", 5, 50), share("c", 1, 1) } }
    local state = { now = 100000, usage_at = 100000, usage = { a = 1000000 }, jobs = {
      running("c", "c", "h1", 2), { id = "p", queue = "a" }, { id = "b1", queue = "b" },
      { id = "b2", queue = "b" }, { id = "b3", queue = "b" } } }
    local KEPT = "^Of that it might use (%d+) when it had its turn: what was free besides is for "
    for id, expected in pairs { p = "0", b3 = false } do
      local lines = explained(plan, state, id)
      assert.equal(expected or nil, numbers(lines, KEPT), table.concat(lines, "\n"))
      assert.equal(not expected, numbers(lines, "(more than its slice)") ~= nil)
    end
    assert.equal("0", numbers(explained(plan, state, "/a"), KEPT))
    assert.is_nil(numbers(explained(plan, state, "/b"), KEPT))
  end)

  -- l sees what m, which has its turn before it, still keeps; m does not see what l keeps.
  it("a suspended one: what others keep whose turn is before its own (P-25)", function ()
    local plan = { version = 1, hosts = hosts(2, 4), queues = {
      { name = "high", priority = 9 }, { name = "mid", priority = 5 },
      { name = "low", priority = 1 } } }
    local function told(more)
      local l = { id = "l", queue = "low", state = "suspended", slots = 3,
        hosts = { h1 = 1, h2 = 2 } }
      for key, value in pairs(more or {}) do l[key] = value end
      local state = { now = 9, jobs = { running("r", "high", "h1", 2),
        { id = "m", queue = "mid", state = "suspended", slots = 3, hosts = { h1 = 3 } }, l } }
      return explained(plan, state, "l"), explained(plan, state, "m")
    end
    local LACKS = "On h1 it needs (%d+) slots?; others run on.- all but (%d+): it lacks (%d+)%."
    local l, m = told()
    assert.equal("1 0 1", numbers(l, LACKS))
    assert.truthy(numbers(l, "or keep, suspended before it (%(P%-25%))"))
    assert.truthy(numbers(l, "On h2 it has room"))
    assert.equal("3 2 1", numbers(m, LACKS))
    assert.is_nil(numbers(m, "or keep"))
  end)

  it("a suspended one: what its own hosts lack (A-12)", function ()
    local lines = explained({ version = 1, hosts = hosts(2, 4), queues = queues {} }, {
      now = 9, jobs = { running("h", "high", "h1", 3),
        { id = "p", queue = "low", state = "suspended", slots = 3, hosts = { h1 = 2, h2 = 1 } } },
    }, "p")
    assert.equal("2 1 1", numbers(lines, "On h1 it needs (%d+) slots; others run on all but (%d+): "
      .. "it lacks (%d+)"))
    assert.truthy(numbers(lines, "On h2 it has room"))
  end)
end)

-- ---- Random ------------------------------------------------------------------------------------

local function claim(truth, text, ...)
  if not truth then error(text:format(...), 0) end
end

local function holds(name, check, opts, runs)
  property(name, { runs = runs or 150, valid = engine.valid }, check, function (seed)
    return gen.queues(seed, opts)
  end)
end

--- The model's world behind a decision, and what became of jobs by id. Nothing where slots are kept
--- for one whose victims are held back.
local function behind(case, decision)
  for _, order in ipairs(decision.suspends) do
    if order.held then return nil end
  end
  local after = engine.after(decision, { seconds = 0 })
  local w = world.read(case.plan, {
    now = case.state.now, jobs = after.jobs, hosts = case.state.hosts,
  })
  w.limits = room.limits(w)
  return w, engine.fates(decision)
end

local function on_hosts(job, queue)
  local slots = 0
  for host, count in pairs(job.hosts) do
    slots = slots + ((not queue.hosts or queue.hosts[host]) and count or 0)
  end
  return slots
end

local function free_for(w, queue)
  local sum = 0
  for _, host in ipairs(w.hosts) do
    local free = (not queue.hosts or queue.hosts[host.name]) and room.free(w, host, queue, {}) or 0
    sum = sum + math.max(0, free)
  end
  return sum
end

describe("of a job that waits", function ()
  holds("what is free, and who of whom runs there, is what the model counts", function (case)
    local document, decision = engine.cycle(case.plan, case.state)
    local w = behind(case, document)
    for _, job in ipairs(w and w.jobs or {}) do
      local lines = decision:explain(job.id)
      local told = numbers(lines, ", (%d+) free for it")
      if told then
        claim(tonumber(told) == free_for(w, job.queue), "%s: %s free, not %d", job.id, told,
          free_for(w, job.queue))
      end
      for _, low in ipairs(told and not numbers(lines, "^Queues of pools (preempt)") and w.queues
        or {}) do
        local jobs, slots = 0, 0
        for _, other in ipairs(w.jobs) do
          local runs = other.state == "running" and other.queue == low
          local shares = runs and on_hosts(other, job.queue) or 0
          if shares > 0 then jobs, slots = jobs + 1, slots + shares end
        end
        local may = world.may(job.queue, low)
        local said = numbers(lines, "^  /" .. low.name .. (may
          and " %(PRIORITY.-%): (%d+) jobs? %((%d+) slots?%) there"
          or ", with (%d+) jobs? %((%d+) slots?%) there: "))
        if said or jobs > 0 and numbers(lines, "^It may (.*) preempt") then
          claim(said == jobs .. " " .. slots, "%s, /%s: %s, not %d %d", job.id, low.name,
            tostring(said), jobs, slots)
        end
      end
    end
  end, { pools = false, limits = false })

  holds("whom it may preempt, and who of them is protected, is what the model counts",
    function (case)
      local document, decision = engine.cycle(case.plan, case.state)
      local w, fates = behind(case, document)
      local before = world.read(case.plan, case.state)
      for _, job in ipairs(w and w.jobs or {}) do
        local lines = decision:explain(job.id)
        local said = numbers(lines, "^%d+ free and (%d+) that may go")
        local may, safe = 0, 0
        for _, other in ipairs(before.jobs) do
          local stays = other.state == "running" and not fates[other.id]
          if said and stays and not other.exclusive and world.may(job.queue, other.queue) then
            local slots = on_hosts(other, job.queue)
            if world.protected(other) then safe = safe + slots else may = may + slots end
          end
        end
        claim(not said or tonumber(said) == may, "%s: %s may go, not %d", job.id, said, may)
        local all = numbers(lines, "If no job were protected, it would be (%d+)")
        claim(not all or tonumber(all) == free_for(w, job.queue) + may + safe,
          "%s: %s, not %d", job.id, all, free_for(w, job.queue) + may + safe)
      end
    end, { pools = false, limits = false })
end)

--- The plan and state with a job's application stating one thing more.
local function sparing(case, id, parameter, value)
  local plan, state = {}, {}
  for key, kept in pairs(case.plan) do plan[key] = kept end
  for key, kept in pairs(case.state) do state[key] = kept end
  plan.applications, state.jobs = { ["by-itself"] = {} }, {}
  for name, of in pairs(case.plan.applications or {}) do plan.applications[name] = of end
  for i, job in ipairs(case.state.jobs) do
    state.jobs[i] = {}
    for key, kept in pairs(job) do state.jobs[i][key] = kept end
    if job.id == id then
      for key, kept in pairs((plan.applications or {})[job.app] or {}) do
        plan.applications["by-itself"][key] = kept
      end
      state.jobs[i].app = "by-itself"
    end
  end
  plan.applications["by-itself"][parameter] = value
  return plan, state
end

--- The same with another job asking for less.
local function asking(case, id, less)
  local state = { jobs = {} }
  for key, kept in pairs(case.state) do state[key] = key == "jobs" and {} or kept end
  for i, job in ipairs(case.state.jobs) do
    state.jobs[i] = {}
    for key, kept in pairs(job) do state.jobs[i][key] = kept end
    if job.id == id then state.jobs[i].slots = (job.slots or 1) - less end
  end
  return case.plan, state
end

describe("of a job that is preempted", function ()
  holds("every parameter that is said to protect it does", function (case)
    local document, decision = engine.cycle(case.plan, case.state)
    for id, fate in pairs(engine.fates(document)) do
      if (fate.kind == "suspends" or fate.kind == "kills") and fate.order["for"] then
        for _, line in ipairs(decision:explain(id)) do
          local parameter, value = line:match "^  ([%l_]+) of (%d+) ?m?i?n?u?t?e?s? or %l+ %("
          if parameter then
            local again = engine.cycle(sparing(case, id, parameter, math.tointeger(value)))
            local kind = (engine.fates(again)[id] or {}).kind
            claim(kind ~= "suspends" and kind ~= "kills", "%s goes in spite of %s", id, line)
          end
        end
      end
    end
  end)

  holds("with so many slots asked for less it does not go for that job", function (case)
    local document, decision = engine.cycle(case.plan, case.state)
    for id, fate in pairs(engine.fates(document)) do
      local high = fate.order["for"]
      local less = high and numbers(decision:explain(id), "^With (%d+) more free there, or asked")
      if less then
        local again = engine.fates((engine.cycle(asking(case, high, math.tointeger(less)))))[id]
        claim(not again or again.order["for"] ~= high, "%s goes for %s with %s less", id, high,
          less)
        local plan, asked = asking(case, high, math.tointeger(less) - 1)
        local nearly = engine.fates((engine.cycle(plan, asked)))
        claim(nearly[id] and nearly[id].order["for"] == high, "%s stays with less than %s", id,
          less)
      end
    end
  end, { pools = false, limits = false }, 600)
end)
