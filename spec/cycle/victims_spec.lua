-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Which tasks go, and who is sheltered (rules.md 5.5; C-8; XV-1 to XV-4).

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local NOW = 10000

-- A gives `gives` slots to B of those it holds; A is a leaf that owns nothing it does not need.
local function plan(holds, gives, policy, more)
  local short = { slots = holds, policy = policy, { "A", owned = holds - gives },
    { "B", owned = gives } }
  for key, value in pairs(more or {}) do short[key] = value end
  return case.plan(short)
end

local function state(holds, gives, rest)
  rest.now = rest.now or NOW
  rest.A, rest.B = { holds, holds, rest.unlisted }, { gives, 0 }
  rest.unlisted = nil
  return case.state(rest)
end

local function session(id, fields)
  fields.id, fields.consumer = id, "/A"
  return fields
end

local function task(id, fields)
  fields.id, fields.consumer = id, "/A"
  return fields
end

-- The tasks that A gives back, and the decision.
local function going(holds, gives, rest, policy, more, text)
  local document, decision = engine.cycle(plan(holds, gives, policy, more),
    state(holds, gives, rest), nil, text)
  local reclaim = document.reclaims[1]
  return reclaim and reclaim.tasks or {}, document, decision
end

local function explained(decision, id)
  return table.concat(assert(decision:explain(id)), "\n")
end

local SITE = [[
return policy {
  name = "site",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
  },
  %s
}
]]

local function site(rules)
  return "site.lua", nil, SITE:format(rules)
end

