-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Limits of queues in percent of the cluster as it is (P-27).

local allot = require "allot"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"

local POLICY = 'return policy { name = "site", preempts = false }'

--- Ten slots on two hosts, and jobs of one slot of two users by turns.
local function plan(queue)
  queue.name = "q"
  return { version = 1, policy = "site.lua", queues = { queue },
    hosts = { h1 = { slots = 7 }, h2 = { slots = 3 } } }
end

local function jobs(count)
  local out = {}
  for i = 1, count do
    out[i] = { id = "j" .. i, queue = "q", submitted = i, user = i % 3 == 0 and "bob" or "ann" }
  end
  return out
end

local function started(queue, state)
  state = state or {}
  state.now, state.jobs = 100, state.jobs or jobs(12)
  local out = {}
  for i, order in ipairs(engine.cycle(plan(queue), state, nil, POLICY).starts) do
    out[i] = order.job
  end
  return out
end

describe("a queue's limit in percent", function ()
  it("is that part of the cluster's slots, rounded down, but one slot at least (P-27)", function ()
    assert.equal(4, #started { qjob_limit = "40%" })
    assert.equal(4, #started { qjob_limit = "49%" })
    assert.equal(1, #started { qjob_limit = "9%" })
    assert.equal(10, #started { qjob_limit = "100%" })
  end)

  it("is of all hosts, whichever the queue names (P-27)", function ()
    assert.equal(3, #started { qjob_limit = "40%", hosts = { "h2" } })
    assert.equal(2, #started { qjob_limit = "20%", hosts = { "h2" } })
  end)

  it("falls and rises as hosts close, lose slots, and come back (P-27)", function ()
    for _, case in ipairs {
      { 1, { h1 = { closed = "drain" } } }, { 2, { h2 = { closed = "reclaim" } } },
      { 1, { h1 = { slots = 0 } } }, { 3, { h2 = { slots = 1 } } }, { 4, {} },
      { 6, { h3 = { slots = 5 } } },
    } do
      assert.equal(case[1], #started({ qjob_limit = "40%" }, { hosts = case[2] }))
    end
  end)

  it("takes nothing from jobs that run above it (P-27)", function ()
    local all = jobs(6)
    for i = 1, 4 do all[i].state, all[i].started, all[i].hosts = "running", 50, { h1 = 1 } end
    local made = engine.cycle(plan { qjob_limit = "40%" }, {
      now = 100, jobs = all, hosts = { h2 = { closed = "drain" } },
    }, nil, POLICY)
    assert.same({ 0, 0, 0 }, { #made.starts, #made.suspends, #made.kills })
  end)

  it("is what a user's part is of; without it that is of the cluster (P-27)", function ()
    assert.same({ "j1", "j2", "j3", "j6" }, started { qjob_limit = "40%", ujob_limit = "50%" })
    assert.same({ "j1", "j3" }, started { qjob_limit = "40%", ujob_limit = "25%" })
    assert.same({ "j1", "j2", "j3", "j4", "j6", "j9" }, started { ujob_limit = "30%" })
  end)

  it("counts in a cluster without hosts", function ()
    local made = engine.cycle({ version = 1, slots = 8, policy = "site.lua",
      queues = { { name = "q", qjob_limit = "25%" } } }, { now = 100, jobs = jobs(5) }, nil, POLICY)
    assert.equal(2, #made.starts)
    made = engine.cycle({ version = 1, slots = 8, policy = "site.lua",
      queues = { { name = "q", qjob_limit = "25%" } } },
      { now = 100, slots = 12, jobs = jobs(5) }, nil, POLICY)
    assert.equal(3, #made.starts)
  end)

  it("bounds what the queue needs", function ()
    local made = engine.cycle(plan { qjob_limit = "40%" }, { now = 100, jobs = jobs(12) }, nil,
      POLICY)
    assert.equal(4, made.groups.default.consumers[1].need)
  end)

  it("is explained with what it is a part of (P-27)", function ()
    local sealed = engine.sealed(plan { qjob_limit = "40%", ujob_limit = "50%" }, POLICY)
    local _, made = engine.decided(sealed, { now = 100, jobs = jobs(12) })
    local function said(what) return table.concat(made:explain(what), "\n") end
    assert.matches('Its limit "qjob_limit of q" is 4, 40 % of 10 slots (P-27), of which 4 are used '
      .. "now: it binds", said "/q", 1, true)
    assert.matches('The limit "qjob_limit of q" binds: at most 4 slots, 40 % of 10 slots (P-27), '
      .. "4 used.", said "j9", 1, true)
    assert.matches('The limit "ujob_limit of q" binds: at most 2 slots for user ann, 50 % of 4 '
      .. "slots (P-27), 2 used.", said "j4", 1, true)
  end)

  it("is told what is wrong", function ()
    local function refused(queue)
      local made, _, report = allot.plan(document.encode(plan(queue)), {
        policies = { ["site.lua"] = POLICY },
      })
      assert.is_nil(made)
      return report[1].message
    end
    for _, text in ipairs { "40 %", "140%", "%", "0%", "40", "-1%", "4000000000000%", "" } do
      assert.matches('allowed slots, or "1%" ... "100%" of the cluster\'s',
        refused { qjob_limit = text }, 1, true)
    end
    for _, text in ipairs { "40 %", "100001%", "%", "0%", "40" } do
      assert.matches('allowed slots, or "1%" ... "100000%" of the queue\'s',
        refused { ujob_limit = text }, 1, true)
    end
  end)
end)
