-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Volcano's plugin capacity. `owned` is what a queue deserves, `reserve` its guarantee, `limit`
--- its capability.
--
-- Source: Volcano ed72c7c (2026-08), docs/design "capacity-scheduling" and "hierarchical-queue";
-- plugins/capacity.

local function undeserving(owned) return owned == 0 and 1 or 0 end

return policy {
  name = "volcano_capacity",
  doc = "What is deserved, then what is in use, those furthest above it giving first.",
  attributes = {
    reclaimable = { type = "boolean", default = true, doc = "other queues may take from it" },
  },
  scale = false,
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "deserved" { by = "owned", up_to = "owned" },
    fill "kept" { by = "owned", up_to = "allocated", level = true },
    fill "kept_none" { by = 1, up_to = "allocated", level = true },
    fill "none" { by = undeserving, level = true },
    fill "idle" { by = "owned", level = true },
  },
  round = "largest_remainder",
  takes = function (_, giver) return giver.reclaimable end,
}
