-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ownership, written short, for specs of its ledger.

local case = require "spec.support.cases.case"
local engine = require "spec.support.cases.engine"
local assert = require "luassert"

local ownership = {}

--- A plan under ownership, written short.
function ownership.owners(short)
  short.policy = short.policy or "ownership"
  return case.plan(short)
end

function ownership.loan(lender, borrower, slots)
  return { lender = "/" .. lender, borrower = "/" .. borrower, slots = slots }
end

--- The loans of a decision as {"A>B" = slots}, those that have ended left out.
function ownership.loans(decision)
  local out = {}
  for _, each in ipairs(decision.loans) do
    if each.slots > 0 then
      out[each.lender:sub(2) .. ">" .. each.borrower:sub(2)] = each.slots
    end
  end
  return out
end

local function reasons(decision)
  local out = {}
  for _, reclaim in ipairs(decision.reclaims) do
    out[reclaim.consumer:sub(2)] = reclaim.why.code
  end
  return out
end

--- Holds a decision to `expected`: grants, reclaims, loans (default: none), why, expect.
function ownership.judge(short, now, expected)
  local decision = engine.cycle(short, now)
  assert.same(expected.grants or {}, case.grants(decision))
  assert.same(expected.reclaims or {}, case.reclaims(decision))
  assert.same(expected.loans or {}, ownership.loans(decision))
  if expected.why then
    assert.same(expected.why, reasons(decision))
  end
  if expected.expect then
    case.check(expected.expect, decision.groups.default)
  end
  return decision
end

return ownership
