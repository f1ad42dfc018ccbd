-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Use over time (C-14): decayed slot-seconds of leaves, and policies that read them.

local allot = require "allot"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"
local engine = require "spec.support.cases.engine"

local plan, state = case.plan, case.state

--- A policy of one fill by an expression.
local function by(source)
  return ([[return policy { name = "fair", quota = { fill "owed" { by = %s } } }]]):format(source)
end

--- /A/x holds 4 of 20 slots, /B 2; each key of `rows` is what else they have.
local function decide(keys, rows, policy)
  local short = plan { slots = 20, policy = policy and "site.lua" or "hybrid",
    { "A", { "x" }, { "y", share = 2 } }, { "B" } }
  local now = state { now = 1000, ["A/x"] = { 99, 4 }, ["A/y"] = { 99, 0 }, B = { 99, 2 } }
  now.usage_at, now.now = keys.usage_at, keys.now or 1000
  for key, value in pairs(keys) do short[key] = value end
  short.usage_at, short.now = nil, nil
  for path, row in pairs(rows or {}) do
    for key, value in pairs(row) do now.consumers["/" .. path][key] = value end
  end
  return engine.cycle(short, now, nil, policy)
end

--- The use of /A, /A/x, /A/y and /B, with millionths if there are some.
local function used(...)
  local rows, out = case.by_path(decide(...).groups.default), {}
  for i, path in ipairs { "/A", "/A/x", "/A/y", "/B" } do
    local row = rows[path]
    out[i] = row.usage_rest and ("%d.%06d"):format(row.usage, row.usage_rest) or row.usage or "none"
  end
  return out
end

