-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: it breaks a property of its own.

return policy {
  name = "greedy",
  quota = { fill "all" { by = "demand" } },
  properties = {
    property "nobody gets more than half of the slots" (function (case)
      local slots = case.decision.groups[case.group].slots
      for path, row in pairs(case.rows) do
        if 2 * row.quota > slots then
          return false, path .. " gets " .. row.quota .. " of " .. slots
        end
      end
      return true
    end),
  },
}
