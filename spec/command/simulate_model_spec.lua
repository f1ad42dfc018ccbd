-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot simulate` against a slow model of its words: the same figures for random small logs.

local document = require "spec.support.cases.document"
local model = require "spec.support.model.simulate"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"
local simulation = require "spec.support.cases.simulation"

local MAP = [[return function (job)
  return { rigid = job.application == "rigid", group = job.group }
end
]]

-- ---- Plans and logs -----------------------------------------------------------------------------

local POLICIES = {
  "hybrid", "hybrid", { use = "hybrid", evenly = true }, "share_ratio",
  { use = "share_ratio", adjust_share_to_workload = true }, "ownership",
}

local function draw_leaf(r, name, policy)
  local leaf = { name = name, rank = r:int(0, 2), grace = r:once_in(2) and r:int(1, 15) or nil }
  if policy == "ownership" and not r:once_in(3) then leaf.lend, leaf.borrow = "all", "all" end
  if policy == "share_ratio" then leaf.share = r:int(1, 4) end
  if not r:once_in(3) then leaf.owned = r:int(1, 4) end
  if r:once_in(5) then leaf.limit = r:int(4, 10) end
  if leaf.owned and r:once_in(5) then leaf.reserve = 1 end
  return leaf
end

--- What differs in the second of two groups, as far as it may.
local function draw_groups(r, plan, leaves)
  plan.groups = {
    a = { slots = plan.slots },
    b = { slots = r:int(8, 20), consumers = { [r:pick(leaves)] = { owned = r:int(0, 4) } } },
  }
  plan.slots = nil
end

local function draw_plan(r, kind)
  local policy = r:pick(POLICIES)
  local plan = { version = 1, slots = r:int(8, 20), policy = policy, consumers = {} }
  local use, leaves = type(policy) == "table" and policy.use or policy, {}
  for i = 1, 4 do
    local leaf = draw_leaf(r, "u" .. i, use)
    if i > 2 and r:once_in(2) then
      local group = { name = "g" .. i, children = { leaf, draw_leaf(r, "v", use) } }
      plan.consumers[i] = group
      leaves[#leaves + 1] = "/g" .. i .. "/v"
      leaves[#leaves + 1] = "/g" .. i .. "/u" .. i
    else
      plan.consumers[i] = leaf
      leaves[#leaves + 1] = "/u" .. i
    end
  end
  if kind.groups then draw_groups(r, plan, leaves) end
  if kind.windows then
    plan.windows = {
      { from = "00:01", to = "00:03", slots = r:once_in(2) and r:int(8, 20) or nil,
        consumers = { [leaves[1]] = { rank = r:int(0, 2), owned = r:int(0, 3) } } },
      { from = "00:02", to = "00:04", consumers = { [leaves[2]] = { owned = r:int(1, 4) } } },
    }
  end
  return plan, leaves
end

local function draw_jobs(r, leaves, kind)
  local jobs, at, minutes = {}, 10, kind.windows and 3 or 1
  for i = 1, r:int(4, 14) do
    at = at + (r:once_in(2) and r:int(0, 20 * minutes) or 0)
    jobs[i] = { at = at, run = r:int(0, 40 * minutes), slots = r:int(1, r:once_in(4) and 12 or 5),
      leaf = r:pick(leaves), rigid = kind.rigid and r:once_in(2), priority = r:int(1, 3),
      group = kind.groups and r:pick(kind.groups) or nil,
      session = kind.sessions and not r:once_in(3) and r:pick { "x", "y" } or nil }
  end
  return jobs
end

local function log_of(jobs)
  local lines = {}
  for i, job in ipairs(jobs) do
    lines[i] = document.encode { at = job.at, event = "submit", id = "j" .. i, run = job.run,
      slots = job.slots, consumer = job.leaf, priority = job.priority, group = job.group,
      session = job.session,
      application = job.rigid and "rigid" or "loose" }
  end
  return table.concat(lines, "\n")
end

-- ---- Comparing ----------------------------------------------------------------------------------

local function compare(wanted, plan, log, words)
  local run = simulation.of(document.encode(plan), log, words, { ["map.lua"] = MAP })
  local got = run.figures
  got.wait, got.last = got.wait_mean * got.ended, run.counts.last
  for key, value in pairs(wanted) do
    if math.abs(value - got[key]) > 1e-6 * math.max(1, value) then
      error(("%s is %s, not %s, of\n%s\n%s"):format(key, got[key], value,
        document.encode(plan, { indent = "  " }), log), 0)
    end
  end
  assert.equal(0, run.counts.unsettled)
  return got
end

--- Plays cases of `kind`; all together they must be about something.
local function play(kind, runs)
  local first = tonumber(os.getenv "ALLOT_SEED" or "")
  local last = first or property.runs(runs)
  local seen = { lost = 0, gathered = 0, reclaimed = 0 }
  for seed = first or 1, last do
    local r = random.new(seed)
    local plan, leaves = draw_plan(r, kind)
    local jobs = draw_jobs(r, leaves, kind)
    local interval = kind.interval and r:int(1, 30) or 0
    local valid, wanted = pcall(model.divide, plan, leaves, jobs, kind.groups, interval)
    if valid then
      local ok, message = pcall(compare, wanted, plan, log_of(jobs),
        "--map map.lua --interval " .. interval)
      if not ok then error(("ALLOT_SEED=%d: %s"):format(seed, tostring(message)), 0) end
      for key in pairs(seen) do seen[key] = seen[key] + wanted[key] end
    elseif not tostring(wanted):find "^plan:" then
      error(("ALLOT_SEED=%d: %s"):format(seed, tostring(wanted)), 0)
    end
  end
  if first or last < runs then return end
  assert.truthy(seen.lost > 0 and seen.reclaimed > 0)
  assert.truthy(not kind.rigid or seen.gathered > 0)
end

describe("a simulation is what its words say", function ()
  it("of jobs that run in parts", function () play({}, 60) end)
  it("of rigid jobs among them", function () play({ rigid = true }, 60) end)
  it("of several resource groups", function ()
    play({ groups = { "a", "b" }, rigid = true }, 80)
  end)
  it("of jobs that share sessions", function () play({ sessions = true }, 40) end)
  it("of cycles that are some seconds apart", function ()
    play({ interval = true, rigid = true, sessions = true }, 60)
  end)
  it("when windows switch", function () play({ windows = true }, 40) end)
  it("when windows switch over rigid jobs", function ()
    play({ windows = true, rigid = true }, 40)
  end)
end)

describe("an overloaded machine", function ()
  it("with wide rigid jobs comes to an end, and nobody takes in turn", function ()
    local r, lines = random.new(7), {}
    local plan = { version = 1, slots = 900, consumers = {} }
    for i = 1, 200 do plan.consumers[i] = { name = "u" .. i, owned = 3 + i % 4 } end
    for i = 1, 1500 do
      lines[i] = simulation.swf(i, i * 4, r:int(200, 1000), r:pick { 1, 2, 4, 8, 16, 64 },
        r:int(1, 200))
    end
    local run = simulation.of(document.encode(plan), table.concat(lines), "--rigid")
    assert.equal(1500, run.figures.ended)
    assert.equal(0, run.counts.unsettled)
    assert.truthy(run.counts.kills > 1000)
    assert.truthy(run.counts.cycles < 2 * run.counts.instants)
  end)
end)

describe("slots that were gathered", function ()
  it("are given back where a job in parts comes before the rigid one", function ()
    -- Two slots are gathered from 3 on; at 5 a more urgent job of the same leaf wants two.
    local plan = { version = 1, slots = 4, consumers = { { name = "u", owned = 4 },
      { name = "v" } } }
    local jobs = {
      { at = 1, run = 100, slots = 2, leaf = "/v" },
      { at = 3, run = 10, slots = 4, leaf = "/u", rigid = true },
      { at = 5, run = 10, slots = 2, leaf = "/u", priority = 3 },
    }
    plan.consumers[2].grace = 1000
    local wanted = model.divide(plan, { "/u", "/v" }, jobs)
    assert.equal(3, wanted.ended)
    compare(wanted, plan, log_of(jobs), "--map map.lua")
  end)
end)
