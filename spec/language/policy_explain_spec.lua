-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `explain` says of a policy's own words: which test of a relation refused, which guards
--- let a job go, and by which keys a fill served consumers.

local allot = require "allot"
local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
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

  it("nothing of a consumer that owns its reserve", function ()
    local plan = assert(allot.plan('{"slots": 4, "policy": "share_ratio", "consumers": '
      .. '[{"name": "a", "owned": 2, "reserve": 2}]}'))
    local decision = assert(allot.cycle(plan, assert(allot.state(plan, '{"now": 0}'))))
    assert.same({}, json.decode(decision:json()).warnings)
  end)

  it("nothing", function ()
    assert.is_nil(hint(OWN .. 'quota = { fill "a" { up_to = "most" } }'))
  end)
end)

describe("explain tells of a fill with an order", function ()
  local ORDERED = [[return policy { name = "own",
    attributes = { tier = { type = "integer", min = 0, default = 0 },
                   late = { type = "boolean", default = false } },
    quota = { fill "all" { by = "share", order = order { %s } }, fill "rest" { by = 1 } } }]]

  --- A function from a consumer's name to what is said of the fills.
  local function fills(slots, keys, ...)
    local short, now = { slots = slots, policy = "site.lua" }, {}
    for i, row in ipairs { ... } do
      short[i], now[row[1]] = row, { row.wants }
      row.wants = nil
    end
    local policy = ORDERED:format(keys)
    local made, decision = engine.cycle(case.plan(short), case.state(now), nil, policy)
    local rows = case.by_path(made.groups.default)
    return function (name)
      local text = table.concat(decision:explain("/" .. name), "\n")
      return text:match "first%-level consumers?%.\n(.-)\nIts quota", rows["/" .. name].quota
    end
  end

  it("what each got where slots ran out between two, and why", function ()
    local said = fills(10, "'rank'", { "a", wants = 6 }, { "b", rank = 1, wants = 4 },
      { "c", rank = 2, wants = 4 })
    assert.equal("  all: 6.\n    Served by rank: it has 0, and nobody was served before it.",
      said "a")
    assert.equal("  all: 4.\n    Served by rank: it has 1; /a, served last before it, has 0.",
      said "b")
    assert.equal("  all: 0: slots ran out among those served before it.\n"
      .. "    Served by rank: it has 2; /b, served last before it, has 1.\n"
      .. '  Nothing was left for "rest".', said "c")
  end)

  it("all keys, which fall or are flags, and whom it served, not who wanted nothing", function ()
    local said = fills(9, "'late', desc 'tier', 'rank'", { "a", wants = 5, tier = 7, late = true },
      { "b", wants = 5, tier = 2 }, { "c", wants = 5, tier = 2, rank = 1 },
      { "d", wants = 0, tier = 2, rank = 2 })
    assert.equal("  all: 4. Slots ran out here, at 4 per unit of share.\n"
      .. "    Served by late, tier (largest first), rank: it has false, 2, 1; /b, served last "
      .. 'before it, has false, 2, 0.\n  Nothing was left for "rest".', said "c")
    assert.matches("it has true, 7, 0; /c, served last before it, has false, 2, 1.", said "a", 1,
      true)
  end)

  it("nothing of keys where slots suffice, and who has no weight in it", function ()
    local said = fills(9, "'rank'", { "a", wants = 5 }, { "b", wants = 3, rank = 1 })
    assert.equal("  all: 5.", said "a")
    said = fills(5, "'rank'", { "a", wants = 4, share = 0 }, { "b", wants = 5, rank = 1 },
      { "c", wants = 5, rank = 2 }, { "d", wants = 4, rank = 3, share = 0 })
    assert.matches("^  all: 0, since this goes by share, and that is 0 here.", said "a")
    assert.matches("^  all: 0, since this goes by share, and that is 0 here.", said "d")
    assert.matches("^  all: 0: slots ran out", said "c")
  end)

  it("the same as its quota, whatever is drawn", function ()
    local random = 7 -- a small generator, so that each run draws the same
    local function draw(from, to)
      random = random * 1103515245 + 12345 & 0x7fffffff
      return from + (random >> 8) % (to - from + 1)
    end
    for _ = 1, 60 do
      local rows, ranks = {}, { 0, 1, 2, 3 }
      for i = 1, 4 do
        rows[i] = { string.char(96 + i), wants = draw(0, 4),
          rank = table.remove(ranks, draw(1, #ranks)) }
      end
      local wants = {}
      for _, row in ipairs(rows) do wants[row.rank] = row.wants end
      local left, last = 8, nil
      local names, quota, before = {}, {}, {}
      for _, row in ipairs(rows) do names[row.rank] = row[1] end
      for rank = 0, 3 do
        quota[rank], before[rank] = math.min(left, wants[rank]), last
        left = left - quota[rank]
        last = quota[rank] > 0 and names[rank] or last
      end
      local short = wants[0] + wants[1] + wants[2] + wants[3] > 8
      local said = fills(8, "'rank'", table.unpack(rows))
      for rank = 0, 3 do
        local text, has = said(names[rank])
        assert.equal(quota[rank], has)
        if wants[rank] > 0 then
          assert.equal(quota[rank], tonumber(text:match "all: (%d+)"))
          assert.equal(short and before[rank] or nil, text:match "; /(%a), served last")
        end
      end
    end
  end)
end)
