-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Policies like a ready-made one but for what a site says: its criteria of victims and its guards
--- under each of them (C-8), and what is told when one is wrong.

local allot = require "allot"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"

local NOW = 100000
local READY = { "hybrid", "ownership", "share_ratio" }

local function site(like, rest)
  return ('return policy { name = "site", like = "%s",\n%s\n}'):format(like, rest)
end

local function plan(rest)
  local short = { slots = 8, { "A", owned = 4 }, { "B", owned = 4 } }
  short.policy = rest or "site.lua"
  return case.plan(short)
end

--- The tasks of A that go, under a policy, where A holds all 8 slots and owns 4 as B does, who
--- wants these. Under every policy A gives back 4.
local function going(text, tasks)
  local held = 0
  for _, task in ipairs(tasks) do
    task.consumer, held = "/A", held + (task.slots or 1)
  end
  local decision = engine.cycle(plan(), case.state {
    now = NOW, A = { 8, held }, B = { 4, 8 - held }, tasks = tasks,
  }, nil, text)
  local reclaim = decision.reclaims[1]
  return reclaim and reclaim.tasks or {}
end

--- A task that ran so long.
local function task(id, ran, fields)
  fields = fields or {}
  fields.id, fields.started = id, NOW - ran
  return fields
end

for _, like in ipairs(READY) do
  describe("a site like " .. like, function ()
    it("takes what loses least work: slots times what is not in a checkpoint", function ()
      local text = site(like, [[
        task_attributes = { unsaved = { type = "integer", default = 1000000000 } },
        victims = order {
          "importance",
          function (unsaved, ran, slots) return math.min(unsaved, ran) * slots end,
        },]])
      -- 4 slots: 50 * 2, 100 * 1 and 300 * 1 are lost; x would lose 200 * 4
      assert.same({ "s", "old", "y" }, going(text, {
        task("x", 200, { slots = 4 }), task("s", 1000, { slots = 2, unsaved = 50 }),
        task("y", 300), task("old", 5000, { unsaved = 100 }),
      }))
    end)

    it("takes the cheapest, and lets be what costs much or is somebody's session", function ()
      local text = site(like, [[
        task_attributes = { cost = { type = "integer", max = 10000 } },
        victims = order { "cost", desc "started" },
        guards = { guard "dear" { value = "cost", max = 100 }, spare_tagged "interactive" },]])
      local tasks = {
        task("a", 10, { cost = 7 }), task("b", 20, { cost = 3 }), task("c", 30, { cost = 3 }),
        task("d", 40, { cost = 101 }), task("e", 50, { tags = { "interactive" } }),
        task("f", 60, { cost = 101 }), task("g", 70, { cost = 101 }), task("h", 80, { cost = 101 }),
      }
      assert.same({ "b", "c", "a" }, going(text, tasks)) -- there are no others that may go
    end)

    it("lets be who has just begun, or was taken thrice, as the state remembers", function ()
      local text = site(like, "guards = { min_run_time(60), max_preemptions(3) },")
      local function tasks(preempted)
        return {
          task("young", 59), task("ripe", 60, { preempted = 2 }),
          task("tried", 90, { preempted = preempted }), task("d", 100), task("e", 110),
          task("f", 120), task("g", 130), task("h", 140),
        }
      end
      assert.same({ "ripe", "tried", "d", "e" }, going(text, tasks(2)))
      assert.same({ "ripe", "d", "e", "f" }, going(text, tasks(3)))
    end)

    it("decides as the ready-made one where it says nothing else", function ()
      local tasks = {}
      for i = 1, 8 do
        tasks[i] = task("t" .. i, 10 * (i * 5 % 8))
        tasks[i].consumer = "/A"
      end
      local state = case.state { now = NOW, A = { 8, 8 }, B = { 3, 0 }, tasks = tasks }
      local same = engine.cycle(plan(), state, nil, site(like, ""))
      local ready = engine.cycle(plan(like), state)
      assert.equal("site", same.policy.name)
      for _, told in ipairs { same, ready } do
        told.policy, told.warnings = nil, nil -- which name it
      end
      assert.same(ready, same)
    end)
  end)
end

describe("like", function ()
  local function quotas(use, text)
    local decision = engine.cycle(plan(use), case.state { A = { 8, 0 }, B = { 0, 0 }, slots = 16 },
      nil, text)
    return decision.groups.default.consumers[1].quota
  end

  it("joins options, and takes what is named alike from the site", function ()
    local text = site("hybrid", [[
      options = { most = { type = "integer", default = 3 } },
      quota = function (options)
        return { fill "all" { by = 1, up_to = options.evenly and 1 or options.most } }
      end,]])
    assert.equal(3, quotas(nil, text))
    assert.equal(5, quotas({ use = "site.lua", most = 5 }, text))
    assert.equal(1, quotas({ use = "site.lua", evenly = true }, text))
    text = site("hybrid", [[options = { selective = { type = "integer", default = 4 } },
      quota = function (options) return { fill "all" { by = 1, up_to = options.selective } } end,]])
    assert.equal(4, quotas(nil, text))
  end)

  it("keeps what is switched: what is owned does not scale as in ownership", function ()
    local decision = engine.cycle(plan(), case.state { A = { 8, 0 }, slots = 16 }, nil,
      site("ownership", ""))
    assert.equal("4", decision.groups.default.consumers[1].owned)
  end)

  for title, wrong in pairs {
    ["an unknown policy"] = { site("hybird", ""), 'hybrid, ownership.*share_ratio.*hybrid' },
    ["no name of one"] = { site("hybrid", "like = 3,"), "unknown ready%-made policy 3" },
    ["a column nobody declared"] = { site("hybrid", 'victims = order { "unsavd" },'), "unsavd" },
  } do
    it("is refused with the line for " .. title, function ()
      local none, _, report = allot.plan(document.encode(plan()),
        { file = "plan.json", policies = { ["site.lua"] = wrong[1] } })
      assert.is_nil(none)
      assert.equal("site.lua", report[1].file)
      assert.is_number(report[1].line)
      assert.matches(wrong[2], report[1].message .. " " .. (report[1].hint or ""))
    end)
  end

  it("is for the sandbox, where the ready-made ones are", function ()
    assert.has_error(function ()
      local made = allot.policy { name = "x", like = "hybrid" }
      return made
    end)
  end)
end)
