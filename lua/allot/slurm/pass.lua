-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- One pass of the bridge, without its hands: what the cluster looks like, and what to do about a
--- decision. Nothing is assumed to have happened because it was asked for: the next pass looks.

local ceiling = require "allot.slurm.ceiling"
local limit = require "allot.slurm.limit"
local read = require "allot.slurm.read"
local reason = require "allot.slurm.reason"
local site = require "allot.slurm.site"
local truth = require "allot.slurm.truth"
local victim = require "allot.slurm.victim"

local pass = {}

local CEILINGS = 4 -- changes of ceilings in a pass: each takes Slurm's accounting 0.3 s

--- What passes keep: `options` has plan (site.plan), groups (slot.groups), map, rest, cancel, hold,
-- tags_of, signal, most_requeues.
function pass.new(options)
  return {
    options = options, lines = {}, nodes_text = nil, victims = {}, times = {},
    site = {
      groups = options.groups, single = #options.plan.groups == 0, leaves = options.plan.leaves,
      is_leaf = options.plan.is_leaf,
      cancel = options.cancel, hold = options.hold,
      consumer_of = site.consumer_of(options.plan, options.map, options.rest),
      is_of = site.is_of(options.plan),
      tags_of = options.tags_of, shared = {},
      ceilings = options.hold and {} or reason.ceilings(options.groups), limits_of = limit.none,
    },
  }
end

--- What sacctmgr says of a cluster's accounts and of QOS; the accounts, or nil, a reason. Whatever
-- squeue said is looked at again where limits changed.
function pass.know(kept, accounts_text, qos_text, cluster)
  if accounts_text == kept.accounts_text and qos_text == kept.qos_text then return kept.accounts end
  local accounts, others = read.accounts(accounts_text, cluster)
  if not accounts then return nil, others end
  kept.cluster = others and cluster or nil
  local qos, fault = limit.qos(qos_text)
  if not qos then return nil, fault end
  kept.site.limits_of = limit.of(kept.options.plan, kept.options.groups, accounts, qos)
  kept.accounts, kept.accounts_text, kept.qos_text, kept.jobs_text = accounts, accounts_text,
    qos_text, nil
  return accounts
end

local function look_at_nodes(kept, text)
  if text == kept.nodes_text then return true end
  local nodes, why = read.nodes(text)
  if not nodes then return nil, why end
  kept.site.sizes = site.sizes(nodes, kept.options.groups)
  kept.site.whole_nodes = site.whole_nodes(nodes)
  kept.lines, kept.nodes_text = {}, text
  return true
end

--- The texts of squeue and sinfo become the members of a state (and of sync's params), kept.jobs
-- and kept.strangers; nil, a reason. The same texts as before: "", since nothing changed.
function pass.look(kept, jobs_text, nodes_text)
  local same = jobs_text == kept.jobs_text and nodes_text == kept.nodes_text
  if same then return "" end
  local good, why = look_at_nodes(kept, nodes_text)
  if not good then return nil, why end
  kept.jobs_text = nil -- until all of it is understood, and may be taken for known
  local out, fault = truth.of(jobs_text, kept.lines, kept.site)
  if not out then return nil, fault end
  kept.lines, kept.jobs, kept.beside = out.lines, out.jobs, out.beside
  kept.strangers, kept.leaves, kept.unknown = out.strangers, out.leaves, out.unknown
  kept.jobs_text = jobs_text
  return out.body
end

--- The commands that a decision asks for, in order: ceilings that go down and up, then victims,
-- then releases. The second result has numbers for the status.
function pass.act(kept, decision, flights, accounts, now)
  local options = kept.options
  local list, later = {}, 0
  if accounts then
    local rows = site.associations(options.plan, accounts, kept.beside)
    local wanted = ceiling.by_decision(decision, options.plan, options.groups)
    list, later = ceiling.commands(rows, wanted, CEILINGS, kept.cluster)
  end
  local due = victim.due(flights, kept.jobs, kept, now, options)
  for _, command in ipairs(victim.commands(due, options)) do list[#list + 1] = command end
  local release, released
  if options.hold then release, released = victim.release(decision, kept.jobs) end
  list[#list + 1] = release
  return list, { ceilings_left = later, victims_left = due.left, signalled = #due.signal,
    requeued = #due.requeue, cancelled = #due.cancel, released = released }
end

--- The commands that put every ceiling to the plan's limits.
function pass.open(kept, accounts)
  local options = kept.options
  return (ceiling.commands(site.associations(options.plan, accounts),
    ceiling.open(options.plan, options.groups), math.maxinteger, kept.cluster))
end

return pass
