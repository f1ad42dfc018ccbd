-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's preempt/qos: queues are QOSes, and `preemptive` is a QOS's list Preempt, all of them
--- lower.
--
-- Source: Slurm 26.11 (284c3b9), preempt.html, qos.html and slurm.conf(5); preempt_qos.c and
-- cons_tres/job_test.c.

return policy {
  name = "slurm_qos",
  doc = "A QOS preempts those in its list: its lowest first, of these the smallest jobs.",
  options = {
    youngest_first = {
      type = "boolean", default = false, doc = "PreemptParameters=youngest_first",
    },
    exempt_time = { type = "integer", min = 0, default = 0, doc = "PreemptExemptTime, seconds" },
  },
  dispatch = order { desc "priority", "submitted" },
  preempts = relation { higher "priority", preemptive_or_preemptable },
  victims = function (options)
    return options.youngest_first and order { desc "started" }
      or order { "queue_priority", "slots", desc "started" }
  end,
  guards = function (options)
    return { guard "PreemptExemptTime" { value = "ran", min = options.exempt_time } }
  end,
  fewest = "mini_job",
}
