-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Options that are sets of words, as plans give them; and what columns and guards of jobs say of
--- plain tasks.

local allot = require "allot"
local engine = require "spec.support.cases.engine"

local SOURCE = [[
return policy {
  name = "site",
  options = { favour = words { "small", "late", default = "late" } },
  quota = function (options)
    local favour = options.favour
    return { fill "shared" { by = (favour.small and 1 or 0) + (favour.late and 2 or 0) } }
  end,
  reclaim = fill { by = "over" },
}
]]

--- A plan text whose policy has these options, as they are written.
local function text(options)
  return '{"version": 1, "slots": 6,\n "policy": {"use": "site.lua"' .. options .. '},\n'
    .. ' "consumers": [{"name": "A"}]}'
end

local function load(options, source)
  return allot.plan(text(options), {
    file = "plan.json", policies = { ["site.lua"] = source or SOURCE },
  })
end

--- What is said of options that are wrong: place, code, message and hint.
local function told(options, source)
  local plan, _, report = load(options, source)
  assert.is_nil(plan)
  assert.equal(1, #report)
  local it = report[1]
  return { it.line, it.col, it.code, it.message, it.hint }
end

--- Which weight the words gave: what the exact quota of one of two consumers shows.
local function weight(options)
  local policy = SOURCE:gsub("fill \"shared\" { by = (.-) } }", [[
fill "shared" { up_to = %1 } }]])
  local plan = assert(load(options, policy))
  local state = assert(allot.state(plan, '{"now": 0, "consumers": {"/A": {"demand": 6}}}'))
  return tonumber(allot.cycle(plan, state):json():match('"quota": ?(%d+)'))
end

describe("an option of words", function ()
  it("is a text with blanks between, in any case", function ()
    assert.equal(2, weight "")
    assert.equal(1, weight ', "favour": "SMALL"')
    assert.equal(3, weight ', "favour": " small\\tLate "')
    assert.equal(3, weight ', "favour": "small\\r\\nlate"')
    assert.equal(0, weight ', "favour": ""')
  end)

  it("is a list as well", function ()
    assert.equal(3, weight ', "favour": ["late", "Small"]')
    assert.equal(0, weight ', "favour": []')
    assert.equal(1, weight ', "favour": ["small", "small"]')
    assert.equal(3, weight ', "favour": ["small late"]')
    assert.equal(2, weight ', "favour": ["l\\u0061te"]')
  end)

  it("is told where a word is unknown", function ()
    assert.same({
      2, 32, "E-range",
      'option "favour" of policy "site": unknown word "smal"; known are small, late',
      'did you mean "small"?',
    }, told ', "favour": ["late", "smal"]')
    assert.equal('option "favour" of policy "site": unknown word "x"; known are small, late',
      told(', "favour": "late x"')[4])
  end)

  it("is told what it is when it is something else", function ()
    assert.same({ 2, 32, "E-type",
      'option "favour" of policy "site" is a text of words, or a list of them' },
      told ', "favour": true')
    assert.equal("E-type", told(', "favour": ["late", 5]')[3])
    assert.equal("E-type", told(', "favour": [["late"]]')[3])
    assert.equal("E-type", told(', "favour": {"late": true}')[3])
  end)

  it("is no option of another kind", function ()
    local source = 'return policy { name = "site", quota = { fill "a" {} }, options = {\n'
      .. ' top = { type = "integer" }, word = { type = "string", values = { "a" } } } }'
    assert.equal("E-type", told(', "top": ["5"]', source)[3])
    assert.equal("E-type", told(', "word": ["a"]', source)[3])
    assert.is_truthy(load(', "word": "a"', source))
  end)

  it("raises for a word that it does not have", function ()
    local source = SOURCE:gsub("favour%.small", "favour.smal")
    local it = told("", source)
    assert.equal(6, it[1])
    assert.equal("unknown word 'smal'; known are late, small", it[4])
    assert.equal("did you mean 'small'?", it[5])
  end)
end)

describe("columns and guards of jobs", function ()
  --- Which of three tasks A's are taken when B wants one slot back.
  local function victims(rules)
    local plan = {
      version = 1, slots = 3, policy = { use = "site.lua" },
      consumers = { { name = "A", owned = 2 }, { name = "B", owned = 1 } },
    }
    local state = {
      now = 1000,
      consumers = { ["/A"] = { demand = 3 }, ["/B"] = { demand = 1 } },
      tasks = {
        { id = "t1", consumer = "/A", started = 100 },
        { id = "t2", consumer = "/A", started = 900 },
        { id = "t3", consumer = "/A", started = 500 },
      },
    }
    local source = 'return policy { name = "site",\n quota = { fill "owned" { by = "owned" } },\n'
      .. ' reclaim = fill { by = "over" },\n' .. rules .. " }"
    local decision = engine.cycle(plan, state, nil, source)
    return decision.reclaims[1] and decision.reclaims[1].tasks or {}
  end

  it("say of a task how long it has run without a break", function ()
    assert.same({ "t2" }, victims 'victims = { "uninterrupted" }')
    assert.same({ "t1" }, victims 'victims = { desc "uninterrupted" }')
  end)

  it("are nothing, or no bound, where there are no queues", function ()
    for _, zero in ipairs {
      "queue", "queue_priority", "preference", "queue_order", "suspended_for",
    } do
      local key = ("function (%s, started) return %s == 0 and started or -started end")
        :format(zero, zero)
      assert.same({ "t1" }, victims(("victims = { %s }"):format(key)), zero)
    end
    for _, left in ipairs {
      "remaining", "preemptions_left", "preempt_time_left", "interval_over", "run_time_left",
      "finish_time_left",
    } do
      local key = ("function (%s, started) return %s == 1000000000 and started or -started end")
        :format(left, left)
      assert.same({ "t1" }, victims(("victims = { %s }"):format(key)), left)
    end
  end)

  it("protect no task", function ()
    assert.same({ "t2" }, victims [[victims = { "ran" }, guards = {
      max_job_preempt, max_total_time_preempt, no_preempt_interval, no_preempt_run_time,
      no_preempt_finish_time,
    }]])
  end)
end)
