-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Broken: a function calls itself, for some numbers without end.

local function collatz(n)
  if n == 1 then return 0 end
  return 1 + collatz(n % 2 == 0 and n // 2 or 3 * n + 1)
end

return policy {
  name = "recursion",
  quota = { fill "steps" { by = function (demand) return collatz(demand) end } },
}
