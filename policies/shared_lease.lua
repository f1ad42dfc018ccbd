-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Shared lease: two clusters take turns in using the same slots.
--
-- A provider exports slots to a consumer. At first the consumer has one of them; as soon as it runs
-- something there, the lease is made. From then on both sides are compared after every
-- `reclaim_delay`: the side that has more idle slots gives all of them to the other; if both have
-- as many, nothing moves. Slots in use stay where they are: no job is touched.
--
-- After each change the lease is inactive for a cycle, in which nothing starts there. A cycle
-- decides about each lease separately. If both sides are idle, slots go to and fro and each side
-- has its turn; a lease with a `damper` moves none to a side where nothing waits.

return policy {
  name = "shared_lease",
  doc = "Idle slots of a lease go to the side that has fewer.",
  options = {
    backfill = {
      type = "string", values = { "first_fit", "none", "easy", "conservative" },
      default = "first_fit",
      doc = "which jobs may start before a job that waits for slots",
    },
  },
  backfill = function (options) return options.backfill end,
  lease = function (provider, consumer)
    if consumer.idle > provider.idle then return "provider" end
    if provider.idle > consumer.idle then return "consumer" end
  end,
}
