-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Grants on hosts: stacked and balanced, exclusive consumers, closed hosts.

local allot = require "allot"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"

local plan = case.plan

-- As case.state, but a consumer without `allocated` holds what its tasks do.
local function state(short)
  local out = case.state(short)
  for path, row in pairs(out.consumers) do
    row.allocated = short[path:sub(2)][2]
  end
  return out
end

local THREE = { H1 = { slots = 8 }, H2 = { slots = 8 }, H3 = { slots = 8 } }

-- Three hosts of 8; A and B with what `extra` says of them, and C.
local function three(extra, options)
  extra = extra or {}
  return plan {
    slots = 24, hosts = THREE, options = options,
    { "A", owned = 8, exclusive = extra.A, limit = extra.limit },
    { "B", owned = 8, exclusive = extra.B },
    { "C", owned = 8 },
  }
end

local LOANS = [[
return policy {
  name = "loans",
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    loan "borrowed" {},
  },
}
]]

local function task(id, consumer, host, slots)
  return { id = id, consumer = "/" .. consumer, host = host, slots = slots }
end

-- Where grants are, by consumer; and the group's answer.
local function places(document, now, policy)
  local decision = engine.cycle(document, now, nil, policy)
  local out = {}
  for _, grant in ipairs(decision.grants) do
    out[grant.consumer:sub(2)] = grant.hosts or {}
  end
  return out, decision.groups.default, decision
end

