-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Exact fractions of any size, with operators: `rational(1, 3) + 2 == rational(7, 3)`.
-- Immutable, always in lowest terms with a positive denominator.

local integer = require "spec.support.model.integer"

local rational = {}
local methods = {}
local meta = { __index = methods }

local function new(num, den)
  if integer.sign(den) < 0 then
    num, den = integer.neg(num), integer.neg(den)
  end
  local common = integer.gcd(num, den)
  if integer.compare(common, 1) ~= 0 then
    num, den = integer.divmod(num, common), integer.divmod(den, common)
  end
  return setmetatable({ num = num, den = den }, meta)
end

local function lift(value)
  if getmetatable(value) == meta then
    return value
  end
  assert(math.type(value) == "integer", "rational: integers only")
  return setmetatable({ num = value, den = 1 }, meta)
end

function meta.__add(a, b)
  a, b = lift(a), lift(b)
  local num = integer.add(integer.mul(a.num, b.den), integer.mul(b.num, a.den))
  return new(num, integer.mul(a.den, b.den))
end

function meta.__unm(a)
  return setmetatable({ num = integer.neg(a.num), den = a.den }, meta)
end

function meta.__sub(a, b)
  return lift(a) + -lift(b)
end

function meta.__mul(a, b)
  a, b = lift(a), lift(b)
  return new(integer.mul(a.num, b.num), integer.mul(a.den, b.den))
end

function meta.__div(a, b)
  a, b = lift(a), lift(b)
  assert(integer.sign(b.num) ~= 0, "rational: division by zero")
  return new(integer.mul(a.num, b.den), integer.mul(a.den, b.num))
end

function meta.__eq(a, b)
  return integer.compare(a.num, b.num) == 0 and integer.compare(a.den, b.den) == 0
end

function meta.__lt(a, b)
  a, b = lift(a), lift(b)
  return integer.compare(integer.mul(a.num, b.den), integer.mul(b.num, a.den)) < 0
end

function meta.__le(a, b)
  return lift(a) < b or lift(a) == lift(b)
end

--- "9" or "10/3", as decisions write it.
function meta.__tostring(a)
  if integer.compare(a.den, 1) == 0 then
    return integer.text(a.num)
  end
  return integer.text(a.num) .. "/" .. integer.text(a.den)
end

--- The largest whole number not above it, as a Lua integer.
function methods:floor()
  local whole = integer.divmod(self.num, self.den)
  assert(math.type(whole) == "integer", "rational: floor out of range")
  return whole
end

--- What floor leaves: 0 <= fraction < 1.
function methods:fraction()
  return self - self:floor()
end

function methods:is_zero()
  return integer.sign(self.num) == 0
end

function rational.min(a, b)
  a, b = lift(a), lift(b)
  return b < a and b or a
end

function rational.max(a, b)
  a, b = lift(a), lift(b)
  return a < b and b or a
end

return setmetatable(rational, {
  __call = function(_, num, den)
    return lift(num) / lift(den or 1)
  end,
})
