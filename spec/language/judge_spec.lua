-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Policies by themselves: what they declare, the properties that they promise, what they use.

local core = require "allot.core"
local case = require "spec.support.cases.case"
local document = require "spec.support.cases.document"

local SITE = [[
return policy {
  name = "site",
  options = { gentle = { type = "boolean", default = false } },
  attributes = { cap = { type = "integer", min = 0, max = 9, default = 2 } },
  quota = { fill "all" { by = %s } },
  properties = %s,
}
]]

local function made(properties, by, options)
  return core.policy(SITE:format(by or "1", properties), { file = "site.lua", options = options })
end

local function own(body)
  return assert(made(('{ property "it" (function (case) %s end) }'):format(body)))
end

describe("a policy's properties", function ()
  local function refused(expected, properties)
    local policy, message, report = made(properties)
    assert.is_nil(policy)
    assert.truthy(message:find(expected, 1, true), message)
    assert.equal("site.lua", report[1].file)
    return report[1]
  end

  it("are declared with the rest, functions as such", function ()
    local declared = assert(made '{ "envy_free", property "it" (function () end) }'):declared()
    assert.equal("site", declared.name)
    assert.equal("cap", declared.attributes[1].name)
    assert.equal("site.lua:5: ", declared.quota[1].at)
    assert.equal("envy_free", declared.properties[1])
    assert.same({
      kind = "property", text = "it", at = "site.lua:6: ",
      test = { kind = "function", first = 6, last = 6 },
    }, declared.properties[2])
  end)

  it("may go by the options", function ()
    local text = 'function (o) return o.gentle and { "envy_free" } or {} end'
    assert.same({}, assert(made(text)):declared().properties)
    assert.same({ "envy_free" }, assert(made(text, "1", { gentle = true })):declared().properties)
  end)

  it("are known, or have a function", function ()
    refused("unknown property 'envy_fre'", '{ "envy_fre" }')
    refused("properties is a list", '"envy_free"')
    refused("properties is a list", 'property "it" (function () end)')
    refused("property 'it' is there twice",
      '{ property "it" (function () end), property "it" (function () end) }')
    refused("is a function of a case, not a number", '{ property "it" (3) }')
    refused("begins with a text", '{ property (3) }')
  end)

  it("are of consumers, where the core knows them", function ()
    local policy, message = core.policy [[
      return policy { name = "q", fewest = "mini_job", properties = { "envy_free" } }
    ]]
    assert.is_nil(policy)
    assert.truthy(message:find("a policy of queues has only properties of its own", 1, true))
  end)

  it("are asked of a case, of which they get a copy", function ()
    local it = { rows = { ["/a"] = { quota = 3 } }, list = { 1, { 2 }, "x", true, 1.5 } }
    local policy = own [[
      case.rows["/a"].quota = case.rows["/a"].quota + 1
      return case.rows["/a"].quota == 4 and case.list[2][1] == 2 and #case.list == 5,
        "quota " .. case.rows["/a"].quota
    ]]
    assert.is_true((policy:judge(1, it)))
    assert.equal(3, it.rows["/a"].quota)
    it.rows["/a"].quota = 7
    local holds, message = policy:judge(1, it)
    assert.is_false(holds)
    assert.equal("quota 8", message)
    assert.is_false((own(""):judge(1, {})))
  end)

  it("run in the sandbox, under its budget", function ()
    for body, code in pairs {
      ["while true do end"] = "E-policy-budget",
      ["local s = {} while true do s[#s + 1] = { {}, {}, {}, {} } end"] = "E-policy-memory",
      ["return os.time() > 0"] = "E-policy-run",
      ["return 7"] = "E-policy-run",
      ["local s = ('x'):rep(4000) return s .. s"] = "E-policy-memory",
    } do
      local holds, _, report = own(body):judge(1, {})
      assert.is_nil(holds, body)
      assert.equal(code, report[1].code, body)
      assert.equal(6, report[1].line)
    end
  end)

  it("are none where there is none, or a case that is too deep", function ()
    assert.is_nil((own(""):judge(2, {})))
    assert.is_nil((own(""):judge(0, {})))
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    assert.is_nil((own("return true"):judge(1, deep)))
    assert.is_true((own("return true"):judge(1, {})))
  end)
end)

describe("what a policy uses", function ()
  local function used(by)
    local text = document.encode(case.plan { policy = "site.lua", { "A", owned = 3 }, { "B" } })
    local plan = assert(core.plan(text, { policies = { ["site.lua"] = SITE:format(by, "{}") } }))
    local state = assert(core.state(plan, document.encode(case.state { slots = 9, A = { 5, 0 } })))
    assert(core.cycle(plan, state))
    return plan:use()
  end

  it("is measured, as for a thousand rows", function ()
    local none = used("1")
    assert.equal(0, none.instructions)
    assert.is_true(none.memory > 10000)
    assert.is_true(none.loading > 0)
    local some = used "function (owned) for _ = 1, 1000 do owned = owned + 1 end return owned end"
    assert.is_true(some.instructions >= 1000000 and some.instructions < 10000000)
  end)
end)

describe("ready-made policies", function ()
  it("have their text", function ()
    for _, name in ipairs(core.ready()) do
      assert.equal(name, assert(core.policy(core.ready(name))):declared().name)
    end
    assert.is_nil(core.ready "nothing")
  end)
end)
