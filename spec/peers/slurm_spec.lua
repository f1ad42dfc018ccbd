-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: Slurm's rules beside the policies. Numbers such as SV-7 are those of cases
-- computed by hand.

local Random = require "allot.check.random"
local engine = require "spec.support.cases.engine"
local multifactor = require "spec.support.peers.slurm_multifactor"
local peers = require "spec.support.peers.cases"
local property = require "spec.support.cases.property"
local tree = require "spec.support.peers.slurm_fair_tree"
local victims = require "spec.support.peers.slurm_qos"

describe("slurm_qos", function ()
  --- A case: jobs { qos, slots, started } run, and one of the QOS high wants so many slots.
  local function case_of(jobs, wanted, options)
    local out = { policy = peers.policy "slurm_qos", wanted = wanted, options = options or {} }
    local slots = 0
    out.state = { now = 100000, jobs = {} }
    for i, job in ipairs(jobs) do
      slots = slots + job[2]
      out.state.jobs[i] = {
        id = "j" .. i, queue = job[1], state = "running", slots = job[2], hosts = { h = job[2] },
        started = job[3], submitted = job[3],
      }
    end
    out.state.jobs[#jobs + 1] = {
      id = "w", queue = "high", state = "pending", slots = wanted, submitted = 99999,
    }
    local use = { use = "site.lua" }
    for key, value in pairs(options or {}) do use[key] = value end
    out.plan = {
      version = 1, policy = use, hosts = { h = { slots = slots } },
      queues = {
        { name = "high", priority = 100, preemptive = { "normal", "low" } },
        { name = "normal", priority = 50 }, { name = "low", priority = 10 },
        { name = "other", priority = 5 },
      },
    }
    return out
  end

  local function gone(it)
    local out = {}
    for id, fate in pairs(engine.fates(engine.cycle(it.plan, it.state, nil, it.policy))) do
      if fate.kind == "suspends" or fate.kind == "kills" then out[id] = true end
    end
    return out
  end

  it("SV-7: the last candidate is tried first", function ()
    local jobs = { { "low", 2, 5 }, { "low", 4, 6 }, { "low", 8, 7 } }
    assert.same({ j3 = true }, gone(case_of(jobs, 8)))
  end)

  it("SV-8: the youngest first", function ()
    local jobs = { { "low", 2, 5 }, { "low", 4, 9 }, { "low", 8, 1 } }
    assert.same({ j1 = true, j2 = true }, gone(case_of(jobs, 5, { youngest_first = true })))
  end)

  it("S-10, S-12: only a QOS of the list, the lowest first", function ()
    local jobs = { { "other", 4, 5 }, { "normal", 2, 6 }, { "low", 4, 7 } }
    assert.same({ j3 = true }, gone(case_of(jobs, 4)))
    assert.same({ j2 = true, j3 = true }, gone(case_of(jobs, 5)))
    assert.same({}, gone(case_of(jobs, 7)))
  end)

  it("S-11: spares who has run for less than the exempt time", function ()
    local jobs = { { "low", 4, 99990 }, { "normal", 4, 5 } }
    assert.same({ j2 = true }, gone(case_of(jobs, 4, { exempt_time = 60 })))
  end)

  local PRIORITY = { normal = 50, low = 10 }

  -- Equal where Slurm may reorder candidates as often as there are some; after reorder_count 1, the
  -- default, it leaves in one list of 100 a job that is not needed.
  property("takes the jobs that Slurm takes", { runs = peers.CASES }, function (it)
    local jobs, has = {}, gone(it)
    for _, job in ipairs(it.state.jobs) do
      if PRIORITY[job.queue] then
        jobs[#jobs + 1] = {
          id = job.id, priority = PRIORITY[job.queue], slots = job.slots, started = job.started,
        }
      end
    end
    local expected = victims(jobs, it.wanted, it.options.youngest_first, 99)
    for _, job in ipairs(jobs) do
      assert(has[job.id] == expected[job.id], job.id .. " goes in one of them alone")
    end
  end, function (seed)
    local random, jobs = Random.new(seed), {}
    for i = 1, random:int(1, 7) do
      jobs[i] = { random:pick { "normal", "low", "other" }, random:int(1, 9), i * 7 % 9 }
    end
    return case_of(jobs, random:int(1, 20), { youngest_first = random:once_in(2) })
  end)
end)

