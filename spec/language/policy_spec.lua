-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Site policies in Lua: what the words of the language do to the numbers, and what is told when a
--- policy is wrong or fails.

local allot = require "allot"
local json = require "dkjson"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"

--- A plan under the policy in `source`. `short` is case.plan's; its `policy` may add options.
local function plan_of(source, short)
  short.policy = short.policy or { use = "site.lua" }
  return allot.plan(document.encode(case.plan(short)), {
    file = "plan.json", policies = { ["site.lua"] = source },
  })
end

local function decision_of(source, short, now)
  local plan = assert(plan_of(source, short))
  local state = assert(allot.state(plan, document.encode(case.state(now))))
  return (json.decode(assert(allot.cycle(plan, state)):json()))
end

--- Quotas of the first level in plan order.
local function quotas(source, short, now)
  local out = {}
  for _, row in ipairs(decision_of(source, short, now).groups.default.consumers) do
    out[#out + 1] = row.quota
  end
  return out
end

local function policy(fields)
  return 'return policy { name = "site",\n' .. fields .. "\n}"
end

--- Consumers A, B, C ... with these shares, all of them hungry, on so many slots.
local function shared(shares, slots, more)
  local plan, state = { slots = slots }, {}
  for i, share in ipairs(shares) do
    local name = string.char(64 + i)
    plan[i] = { name, share = share }
    for key, value in pairs(more and more[i] or {}) do
      plan[i][key] = value
    end
    state[name] = { 1000 }
  end
  return plan, state
end

local BY_SHARE = 'quota = { fill "shared" { by = "share" } },'

describe("fill", function ()
  it("pours in proportion to a column", function ()
    assert.same({ 2, 6 }, quotas(policy(BY_SHARE), shared({ 1, 3 }, 8)))
  end)

  it("pours in proportion to a function of columns", function ()
    local source = policy 'quota = { fill "rest" { by = function (share) return share * 2 end } },'
    assert.same({ 2, 6 }, quotas(source, shared({ 1, 3 }, 8)))
  end)

  it("gives nothing to a weight of 0", function ()
    assert.same({ 8, 0 }, quotas(policy(BY_SHARE), shared({ 1, 0 }, 8)))
  end)

  it("stops at a cap, and the next fill has the rest", function ()
    local source = policy [[quota = {
      fill "floor" { by = 1, up_to = 2 },
      fill "rest" { by = "share" },
    },]]
    -- 2 each, then 6 in 1:2
    assert.same({ 4, 6 }, quotas(source, shared({ 1, 2 }, 10)))
    local row = decision_of(source, shared({ 1, 2 }, 10)).groups.default.consumers[2]
    assert.same({ floor = 2, rest = 4 }, row.parts)
  end)

  it("takes a cap from a function of two columns", function ()
    local source = policy [[quota = {
      fill "some" { by = 1, up_to = function (rank, share) return rank + share end },
    },]]
    local plan, state = shared({ 1, 2 }, 20, { { rank = 3 }, { rank = 5 } })
    assert.same({ 4, 7 }, quotas(source, plan, state))
  end)

  it("never exceeds need, whatever a cap says (Lua proposes, C disposes)", function ()
    local source = policy 'quota = { fill "all" { by = 1, up_to = 1000 } },'
    assert.same({ 3, 5 }, quotas(source, { slots = 20, { "A" }, { "B", limit = 5 } },
      { A = { 3 }, B = { 9 } }))
  end)

  it("serves groups of equal key one after another", function ()
    local source = policy 'quota = { fill "vip" { order = { "rank" }, by = 1 } },'
    local ranks = { slots = 12, { "A", rank = 1 }, { "B" }, { "C", rank = 1 }, { "D" } }
    -- B and D want 4 and 2 and get them; A and C share 6
    assert.same({ 3, 4, 3, 2 }, quotas(source, ranks,
      { A = { 9 }, B = { 4 }, C = { 9 }, D = { 2 } }))
  end)

  it("serves the largest key first with desc", function ()
    local source = policy 'quota = { fill "vip" { order = { desc "share" }, by = 1 } },'
    assert.same({ 1, 9 }, quotas(source, { slots = 10, { "A" }, { "B", share = 5 } },
      { A = { 30 }, B = { 9 } }))
  end)

  it("comes after what is reserved, though the policy does not say so", function ()
    local source = policy 'quota = { fill "all" { by = "share" } },'
    local plan = { slots = 10, { "A", owned = 10, reserve = 4 }, { "B" } }
    assert.same({ 4, 6 }, quotas(source, plan, { B = { 90 } }))
  end)
end)

describe("rounding", function ()
  local function rounded(mode, shares, slots, more)
    return quotas(policy(BY_SHARE .. ('round = "%s",'):format(mode)), shared(shares, slots, more))
  end

  it("QV-1 (Q-30): ceil_in_order, 50/30/20 of 12: 6, 4 (3.6), 2 (2.4 would be 3)", function ()
    assert.same({ 6, 4, 2 }, rounded("ceil_in_order", { 50, 30, 20 }, 12))
  end)
  it("QV-2 (Q-30): ceil_in_order, 50/30/20 of 15: 8 (7.5), 5 (4.5), 2", function ()
    assert.same({ 8, 5, 2 }, rounded("ceil_in_order", { 50, 30, 20 }, 15))
  end)
  it("QV-5 (Q-30): ceil_in_order, 30/30/30 of 15: 5, 5, 5", function ()
    assert.same({ 5, 5, 5 }, rounded("ceil_in_order", { 30, 30, 30 }, 15))
  end)
  it("QV-6 (Q-30): ceil_in_order, 50/30/20 of 21: 11, 7, 3", function ()
    assert.same({ 11, 7, 3 }, rounded("ceil_in_order", { 50, 30, 20 }, 21))
  end)
  it("QV-7 (Q-30): ceil_in_order, ten of 10 % of 21: seven get 3, three get none", function ()
    assert.same({ 3, 3, 3, 3, 3, 3, 3, 0, 0, 0 },
      rounded("ceil_in_order", { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 }, 21))
  end)
  it("QV-14 (Q-30): ceil_in_order, 50/30/20 of 8: 4, 3, 1", function ()
    assert.same({ 4, 3, 1 }, rounded("ceil_in_order", { 50, 30, 20 }, 8))
  end)
  it("ceil_in_order rounds the best rank up first", function ()
    assert.same({ 5, 4, 3 }, rounded("ceil_in_order", { 50, 30, 20 }, 12, { { rank = 2 } }))
  end)

  it("C-4: rank gives the lost slot to the best rank with a fraction", function ()
    assert.same({ 6, 4, 2 }, rounded("rank", { 50, 30, 20 }, 12))
    assert.same({ 6, 3, 3 }, rounded("rank", { 50, 30, 20 }, 12, { [2] = { rank = 1 } }))
  end)

  it("largest_remainder gives it to the largest fraction, ties by rank and plan order", function ()
    assert.same({ 6, 4, 2 }, rounded("largest_remainder", { 50, 30, 20 }, 12,
      { { rank = 9 }, { rank = 9 } }))
    assert.same({ 8, 4, 3 }, rounded("largest_remainder", { 50, 30, 20 }, 15))
    assert.same({ 7, 5, 3 }, rounded("largest_remainder", { 50, 30, 20 }, 15, { { rank = 1 } }))
  end)

  it("largest_remainder may take a slot away when the pool grows: 6, 6, 2 of 10 and 11", function ()
    assert.same({ 4, 4, 2 }, rounded("largest_remainder", { 6, 6, 2 }, 10))
    assert.same({ 5, 5, 1 }, rounded("largest_remainder", { 6, 6, 2 }, 11))
  end)

  it("webster follows the odd divisors", function ()
    assert.same({ 6, 4, 2 }, rounded("webster", { 50, 30, 20 }, 12))
    assert.same({ 4, 4, 1 }, rounded("webster", { 6, 6, 2 }, 9))
    assert.same({ 5, 5, 2 }, rounded("webster", { 6, 6, 2 }, 12))
  end)

  it("webster is house-monotone: nobody loses a slot because the pool grew", function ()
    for _, shares in ipairs { { 6, 6, 2 }, { 50, 30, 20 }, { 7, 7, 7, 1 }, { 1, 10, 100 } } do
      local before = rounded("webster", shares, 0)
      for slots = 1, 60 do
        local now, total = rounded("webster", shares, slots), 0
        for i, quota in ipairs(now) do
          assert.is_true(quota >= before[i], ("%d slots"):format(slots))
          total = total + quota
        end
        assert.equal(slots, total)
        before = now
      end
    end
  end)
end)

describe("order", function ()
  it("of distribute decides who gets the idle slots first", function ()
    local source = policy(BY_SHARE .. 'distribute = order { desc "share" },')
    local plan, state = shared({ 1, 1, 4 }, 12)
    state.A, state.B, state.slots = { 1000, 4 }, { 1000, 6 }, 12
    -- quotas 2, 2, 8; A and B hold 10; the 2 idle go to C
    local grants = case.grants(decision_of(source, plan, state))
    assert.same({ C = 2 }, grants)
    plan, state = shared({ 1, 4, 1 }, 12)
    local order = {}
    for i, grant in ipairs(decision_of(source, plan, state).grants) do
      order[i] = grant.consumer
    end
    assert.same({ "/B", "/A", "/C" }, order)
  end)

  it("of reclaim decides who gives first", function ()
    local source = policy [[
      quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "rest" { by = 1 } },
      reclaim = fill { order = order { desc "share" }, by = "over" },]]
    local plan = { slots = 20, { "A", share = 9 }, { "B" }, { "C", owned = 20 } }
    -- over 6 and 3, C lacks 3: all from A
    assert.same({ A = { 3, C = 3 } }, case.reclaims(decision_of(source, plan,
      { A = { 4, 10 }, B = { 2, 5 }, C = { 8, 5 } })))
  end)
end)

