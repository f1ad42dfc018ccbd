-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Queue pools: queues share the slots of their hosts, each a stated percentage of them.
--
-- A pool has the slots that its queues use and the free slots of its hosts. Its queues come in
-- turn: first the queue that has used least for its share, then the queue of higher PRIORITY, then
-- the first in the file. Each gets its percentage of the pool, rounded up, as far as it wants slots
-- and slots last. Slots left over, since some queues want little, are divided in the same way,
-- until none is left or no queue wants more: so a share is a soft limit, and a queue that is alone
-- may have the whole pool.
--
-- Use is counted in slot-seconds and fades (`half_life` or `hist_hours` of the plan). Rounding up
-- favours the queue that comes first, and since use decides which queue does, the shares come out
-- right in the long run.
--
-- No job is preempted inside a pool: a queue that uses more than its slice gets nothing new until
-- it uses less. Queues outside of pools preempt each other as their keys state.

return policy {
  name = "queue_pool",
  doc = "Queues of a pool share its slots by percentages.",
  options = {
    backfill = {
      type = "string", values = { "first_fit", "none", "easy", "conservative" },
      default = "first_fit",
      doc = "which jobs may start before a job that waits for slots",
    },
  },
  dispatch = order { desc "priority", "submitted" },
  backfill = function (options) return options.backfill end,
  slices = fill "slice" {
    order = order { "used_over_share", desc "priority" },
    up_to = percent "slot_share",
    again = true,
  },
  round = "ceil_in_order",
}
