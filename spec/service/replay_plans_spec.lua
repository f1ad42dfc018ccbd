-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot replay` of a store that knows several plans: each cycle is computed again under its own.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local function plan(slots, policy, names)
  local list = {}
  for i, name in ipairs(names) do
    list[i] = ('{"name": "%s", "owned": %d, "grace": 60}'):format(name, 10 * i)
  end
  return ('{"version": 1, "slots": %d, "policy": "%s", "consumers": [%s]}\n'):format(slots, policy,
    table.concat(list, ", "))
end

local EVEN = [[return policy { name = "even", quota = { fill "even" { by = 1 } } }
]]
local OWNED = [[return policy { name = "owned", quota = {
  fill "owned" { by = "owned", up_to = "owned" }, fill "rest" { by = "owned" } } }
]]

-- Reclaims are in flight, a task runs, and demand is told between a change and its first cycle:
-- under four plans, of which consumers come and go, and one comes back; the last while nothing ran.
local EVENTS = [[
start --debounce 1 --interval 1 --no-watch || exit 1
want() { call demand "{\"consumer\": \"/$1\", \"slots\": $2}" > /dev/null || exit 2; }
decide() { call cycle > /dev/null || exit 3; }
change() { cp "$DIR/$1" "$PLAN" && call reload | grep -q '"swapped"' || exit 4; }
want b 30; decide; want a 25; decide
call start '{"id": "t1", "consumer": "/b"}' > /dev/null || exit 5
change second.json; want c 7; decide; want a 1; decide
change third.json; want a 30; decide
change second.json; want c 12; decide
kill -9 $SERVICE; wait $SERVICE
cp "$DIR/first.json" "$PLAN"; sed -i 's/"slots": 30/"slots": 33/' "$PLAN"
want_none() { call demand '{"consumer": "/c", "slots": 0}' > /dev/null 2>&1; }
start --debounce 1 --no-watch || exit 6
want_none; want a 33; decide; want b 0; decide
stop
]]

describe("replay across plans", function ()
  local folder, skipped

  setup(function ()
    folder = shell.directory()
    shell.write(folder .. "/even.lua", EVEN)
    shell.write(folder .. "/owned.lua", OWNED)
    shell.write(folder .. "/first.json", plan(30, "owned.lua", { "a", "b" }))
    shell.write(folder .. "/second.json", plan(60, "even.lua", { "a", "b", "c" }))
    shell.write(folder .. "/third.json", plan(60, "hybrid", { "a", "b", "c" }))
    skipped = not service.is_allowed()
    if not skipped then
      local status, out, err = service.run(folder, plan(30, "owned.lua", { "a", "b" }), EVENTS)
      assert(status == 0, status .. err .. out .. shell.read(folder .. "/log"))
    end
  end)

  teardown(function () shell.remove(folder) end)

  local it_runs = service.it_ran(function () return not skipped end)

  local function replay(...)
    local status, out, err = shell.command("replay", folder .. "/plan.json.db", "--plan",
      folder .. "/plan.json", ...)
    return status, out, err
  end

  local function ask(sql)
    return shell.lines(([[python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' %s/plan.json.db %s]])
      :format(folder, shell.quote(sql)))
  end

  it_runs("comes out byte by byte through every change", function ()
    local status, out, err = replay()
    assert.equal(0, status, err .. out)
    local cycles = tonumber(ask("SELECT count(*) FROM cycles")[1])
    assert.equal(cycles, tonumber(out:match("^(%d+) cycles")), out)
    -- It was no easy case: four plans, one of them twice, and changes with reclaims in flight.
    assert.equal("4", ask("SELECT count(DISTINCT plan) FROM cycles")[1])
    local changes = ask([[SELECT count(*) FROM cycles x JOIN cycles y ON y.cycle = x.cycle + 1
      WHERE x.plan != y.plan]])
    assert.equal("4", changes[1])
    assert.is_true(tonumber(ask([[SELECT count(*) FROM snapshots
      WHERE body LIKE '%keep_flight%']])[1]) > 0)
  end)

  it_runs("begins in the middle, at a snapshot of any of them", function ()
    local last = tonumber(ask("SELECT max(seq) FROM cycles")[1])
    for from = 1, last do
      local status, out, err = replay("--from", tostring(from), "--to", tostring(from))
      assert.equal(0, status, err .. out)
    end
  end)

  it_runs("sets another policy beside each plan's own", function ()
    local status, out, err = replay("--policy", "hybrid", "--format", "json")
    assert.equal(1, status, err)
    local told = assert(dkjson.decode(out), out)
    assert.is_true(#told.plans >= 5, out)
    for _, each in ipairs(told.plans) do assert.truthy(each.summary) end
  end)

  it_runs("has the policies, too", function ()
    local hidden = folder .. "/hidden"
    os.rename(folder .. "/even.lua", hidden)
    local status, out, err = replay()
    os.rename(hidden, folder .. "/even.lua")
    assert.equal(0, status, out .. err)
  end)

  it_runs("of a store that has none says which file is gone, or is another", function ()
    local hidden = folder .. "/hidden"
    local store = service.altered(folder, "DELETE FROM policies")
    local function again(...)
      return shell.command("replay", store, "--plan", folder .. "/plan.json", ...)
    end
    os.rename(folder .. "/even.lua", hidden)
    local status, out, err = again()
    os.rename(hidden, folder .. "/even.lua")
    assert.equal(5, status, out .. err)
    assert.equal("", out)
    assert.truthy(err:find("cannot read the policy", 1, true), err)
    assert.truthy(err:find("even.lua", 1, true), err)
    -- From the first plan that names it; those before it can still be computed.
    local first = tonumber(ask([[SELECT min(seq) FROM cycles WHERE plan !=
      (SELECT plan FROM cycles ORDER BY cycle LIMIT 1)]])[1])
    os.rename(folder .. "/even.lua", hidden)
    status, out, err = again("--to", tostring(first - 1))
    os.rename(hidden, folder .. "/even.lua")
    assert.equal(0, status, out .. err)
    shell.write(folder .. "/even.lua", (EVEN:gsub("by = 1", "by = \"owned\"")))
    status, out = again()
    shell.write(folder .. "/even.lua", EVEN)
    assert.equal(1, status)
    assert.truthy(out:find("policy differs: the policy is not the one that decided then", 1, true),
                  out)
  end)
end)
