-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- HTCondor: groups with quotas and surplus. `owned` is GROUP_QUOTA; a group that does not accept
--- surplus has a `limit` of as many. Nothing is reclaimed, as by PREEMPTION_REQUIREMENTS = False.
--
-- Source: HTCondor 25 (7491a14, 2026-08), manual, "Configuration for Central Managers", group
-- quotas; GroupEntry.cpp.

local function quota(owned, dynamic, sum_owned, sum_dynamic, parent_slots)
  if dynamic == 0 then return owned end
  return math.max(0, parent_slots - sum_owned) * dynamic // math.max(sum_dynamic, 1000)
end

return policy {
  name = "condor",
  doc = "Quotas; then surplus in proportion to quotas; last, those without a quota.",
  attributes = {
    dynamic = {
      type = "integer", min = 0, max = 1000, default = 0,
      doc = "GROUP_QUOTA_DYNAMIC, in thousandths of what static quotas leave",
    },
  },
  scale = false,
  quota = {
    fill "quota" { by = quota, up_to = quota },
    fill "surplus" { by = quota },
    fill "none" { by = 1 },
  },
  round = "largest_remainder",
  reclaim = false,
}
