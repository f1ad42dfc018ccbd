-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues of pools over time (rules.md 2.3 to 2.5, QV-8, QV-10, QV-11): shares in the long run, use
--- that fades, and who may take what is left.

local engine = require "spec.support.cases.engine"
local json = require "dkjson"
local kit = require "spec.support.cases.queue_kit"
local pool = require "spec.support.cases.pool_loop"
local Random = require "allot.check.random"

local burst, hosts, join = kit.burst, kit.hosts, kit.join

local function plan_of(shares, more)
  local plan = {
    version = 1, policy = "queue_pool", slots = 21, queues = pool.queues(shares),
  }
  for key, value in pairs(more or {}) do plan[key] = value end
  return plan
end

--- Slots started by queue.
local function started(plan, state)
  state.now = state.now or 100000
  local out = {}
  for _, it in ipairs(engine.cycle(plan, state).starts) do
    out[it.queue] = (out[it.queue] or 0) + it.slots
  end
  return out
end

-- ---- In the long run ---------------------------------------------------------------------------

describe("QV-8: 21 slots, all queues busy, jobs of one cycle", function ()
  for name, params in pairs {
    ["without decay"] = { hist_hours = 0 }, ["HIST_HOURS = 5"] = { hist_hours = 5 },
    ["a half-life of ten cycles"] = { half_life = 600 },
  } do
    it("50/30/20, " .. name .. ": the shares within 1 %, through the published (9,7,5)", function ()
      local sum, seen = { 0, 0, 0 }, {}
      pool.run(plan_of({ 50, 30, 20 }, { params = params }), 10000, 60, function (given)
        for i, slots in ipairs(given) do
          sum[i] = sum[i] + slots
          assert(slots <= ({ 11, 7, 5 })[i], "above its slice")
        end
        assert(given[1] + given[2] + given[3] == 21, "slots stay idle")
        seen[table.concat(given, " ")] = true
      end)
      for i, share in ipairs { 50, 30, 20 } do
        assert.is_true(math.abs(sum[i] / 10000 / 21 * 100 - share) < 1, "queue" .. i)
      end
      assert.same({ ["11 7 3"] = true, ["11 5 5"] = true, ["9 7 5"] = true }, seen)
    end)
  end

  it("ten queues of 10 %: at most 3 each, all of them in turn, a tenth each in the end", function ()
    local sum = {}
    pool.run(plan_of { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 }, 1000, 60, function (given)
      local all = 0
      for i = 1, 10 do
        assert(given[i] <= 3, "above its slice")
        sum[i], all = (sum[i] or 0) + given[i], all + given[i]
      end
      assert(all == 21, "slots stay idle")
    end)
    for i = 1, 10 do assert.equal(2100, sum[i], "queue" .. i) end
  end)
end)

