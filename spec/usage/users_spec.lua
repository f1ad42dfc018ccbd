-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The use of jobs' users over time (C-14), and policies that read it.

local allot = require "allot"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"

local POLICY = [[return policy {
  name = "site", preempts = false, across = true, dispatch = order { "usage", "submitted" },
}]]

--- Use halves in 100 seconds.
local function plan(more)
  local out = { version = 1, policy = "site.lua", half_life = 100, hosts = { h = { slots = 4 } },
    queues = { { name = "high", priority = 9 }, { name = "low", priority = 1 } } }
  for key, value in pairs(more or {}) do out[key] = value end
  return out
end

local function job(id, user, more)
  local out = { id = id, queue = "low", user = user, slots = 1, submitted = 10 }
  for key, value in pairs(more or {}) do out[key] = value end
  if out.state == "running" then out.hosts, out.started = { h = out.slots }, out.started or 0 end
  return out
end

local function started(made)
  local out = {}
  for i, order in ipairs(made.starts) do out[i] = order.job end
  return table.concat(out, " ")
end

describe("the use of a user (C-14)", function ()
  it("has no time after that of the state", function ()
    local sealed = engine.sealed(plan(), POLICY)
    local text = '{"now": 300, "users": {"ann": {"usage": 1, "usage_at": 301}}}'
    local _, _, report = allot.state(sealed, text)
    assert.equal('found 301, allowed a time up to "now"', report[1].message)
    assert.equal(text:find("301", 1, true), report[1].col)
  end)

  it("halves in a half-life, and grows with the slots of its running jobs", function ()
    local state = { now = 300, usage_at = 100, users = {
      ann = { usage = 4000 }, bob = { usage = 1000, usage_rest = 500000, usage_at = 200 },
      cy = { usage = 8, usage_at = 0 },
    }, jobs = { job("p", "dan") } }
    local made = engine.cycle(plan(), state, nil, POLICY)
    -- 4000 / 4; 1000.5 / 2; 8 / 8
    assert.same({ ann = { usage = 1000 }, bob = { usage = 500, usage_rest = 250000 },
      cy = { usage = 1 } }, made.users)
    -- With r = 2^(-1/100): 1 + r + ... + r^99 = (1 - 1/2) / (1 - r) = 72.385...
    state.jobs = { job("a", "ann", { state = "running", slots = 2 }),
      job("b", "ann", { state = "running", slots = 1, queue = "high" }) }
    state.users = nil
    state.usage_at = 200
    made = engine.cycle(plan(), state, nil, POLICY)
    local r = 2 ^ -0.01
    local use = 3 * 0.5 / (1 - r)
    assert.equal(math.floor(use), made.users.ann.usage)
    assert.is_true(math.abs((use % 1) * 1e6 - made.users.ann.usage_rest) < 2)
  end)

  it("puts who has used least first, and ties by the keys behind it", function ()
    local jobs = { job("a", "ann", { submitted = 1 }), job("b", "bob"), job("c", "cy"),
      job("n", nil, { submitted = 20 }), job("d", "bob", { submitted = 5 }) }
    local made = engine.cycle(plan(), { now = 100, usage_at = 100, jobs = jobs, users = {
      ann = { usage = 30 }, bob = { usage = 20, usage_rest = 999999 }, cy = { usage = 20 } } },
      nil, POLICY)
    assert.equal("n d b c", started(made)) -- whole slot-seconds decide
  end)

  it("lets two users take turns", function ()
    local sealed = engine.sealed(plan { hosts = { h = { slots = 1 } } }, POLICY)
    local jobs, order = {}, {}
    for i = 1, 3 do jobs[#jobs + 1] = job("a" .. i, "ann", { submitted = i }) end
    for i = 1, 3 do jobs[#jobs + 1] = job("b" .. i, "bob", { submitted = 10 + i }) end
    local state = { now = 1000, jobs = jobs }
    for _ = 1, 6 do
      local made = engine.decided(sealed, state)
      order[#order + 1] = started(made)
      state = engine.after(made, { seconds = 50 })
      -- What a decision says of users is what the next state states; then the job ends.
      made = engine.decided(sealed, state)
      state.users, state.usage_at = made.users, made.usage_at
      for i, it in ipairs(state.jobs) do
        if it.state == "running" then table.remove(state.jobs, i) break end
      end
    end
    assert.equal("a1 b1 a2 b2 a3 b3", table.concat(order, " "))
  end)

  it("is of all queues, and of no job without a user", function ()
    local rules = [[return policy { name = "site", preempts = false,
      dispatch = order { function (usage, user) return usage == 7 and user == 0 and 0
        or usage == 40 and 1 or 2 end } }]]
    local made = engine.cycle(plan(), { now = 100, usage_at = 100, users = {
      ann = { usage = 40 } }, jobs = { job("n"), job("a", "ann"), job("h", "ann", {
        queue = "high" }) } }, nil, rules)
    assert.equal("h a n", started(made))
  end)

  it("guards and orders victims, which fade and grow in between", function ()
    local rules = [[return policy { name = "site", dispatch = order { "submitted" },
      victims = order { desc "usage", "started" },
      guards = { guard "small" { value = "usage", min = 50 } } }]]
    local of = plan { hosts = { h = { slots = 2 } }, queues = {
      { name = "high", priority = 9, preemptive = true }, { name = "low", priority = 1 } } }
    local function gone(ann, bob)
      local made = engine.cycle(of, { now = 100, usage_at = 100, users = {
        ann = { usage = ann }, bob = { usage = bob } }, jobs = {
          job("a", "ann", { state = "running" }), job("b", "bob", { state = "running" }),
          job("h", "cy", { queue = "high" }) } }, nil, rules)
      return made.suspends[1] and made.suspends[1].job
    end
    assert.equal("b", gone(60, 70))
    assert.equal("a", gone(80, 70))
    assert.equal("a", gone(50, 49))
    assert.is_nil(gone(49, 49))
  end)

  it("is counted if a policy of the plan reads it, of a window too", function ()
    local state = { now = 200, usage_at = 100, users = { ann = { usage = 8 } },
      jobs = { job("a", "ann", { state = "running" }) } }
    local plain = 'return policy { name = "plain", preempts = false }'
    assert.is_nil(engine.cycle(plan(), state, nil, plain).users)
    assert.is_table(engine.cycle(plan(), state, nil, POLICY).users)
    local sealed = assert(allot.plan(document.encode(plan { windows = {
      { from = "00:00", to = "00:01", timezone = "UTC", policy = "least.lua" } } }), {
      policies = { ["site.lua"] = plain, ["least.lua"] = POLICY } }))
    assert.equal(76, engine.decided(sealed, state).users.ann.usage)
  end)

  it("is told as a state that decides the same", function ()
    local sealed = engine.sealed(plan(), POLICY)
    local state = { now = 300, usage_at = 100, users = { ann = { usage = 4000, usage_rest = 7 },
      bob = { usage = 1, usage_at = 250 }, gone = { usage = 1, usage_at = -9000 } },
      jobs = { job("a", "cy", { state = "running" }) } }
    local text, decision = engine.decide(sealed, state)
    local after = decision:apply { seconds = 0 }
    local told = after:json()
    assert.matches('"ann": {"usage": 4000, "usage_rest": 7, "usage_at": 100}', told, 1, true)
    assert.matches('"bob": {"usage": 1, "usage_at": 250}', told, 1, true)
    assert.matches('"cy": {"usage_at": 100}', told, 1, true)
    assert.is_nil(told:find("gone", 1, true))
    local again = allot.cycle(sealed, (assert(allot.state(sealed, told))))
    assert.equal(text:match '"users": %b{}', again:json():match '"users": %b{}')
  end)

  it("is explained (C-14)", function ()
    local _, made = engine.decided(engine.sealed(plan(), POLICY), { now = 200, usage_at = 100,
      users = { ann = { usage = 8 } }, jobs = { job("r", "ann", { state = "running", slots = 2 }),
        job("p", "ann") } })
    assert.matches("The use of its user is 148 slot-seconds now, and fades to half in 100 s; the "
      .. "user's running jobs add 2 a second (C-14).",
      table.concat(made:explain "p", "\n"), 1, true)
  end)

  it("is told what is wrong", function ()
    local sealed = engine.sealed(plan(), POLICY)
    local function said(users)
      local _, _, report = allot.state(sealed, document.encode { now = 1, users = users })
      return report[1].message
    end
    for key, wrong in pairs {
      usage = { -1, 4611686018427387904 }, usage_rest = { 1000000, 999999 },
    } do
      assert.matches(("allowed an integer 0 ... %d"):format(wrong[2]),
        said { ann = { [key] = wrong[1] } }, 1, true)
    end
    assert.matches('found the unknown key "used"', said { ann = { used = 1 } }, 1, true)
    assert.matches("the user's name", said { [("x"):rep(300)] = { usage = 1 } }, 1, true)
    local leaves = assert(allot.plan('{"version": 1, "slots": 1, "consumers": [{"name": "a"}]}'))
    local _, _, report = allot.state(leaves, '{"now": 1, "users": {"ann": {"usage": 1}}}')
    assert.matches('found "users" beside a plan without queues', report[1].message, 1, true)
  end)
end)
