-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `loan "label" { borrowers = , by = , lend_limit = , borrow_limit = }`: slots that their owner
--- does not need go to consumers to which it lends.
--
-- `borrowers` is the order in which these are served (default: by rank). Those that are equal by it
-- come one after another, or, with `by`, borrow in proportion to it, whatever they borrowed before
-- counted in. The limits are the most that a consumer lends and borrows (default: no limit).

local placed = require "allot.language.placed"
local names = require "allot.language.names"
local order = require "allot.language.order"
local amount = require "allot.language.amount"

local KEYS = { "borrowers", "by", "lend_limit", "borrow_limit" }

local function make(place, label, spec)
  if type(spec) ~= "table" then
    return nil, ("loan needs a table { borrowers = , lend_limit = , borrow_limit = }, not a %s")
      :format(type(spec))
  end
  if not names.valid(label, "-") then
    return nil, ("a loan's label is a name (letters, digits, '_', '-'), not '%s'"):format(label)
  end
  local faults, fault = {}
  names.strangers(spec, KEYS, "key of loan", faults)
  amount.faults(spec, { "by", "lend_limit", "borrow_limit" }, faults)
  local made = {
    kind = "loan", label = label, by = spec.by, lend_limit = spec.lend_limit,
    borrow_limit = spec.borrow_limit, at = place,
  }
  if spec.borrowers ~= nil then
    made.borrowers, fault = order.keys(place, spec.borrowers)
    if fault then faults[#faults + 1] = { fault } end
  end
  if #faults > 0 then return nil, faults end
  return made
end

return placed(function (_, label)
  if type(label) ~= "string" then
    return nil, ("loan needs a label first: loan \"borrowed\" { ... }, not a %s")
      :format(type(label))
  end
  return placed(function (rest, spec) return make(rest, label, spec) end)
end)
