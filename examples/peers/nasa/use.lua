-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The decayed use of each consumer in percent of all, day by day, from what a simulation wrote
--- with --samples:
--
--     lua5.4 examples/peers/nasa/use.lua HALF_LIFE <samples.csv
--
-- A line is a policy, the day, and a number for each consumer, in the order of their names.

local DAY = 86400

--- A policy's run so far: of each consumer what it holds, and its use.
local function begin(at)
  return { at = at, first = at, next = at + DAY, held = {}, use = {}, days = {} }
end

--- Adds up to a time: use fades, and what is held in between fades from when it was held.
local function advance(run, at, half_life)
  local left = 0.5 ^ ((at - run.at) / half_life)
  for consumer, held in pairs(run.held) do
    run.use[consumer] = run.use[consumer] * left + held * (1 - left) * half_life / math.log(2)
  end
  run.at = at
end

local function take(run, at, consumer, held, half_life)
  while at >= run.next do
    advance(run, run.next, half_life)
    local day = {}
    for name, use in pairs(run.use) do day[name] = use end
    run.days[#run.days + 1], run.next = day, run.next + DAY
  end
  advance(run, at, half_life)
  run.held[consumer], run.use[consumer] = held, run.use[consumer] or 0
end

local function sorted(set)
  local out = {}
  for name in pairs(set) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function main(half_life)
  local runs, order = {}, {}
  for line in io.lines() do
    local policy, at, consumer, held = line:match "^([^,]+),(%d+),[^,]*,([^,]+),%d+,(%d+)"
    if policy then
      if not runs[policy] then
        runs[policy], order[#order + 1] = begin(tonumber(at)), policy
      end
      take(runs[policy], tonumber(at), consumer, tonumber(held), half_life)
    end
  end
  for _, policy in ipairs(order) do
    local run = runs[policy]
    local names = sorted(run.use)
    for day, use in ipairs(run.days) do
      local all, out = 0, { policy, tostring(day) }
      for _, name in ipairs(names) do all = all + (use[name] or 0) end
      for _, name in ipairs(names) do
        out[#out + 1] = ("%.1f"):format(100 * (use[name] or 0) / math.max(all, 1))
      end
      print(table.concat(out, " "))
    end
  end
end

main(assert(tonumber(arg[1]), "usage: lua5.4 use.lua HALF_LIFE <samples.csv"))
