-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- "Any one" of equal tasks (A-79): told by the plan's seed and the id alone. The order in which a
--- document lists tasks has no say, in this choice or another.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local random = require "allot.check.random"

local NOW = 1000
local HOSTS = { "h1", "h2", "h3" }

--- The tasks of A that go, first to last: A holds all slots, and B wants its 8.
local function going(state, seed, use)
  use.use = "hybrid"
  local plan = case.plan { slots = state.slots, policy = use, { "A" }, { "B", owned = 8 } }
  plan.options = { seed = seed }
  state.now, state.A, state.B = NOW, { state.slots, state.slots }, { 8, 0 }
  return engine.cycle(plan, case.state(state)).reclaims[1].tasks
end

local function equals()
  local tasks = {}
  for i = 1, 12 do
    tasks[i] = { id = ("job-%d"):format(i), consumer = "/A", started = 0 }
  end
  return tasks
end

--- Sessions, hosts, and tasks that differ in little, some on one slot.
local function mixture(rand)
  local tasks, sessions, hosts = {}, {}, {}
  for i, host in ipairs(HOSTS) do
    hosts[host] = { slots = 20, load = rand:int(0, 1) }
    sessions[i] = { id = "s" .. i, consumer = "/A", preemption_rank = rand:int(0, 1) }
  end
  for i = 1, 18 do
    local shared = i > 6 and rand:once_in(2)
    tasks[i] = {
      id = ("t%d"):format(rand:int(0, 9) * 100 + i), consumer = "/A",
      started = rand:int(0, 1) * 500,
      session = "s" .. rand:int(1, 3), host = rand:pick(HOSTS), slot = "own" .. i,
    }
    if shared then
      tasks[i].host, tasks[i].slot = tasks[i % 3 + 1].host, tasks[i % 3 + 1].slot
    end
  end
  return { tasks = tasks, sessions = sessions, hosts = hosts, slots = 20 }
end

local function shuffled(rand, list)
  local out = { table.unpack(list) }
  for i = #out, 2, -1 do
    local j = rand:int(1, i)
    out[i], out[j] = out[j], out[i]
  end
  return out
end

describe("any one of equal tasks (A-79)", function ()
  local use = { preemption = "policy_default" }

  it("is by id without a seed: the larger goes first (C-8)", function ()
    assert.same({ "job-9", "job-8", "job-7", "job-6", "job-5", "job-4", "job-3", "job-2" },
      going({ tasks = equals(), slots = 12 }, nil, use))
  end)

  it("is another with another seed, and everybody's turn comes", function ()
    local choices, first, different = {}, {}, 0
    for seed = 1, 100 do
      local names = going({ tasks = equals(), slots = 12 }, seed, use)
      local choice = table.concat(names, " ")
      different = different + (choices[choice] and 0 or 1)
      choices[choice], first[names[1]] = true, (first[names[1]] or 0) + 1
    end
    assert.is_true(different > 95)
    for i = 1, 12 do
      local times = first["job-" .. i] or 0 -- 8 of 100 are to be expected
      assert.is_true(times > 0 and times < 30, ("job-%d: %d"):format(i, times))
    end
  end)

  it("does not depend on what else there is: without one that stays all is as before", function ()
    local names, stays = going({ tasks = equals(), slots = 12 }, 7, use), {}
    for _, name in ipairs(names) do stays[name] = false end
    local tasks = equals()
    for i = #tasks, 1, -1 do
      if stays[tasks[i].id] == nil then
        table.remove(tasks, i)
        break
      end
    end
    assert.same(names, going({ tasks = tasks, slots = 11 }, 7, use))
  end)
end)

describe("the order in which a state lists tasks has no say", function ()
  for _, preemption in ipairs { "most_recent", "policy_default" } do
    for _, selective in ipairs { true, false } do
      it(("under %s, selective %s"):format(preemption, selective), function ()
        for seed = 1, 40 do
          local rand = random.new(seed)
          local state = mixture(rand)
          local use = { preemption = preemption, selective = selective }
          local names = going(state, seed % 3, use)
          local other = { hosts = state.hosts, slots = 20 }
          other.tasks = shuffled(rand, state.tasks)
          other.sessions = state.sessions -- their order is the last key of what they deserve
          local others = going(other, seed % 3, use)
          assert.same(names, others, "seed " .. seed)
        end
      end)
    end
  end
end)
