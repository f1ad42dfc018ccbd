-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Properties: a check that must hold for every random case.
--
-- A failure prints the seed and the smallest case found, as documents for `allot run`.
-- ALLOT_SEED=n repeats exactly that case; ALLOT_RUNS=n runs so many, ALLOT_SHARE=n so many of 100.

local busted = require "busted"
local document = require "spec.support.cases.document"
local gen = require "spec.support.cases.gen"
local shrink = require "allot.check.shrink"

local function message_of(check, case)
  local ok, message = pcall(check, case)
  if not ok then
    return type(message) == "table" and tostring(message.message or message) or tostring(message)
  end
end

local function report(name, seed, case, check)
  return table.concat({
    ("%s: fails for ALLOT_SEED=%d"):format(name, seed),
    tostring(message_of(check, case)),
    case.policy and "site.lua: " .. case.policy or "",
    "plan: " .. document.encode(case.plan, { indent = "  " }),
    "state: " .. document.encode(case.state, { indent = "  " }),
  }, "\n")
end

local property = {}

--- How many cases to run of a property that has so many of its own.
function property.runs(own)
  local share = tonumber(os.getenv "ALLOT_SHARE" or "") or 100
  return tonumber(os.getenv "ALLOT_RUNS" or "") or math.max(1, own * share // 100)
end

--- Declares a spec `name` that runs check(case) on opts.runs cases made by make(seed) (default:
--- gen.tree) and fails when one raises. opts.valid(case): whether a smaller case is a case at all.
local function declare(name, opts, check, make)
  make = make or gen.tree
  local only = tonumber(os.getenv "ALLOT_SEED" or "")
  local first = only or opts.seed or 1
  local last = only or first + property.runs(opts.runs or 100) - 1
  busted.it(name, function ()
    for seed = first, last do
      local case = make(seed)
      if message_of(check, case) then
        local small = shrink.run(case, function (smaller)
          return (not opts.valid or opts.valid(smaller)) and message_of(check, smaller) ~= nil
        end)
        error(report(name, seed, small, check), 0)
      end
    end
  end)
end

return setmetatable(property, { __call = function (_, ...) return declare(...) end })
