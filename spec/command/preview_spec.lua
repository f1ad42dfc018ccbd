-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The command at another time: `run --at`, and the preview of a switch.

local json = require "dkjson"
local shell = require "spec.support.house.shell"

local PLAN = [[
{
  "timezone": "Europe/Berlin",
  "consumers": [
    {"name": "day", "owned": 10, "grace": 60},
    {"name": "night", "owned": 10}
  ],
  "windows": [
    {"from": "08:00", "to": "18:00", "days": ["mon", "tue", "wed", "thu", "fri"],
     "consumers": {"/day": {"owned": 16}, "/night": {"owned": 4}}},
    {"from": "18:00", "to": "08:00", "consumers": {"/night": {"limit": 12}}}
  ]
}
]]
-- Monday, 07:00 in Berlin.
local STATE = [[
{"now": "2026-11-23T06:00:00Z", "consumers": {
  "/day": {"demand": 30, "allocated": 9}, "/night": {"demand": 30, "allocated": 10}}}
]]

describe("allot at another time", function ()
  local at

  setup(function ()
    at = shell.directory()
    shell.write(at .. "/plan.json", PLAN)
    shell.write(at .. "/plain.json", '{"consumers": [{"name": "day"}, {"name": "night"}]}')
    shell.write(at .. "/state.json", STATE)
    shell.allot = shell.lines("realpath " .. shell.allot)[1]
  end)

  teardown(function ()
    shell.remove(at)
  end)

  local function allot(line)
    return shell.run(("cd %s; %s %s"):format(at, shell.allot, line))
  end

  it("tells what the next switch takes from whom", function ()
    local status, out = allot "explain plan.json state.json --at next"
    assert.equal(0, status)
    assert.equal([[
at 2026-11-23T07:00:00Z, all else as at 2026-11-23T06:00:00Z:
window 1 (18:00 to 08:00, Europe/Berlin) ends
window 0 (08:00 to 18:00 mon tue wed thu fri, Europe/Berlin) begins
/night gives back 6 slots: 6 to /day; by 2026-11-23T07:00:00Z
/day gets 1 idle slot
in all 6 slots given back; 1 idle slot granted
]], out)
  end)

  -- Of three tasks of 4, 3 and 3 slots the two that began last go: 3 * 5400 + 3 * 4200.
  it("names the tasks that end, and the work that is lost", function ()
    shell.write(at .. "/tasks.json", [[
{"now": "2026-11-23T06:00:00Z", "slots": 20,
 "consumers": {"/day": {"demand": 30}, "/night": {"demand": 30}},
 "tasks": [
   {"id": "t1", "consumer": "/night", "slots": 4, "started": "2026-11-23T05:00:00Z"},
   {"id": "t2", "consumer": "/night", "slots": 3, "started": "2026-11-23T05:30:00Z"},
   {"id": "t3", "consumer": "/night", "slots": 3, "started": "2026-11-23T05:50:00Z"}]}
]])
    local _, out = allot "explain plan.json tasks.json --at next"
    assert.truthy(out:find("/night gives back 6 slots: 6 to /day; by 2026-11-23T07:00:00Z; "
      .. "tasks t3 t2, 28800 slot-seconds of work lost\n", 1, true), out)
    assert.truthy(out:find("in all 6 slots given back by 2 tasks, 28800 slot-seconds of work lost; "
      .. "10 idle slots granted\n", 1, true), out)
    _, out = allot "explain plan.json tasks.json --at next --format json"
    local preview = json.decode(out).preview
    assert.same({ 6, 2, 28800 }, { preview.slots, preview.tasks, preview.lost })
  end)

  -- t2 began 5400 s before, and goes first; what t1 and t3 lose is not known.
  it("says of which tasks the loss is not known", function ()
    shell.write(at .. "/tasks.json", [[
{"now": "2026-11-23T06:00:00Z", "slots": 20,
 "consumers": {"/day": {"demand": 30}, "/night": {"demand": 30}},
 "tasks": [
   {"id": "t1", "consumer": "/night", "slots": 3}, {"id": "t2", "consumer": "/night",
    "slots": 3, "started": "2026-11-23T05:30:00Z"},
   {"id": "t3", "consumer": "/night", "slots": 4, "started": null}]}
]])
    local told = "tasks t2 t3, 16200 slot-seconds of work lost, not counting 1 task without a start"
    local _, out = allot "explain plan.json tasks.json --at next"
    assert.truthy(out:find(told .. "\n", 1, true), out)
    assert.truthy(out:find("by 2 tasks, 16200 slot-seconds of work lost, not counting 1 task "
      .. "without a start; ", 1, true), out)
    _, out = allot "explain plan.json tasks.json --at next --format json"
    local answer = json.decode(out)
    assert.same({ 16200, 1 }, { answer.preview.lost, answer.preview.unknown })
    assert.same({ 16200, 1 }, { answer.reclaims[1].lost, answer.reclaims[1].unknown })
    _, out = allot "run plan.json tasks.json --at next"
    assert.truthy(out:find("of work lost: 16200, not counting 1 task without", 1, true))
    _, out = allot "explain plan.json tasks.json t3"
    assert.matches("^t3 runs on 4 slots of /night, the state does not tell since when", out)
  end)

  it("says so when nothing is taken", function ()
    local status, out = allot "explain plan.json state.json --at 1795415400"
    assert.equal(0, status)
    assert.equal([[
at 2026-11-23T06:30:00Z, all else as at 2026-11-23T06:00:00Z:
the same windows hold as now
/day gets 1 idle slot
nothing is given back; 1 idle slot granted
]], out)
  end)

  it("gives the same as a document", function ()
    local _, out =
      allot "explain plan.json state.json --at 2026-11-23T08:00:00+01:00 --format json"
    local answer = assert(json.decode(out))
    assert.equal("allot/decision/v1", answer.schema)
    assert.equal(1795417200, answer.now)
    assert.same({ 0 }, { table.unpack(answer.windows) })
    assert.same({
      from = 1795413600, at = 1795417200, begins = { 0 }, ends = { 1 },
      slots = 6, tasks = 0, lost = 0, unknown = 0, granted = 1,
    }, json.decode(json.encode(answer.preview)))
  end)

  it("decides and explains as if it were then", function ()
    local _, out = allot "run plan.json state.json --at next --format json"
    local run = json.decode(out)
    assert.equal(1795417200, run.now)
    assert.equal(6, run.reclaims[1].slots)
    local _, now = allot "explain plan.json state.json /day"
    assert.truthy(now:find "owns 10 slots")
    local _, later = allot "explain plan.json state.json /day --at next"
    assert.truthy(later:find "owns 16 slots")
  end)

  it("refuses other times", function ()
    local function says(line)
      local status, out, err = allot(line)
      assert.equal("", out)
      return status, (err:gsub("\n.*", ""))
    end
    local status, text = says "explain plan.json state.json --at 5"
    assert.equal(2, status)
    assert.equal("allot: error: --at 5 is before 2026-11-23T06:00:00Z, the time of the state"
      .. " [E-usage]", text)
    status, text = says "run plan.json state.json --at noon"
    assert.equal(2, status)
    assert.truthy(text:find('not "noon"', 1, true))
    status, text = says "explain plain.json state.json --at next"
    assert.equal(2, status)
    assert.equal("allot: error: no window of the plan begins or ends after 2026-11-23T06:00:00Z"
      .. " [E-at]", text)
    assert.equal(2, (says "explain plan.json state.json"))
  end)
end)
