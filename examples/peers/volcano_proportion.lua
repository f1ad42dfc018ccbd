-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Volcano's plugin proportion. `share` is a queue's weight, `limit` its capability, `reserve` (and
--- `owned`) its guarantee.
--
-- Source: Volcano ed72c7c (2026-08), docs/design "queue-guarantee"; plugins/proportion.

local function real(group_slots, sum_reserve, reserve)
  return math.max(0, group_slots - sum_reserve) + reserve
end

return policy {
  name = "volcano_proportion",
  doc = "Slots by weight, none below its guarantee, none into others' guarantees.",
  attributes = {
    reclaimable = { type = "boolean", default = true, doc = "other queues may take from it" },
  },
  scale = false,
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "weight" { by = "share", up_to = real, level = true },
  },
  round = "largest_remainder",
  takes = function (_, giver) return giver.reclaimable end,
}
