-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Preemption: jobs of important queues suspend jobs of less important ones that are in their way.
--
-- In a queue the job of the highest priority goes first, then the job that was submitted first. A
-- job that finds no free slots may preempt: only jobs of a queue of lower PRIORITY, and only if its
-- queue is preemptive or theirs is preemptable (P-7).
--
-- If the preempting queue prefers some queues by number, jobs of the queue that it prefers most go
-- first; then jobs on the least loaded host, then jobs of the lower queue, then the job that was
-- started last. With LEAST_RUN_TIME the job that has run least goes first, queue by queue.
--
-- Five parameters of applications, queues and the whole plan protect a job (P-30 ... P-34): a job
-- that was preempted too often or suspended too long, that has not run for an interval yet, that
-- has run so long, or that is so near its end.
--
-- The option `preempt_for` has the words of PREEMPT_FOR: how few jobs are preempted for one, and in
-- which limits suspended jobs no longer count. `preempt_jobtype` has the words of PREEMPT_JOBTYPE:
-- types of jobs that may be preempted although they are special. Its word "affinity" is accepted
-- and has no effect, since all slots of a host are alike here.

return policy {
  name = "preemption",
  doc = "Important jobs suspend less important ones.",
  options = {
    backfill = {
      type = "string", values = { "first_fit", "none", "easy", "conservative" },
      default = "first_fit",
      doc = "which jobs may start before a job that waits for slots",
    },
    preempt_for = words {
      "group_jlp", "group_max", "host_jlu", "user_jlp",
      "least_run_time", "mini_job", "optimal_mini_job",
      doc = "what to preempt for: which limits suspended jobs leave, which victims are chosen",
    },
    preempt_jobtype = words {
      "exclusive", "backfill", "affinity",
      doc = "jobs that may be preempted, and preempt, though they are special",
    },
  },
  dispatch = order { desc "priority", "submitted" },
  backfill = function (options) return options.backfill end,
  preempts = relation { higher "priority", preemptive_or_preemptable },
  victims = function (options)
    if options.preempt_for.least_run_time then
      return order { desc "preference", "queue_priority", "ran", desc "started" }
    end
    return order { "queue_order", "load", "host", "queue_priority", desc "started" }
  end,
  guards = {
    max_job_preempt, max_total_time_preempt,
    no_preempt_interval, no_preempt_run_time, no_preempt_finish_time,
  },
  fewest = function (options)
    return options.preempt_for.optimal_mini_job and "optimal_mini_job"
      or options.preempt_for.mini_job and "mini_job"
      or "no"
  end,
  lift = function (options)
    local said = options.preempt_for
    return {
      group_jlp = said.group_jlp,
      group_max = said.group_max,
      host_jlu = said.host_jlu,
      user_jlp = said.user_jlp,
    }
  end,
  job_types = function (options)
    local said = options.preempt_jobtype
    return { exclusive = said.exclusive, backfill = said.backfill }
  end,
}
