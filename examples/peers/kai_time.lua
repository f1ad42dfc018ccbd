-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- NVIDIA KAI's time-based fair share: weights over quota, corrected by the use of the past.
--
-- A plan states how use fades (`half_life`: halfLifePeriod). `k` is kValue, in percent.
--
-- Source: kai-scheduler d5bc503 (2026-08), docs/time-based-fairshare; resource_division.

local ONE = 1000000

local function corrected(k)
  return function (share, sum_share, usage, sum_usage)
    local weight = share * ONE // math.max(sum_share, 1)
    local used = usage * ONE // math.max(sum_usage, 1)
    return math.max(0, weight + k * (weight - used) // 100)
  end
end

return policy {
  name = "kai_time",
  doc = "Quotas, then by weight: more for those that have used less than their weight.",
  attributes = {
    priority = { type = "integer", default = 100, doc = "the highest is served first" },
  },
  options = {
    k = { type = "integer", min = 0, max = 1000, default = 100, doc = "kValue, in percent" },
  },
  scale = false,
  quota = function (options)
    return {
      fill "deserved" { by = "owned", up_to = "owned" },
      fill "over_quota" { by = corrected(options.k), order = order { desc "priority" } },
      fill "weight" { by = "share", order = order { desc "priority" } },
    }
  end,
  round = "largest_remainder",
  inside = relation { higher "priority" },
}