describe("attributes", function ()
  local source = policy [[
    attributes = { tier = { type = "integer", min = 1, max = 5, default = 2 },
                   gold = { type = "boolean" } },
    quota = {
      fill "gold" { by = function (gold) return gold and 1 or 0 end, up_to = 4 },
      fill "tiers" { by = "tier" },
    },]]

  it("are columns that consumers state or have by default", function ()
    -- no gold: 9 slots in 1:2
    assert.same({ 3, 6 }, quotas(source, { slots = 9, { "A", tier = 1 }, { "B" } },
      { A = { 99 }, B = { 99 } }))
    -- A's 4, then 6 in 1:2
    assert.same({ 6, 4 }, quotas(source, { slots = 10, { "A", tier = 1, gold = true }, { "B" } },
      { A = { 99 }, B = { 99 } }))
  end)

  it("are checked in the plan, with their place", function ()
    local none, _, report = plan_of(source, { slots = 9, { "A", tier = 6 } })
    assert.is_nil(none)
    assert.equal("E-range", report[1].code)
    assert.matches("6.*1 %.%.%. 5", report[1].message)
    assert.equal("plan.json", report[1].file)
    none, _, report = plan_of(source, { slots = 9, { "A", teir = 1 } })
    assert.is_nil(none)
    assert.equal("E-unknown-key", report[1].code)
    assert.matches("tier", report[1].hint)
  end)
end)