-- The state after a decision is carried out: what was granted runs as tasks where it was placed.
local function carried(now, decision)
  local tasks = { table.unpack(now.tasks or {}) }
  for i, grant in ipairs(decision.grants) do
    for host, slots in pairs(grant.hosts) do
      tasks[#tasks + 1] = {
        id = ("t%d-%d-%s"):format(#tasks, i, host), consumer = grant.consumer, host = host,
        slots = slots,
      }
    end
  end
  local consumers = {}
  for path, row in pairs(now.consumers) do
    consumers[path] = { demand = row.demand }
  end
  return { now = now.now + 1, consumers = consumers, tasks = tasks, hosts = now.hosts }
end

describe("placement (SV-10)", function ()
  local wants = state { A = { 5 }, B = { 6 } }

  it("stacked finishes one host before the next", function ()
    assert.same({ A = { H1 = 5 }, B = { H1 = 3, H2 = 3 } }, (places(three(), wants)))
    assert.same({ A = { H1 = 5 }, B = { H1 = 3, H2 = 3 } },
      (places(three(nil, { placement = "stacked" }), wants)))
  end)

  it("balanced takes the host with most free slots each time", function ()
    assert.same({ A = { H1 = 2, H2 = 2, H3 = 1 }, B = { H1 = 2, H2 = 2, H3 = 2 } },
      (places(three(nil, { placement = "balanced" }), wants)))
  end)

  it("exclusive consumers have whole hosts, whose rest is blocked", function ()
    local both = three { A = true, B = true }
    local found, _, decision = places(both, wants)
    assert.same({ A = { H1 = 5 }, B = { H2 = 6 } }, found)
    local now = carried(wants, decision)
    now.consumers["/C"] = { demand = 100 }
    local group
    found, group = places(both, now)
    assert.same({ C = { H3 = 8 } }, found)
    assert.equal(3 + 2, group.blocked)
    assert.equal(24, group.slots)
    case.check({ C = { quota = 8, granted = 8 }, [""] = { idle = 8, idle_left = 0 } }, group)
  end)

  it("goes by what tasks leave free", function ()
    local found = places(three(), state {
      A = { 30 }, B = { 30 }, C = { 30 }, tasks = { task("t", "C", "H1", 6) },
    })
    assert.same({ A = { H1 = 2, H2 = 6 }, B = { H2 = 2, H3 = 6 }, C = { H3 = 2 } }, found)
  end)
end)

describe("exclusive consumers (H-14)", function ()
  it("get no host on which others run", function ()
    local found, group = places(three { A = true }, state {
      A = { 10 }, tasks = { task("t", "C", "H1"), task("u", "C", "H3") },
    })
    assert.same({ A = { H2 = 8 } }, found)
    case.check({ A = { granted = 8, barred = 2 } }, group)
  end)

  it("are given the hosts that others leave soonest, whole", function ()
    local now = state {
      A = { 5 }, C = { 30 },
      tasks = { task("t", "C", "H1", 8), task("u", "C", "H2", 7), task("v", "C", "H3", 8) },
    }
    local found, group, decision = places(three { A = true }, now)
    assert.same({}, found) -- H2 is to be empty, so its free slot is not C's
    case.check({
      A = { quota = 5 }, C = { quota = 16, over = 7 }, [""] = { slots = 24, blocked = 3 },
    }, group)
    assert.same({ C = { 7, A = 5 } }, case.reclaims(decision))
  end)

  it("wait for hosts that those who are there cannot leave", function ()
    local _, group, decision = places(plan {
      slots = 24, hosts = THREE, { "A", owned = 8, exclusive = true }, { "B", owned = 16 },
    }, state {
      A = { 8 }, B = { 30 },
      tasks = { task("t", "B", "H1", 6), task("u", "B", "H2", 6), task("v", "B", "H3", 4) },
    })
    -- B holds what it owns: it gives nothing, and nothing is set apart for A. What A cannot use is
    -- lent to B (H-18), which so comes to be over by a host.
    assert.same({}, decision.reclaims)
    case.check({
      A = { quota = 8, granted = 0 }, B = { quota = 16, granted = 8 }, [""] = { idle_left = 0 },
    }, group)
    assert.is_nil(group.blocked)
  end)

  it("leave nobody without slots that they cannot use", function ()
    local now = state {
      A = { 5 }, B = { 8 }, C = { 0 },
      tasks = { task("t", "C", "H1", 1), task("u", "B", "H2", 8), task("v", "C", "H3", 1) },
    }
    local _, _, decision = places(three { A = true }, now)
    assert.same({ C = { 1, A = 1 } }, case.reclaims(decision))
  end)

  it("that are over leave hosts whole, since the rest of one serves nobody", function ()
    local document = plan {
      slots = 24, hosts = THREE, { "A", owned = 8, exclusive = true }, { "B", owned = 16 },
    }
    local function given(first, second)
      local _, _, decision = places(document, state {
        A = { 90 }, B = { 90 }, tasks = {
          task("t", "A", "H1", first), task("u", "A", "H2", second), task("v", "B", "H3", 8),
        },
      })
      return case.reclaims(decision)
    end
    assert.same({ A = { 2, B = 2 } }, given(8, 2))
    assert.same({}, given(5, 6)) -- 3 too many, but 5 and 6 are together
  end)

  it("leave a host whole, however little of it is owed", function ()
    -- A is over by the 3 slots of H2, B lacks one: one or two of them would serve nobody.
    local _, _, decision = places(plan {
      slots = 24, hosts = THREE, { "A", owned = 8, exclusive = true, limit = 8 },
      { "B", owned = 8, limit = 9 },
    }, state {
      A = { 90 }, B = { 90 }, tasks = {
        task("t", "A", "H1", 8), task("u1", "A", "H2"), task("u2", "A", "H2"),
        task("u3", "A", "H2"), task("v", "B", "H3", 8),
      },
    })
    assert.same({ A = { 1, B = 1 } }, case.reclaims(decision))
    assert.same({ "u3", "u2", "u1" }, decision.reclaims[1].tasks) -- as they go (C-8)
  end)

  it("are assumed to fill hosts in plan order where no task tells them", function ()
    local _, group, decision = places(three { A = true }, state {
      A = { 9, 9 }, C = { 90, 0 },
    })
    -- 8 on H1, 1 on H2: the rest of that is for nobody else.
    case.check({ [""] = { blocked = 7 }, C = { quota = 8, granted = 8 } }, group)
    assert.is_nil(decision.grants[1].hosts)
    assert.equal("W-hosts", decision.warnings[1].code)
  end)

  it("take the rest of their own host before another", function ()
    local found = places(three { A = true }, state {
      A = { 10 }, tasks = { task("t", "A", "H2", 3) },
    })
    assert.same({ A = { H2 = 5, H1 = 2 } }, found)
  end)

  it("finish their hosts also when others are balanced", function ()
    local found = places(three({ A = true }, { placement = "balanced" }), state {
      A = { 5 }, B = { 4 },
    })
    assert.same({ A = { H1 = 5 }, B = { H2 = 2, H3 = 2 } }, found)
  end)

  it("block only what they do not want themselves", function ()
    local running = { task("t", "A", "H1", 3) }
    local _, group = places(three { A = true }, state { A = { 5 }, B = { 100 }, tasks = running })
    assert.equal(3, group.blocked)
    _, group = places(three { A = true }, state { A = { 8 }, B = { 100 }, tasks = running })
    assert.is_nil(group.blocked)
    _, group = places(three { A = true, limit = 4 }, state { A = { 90 }, tasks = running })
    assert.equal(4, group.blocked)
  end)

  it("wait for a host that is not theirs alone, and so do the others", function ()
    local found, group, decision = places(three { A = true }, state {
      A = { 8 }, B = { 24 }, tasks = { task("t", "A", "H1"), task("u", "B", "H1") },
    })
    assert.same({ A = { H2 = 7 }, B = { H3 = 8 } }, found)
    assert.equal(6 + 1, group.blocked) -- and A does not need all of H2
    assert.matches("H1", decision.warnings[1].message)
  end)

  it("of a parent are all below it together; a leaf of them may be alone", function ()
    local document = plan {
      slots = 24, hosts = THREE,
      { "P", exclusive = true, { "X", owned = 6 }, { "Y", owned = 6 },
        { "Z", owned = 4, exclusive = true } },
      { "Q", owned = 8 },
    }
    local found = places(document, state {
      ["P/X"] = { 3 }, ["P/Y"] = { 3 }, ["P/Z"] = { 3 }, Q = { 8 },
    })
    assert.same({
      ["P/X"] = { H1 = 3 }, ["P/Y"] = { H1 = 3 }, ["P/Z"] = { H2 = 3 }, Q = { H3 = 8 },
    }, found)
  end)

  it("are no part of a policy with loans", function ()
    local fine, fault = pcall(engine.sealed, plan {
      slots = 8, policy = "site.lua", { "A", owned = 8, exclusive = true },
    }, LOANS)
    assert.is_false(fine)
    assert.matches("E%-exclusive", fault)
  end)
end)

describe("hosts", function ()
  it("that are closed get nothing", function ()
    local found, group = places(three(), state {
      A = { 30 }, hosts = { H1 = { closed = "drain" }, H2 = { slots = 3 } },
    })
    assert.same({ A = { H2 = 3, H3 = 8 } }, found)
    assert.equal(11, group.slots)
  end)

  it("that only the state knows come behind", function ()
    local found = places(three(), state { A = { 30 }, hosts = { new = { slots = 2 } } })
    assert.same({ A = { H1 = 8, H2 = 8, H3 = 8, new = 2 } }, found)
  end)

  it("are not told where tasks may be anywhere", function ()
    local _, group, decision = places(three(), state { A = { 30 }, B = { 5, 5 } })
    assert.same({ group = "default", consumer = "/A", slots = 19,
      hosts = { H1 = 3, H2 = 3, H3 = 3 }, unplaced = 10 }, decision.grants[1])
    case.check({ A = { granted = 19 }, [""] = { idle_left = 0 } }, group)
  end)

  it("without a name leave slots unplaced", function ()
    local now = state { slots = 30, A = { 30 } }
    local _, _, decision = places(three(), now)
    assert.equal(6, decision.grants[1].unplaced)
  end)
end)

it("a host that the plan does not have is told with the nearest that it has", function ()
  local made = engine.sealed(three())
  local _, _, report = allot.state(made, [[{"now": 1, "hosts": {"H22": {"closed": "drain"}}}]])
  assert.equal("E-unknown-host", report[1].code)
  assert.equal('did you mean "H2"?', report[1].hint)
end)
