-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Holds the engine to the model of whole tasks: every number of a state, every grant and reclaim.

local engine = require "spec.support.cases.engine"
local gen_whole = require "spec.support.cases.gen_whole"
local told = require "spec.support.model.whole.told"
local whole = require "spec.support.model.whole"

local function differ(what, expected, found)
  if expected ~= found then
    error(("%s: the model says %s, the engine %s"):format(what, tostring(expected),
      tostring(found)), 0)
  end
end

local ROW = { "demand", "need", "quota", "allocated", "granted", "held", "over" }
--- Of a ledger, and where it passed on idle slots: the model does not know whose they are then.
local LEDGER = { "demand", "need", "quota", "allocated", "granted", "held" }
local PASSED = { "demand", "need", "quota", "allocated" }

local function parts_of(row)
  local sum = 0
  for _, slots in pairs(row.parts) do sum = sum + slots end
  return sum
end

local function same_group(name, expected, found, row_fields)
  for _, field in ipairs(row_fields == PASSED and { "slots", "idle" }
    or { "slots", "idle", "idle_left", "held" }) do
    differ(name .. "." .. field, expected[field], found[field])
  end
  for i, row in ipairs(expected.consumers) do
    local other, what = found.consumers[i], name .. row.path
    for _, field in ipairs(row_fields) do differ(what .. "." .. field, row[field], other[field]) end
    differ(what .. ".parts.whole", row.parts.whole, other.parts.whole or 0)
    differ(what .. ".parts", parts_of(row), parts_of(other))
  end
end

local function same_loans(lent, loans)
  local found = {}
  for _, loan in ipairs(loans) do
    local key = loan.lender .. ">" .. loan.borrower
    found[key] = loan.slots > 0 and loan.slots or nil
    differ(key, lent[key] or 0, loan.slots)
  end
  for key, slots in pairs(lent) do differ(key, slots, found[key]) end
end

--- The engine's decision of a state of a case; raises where the model, with a policy's rules of its
--- own or without, decides something else.
return function (it, state, site)
  local plan, plain = gen_whole.plain(it.plan, state)
  local expected, found = whole.cycle(plan, plain, site or it.site),
    engine.cycle(it.plan, state, nil, it.policy)
  local row = expected.passed and PASSED or expected.lent and LEDGER or ROW
  for name, group in pairs(expected.groups) do same_group(name, group, found.groups[name], row) end
  if expected.lent then same_loans(expected.lent, found.loans) end
  local blind = expected.lent ~= nil -- a ledger's claims are not modelled
  local one, other = told.groups(expected, blind), told.groups(found, blind)
  for name in pairs(expected.groups) do
    for _, list in ipairs(expected.passed and { "reclaims" } or { "grants", "reclaims" }) do
      differ(name .. ": " .. list, table.concat(one[name][list], "; "),
        table.concat(other[name][list], "; "))
    end
  end
  return found
end