describe("slurm_fair_tree", function ()
  --- Users in the order in which they get a slot each.
  local function ranking(list, use)
    local out, before = {}, {}
    local leaves = {}
    for path in pairs(use) do leaves[#leaves + 1] = path end
    for slots = 1, #leaves do
      local now = { slots = slots }
      for _, path in ipairs(leaves) do now[path] = { 1 } end
      list.slots, list.half_life = slots, 3600
      local quotas = peers.quotas("slurm_fair_tree", list, now, nil, use)
      for _, path in ipairs(leaves) do
        local name = path:match "[^/]+$"
        if quotas[name] == 1 and not before[name] then
          out[#out + 1], before[name] = name, true
        end
      end
    end
    return table.concat(out, " ")
  end

  it("SV-1, SV-3: accounts by level factor, and in them users", function ()
    local list = {
      { "A", share = 50, { "a1" }, { "a2" } }, { "B", share = 50, { "b1", share = 3 }, { "b2" } },
    }
    local use = { ["A/a1"] = 10, ["A/a2"] = 30, ["B/b1"] = 40, ["B/b2"] = 20 }
    assert.equal("a1 a2 b1 b2", ranking(list, use))
    list[3], use.u = { "u", share = 25 }, 0
    assert.equal("u a1 a2 b1 b2", ranking(list, use))
    list[1].share, list[2].share, list[3].share, use.u = 40, 40, 20, 25
    assert.equal("a1 a2 u b1 b2", ranking(list, use))
  end)

  --- Nodes of the reference, those of leaves by path.
  local function nodes(it, list, above, leaves)
    local out = {}
    for i, each in ipairs(list) do
      local path = above .. "/" .. each.name
      local node = { share = each.share, usage = (it.state.consumers[path] or {}).usage or 0 }
      if each.children then
        node.children = nodes(it, each.children, path, leaves)
        node.usage = peers.sum(node.children, "usage")
      else
        leaves[node] = path
      end
      out[i] = node
    end
    return out
  end

  -- Slots go to users in the order of their ranks, to those of one rank equally. Cases where an
  -- account ties with a sibling are left out: Slurm merges them (SV-2, SV-4), here they share.
  peers.random("serves users by rank", "slurm_fair_tree", {
    use = true, columns = function (random) return { share = random:int(1, 8) } end,
  }, function (families, it)
    local leaves, quotas, left = {}, {}, families[1].slots
    local tiers = tree(nodes(it, it.plan.consumers, "", leaves))
    if tiers.merged then return end
    for _, family in ipairs(families) do
      for _, row in ipairs(family) do quotas[row.path] = row.quota end
    end
    for _, tier in ipairs(tiers) do
      local wanted, given, most, least = 0, 0, 0, math.huge
      for _, node in ipairs(tier) do
        local path = leaves[node]
        local want = (it.state.consumers[path] or {}).demand or 0
        wanted, given = wanted + want, given + quotas[path]
        most = math.max(most, quotas[path])
        if quotas[path] < want then least = math.min(least, quotas[path]) end
      end
      assert.equal(math.min(wanted, left), given)
      assert.is_true(most - least <= 1)
      left = left - given
    end
  end)
end)

describe("slurm_multifactor", function ()
  local NOW = 1000000
  local QOS = { high = 100, normal = 50, low = 0 }

  --- A case: jobs { qos, waited, site } want a slot each, and so many are free.
  local function case_of(jobs, slots)
    local out = { policy = peers.policy "slurm_multifactor", state = { now = NOW, jobs = {} } }
    for i, job in ipairs(jobs) do
      out.state.jobs[i] = {
        id = ("j%02d"):format(i), queue = job[1], state = "pending", slots = 1,
        submitted = NOW - job[2], priority = job[3],
      }
    end
    out.plan = { version = 1, policy = "site.lua", hosts = { h = { slots = slots } }, queues = {} }
    for name, priority in pairs(QOS) do
      table.insert(out.plan.queues, { name = name, priority = priority })
    end
    table.sort(out.plan.queues, function (a, b) return a.name < b.name end)
    return out
  end

  local function started(it)
    local out = {}
    for id, fate in pairs(engine.fates(engine.cycle(it.plan, it.state, nil, it.policy))) do
      out[#out + 1] = fate.kind == "starts" and id or nil
    end
    table.sort(out)
    return table.concat(out, " ")
  end

  it("S-9: age against QOS, by hand", function ()
    -- 1000 for 7 days and more, 1000 for QOS high: 500 + 0, 0 + 1000, 1000 + 0, 250 + 500 + 300.
    local jobs = { { "low", 302400 }, { "high", 0 }, { "low", 900000 }, { "normal", 151200, 300 } }
    assert.equal("j04", started(case_of(jobs, 1)))
    assert.equal("j03 j04", started(case_of(jobs, 2))) -- 1000 as j02, but submitted before it
    assert.equal("j02 j03 j04", started(case_of(jobs, 3)))
  end)

  property("starts the jobs that Slurm starts", { runs = peers.CASES }, function (it)
    local jobs, expected = {}, {}
    for i, job in ipairs(it.state.jobs) do
      jobs[i] = {
        id = job.id, waited = NOW - job.submitted, qos = QOS[job.queue], site = job.priority or 0,
        submitted = job.submitted,
      }
    end
    multifactor(jobs, { age = 1000, qos = 1000 }, 604800, 100)
    for i = 1, math.min(#jobs, it.plan.hosts.h.slots) do expected[i] = jobs[i].id end
    table.sort(expected)
    assert.equal(table.concat(expected, " "), started(it))
  end, function (seed)
    local random, jobs = Random.new(seed), {}
    for i = 1, random:int(1, 12) do
      jobs[i] = { random:pick { "high", "normal", "low" }, random:int(0, 900000),
        random:once_in(3) and random:int(0, 600) or nil }
    end
    return case_of(jobs, random:int(1, 12))
  end)
end)
