-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: of two queues each preempts the other, so that jobs take turns without end.

return policy {
  name = "each_other",
  preempts = relation { function (high, low) return high.name ~= low.name end },
  guards = {},
}
