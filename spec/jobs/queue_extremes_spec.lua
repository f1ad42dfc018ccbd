-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Jobs and hosts at the edges of what is allowed, and reasons that go by a job's size.

local engine = require "spec.support.cases.engine"
local kit = require "spec.support.cases.queue_kit"

local MOST = 1000000000 -- of anything

local function suspended(id, queue, slots)
  return { id = id, queue = queue, state = "suspended", slots = slots, hosts = { h1 = slots } }
end

describe("the largest amounts", function ()
  it("suspended jobs keep more slots than a number of 32 bits has (P-25)", function ()
    local plan = {
      version = 1, policy = "preemption", hosts = { h1 = { slots = MOST } },
      queues = { { name = "top", priority = 9, preemptive = { "bottom" } } },
    }
    local jobs = { { id = "waits", queue = "top" } }
    for i = 1, 4 do
      plan.queues[i + 1] = { name = "q" .. i, priority = 5 }
      jobs[i + 1] = suspended("j" .. i, "q" .. i, MOST)
    end
    plan.queues[6] = { name = "bottom", priority = 1 }
    local out = engine.cycle(plan, { now = 0, jobs = jobs })
    assert.same({}, out.starts)
    assert.same({ slots = 1 }, out.queues.top.waits)
    assert.equal("j1", out.resumes[1].job) -- one of them has the whole host again (P-26)
    assert.equal(1, #out.resumes)
  end)

  it("what runs beside it is granted as much again (P-53)", function ()
    local plan = {
      version = 1, policy = "preemption", hosts = { h1 = { slots = MOST } },
      queues = {
        { name = "top", priority = 9, preemptive = true },
        { name = "a", priority = 3 }, { name = "b", priority = 2 },
      },
    }
    local jobs = { { id = "waits", queue = "top", slots = MOST } }
    for _, name in ipairs { "a", "b" } do
      jobs[#jobs + 1] = kit.running(name .. 1, name, "h1", MOST,
        { resize = { granted = { h1 = MOST } } })
    end
    local out = engine.cycle(plan, { now = 0, jobs = jobs })
    assert.equal("waits", out.starts[1].job)
    assert.equal(2, #out.suspends)
    assert.equal(MOST, out.suspends[1].cancelled)
  end)
end)

describe("why a job waits goes by its own size", function ()
  local plan = {
    version = 1, policy = "preemption", hosts = { h1 = { slots = 6 } },
    queues = {
      { name = "top", priority = 9, preemptive = true }, { name = "same", priority = 9 },
      { name = "low", priority = 1, max_job_preempt = 1 },
    },
  }
  local running = {
    kit.running("s1", "same", "h1", 4), kit.running("l1", "low", "h1", 1, { preempted = 1 }),
    kit.running("l2", "low", "h1", 1, { preempted = 1 }),
  }

  local function waits(...)
    local jobs = { table.unpack(running) }
    for i, slots in ipairs { ... } do
      jobs[#jobs + 1] = { id = "p" .. i, queue = "top", slots = slots, submitted = i }
    end
    return engine.cycle(plan, { now = 100, jobs = jobs }).queues.top.waits
  end

  it("protected jobs are in the way of what fits without them (P-30), in any order", function ()
    assert.same({ protected = 1 }, waits(2))
    assert.same({ slots = 1 }, waits(3))
    assert.same({ protected = 1, slots = 1 }, waits(2, 3))
    assert.same({ protected = 2, slots = 2 }, waits(3, 2, 5, 1))
  end)
end)

describe("a limit on jobs of some hosts (P-23), as jobs grow (P-50)", function ()
  local function grown(limit, hosts)
    limit.name = "few"
    local plan = {
      version = 1, policy = "preemption", hosts = kit.hosts(2, 4),
      queues = { { name = "q", priority = 5 } }, limits = { limit },
    }
    local job = kit.running("grows", "q", "h1", 3, { resize = { grow = 3 } })
    local other = kit.running("other", "q", "h2", 1)
    local out = engine.cycle(plan, { now = 0, jobs = { job, hosts ~= false and other or nil } })
    return out.resizes[1].hosts
  end

  it("it counts on a host that it comes to, not where it is", function ()
    assert.same({ h1 = 1 }, grown { jobs = 1, per_host = true })
    assert.same({ h1 = 1, h2 = 2 }, grown { jobs = 2, per_host = true })
    assert.same({ h1 = 1, h2 = 2 }, grown({ jobs = 1, per_host = true }, false))
  end)

  it("it counts once on hosts together", function ()
    assert.same({ h1 = 1 }, grown { jobs = 1, hosts = { "h2" } })
    assert.same({ h1 = 1, h2 = 2 }, grown { jobs = 2, hosts = { "h2" } })
    assert.same({ h1 = 1, h2 = 2 }, grown { jobs = 2, hosts = { "h1", "h2" } })
    assert.same({ h1 = 1, h2 = 2 }, grown { jobs = 2 })
  end)

  it("what it was given elsewhere counts until it has it (P-52)", function ()
    local plan = {
      version = 1, policy = "preemption", hosts = kit.hosts(2, 4),
      queues = { { name = "q", priority = 5 } },
      limits = { { name = "few", jobs = 1, per_host = true } },
    }
    local job = kit.running("grows", "q", "h1", 4, { resize = { granted = { h2 = 1 } } })
    local out = engine.cycle(plan, { now = 0, jobs = { job, { id = "waits", queue = "q" } } })
    assert.same({ limit = 1 }, out.queues.q.waits)
  end)
end)

describe("what would have kept a job from being preempted", function ()
  it("is not said in slots where a resource was wanting too (P-42)", function ()
    local plan = {
      version = 1, policy = "preemption", hosts = { h1 = { slots = 3 } }, resources = { lic = 1 },
      params = { preemptable_resources = { "lic" } },
      queues = {
        { name = "top", priority = 9, preemptive = true },
        { name = "low", priority = 1, terminate_when = { "PREEMPT" } },
      },
    }
    local function said(resources)
      local _, decision = engine.cycle(plan, { now = 1000, jobs = {
        kit.running("v", "low", "h1", 1, { resources = { lic = 1 } }),
        kit.running("o", "top", "h1", 1), { id = "p", queue = "top", slots = 2,
          resources = resources },
      } })
      local text = table.concat(decision:explain("v"), " ")
      return text:find("With 1 more free there", 1, true) ~= nil
    end
    assert.is_true(said(nil))
    assert.is_false(said { lic = 1 })
  end)
end)

describe("what it is that a job waits for", function ()
  local jobs = {
    { id = "s1", queue = "low", state = "stopped", slots = 2, hosts = { h1 = 2 }, user = "ann" },
    { id = "s2", queue = "low", state = "stopped", slots = 2, hosts = { h2 = 2 }, user = "ann" },
    { id = "p", queue = "top", slots = 4, user = "ann" },
  }

  local function plan(words)
    return {
      version = 1, policy = { use = "preemption", preempt_for = words }, hosts = kit.hosts(2, 2),
      queues = { { name = "top", priority = 9, preemptive = true }, { name = "low" } },
      limits = { { name = "jlu", slots = 2, per_user = true, per_host = true } },
    }
  end

  it("is the limit of a host, where slots are free and nobody could go (P-21)", function ()
    local out, decision = engine.cycle(plan(nil), { now = 0, jobs = jobs })
    assert.same({ limit = 1 }, out.queues.top.waits)
    assert.truthy(table.concat(decision:explain("p"), " "):find(
      "PREEMPT_FOR says HOST_JLU (P-21): with it 2 would be left there.", 1, true))
    assert.equal("p", engine.cycle(plan { "host_jlu" }, { now = 0, jobs = jobs }).starts[1].job)
  end)
end)
