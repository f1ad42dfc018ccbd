-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Plan and policies change while a real service runs.

local live = require "spec.support.service.live"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "fair.lua",
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 1}]}
]]
local GOOD = 'return policy { name = "%s", quota = { fill "all" { by = "share" } } }\n'
local BAD = 'return policy {\n  name = "bad", quota = { fill "all" { by = "shre" } } }\n'

describe("a service that runs", function ()
  local world = live.world()
  local folder, it_runs

  local function write(name, text) shell.write(folder .. "/" .. name, text) end
  local function sh(line) assert.equal(0, (shell.run("cd " .. folder .. " && " .. line))) end
  local function start(words) it_runs = world.start(words) end

  before_each(function ()
    folder = world.folder
    write("plan.json", PLAN)
    write("fair.lua", GOOD:format "first")
  end)

  local function demand(a, b)
    assert(it_runs:call("demand", { consumer = "/a", slots = a }))
    assert(it_runs:call("demand", { consumer = "/b", slots = b }))
  end

  describe("sees a policy change", function ()
    local function edit(name, change)
      live.sleep(0.2)
      change(GOOD:format(name))
      it_runs:wait_policy(name)
    end

    it("written in place, renamed, after a backup, by sed, link or copy", function ()
      start()
      edit("in_place", function (text) write("fair.lua", text) end)
      assert.is_true(it_runs:status().reload.last_rehearsed > 0)
      edit("renamed", function (text)
        write("fair.lua~", text)
        sh "mv fair.lua~ fair.lua"
      end)
      edit("backup", function (text)
        sh "mv fair.lua fair.lua.bak"
        write("fair.lua", text)
      end)
      edit("sed", function () sh "sed -i s/backup/sed/ fair.lua" end)
      edit("linked", function (text)
        write("other.lua", text)
        sh "ln -sf other.lua fair.lua"
      end)
      edit("behind_a_link", function (text) write("other.lua", text) end)
      edit("unlinked", function (text)
        sh "rm fair.lua"
        live.sleep(0.3)
        write("fair.lua", text)
      end)
      assert.equal(7, it_runs:status().reload.total.swapped)
    end)

    it("half-written ones are waited for in silence", function ()
      start()
      live.sleep(0.2)
      local text = GOOD:format "torn"
      local file = assert(io.open(folder .. "/fair.lua", "w"))
      local longest, last = 0, live.now()
      for at = 1, #text, 9 do
        file:write(text:sub(at, at + 8))
        file:flush()
        live.sleep(0.02)
        longest, last = math.max(longest, live.now() - last), live.now()
      end
      file:close()
      it_runs:wait_policy "torn"
      -- A writer who is kept waiting as long as an edit is waited for is taken to be done.
      if longest < 0.05 then assert.equal(0, it_runs:status().reload.total.refused) end
    end)

    it("in a mounted ConfigMap, whose ..data is swapped", function ()
      sh "mkdir ..v1 ..v2 && mv plan.json fair.lua ..v1 && ln -s ..v1 ..data"
      sh "ln -s ..data/plan.json plan.json && ln -s ..data/fair.lua fair.lua"
      start()
      for turn = 1, 3 do
        local name, to = "map" .. turn, turn % 2 == 1 and "..v2" or "..v1"
        live.sleep(0.2)
        write(to .. "/plan.json", PLAN)
        write(to .. "/fair.lua", GOOD:format(name))
        sh("ln -s " .. to .. " ..tmp && mv -T ..tmp ..data")
        it_runs:wait_policy(name)
      end
    end)

    it("in a directory that is deleted and made anew", function ()
      sh "mkdir site && mv fair.lua site"
      write("plan.json", (PLAN:gsub("fair.lua", "site/fair.lua")))
      start()
      live.sleep(0.2)
      sh "rm -r site"
      it_runs:wait(function (status) return status.reload.error ~= nil end)
      assert.equal("first", it_runs:policy())
      sh "mkdir site"
      live.sleep(0.3)
      write("site/fair.lua", GOOD:format "again")
      it_runs:wait_policy "again"
      assert.is_nil(it_runs:status().reload.error)
    end)

    it("and the plan", function ()
      start()
      live.sleep(0.2)
      write("plan.json", (PLAN:gsub('"slots": 10', '"slots": 20')))
      it_runs:wait(function (status) return status.reload.total.swapped == 1 end)
      demand(20, 0)
      local full = it_runs:call("cycle", { full = true }).full
      assert.equal(20, full.groups.default.slots)
    end)

    it("only when it is asked, with --no-watch", function ()
      start "--no-watch"
      write("fair.lua", GOOD:format "asked")
      live.sleep(0.5)
      assert.equal("first", it_runs:policy())
      it_runs:signal "HUP"
      it_runs:wait_policy "asked"
      write("fair.lua", GOOD:format "called")
      assert.equal("swapped", it_runs:call "reload".result)
      assert.equal("called", it_runs:policy())
      assert.equal("unchanged", it_runs:call "reload".result)
    end)
  end)

  describe("goes on with what is good", function ()
    it("and says where the fault is, until it is mended", function ()
      start()
      demand(4, 9)
      it_runs:call "cycle" -- which decides, unless the timer was first
      write("fair.lua", BAD)
      it_runs:wait(function (status) return status.reload.error ~= nil end)
      local status = it_runs:status()
      assert.equal("first", status.plan.policy)
      assert.same({ "fair.lua", 2, "E-policy" },
        { status.reload.error.file, status.reload.error.line, status.reload.error.code })
      local _, refused = it_runs:call "reload"
      assert.equal(2, refused.data.line)
      assert.is_false(it_runs:call "cycle".decided)
      write("fair.lua", GOOD:format "first")
      it_runs:wait(function (now) return now.reload.error == nil end)
      assert.equal(0, it_runs:status().reload.total.swapped)
      local log = world.stop()
      assert.is_truthy(log:find("reload refused", 1, true))
      assert.is_truthy(log:find("file=fair.lua line=2", 1, true))
      local _, times = log:gsub("the files are what decides again: nothing is refused any more", "")
      assert.equal(1, times)
    end)

    it("and status says what was refused, of a service that is well all the same", function ()
      start()
      write("fair.lua", 'return policy { name = "x", wrong = 1, quota = { fill { by = "shre" } } }')
      local function does(verb)
        local status, out, err = shell.command(verb, "--socket", folder .. "/sock")
        return status, out:gsub("%s+", " ") .. err
      end
      local status, said = does "reload"
      assert.equal(1, status)
      assert.matches("^fair.lua:1: error: unknown key of policy 'wrong'", said)
      status, said = does "status"
      assert.equal(0, status)
      assert.matches("! reload changed files were refused .*, and what decided before goes on: "
        .. "fair.lua: line 1: E%-policy: unknown key of policy 'wrong'.*; the first of 2 errors: "
        .. "`allot check` has them all", said)
    end)

    it("when a policy breaks a property that it promises", function ()
      start()
      write("fair.lua", [[
return policy { name = "promise", quota = { fill "all" { by = "share" } },
  properties = {
    property "nobody gets a slot" (function (case)
      for _, row in pairs (case.rows) do
        if row.quota > 0 then return false, "somebody does" end
      end
      return true
    end),
  },
}
]])
      local _, refused = it_runs:call "reload"
      assert.equal("E-property", refused.data.code)
      assert.equal(3, refused.data.line)
      assert.equal("first", it_runs:policy())
    end)

    -- README of the service, step 2. Random cases hardly have such a demand.
    it("when a policy breaks a property on the live state alone", function ()
      local property = [[
return policy { name = "%s", quota = { fill "all" { by = "share" } },
  properties = {
    property "nobody wants 123456789" (function (case)
      for _, row in pairs (case.rows) do
        if row.demand == 123456789 then return false, row.path .. " does" end
      end
      return true
    end),
  },
}
]]
      start()
      write("fair.lua", property:format "before")
      assert.equal("swapped", it_runs:call "reload".result)
      demand(123456789, 5)
      it_runs:call "cycle"
      write("fair.lua", property:format "after")
      local _, refused = it_runs:call "reload"
      assert.same({ "E-property", "fair.lua", 3 },
        { refused.data.code, refused.data.file, refused.data.line })
      assert.equal('the property "nobody wants 123456789" does not hold: /a does', refused.message)
      assert.matches("^on the live state; allot check .* plan.json shows a case", refused.data.hint)
      assert.equal("before", it_runs:policy())
      demand(4, 5)
      assert.equal("swapped", it_runs:call "reload".result)
      world.stop()
    end)

    it("unless only another policy of the plan breaks it", function ()
      write("plan.json", [[{"version": 1, "slots": 10, "policy": "fair.lua", "consumers": [
        {"name": "a", "owned": 5, "children": [{"name": "a1"}]},
        {"name": "b", "owned": 5, "policy": "other.lua", "children": [{"name": "b1"}]}]}]])
      write("other.lua", [[
return policy { name = "other", quota = { fill "all" { by = "share" } },
  properties = { property "nobody wants 123456789" (function (case)
    for _, row in pairs (case.rows) do if row.demand == 123456789 then return false end end
    return true
  end) } }
]])
      start()
      assert(it_runs:call("demand", { consumer = "/b/b1", slots = 123456789 }))
      it_runs:call "cycle"
      write("fair.lua", GOOD:format "mended")
      assert.equal("swapped", assert(it_runs:call "reload").result)
      assert.equal(1, it_runs:status().reload.total.swapped)
      write("other.lua", shell.read(folder .. "/other.lua") .. "\n")
      local _, refused = it_runs:call "reload"
      assert.same({ "E-property", "other.lua" }, { refused.data.code, refused.data.file })
    end)

    it("when a policy fails on what is in the books, though checks pass", function ()
      start()
      demand(77, 5)
      it_runs:call "cycle"
      write("fair.lua", [[
return policy { name = "fragile", quota = { fill "all" {
  by = function (demand) return 100 // (demand == 77 and 0 or 1) end } } }
]])
      local _, refused = it_runs:call "reload"
      assert.equal("E-policy-run", refused.data.code)
      assert.equal(2, refused.data.line)
      assert.equal("first", it_runs:policy())
    end)

    it("when a plan lacks who holds slots, and takes it once nobody does", function ()
      start()
      demand(4, 5)
      it_runs:call "cycle"
      write("plan.json", (PLAN:gsub(', {"name": "b", "share": 1}', "")))
      local _, refused = it_runs:call "reload"
      assert.equal("E-unknown-path", refused.data.code)
      demand(4, 0)
      assert(it_runs:call("release", { consumer = "/b", slots = 5 }))
      assert.equal("swapped", assert(it_runs:call "reload").result)
      assert.equal(1, it_runs:status().books.consumers)
    end)

    it("through many reloads, good and bad in turn, under load", function ()
      local turns, memory = os.getenv "ALLOT_CHAOS" == "full" and 1000 or 60, nil
      start "--no-watch" -- what is seen before it is asked for would be "unchanged"
      for turn = 1, turns do
        local good = turn % 2 == 1
        write("fair.lua", good and GOOD:format("g" .. turn) or BAD)
        local result, refused = it_runs:call "reload"
        assert.equal(good, result ~= nil and result.result == "swapped")
        assert.equal(good, refused == nil)
        demand(turn % 7, turn % 5)
        it_runs:call "cycle"
        assert.equal("g" .. (good and turn or turn - 1), it_runs:policy())
        if turn == turns // 2 then memory = it_runs:memory() end
      end
      assert.is_true(shell.is_sanitized() or it_runs:memory() - memory < 4e6)
      local status = it_runs:status()
      assert.equal(2 * turns, status.event)
      assert.equal(turns // 2, status.reload.total.swapped)
      assert.equal(0, status.since_start.failed_cycles)
    end)
  end)
end)
