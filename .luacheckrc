-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
std = "lua54"
max_line_length = 100
codes = true

-- What a policy file finds in its sandbox.
local policy = {
  read_globals = {
    "policy", "fill", "pool", "loan", "order", "asc", "desc", "none", "part", "held", "log",
    "guard", "min_run_time", "max_preemptions", "spare_tagged",
    "relation", "higher", "preemptive_or_preemptable", "percent", "words",
    "max_job_preempt", "max_total_time_preempt", "no_preempt_interval", "no_preempt_run_time",
    "no_preempt_finish_time",
    "most_recent_task", "policy_default", "host_by_host", "preemption",
    string = { fields = { "ends", "glob", "split", "starts" } },
  },
}
files["policies"] = policy
files["examples"] = policy
files["spec"] = { std = "lua54+busted" }
