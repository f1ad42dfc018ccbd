-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Amounts as Kubernetes writes them: 40, "8500m", 1.5, 2k, 1Ki, 1e3.

local MOST = 1000000000

local SCALES = { n = -9, u = -6, m = -3, [""] = 0, k = 3, M = 6, G = 9, T = 12, P = 15, E = 18 }
local BINARY = { Ki = 1, Mi = 2, Gi = 3, Ti = 4, Pi = 5, Ei = 6 }

--- Whole slots of a text, rounded down, and whether it was whole; nil, and why: it is none.
return function (text)
  local whole, part, unit = text:match "^%+?(%d*)%.?(%d*)([%a%d+-]*)$"
  if not whole or #whole + #part == 0 then return nil, "is no amount" end
  local exponent = unit:match "^[eE]([+-]?%d%d?)$"
  local scale = exponent and tonumber(exponent) or SCALES[unit]
  if not scale and not BINARY[unit] then return nil, "is no amount" end
  local digits = whole .. part
  digits = digits:gsub("^0+", "")
  if #digits > 15 then return nil, "has too many digits" end
  local number = math.tointeger(tonumber(digits == "" and "0" or digits))
  local power = (scale or 0) - #part
  for _ = 1, (BINARY[unit] or 0) * 10 do
    number = number * 2
    if number > MOST << 20 then return nil, "is above 1000000000 slots" end
  end
  for _ = 1, power do
    number = number * 10
    if number > MOST << 20 then return nil, "is above 1000000000 slots" end
  end
  local exact = true
  for _ = 1, -power do
    exact, number = exact and number % 10 == 0, number // 10
  end
  if number > MOST then return nil, "is above 1000000000 slots" end
  return number, exact
end
