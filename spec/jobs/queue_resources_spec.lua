-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shared resources of jobs, and preempting for them (rules.md P-36, P-42; in the spirit of PV-12).

local allot = require "allot"
local engine = require "spec.support.cases.engine"
local json = require "dkjson"
local Random = require "allot.check.random"

local NOW = 100000

--- Queues proj1 above proj2, whose jobs end when they are preempted (P-41), and "soft" below, whose
--- jobs are suspended; `more` are further keys of the plan.
local function plan_of(more)
  local out = {
    version = 1, policy = "preemption", slots = 10,
    queues = {
      { name = "proj1", priority = 50, preemptive = true },
      { name = "proj2", priority = 20, preemptable = true, terminate_when = "PREEMPT" },
      { name = "soft", priority = 10, preemptable = true },
    },
    resources = { AppX = 5 },
    params = { preemptable_resources = { "AppX" } },
  }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

--- `count` jobs that hold, or ask for, so much of AppX each. Later ones were started earlier.
local function jobs(count, queue, state, amount, more)
  local out = {}
  for i = 1, count do
    local job = { id = queue .. "-" .. i, queue = queue, state = state, submitted = i }
    job.resources = amount and { AppX = amount }
    job.started = state ~= "pending" and NOW - 100 * i or nil
    for key, value in pairs(more or {}) do job[key] = value end
    out[i] = job
  end
  return out
end

local function join(...)
  local out = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #out + 1, out) end
  return out
end

--- What is decided: who starts, who is killed, who is suspended, and how many wait for what.
local function decide(plan, list, state)
  state = state or {}
  state.now, state.jobs = NOW, list
  local out = engine.cycle(plan, state)
  local function ids(orders)
    local found = {}
    for i, order in ipairs(orders) do found[i] = order.job end
    return table.concat(found, " ")
  end
  local waits = {}
  for _, queue in pairs(out.queues) do
    for why, count in pairs(queue.waits) do waits[why] = (waits[why] or 0) + count end
  end
  return {
    starts = ids(out.starts), kills = ids(out.kills), suspends = ids(out.suspends), waits = waits,
    at = out.resources_preempted_at,
  }
end

