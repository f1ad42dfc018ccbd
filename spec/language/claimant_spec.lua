-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Where victims and guards cannot read the claimant (C-16), and what is said then.

local allot = require "allot"
local engine = require "spec.support.cases.engine"

local function policy(rules, more)
  return ([[
return policy {
  name = "site",
  attributes = {
    priority = { type = "integer", default = 0 }, gentle = { type = "boolean", default = false },
  },
  task_attributes = { level = { type = "integer" } },
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "spare" { by = 1 },
  },
  %s
  %s
}]]):format(rules, more or "")
end

local LOWER = [[guards = {
    guard "lower" (function (level, claimant) return level < claimant.priority end),
  },]]

describe("a claimant that cannot be read", function ()
  local function fault(text, doc)
    doc = doc or [[{"slots": 4, "policy": "site.lua", "consumers": [{"name": "a"}]}]]
    local sealed, _, report = allot.plan(doc, { file = "plan.json",
      policies = { ["site.lua"] = text } })
    assert.is_nil(sealed)
    return report[1].message, report[1]
  end

  it("is named where a policy is read", function ()
    local message, it = fault [[return policy {
      name = "q", dispatch = order { "submitted" }, preempts = false,
      guards = { guard "low" (function (ran, claimant) return ran > 5 end) },
    }]]
    assert.equal("a function of jobs cannot read 'claimant': it is called once for all who "
      .. "preempt; a key of victims names preference or queue_order", message)
    assert.equal(3, it.line)
    local lends = [[return policy {
      name = "x",
      quota = { fill "owned" { by = "owned", up_to = "owned" }, loan "lent" {} },
      victims = { function (claimant) return claimant.rank end },
    }]]
    assert.matches("a function reads 'claimant' under fills alone and with enforce = \"parent\"",
      fault(lends), 1, true)
    assert.matches("under fills alone", fault(policy(LOWER, 'enforce = "leaf",')), 1, true)
    assert.matches("unknown column", fault(policy [[guards = {
      guard "x" (function (levle, claimant) return levle < 1 end) },]]), 1, true)
  end)

  it("is refused where hosts choose victims", function ()
    local message, it = fault(policy(LOWER), [[{"slots": 4, "policy": "site.lua",
      "consumers": [{"name": "a"}, {"name": "b", "exclusive": true}]}]])
    assert.equal("E-claimant", it.code)
    assert.equal("it is not served by every host, so hosts choose victims (E-30), and victims or "
      .. 'guards of the policy "site" cannot read claimant', message)
    assert.matches("^/b", it.path)
    local text = policy(LOWER, "requirements = { big = function (slots) return slots > 4 end },")
    message = fault(text, [[{"slots": 4, "policy": "site.lua",
      "consumers": [{"name": "a"}, {"name": "b", "requires": "big"}]}]])
    assert.matches("it is not served by every host", message, 1, true)
  end)

  it("is refused where tasks have slots of several groups", function ()
    local site = engine.sealed({
      version = 1, groups = { cpu = { slots = 8 }, gpu = { slots = 2 } },
      policy = "site.lua", consumers = { { name = "a" } },
    }, policy(LOWER))
    local ok, message = pcall(engine.decide, site, { now = 1, tasks = {
      { id = "t", consumer = "/a", slots = { cpu = 1, gpu = 1 }, started = 1 } } })
    assert.is_false(ok)
    assert.matches("E-claimant", message, 1, true)
    assert.matches('the task t has slots of several groups, and victims or guards of the policy '
      .. '"site" read claimant', message, 1, true)
  end)

  it("is refused where a consumer has a host alone", function ()
    local site = engine.sealed({
      version = 1, slots = 8, policy = "site.lua", consumers = { { name = "a" } },
    }, policy(LOWER))
    local ok, message = pcall(engine.decide, site, { now = 1,
      hosts = { h1 = { slots = 4, exclusive_to = "/a" } } })
    assert.is_false(ok)
    assert.matches("E-claimant", message, 1, true)
    assert.matches("it has the host h1 alone, so hosts choose victims (E-30)", message, 1, true)
  end)

  it("is told when a function runs", function ()
    local site = {
      version = 1, slots = 10, policy = "site.lua",
      consumers = { { name = "hi", owned = 4 }, { name = "x" } },
    }
    local now = {
      now = 100, consumers = { ["/hi"] = { demand = 4 } },
      tasks = { { id = "t1", consumer = "/x", slots = 10, started = 1 } },
    }
    local function run(body)
      local ok, message = pcall(engine.cycle, site, now, nil,
        policy(('guards = { guard "x" (function (claimant) %s end) },'):format(body)))
      assert.is_false(ok)
      return message
    end
    assert.matches("unknown column 'rnk'", run "return claimant.rnk == 0", 1, true)
    assert.matches("column 'usage' needs a plan that states half_life or hist_hours",
      run "return claimant.usage == 0", 1, true)
    assert.matches("the function of guard returned a number, not true or false",
      run "return claimant.rank", 1, true)
    assert.matches("the claimant is only read", run "claimant.rank = 3 return true", 1, true)
  end)
end)
