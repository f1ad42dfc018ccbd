-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Columns of who submitted a job, and when; a limit of each user as a share of the queue; and
--- `across`: one order for jobs of all queues.

local allot = require "allot"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local Random = require "allot.check.random"

local function plan(more)
  local out = {
    version = 1, policy = "site.lua", hosts = { h = { slots = 2 } },
    queues = { { name = "high", priority = 9 }, { name = "low", priority = 1 } },
  }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function policy(rules)
  return ('return policy { name = "site", preempts = false, %s }'):format(rules)
end

local function pending(id, queue, more)
  local out = { id = id, queue = queue, slots = 1, state = "pending", submitted = 10 }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function started(rules, jobs, more)
  local made = engine.cycle(plan(more), { now = 100, jobs = jobs }, nil, policy(rules))
  local out = {}
  for i, order in ipairs(made.starts) do out[i] = order.job end
  return table.concat(out, " ")
end

describe("columns of jobs", function ()
  local jobs = {
    pending("a", "low", { user = "zoe", group = "x" }), pending("b", "low", { user = "ann" }),
    pending("c", "low"), pending("d", "low", { user = "zoe", group = "b", submitted = 90 }),
  }

  it("rank users and groups by name, and jobs without one before", function ()
    assert.equal("c b", started('dispatch = order { "user" }', jobs))
    assert.equal("a d", started('dispatch = order { desc "user" }', jobs))
    assert.equal("a d", started('dispatch = order { desc "group" }', jobs))
  end)

  it("are the same whatever the order in which names appear", function ()
    local turned = { jobs[4], jobs[3], jobs[2], jobs[1] }
    assert.equal("b c", started([[dispatch = order {
      function (user) return user == 1 and 0 or user + 1 end }]], turned))
  end)

  it("count from users of jobs alone, not from those that limits name", function ()
    assert.equal("b a", started([[dispatch = order {
      function (user) return user == 1 and 0 or user == 2 and 1 or 9 end }]], jobs,
      { limits = { { users = { "aaa" }, slots = 5 } } }))
  end)

  it("tell how long a job has waited", function ()
    assert.equal("a b", started('dispatch = order { desc "waited" }', jobs))
    assert.equal("d a", started([[dispatch = order {
      function (waited) return waited > 50 and 1 or 0 end }]], jobs))
  end)

  it("are columns of tasks, too: waited, and no user", function ()
    local made = engine.cycle({ version = 1, slots = 4, policy = "site.lua",
      consumers = { { name = "a", owned = 2 }, { name = "b", owned = 2 } } }, {
      now = 100, consumers = { ["/b"] = { demand = 2 } }, tasks = {
        { id = "x", consumer = "/a", slots = 2, submitted = 10, started = 20 },
        { id = "y", consumer = "/a", slots = 2, submitted = 50, started = 60 },
      },
    }, nil, [[return policy {
      name = "site", quota = { fill "owned" { by = "owned", up_to = "owned" } },
      victims = order { function (waited, user, group)
        return waited == 90 and user == 0 and group == 0 and 0 or 1
      end },
    }]])
    assert.same({ "x" }, made.reclaims[1].tasks)
  end)
end)

describe("a limit of each user as a share of the queue", function ()
  local jobs = {}
  for i, user in ipairs { "ann", "ann", "ann", "bob", "ann", "bob" } do
    jobs[i] = pending("j" .. i, "low", { user = user })
  end

  local function runs(queue, rules)
    return started(rules or 'dispatch = order { "submitted" }', jobs, {
      hosts = { h = { slots = 9 } }, queues = { queue },
    })
  end

  it("is rounded down, but one slot at least", function ()
    assert.equal("j1 j2 j4 j6", runs { name = "low", qjob_limit = 8, ujob_limit = "25%" })
    assert.equal("j1 j2 j4 j6", runs { name = "low", qjob_limit = 8, ujob_limit = "37%" })
    assert.equal("j1 j4", runs { name = "low", qjob_limit = 8, ujob_limit = "1%" })
    assert.equal("j1 j2 j3 j4 j5 j6", runs { name = "low", qjob_limit = 6, ujob_limit = "200%" })
    assert.equal("j1 j2 j3 j4", runs { name = "low", qjob_limit = 4, ujob_limit = "75%" })
  end)
end)