describe("P-42: a job starts only where enough of each resource is left", function ()
  it("of five licences three are held: two more jobs start", function ()
    local out = decide(plan_of { params = {} },
      join(jobs(3, "proj2", "running", 1), jobs(4, "proj1", "pending", 1)))
    assert.same({ "proj1-1 proj1-2", "", { resource = 2 } }, { out.starts, out.kills, out.waits })
  end)

  it("what is suspended or stopped holds what it has, and is resumed with it", function ()
    for state, starts in pairs { suspended = "", stopped = "" } do
      local list = join(jobs(5, "soft", state, 1), jobs(1, "proj1", "pending", 1))
      local out = decide(plan_of(), list)
      assert.same({ starts, { resource = 1 } }, { out.starts, out.waits }, state)
    end
    local out = engine.cycle(plan_of(), { now = NOW, jobs = jobs(5, "soft", "suspended", 1) })
    assert.equal(5, #out.resumes)
  end)

  it("who asks for none passes those that wait for it", function ()
    local other = { { id = "plain", queue = "proj1", submitted = 9 } }
    local out = decide(plan_of { params = {} },
      join(jobs(5, "proj2", "running", 1), jobs(1, "proj1", "pending", 1), other))
    assert.same({ "plain", { resource = 1 } }, { out.starts, out.waits })
  end)

  it("every resource that it asks for counts", function ()
    local plan = plan_of { resources = { AppX = 5, disk = { amount = 7 } } }
    local list = jobs(2, "proj1", "pending", 1)
    for _, job in ipairs(list) do job.resources.disk = 4 end
    local out = decide(plan, list)
    assert.same({ "proj1-1", { resource = 1 } }, { out.starts, out.waits })
  end)

  it("more than there are: it never starts, whoever holds some", function ()
    local out = decide(plan_of(),
      join(jobs(5, "proj2", "running", 1), jobs(1, "proj1", "pending", 6)))
    assert.same({ "", "", { resource = 1 } }, { out.starts, out.kills, out.waits })
  end)
end)

describe("P-42: a resource in PREEMPTABLE_RESOURCES is preempted for", function ()
  it("PV-12: five proj2 jobs hold five licences, two proj1 jobs come: two go for them", function ()
    local out = decide(plan_of { slots = 5 },
      join(jobs(5, "proj2", "running", 1), jobs(2, "proj1", "pending", 1)))
    -- The last started go first (P-10).
    assert.same({ "proj1-1 proj1-2", "proj2-1 proj2-2", {}, { AppX = NOW } },
      { out.starts, out.kills, out.waits, out.at })
  end)

  it("also where slots are free; who holds none stays, though started last", function ()
    local list = join(jobs(5, "proj2", "running", 1), jobs(1, "proj1", "pending", 1))
    list[1].resources = nil
    list[#list + 1] = {
      id = "more", queue = "proj2", state = "running", started = 1, resources = { AppX = 1 },
    }
    local out = decide(plan_of(), list)
    assert.same({ "proj1-1", "proj2-2", "" }, { out.starts, out.kills, out.suspends })
  end)

  it("one that the plan does not name is not", function ()
    local out = decide(plan_of { params = {} },
      join(jobs(5, "proj2", "running", 1), jobs(2, "proj1", "pending", 1)))
    assert.same({ "", "", { resource = 2 } }, { out.starts, out.kills, out.waits })
  end)

  it("jobs that would be suspended do not release it, and stay", function ()
    local out = decide(plan_of(),
      join(jobs(5, "soft", "running", 1), jobs(1, "proj1", "pending", 1)))
    assert.same({ "", "", "", { resource = 1 } },
      { out.starts, out.kills, out.suspends, out.waits })
  end)

  it("requeueing releases it as well (JOB_CONTROLS)", function ()
    local plan = plan_of()
    plan.queues[3].job_controls = { suspend = "requeue" }
    local out = decide(plan, join(jobs(5, "soft", "running", 1), jobs(1, "proj1", "pending", 2)))
    assert.same({ "proj1-1", "soft-1 soft-2" }, { out.starts, out.kills })
  end)

  it("no effect unless queue preemption is on", function ()
    local plan = plan_of()
    for _, queue in ipairs(plan.queues) do queue.preemptive, queue.preemptable = nil, nil end
    local out = decide(plan, join(jobs(5, "proj2", "running", 1), jobs(1, "proj1", "pending", 1)))
    assert.same({ "", "", { resource = 1 } }, { out.starts, out.kills, out.waits })
  end)

  it("A-10: all or nothing", function ()
    local list = join(jobs(2, "proj2", "running", 1), jobs(3, "soft", "running", 1),
      jobs(1, "proj1", "pending", 3))
    local out = decide(plan_of(), list)
    assert.same({ "", "", { resource = 1 } }, { out.starts, out.kills, out.waits })
    list[#list].resources.AppX = 2
    out = decide(plan_of(), list)
    assert.same({ "proj1-1", "proj2-1 proj2-2" }, { out.starts, out.kills })
  end)

  it("slots and resources together: whoever gives one of them goes", function ()
    local list = join(jobs(1, "soft", "running", nil, { slots = 6 }),
      jobs(4, "proj2", "running", 1), jobs(1, "proj1", "pending", 2, { slots = 5 }))
    local out = decide(plan_of(), list)
    -- Slots of the lower queue first; of its licences one is free, and proj2-1 has the other.
    assert.same({ "proj1-1", "proj2-1", "soft-1" }, { out.starts, out.kills, out.suspends })
  end)

  it("mini_job spares whom a larger holder makes needless", function ()
    local list = join(jobs(2, "proj2", "running", 1), jobs(1, "proj1", "pending", 3))
    list[#list + 1] = {
      id = "large", queue = "proj2", state = "running", started = 1, resources = { AppX = 3 },
    }
    assert.equal("proj2-1 proj2-2 large", decide(plan_of(), list).kills)
    local few = plan_of { params = { preemptable_resources = "AppX", preempt_for = "MINI_JOB" } }
    assert.equal("large", decide(few, list).kills)
  end)
end)

describe("P-36: PREEMPTION_WAIT_TIME", function ()
  local list = join(jobs(5, "proj2", "running", 1), jobs(1, "proj1", "pending", 1))

  it("until it is over nobody is preempted for the resource again", function ()
    for wait, ages in pairs { [300] = { 299, 300 }, [1000] = { 999, 1000 } } do
      local plan = plan_of {
        params = {
          preemptable_resources = "AppX", preemption_wait_time = wait > 300 and wait or nil,
        },
      }
      local at = { AppX = NOW - ages[1] }
      local out = decide(plan, list, { resources_preempted_at = at })
      assert.same({ "", "", { ["resource-wait"] = 1 }, at },
        { out.starts, out.kills, out.waits, out.at })
      out = decide(plan, list, { resources_preempted_at = { AppX = NOW - ages[2] } })
      assert.same({ "proj1-1", "proj2-1", { AppX = NOW } }, { out.starts, out.kills, out.at })
    end
  end)

  it("what is free meanwhile is given out, and another resource does not wait", function ()
    local at = { AppX = NOW - 1 }
    local out = decide(plan_of(), join(jobs(4, "proj2", "running", 1),
      jobs(1, "proj1", "pending", 1)), { resources_preempted_at = at })
    assert.same({ "proj1-1", "", at }, { out.starts, out.kills, out.at })
    local plan = plan_of {
      resources = { AppX = 5, Y = 1 }, params = { preemptable_resources = "AppX Y" },
    }
    out = decide(plan, {
      { id = "a", queue = "proj2", state = "running", resources = { Y = 1 } },
      { id = "b", queue = "proj1", resources = { Y = 1 } },
    }, { resources_preempted_at = at })
    assert.same({ "b", "a", { AppX = NOW - 1, Y = NOW } }, { out.starts, out.kills, out.at })
  end)

  it("victims that are wanted for their slots alone do not begin it", function ()
    local out = decide(plan_of { slots = 5 },
      join(jobs(5, "proj2", "running"), jobs(1, "proj1", "pending", 1)))
    assert.same({ "proj1-1", "proj2-1", {} }, { out.starts, out.kills, out.at })
  end)

  it("the decision says what the next state is to say", function ()
    local text = engine.text(plan_of(), { now = NOW, jobs = list })
    local told = json.decode(text).resources_preempted_at
    local next_list = join(jobs(4, "proj2", "running", 1), jobs(1, "proj1", "running", 1))
    next_list[#next_list + 1] = { id = "late", queue = "proj1", resources = { AppX = 1 } }
    local out = decide(plan_of(), next_list, { resources_preempted_at = told })
    assert.same({ "", { ["resource-wait"] = 1 }, told }, { out.kills, out.waits, out.at })
  end)
end)

describe("documents", function ()
  local function refused(plan, state, code, says)
    local sealed, message, report = allot.plan(plan, { file = "plan.json" })
    if sealed and state then
      sealed, message, report = allot.state(sealed, state, { file = "s" })
    end
    assert.is_nil(sealed, says)
    assert.equal(code, report[1].code, message)
    assert.truthy(report[1].message:find(says, 1, true), report[1].message)
    assert.is_true(report[1].line == 1 and report[1].col > 1)
  end
  local head = '{"version": 1, "slots": 4, "queues": [{"name": "q"}], '

  it("say what is wrong, and where", function ()
    for _, it in ipairs {
      { '"resources": {"a": -1}}', "E-range", "-1" },
      { '"resources": {"a": "x"}}', "E-type", '"x"' },
      { '"resources": {"a": {"amount": 1, "hosts": ["h"]}}}', "E-unsupported",
        '"hosts", allowed an amount alone' },
      { '"resources": {"a": {}}}', "E-missing", "amount" },
      { '"resources": {"": 1}}', "E-name", '""' },
      { '"resources": {"a": 1}, "params": {"preemptable_resources": "a b"}}',
        "E-unknown-resource", '"a b"' },
      { '"params": {"preemptable_resources": ["x"]}}', "E-unknown-resource", '"x"' },
      { '"resources": {"a": 1}, "params": {"preemption_wait_time": 400}}', "E-conflict",
        "preemptable_resources" },
      { '"resources": {"a": 1}, "params": {"preemptable_resources": "a", '
        .. '"preemption_wait_time": 299}}', "E-range", "299" },
    } do
      refused(head .. it[1], nil, it[2], it[3])
    end
    refused('{"version": 1, "slots": 4, "consumers": [{"name": "A"}], "resources": {"a": 1}}', nil,
      "E-queues", '"resources"')
    local plan = head .. '"resources": {"lic": 1}}'
    refused(plan, '{"now": 1, "jobs": [{"id": "1", "queue": "q", "resources": {"lik": 1}}]}',
      "E-unknown-resource", '"lik"')
    refused(plan, '{"now": 1, "jobs": [{"id": "1", "queue": "q", "resources": {"lic": -1}}]}',
      "E-range", "-1")
    refused(plan, '{"now": 1, "jobs": [], "resources_preempted_at": {"x": 1}}',
      "E-unknown-resource", '"x"')
  end)
end)

--- A plan and a state by chance: resources that fit what runs, or are more than there is.
local function draw(random)
  local function below(n) return random:int(0, n - 1) end
  local plan = plan_of {
    slots = 4 + below(12), resources = { AppX = below(8), Y = below(6) },
    params = {
      preemptable_resources = ({ "AppX", "Y", "AppX Y" })[1 + below(3)],
      preempt_for = below(2) == 0 and "MINI_JOB" or nil,
    },
  }
  local list, used = {}, 0
  for i = 1, 2 + below(14) do
    local state = ({ "pending", "running", "suspended" })[1 + below(3)]
    local slots = 1 + below(3)
    if state == "running" and used + slots > plan.slots then state = "pending" end
    if state == "running" then used = used + slots end
    list[i] = {
      id = "j" .. i, queue = ({ "proj1", "proj2", "soft" })[1 + below(3)], state = state,
      slots = slots, submitted = i, started = state == "running" and NOW - below(9) or nil,
      resources = below(4) > 0 and { AppX = below(4), Y = below(3) } or nil,
    }
  end
  return plan, list
end

it("by chance: what is held stays within what there is, and nobody goes for nothing", function ()
  local kills = 0
  for seed = 1, tonumber(os.getenv "ALLOT_RUNS") or 300 do
    local plan, list = draw(Random.new(seed))
    local out = engine.cycle(plan, { now = NOW, jobs = list })
    local by, held, now_held, started = {}, {}, {}, {}
    for _, job in ipairs(list) do by[job.id] = job end
    local function count(into, job, sign)
      for name, amount in pairs(job.resources or {}) do
        into[name] = (into[name] or 0) + sign * amount
      end
    end
    for _, job in ipairs(list) do
      if job.state ~= "pending" then count(held, job, 1); count(now_held, job, 1) end
    end
    for _, it in ipairs(out.kills) do count(now_held, by[it.job], -1) end
    for _, it in ipairs(out.starts) do
      started[it.job] = true
      count(now_held, by[it.job], 1)
      for name, amount in pairs(by[it.job].resources or {}) do
        assert(amount == 0 or now_held[name] <= plan.resources[name], "seed " .. seed)
      end
    end
    for _, list_of in ipairs { out.kills, out.suspends } do
      for _, it in ipairs(list_of) do
        kills = kills + 1
        local resumed = by[it["for"]].state == "suspended"
        assert(started[it["for"]] or resumed, "seed " .. seed)
      end
    end
    for name, amount in pairs(now_held) do
      assert(amount <= math.max(plan.resources[name], held[name] or 0), "seed " .. seed)
    end
  end
  assert.is_true(kills > 10)
end)