--- What runs in a pool that is full whose jobs end one by one, by chance: `turns` times
-- each(slots by queue).
local function one_by_one(plan, turns, each)
  local random, sealed, now, running, id = Random.new(1), engine.sealed(plan), 0, {}, 0
  local usage = {}
  local function decide(jobs)
    usage = json.decode((engine.decide(sealed, {
      now = now, jobs = jobs, usage = usage.usage, usage_at = usage.usage_at,
      usage_rest = usage.usage_rest,
    })))
    return usage.starts
  end
  for _ = 1, turns do
    local jobs, slots = join(running), {}
    for i, queue in ipairs(plan.queues) do
      slots[i] = 0
      for _ = 1, 3 do
        id = id + 1
        jobs[#jobs + 1] = { id = "j" .. id, queue = queue.name, submitted = id }
      end
    end
    for _, it in ipairs(decide(jobs)) do
      running[#running + 1] = { id = it.job, queue = it.queue, state = "running", started = now }
    end
    for _, job in ipairs(running) do
      local i = tonumber(job.queue:match "%d+")
      slots[i] = slots[i] + 1
    end
    each(slots)
    now = now + 60
    decide(running) -- what runs until then is told while it still runs
    for _ = 1, random:int(1, 4) do table.remove(running, random:int(1, #running)) end
  end
end

describe("QV-8: when jobs end one by one", function ()
  it("ten queues of 10 %: at most 3 each, none is left out, a tenth each in the end", function ()
    local sum = {}
    one_by_one(plan_of { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 }, 1500, function (slots)
      local all = 0
      for i, n in ipairs(slots) do
        assert(n <= 3, "above its slice")
        sum[i], all = (sum[i] or 0) + n, all + n
      end
      assert(all == 21, "slots stay idle")
    end)
    for i = 1, 10 do
      assert.is_true(math.abs(sum[i] / 1500 / 21 * 100 - 10) < 1, "queue" .. i .. ": " .. sum[i])
    end
  end)
end)

-- ---- Use ---------------------------------------------------------------------------------------

--- The use that the engine tells of, `steps` cycles of so many seconds each; jobs run all the time.
local function use_after(params, steps, seconds)
  local plan = plan_of({ 50, 30 }, { params = params })
  local sealed = engine.sealed(plan)
  local told = { usage = { queue1 = 7, queue2 = 123456 }, usage_at = 0 }
  for step = 1, steps do
    local text = engine.decide(sealed, {
      now = step * seconds, usage = told.usage, usage_at = told.usage_at,
      usage_rest = told.usage_rest,
      jobs = {
        { id = "a", queue = "queue1", state = "running", slots = 3, started = 0 },
        { id = "b", queue = "queue2", state = "running", slots = 1, started = 1800 },
      },
    })
    told = json.decode(text)
  end
  return told
end

local function millionths(told, queue)
  return told.usage[queue] * 1000000 + (told.usage_rest[queue] or 0)
end

describe("use (Q-41, A-22)", function ()
  it("without decay is slots times seconds", function ()
    local told = use_after({ hist_hours = 0 }, 1, 3600)
    assert.same({ queue1 = 7 + 3 * 3600, queue2 = 123456 + 1800 }, told.usage)
    assert.same({}, told.usage_rest)
    assert.equal(3600, told.usage_at)
  end)

  for name, params in pairs {
    ["without decay"] = { hist_hours = 0 }, ["HIST_HOURS = 5"] = { hist_hours = 5 },
    ["a half-life of 100 s"] = { half_life = 100 },
    ["a half-life of a day"] = { half_life = 86400 },
  } do
    it("is the same however often it is asked, " .. name, function ()
      local once = use_after(params, 1, 7200)
      for _, steps in ipairs { 2, 8, 72, 720 } do
        local often = use_after(params, steps, 7200 // steps)
        for _, queue in ipairs { "queue1", "queue2" } do
          local apart = math.abs(millionths(once, queue) - millionths(often, queue))
          assert.is_true(apart <= 3 * steps, ("%s: %d millionths"):format(queue, apart))
        end
      end
    end)
  end

  it("comes back unchanged from the document, to the millionth", function ()
    local told = use_after({ hist_hours = 5 }, 3, 777)
    assert.is_truthy(told.usage_rest.queue1 or told.usage_rest.queue2)
    local again = engine.cycle(plan_of({ 50, 30 }), {
      now = told.now, usage = told.usage, usage_at = told.usage_at, usage_rest = told.usage_rest,
    })
    assert.same({ told.usage, told.usage_rest, told.usage_at },
      { again.usage, again.usage_rest, again.usage_at })
  end)

  it("an hour of it is a tenth of an hour after HIST_HOURS", function ()
    local again = engine.cycle(plan_of({ 50, 30 }, { params = { hist_hours = 3 } }), {
      now = 3 * 3600, usage = { queue1 = 3600, queue2 = 10 }, usage_at = 0,
    })
    assert.same({ queue1 = 360, queue2 = 1 }, again.usage)
  end)
end)

-- ---- Several pools -----------------------------------------------------------------------------

local function six()
  local queues = join(pool.queues({ 50, 30, 20 }, "A"), pool.queues({ 30, 30, 30 }, "B"))
  for _, queue in ipairs(queues) do queue.hosts = { "h" .. queue.slot_pool } end
  return {
    version = 1, policy = "queue_pool", queues = queues,
    hosts = { hA = { slots = 15 }, hB = { slots = 15 } },
  }
end

describe("QV-10: six queues of two pools, by what they want", function ()
  for _, row in ipairs {
    { { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } },
    { { 99, 99, 99, 5, 2, 0 }, { 8, 5, 2, 5, 2, 0 } },
    { { 99, 99, 99, 5, 5, 1 }, { 8, 5, 2, 5, 5, 1 } },
    { { 99, 99, 99, 99, 99, 99 }, { 8, 5, 2, 5, 5, 5 } },
    { { 99, 99, 99, 5, 5, 0 }, { 8, 5, 2, 5, 5, 0 } },
    { { 8, 5, 0, 5, 4, 2 }, { 8, 5, 0, 5, 4, 2 } },
  } do
    local wants, gets = row[1], row[2]
    it(table.concat(gets, " "), function ()
      local plan, jobs, expected = six(), {}, {}
      for i, queue in ipairs(plan.queues) do
        jobs = join(jobs, burst(queue.name, wants[i]))
        expected[queue.name] = gets[i] > 0 and gets[i] or nil
      end
      assert.same(expected, started(plan, { jobs = jobs[1] and jobs }))
    end)
  end
end)

it("QV-11, Q-43: two pools and two queues beside them go by PRIORITY, 1 to 8", function ()
  local queues = {}
  for i = 1, 8 do
    local name = i <= 3 and "first" or i >= 6 and "second" or nil
    queues[i] = {
      name = "queue" .. i, priority = 50 - i, slot_pool = name, slot_share = name and 10 or nil,
    }
  end
  local jobs, order = {}, {}
  for _, i in ipairs { 7, 4, 8, 2, 5, 1, 6, 3 } do jobs = join(jobs, burst("queue" .. i, 1)) end
  local plan = { version = 1, policy = "queue_pool", slots = 80, queues = queues }
  for i, it in ipairs(engine.cycle(plan, { now = 1, jobs = jobs }).starts) do
    order[i] = it.queue
  end
  assert.same({
    "queue1", "queue2", "queue3", "queue4", "queue5", "queue6", "queue7", "queue8",
  }, order)
end)

it("A-26: what a queue between them takes is never taken back from who had its slice", function ()
  local queues = pool.queues { 50, 50 }
  queues[1].priority, queues[2].priority = 50, 30
  queues[3] = { name = "between", priority = 40 }
  local plan = { version = 1, policy = "queue_pool", slots = 10, queues = queues }
  assert.same({ queue1 = 5, between = 4, queue2 = 1 }, started(plan, {
    jobs = join(burst("queue1", 9), burst("queue2", 9), burst("between", 4)),
  }))
end)

-- ---- Who gets no more --------------------------------------------------------------------------

local function busy(queue, count, from)
  local out = {}
  for i = 1, count do
    out[i] = { id = queue .. "-r" .. i, queue = queue, state = "running", started = from or 1 }
  end
  return out
end

describe("a pool", function ()
  it("Q-34: above its slice a queue gets nothing until it has fallen below", function ()
    local plan = plan_of({ 50, 50 }, { slots = 10 })
    for _, row in ipairs { { 9, { queue2 = 1 } }, { 8, { queue2 = 2 } }, { 5, { queue2 = 5 } },
      { 4, { queue1 = 1, queue2 = 5 } } } do
      assert.same(row[2], started(plan, {
        jobs = join(busy("queue1", row[1]), burst("queue1", 9), burst("queue2", 9)),
      }), row[1] .. " run")
    end
  end)

  it("Q-3: MAX_SLOTS_IN_POOL of the first queue bounds them all, what runs included", function ()
    local plan = plan_of({ 50, 30, 20 }, { slots = 12 })
    plan.queues[1].max_slots_in_pool = 8
    plan.queues[2].max_slots_in_pool = 1 -- A-27: ignored
    local jobs = join(burst("queue1", 9), burst("queue2", 9), burst("queue3", 9))
    assert.same({ queue1 = 4, queue2 = 3, queue3 = 1 }, started(plan, { jobs = jobs }))
    local decision = engine.cycle(plan, { now = 9, jobs = join(busy("queue3", 8), jobs) })
    assert.same({}, decision.starts)
    assert.equal(8, decision.pools.pool.slots)
  end)

  it("Q-4, A-30: USE_PRIORITY_IN_POOL gives what is left by jobs, queues, submission", function ()
    local plan = plan_of({ 20, 20, 20 }, { slots = 10 })
    plan.queues[1].use_priority_in_pool = true
    local function jobs(queue, from, priority)
      local out = burst(queue, 6)
      for _, job in ipairs(out) do
        job.submitted, job.priority = job.submitted + from, priority
      end
      return out
    end
    -- 2 each are slices, 4 are left.
    local function held(a, b, c)
      return started(plan, { jobs = join(jobs("queue1", a[1], a[2]), jobs("queue2", b[1], b[2]),
        jobs("queue3", c[1], c[2])) })
    end
    assert.same({ queue1 = 2, queue2 = 2, queue3 = 6 }, held({ 0, 1 }, { 0, 1 }, { 100, 2 }))
    assert.same({ queue1 = 6, queue2 = 2, queue3 = 2 }, held({ 100, 1 }, { 0, 1 }, { 0, 1 }))
    for _, queue in ipairs(plan.queues) do queue.priority = 7 end
    assert.same({ queue1 = 2, queue2 = 6, queue3 = 2 }, held({ 100 }, { 0 }, { 200 }))
  end)

  it("A-25: a job larger than the whole slice starts while its queue is below it", function ()
    local plan = plan_of({ 20, 80 }, { slots = 10 })
    local wide = { id = "wide", queue = "queue1", slots = 5 }
    assert.same({ queue1 = 5, queue2 = 5 },
      started(plan, { jobs = join({ wide }, burst("queue2", 9)) }))
    -- At its slice it has to wait.
    assert.same({ queue2 = 8 }, started(plan, {
      jobs = join(busy("queue1", 2), { wide }, burst("queue2", 9)),
    }))
  end)

  it("A-25: a job larger than what is left of the slice waits for the leftover, whole", function ()
    local plan = plan_of({ 50, 50 }, { slots = 10 })
    local wide = { id = "wide", queue = "queue1", slots = 4 }
    -- Two of its queue run: 3 of the slice are left.
    assert.same({ queue2 = 5 }, started(plan, {
      jobs = join(busy("queue1", 2), { wide }, burst("queue2", 5)),
    }))
    assert.same({ queue1 = 4, queue2 = 4 }, started(plan, {
      jobs = join(busy("queue1", 2), { wide }, burst("queue2", 4)),
    }))
  end)

  it("is cut by what its queues alone use: hosts of others do not count", function ()
    local plan = plan_of({ 50, 50 }, { hosts = hosts(3, 4) })
    for _, queue in ipairs(plan.queues) do queue.hosts = { "h1", "h2" } end
    plan.slots, plan.queues[3] = nil, { name = "other", priority = 1 }
    local decision = engine.cycle(plan, {
      now = 1, jobs = join(burst("queue1", 9), burst("queue2", 9), burst("other", 9)),
    })
    assert.equal(8, decision.pools.pool.slots)
    local on = {}
    for _, it in ipairs(decision.starts) do
      for host, slots in pairs(it.hosts) do
        on[it.queue .. host] = (on[it.queue .. host] or 0) + slots
      end
    end
    assert.same({ queue1h1 = 4, queue2h2 = 4, otherh3 = 4 }, on)
  end)
end)
