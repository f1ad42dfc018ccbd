-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A plan that is handed in by the call `plan`: checked as a file is, written into the plan's file,
-- in effect when it is acknowledged; a bad one leaves everything as it was.

local dkjson = require "dkjson"
local heard = require "spec.support.house.heard"
local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"
local unix = require "socket.unix"

local PLAN = [[{"version": 1, "slots": 10, "policy": "fair.lua",
  // by hand
  "consumers": [{"name": "a", "share": 1}, {"name": "b", "share": 1}]}
]]
local MORE = PLAN:gsub('"slots": 10', '"slots": 20')
local GOOD = 'return policy { name = "fair", quota = { fill "all" { by = "share" } } }\n'

describe("the call plan", function ()
  local folder, it_runs

  local function path(name) return folder .. "/" .. name end
  local function slots() return it_runs:call("cycle", { full = true }).full.groups.default.slots end
  local function hand_in(text) return it_runs:call("plan", { text = text }) end

  before_each(function ()
    folder = shell.directory()
    shell.write(path "plan.json", PLAN)
    shell.write(path "fair.lua", GOOD)
  end)

  after_each(function ()
    if it_runs then it_runs:stop() end
    it_runs = nil
    shell.remove(folder)
  end)

  it("is in effect and in the file once it is answered, and holds after a restart", function ()
    shell.run("chmod 640 " .. path "plan.json")
    it_runs = live.start(folder, "--store it.db")
    assert(it_runs:call("demand", { consumer = "/a", slots = 20 }))
    assert.equal(10, slots())
    local result = assert(hand_in(MORE))
    assert.equal("swapped", result.result)
    assert.equal(MORE, shell.read(path "plan.json"))
    assert.equal(20, slots())
    assert.equal("640", shell.lines("stat -c %a " .. path "plan.json")[1])
    assert.equal(0, (shell.run(("! ls %s.??????"):format(path "plan.json"))))
    -- What is watched is what was written: nothing is loaded once more.
    live.sleep(0.5)
    local total = it_runs:status().reload.total
    assert.same({ 1, 0 }, { total.swapped, total.refused })
    it_runs:stop()
    it_runs = live.start(folder, "--store it.db")
    assert.equal(20, slots())
    assert.equal(20, it_runs:call("view").branch.rows[1].allocated)
    it_runs:stop()
    it_runs = nil
    local status, out = shell.command("replay", path "it.db", "--plan", path "plan.json")
    assert.equal(0, status, out)
  end)

  it("changes nothing that is wrong, and says where", function ()
    it_runs = live.start(folder)
    for text, expected in pairs {
      ["{"] = { "E-syntax", 1 },
      [PLAN:gsub('"share": 1}, ', '"shre": 1}, ')] = { "E-unknown-key", 3 },
      [PLAN:gsub("fair.lua", "gone.lua")] = { "E-io", 1 },
      [PLAN:gsub('"slots": 10', '"slots": -1')] = { "E-range", 1 },
    } do
      local _, refused = hand_in(text)
      assert.same(expected, { refused.data.code, refused.data.line }, refused.message)
      assert.equal("plan.json", refused.data.file or "plan.json")
    end
    local _, refused = it_runs:call("plan", { text = 7 })
    assert.equal("E-type", refused.data.code)
    assert.equal(PLAN, shell.read(path "plan.json"))
    assert.equal(10, slots())
    local status = it_runs:status()
    assert.is_nil(status.reload.error) -- the files are good
    assert.same({ 0, 4 }, { status.reload.total.swapped, status.reload.total.refused })
    assert.is_truthy(it_runs:stop():find("file=plan.json line=3", 1, true))
    it_runs = nil
  end)

  it("keeps who holds slots", function ()
    it_runs = live.start(folder)
    assert(it_runs:call("demand", { consumer = "/b", slots = 5 }))
    it_runs:call "cycle"
    local alone = PLAN:gsub(', {"name": "b", "share": 1}', "")
    local _, refused = hand_in(alone)
    assert.equal("E-unknown-path", refused.data.code)
    assert.equal(PLAN, shell.read(path "plan.json"))
    assert(it_runs:call("demand", { consumer = "/b", slots = 0 }))
    assert(it_runs:call("release", { consumer = "/b", slots = 5 }))
    assert(hand_in(alone))
    assert.equal(1, it_runs:status().books.consumers)
  end)

  it("does not write over what somebody else wrote and is not loaded", function ()
    it_runs = live.start(folder, "--no-watch")
    local theirs = PLAN:gsub('"slots": 10', '"slots": 12')
    shell.write(path "plan.json", theirs)
    local _, refused = hand_in(MORE)
    assert.equal("E-conflict", refused.data.code)
    assert.equal(theirs, shell.read(path "plan.json"))
    assert.equal(10, slots())
    assert(it_runs:call "reload")
    assert(hand_in(MORE))
    assert.equal(20, slots())
    os.remove(path "plan.json") -- nothing is lost where nothing is
    assert(hand_in(PLAN))
    assert.equal(PLAN, shell.read(path "plan.json"))
  end)

  it("follows a link, which stays one", function ()
    shell.lines(("cd %s && mkdir site && mv plan.json fair.lua site && ln -s site/plan.json . "
      .. "&& ln -s site/fair.lua ."):format(folder))
    it_runs = live.start(folder)
    assert(hand_in(MORE))
    assert.equal("site/plan.json", shell.lines("readlink " .. path "plan.json")[1])
    assert.equal(MORE, shell.read(path "site/plan.json"))
    assert.equal(20, slots())
  end)

  it("ends a policy that was promoted under another plan, as the file would", function ()
    it_runs = live.start(folder)
    assert(it_runs:call("shadow", { policy = "hybrid" }))
    it_runs:wait(function (status) return status.shadow.state == "running" end)
    assert(it_runs:call "promote")
    assert.equal("hybrid", it_runs:policy())
    assert(hand_in(MORE))
    assert.equal("fair", it_runs:policy())
  end)

  it("takes one at a time, and one waits", function ()
    it_runs = live.start(folder)
    local peers, answers = {}, { swapped = 0, refused = 0 }
    for i = 1, 6 do
      peers[i] = (unix.stream or unix)()
      assert(peers[i]:connect(path "sock"))
      peers[i]:settimeout(60)
    end
    shell.write(path "other.lua", (GOOD:gsub("fair", "other"))) -- which is tried, and takes a while
    local text = PLAN:gsub("fair.lua", "other.lua")
    for _, peer in ipairs(peers) do
      assert(peer:send(dkjson.encode {
        jsonrpc = "2.0", id = 1, method = "plan", params = { text = text },
      } .. "\n"))
    end
    for _, peer in ipairs(peers) do
      local line = assert(peer:receive "*l")
      heard(line)
      local answer = dkjson.decode(line)
      if answer.result then answers.swapped = answers.swapped + 1 end
      if answer.error and answer.error.code == -32052 then answers.refused = answers.refused + 1 end
      peer:close()
    end
    assert.same({ 6, true, true }, { answers.swapped + answers.refused, answers.swapped >= 1,
      answers.refused >= 1 })
    assert.equal("other", it_runs:policy())
  end)

  it("says that the file may not be written, and changes nothing", function ()
    if not service.is_allowed "mount -t tmpfs tmpfs /mnt" then
      return pending "nothing can be mounted here: no folder was read-only"
    end
    local status, out, err = service.run(folder, PLAN, [[
      mkdir "$DIR/ro" && mount -t tmpfs tmpfs "$DIR/ro" || exit 1
      cp "$PLAN" "$DIR/fair.lua" "$DIR/ro" && mount -o remount,ro "$DIR/ro" || exit 2
      PLAN=$DIR/ro/plan.json; start || exit 3
      text='{\"version\": 1, \"slots\": 7, \"consumers\": [{\"name\": \"a\"}]}'
      call plan "{\"text\": \"$text\"}" 2>&1
      call cycle '{"full": true}' | grep -o '"slots": [0-9]*' | head -n 1
      cmp "$PLAN" "$DIR/plan.json" && stop]])
    assert.equal(0, status, err .. out)
    assert.truthy(out:find("plan.json cannot be replaced: Read-only file system [E-io]", 1, true),
                  out)
    assert.truthy(out:find('\n"slots": 10\n', 1, true), out)
  end)

  it("good and bad in turn, under load, leaves file and service as one", function ()
    it_runs = live.start(folder)
    for turn = 1, 30 do
      local size = 10 + turn
      local good = turn % 3 ~= 0
      local text = PLAN:gsub('"slots": 10', '"slots": ' .. (good and size or "x"))
      assert.equal(good, hand_in(text) ~= nil)
      assert(it_runs:call("demand", { consumer = "/a", slots = turn }))
      assert.equal(good and size or size - 1, slots())
      assert.truthy(shell.read(path "plan.json"):find('"slots": ' .. slots(), 1, true))
    end
    assert.equal(20, it_runs:status().reload.total.swapped)
  end)
end)
