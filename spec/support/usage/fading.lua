-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Use over time (C-14) in floating point, near what the core counts exactly.

local fading = {}

--- What one second leaves, by a plan's keys.
function fading.pace(keys)
  if keys.half_life then return keys.half_life > 0 and 2 ^ (-1 / keys.half_life) or 1 end
  return keys.hist_hours > 0 and 10 ^ (-1 / (keys.hist_hours * 3600)) or 1
end

--- The use after `seconds` in which `slots` are used; `r` is what one second leaves.
function fading.later(before, slots, seconds, r)
  if r == 1 then return before + slots * seconds end
  local left = r ^ seconds
  return before * left + slots * (1 - left) / (1 - r)
end

return fading
