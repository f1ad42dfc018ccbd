-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot top` on a real terminal and into a pipe, and `allot status`.

local json = require "dkjson"
local live = require "spec.support.service.view"
local shell = require "spec.support.house.shell"
local terminal = require "spec.support.house.terminal"

describe("a service seen from a terminal", function ()
  local service, it_runs

  setup(function ()
    service = live.start()
    service:call("demand", { consumer = "/biology", slots = 26 })
    service:call("demand", { consumer = "/physics/lattice", slots = 7 })
    service:call("cycle")
  end)
  teardown(function () service:stop() end)
  after_each(function ()
    if it_runs then it_runs:close() end
    it_runs = nil
  end)

  local function run(verb, words)
    return shell.run(("LC_ALL=C %s %s --socket %s %s"):format(shell.allot, verb, service.socket,
      words or ""))
  end

  it("is one frame in a pipe", function ()
    local status, out, err = run("top", "| cat")
    assert.same({ 0, "" }, { status, err })
    assert.is_nil(out:find("\27", 1, true))
    assert.truthy(out:find("60 slots: 33 allocated, 27 idle; demand 33", 1, true), out)
    assert.truthy(out:find("\n%+ physics +#+%.+ +7 "), out)
    assert.truthy(out:find("\n  biology +#+%++ +26 +26 +26 +20 +6"), out)
    assert.equal("bars: # own + borrowed = shared ~ in flight . owned", out:match "([^\n]*)\n$")
  end)

  it("is a document", function ()
    local status, out = run("top", "--format json")
    assert.equal(0, status)
    assert.equal("allot/view/v1", json.decode(out).schema)
    status, out = run("status", "--format json")
    assert.equal(0, status)
    assert.is_true(json.decode(out).healthy)
  end)

  it("fits a screen", function ()
    local status, out, err = run("status", "| cat")
    assert.same({ 0, "" }, { status, err })
    assert.truthy(out:find("^  well +the store is written, cycles succeed"), out)
    assert.truthy(out:find("\n  runs +allot %S+, since %d+%-%d+%-%d+T%d+:%d+:%d+Z %("), out)
    assert.truthy(out:find("\n  plan +%S+plan.json %(%x+%), 5 consumers; policy%s+hybrid "), out)
    for line in out:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 80, line) end
    assert.truthy(out:find("biology", 1, true), out)
    assert.truthy(out:find("\nbars: # own + borrowed", 1, true), out)
    assert.is_true(select(2, out:gsub("\n", "")) < 40)
  end)

  it("begins with what is wrong, in the words of the report", function ()
    shell.run(("%s call --socket %s demand '{\"consumer\": \"/nobody\", \"slots\": 1}'"):format(
      shell.allot, service.socket))
    local row = service:call("report").rows[1]
    assert.same({ name = "clients", trouble = true,
                  text = "1 event refused since the start; each sender was told why" }, row)
    local _, out = run("status", "| cat")
    assert.equal("! clients   " .. row.text, out:match "^[^\n]+")
  end)

  it("says that nobody is there", function ()
    for _, verb in ipairs { "top", "status" } do
      local status, _, err = shell.run(shell.allot .. " " .. verb .. " --socket /nowhere")
      assert.equal(5, status)
      assert.truthy(err:find("cannot connect", 1, true), err)
    end
  end)

  local function on_terminal(name, test)
    it(name, function ()
      if not terminal.there() then return pending "tmux is not installed" end
      it_runs = terminal.start(("%s top --socket %s; stty -a | grep -o '.icanon'; echo ended")
        :format(shell.allot, service.socket))
      it_runs:wait "q quit.*"
      test(it_runs)
    end)
  end

  on_terminal("has the marks of its bars whole, as many as fit", function (t)
    for wide, last in pairs { [100] = "shared", [108] = "in flight" } do
      shell.run(("tmux -L %s resize-window -t spec -x %d -y 20"):format(t.socket, wide))
      t:wait("borrowed %S+ .*" .. last .. " *\n?")
    end
  end)

  on_terminal("moves, opens, explains, finds, and gives the terminal back", function (t)
    t:type("", "Right")
    t:wait "theory.*"
    t:type("", "Down", "Enter")
    t:wait "/physics/lattice owns 20 slots.*Esc close.*"
    t:type("", "Down")
    t:wait "/physics/theory owns 10 slots.*"
    t:type("", "Escape")
    t:wait "Enter why.*"
    t:type("/bio", "Enter")
    t:wait "\nfound.*/biology.*"
    t:type("", "Escape")
    t:wait "\nconsumer.*theory.*"
    t:type("", "Left", "Left")
    t:wait "\n%+ physics.*"
    t:type("q", nil)
    t:wait " icanon\nended.*"
  end)

  on_terminal("has the tasks of what it explains", function (t)
    service:call("start", { id = "j1", consumer = "/biology", slots = 3, started = 1764316800 })
    service:call("task", { id = "j2", consumer = "/biology", slots = 1, state = "pending" })
    t:type("", "Down", "Enter")
    t:wait("/biology owns 20 slots.*\nTasks:\n  j1: 3 slots, "
      .. "running since 2025%-11%-28T08:00:00Z\n.*")
    t:wait "\n  j2: 1 slot, pending.*"
    for _, id in ipairs { "j1", "j2" } do service:call("finish", { id = id }) end
    t:type("", "Escape")
    t:wait "Enter why.*"
  end)

  on_terminal("follows what happens, and the terminal's size", function (t)
    service:call("demand", { consumer = "/students", slots = 9 })
    t:wait "students[^\n]* 9 +9 +9.*"
    shell.run(("tmux -L %s resize-window -t spec -x 60 -y 20"):format(t.socket))
    t:wait "students.*"
    local screen = t:screen()
    for line in screen:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 60, screen) end
    service:call("demand", { consumer = "/students", slots = 0 })
  end)

  on_terminal("gives the terminal back when it is killed", function (t)
    t:type("", "C-c")
    t:wait " icanon\nended.*"
  end)
end)

describe("a service seen over TCP", function ()
  local service, address, folder

  setup(function ()
    folder = shell.directory()
    shell.write(folder .. "/token", "sesame-sesame-sesame\n")
    shell.write(folder .. "/thief", "sesame-sesame-sesamo\n")
    address = "127.0.0.1:" .. require "spec.support.service.live".free_port()
    service = live.start(nil, ("--tcp %s --token-file %s/token"):format(address, folder))
    service:call("demand", { consumer = "/biology", slots = 26 })
    service:call("cycle")
  end)
  teardown(function ()
    service:stop()
    shell.remove(folder)
  end)

  local function run(verb, token, words)
    return shell.run(("LC_ALL=C %s %s --socket %s %s %s"):format(shell.allot, verb, address,
      token and "--token-file " .. folder .. "/" .. token or "", words or ""))
  end

  it("shows itself to who has the token", function ()
    local status, out, err = run("top", "token", "| cat")
    assert.same({ 0, "" }, { status, err })
    assert.truthy(out:find("60 slots: 26 allocated, 34 idle; demand 31", 1, true), out)
    status, out, err = run("status", "token", "| cat")
    assert.same({ 0, "" }, { status, err })
    assert.truthy(out:find("^  well "), out)
    status, out = run("status", "token", "--format json")
    assert.equal(0, status)
    assert.is_true(json.decode(out).healthy)
    status, out = shell.run(("ALLOT_SOCKET=%s ALLOT_TOKEN_FILE=%s/token %s status --format json")
      :format(address, folder, shell.allot))
    assert.equal(0, status)
    assert.is_true(json.decode(out).healthy)
  end)

  it("follows what happens on a terminal", function ()
    if not terminal.there() then return pending "tmux is not installed" end
    local it_runs = terminal.start(("%s top --socket %s --token-file %s/token; echo ended"):format(
      shell.allot, address, folder))
    it_runs:wait "q quit.*"
    service:call("demand", { consumer = "/students", slots = 7 })
    it_runs:wait "students[^\n]* 7 +7 +7.*"
    it_runs:type("q", nil)
    it_runs:wait "ended.*"
    it_runs:close()
  end)

  it("says nothing to who has not, and why", function ()
    for _, verb in ipairs { "top", "status" } do
      local _, out, err = run(verb, nil, "| cat")
      assert.equal("", out)
      assert.truthy(err:find('call "auth" with the token first [E-service]', 1, true), err)
      local status
      status, out, err = run(verb, "thief")
      assert.same({ 1, "" }, { status, out })
      assert.truthy(err:find("this is not the token [E-service]", 1, true), err)
      status, out, err = run(verb, "gone")
      assert.same({ 5, "" }, { status, out })
      assert.truthy(err:find("gone", 1, true), err)
    end
  end)
end)
