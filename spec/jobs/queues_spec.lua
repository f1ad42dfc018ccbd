-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queues by their vectors (rules.md 6.1, 6.2): the engine, and the model that it is compared with.

local dispatch = require "spec.support.model.queue_dispatch"
local engine = require "spec.support.cases.engine"

local LISTS = { "starts", "resumes", "suspends", "kills", "resizes" }

--- A vector's expectations, of lists of orders by kind.
local function judge(vector, lists)
  local fates, started, order = {}, {}, {}
  for _, kind in ipairs(LISTS) do
    for _, it in ipairs(lists[kind]) do
      if it.job and not it.held then fates[it.job] = kind end
      if kind == "starts" then started[it.queue] = (started[it.queue] or 0) + it.slots end
      if kind == "suspends" and not it.held then order[#order + 1] = it.job end
    end
  end
  if vector.started then assert.same(vector.started, started) end
  if vector.order then assert.same(vector.order, order) end
  for job, fate in pairs(vector.jobs or {}) do
    assert.equal(fate, fates[job] or "waits", "job " .. job)
  end
end

for name, vectors in pairs {
  preemption = require "spec.support.cases.vectors_queues",
  pools = require "spec.support.cases.vectors_pools",
} do
  describe(name, function ()
    for _, vector in ipairs(vectors) do
      it(vector.rule, function ()
        judge(vector, engine.cycle(vector.plan, vector.state))
      end)
      it(vector.rule .. " (the model)", function ()
        judge(vector, (dispatch.run(vector.plan, vector.state, vector.opts)))
      end)
    end
  end)
end
