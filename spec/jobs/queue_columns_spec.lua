-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What policies may ask of jobs: columns that go by who preempts are victims' keys alone; and a
--- load that is told, be it 0, is what it says (A-3).

local allot = require "allot"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local kit = require "spec.support.cases.queue_kit"

local function plan_of(policy)
  return {
    version = 1, policy = policy or "preemption", hosts = kit.hosts(2, 2),
    queues = { { name = "high", priority = 9, preemptive = true }, { name = "low" } },
  }
end

--- The only finding about a policy.
local function refused(text)
  local plan, _, report = allot.plan(document.encode(plan_of { use = "site.lua" }), {
    policies = { ["site.lua"] = text },
  })
  assert.is_nil(plan)
  return report[1]
end

describe("a column that goes by who preempts", function ()
  for name, rules in pairs {
    ["a guard's function"] = "guards = {\n guard 'g' (function (preference) return true end) }",
    ["a guard's value"] = "guards = {\n guard 'g' { value = 'queue_order', max = 1 } }",
    ["a key's function"] = "victims =\n order { function (queue_order, load) return load end }",
    ["a descending key's function"] =
      "victims =\n order { desc (function (preference) return preference end) }",
    ["dispatch"] = "dispatch =\n order { 'preference' }",
    ["a function of dispatch"] = "dispatch =\n order { function (preference) return 1 end }",
  } do
    it("is refused in " .. name, function ()
      local it = refused(
        "return policy { name = 'site', preempts = relation { preemptive_or_preemptable },\n"
        .. rules .. " }")
      assert.matches("goes by who preempts, so only a key of victims names it", it.message, 1, true)
      assert.equal("site.lua", it.file)
    end)
  end

  it("is not known to a row, when it is asked", function ()
    local sealed = engine.sealed(plan_of { use = "site.lua" }, [[return policy {
      name = "site", preempts = relation { preemptive_or_preemptable },
      guards = { guard "g" (function (job) return job.preference == 0 end) },
    }]])
    local fine, message = pcall(engine.decide, sealed, {
      now = 1, jobs = kit.join(kit.burst("high", 3, 2), { kit.running("l", "low", "h1", 2) }),
    })
    assert.is_false(fine)
    assert.matches("'preference' goes by who preempts", message, 1, true)
  end)

  it("is a key of victims, and a row has all others", function ()
    local sealed = engine.sealed(plan_of { use = "site.lua" }, [[return policy {
      name = "site", preempts = relation { preemptive_or_preemptable },
      victims = order { desc "preference", "queue_order", function (job) return job.ran end },
      guards = { guard "g" (function (job) return job.queue_priority < 5 end) },
    }]])
    local text = engine.decide(sealed, { now = 9, jobs = {
      kit.running("a", "low", "h1", 2, { ran = 5 }), kit.running("b", "low", "h2", 2, { ran = 4 }),
      { id = "p", queue = "high" },
    } })
    assert.matches('{"job": "b", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "action": "susp',
      text, 1, true)
  end)
end)

describe("a host's load (A-3)", function ()
  --- On which host a job starts where h1 has one slot in use of two, h2 none.
  local function host_of(loads)
    local decision = engine.cycle(plan_of(), {
      now = 9, hosts = loads, jobs = { kit.running("r", "low", "h1"), { id = "p", queue = "low" } },
    })
    return next(decision.starts[1].hosts)
  end

  it("is the part of its slots in use, where nobody told it", function ()
    assert.equal("h2", host_of(nil))
    assert.equal("h2", host_of { h1 = { slots = 2 } })
    assert.equal("h1", host_of { h2 = { load = 0.6 } })
  end)
  it("is what is told, be it 0", function ()
    assert.equal("h1", host_of { h1 = { load = 0 } })
    assert.equal("h1", host_of { h1 = { load = 0 }, h2 = { load = 0 } })
    assert.equal("h2", host_of { h1 = { load = 0.1 }, h2 = { load = 0 } })
  end)
  it("that is null is not told", function ()
    local plan = engine.sealed(plan_of())
    local text = [[{"now": 9, "hosts": {"h1": {"load": null}}, "jobs": [
      {"id": "r", "queue": "low", "state": "running", "hosts": {"h1": 1}},
      {"id": "p", "queue": "low"}]}]]
    assert.matches('"hosts": {"h2": 1}',
      assert(allot.cycle(plan, assert(allot.state(plan, text)))):json(), 1, true)
  end)
end)
