-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Changes of plan and policies that are tried dry, that wait to be confirmed, and that are rolled
-- back.

local dkjson = require "dkjson"
local heard = require "spec.support.house.heard"
local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local function plan(a, b, policy)
  return ([[{"version": 1, "slots": 20, "policy": "%s",
  "consumers": [{"name": "a", "owned": %d}, {"name": "b", "owned": %d}]}
]]):format(policy or "hybrid", a, b)
end

describe("a change of plan or policies", function ()
  local world = live.world()
  local it_runs

  local function path(name) return world.folder .. "/" .. name end
  local function write(text) shell.write(path "plan.json", text) end
  local function reload() return it_runs:status().reload end
  local function sha() return reload().active.plan end

  local function start(words)
    if not shell.exists(path "plan.json") then write(plan(10, 10)) end
    it_runs = world.start("--store it.db " .. (words or ""))
    return it_runs
  end

  --- Both have what they own, and want all.
  local function fill()
    for _, slots in ipairs { 10, 20 } do
      for _, name in ipairs { "/a", "/b" } do
        assert(it_runs:call("demand", { consumer = name, slots = slots }))
      end
      it_runs:call "cycle"
    end
  end

  local function await(test)
    for _ = 1, 300 do
      local result = test()
      if result then return result end
      live.sleep(0.02)
    end
    error "it does not happen"
  end

  local function waits() return reload().waits end

  local function verb(words)
    return shell.run(("%s %s --socket %s"):format(shell.allot, words, path "sock"))
  end

  describe("tried dry", function ()
    it("answers as allot diff does, and changes nothing", function ()
      start()
      fill()
      local before, events = sha(), it_runs:status().event
      local told = assert(it_runs:call("plan", { text = plan(16, 4), dry_run = true }))
      assert.equal("allot/diff/v1", told.schema)
      assert.is_false(told.same)
      assert.same({ added = 6, saved = 0 }, told.summary.reclaims)
      assert.is_true(told.a.live)
      shell.write(path "new.json", plan(16, 4))
      local code, out = shell.command("diff", path "new.json", "--socket", path "sock", "--format",
        "json")
      assert.equal(1, code)
      local diff = dkjson.decode(out)
      for _, kind in ipairs { "groups", "consumers", "reclaims", "claims", "tasks", "jobs" } do
        for i, row in ipairs(diff.states[1][kind]) do
          for name, value in pairs(row) do
            assert.same(value, told.states[1][kind][i][name], kind .. " " .. name)
          end
        end
      end
      assert.equal(before, sha())
      assert.equal(events, it_runs:status().event)
      assert.equal(plan(10, 10), shell.read(path "plan.json"))
      assert.same({ 0, 0 }, { reload().total.swapped, reload().total.refused })
      assert.is_true(it_runs:call("plan", { text = plan(10, 10), dry_run = true }).same)
    end)

    it("is refused where the change would be", function ()
      start "--no-watch"
      fill()
      local _, refused = it_runs:call("plan", { text = "{", dry_run = true })
      assert.equal("E-syntax", refused.data.code)
      _, refused = it_runs:call("plan", { dry_run = true })
      assert.equal("E-missing", refused.data.code)
      write '{"version": 1, "slots": 20, "policy": "hybrid", "consumers": [{"name": "a"}]}'
      _, refused = it_runs:call("reload", { dry_run = true })
      assert.equal("E-unknown-path", refused.data.code)
      assert.is_nil(reload().error)
      assert.equal(0, reload().total.refused)
      write(plan(16, 4))
      assert.equal(6, it_runs:call("reload", { dry_run = true }).summary.reclaims.added)
      assert.equal(0, reload().total.swapped)
    end)

    it("is shown by the verbs", function ()
      start "--no-watch"
      fill()
      shell.write(path "new.json", plan(16, 4))
      local code, out = verb("plan --dry-run " .. path "new.json")
      assert.equal(1, code)
      assert.truthy(out:find("/b  +10 %-> +4"), out)
      assert.truthy(out:find("reclaimed 0 -> 6 (+6)", 1, true), out)
      assert.equal(0, (verb "reload --dry-run"))
      assert.equal(0, (verb("plan " .. path "new.json")))
      assert.equal(plan(16, 4), shell.read(path "plan.json"))
      code, out = verb "rollback --dry-run"
      assert.equal(1, code)
      assert.truthy(out:find("/a ", 1, true), out)
      assert.equal(5, (verb("plan " .. path "gone.json")))
      assert.equal(2, (verb "rollback first"))
      assert.equal(1, (verb "rollback 99"))
    end)
  end)

  describe("that would take more than allowed", function ()
    it("waits, exactly at the bound not", function ()
      start "--most-change 6"
      fill()
      write(plan(16, 4))
      await(function () return reload().total.swapped == 1 end)
      assert.is_nil(waits())
      world.stop()
      os.remove(path "it.db")
      write(plan(10, 10))
      start "--most-change 5"
      fill()
      local before = sha()
      write(plan(16, 4))
      local held = await(waits)
      assert.same({ 6, 5, "files" }, { held.reclaims, held.most_change, held.from })
      assert.equal(before, sha())
      assert.is_true(it_runs:status().healthy)
      assert.equal("waits", it_runs:call("reload").result)
      assert.equal(1, (verb "reload"))
    end)

    it("says so everywhere, and what it would do", function ()
      local port = live.free_port()
      start("--most-change 5 --http 127.0.0.1:" .. port)
      fill()
      local peer = it_runs:connect()
      it_runs:ask('{"jsonrpc": "2.0", "id": 1, "method": "subscribe"}', peer)
      write(plan(16, 4))
      local held = await(waits)
      local text = table.concat(shell.lines(("curl -s http://127.0.0.1:%d/metrics"):format(port)),
        "\n")
      assert.truthy(text:find("\nallot_reload_waits 1\n", 1, true))
      assert.truthy(text:find("\nallot_reload_waiting_slots 6\n", 1, true))
      text = table.concat(shell.lines(("curl -s http://127.0.0.1:%d/report"):format(port)))
      assert.truthy(text:find("allot confirm " .. held.version, 1, true), text)
      assert.truthy(shell.read(path "log"):find("a change waits", 1, true))
      local note = live.read(peer)
      while note.method ~= "change_waits" do note = live.read(peer) end
      assert.same(held, note.params)
      local code, out = verb "confirm"
      assert.equal(1, code)
      assert.truthy(out:find("it would take 6 slots, and at most 5 may be taken: allot confirm "
        .. held.version, 1, true), out)
      assert.same({ { path = "/a", live = 10, ["then"] = 16 },
                    { path = "/b", live = 10, ["then"] = 4 } }, held.quotas)
    end)

    it("is installed once it is confirmed, as it was shown", function ()
      start "--most-change 5"
      fill()
      write(plan(16, 4))
      local first = await(waits).version
      write(plan(17, 3))
      local second = await(function ()
        local held = waits()
        return held and held.version ~= first and held.version
      end)
      local _, refused = it_runs:call("confirm", { version = first })
      assert.equal("E-version", refused.data.code)
      assert.truthy(refused.message:find(second, 1, true))
      _, refused = it_runs:call "confirm"
      assert.equal("E-missing", refused.data.code)
      local made = assert(it_runs:call("confirm", { version = second }))
      assert.same({ "swapped", 7 }, { made.result, made.reclaims })
      assert.is_nil(waits())
      live.sleep(0.4)
      assert.same({ 1, 0 }, { reload().total.swapped, reload().total.refused })
      _, refused = it_runs:call("confirm", { version = second })
      assert.equal("E-version", refused.data.code)
      _, refused = it_runs:call("confirm", { dry_run = true })
      assert.equal("E-version", refused.data.code)
    end)

    it("waits by call, too, and is written when it is confirmed", function ()
      start "--most-change 5"
      fill()
      local held = assert(it_runs:call("plan", { text = plan(16, 4) }))
      assert.equal("waits", held.result)
      assert.equal("call", waits().from)
      assert.equal(plan(10, 10), shell.read(path "plan.json"))
      assert.equal(0, (verb("confirm " .. held.version)))
      assert.equal(plan(16, 4), shell.read(path "plan.json"))
      assert.equal(1, reload().total.swapped)
    end)

    it("is dropped, and stays so until the files change", function ()
      start "--most-change 5"
      fill()
      write(plan(16, 4))
      await(waits)
      assert.equal(0, (verb "confirm --drop"))
      assert.equal("E-dropped", reload().error.code)
      heard(reload().error.message)
      live.sleep(2.5) -- files are looked at every two seconds
      assert.is_nil(waits())
      assert.equal("waits", it_runs:call("reload").result)
      write(plan(10, 10))
      await(function () return not waits() and not reload().error end)
      assert.equal(0, reload().total.swapped)
    end)

    it("waits after kill -9, whenever it was made", function ()
      start "--most-change 5"
      fill()
      local before = sha()
      write(plan(16, 4))
      await(waits)
      world.kill()
      start "--most-change 5"
      assert.equal(6, await(waits).reclaims)
      assert.equal(before, sha())
      world.kill()
      write(plan(17, 3))
      start "--most-change 5 --no-watch"
      local held = await(waits)
      assert.equal(7, held.reclaims)
      assert.equal(before, sha())
      assert(it_runs:call("confirm", { version = held.version }))
      world.kill()
      start "--most-change 5"
      live.sleep(0.3)
      assert.is_nil(waits())
      assert.not_equal(before, sha())
    end)

    it("ends when another version takes over", function ()
      start "--most-change 5 --no-watch"
      fill()
      assert(it_runs:call("plan", { text = plan(16, 4) }))
      assert(waits())
      assert(it_runs:call("plan", { text = plan(11, 9) }))
      assert.is_nil(waits())
      assert(it_runs:call("plan", { text = plan(17, 3) }))
      assert(waits())
      assert(it_runs:call("rollback", { version = 1 }))
      assert.is_nil(waits())
    end)
  end)

  it("shows what functions of its policies take", function ()
    shell.write(path "it.lua", [[return policy { name = "it", quota = { fill "a" {
      by = function (owned) local n = 0 for i = 1, 1000 do n = n + i end return owned end } } }
    ]])
    write(plan(10, 10, "it.lua"))
    local port = live.free_port()
    start("--http 127.0.0.1:" .. port)
    for slots = 1, 40 do
      assert(it_runs:call("demand", { consumer = "/a", slots = slots }))
      it_runs:call "cycle"
    end
    local of = it_runs:status().functions[1]
    assert.same({ "it.lua", "by", 2 }, { of.file, of["function"], of.line })
    assert.is_true(of.batches >= 40 and of.rows >= of.batches and of.us > 0)
    local text = table.concat(shell.lines(("curl -s http://127.0.0.1:%d/metrics"):format(port)),
      "\n")
    local labels = '{file="it.lua",function="by",line="2"}'
    assert.truthy(text:find("allot_policy_function_seconds_total" .. labels, 1, true), text)
    text = dkjson.encode(it_runs:call "report")
    assert.truthy(text:find("took most", 1, true), text)
  end)

  describe("rolled back", function ()
    it("holds against the files until they change, also after kill -9", function ()
      start()
      fill()
      local first = sha()
      write(plan(16, 4))
      await(function () return sha() ~= first end)
      local second = sha()
      local made = assert(it_runs:call "rollback")
      assert.same({ "swapped", 1, first }, { made.result, made.version, made.plan })
      assert.equal(plan(16, 4), shell.read(path "plan.json"))
      assert.is_true(reload().rolled_back)
      assert.is_true(it_runs:status().healthy)
      for _ = 1, 2 do
        shell.run("touch " .. path "plan.json")
        shell.write(path "other", "")
        live.sleep(2.3)
        assert.same({ first, true }, { sha(), reload().rolled_back })
        world.kill()
        start()
      end
      assert.same({ first, true }, { sha(), reload().rolled_back })
      write(plan(17, 3))
      await(function () return sha() ~= first end)
      assert.is_false(reload().rolled_back)
      assert.not_equal(second, sha())
    end)

    it("ends by reload and by a plan by call", function ()
      start()
      fill()
      local first = sha()
      assert(it_runs:call("plan", { text = plan(16, 4) }))
      local second = sha()
      assert(it_runs:call("rollback", { version = 1 }))
      assert.equal(first, sha())
      assert(it_runs:call "reload")
      assert.equal(second, sha())
      assert.is_false(reload().rolled_back)
      assert(it_runs:call("rollback", { version = 1 }))
      assert(it_runs:call("plan", { text = plan(17, 3) }))
      assert.equal(plan(17, 3), shell.read(path "plan.json"))
      assert.is_false(reload().rolled_back)
    end)

    it("brings policies back, and a record of it is computed again", function ()
      local text = 'return policy { name = "%s", quota = { fill "a" { by = "owned" } } }'
      shell.write(path "it.lua", text:format "one")
      write(plan(10, 10, "it.lua"))
      start()
      fill()
      shell.write(path "it.lua", text:format "two")
      await(function () return reload().active.policies[1] == "two" end)
      fill()
      shell.write(path "it.lua", "no policy")
      await(function () return reload().error end)
      assert(it_runs:call "rollback")
      assert.equal("one", reload().active.policies[1])
      assert.is_nil(reload().error)
      fill()
      world.kill()
      start()
      fill()
      assert.equal("one", reload().active.policies[1])
      world.stop()
      local code, out, err = shell.command("replay", path "it.db", "--plan", path "plan.json")
      assert.equal(0, code, out .. err)
    end)

    it("says which versions there are", function ()
      start()
      fill()
      local _, refused = it_runs:call "rollback"
      assert.equal("E-version", refused.data.code)
      assert(it_runs:call("plan", { text = plan(16, 4) }))
      _, refused = it_runs:call("rollback", { version = 7 })
      assert.truthy(refused.message:find("no version 7: found 1 to 2", 1, true), refused.message)
      _, refused = it_runs:call("rollback", { version = 2 })
      assert.truthy(refused.message:find("decides already", 1, true), refused.message)
      assert.equal("allot/diff/v1", it_runs:call("rollback", { dry_run = true }).schema)
      assert.is_false(reload().rolled_back)
    end)
  end)
end)
