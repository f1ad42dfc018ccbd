-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Explanations: the facts of a decision (allot_explain_facts) in sentences.

local job = require "allot.explain.job"
local lease = require "allot.explain.lease"
local queue = require "allot.explain.queue"
local quota = require "allot.explain.quota"
local slots = require "allot.explain.slots"
local task = require "allot.explain.task"
local words = require "allot.explain.words"

local function changed(list)
  local function value(change, number)
    return number and words.value(change.flag, number) or "none"
  end
  local items = {}
  for i, change in ipairs(list) do
    items[i] = words.phrase("{} {} to {}", change.name, value(change, change.before),
      value(change, change.now))
  end
  return items
end

local function windows(say, it, path)
  if #it.held == 0 then return say "None of the plan's windows holds now." end
  say("Now {?a window holds|windows hold}: {}.", #it.held, words.list(it.held))
  local own, all = changed(it.columns), changed(it.group)
  if it.lend then own[#own + 1] = "whom it lends to" end
  if it.borrow then own[#own + 1] = "whom it borrows from" end
  if it.policy_before and it.policy_before ~= it.policy_now then
    all[#all + 1] = ("policy %s to %s"):format(it.policy_before, it.policy_now)
  elseif it.policy_before then
    all[#all + 1] = "options of its policy"
  end
  say("For {} that changes {}{?; for all |}{}.", path, #own > 0 and words.list(own) or "nothing",
    #all > 0, words.list(all))
end

local function consumer(say, it)
  if it.is_queue then return queue(say, it) end
  if it.windows then windows(say, it.windows, it.path) end
  quota(say, it)
  slots.all(say, it)
end

--- By kind of subject.
local KINDS = { consumer = consumer, task = task, job = job, lease = lease }

--- Writes the sentences about a subject of a kind, each by `line`.
return function (kind, facts, line)
  KINDS[kind](words.teller(line), facts)
end
