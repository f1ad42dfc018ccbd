-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The words of the policy language; in the sandbox they are globals and `require "allot"`.

local order = require "allot.language.order"
local guard = require "allot.language.guard"
local part = require "allot.language.part"
local victims = require "allot.language.victims"
local relation = require "allot.language.relation"

return {
  policy = require "allot.language.policy",
  fill = require "allot.language.fill",
  pool = require "allot.language.pool",
  loan = require "allot.language.loan",
  order = order.order,
  desc = order.desc,
  asc = order.asc,
  none = require "allot.language.declare".none,
  part = part.part,
  held = part.held,
  percent = part.percent,
  words = require "allot.language.words".words,
  relation = relation.relation,
  higher = relation.higher,
  preemptive_or_preemptable = relation.preemptive_or_preemptable,
  property = require "allot.language.property".property,
  guard = guard.guard,
  min_run_time = guard.min_run_time,
  max_preemptions = guard.max_preemptions,
  spare_tagged = guard.spare_tagged,
  max_job_preempt = guard.max_job_preempt,
  max_total_time_preempt = guard.max_total_time_preempt,
  no_preempt_interval = guard.no_preempt_interval,
  no_preempt_run_time = guard.no_preempt_run_time,
  no_preempt_finish_time = guard.no_preempt_finish_time,
  most_recent_task = victims.most_recent_task,
  policy_default = victims.policy_default,
  host_by_host = victims.host_by_host,
  preemption = victims.preemption,
}
