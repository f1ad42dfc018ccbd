-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Whole numbers of any size: a Lua integer while it is small, else limbs of base 10^7.
-- Values are immutable. Slow and plain on purpose: the model is judged by eye.

local integer = {}

local BASE, DIGITS = 10000000, 7
local SMALL = 1 << 31 -- products and sums of two smaller ones fit 64 bits
local LARGEST = 1 << 62

local function is_small(a)
  return math.type(a) == "integer"
end

local function is_tiny(a)
  return is_small(a) and a > -SMALL and a < SMALL
end

--- The limbs of |a|, least first, and its sign.
local function limbs(a)
  if not is_small(a) then
    return a.limbs, a.sign
  end
  assert(a ~= math.mininteger, "integer: out of range")
  local out, rest = {}, math.abs(a)
  while rest > 0 do
    out[#out + 1] = rest % BASE
    rest = rest // BASE
  end
  return out, a < 0 and -1 or 1
end

--- Makes a value from limbs: without leading zeros, as a Lua integer where that is possible.
local function make(list, sign)
  while list[#list] == 0 do
    list[#list] = nil
  end
  if #list > 3 or #list == 3 and list[3] >= LARGEST // (BASE * BASE) then
    return { limbs = list, sign = sign }
  end
  return sign * (((list[3] or 0) * BASE + (list[2] or 0)) * BASE + (list[1] or 0))
end

local function compare_limbs(x, y)
  if #x ~= #y then
    return #x < #y and -1 or 1
  end
  for i = #x, 1, -1 do
    if x[i] ~= y[i] then
      return x[i] < y[i] and -1 or 1
    end
  end
  return 0
end

--- x + factor * y over limbs, for factor 1 or -1 (then x >= y).
local function combine(x, y, factor)
  local out, carry = {}, 0
  for i = 1, math.max(#x, #y) do
    local sum = (x[i] or 0) + factor * (y[i] or 0) + carry
    out[i] = sum % BASE
    carry = sum // BASE
  end
  if carry > 0 then
    out[#out + 1] = carry
  end
  return out
end

function integer.neg(a)
  if is_small(a) then
    return -a
  end
  return { limbs = a.limbs, sign = -a.sign }
end

function integer.add(a, b)
  if is_small(a) and is_small(b) and math.abs(a) < LARGEST and math.abs(b) < LARGEST then
    local sum = a + b
    if math.abs(sum) < LARGEST then
      return sum
    end
  end
  local x, sx = limbs(a)
  local y, sy = limbs(b)
  if sx == sy then
    return make(combine(x, y, 1), sx)
  elseif compare_limbs(x, y) >= 0 then
    return make(combine(x, y, -1), sx)
  end
  return make(combine(y, x, -1), sy)
end

function integer.sub(a, b)
  return integer.add(a, integer.neg(b))
end

function integer.mul(a, b)
  if is_tiny(a) and is_tiny(b) then
    return a * b
  end
  local x, sx = limbs(a)
  local y, sy = limbs(b)
  local out = {}
  for i = 1, #x + #y do
    out[i] = 0
  end
  for i = 1, #x do
    local carry = 0
    for j = 1, #y do
      local sum = out[i + j - 1] + x[i] * y[j] + carry
      out[i + j - 1] = sum % BASE
      carry = sum // BASE
    end
    out[i + #y] = carry
  end
  return make(out, sx * sy)
end

function integer.sign(a)
  if is_small(a) then
    return a > 0 and 1 or a < 0 and -1 or 0
  end
  return a.sign
end

function integer.compare(a, b)
  if is_small(a) and is_small(b) then
    return a < b and -1 or a > b and 1 or 0
  end
  return integer.sign(integer.sub(a, b))
end

--- The largest digit d with d * y <= x; both not negative.
local function digit(x, y)
  local low, high = 0, BASE - 1
  while low < high do
    local middle = (low + high + 1) // 2
    if integer.compare(integer.mul(middle, y), x) <= 0 then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

--- Quotient rounded down and remainder; b > 0.
function integer.divmod(a, b)
  assert(integer.sign(b) > 0, "integer: divisor must be positive")
  if is_small(a) and is_small(b) then
    return a // b, a % b
  end
  local x, sign = limbs(a)
  local out, rest = {}, 0
  for i = #x, 1, -1 do
    rest = integer.add(integer.mul(rest, BASE), x[i])
    out[i] = digit(rest, b)
    rest = integer.sub(rest, integer.mul(out[i], b))
  end
  local quotient = make(out, sign)
  if sign < 0 and integer.sign(rest) > 0 then
    return integer.sub(quotient, 1), integer.sub(b, rest)
  end
  return quotient, rest
end

function integer.gcd(a, b)
  a = integer.sign(a) < 0 and integer.neg(a) or a
  while integer.sign(b) ~= 0 do
    local _, rest = integer.divmod(a, b)
    a, b = b, rest
  end
  return a
end

function integer.text(a)
  if is_small(a) then
    return tostring(a)
  end
  local out = { a.sign < 0 and "-" or "", tostring(a.limbs[#a.limbs]) }
  for i = #a.limbs - 1, 1, -1 do
    out[#out + 1] = ("%0" .. DIGITS .. "d"):format(a.limbs[i])
  end
  return table.concat(out)
end

return integer
