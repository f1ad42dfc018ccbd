-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Who has used less for its share gets more, so that use evens out.

local function owed(share, used_over_share)
  return 1000000000 * share // (1000000 + used_over_share)
end

return policy {
  name = "even",
  doc = "Slots by share, and less of them where more was used before.",
  quota = { fill "owed" { by = owed } },
}
