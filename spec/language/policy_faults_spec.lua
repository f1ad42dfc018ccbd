-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What is told of a policy that is wrong: all that can be told at once, each where it stands.

local allot = require "allot"

local function faults(source, state)
  local plan, _, report = allot.plan('{"slots": 4, "policy": "own.lua", "consumers": '
    .. '[{"name": "a"}]}', { file = "plan.json", policies = { ["own.lua"] = source } })
  if plan then _, _, report = allot.state(plan, state or '{"now": 0}') end
  local out = {}
  for i, it in ipairs(report or {}) do
    out[i] = ("%d:%d %s%s"):format(it.line, it.col, it.message, it.hint and "; " .. it.hint or "")
  end
  return out
end

describe("a policy with several faults", function ()
  it("is told of each, at its key", function ()
    local told = faults [[
return policy { -- rond = 1
  name = "x", scale = 3,
  rond = "rank",
  attributes = {
    vip = { type = "boolean", min = 0 }, ["odd"] = {},
    a = "string",
  },
  round = "no", quota = { fill "x" { by = "vip" } },
  distribute = { "ranc" },
  guards = 7, victims = "x",
}]]
    for i, wanted in ipairs {
      "3:3 unknown key of policy 'rond'", "2:15 scale is true or false",
      "6:5 attribute 'a' is a string, not a table { type = , ... }",
      "4:3 attribute 'odd': unknown type", "5:5 attribute 'vip': a boolean has no min",
      "8:3 unknown rounding 'no'", "9:3 unknown column 'ranc'", "10:15 victims is an order",
      "10:3 guards is a list",
    } do
      assert.equal(wanted, (told[i] or ""):sub(1, #wanted))
    end
    assert.equal(9, #told)
  end)

  it("that dispatches too", function ()
    local told = faults [[
return policy { name = "x",
 fewest = "no way",
 lift = { "x" },
 attributes = {}, preempts = 3 }]]
    assert.equal(4, #told)
    assert.matches("^4:2 'attributes' divides slots", told[1])
    assert.matches("^2:2 fewest", told[2]:find "fewest" and told[2] or told[3])
  end)

  it("is told of each within a word, too, where the word stands", function ()
    for word, wanted in pairs {
      ['quota = { fill "x" { bye = 1, at = 2, by = -1, up_to = 1.5, again = 3, order = 7 } }'] = {
        "unknown key of fill 'at'", "unknown key of fill 'bye'", "by = -1; a number here is 0 to",
        "up_to = 1.5, a float", "again is true or false, not a number",
        "order needs a list of keys",
      },
      ['quota = { fill {} }, guards = { guard "g" { valu = 1, min = 2, max = 1 } }'] = {
        "unknown key of guard 'valu'", "min is above max", "value is a nil; it is a column",
      },
      ['quota = { pool "p" { bye = 1, by = -1, up_to = {} } }'] = {
        "unknown key of pool 'bye'", "by = -1; a number", "up_to is a table",
      },
      ['quota = { fill {}, loan "l" { to = 1, lend_limit = -1, borrowers = 7 } }'] = {
        "unknown key of loan 'to'", "lend_limit = -1; a number", "order needs a list of keys",
      },
    } do
      local told = faults("return policy { name = 'x',\n" .. word .. " }")
      assert.equal(#wanted, #told, word)
      for i, text in ipairs(wanted) do
        assert.matches("^2:%d+ ", told[i])
        assert.truthy(table.concat(told, "\n"):find(text, 1, true), text)
      end
    end
  end)

  it("is told of as many as there is room for", function ()
    local keys = {}
    for i = 1, 60 do keys[i] = "wrong" .. i .. " = 1," end
    local told = faults("return policy { name = 'x', quota = { fill {} },\n"
      .. table.concat(keys, "\n") .. "}")
    assert.truthy(#told > 3 and #told < 60)
    for _, it_ in ipairs(told) do assert.matches("^%d+:1 unknown key of policy 'wrong%d+'", it_) end
  end)
end)

describe("it is told that", function ()
  it("a column wants quotes", function ()
    assert.matches("unknown name 'rank', which is a column; did you mean \"rank\", quoted%?",
      faults 'return policy { name = "x", quota = { fill { order = order { rank } } } }'[1])
  end)

  it("a local is called nearly so, where the name stands", function ()
    local function hint(text) return faults(text)[1]:match "; (did you mean .*)$" end
    assert.equal("did you mean 'weight'?", hint "local weight <const> = 3\nreturn wieght")
    assert.equal("did you mean 'weights'?", hint "local weights, more = 3\nreturn wieghts")
    assert.equal("did you mean 'total'?", hint [[
local function sum(total, share)
  for place, item in ipairs {} do total = share + item end
  return totl
end
return sum(1, 2)]])
    assert.equal("did you mean 'place'?", hint "for place = 1, 2 do local x = plcae end")
    -- Locals of blocks that have ended, and a global that is nearer.
    assert.is_nil(hint "do local weight = 3 end\nif 1 then local weight end\nreturn wieght")
    assert.is_nil(hint "local f = function (weight) return 3 end\nreturn wieght")
    assert.equal("did you mean 'policy'?", hint "local polite = 1\nreturn polic { }")
    assert.is_nil(hint "local x = x")
  end)

  it("a divisor is 0", function ()
    local findings = require "allot.check.findings"
    for _, message in ipairs { "attempt to divide by zero", "attempt to perform 'n//0'",
      "attempt to perform 'n%%0'" } do
      assert.matches("a divisor is 0", findings.hint(message))
    end
  end)

  it("a key of the state is unknown, and which are allowed", function ()
    local told = faults('return policy { name = "x", quota = { fill {} } }',
      '{"now": 0, "foo": 3, "consumers": {"/a": {"xyzzy": 1}}}')
    assert.matches('unknown key "foo"; allowed are "schema", "now", .*"tasks"', told[1])
    assert.matches('unknown key "xyzzy"; allowed are "demand", "allocated"', told[2])
  end)
end)

it("a mark of UTF-8 at the beginning is no fault", function ()
  assert.same({}, faults "\xef\xbb\xbfreturn policy { name = 'x', quota = { fill {} } }")
  assert.matches("^1:1 ", faults "\xef\xbb\xbfreturn 3"[1])
end)
