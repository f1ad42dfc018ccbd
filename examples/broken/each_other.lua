-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: each of two queues preempts the other, so jobs take turns without end.

return policy {
  name = "each_other",
  preempts = relation { function (high, low) return high.name ~= low.name end },
  guards = {},
}