describe("options", function ()
  local source = policy [[
    options = { flat = { type = "boolean", default = false } },
    quota = function (options)
      return { fill "all" { by = options.flat and 1 or "share" } }
    end,]]

  it("choose between rules", function ()
    local plan, state = shared({ 1, 3 }, 8)
    assert.same({ 2, 6 }, quotas(source, plan, state))
    plan.policy = { use = "site.lua", flat = true }
    assert.same({ 4, 4 }, quotas(source, plan, state))
  end)

  it("that are unknown are an error at their place in the plan", function ()
    local plan = shared({ 1, 3 }, 8)
    plan.policy = { use = "site.lua", flatt = true }
    local none, _, report = plan_of(source, plan)
    assert.is_nil(none)
    assert.equal("plan.json", report[1].file)
    assert.matches("flatt", report[1].message)
  end)
end)

describe("options that are words", function ()
  local source = policy [[
    options = { level = { type = "string", values = { "one", "many" } } },
    quota = function (options)
      return { fill "all" { by = options.level == "one" and 1 or "share" } }
    end,]]

  it("have the first by default, and choose", function ()
    local plan, state = shared({ 1, 3 }, 8)
    assert.same({ 4, 4 }, quotas(source, plan, state))
    plan.policy = { use = "site.lua", level = "many" }
    assert.same({ 2, 6 }, quotas(source, plan, state))
  end)

  it("are one of those listed, or an error at their place", function ()
    for value, code in pairs { mony = "E-range", [true] = "E-type" } do
      local plan = shared({ 1, 3 }, 8)
      plan.policy = { use = "site.lua", level = value }
      local none, _, report = plan_of(source, plan)
      assert.is_nil(none)
      assert.equal(code, report[1].code)
      assert.matches('one of "one", "many"', report[1].message, 1, true)
    end
  end)
end)

