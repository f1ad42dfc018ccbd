-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- HTCondor: groups with quotas and surplus. `owned` is GROUP_QUOTA; a group that does not accept
--- surplus has a `limit` of as many.
--
-- Source: HTCondor 25 (7491a14, 2026-08), manual, "Configuration for Central Managers", group
-- quotas; GroupEntry.cpp.

return policy {
  name = "condor",
  doc = "Quotas; then surplus in proportion to quotas; last, those without a quota.",
  scale = false,
  quota = {
    fill "quota" { by = "owned", up_to = "owned" },
    fill "surplus" { by = "owned" },
    fill "none" { by = 1 },
  },
  round = "largest_remainder",
}