describe("victims", function ()
  it("XV-1: by priority the last created of the lowest", function ()
    local function of(id, fields)
      fields.scheduling = "priority"
      return session(id, fields)
    end
    assert.same({ "new" }, (going(3, 1, {
      sessions = {
        of("s1", { priority = 1, created = 1 }), of("s2", { priority = 1, created = 2 }),
        of("s3", { priority = 500, created = 3 }),
      },
      tasks = {
        task("old", { session = "s1", started = 300 }),
        task("new", { session = "s2", started = 100 }),
        task("high", { session = "s3", started = 900 }),
      },
    })))
  end)

  it("XV-2: the last started of the lowest preemption rank", function ()
    local rest = {
      sessions = {
        session("s1", { preemption_rank = 10 }), session("s2", { preemption_rank = 10 }),
        session("s3", { preemption_rank = 20 }),
      },
      tasks = {
        task("a", { session = "s1", started = 100 }), task("b", { session = "s2", started = 300 }),
        task("c", { session = "s1", started = 200 }), task("d", { session = "s3", started = 900 }),
      },
    }
    assert.same({ "b" }, (going(4, 1, rest)))
    assert.same({ "b", "c", "a", "d" }, (going(4, 4, rest)))
  end)

  it("XV-3: PolicyDefault: the fullest session, or the least empty one", function ()
    local use = { use = "hybrid", preemption = "policy_default" }
    local function tasks(counts)
      local out = {}
      for name, count in pairs(counts) do
        for i = 1, count do
          out[#out + 1] = task(name .. i, { session = name, started = i })
        end
      end
      return out
    end
    -- Each deserves 2 of 6: +3, +1, -2.
    local names = going(8, 2, {
      sessions = { session("s1", {}), session("s2", {}), session("s3", {}) },
      tasks = tasks { s1 = 5, s2 = 3 },
    }, use)
    assert.same({ "s15", "s14" }, names)
    -- They deserve 3 and 5 of 8 and hold 2 and 1: -1, -4; the other 7 run what nobody tells of.
    names = going(10, 2, {
      unlisted = true,
      sessions = { session("s1", { priority = 3 }), session("s2", { priority = 5 }) },
      tasks = tasks { s1 = 2, s2 = 1 },
    }, use)
    assert.same({ "s12", "s11" }, names)
  end)

  it("PolicyDefault: the fullest session is asked anew for each slot", function ()
    local function tasks(counts)
      local out = {}
      for name, count in pairs(counts) do
        for i = 1, count do
          out[#out + 1] = task(name .. i, { session = name, started = i })
        end
      end
      return out
    end
    local sessions = { session("s1", {}), session("s2", {}) }
    local use = { use = "hybrid", preemption = "policy_default" }
    -- They deserve 3 each and hold 6 and 5: +3, +2. Of equal ones the larger id goes (C-8).
    assert.same({ "s16", "s25", "s15", "s24", "s14" },
      (going(11, 5, { sessions = sessions, tasks = tasks { s1 = 6, s2 = 5 } }, use)))
    -- With a seed any one of equals (A-79), but as many of each.
    for seed = 1, 20 do
      local count = { s1 = 0, s2 = 0 }
      for _, name in ipairs((going(11, 5, { sessions = sessions, tasks = tasks { s1 = 6, s2 = 5 } },
        use, { options = { seed = seed } }))) do
        count[name:sub(1, 2)] = count[name:sub(1, 2)] + 1
      end
      assert.same({ s1 = 3, s2 = 2 }, count)
    end
    -- Slots on their way already are no longer a session's: 2 of the 6 are, so 4 and 5 are held.
    local flight = { consumer = "/A", slots = 2, tasks = { "s11", "s12" },
      ["for"] = { { consumer = "/B", slots = 2 } }, deadline = NOW + 60 }
    assert.same({ "s25", "s24" }, (going(11, 4, { sessions = sessions,
      tasks = tasks { s1 = 6, s2 = 5 }, reclaims = { flight } }, use)))
  end)

  it("any site's order can go by the fullest session, smallest first too", function ()
    local name, _, text = site 'victims = order { "session_over", "started" },'
    local tasks = {}
    for i = 1, 3 do
      tasks[i] = task("a" .. i, { session = "s1", started = i })
      tasks[3 + i] = task("b" .. i, { session = "s2", started = 10 + i })
    end
    tasks[7] = task("b4", { session = "s2", started = 14 })
    local sessions = { session("s1", {}), session("s2", {}) }
    assert.same({ "a1", "a2", "a3" }, (going(7, 3, { sessions = sessions, tasks = tasks }, name,
      nil, text)))
  end)

  it("XV-4: on an exclusive host everybody counts as the best there", function ()
    local rest = {
      hosts = { h1 = { slots = 2, exclusive_to = "/A" }, h2 = { slots = 1 } },
      sessions = {
        session("s1", { preemption_rank = 10 }), session("s2", { preemption_rank = 20 }),
        session("s3", { preemption_rank = 15 }),
      },
      tasks = {
        task("a", { session = "s1", host = "h1", started = 1 }),
        task("b", { session = "s2", host = "h1", started = 2 }),
        task("c", { session = "s3", host = "h2", started = 3 }),
      },
    }
    assert.same({ "c" }, (going(3, 1, rest)))
    rest.hosts.h1.exclusive_to = nil
    assert.same({ "a" }, (going(3, 1, rest)))
  end)

  it("go host by host when they are not selective", function ()
    local use = { use = "hybrid", selective = false }
    local rest = {
      hosts = { h1 = { slots = 2 }, h2 = { slots = 2 } },
      tasks = {
        task("a", { host = "h1", started = 1 }), task("b", { host = "h1", started = 2 }),
        task("c", { host = "h2", started = 3 }), task("d", { host = "h2", started = 4 }),
      },
    }
    assert.same({ "d", "c" }, (going(4, 2, rest)))
    local first = going(4, 2, rest, use)
    assert.same({ "b", "a" }, first)
    -- Any one, but always the same (A-79): both hosts come up, and never a mixture.
    local seen = {}
    for seed = 1, 40 do
      local names = going(4, 2, rest, use, { options = { seed = seed } })
      assert.same(names, (going(4, 2, rest, use, { options = { seed = seed } })))
      seen[table.concat(names)] = true
    end
    assert.same({ ba = true, dc = true }, seen)
  end)

  it("that tie go by larger id, bytewise (C-8)", function ()
    local tasks = {}
    for i, id in ipairs { "t10", "t9", "T99", "t2" } do tasks[i] = task(id, { started = 5 }) end
    assert.same({ "t9", "t2", "t10" }, (going(4, 3, { tasks = tasks })))
  end)

  it("are spared, last first, who is not needed (C-8)", function ()
    assert.same({ "four" }, (going(7, 4, { tasks = {
      task("one", { slots = 1, started = 30 }), task("two", { slots = 2, started = 20 }),
      task("four", { slots = 4, started = 10 }),
    } })))
  end)

  it("share a slot, go together, count it once, and ran as long as all of them (5.5.3)", function ()
    local function those(ran)
      local names, document = going(3, 1, { tasks = {
        task("a", { host = "h", slot = 1, started = NOW - ran }),
        task("b", { host = "h", slot = 1, started = NOW - 50 }),
        task("c", { host = "h", slot = 2, started = NOW - 60 }),
        task("d", { host = "h", slot = 3, started = NOW - 70 }),
      }, hosts = { h = { slots = 3 } } })
      return names, document.reclaims[1].lost
    end
    local names, lost = those(9)
    assert.same({ "a", "b" }, names)
    assert.equal(59, lost)
    names, lost = those(100)
    assert.same({ "c" }, names)
    assert.equal(60, lost)
  end)

  it("are not those that a reclaim in flight names", function ()
    local names = going(4, 2, {
      tasks = {
        task("a", { started = 1 }), task("b", { started = 2 }), task("c", { started = 3 }),
        task("d", { started = 4 }),
      },
      reclaims = { { consumer = "/A", slots = 1, tasks = { "d" },
        ["for"] = { { consumer = "/B", slots = 1 } }, deadline = NOW + 60 } },
    })
    assert.same({ "c" }, names)
  end)

  it("by a site's order, with functions and attributes", function ()
    local name, _, text = site [[
      task_attributes = { checkpointed = { type = "integer", default = 0 } },
      victims = order { function (ran, slots, checkpointed) return ran * slots - checkpointed end },
    ]]
    assert.same({ "b" }, (going(4, 1, { tasks = {
      task("a", { slots = 1, started = NOW - 50 }),
      task("b", { slots = 2, started = NOW - 90, checkpointed = 170 }),
      task("c", { slots = 1, started = NOW - 30 }),
    } }, name, nil, text)))
  end)
end)

describe("guards", function ()
  local tasks = {
    task("young", { started = NOW - 10 }), task("often", { started = NOW - 70, preempted = 3 }),
    task("tagged", { started = NOW - 80, tags = { "interactive" } }),
    task("old", { started = NOW - 90 }), task("older", { started = NOW - 95 }),
  }
  local name, _, text = site [[
    guards = { min_run_time(60), max_preemptions(3), spare_tagged "interactive" },
  ]]

  it("shelter tasks, and a leaf gives no more than it can", function ()
    assert.same({ "old", "older" }, (going(5, 2, { tasks = tasks }, name, nil, text)))
    local names, document = going(5, 4, { tasks = tasks }, name, nil, text)
    assert.same({ "old", "older" }, names)
    case.check({ A = { over = 4, reclaimed = 2, held_back = 2 } }, document.groups.default)
  end)

  it("shelter all on a slot while one of them has not run long enough", function ()
    assert.same({ "c" }, (going(2, 1, { tasks = {
      task("a", { host = "h", slot = 1, started = NOW - 100 }),
      task("b", { host = "h", slot = 1, started = NOW - 50 }),
      task("c", { host = "h", slot = 2, started = NOW - 900 }),
    } }, name, nil, text)))
  end)

  it("are named when a task is explained", function ()
    local _, _, decision = going(5, 2, { tasks = tasks }, name, nil, text)
    local lines = explained(decision, "young")
    assert.matches("guard min_run_time protects it", lines)
    assert.matches("Its least_ran is 10; from 60 on, in 50, it may go", lines)
  end)

  it("by a function that says who may go", function ()
    local file, _, own = site [[
      guards = { guard "odd" (function (started) return started % 2 == 0 end) },
    ]]
    assert.same({ "b" }, (going(2, 1, { tasks = {
      task("a", { started = 9 }), task("b", { started = 4 }),
    } }, file, nil, own)))
  end)
end)

describe("an explanation of a task", function ()
  local tasks = {
    task("a", { started = 100 }), task("b", { started = 300, slots = 2 }),
    task("c", { started = 200 }),
  }

  it("tells the key that decided, and what would have protected it", function ()
    local _, _, decision = going(4, 2, { tasks = tasks })
    local lines = explained(decision, "b")
    assert.matches("It is reclaimed", lines)
    assert.matches("number 1 of 3 candidates", lines)
    assert.matches("The first that stays is c", lines)
    assert.matches("ran, smallest first: 9700 against 9800", lines)
    assert.matches("It would stay if /A gave 2 less", lines)
    lines = explained(decision, "a")
    assert.matches("It stays", lines)
    assert.matches("The last that goes is b", lines)
    assert.matches("It would go if /A gave 2 more", lines)
  end)

  it("tells of a session what it held above its part when that decided", function ()
    local use = { use = "hybrid", preemption = "policy_default" }
    local list = {}
    for i = 1, 3 do list[i] = task("a" .. i, { session = "s1" }) end
    for i = 1, 2 do list[3 + i] = task("b" .. i, { session = "s2" }) end
    local _, _, decision = going(5, 3, { tasks = list,
      sessions = { session("s1", {}), session("s2", {}) } }, use)
    -- 1 and 1 are deserved, so they are +2 and +1: a3, then of equals b2, then a2.
    local lines = explained(decision, "a2")
    assert.matches("number 3 of 5 candidates", lines)
    assert.matches("The first that stays is b1", lines)
    assert.matches("session_over, largest first: 1 against 0", lines)
    assert.matches("It would stay if /A gave 1 less", lines)
    lines = explained(decision, "b1")
    assert.matches("The last that goes is a2", lines)
    assert.matches("session_over, largest first: 0 against 1", lines)
  end)

  it("is right about how many more or less it takes", function ()
    for gives = 1, 4 do
      local names, _, decision = going(4, gives, { tasks = tasks })
      local goes = {}
      for _, id in ipairs(names) do goes[id] = true end
      for _, one in ipairs(tasks) do
        local lines = explained(decision, one.id)
        local less = tonumber(lines:match "It would stay if /A gave (%d+) less")
        local more = tonumber(lines:match "It would go if /A gave (%d+) more")
        assert.equal(goes[one.id] == true, less ~= nil)
        local other = going(4, gives - (less or 0) + (more or 0), { tasks = tasks })
        local now = false
        for _, id in ipairs(other) do now = now or id == one.id end
        if less or more then assert.equal(not goes[one.id], now) end
      end
    end
  end)
end)