describe("across", function ()
  local jobs = {
    pending("h", "high", { priority = 1 }), pending("l", "low", { priority = 5 }),
    pending("m", "low", { priority = 3 }), pending("n", "high", { priority = 3, submitted = 20 }),
  }

  it("sets jobs of all queues in one order", function ()
    assert.equal("n h", started('dispatch = order { desc "priority" }', jobs))
    assert.equal("l m", started('dispatch = order { desc "priority" }, across = true', jobs))
    assert.equal("h l", started('dispatch = order { "priority" }, across = true', {
      jobs[1], jobs[2],
    }))
    assert.equal("n h", started(
      'dispatch = order { desc "queue_priority", desc "priority" }, across = true', jobs))
  end)

  it("is what an explanation says of a job's turn", function ()
    local function turn(id, rules)
      local _, decision = engine.cycle(plan(), { now = 100, jobs = jobs }, nil, policy(rules))
      return table.concat((decision:explain(id)), "\n"):match "Its turn is .-%(P%-60%)"
    end
    assert.equal("Its turn is number 3 of 4, by queue and then by job (P-60)",
      turn("l", 'dispatch = order { desc "priority" }'))
    assert.equal("Its turn is number 4 of 4, by job, whatever its queue: the policy has across = "
      .. "true (P-60)", turn("h", 'dispatch = order { desc "priority" }, across = true'))
  end)

  it("leaves queues with fairshare by themselves", function ()
    local queues = {
      { name = "high", priority = 9, fairshare = true }, { name = "low", priority = 1 },
    }
    assert.equal("n h", started('dispatch = order { desc "priority" }, across = true', jobs,
      { queues = queues }))
  end)

  it("is refused where jobs preempt each other, and if it is no flag", function ()
    local function said(text)
      local _, _, report = allot.plan(document.encode(plan()), {
        policies = { ["site.lua"] = text },
      })
      return report[1].message
    end
    assert.matches("across = true sets jobs of all queues in one order, in which none preempts "
      .. "another: preempts = false", said 'return policy { name = "x", across = true }', 1, true)
    assert.matches("across is true or false, not a number",
      said 'return policy { name = "x", preempts = false, across = 1 }', 1, true)
  end)

  property("starts jobs of one slot as one queue would", { runs = 200 }, function (it)
    local made = engine.cycle(it.plan, it.state, nil, it.policy)
    local got = {}
    for _, order in ipairs(made.starts) do got[#got + 1] = order.job end
    local all = { table.unpack(it.state.jobs) }
    for i, job in ipairs(all) do job.place = i end
    table.sort(all, function (a, b)
      if a.priority ~= b.priority then return a.priority > b.priority end
      if a.submitted ~= b.submitted then return a.submitted < b.submitted end
      return a.place < b.place
    end)
    local wanted = {}
    for i = 1, math.min(#all, it.plan.hosts.h.slots) do wanted[i] = all[i].id end
    for _, job in ipairs(all) do job.place = nil end
    assert.same(wanted, got)
  end, function (seed)
    local random = Random.new(seed)
    local it = { plan = plan(), state = { now = 100, jobs = {} },
      policy = policy "across = true" }
    it.plan.hosts.h.slots = random:int(1, 6)
    it.plan.queues[3] = { name = "mid", priority = 5 }
    for i = 1, random:int(1, 10) do
      it.state.jobs[i] = pending("j" .. i, random:pick { "high", "mid", "low" }, {
        priority = random:int(1, 3), submitted = random:int(1, 4) * 20,
      })
    end
    return it
  end)
end)
