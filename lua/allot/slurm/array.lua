-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The tasks of an array job that wait, as squeue writes them: "1,4-9:2%3".

local array = {}

--- { ranges = { { from, to, step } }, count =, throttle = nil }; nil where the text is no list.
function array.read(text)
  local list, throttle = text:match "^([%d,:%-]+)%%?(%d*)$"
  if not list then return nil end
  local ranges, count = {}, 0
  for word in list:gmatch "[^,]+" do
    local from, to, step = word:match "^(%d+)%-(%d+):?(%d*)$"
    from = from or word:match "^%d+$"
    if not from then return nil end
    from = math.tointeger(tonumber(from))
    to = math.tointeger(tonumber(to)) or from
    step = math.tointeger(tonumber(step)) or 1
    if step < 1 or to < from then return nil end
    ranges[#ranges + 1] = { from, to, step }
    count = count + (to - from) // step + 1
  end
  return { ranges = ranges, count = count, throttle = math.tointeger(tonumber(throttle)) }
end

--- The first `most` numbers.
function array.first(waiting, most)
  local numbers = {}
  for _, range in ipairs(waiting.ranges) do
    for number = range[1], range[2], range[3] do
      if #numbers >= most then return numbers end
      numbers[#numbers + 1] = number
    end
  end
  return numbers
end

return array
