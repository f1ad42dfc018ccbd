-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Slurm's Fair Tree: the account of the highest fair-share factor, shares over use, is served
--- first, and in it the user of the highest one.
--
-- A plan states how use fades (`half_life`: PriorityDecayHalfLife).
--
-- Source: Slurm 26.11 (284c3b9), fair_tree.html and priority_multifactor.html; fair_tree.c.

--- Who has no share comes last, whatever the use.
local function level(used_over_share, share) return share > 0 and used_over_share or 1 << 62 end

return policy {
  name = "slurm_fair_tree",
  doc = "Accounts and their users one after another, by use over shares, the least first.",
  quota = {
    fill "ranked" { by = 1, order = order { level } },
  },
  round = "largest_remainder",
  reclaim = false,
}
