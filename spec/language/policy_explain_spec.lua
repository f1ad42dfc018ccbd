-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `explain` says of a policy's own words: which test of a relation refused, and which guards
--- let a job go.

local allot = require "allot"
local json = require "dkjson"

local function explained(policy, queues, jobs, id)
  local plan = assert(allot.plan(json.encode {
    policy = "own.lua", hosts = { h = { slots = 8 } }, queues = queues,
  }, { file = "plan.json", policies = { ["own.lua"] = policy } }))
  for i, job in ipairs(jobs) do
    job.slots, job.user, job.submitted = job.slots or 8, "u", i
    if job.hosts then job.state, job.started = "running", 100 else job.state = "pending" end
  end
  local state = assert(allot.state(plan, json.encode { now = 100000, jobs = jobs }))
  return table.concat(assert(assert(allot.cycle(plan, state)):explain(id)), "\n")
end

--- What is said of queue low when a job of queue high asks.
local function barred(preempts, high, low)
  high.name, low.name = "high", "low"
  local text = explained(('return policy { name = "own",\npreempts = %s }'):format(preempts),
    { high, low }, { { id = "s", queue = "low", hosts = { h = 8 } },
      { id = "p", queue = "high" } }, "p")
  return assert(text:match "\n  /low, with 1 job %(8 slots%) there: ([^\n]*)%.", text)
end

describe("explain names the test of the relation that refused:", function ()
  for _, it_ in ipairs {
    { "a function", "function (high, low) return low.name == 'x' end",
      'the function at own.lua:2, a test of policy "own", says no' },
    { "the second function", [[relation {
      function (high, low) return high.priority > 3 end,
      function (high, low) return low.name == "x" end }]],
      'the function at own.lua:4, a test of policy "own", says no' },
    { "the first that refuses", [[relation { function () return false end,
      higher "priority" }]], 'the function at own.lua:2, a test of policy "own", says no' },
    { "priority", 'relation { higher "priority", function () return false end }',
      "PRIORITY 9 is not below 5 (P-6)", { priority = 5 }, { priority = 9 } },
    { "slot_share", 'relation { higher "slot_share" }', "slot_share 0 is not below 0" },
    { "the queues", "relation { preemptive_or_preemptable }",
      "neither is it preemptable nor /high preemptive (P-5)", { priority = 1 }, { priority = 9 } },
    { "nobody", "false", 'policy "own" lets no job preempt' },
  } do
    it(it_[1], function ()
      assert.equal(it_[3], barred(it_[2], it_[4] or { priority = 9 }, it_[5] or { priority = 5 }))
    end)
  end

  it("a pool", function ()
    assert.equal("queues of pools neither preempt nor are preempted (Q-11, A-24)",
      barred("function () return true end", { priority = 9 },
        { priority = 5, slot_pool = "p", slot_share = 50 }))
  end)
end)

describe("explain of a job that goes", function ()
  local function gone(guards)
    return explained('return policy { name = "own", preempts = function (high, low) '
      .. "return high.priority > low.priority end,\nguards = " .. guards .. " }",
      { { name = "high", priority = 9 }, { name = "low", priority = 1 } },
      { { id = "s", queue = "low", hosts = { h = 8 } }, { id = "p", queue = "high" } }, "s")
  end

  it("names the policy's guards where no parameter would have protected it", function ()
    local text = gone [[{ guard "exempt" { value = "uninterrupted", max = 600000 },
      guard "odd" (function (slots) return slots % 2 == 0 end) }]]
    assert.matches('\nGuards of policy "own" let it go: exempt, odd.', text, 1, true)
    assert.is_nil(text:find "would have protected it")
    assert.matches('\nGuard of policy "own" let it go: exempt.',
      gone '{ guard "exempt" { value = "ran", min = 6 } }', 1, true)
  end)

  it("leaves that out where there is none", function ()
    local text = gone "{}"
    assert.is_nil(text:find "would have protected it")
    assert.is_nil(text:find "let it go")
    assert.is_nil(text:find ":$")
  end)

  it("lists the parameters that the policy goes by", function ()
    local text = gone "{ no_preempt_interval, no_preempt_run_time }"
    assert.matches("now, or else for its application, its queue or the plan (A-6):\n"
                   .. "  no_preempt_interval of", text, 1, true)
    assert.matches("\n  no_preempt_run_time of", text, 1, true)
    assert.is_nil(text:find "max_job_preempt")
    assert.is_nil(text:find "let it go")
  end)
end)

