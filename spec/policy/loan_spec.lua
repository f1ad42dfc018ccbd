-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Loans whose borrowers are weighed (C-11), by hand.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local ownership = require "spec.support.cases.ownership"

local state = case.state

--- Ownership whose loan has these keys, too.
local function site(loan)
  return ([[return policy {
    name = "site", like = "ownership",
    attributes = { weight = { type = "integer", min = 0, default = 1 } },
    quota = {
      fill "owned" { by = "owned", up_to = "owned" },
      pool "shared" { by = "share", up_to = "share_limit" },
      loan "borrowed" { lend_limit = "lend_limit", borrow_limit = "borrow_limit", %s },
    },
  }]]):format(loan)
end

--- The loans of a decision, and the decision.
local function lent(short, now, loan)
  local made = ownership.owners(short)
  made.policy = { use = "site.lua" }
  local out, decision = engine.cycle(made, state(now), nil, site(loan or 'by = "weight"'))
  return ownership.loans(out), decision
end

local function lender(slots, more)
  local short = { { "L", owned = slots, lend = true } }
  for _, row in ipairs(more) do
    row.borrow = row.borrow == nil and true or row.borrow
    short[#short + 1] = row
  end
  return short
end

describe("a loan with by", function ()
  local function three(more)
    local rows = { { "a", weight = 3 }, { "b", weight = 2 }, { "c" } }
    for i, keys in ipairs(more or {}) do
      for key, value in pairs(keys) do rows[i][key] = value end
    end
    return lender(12, rows)
  end
  local all = { a = { 99 }, b = { 99 }, c = { 99 } }

  it("divides among borrowers in proportion, without it one comes after another", function ()
    assert.same({ ["L>a"] = 6, ["L>b"] = 4, ["L>c"] = 2 }, lent(three(), all))
    assert.same({ ["L>a"] = 12 }, lent(three(), all, ""))
    assert.same({ ["L>a"] = 4, ["L>b"] = 4, ["L>c"] = 4 }, lent(three(), all, "by = 5"))
    assert.same({ ["L>a"] = 2, ["L>b"] = 4, ["L>c"] = 6 },
      lent(three(), all, "by = function (weight) return 4 - weight end"))
  end)

  it("ends at needs and limits, and what one leaves goes to the others", function ()
    assert.same({ ["L>a"] = 2, ["L>b"] = 7, ["L>c"] = 3 },
      lent(three { { borrow_limit = 2 } }, all))
    assert.same({ ["L>a"] = 8, ["L>b"] = 1, ["L>c"] = 3 },
      lent(three { { weight = 2 }, {}, {} }, { a = { 99 }, b = { 1 }, c = { 99 } }))
    assert.same({ ["L>a"] = 8, ["L>b"] = 4 }, lent(three { {}, {}, { weight = 0 } }, all))
  end)

  it("counts what was borrowed before", function ()
    local now = { a = { 99, 4 }, b = { 99 }, c = { 99 },
                  loans = { ownership.loan("L", "a", 4) } }
    assert.same({ ["L>a"] = 6, ["L>b"] = 4, ["L>c"] = 2 }, lent(three(), now))
    now = { a = { 99, 9 }, b = { 99 }, c = { 99 }, loans = { ownership.loan("L", "a", 9) } }
    assert.same({ ["L>a"] = 9, ["L>b"] = 2, ["L>c"] = 1 }, lent(three(), now))
  end)

  it("is among those that are equal by the order: better ranks come first", function ()
    assert.same({ ["L>b"] = 12 }, lent(three { { rank = 2 }, { rank = 1 }, { rank = 2 } }, all))
    local now = { a = { 99 }, b = { 3 }, c = { 99 } }
    assert.same({ ["L>b"] = 3, ["L>a"] = 7, ["L>c"] = 2 },
      lent(three { { rank = 2 }, { rank = 1 }, { rank = 2 } }, now))
  end)

  it("minds lists: who can borrow from fewer comes first", function ()
    local short = { { "L", owned = 10, lend = true }, { "M", owned = 10, lend = { "/a" } },
                    { "a", borrow = true }, { "b", borrow = true } }
    local now = { a = { 99 }, b = { 99 } }
    assert.same({ ["L>b"] = 10, ["M>a"] = 10 }, lent(short, now))
    short[2].owned = 2
    assert.same({ ["L>a"] = 4, ["L>b"] = 6, ["M>a"] = 2 }, lent(short, now))
  end)

  it("is told by explain", function ()
    local _, decision = lent(three(), all)
    local said = table.concat(decision:explain "/b", "\n")
    assert.truthy(said:find("Among borrowers that are equal by the loan's order it borrows in "
      .. "proportion to weight: 2 (C-11).", 1, true), said)
  end)

  it("is an amount", function ()
    for by, wanted in pairs {
      ['"wight"'] = "unknown column 'wight'", ["-1"] = "by = -1; a number here is 0 to",
      ['"quota"'] = "column 'quota' is not known yet in quota", ["part"] = "by is a table",
      ['"parent_slots"'] = "parent_slots is the same for all siblings",
      ['"exclusive"'] = "true or false",
    } do
      local loaded, why = require "allot.core".policy(site("by = " .. by))
      assert.is_nil(loaded)
      why = type(why) == "table" and (why.message or why[1] and why[1].message) or tostring(why)
      assert.truthy(why:find(wanted, 1, true), why)
    end
  end)
end)
