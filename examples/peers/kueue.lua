-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Kueue: ClusterQueues in cohorts, with fair sharing. `owned` is nominalQuota, a cohort's with
--- what its queues have; `limit` that and borrowingLimit; `share` is fairSharing.weight.
--
-- Source: Kueue 0.17 (ff69552, 2026-08), concepts "Cluster Queue", "Cohort" and "Preemption".

return policy {
  name = "kueue",
  doc = "Nominal quotas; then slots are borrowed in proportion to weights.",
  attributes = {
    lending_limit = { type = "integer", min = 0, default = none, doc = "most slots lent" },
    reclaims = { type = "boolean", default = true, doc = "reclaimWithinCohort: Any, not Never" },
    lower = { type = "boolean", default = false, doc = "reclaimWithinCohort: LowerPriority" },
    priority = { type = "integer", default = 0, doc = "of its workloads that wait" },
  },
  task_attributes = { class = { type = "integer", default = 0, doc = "its priority" } },
  scale = false,
  reserve = function (owned, lending_limit) return math.max(owned - lending_limit, 0) end,
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "nominal" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "share" },
  },
  round = "largest_remainder",
  damping = { hold_rounding = true },
  takes = function (claimant) return claimant.reclaims end,
  guards = {
    guard "LowerPriority" (function (class, claimant)
      return not claimant.lower or class < claimant.priority
    end),
  },
}