describe("explain says true and false", function ()
  local function said(fields, plan, state, what)
    plan.policy = "own.lua"
    local sealed = assert(allot.plan(json.encode(plan), { file = "plan.json", policies = {
      ["own.lua"] = 'return policy { name = "own",\n' .. fields .. "}" } }))
    local decision = assert(allot.cycle(sealed, assert(allot.state(sealed, json.encode(state)))))
    return table.concat(assert(decision:explain(what)), "\n")
  end
  local VIP = 'task_attributes = { vip = { type = "boolean", default = false } },\n'

  -- One slot is owed to a; b's task of the night stays, and of others who is vip goes first.
  it("of tasks", function ()
    local function told(what)
      return said(VIP .. [[quota = { fill "owned" { up_to = "owned" }, fill "all" {} },
        reclaim = fill { by = "over" }, victims = { desc "vip", "ran" },
        guards = { spare_tagged "night" }]],
        { slots = 3, consumers = { { name = "a", owned = 3 }, { name = "b" } } },
        { now = 1000, consumers = { ["/a"] = { demand = 1 },
          ["/b"] = { demand = 3, allocated = 3 } }, tasks = {
          { id = "v", consumer = "/b", started = 100, vip = true },
          { id = "o", consumer = "/b", started = 100 },
          { id = "n", consumer = "/b", started = 100, tags = { "night" } } } }, what)
    end
    assert.matches("\nCandidates are ordered by vip (true first), ran;", told "v", 1, true)
    assert.matches("\n  What decides is vip, true first: true against false.\n"
      .. "  Were that false, too, the keys behind it would decide.", told "v", 1, true)
    assert.matches("Guard spare_tagged night does not protect it: its night is false.", told "v", 1,
      true)
    assert.matches("\n  What decides is vip, true first: false against true.", told "o", 1, true)
    assert.matches("\n  Its night is true; where that is false it may go.", told "n", 1, true)
  end)

  it("of jobs", function ()
    local text = said(
      VIP .. 'preempts = relation { higher "priority" }, victims = { "vip", "ran" }',
      { hosts = { h = { slots = 2 } }, queues = {
        { name = "high", priority = 9 }, { name = "low", priority = 1 } } },
      { now = 1000, jobs = {
        { id = "v", queue = "low", state = "running", started = 1, hosts = { h = 1 }, vip = true },
        { id = "o", queue = "low", state = "running", started = 1, hosts = { h = 1 } },
        { id = "p", queue = "high", state = "pending" } } }, "o")
    assert.matches("Running jobs go by vip, ran (P-10 ...", text, 1, true)
    assert.matches("\n  What decides is vip, false first: false against true. Were that true, too, "
      .. "the keys behind it would decide.", text, 1, true)
  end)

  it("of what windows change", function ()
    local text = said('attributes = { keen = { type = "boolean", default = false } },\n'
      .. 'quota = { fill "all" {} }',
      { slots = 3, timezone = "UTC", consumers = { { name = "a", owned = 1 } },
        windows = { { from = "00:00", to = "12:00",
          consumers = { ["/a"] = { exclusive = true, keen = true, owned = 2 } } } } },
      { now = 1000 }, "/a")
    assert.matches("For /a that changes owned 1 to 2, exclusive false to true, keen false to true.",
      text, 1, true)
  end)
end)

describe("W-owned names what the policy goes by:", function ()
  local function hint(fields)
    local plan = assert(allot.plan('{"slots": 4, "policy": "own.lua", "consumers": '
      .. '[{"name": "a", "owned": 2}]}', { file = "plan.json", policies = {
      ["own.lua"] = 'return policy { name = "own",\n' .. fields .. "}" } }))
    local decision = assert(allot.cycle(plan, assert(allot.state(plan, '{"now": 0}'))))
    local warning = json.decode(decision:json()).warnings[1]
    assert.equal("W-owned", warning.code)
    return warning.hint
  end
  local OWN = 'attributes = { most = { type = "integer" }, weight = { type = "integer" } },\n'

  it("share", function ()
    assert.equal("state `share`: how it compares to its siblings",
      hint(OWN .. 'quota = { fill "a" { by = "weight" }, fill "b" { by = function (share) '
        .. "return share end } }"))
  end)

  it("an attribute of its own", function ()
    assert.equal("state `weight`: how it compares to its siblings",
      hint(OWN .. 'quota = { fill "a" { by = "weight", up_to = "most" } }'))
  end)

  it("nothing", function ()
    assert.is_nil(hint(OWN .. 'quota = { fill "a" { up_to = "most" } }'))
  end)
end)
