-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Random numbers, the same on every machine: draw(n) is 0 ... n - 1.

local draw = {}

--- The generator of Knuth's MMIX.
function draw.linear(seed)
  return function (below)
    seed = seed * 6364136223846793005 + 1442695040888963407
    return (seed >> 33) % below
  end
end

--- splitmix64.
function draw.split(seed)
  return function (below)
    seed = seed + 0x9e3779b97f4a7c15
    local z = (seed ~ (seed >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    z = z ~ (z >> 31)
    return ((z >> 1) % below * 2 + (z & 1)) % below
  end
end

return draw
