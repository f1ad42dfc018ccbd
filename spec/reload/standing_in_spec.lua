-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What decided before stands in: for files that may not take over when a service starts, and for a
-- policy by which cycles fail; and a record goes on through all of it.

local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "fair.lua",
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 4}]}
]]
local FAIR = 'return policy { name = "%s", quota = { fill "all" { by = "share" } } }\n'
-- Valid, and it breaks its word in every case.
local FALSE = [[return policy { name = "false", quota = { fill "all" { by = "share" } },
  properties = { property "it never holds" (function () return false end) } }
]]
-- Nothing is wrong with it until somebody demands 77.
local FRAGILE = [[return policy { name = "fragile", quota = { fill "all" {
  by = function (demand) return 100 // (demand == 77 and 0 or 1) end } } }
]]

describe("what decided before", function ()
  local world = live.world()
  local folder, it_runs

  local function write(name, text) shell.write(folder .. "/" .. name, text) end
  local function start(words) it_runs = world.start("--store store.db " .. (words or "")) end

  local function demand(a)
    assert(it_runs:call("demand", { consumer = "/a", slots = a }))
  end

  --- A cycle more, by that policy.
  local function decides(policy, a)
    local before = it_runs:status().cycle
    demand(a)
    local told, fault = it_runs:call "cycle"
    assert(told, fault and fault.message)
    local status = it_runs:status()
    assert.equal(policy, status.plan.policy)
    assert.is_true(status.cycle > before)
    return status
  end

  local function command(...)
    return shell.run(("%s %s --socket %s/sock"):format(shell.allot, table.concat({ ... }, " "),
      folder))
  end

  --- It is said everywhere that something stands in, and why.
  local function is_told(port, why, said)
    local status = it_runs:status()
    assert.is_false(status.healthy)
    assert.truthy(status.ails:find("an earlier plan or policy decides", 1, true), status.ails)
    assert.truthy(status.ails:find(why, 1, true), status.ails)
    assert.is_true(status.reload.stands_in)
    assert.is_number(status.reload.error.at)
    assert.equal(1, (command("status")))
    local code = shell.lines("curl -s -o /dev/null -w '%{http_code}' "
      .. ("http://127.0.0.1:%d/healthz"):format(port))[1]
    assert.equal("503", code)
    local text = table.concat(shell.lines("curl -s http://127.0.0.1:" .. port .. "/healthz"))
    assert.truthy(text:find(why, 1, true), text)
    local metrics = table.concat(shell.lines("curl -s http://127.0.0.1:" .. port .. "/metrics"),
      "\n")
    assert.truthy(metrics:find("\nallot_reload_stands_in 1\n", 1, true))
    assert.truthy(metrics:find("\nallot_reload_healthy 0\n", 1, true))
    local log = shell.read(folder .. "/log")
    assert.truthy(log:find(said, 1, true), log)
    assert.truthy(log:find(why, 1, true), log)
  end

  local function is_well()
    local status = it_runs:status()
    assert.is_true(status.healthy, status.ails)
    assert.is_nil(status.reload.error)
    assert.equal(0, (command("status")))
  end

  --- The whole record comes out again, whatever the files are now.
  local function is_replayed()
    shell.run(("rm -f %s/*.lua"):format(folder))
    local status, out, err = shell.command("replay", folder .. "/store.db", "--plan",
      folder .. "/plan.json")
    assert.equal(0, status, out .. err)
    assert.truthy(out:find("came out as recorded, byte by byte", 1, true), out)
  end

  before_each(function ()
    folder = world.folder
    write("plan.json", PLAN)
    write("fair.lua", FAIR:format "first")
  end)

  describe("when a service starts", function ()
    local START = "plan and policies on disk are refused: what decided last goes on deciding"

    for name, spoil in pairs {
      ["a policy that a reload refused"] = { "fair.lua", FALSE, "it never holds" },
      ["a policy with a fault"] = { "fair.lua", "return policy {",
        "unexpected symbol near <eof>" },
      ["a policy that is gone"] = { "fair.lua", nil, "cannot read the policy" },
      ["a plan that is half written"] = { "plan.json", PLAN:sub(1, 60),
        "found a string that does not end" },
      ["a plan that is gone"] = { "plan.json", nil, "plan.json" },
      ["a policy that fails in the state that there is"] = { "fair.lua", FRAGILE,
        "divide by zero" },
    } do
      it("stands in for " .. name, function ()
        local port = live.free_port()
        start("--no-watch")
        decides("first", 3)
        demand(77)
        assert(it_runs:call "cycle")
        if spoil[2] then
          write(spoil[1], spoil[2])
        else
          os.remove(folder .. "/" .. spoil[1])
        end
        assert.is_nil((it_runs:call "reload"))
        local status, _, err = command("call", "reload")
        assert.equal(1, status, err)
        assert.equal("first", it_runs:policy())
        world.stop()

        start("--http 127.0.0.1:" .. port)
        assert.equal(2, it_runs:status().event)
        is_told(port, spoil[3], START)
        decides("first", 4)
        is_told(port, spoil[3], START)
        -- It is no more once the files are good.
        demand(5)
        write("fair.lua", FAIR:format "mended")
        write("plan.json", PLAN)
        it_runs:wait_policy "mended"
        is_well()
        decides("mended", 6)
        world.stop()
        start()
        is_well()
        decides("mended", 7)
        world.stop()
        is_replayed()
      end)
    end

    it("stands in after a crash as well, and after another", function ()
      for turn = 1, 3 do
        start("--no-watch")
        decides("first", turn)
        write("fair.lua", FALSE)
        shell.run("kill -9 $(pgrep -P " .. it_runs.pid .. ")")
        it_runs.peer:close()
        world.service = nil
        shell.run(("for i in $(seq 500); do kill -0 %s 2>/dev/null || break; sleep .01; done")
          :format(it_runs.pid))
      end
      start()
      assert.is_false(it_runs:status().healthy)
      decides("first", 8)
      world.stop()
      is_replayed()
    end)

    it("goes when the files are good, before anything is decided", function ()
      start()
      decides("first", 3)
      world.stop()
      write("fair.lua", FAIR:format "second")
      start("--interval 0")
      is_well()
      assert.equal("second", it_runs:policy())
      decides("second", 4)
      world.stop()
      is_replayed()
    end)

    it("goes with what the plan lacks, which is said", function ()
      start()
      decides("first", 3)
      world.stop()
      write("plan.json", (PLAN:gsub('{"name": "a", "share": 1}, ', "")))
      start()
      is_well()
      assert.equal(1, it_runs:status().books.consumers)
      local log = shell.read(folder .. "/log")
      assert.truthy(log:find("W-store", 1, true), log)
    end)

    it("is nothing where nothing decided yet", function ()
      write("fair.lua", FALSE)
      local status, _, err = shell.run(("timeout 60 %s serve %s/plan.json --store %s/store.db")
        :format(shell.allot, folder, folder))
      assert.equal(3, status, err)
      assert.truthy(err:find("it never holds", 1, true), err)
      assert.is_nil(io.open(folder .. "/store.db"))
    end)

    it("is known of a store that knew no policies, by their files", function ()
      start()
      decides("first", 3)
      world.stop()
      shell.lines(([[python3 -c '
import sqlite3
it = sqlite3.connect("%s/store.db")
it.executescript("DROP TABLE policies; DROP TABLE versions; ALTER TABLE plans DROP COLUMN version;"
                 "DROP TABLE clients; DROP TABLE notes; DROP INDEX decided;"
                 "ALTER TABLE events DROP COLUMN who;"
                 "PRAGMA user_version=1; PRAGMA application_id=0")
']]):format(folder))
      start()
      is_well()
      decides("first", 4)
    end)
  end)

  describe("when cycles fail", function ()
    local BACK = "cycles failed: what decided before decides again, until the files are others"

    local function fail(times)
      demand(77)
      for _ = 1, times do
        local told, fault = it_runs:call "cycle"
        assert.is_nil(told)
        assert.equal("E-policy-run", fault.data.code)
      end
    end

    it("takes over again after the third", function ()
      local port = live.free_port()
      start("--interval 0 --debounce 60000 --http 127.0.0.1:" .. port)
      decides("first", 3)
      write("fair.lua", FRAGILE)
      it_runs:wait_policy "fragile"
      decides("fragile", 4)
      fail(2)
      assert.equal("fragile", it_runs:policy())
      assert.is_nil((it_runs:call "cycle"))
      it_runs:wait_policy "first"
      assert.equal(1, it_runs:status().reload.total.fell_back)
      assert(it_runs:call "cycle")
      is_told(port, "divide by zero", BACK)
      decides("first", 5)
      -- The file fails as it did; another one does not, and nothing fails any more.
      write("fair.lua", FAIR:format "mended")
      it_runs:wait_policy "mended"
      is_well()
      decides("mended", 77)
      world.stop()
      is_replayed()
    end)

    it("takes over again after a restart, too", function ()
      start("--interval 0 --debounce 60000")
      decides("first", 3)
      write("fair.lua", FRAGILE)
      it_runs:wait_policy "fragile"
      world.stop()
      start("--interval 0 --debounce 60000")
      is_well()
      decides("fragile", 4)
      fail(3)
      it_runs:wait_policy "first"
      decides("first", 76)
      world.stop()
      is_replayed()
    end)

    it("does not decide what is asked for once more", function ()
      start("--interval 0 --debounce 60000")
      decides("first", 3)
      write("fair.lua", FRAGILE)
      it_runs:wait_policy "fragile"
      fail(3)
      it_runs:wait_policy "first"
      -- What is in the books fails: so it is refused.
      local told, fault = it_runs:call "reload"
      assert.is_nil(told)
      assert.equal("E-policy-run", fault.data.code)
      assert.is_true(it_runs:status().reload.stands_in)
      demand(5)
      assert.equal("swapped", it_runs:call "reload".result)
      decides("fragile", 6)
      is_well()
    end)

    it("is nothing where nothing decided before", function ()
      write("fair.lua", FRAGILE)
      start("--interval 0 --debounce 60000")
      decides("fragile", 3)
      fail(4)
      assert.equal("fragile", it_runs:policy())
      local log = shell.read(folder .. "/log")
      assert.truthy(log:find("it is not known what decided before", 1, true), log)
      decides("fragile", 5)
      is_well()
    end)
  end)
end)

describe("a record", function ()
  local EVEN = 'return policy { name = "even", quota = { fill "even" { by = 1 } } }\n'
  -- One policy of the plan, one of a group, one of a branch; each is edited, and one is promoted.
  local MANY = [[{"version": 1, "policy": "fair.lua", "groups": {
    "one": {"slots": 10}, "two": {"slots": 6, "policy": "two.lua"}},
    "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 4}]}]]

  it("goes on through edits of all of a plan's policies", function ()
    if not service.is_allowed() then return pending "unshare is not allowed here" end
    local folder = shell.directory()
    shell.write(folder .. "/fair.lua", FAIR:format "one")
    shell.write(folder .. "/two.lua", FAIR:format "two")
    shell.write(folder .. "/even.lua", EVEN)
    local status, out, err = service.run(folder, MANY, [[
      start --no-watch --debounce 60000
      want() {
        call demand "{\"consumer\": \"/a\", \"group\": \"$1\", \"slots\": $2}" > /dev/null || exit 2
        call cycle > /dev/null || exit 2
      }
      change() { call "$@" | grep -Eq 'swapped|shadowing' || exit 3; }
      want one 9; want two 5
      cp "$DIR/even.lua" "$DIR/two.lua"; change reload; want two 4
      cp "$DIR/even.lua" "$DIR/fair.lua"; change reload; want one 7
      sed -i 's/even/other/; s/by = 1/by = 2/' "$DIR/two.lua"; change reload; want two 6
      sed -i 's/by = 1/by = "share"/' "$DIR/even.lua"
      change shadow '{"policy": "even.lua"}'; change promote; want one 8
      stop
      rm "$DIR"/*.lua
      "$ALLOT" replay "$STORE" > "$DIR/replay" || { cat "$DIR/replay"; exit 4; }
      "$ALLOT" replay "$STORE" --policy hybrid > "$DIR/other"; [ $? -le 1 ] || exit 5
      for from in 1 2 3; do
        "$ALLOT" replay "$STORE" --from $from > "$DIR/replay" || { cat "$DIR/replay"; exit 6; }
      done]])
    assert.equal(0, status, out .. err)
    shell.remove(folder)
  end)
end)