describe("a policy's text", function ()
  it("is told by its digest", function ()
    local plan, state = shared({ 1 }, 1)
    local one = decision_of(policy(BY_SHARE), plan, state).policy
    local other = decision_of(policy(BY_SHARE .. " -- changed"), plan, state).policy
    assert.equal("site", one.name)
    assert.matches("^%x+$", one.sha256)
    assert.equal(64, #one.sha256)
    assert.not_equal(one.sha256, other.sha256)
  end)
end)

--- Policies that do not load: text, line of the fault, words of the message.
local BROKEN = {
  { "a syntax error", "return policy {\n  name = = 3 }", 2, "=" },
  { "no policy", "local a = 1\nreturn a", nil, "policy" },
  { "no name", "return policy {\n quota = {} }", nil, "name" },
  { "an unknown key", 'return policy { name = "x", quotas = {} }', 1, "quotas.*quota" },
  { "an unknown column", policy 'quota = {\n fill "a" { by = "ownd" } },', 3, "ownd.*owned" },
  { "a column of a later stage", policy 'quota = {\n fill "a" { by = "over" } },', 3, "over" },
  { "an unknown argument", policy 'quota = { fill "a" {\n by = function (sahre) return 1 end } },',
    nil, "sahre.*share" },
  { "a float", policy 'quota = {\n fill "a" { by = 1.5 } },', 3, "1.5.*whole" },
  { "a negative number", policy 'quota = {\n fill "a" { up_to = -1 } },', 3, "-1" },
  { "an unknown rounding", policy(BY_SHARE .. 'round = "rnak",'), nil, "rnak.*rank" },
  { "no fill in quota", policy 'quota = { 3 },', nil, "quota" },
  { "a part by turns", policy 'quota = {\n fill "a" { up_to = part, order = order { "rank" } } },',
    3, "no order" },
  { "two parts", policy 'quota = { fill "a" { up_to = part }, fill "b" { up_to = part } },', nil,
    "one goes up_to = part" },
  { "held without a part", policy 'quota = { fill "a" { up_to = held } },', nil, "behind a fill" },
  { "a weight by part", policy 'quota = { fill "a" { by = part } },', nil, "by is a table" },
  { "an unknown level", policy(BY_SHARE .. 'enforce = "laef",'), nil, "laef.*leaf" },
  { "a reclaim of true", policy(BY_SHARE .. "reclaim = true,"), nil, "or false" },
  { "a limit below 0", policy(BY_SHARE
    .. 'attributes = { a = { type = "integer", min = -1, limit = true } },'), nil, "limit" },
  { "options that are no table", policy(BY_SHARE .. "\noptions = preemption.options(3),"), 3,
    "takes a table.*number" },
  { "an option twice", policy(BY_SHARE
    .. "\noptions = preemption.options { selective = { type = 'boolean' } },"), 3,
    "'selective' is there already" },
  { "a choice without its options", policy(BY_SHARE .. "victims = preemption.victims,"), nil,
    "preemption.victims needs options = preemption.options" },
  { "no values", policy(BY_SHARE .. 'options = { a = { type = "string" } },'), nil, "values" },
  { "the clock", 'local t = os.time()\nreturn policy { name = "x" }', 1, "os" },
  { "files", 'local a = 1\nio.open("x")', 2, "io" },
  { "a global variable", "\nrank = 3\n" .. policy(BY_SHARE), 2, "rank" },
  { "an error of its own", 'local a\nerror "no luck"', 2, "no luck" },
  { "a loop without end", "\nwhile true do end", nil, "instructions" },
}

describe("a policy does not load because of", function ()
  for _, broken in ipairs(BROKEN) do
    it(broken[1], function ()
      local plan, message, report = plan_of(broken[2], { slots = 3, { "A" } })
      assert.is_nil(plan)
      assert.is_string(message)
      assert.equal("site.lua", report[1].file)
      assert.matches(broken[4], report[1].message .. " " .. (report[1].hint or ""))
      assert.equal(broken[3] or report[1].line, report[1].line)
    end)
  end
end)

--- Bodies of `by` that fail while running, and words of the message.
local FAILING = {
  { "an error of its own", 'error "no luck"', "no luck" },
  { "a float", "return share / 2", "0.5.*float" },
  { "nothing", "return nil", "nil" },
  { "a word", 'return "many"', "string" },
  { "a negative weight", "return -share", "-1" },
  { "an amount that is too large", "return share * 1000000001", "1000000001" },
  { "an index of nil", "local t; return t.x", "nil" },
  { "a loop without end", "while true do end", "instructions" },
  { "too much memory",
    'local s = {} for i = 1, 1e6 do s[i] = ("x"):rep(4000) end', "memory" },
}

describe("a cycle fails because a function", function ()
  for _, failing in ipairs(FAILING) do
    it("gives " .. failing[1], function ()
      local source = policy('quota = { fill "a" {\n by = function (share)\n ' .. failing[2]
        .. "\n end } },")
      local plan = assert(plan_of(source, (shared({ 1, 3 }, 8))))
      local state = assert(allot.state(plan, '{"now": 0, "consumers": {"/A": {"demand": 3}}}'))
      local decision, message, report = allot.cycle(plan, state)
      assert.is_nil(decision)
      assert.is_string(message)
      assert.matches(failing[3], report[1].message)
      assert.equal("site.lua", report[1].file)
      -- It fails the same way again, and harms nothing else.
      assert.is_nil((allot.cycle(plan, state)))
      assert.same({ 2, 6 }, quotas(policy(BY_SHARE), shared({ 1, 3 }, 8)))
    end)
  end
end)
