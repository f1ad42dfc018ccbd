-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The result of a replay, for people.

local core = require "allot.core"
local diff = require "allot.text.diff"
local line = require "allot.text.line"

local AROUND = 40 -- bytes around the first difference

local MEANS = {
  plan = "the store has no such plan", policy = "the policy is not the one that decided then",
  event = "the books refuse an event that they took then",
  input = "the cycle is asked about another state", decision = "the decision is another",
  quotas = "quotas are others, though the orders are the same",
}

local function put_place(host, recorded, computed)
  local at = 1
  while at <= math.min(#recorded, #computed) and recorded:byte(at) == computed:byte(at) do
    at = at + 1
  end
  local from = math.max(1, at - AROUND)
  host.out(("they part at byte %d:\n  recorded ...%s\n  computed ...%s\n"):format(at,
    line.safe(recorded:sub(from, from + 2 * AROUND - 1)),
    line.safe(computed:sub(from, from + 2 * AROUND - 1))))
end

local function put_difference(host, it)
  host.out(("cycle %d, decision %d, %s: %s differs: %s\n"):format(it.cycle, it.seq,
    core.time(it.now), it.what, MEANS[it.what] or ""))
  if it.what ~= "decision" then return end
  local function text(document) return document == core.null and "null" or document end
  host.out(("recorded: %s\ncomputed: %s\n"):format(text(it.recorded), text(it.computed)))
  if it.recorded ~= core.null and it.computed ~= core.null then
    put_place(host, it.recorded, it.computed)
  end
end

local replay = {}

function replay.show(host)
  local of = core.decode(host.call "document")
  local differs = of.difference ~= core.null
  for i, plan in ipairs(of.plans or {}) do
    host.out((i > 1 and "\n" or "") .. diff.sides(plan))
    diff.put_sums(host, plan.summary)
  end
  if differs then put_difference(host, of.difference) end
  host.out((of.plans and "\n" or "") .. line.count(of.cycles, "cycle"))
  if of.decisions > 0 then
    host.out((" with decisions %d to %d"):format(of.first, of.last))
  end
  host.out((" came out as recorded%s\n"):format(differs and " before it" or ", byte by byte"))
end

return replay
