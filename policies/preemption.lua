-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Preemption: jobs of important queues suspend jobs of less important ones that are in their way.
--
-- In a queue the job of the highest priority goes first, then the one that was submitted first. A
-- job that finds no free slots may preempt: only jobs of a queue of lower PRIORITY, and only where
-- one of the two queues says so, by being preemptive or preemptable (P-7).
--
-- Whose jobs go? Where the preempting queue prefers some queues by number, those of the queue that
-- it prefers most; else, and among these, those on the least loaded host. Of equals the one of the
-- lower queue, then the one that was started last. With LEAST_RUN_TIME it is, queue by queue, what
-- has run least.
--
-- A job is spared that was preempted too often or suspended too long, has not run for an interval
-- yet, or has run so long, or is so near its end, that it is left alone: what those words mean is
-- stated of applications, queues and the whole plan (P-30 ... P-34).
--
-- The option `preempt_for` has the words of PREEMPT_FOR: how few jobs are preempted for one, and in
-- which limits suspended jobs no longer count. `preempt_jobtype` has those of PREEMPT_JOBTYPE:
-- which jobs may be preempted that else may not. Its word "affinity" is known and changes nothing,
-- as all slots of a host are alike here.

return policy {
  name = "preemption",
  doc = "Important jobs suspend less important ones.",
  options = {
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
