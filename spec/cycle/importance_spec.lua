-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- For an exclusive host all sessions there count as its most important one (seed 002, step 2;
--- 5.5; XV-4): so the host whose most important session is the least is left.

local engine = require "spec.support.cases.engine"
local property = require "spec.support.cases.property"
local random = require "allot.check.random"

local NOW = 1000

local POLICY = [[
return policy {
  name = "site", like = "hybrid", doc = "Hybrid, and what hosts are.",
  requirements = { gpu = function (gpus) return (gpus or 0) > 0 end },
}
]]

-- A has hosts to itself and wants so many slots, on hosts that meet what it requires; B runs tasks
-- { host, session } with those ranks.
local function decide(hosts, wants, ranks, tasks, of_b, requires)
  local slots, list, sessions = 0, {}, {}
  for _, host in pairs(hosts) do slots = slots + host.slots end
  for i, rank in ipairs(ranks) do
    sessions[i] = { id = "s" .. i, consumer = "/B", preemption_rank = rank }
    for key, value in pairs(of_b or {}) do sessions[i][key] = value end
    if sessions[i].scheduling == "priority" then sessions[i].priority = rank end
  end
  for i, task in ipairs(tasks) do
    list[i] = { id = ("t%02d"):format(i), consumer = "/B", host = task[1], session = "s" .. task[2],
      slots = task[3], started = i }
  end
  local document = engine.cycle({ version = 1, policy = "site.lua", hosts = hosts, consumers = {
    { name = "A", owned = slots, exclusive = true, requires = requires }, { name = "B" },
  } }, { now = NOW, sessions = sessions, tasks = list[1] and list, consumers = {
    ["/A"] = { demand = wants }, ["/B"] = { demand = slots },
  } }, nil, POLICY)
  local gone = {}
  for _, reclaim in ipairs(document.reclaims) do
    for _, id in ipairs(reclaim.tasks) do gone[id] = true end
  end
  return gone, list, document
end

local function left(...)
  local gone, list = decide(...)
  local hosts, names = {}, {}
  for _, task in ipairs(list) do
    if gone[task.id] then hosts[task.host] = true end
  end
  for host in pairs(hosts) do names[#names + 1] = host end
  table.sort(names)
  return names
end

local TWO = { h1 = { slots = 2 }, h2 = { slots = 2 } }

describe("an exclusive consumer", function ()
  it("gets the host whose most important session is the least (XV-4)", function ()
    local tasks = { { "h1", 1 }, { "h1", 2 }, { "h2", 3 }, { "h2", 3 } }
    assert.same({ "h2" }, left(TWO, 2, { 10, 20, 5 }, tasks))
    assert.same({ "h2" }, left(TWO, 2, { 10, 20, 15 }, tasks))
    assert.same({ "h1" }, left(TWO, 2, { 10, 20, 25 }, tasks))
    assert.same({ "h1", "h2" }, left(TWO, 4, { 10, 20, 5 }, tasks))
  end)

  it("where priority schedules sessions, by that", function ()
    local tasks = { { "h1", 1 }, { "h1", 2 }, { "h2", 3 }, { "h2", 3 } }
    assert.same({ "h2" }, left(TWO, 2, { 1, 9, 5 }, tasks, { scheduling = "priority" }))
    assert.same({ "h1" }, left(TWO, 2, { 1, 4, 5 }, tasks, { scheduling = "priority" }))
  end)

  it("of equally important ones gets the one with fewest slots in use", function ()
    assert.same({ "h2" }, left({ h1 = { slots = 2 }, h2 = { slots = 2 } }, 1, { 0 },
      { { "h1", 1 }, { "h1", 1 }, { "h2", 1 } }))
  end)

  it("gets the least important one of those that meet what it requires", function ()
    local hosts = { g1 = { slots = 2, gpus = 1 }, g2 = { slots = 2, gpus = 2 }, n = { slots = 2 } }
    local function tasks(first, second)
      return { { "g1", first }, { "g1", 1 }, { "g2", second, 2 }, { "n", 1, 2 } }
    end
    assert.same({ "g2" }, left(hosts, 2, { 0, 20, 5 }, tasks(2, 3), nil, "gpu"))
    assert.same({ "g1" }, left(hosts, 2, { 0, 5, 20 }, tasks(2, 3), nil, "gpu"))
  end)

  it("takes no less important one beside one that is enough by itself", function ()
    -- h1 alone is too small, so h2 is left in any case.
    local hosts = { h1 = { slots = 2 }, h2 = { slots = 4 } }
    local tasks = { { "h1", 1, 2 }, { "h2", 2, 4 } }
    assert.same({ "h2" }, left(hosts, 3, { 0, 5 }, tasks))
    assert.same({ "h1" }, left(hosts, 2, { 0, 5 }, tasks))
  end)

  it("gets no host that cannot be left, but the next that can", function ()
    -- B keeps 4 of its 6 slots: it can leave h2 alone, though h1 is less important.
    assert.same({ "h2" }, left({ h1 = { slots = 4 }, h2 = { slots = 4 } }, 4, { 5, 10 }, {
      { "h1", 1, 4 }, { "h2", 2, 2 },
    }))
  end)
end)

local function make(seed)
  local rng = random.new(seed)
  local slots, hosts, ranks, tasks = rng:int(1, 4), {}, {}, {}
  for i = 1, rng:int(2, 5) do
    local name = "h" .. i
    hosts[name] = { slots = slots }
    for _ = 1, rng:once_in(2) and slots or rng:int(0, slots) do
      tasks[#tasks + 1] = { name, rng:int(1, 4) }
    end
  end
  for i = 1, 4 do ranks[i] = rng:int(0, 3) end
  return { hosts = hosts, ranks = ranks, tasks = tasks, wants = rng:int(1, 3 * slots),
    plan = {}, state = {} }
end

describe("hosts that are left for somebody alone", function ()
  property("are the least important ones that can be left", { runs = 2000,
    valid = function () return false end }, function (case)
      local gone, list, document = decide(case.hosts, case.wants, case.ranks, case.tasks)
      local used, stays, most = {}, {}, {}
      for i, task in ipairs(list) do
        local host, rank = task.host, case.ranks[case.tasks[i][2]]
        used[host] = (used[host] or 0) + 1
        most[host] = math.max(most[host] or 0, rank)
        stays[host] = stays[host] or not gone[task.id]
      end
      local over, given = document.groups.default.consumers[2].over, 0
      for host, slots in pairs(used) do
        if not stays[host] then given = given + slots end
      end
      for host in pairs(used) do
        for other in pairs(used) do
          if not stays[host] and stays[other] and most[other] < most[host] then
            assert.is_true(given - used[host] + used[other] > over, ("%s is left, %s could be")
              :format(host, other))
          end
        end
      end
      for _, task in ipairs(list) do
        assert(not (gone[task.id] and stays[task.host]), task.host .. " is left in part")
      end
    end, make)
end)