describe("use", function ()
  it("UV-1: is counted if the plan states how it fades", function ()
    assert.same({ "none", "none", "none", "none" }, used({}, { B = { usage = 5 } }))
    assert.same({ 0, 0, 0, 5 }, used({ half_life = 60 }, { B = { usage = 5 } }))
  end)

  it("UV-2: is halved in a half-life, and falls to a tenth in hist_hours", function ()
    local idle = { ["A/x"] = { usage = 1000, allocated = 0 },
                   B = { usage = 7, allocated = 0, usage_rest = 1 } }
    assert.same({ 500, 500, 0, "3.500001" }, used({ half_life = 100, usage_at = 900 }, idle))
    assert.same({ 250, 250, 0, "1.750000" }, used({ half_life = 100, usage_at = 800 }, idle))
    assert.same({ 707, "707.106781", 0, "4.949748" },
      used({ half_life = 100, usage_at = 950 }, idle))
    assert.same({ 100, 100, 0, "0.700000" }, used({ hist_hours = 1, usage_at = -2600 }, idle))
  end)

  it("UV-3: grows by the slots that a leaf holds, a second's use at its end", function ()
    assert.same({ 4, 4, 0, 2 }, used { half_life = 1, usage_at = 999 })
    assert.same({ 6, 6, 0, 3 }, used { half_life = 1, usage_at = 998 })       -- 4 * 1.5
    assert.same({ 7, 7, 0, "3.500000" }, used { half_life = 1, usage_at = 997 })
    assert.same({ 1400, 1400, 0, 200 },
      used({ half_life = 0, usage_at = 900 }, { ["A/x"] = { usage = 1000 } }))
  end)

  it("UV-4: has a time of its own, or that of the state, or now", function ()
    assert.same({ 12, 12, 0, 2 }, used({ half_life = 0, usage_at = 999 },
      { ["A/x"] = { usage_at = 998, usage = 4 } }))
    assert.same({ 4, 4, 0, 0 }, used({ half_life = 0 }, { ["A/x"] = { usage = 4 } }))
  end)

  -- What will have been used by then is not known now.
  it("UV-5: has no time after that of the state", function ()
    local sealed = engine.sealed(plan { slots = 20, half_life = 10, { "A" } })
    for _, text in ipairs {
      '{"now": 1000, "usage_at": 1001}',
      '{"now": 1000, "usage_at": "1970-01-01T00:16:41Z"}',
      '{"now": 1000, "consumers": {"/A": {"usage": 4, "usage_at": 1001}}}',
      '{"now": 1000, "consumers": {"/A": {"usage": 4, "usage_at": {"default": 1001}}}}',
    } do
      local _, _, report = allot.state(sealed, text, { file = "state.json" })
      local from, word = text:match '.*()": ("?1[^ }]*)'
      assert.equal(1, #report)
      assert.same({ "E-range", from + 3, ("found %s, allowed a time up to \"now\""):format(word) },
        { report[1].code, report[1].col, report[1].message })
    end
  end)

  it("UV-6: of a parent is the sum of its children's whole slot-seconds", function ()
    assert.same({ 3, "1.500000", "2.500000", 2 }, used({ half_life = 10 }, {
      ["A/x"] = { usage = 1, usage_rest = 500000 }, ["A/y"] = { usage = 2, usage_rest = 500000 },
      B = { usage = 2 } }))
  end)

  it("UV-7: is exact, however much there was and however long ago", function ()
    assert.same({ 0, 0, 0, "44940.982642" }, used({ half_life = 7, usage_at = 680 }, {
      B = { usage = 2594261762145479737, allocated = 0 }, ["A/x"] = { allocated = 0 } }))
    assert.equal("1779.052050", used({ hist_hours = 1, usage_at = 1000 - 58649 }, {
      B = { usage = 4207390950401437105, usage_rest = 180700, allocated = 1 } })[4])
  end)

  it("UV-8: is cut at 2^62 slot-seconds", function ()
    local most = 1 << 62
    assert.same({ most, most, most, 2 }, used({ half_life = 0, usage_at = 999 }, {
      ["A/x"] = { usage = most, usage_rest = 5 }, ["A/y"] = { usage = most } }))
  end)

  it("UV-9: goes on from a decision's state, whatever time passes in between", function ()
    local keys = { half_life = 3600, usage_at = 1000 }
    local rows = { ["A/x"] = { usage = 100000, demand = 4 }, ["A/y"] = { demand = 0 },
                   B = { demand = 2 } }
    local step = decide({ half_life = 3600, usage_at = 1000 }, rows)
    for _ = 1, 10 do
      local sealed = engine.sealed(plan { slots = 20, half_life = 3600,
        { "A", { "x" }, { "y", share = 2 } }, { "B" } })
      step = engine.decided(sealed, engine.after(step, { seconds = 137 }))
    end
    keys.now = 2370
    assert.same(used(keys, rows)[2], ("%d.%06d"):format(
      case.by_path(step.groups.default)["/A/x"].usage,
      case.by_path(step.groups.default)["/A/x"].usage_rest))
  end)

  it("UV-10: changes its pace when a decision is carried out", function ()
    local step = decide({ half_life = 0 }, { ["A/x"] = { demand = 1, allocated = 1 },
      ["A/y"] = { demand = 0 }, B = { demand = 7 } })
    assert.same({ { "/B", 5 } }, { { step.grants[1].consumer, step.grants[1].slots } })
    local after = engine.after(step, { seconds = 10 })
    assert.equal(1000, after.consumers["/B"].usage_at)
    local sealed = engine.sealed(plan { slots = 20, half_life = 0,
      { "A", { "x" }, { "y", share = 2 } }, { "B" } })
    local rows = case.by_path(engine.decided(sealed, after).groups.default)
    assert.equal(70, rows["/B"].usage)
    assert.equal(10, rows["/A/x"].usage)
  end)

  it("UV-11: counts slots in flight until they are back", function ()
    local short = plan { slots = 20, half_life = 0, { "A" }, { "B", grace = 30 } }
    local first = engine.cycle(short, state { now = 1000, A = { 18, 0 }, B = { 2, 20 } })
    assert.equal(18, first.reclaims[1].slots)
    local sealed = engine.sealed(short)
    local rows, after = {}, first
    for i, seconds in ipairs { 10, 20, 5 } do
      after = engine.decided(sealed, engine.after(after, { seconds = seconds,
        returns = "at deadline" }))
      rows[i] = case.by_path(after.groups.default)["/B"]
    end
    assert.same({ 200, 20 }, { rows[1].usage, rows[1].allocated })
    assert.same({ 600, 2 }, { rows[2].usage, rows[2].allocated })
    assert.same({ 610, 2 }, { rows[3].usage, rows[3].allocated })
  end)
end)

describe("how use fades", function ()
  it("is stated once, at the top or in params", function ()
    for _, keys in ipairs { { half_life = 1, hist_hours = 1 },
                            { half_life = 1, params = { half_life = 1 } },
                            { hist_hours = 1, params = { half_life = 1 } } } do
      local short = plan { slots = 20, { "A" } }
      for key, value in pairs(keys) do short[key] = value end
      local made, _, report = allot.plan(document.encode(short))
      assert.is_nil(made)
      assert.equal("E-conflict", report[1].code)
      assert.matches('^found "half_life" beside "h', report[1].message)
    end
    assert.same({ 4, 4, 0, 2 }, used { params = { half_life = 1 }, usage_at = 999 })
  end)

  it("is at least 0, and a fault of it is all that is said", function ()
    for _, keys in ipairs { { half_life = -1 }, { half_life = "a week" }, { hist_hours = 0.5 },
                            { params = { half_life = -1 } } } do
      local short = plan { slots = 20, policy = "site.lua", { "A" } }
      for key, value in pairs(keys) do short[key] = value end
      local made, _, report = allot.plan(document.encode(short),
        { policies = { ["site.lua"] = by "'usage'" } })
      assert.is_nil(made)
      assert.equal(1, #report, report[2] and report[2].message)
      assert.matches("^E%-[rt]", report[1].code)
    end
  end)

  it("is missed once where leaves have used something", function ()
    local made = engine.sealed(plan { slots = 20, { "A" }, { "B" } })
    local _, report = allot.state(made, [[{"now": 1000, "consumers": {"/A": {"usage": 0},
      "/B": {"usage": {"default": 7}, "usage_rest": 1, "usage_at": 1001}}}]])
    assert.equal(1, #report)
    assert.same({ "W-decay", 2, 35 }, { report[1].code, report[1].line, report[1].col })
    assert.equal('use is lost here: the plan states neither "half_life" nor "hist_hours"',
      report[1].message)
  end)
end)

describe("explanations of use", function ()
  local function explained(keys, rows, path, policy)
    local _, decision = decide(keys, rows, policy)
    return table.concat(decision:explain(path), "\n")
  end

  it("say how much there is, how it fades, and what is added", function ()
    local rows = { ["A/x"] = { usage = 5 }, ["A/y"] = { usage = 1, allocated = 0 } }
    local function says(text, ...)
      assert.matches("Its use is " .. text, explained(...), 1, true)
    end
    says("6 slot-seconds at 1970-01-01T00:16:40Z, and fades to half in 60 s; what it holds adds 4 "
      .. "a second (C-14).", { half_life = 60 }, rows, "/A")
    says("1 slot-second at 1970-01-01T00:16:40Z, and fades to a tenth in 3600 s; what it holds "
      .. "adds 0 a second (C-14).", { hist_hours = 1 }, rows, "/A/y")
    says("0 slot-seconds at 1970-01-01T00:16:40Z, and does not fade; what it holds adds 2 a second",
      { half_life = 0 }, rows, "/B")
    -- allot explain --at, of a time after that of the state
    says("45 slot-seconds at 1970-01-01T00:16:50Z", { half_life = 0, now = 1010, usage_at = 1000 },
      { ["A/x"] = { usage = 5 } }, "/A/x")
    assert.is_nil(explained({}, rows, "/B"):find("Its use", 1, true))
  end)

  it("say over what it stands, if the policy reads it", function ()
    local rows = { ["A/y"] = { usage = 1 } }
    local function told(source) return explained({ half_life = 60 }, rows, "/A/y", by(source)) end
    assert.matches("used_over_share is 500: its use * 1000 / its share of 2.",
      told "'used_over_share'", 1, true)
    assert.matches("Its use is 1 slot-second at", told "'usage'", 1, true)
    assert.is_nil(told "'usage'":find("used_over_share", 1, true))
    assert.is_nil(told "function (usage, share) return usage // share end"
      :find("used_over_share", 1, true))
    assert.matches("used_over_share is 500",
      told "function (used_over_share) return used_over_share end", 1, true)
  end)

  it("say why share does not count: it is 0, or siblings own slots (C-14)", function ()
    local function told(keys, usage)
      local short = plan { slots = 9, half_life = 60, policy = "site.lua",
        { "a", owned = keys.owned }, { "guests", share = keys.share } }
      local now = state { now = 0, guests = { 9, 0 } }
      now.consumers["/guests"].usage = usage
      local _, decision = engine.cycle(short, now, nil, [[return policy { name = "fair", quota = {
        fill "owned" { by = "owned" },
        fill "rest" { by = 1, order = order { "used_over_share" } } } }]])
      return table.concat(decision:explain "/guests", "\n")
    end
    assert.matches("Siblings own slots and it owns none: its share does not count, so "
      .. "used_over_share is 2^62, the most there is (C-14).", told({ owned = 5, share = 3 }, 7), 1,
      true)
    assert.matches("does not count, so used_over_share is 0 until it uses a slot, and then 2^62, "
      .. "the most there is (C-14).", told({ owned = 5, share = 3 }, 0), 1, true)
    assert.matches("Its share is 0, so used_over_share is 2^62, the most there is (C-14).",
      told({ share = 0 }, 7), 1, true)
    assert.matches("used_over_share is 2333: its use * 1000 / its share of 3.",
      told({ share = 3 }, 7), 1, true)
  end)
end)

describe("a run", function ()
  local shell = require "spec.support.house.shell"

  it("shows use where the policy goes by it, and with all where the plan counts it", function ()
    local at = shell.directory()
    local short = plan { slots = 9, half_life = 60, policy = "site.lua", { "a" }, { "b" } }
    shell.write(at .. "/plan.json", document.encode(short))
    shell.write(at .. "/state.json", '{"now": 0, "consumers": {"/a": {"demand": 9, "usage": 371}}}')
    --- The heading, and the row of /a.
    local function shows(source, columns)
      shell.write(at .. "/site.lua", by(source))
      local status, out = shell.command("run", "--columns", columns, at .. "/plan.json",
        at .. "/state.json")
      assert.equal(0, status)
      return out:match "\n(consumer[^\n]*)", out:match "\n(/a[^\n]*)"
    end
    local heading, row = shows("'usage'", "auto")
    assert.equal("consumer  own  demand  allocated  usage  quota            granted", heading)
    assert.equal("/a          0       9          0    371      9  = 9 owed       +9", row)
    assert.is_nil(shows("1", "auto"):find("usage", 1, true))
    assert.matches(" own used  lent .* usage ", (shows("1", "all")))
    shell.remove(at)
  end)
end)

describe("a policy that reads use", function ()
  local rows = { ["A/x"] = { usage = 300 }, ["A/y"] = { usage = 100 }, B = { usage = 1200 } }

  local function quotas(policy, more)
    local out = case.by_path(decide({ half_life = 60 }, more or rows, policy).groups.default)
    return { out["/A"].quota, out["/A/x"].quota, out["/A/y"].quota, out["/B"].quota }
  end

  it("divides by functions of it, and by sums over siblings", function ()
    assert.same({ 15, 4, 11, 5 }, quotas(by "function (usage) return 1200 // usage end"))
    assert.same({ 15, 4, 11, 5 },
      quotas(by "function (usage, sum_usage) return sum_usage - usage end"))
  end)

  it("divides by it, caps by it, and orders by it", function ()
    assert.same({ 5, 4, 1, 15 }, quotas(by "'usage'"))
    assert.same({ 5, 3, 2, 7 }, quotas(by "1, up_to = 'usage'",
      { ["A/x"] = { usage = 3 }, ["A/y"] = { usage = 2 }, B = { usage = 7 } }))
    assert.same({ 20, 0, 20, 0 }, quotas(by "1, order = order { 'usage' }"))
    assert.same({ 0, 0, 0, 20 }, quotas(by "1, order = order { desc 'used_over_share' }"))
  end)

  it("sees it over the share, or over what is owned", function ()
    -- 400 and 1200 by a share of 1; below it 300 / 1 and 100 / 2
    assert.same({ 5, 5, 0, 15 }, quotas(by "'used_over_share'"))
    local owning = [[return policy { name = "owning", quota = {
      fill "owned" { by = "owned", up_to = "owned" }, fill { by = "used_over_share" } } }]]
    local short = plan { slots = 30, half_life = 60, policy = "site.lua",
      { "A", owned = 10 }, { "B", owned = 5 }, { "C", { "x" }, { "y", share = 4 } } }
    local now = state { now = 0, A = { 99 }, B = { 99 }, ["C/x"] = { 99 }, ["C/y"] = { 99 } }
    now.consumers["/A"].usage, now.consumers["/B"].usage = 20, 40 -- 2000 and 8000
    local out = case.by_path(engine.cycle(short, now, nil, owning).groups.default)
    assert.same({ 13, 17 }, { out["/A"].quota, out["/B"].quota })
    now.consumers["/C/y"].usage = 1 -- /C owns nothing: as much as there is, which is no weight
    assert.has_error(function () engine.cycle(short, now, nil, owning) end)
  end)

  it("says by it who may take from whom", function ()
    local rule = [[return policy { name = "few", quota = { fill "x" { by = 1 } },
      takes = relation { higher "usage" } }]]
    local short = plan { slots = 10, half_life = 100, policy = "site.lua", { "A" }, { "B" } }
    local now = state { now = 1, A = { 9, 0 }, B = { 10, 10 } }
    now.usage_at = 1
    for used_by_a, slots in pairs { [500] = 5, [2] = 0 } do
      now.consumers["/A"].usage, now.consumers["/B"].usage = used_by_a, 3
      local reclaim = engine.cycle(short, now, nil, rule).reclaims[1]
      assert.equal(slots, reclaim and reclaim.slots or 0)
    end
  end)

  it("may read it of a whole row", function ()
    local row = by "function (row) return row.share > 5 and row.usage or 1 end"
    assert.same({ 10, 5, 5, 10 }, quotas(row))
    assert.same({ 15, 4, 11, 5 }, quotas(by "function (row) return 1200 // row.usage end"))
    local sealed = engine.sealed(plan { slots = 20, policy = "site.lua", { "A" } }, row)
    assert.equal(20, engine.decided(sealed, state { A = { 30 } }).groups.default.consumers[1].quota)
    sealed = engine.sealed(plan { slots = 20, policy = "site.lua", { "A", share = 6 } }, row)
    local done, message = pcall(engine.decide, sealed, state { A = { 30 } })
    assert.is_false(done)
    assert.matches("column 'usage' needs a plan that states half_life or hist_hours", message, 1,
      true)
  end)

  it("weighs amounts alone", function ()
    local done, message = pcall(decide, { half_life = 60 }, { B = { usage = 1000000001 } },
      by "'usage'")
    assert.is_false(done)
    assert.matches("/B: usage is 1000000001, allowed is 0 ... 1000000000", message, 1, true)
  end)

  it("is refused if the plan does not count use", function ()
    local short = plan { slots = 20, policy = "site.lua", { "A" } }
    local made, _, report = allot.plan(document.encode(short),
      { policies = { ["site.lua"] = by "'used_over_share'" } })
    assert.is_nil(made)
    assert.equal("E-decay", report[1].code)
    assert.matches('reads "used_over_share", but the plan states neither "half_life" nor',
      report[1].message, 1, true)
  end)
end)
