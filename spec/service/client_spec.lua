-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot call`, where there is nobody to ask, or one who answers what he likes.

local shell = require "spec.support.house.shell"

-- A service that answers every line with the same text.
local STUB = [[
import socket, sys
server = socket.socket(socket.AF_UNIX if "/" in sys.argv[1] else socket.AF_INET)
server.bind(sys.argv[1] if "/" in sys.argv[1] else ("127.0.0.1", int(sys.argv[1])))
server.listen(1)
print("ready", flush=True)
peer, _ = server.accept()
line = peer.makefile("rb").readline()
sys.stderr.write(line.decode())
peer.sendall(sys.argv[2].encode())
]]

local function asked(answer, ...)
  local folder = shell.directory()
  shell.write(folder .. "/stub.py", STUB)
  local words = { ... }
  for i, word in ipairs(words) do
    words[i] = shell.quote(word)
  end
  local status, out, err = shell.run(([[
    python3 -I %s/stub.py %s/sock %s > %s/ready 2> %s/heard & stub=$!
    for i in $(seq 3000); do [ -s %s/ready ] && break; sleep 0.02; done
    %s call --socket %s/sock %s; status=$?; wait $stub; (exit $status)]]):format(
    folder, folder, shell.quote(answer), folder, folder, folder, shell.allot, folder,
    table.concat(words, " ")))
  local heard = shell.read(folder .. "/heard")
  shell.remove(folder)
  return status, out, err, heard
end

describe("call", function ()
  it("needs to know where", function ()
    local status, _, err = shell.run("unset ALLOT_SOCKET; " .. shell.allot .. " call status")
    assert.equal(2, status)
    assert.truthy(err:find("--socket says where the service listens: /path or host:port", 1, true))
    assert.truthy(err:find("or ALLOT_SOCKET=ADDRESS", 1, true))
  end)

  it("has all that can be called in its help, and in the service's README", function ()
    local _, help = shell.command("help", "call")
    local readme = shell.read "core/service/README.md"
    local names = {}
    for name in shell.read "core/service/events/event.h":gmatch 'XX%(%u[%u_]+, +"([%l_]+)", +0, ' do
      names[#names + 1] = name
    end
    for name in shell.read "core/service/methods.c":gmatch '\n    {"([%l_]+)", [%l_]+, ' do
      names[#names + 1] = name
    end
    assert.is_true(#names > 25)
    for _, name in ipairs(names) do
      assert.truthy(help:find("%f[%w_]" .. name .. "%f[^%w_]"), name .. " in help")
      assert.truthy(readme:find("`" .. name .. "`", 1, true), name .. " in core/service/README.md")
    end
  end)

  it("tells that nobody listens", function ()
    for address, words in pairs {
      ["/nowhere/allot.sock"] = "cannot connect: No such file or directory",
      ["127.0.0.1:1"] = "cannot connect: Connection refused",
      ["[::1]:1"] = "cannot connect: ",
      ["/" .. ("x"):rep(200)] = "cannot connect: File name too long",
      ["127.0.0.1:http-no"] = "cannot connect: ",
    } do
      local status, _, err = shell.command("call", "--socket", address, "status")
      assert.equal(5, status)
      assert.truthy(err:find(words, 1, true), err)
      assert.truthy(err:find("[E-connection]", 1, true), err)
    end
  end)

  it("takes an object", function ()
    local status, _, err = shell.command("call", "--socket", "/nowhere", "demand", "[1]")
    assert.equal(2, status)
    assert.truthy(err:find("PARAMS is a JSON object", 1, true))
    status, _, err = shell.command("call", "--socket", "/nowhere", "demand", "{")
    assert.equal(3, status)
    assert.truthy(err:find("PARAMS:1:", 1, true))
  end)

  it("prints the result", function ()
    local status, out, err, heard = asked(
      '{"jsonrpc": "2.0", "method": "decision", "params": {"result": 1}}\n'
      .. '{"jsonrpc": "2.0", "id": 1, "result": {"a\\"}": [1, {"b": "}"}]}, "x": 2}\n',
      "demand", '{"consumer": "/a",\n "slots": 4}')
    assert.equal("", err)
    assert.equal(0, status)
    assert.equal('{"a\\"}": [1, {"b": "}"}]}\n', out)
    assert.equal('{"jsonrpc": "2.0", "id": 1, "method": "demand", '
      .. '"params": {"consumer": "/a",  "slots": 4}}\n', heard)
  end)

  it("tells what is refused", function ()
    local answer = '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": '
      .. '"slots: found \\"x\\"", "data": {"code": "E-range", "hint": "a number"}}}\n'
    local status, out, err = asked(answer, "demand")
    assert.equal(1, status)
    assert.equal("", out)
    assert.truthy(err:find('slots: found "x" [E-range]', 1, true), err)
    assert.truthy(err:find("a number", 1, true), err)
    status, out = asked(answer, "demand", "--format", "json")
    assert.equal(1, status)
    assert.truthy(out:find('{"error": {"code": -32602', 1, true), out)
    local _
    status, _, err = asked('{"jsonrpc": "2.0", "id": 1}\n', "demand")
    assert.equal(1, status)
    assert.truthy(err:find("the service refused the request [E-service]", 1, true), err)
  end)

  it("tells that the service went away", function ()
    local status, _, err = asked('{"jsonrpc": "2.0"', "status")
    assert.equal(5, status)
    assert.truthy(err:find("the service closed the connection", 1, true), err)
  end)
end)
