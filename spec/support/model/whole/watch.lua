-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What C-13 promises, looked for in decisions of the engine and of the model alike, while tasks
--- come and go.

local gen_whole = require "spec.support.cases.gen_whole"
local invariants = require "allot.check.invariants"
local play = require "spec.support.model.whole.play"
local whole = require "allot.check.whole"

local watch = {}

--- What holds of every decision.
local ALWAYS = {
  "quotas_fit", "quotas_sound", "reserves_kept", "limits_kept", "idle_once", "grants_sound",
  "reclaims_sound", "claims_sound", "quotas_served",
}

local function claim(what, path, fault)
  if fault then error(("%s: %s: %s"):format(what, path or "", fault), 0) end
end

--- The same of a ledger, which also takes slots that may not stay where they are.
local LEDGER = { "quotas_fit", "quotas_sound", "limits_kept", "idle_once", "grants_sound" }

--- Raises what is wrong with a decision. `free`: the policy knows nothing of owners.
function watch.always(plan, state, decision, free, ledger)
  local view = invariants.view(plan, state, decision)
  for _, name in ipairs(ledger and LEDGER or ALWAYS) do claim(name, invariants[name](view)) end
  claim("tasks_whole", whole.tasks_whole(view))
  if not free then claim("owners_keep", whole.owners_keep(view)) end
end

--- Raises where a decision at rest leaves slots idle that a next task could use.
function watch.at_rest(plan, state, decision)
  claim("none_idles", whole.none_idles(invariants.view(plan, state, decision)))
end

--- Cycles that a state takes at most to come to rest: three, as a rule (C-13). Tasks that started
--- at once may go by their ids, in another order than they started in: that takes one more.
local MOST = 4

--- What is decided of one state; whether nothing is to be carried out. A state that fails takes the
--- place of its case's, `alone`, so that it is this state that is made small.
local function look(it, state, decide, opts)
  local ok, decision = pcall(function ()
    local decision, plan, plain = decide(state), gen_whole.plain(it.plan, state)
    watch.always(plan, plain, decision, opts.free, opts.ledger)
    if play.rests(decision, state) and not opts.ledger then
      watch.at_rest(plan, plain, decision)
    end
    return decision
  end)
  if not ok then
    it.state, it.alone = state, true
    error(decision, 0)
  end
  return decision, play.rests(decision, state)
end

--- A state's decisions by decide(state), carried out until it rests; the state then, or as it is
--- when that takes too long. `opts`: later, what is reclaimed is a cycle on its way; restless, it
--- need not come to rest; ledger, owners lend idle slots only to whom they choose; free.
local function rest(it, state, decide, opts)
  for _ = 0, MOST * (opts.later and 2 or 1) do
    local decision, rests = look(it, state, decide, opts)
    if rests then return state end
    state = play.after(state, decision, opts.later)
  end
  if not opts.restless then error("decides still", 0) end
  return state
end

--- A site from change to change (gen_whole.lua).
function watch.lives(it, decide, opts)
  local state = it.state
  opts = opts or {}
  if it.alone then return look(it, state, decide, opts) end
  for round = 2, 4 do
    state = gen_whole.change(it, rest(it, state, decide, opts), round)
  end
end

return watch
