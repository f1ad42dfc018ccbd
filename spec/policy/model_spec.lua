-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The model that judges the engine is itself held to the numbers of the rules.

local case = require "spec.support.cases.case"
local model = require "spec.support.model.model"
local rational = require "spec.support.model.rational"
local vectors = require "spec.support.cases.vectors"

describe("the model", function ()
  for _, vector in ipairs(vectors) do
    it(vector.title, function ()
      case.judge(vector, model.cycle(vector.plan, vector.state))
    end)
  end
end)

describe("exact numbers", function ()
  it("are in lowest terms and print as decisions do", function ()
    assert.equal("10/3", tostring(rational(20, 6)))
    assert.equal("9", tostring(rational(-18, -2)))
    assert.equal("-1/2", tostring(rational(1, -2)))
    assert.equal("0", tostring(rational(0, 7)))
  end)

  it("stay exact beyond 64 bits", function ()
    local tiny = rational(1, 1000000007) * rational(1, 998244353) * rational(1, 1000000009)
    local sum = rational(0)
    for _ = 1, 5 do
      sum = sum + tiny
    end
    assert.equal("5/998244368971909710889394239", tostring(sum))
    assert.is_true(tiny < sum)
    assert.is_true(sum - tiny * 5 == rational(0))
  end)

  it("floor towards minus infinity", function ()
    assert.equal(-4, rational(-10, 3):floor())
    assert.equal("2/3", tostring(rational(-10, 3):fraction()))
    assert.equal(6666666666, (rational(1000000000) * 20 / 3):floor())
  end)
end)
