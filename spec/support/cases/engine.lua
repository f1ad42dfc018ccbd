-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The engine as specs use it: document tables in, the decision document as a table out.

local allot = require "allot"
local json = require "dkjson"
local document = require "spec.support.cases.document"

-- Three times as fast, where it is there.
if pcall(require, "lpeg") then
  json = json.use_lpeg()
end

local engine = {}

--- Lists of orders for jobs.
local ORDERS = { "starts", "resumes", "resizes", "suspends", "kills" }

--- Decisions by their documents, as long as those are there.
local boxes = setmetatable({}, { __mode = "k" })

--- The first diagnostic of a report as one line, for messages.
local function words(message, report)
  local first = report and report[1] or {}
  return ("%s [%s %s:%s] %s"):format(tostring(message), tostring(first.code),
    tostring(first.line), tostring(first.col), tostring(first.message))
end

--- The plan of a document written in `style` (document.lua). Raises when it is not valid. `policy`
--- is the text of the plan's "site.lua".
function engine.sealed(plan, policy, style)
  local sealed, message, report = allot.plan(document.encode(plan, style), {
    file = "plan.json", policies = { ["site.lua"] = policy },
  })
  if not sealed then
    error("plan: " .. words(message, report), 0)
  end
  return sealed
end

--- The text of what is decided for a state under a sealed plan, and the decision.
function engine.decide(sealed, state, style)
  local now, message, report = allot.state(sealed, document.encode(state, style), {
    file = "s.json",
  })
  if not now then
    error("state: " .. words(message, report), 0)
  end
  local decision
  decision, message, report = allot.cycle(sealed, now)
  if not decision then
    error("cycle: " .. words(message, report), 0)
  end
  return decision:json(), decision
end

--- What is decided, as a table and as the decision.
function engine.decided(sealed, state, style)
  local text, decision = engine.decide(sealed, state, style)
  local made = assert(json.decode(text))
  boxes[made] = decision
  return made, decision
end

--- The state after a decision, a document of engine.cycle or engine.decided, is carried out.
-- `options`: those of Decision:apply.
function engine.after(decided, options)
  return (json.decode(assert(boxes[decided]:apply(options)):json()))
end

--- Whether a decision leaves everything as it is.
function engine.rests(decided)
  for _, list in ipairs { "grants", "reclaims", table.unpack(ORDERS) } do
    if decided[list] and decided[list][1] then return false end
  end
  return true
end

--- What a decision does to jobs now: { kind, order } by id.
function engine.fates(decided)
  local out = {}
  for _, kind in ipairs(ORDERS) do
    for _, order in ipairs(decided[kind] or {}) do
      if order.job and not order.held then out[order.job] = { kind = kind, order = order } end
    end
  end
  return out
end

--- Both for two documents.
function engine.text(plan, state, style, policy)
  return engine.decide(engine.sealed(plan, policy, style), state, style)
end

--- The decision document as a table, and the decision.
function engine.cycle(plan, state, style, policy)
  return engine.decided(engine.sealed(plan, policy, style), state, style)
end

--- Whether a case's documents are valid, for shrinking.
function engine.valid(case)
  local sealed = allot.plan(document.encode(case.plan), {
    policies = { ["site.lua"] = case.policy },
  })
  return sealed ~= nil and allot.state(sealed, document.encode(case.state)) ~= nil
end

return engine
