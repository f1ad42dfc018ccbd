-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Capacity Scheduler of Hadoop YARN, with preemption. `owned` is a queue's capacity, `limit`
--- its maximum-capacity.
--
-- Beyond its capacity a queue keeps what it uses, as far as slots suffice, but takes nothing from
-- others.
--
-- Source: Hadoop 3.4, "Capacity Scheduler" guide; AbstractPreemptableResourceCalculator.

return policy {
  name = "yarn_capacity",
  doc = "Capacities first; then what is in use beyond them, and idle slots, by capacity.",
  attributes = {
    disable_preemption = { type = "boolean", default = false, doc = "nothing is taken from it" },
  },
  quota = {
    fill "capacity" { by = "owned", up_to = "owned" },
    fill "kept" { by = "owned", up_to = "allocated" },
    fill "kept_none" { by = 1, up_to = "allocated" },
    fill "idle" { by = "owned" },
    fill "none" { by = 1 },
  },
  round = "largest_remainder",
  takes = function (_, giver) return not giver.disable_preemption end,
  properties = { "work_conserving", "owners_first" },
}
