-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- examples/peers: under policies that go by the use of the past, use comes to what they aim at.

local shell = require "spec.support.house.shell"

local HALF_LIFE = 14400

--- Three consumers that always want all 24 slots, /p2 two hours later, for three days.
local function simulate(name, factor)
  local folder = shell.directory()
  shell.write(folder .. "/plan.json", ([[{
    "version": 1, "slots": 24, "policy": "hybrid", "half_life": %d,
    "consumers": [{"name": "p1", "share": 3%s}, {"name": "p2", "share": 2}, {"name": "p3"}]
  }]]):format(HALF_LIFE, factor and ', "factor": ' .. factor or ""))
  local lines = {}
  for at = 0, 3 * 86400, 600 do
    for i = 1, 36 do
      local late = at < 7200 and i % 3 == 1
      lines[#lines + 1] = ('{"at": %d, "event": "submit", "id": "j%d", "consumer": "/p%d", '
        .. '"slots": 2, "run": %d}'):format(at, #lines, late and 1 or i % 3 + 1, 400 + i * 97 % 400)
    end
  end
  shell.write(folder .. "/log.jsonl", table.concat(lines, "\n") .. "\n")
  local line = "%s simulate %s/plan.json %s/log.jsonl --policy examples/peers/%s.lua "
    .. "--samples %s/samples.csv >%s/out && lua5.4 examples/peers/nasa/use.lua %d <%s/samples.csv"
  local days = shell.lines(line:format(shell.allot, folder, folder, name, folder, folder,
    HALF_LIFE, folder))
  shell.remove(folder)
  return days
end

local function comes_to(name, wanted, factor)
  local days, numbers = simulate(name, factor), {}
  assert.is_true(#days >= 3)
  for number in days[3]:gmatch " (%d+%.%d)" do numbers[#numbers + 1] = tonumber(number) end
  for i, percent in ipairs(wanted) do
    assert(math.abs(numbers[i] - percent) < 1.5, name .. ": " .. days[3])
  end
end

describe("use of the past", function ()
  local SHARES, EQUAL = { 50, 100 / 3, 100 / 6 }, { 100 / 3, 100 / 3, 100 / 3 }

  it("comes to weights under kai_time", function () comes_to("kai_time", SHARES) end)

  it("comes to shares under slurm_fair_tree", function () comes_to("slurm_fair_tree", SHARES) end)

  it("comes to equal parts under condor_users", function () comes_to("condor_users", EQUAL) end)

  it("comes to the root of factors under condor_users", function ()
    comes_to("condor_users", { 20, 40, 40 }, 4000)
  end)
end)
