-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Hybrid that takes the tasks that lose the least work since their last checkpoint. It protects
--- tasks that have just begun, were reclaimed often, or are interactive.

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
