-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queue pools: queues share the slots of their hosts, each a stated percentage of them.
--
-- A pool has the slots that its queues use and those that are free on its hosts. Its queues are
-- served in turn: who has used least for its share comes first, then who has the higher PRIORITY,
-- then who stands first in the file. Each gets its percentage of the pool, rounded up, as far as it
-- wants it and slots last. What is left then, since some queues want little, is divided in the same
-- way, until nothing is left or nobody wants more: so a share is a soft limit, and a queue that is
-- alone may have the whole pool.
--
-- Use is counted in slot-seconds and fades (`half_life` or `hist_hours` of the plan). Rounding up
-- favours who comes first, and since use decides who does, the shares come out right in the long
-- run.
--
-- Nobody is preempted inside a pool: who uses more than its slice gets nothing new until it uses
-- less. Queues outside of pools preempt each other as they say.

return policy {
  name = "queue_pool",
  doc = "Queues of a pool share its slots by percentages.",
  dispatch = order { desc "priority", "submitted" },
  slices = fill "slice" {
    order = order { "used_over_share", desc "priority" },
    up_to = percent "slot_share",
    again = true,
  },
  round = "ceil_in_order",
}
