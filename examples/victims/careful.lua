-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid that takes the tasks that lose least: work since the last checkpoint. It lets be what has
--- just begun, what was reclaimed often before, and what somebody sits in front of.

return policy {
  name = "careful",
  like = "hybrid",
  task_attributes = {
    unsaved = { type = "integer", default = 1000000000, doc = "seconds since its checkpoint" },
  },
  victims = order {
    "importance",
    function (unsaved, ran, slots) return math.min(unsaved, ran) * slots end,
  },
  guards = { min_run_time(120), max_preemptions(3), spare_tagged "interactive" },
}
