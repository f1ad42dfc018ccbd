-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot replay`: what a service recorded comes out again, byte by byte, or the first that does
-- not is told; and what another policy would have decided.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 30, "policy": "fair.lua", "consumers": [
  {"name": "a", "owned": 20, "grace": 60}, {"name": "b", "owned": 10}, {"name": "c"}]}]]

local POLICY = [[
return policy {
  name = "fair",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" { by = "owned" },
    fill "spare" { by = 1 },
  },
}
]]

-- What is owned comes last.
local OTHER = [[
return policy { name = "even", quota = { fill "even" { by = 1 } } }
]]

-- What its hosts have is more than it is said to have: each decision warns of it.
local JOBS = [[{"version": 1, "policy": "preemption",
  "hosts": {"h1": {"slots": 4}, "h3": {"slots": 2}}, "queues": [{"name": "low", "priority": 1}]}]]

-- Several cycles: each event waits for its own.
local EVENTS = [[
start --debounce 1 || exit 1
for it in '"/b", "slots": 30' '"/a", "slots": 25' '"/c", "slots": 4' '"/b", "slots": 2'; do
  call demand "{\"consumer\": $it}" > /dev/null || exit 2
  call cycle > /dev/null || exit 3
done
call start '{"id": "t1", "consumer": "/b"}' > /dev/null || exit 4
call cycle > /dev/null
]]

describe("replay", function ()
  local folder, skipped

  setup(function ()
    folder = shell.directory()
    shell.write(folder .. "/fair.lua", POLICY)
    shell.write(folder .. "/even.lua", OTHER)
    skipped = not service.is_allowed()
    if not skipped then
      -- While it runs, and after it was killed, a store can be replayed.
      local status, out, err = service.run(folder, PLAN, EVENTS .. [[
        "$ALLOT" replay "$STORE" > "$DIR/running" || exit 5
        kill -9 $SERVICE; wait $SERVICE; "$ALLOT" replay "$STORE" > "$DIR/killed"]])
      assert(status == 0, err .. out)
    end
  end)

  teardown(function ()
    shell.remove(folder)
  end)

  local it_runs = service.it_ran(function () return not skipped end)

  --- Replays a copy of the store after some SQL.
  local function replay(sql, ...)
    return shell.command("replay", service.altered(folder, sql), "--plan", folder .. "/plan.json",
                         ...)
  end

  it_runs("finds everything as it was, also beside the service", function ()
    for _, name in ipairs { "running", "killed" } do
      local text = shell.read(folder .. "/" .. name)
      local cycles, last = text:match("^(%d+) cycles with decisions 1 to (%d+) came out as "
        .. "recorded, byte by byte\n$")
      assert.truthy(cycles, text)
      assert.is_true(tonumber(cycles) >= 5 and tonumber(last) >= 3, text)
    end
    local status, out, err = replay("", "--format", "json")
    assert.equal(0, status, err)
    local told = dkjson.decode(out)
    assert.equal("allot/replay/v1", told.schema)
    assert.is_true(told.same)
    assert.is_nil(told.difference)
  end)

  it_runs("finds what is warned of in every decision", function ()
    local there = shell.directory()
    local status, out, err = service.run(there, JOBS, [[
      start --interval 0 --no-watch || exit 1
      call host_gone '{"name": "h3"}' > /dev/null && call slots '{"slots": 2}' > /dev/null &&
        call host '{"name": "h3", "slots": 5}' > /dev/null && call cycle > /dev/null || exit 2
      call submit '{"id": "j1", "queue": "low"}' > /dev/null && call cycle > /dev/null || exit 3
      call submit '{"id": "j2", "queue": "low"}' > /dev/null && call cycle > /dev/null || exit 4
      call decisions '{"from": 1}' > "$DIR/told"
      "$ALLOT" replay "$STORE" && stop]])
    local told = shell.exists(there .. "/told") and shell.read(there .. "/told") or ""
    shell.remove(there)
    assert.equal(0, status, err .. out)
    assert.equal(2, select(2, told:gsub('"code": "W%-slots"', "")), told)
    assert.truthy(out:find("decisions 1 to 2 came out as recorded", 1, true), out)
  end)

  it_runs("tells decisions from one number to another", function ()
    local status, out = replay("", "--from", "2", "--to", "3")
    assert.equal(0, status)
    assert.truthy(out:find("decisions 2 to 3 came out", 1, true), out)
    local _, err
    status, _, err = replay("", "--from", "1000")
    assert.equal(3, status)
    assert.truthy(err:find("nothing was computed again [E-nothing]", 1, true), err)
    status, _, err = replay("", "--from", "x")
    assert.equal(2, status)
    assert.truthy(err:find('--from is the number of a decision, not "x"', 1, true), err)
  end)

  it_runs("tells the first that differs, and in what", function ()
    local cases = {
      { "UPDATE cycles SET decision = replace(decision, 'slots', 'slats') WHERE seq = 2",
        "decision", "the decision is another" },
      { "UPDATE cycles SET input = input + 1 WHERE seq = 2", "input", "another state" },
      { "UPDATE cycles SET output = output + 1 WHERE seq = 2", "quotas", "quotas are others" },
      { "UPDATE events SET params = replace(params, '/a', '/z')", "event", "refuse" },
      { "DELETE FROM plans", "plan", "no such plan" },
    }
    for _, case in ipairs(cases) do
      local status, out, err = replay(case[1])
      assert.equal(1, status, case[2] .. ": " .. err .. out)
      assert.truthy(out:find(case[2] .. " differs: ", 1, true), out)
      assert.truthy(out:find(case[3], 1, true), out)
      status, out = replay(case[1], "--format", "json")
      assert.equal(1, status)
      local told = assert(dkjson.decode(out), out)
      assert.equal(case[2], told.difference.what)
      assert.is_false(told.same)
    end
  end)

  it_runs("takes policies as they were", function ()
    shell.write(folder .. "/fair.lua", (OTHER:gsub("even", "fair")))
    local status, out = replay ""
    shell.write(folder .. "/fair.lua", POLICY)
    assert.equal(0, status, out)
  end)

  it_runs("notices that a policy is another, where the store has none", function ()
    local lost = "DELETE FROM policies"
    shell.write(folder .. "/fair.lua", POLICY:gsub("by = 1", "by = 2"))
    local status, out = replay(lost)
    assert.equal(0, status, out) -- nobody shares what is spare: it decides the same
    shell.write(folder .. "/fair.lua", (OTHER:gsub("even", "fair")))
    status, out = replay(lost)
    shell.write(folder .. "/fair.lua", POLICY)
    assert.equal(1, status)
    assert.truthy(out:find("policy differs: the policy is not the one that decided then", 1, true),
                  out)
  end)

  it_runs("tells what another policy would have decided", function ()
    local status, out, err = replay("", "--policy", folder .. "/even.lua")
    assert.equal(1, status, err)
    assert.truthy(out:find("policy fair\n", 1, true), out)
    assert.truthy(out:find("even.lua in place of its own\n", 1, true), out)
    assert.truthy(out:find("/a: in %d states?, at worst %-%d+ in cycle %d+"), out)
    status, out = replay("", "--policy", folder .. "/fair.lua")
    assert.equal(0, status)
    assert.truthy(out:find("0 differ", 1, true), out)
    status, out = replay("", "--policy", folder .. "/even.lua", "--format", "json")
    assert.equal(1, status)
    local told = assert(dkjson.decode(out), out)
    assert.equal(1, #told.plans)
    assert.is_true(told.plans[1].summary.differ > 0)
    assert.is_false(told.same)
  end)

  it_runs("refuses what is no store", function ()
    local status, _, err = shell.command("replay", folder .. "/nothing.db")
    assert.equal(5, status, err)
    status, _, err = shell.command("replay", folder .. "/plan.json")
    assert.equal(5, status, err)
    status, _, err = replay("", "--policy", folder .. "/gone.lua")
    assert.equal(5, status)
    assert.truthy(err:find("cannot read the policy", 1, true), err)
    status, _, err = replay("", "--policy", "hybrid", "--policy", "ownership")
    assert.equal(2, status)
    assert.truthy(err:find("replay takes one --policy", 1, true), err)
  end)
end)
