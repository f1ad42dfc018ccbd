-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- NVIDIA KAI and Run:ai: deserved quotas, then shares over quota. `owned` is a queue's quota,
--- `share` its over-quota weight.
--
-- Source: kai-scheduler d5bc503 (2026-08), docs/fairness and docs/queues; resource_division.

return policy {
  name = "kai",
  doc = "Deserved quotas, whatever the priority; the rest by priority, then by weight.",
  attributes = {
    priority = { type = "integer", default = 100, doc = "the highest is served first" },
  },
  scale = false,
  quota = {
    fill "deserved" { by = "owned", up_to = "owned" },
    fill "over_quota" { by = "share", order = order { desc "priority" } },
  },
  round = "largest_remainder",
  inside = relation { higher "priority" },
}
