-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The running service, with real processes: what is acknowledged is kept, whatever happens to it,
-- and no client can do harm. `spec/support/service/serve.py` has the clients.

local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local play = service.play

describe("allot serve", function ()
  it("loses nothing that it acknowledged, and repeats no decision, when it is killed", function ()
    local found = play "kill"
    assert.is_true(found.acked > 100)
    assert.is_true(found.told > 10)
    found.acked, found.told = nil, nil
    assert.same({
      twice = 0, lost = 0, changed = 0, in_order = true, events = true, snapshot = true,
      slots_once = true,
    }, found)
  end)

  it("answers garbage, ends who sends a line without end, and goes on", function ()
    assert.same({
      answers = 100, long = -32600, closed = true, alive = true, ready = true, exit = 0,
    }, play "garbage")
  end)

  it("tells subscribers all from the number that they name, also of before", function ()
    assert.same({
      old = { 2, 3, 4 }, new = { 5 }, pages = { 1, 2 }, same = true, exit = 0,
    }, play "resume")
  end)

  it("tells who reads late all that came meanwhile", function ()
    assert.same({ all = true, many = true, exit = 0 }, play "slow")
  end)

  it("says that decisions are gone, and goes on for others", function ()
    local told = service.play "compacted"
    assert.same({ newest = true, missed = { from = 1, to = 3 }, acked = 3, later = 1, exit = 0 },
                told)
  end)

  -- Of what readers have asked for already little is answered before an event is acknowledged:
  -- without turns it is all.
  it("acknowledges events beside readers that ask without end", function ()
    local told = service.play "readers"
    assert.equal(0, told.exit)
    for _, method in ipairs { "decisions", "explain" } do
      assert.is_true(told[method].before < told[method].all / 4,
                     method .. ": " .. told[method].before)
    end
  end)

  it("keeps places for its own beside 1500 who say nothing", function ()
    local told = service.play "strangers"
    -- Half of a quarter of all places is for strangers of one address, and no more.
    assert.is_true(told.waiting > 100 and told.waiting <= 126, told.waiting)
    told.waiting = nil
    assert.same({ own = 7, keepalive = "02", exit = 0 }, told)
  end)

  it("counts wrong tokens, tells of them now and then, and goes by the token's file", function ()
    assert.same({
      right = true, wrong = 0, counted = 30, short = { true, false },
      ["another-token-of-more"] = { false, true }, exit = 0, next = 1,
      beyond = { "E-range", "from: found 9, allowed at most 1: the newest decision is 0" },
      told = 1, lines = 1, stays = 1, secret = false,
    }, service.play "tokens")
  end)

  it("lets in its own user, root, who is on the list, and who is of the socket's group", function ()
    local told = service.play "users"
    if not told.tried then return pending("not root: no other user could try") end
    local no, away = "PermissionError", "this user is not on the list"
    assert.same({
      tried = true,
      list = { "0o666", 0, "in", away, away, "in" },
      group = { "0o660", 5151, no, "in", no, "in" },
      both = { "0o666", 5151, "in", "in", away, "in" },
      mode = { "0o666", 0, "in", "in", "in", "in" },
      none = { "0o600", 0, no, no, no, "in" },
    }, told)
  end)

  it("lets on TCP only who knows the token, and its own user on the socket", function ()
    assert.same({
      stranger = -32051, open = true, thief = -32051, thief_closed = true, friend = true,
      event = 1, mode = "0o600", store_mode = "0o600", exit = 0, socket_gone = true,
    }, play "token")
  end)
end)

describe("the command line of allot serve", function ()
  --- What is said when it cannot start.
  local function refused(arguments, environment)
    return shell.run(("%s timeout 60 %s/bin/allot serve %s"):format(environment or "", shell.build,
      arguments))
  end

  it("tells what is wrong before it listens", function ()
    local plan, token = os.tmpname(), os.tmpname()
    shell.write(plan, [[{"version": 1, "slots": 1, "consumers": [{"name": "a"}]}]])
    shell.write(token, "short\n")
    for arguments, expected in pairs {
      ["/nowhere.json"] = { 5, "cannot be read" },
      [plan .. " --store :memory: --tcp 127.0.0.1:0"] = { 2, "needs a token" },
      [plan .. " --store :memory: --tcp nowhere:1 --token-file " .. token] = { 3, "16 to 1024" },
      [plan .. " --store :memory: --allow root"] = { 2, "number of a user" },
      [plan .. " --store :memory: --socket-mode 660x"] =
        { 2, '--socket-mode is a mode like 0660, not "660x"' },
      [plan .. " --store :memory: --socket-mode 0400"] =
        { 2, '--socket-mode is a mode like 0660, not "0400"' },
      [plan .. " --store :memory: --socket-group no-such-group"] =
        { 2, 'there is no group "no-such-group"' },
      [plan .. " --store :memory: --debounce 60001"] = { 2, "0 to 60000" },
      [plan .. " --store :memory: --keep 7x"] = { 2, "--keep is a number of events, a time" },
      [plan .. " --store :memory: --keep 7d,"] = { 2, 'or several of them as 7d,2G, not "7d,"' },
      [plan .. " --store :memory: --keep 0d"] = { 2, "--keep is" },
      [plan .. " --store :memory: --keep 9000000T"] = { 2, "--keep is" },
      [plan .. " --store /nowhere/x.db --keep 7d,2G"] = { 5, "store /nowhere/x.db" },
      [plan .. " --store /nowhere/x.db --keep 500"] = { 5, "store /nowhere/x.db" },
      [plan .. " --store :memory: --socket " .. plan] = { 5, "something else is there" },
      [plan .. " --store /nowhere/x.db"] = { 5, "store /nowhere/x.db" },
    } do
      local status, out, err = refused(arguments)
      assert.equal(expected[1], status, arguments .. err)
      assert.equal("", out)
      assert.truthy(err:find(expected[2], 1, true), err)
    end
    os.remove(plan)
    os.remove(token)
  end)

  it("tells of a user who is nobody in its namespace", function ()
    if not service.is_allowed() then return pending "unshare is not allowed here" end
    local folder = shell.directory()
    local status, _, err = service.run(folder, [[{"version": 1, "slots": 1, "consumers": [
      {"name": "a"}]}]], 'start --allow 4242')
    shell.remove(folder)
    assert.equal(99, status, err)
    assert.truthy(err:find("cannot listen on the socket for user 4242: in this namespace "
      .. "(PrivateUsers) that user cannot be told from others", 1, true), err)
  end)

  it("takes variables for options that are not given", function ()
    local plan = os.tmpname()
    shell.write(plan, [[{"version": 1, "slots": 1, "consumers": [{"name": "a"}]}]])
    local status, _, err = refused(plan, "ALLOT_DEBOUNCE=soon")
    assert.equal(2, status)
    assert.truthy(err:find("--debounce", 1, true))
    status, _, err = refused(plan .. " --store /nowhere/a.db", "ALLOT_STORE=/nowhere/b.db")
    assert.equal(5, status)
    assert.truthy(err:find("/nowhere/a.db", 1, true))
    os.remove(plan)
  end)
end)
