-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A seeded generator of random numbers (xorshift64*): the same on every machine and version.

local random = {}
random.__index = random

function random.new(seed)
  local self = setmetatable({ state = seed ~= 0 and seed or 0x9E3779B97F4A7C15 }, random)
  for _ = 1, 8 do
    self:bits()
  end
  return self
end

function random:bits()
  local x = self.state
  x = x ~ (x >> 12)
  x = x ~ (x << 25)
  x = x ~ (x >> 27)
  self.state = x
  return x * 0x2545F4914F6CDD1D
end

--- A whole number from low to high.
function random:int(low, high)
  if high <= low then
    return low
  end
  return low + ((self:bits() >> 1) % (high - low + 1))
end

--- True once in `n` times.
function random:once_in(n)
  return self:int(1, n) == 1
end

function random:pick(list)
  return list[self:int(1, #list)]
end

function random:shuffle(list)
  for i = #list, 2, -1 do
    local j = self:int(1, i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

return random
