-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The clients under examples/clients, against a real service: ask, batch, subscribe, go on.

local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 30, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 20, "grace": 1}, {"name": "b", "owned": 10, "grace": 1}]}]]

local PYTHON = [==[
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/examples/clients")
import allot
service = allot.Service(sys.argv[2])
decisions = service.subscribe(since=1)
print(service.send("demand", consumer="/a", slots=5, key="one")["seq"])
print(service.send("demand", consumer="/a", slots=5, key="one")["seq"])
first = decisions.poll(60)
print(first["seq"], [(it["consumer"], it["slots"]) for it in first["grants"]])
told = service.batch([("demand", {"consumer": "/b", "slots": 3}),
                      ("demand", {"consumer": "/x", "slots": 1})])
print(told[0]["seq"], type(told[1]).__name__, told[1].code)
try:
    service.call("nonsense")
except allot.Error as error:
    print(error.code)
second = decisions.poll(60)
print(second["seq"], [(it["consumer"], it["slots"]) for it in second["grants"]])
print(service.batch([]), decisions.poll(0.05))
again = allot.Service(sys.argv[2]).subscribe(since=1)
print([again.poll(60)["seq"], again.poll(60)["seq"]])
]==]

local LUA = [==[
package.path = arg[1] .. "/examples/clients/?.lua;" .. package.path
local client = require "allot_client"
local service = client.connect(arg[2])
local decisions = service:subscribe(1)
local function grants(it)
  local list = {}
  for i, each in ipairs(it.grants) do list[i] = ("('%s', %d)"):format(each.consumer, each.slots) end
  return "[" .. table.concat(list, ", ") .. "]"
end
print(service:send("demand", { consumer = "/a", slots = 5, key = "one" }).seq)
print(service:send("demand", { consumer = "/a", slots = 5, key = "one" }).seq)
local first = decisions:poll(60)
print(first.seq, grants(first))
local told = service:batch { { "demand", { consumer = "/b", slots = 3 } },
                             { "demand", { consumer = "/x", slots = 1 } } }
print(told[1].result.seq, "Error", told[2].error.code)
local result, message, code = service:call("nonsense")
print(code, result, #message > 0)
local second = decisions()
print(second.seq, grants(second))
print(decisions:poll(0.05))
local again = client.connect(arg[2]):subscribe(1)
print(again:poll(60).seq, again:poll(60).seq)
print(client.connect("/nowhere/sock"):call("ping"))
]==]

-- Both hear three decisions; the service is killed and started behind the second, and behind the
-- third its store is restored as it was behind the first. Each step waits for the other's file.
local HEARS = {
  python = [==[
import os, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/examples/clients")
import allot
def step(name):
    open(sys.argv[3] + "/" + name, "w").close()
    while not os.path.exists(sys.argv[3] + "/" + name + "-done"):
        time.sleep(0.01)
service = allot.Service(sys.argv[2])
decisions = service.subscribe(since=1)
def hear(slots):
    service.send("demand", consumer="/a", slots=slots)
    print(decisions.poll(60)["seq"])
hear(1)
step("copy")
hear(2)
step("again")
hear(3)
step("restore")
try:
    print(decisions.poll(60))
except allot.Restored as told:
    print("restored", told.told["newest"])
hear(5)
]==],
  lua = [==[
package.path = arg[1] .. "/examples/clients/?.lua;" .. package.path
local client = require "allot_client"
local function step(name)
  io.open(arg[3] .. "/" .. name, "w"):close()
  while not io.open(arg[3] .. "/" .. name .. "-done") do os.execute "sleep 0.01" end
end
local service = client.connect(arg[2])
local decisions = service:subscribe(1)
local function hear(slots)
  assert(service:send("demand", { consumer = "/a", slots = slots }))
  print(assert(decisions:poll(60)).seq)
end
hear(1)
step "copy"
hear(2)
step "again"
hear(3)
step "restore"
local _, why = decisions:poll(60)
print(why, decisions.next - 1)
hear(5)
]==],
}
local RESTORES = [==[
wait_for() {
  for i in $(seq 3000); do [ -e "$DIR/$1" ] && return; sleep 0.01; done; exit 9
}
begin_anew() { kill -9 $SERVICE; wait $SERVICE; $1; start; }
restore() { rm -f "$STORE"*; cp "$DIR/copy.db" "$STORE"; }
start; $CLIENT "$DIR/it" "$HERE" "$SOCK" "$DIR" & IT=$!
wait_for copy; python3 -c 'import sqlite3, sys
sqlite3.connect(sys.argv[1]).execute("VACUUM INTO ?", (sys.argv[2],))' "$STORE" "$DIR/copy.db"
touch "$DIR/copy-done"
wait_for again; begin_anew true 2> /dev/null; touch "$DIR/again-done"
wait_for restore; begin_anew restore 2> /dev/null; touch "$DIR/restore-done"
wait $IT && stop
]==]

describe("clients", function ()
  local world = service.world(PLAN)
  local run = world.run

  it("in Python", function ()
    shell.write(world.folder .. "/it.py", PYTHON)
    local out = run 'start && python3 -I $DIR/it.py "$HERE" "$SOCK" && stop'
    if out then
      assert.equal("1\n1\n1 [('/a', 5)]\n2 Error -32006\n-32601\n2 [('/b', 3)]\n[] None\n[1, 2]\n",
                   out)
    end
  end)

  it("in Lua", function ()
    shell.write(world.folder .. "/it.lua", LUA)
    local out = run 'start && lua5.4 $DIR/it.lua "$HERE" "$SOCK" && stop'
    if out then
      assert.equal("1\n1\n1\t[('/a', 5)]\n2\tError\t-32006\n-32601\tnil\ttrue\n"
        .. "2\t[('/b', 3)]\nnil\n"
        .. "1\t2\nnil\tconnection refused\tnil\n", (out:gsub("No such file or directory",
                                                        "connection refused")))
    end
  end)

  it("notice that a store was restored, and not that a service began anew", function ()
    shell.write(world.folder .. "/it", HEARS.python)
    local out = run('CLIENT="python3 -I";' .. RESTORES)
    if out then
      assert.equal("1\n2\n3\nrestored 1\n2\n", out)
    end
  end)

  it("notice so in Lua", function ()
    shell.write(world.folder .. "/it", HEARS.lua)
    local out = run("CLIENT=lua5.4;" .. RESTORES)
    if out then
      assert.equal("1\n2\n3\nrestored\t1\n2\n", out)
    end
  end)

  it("speak over TCP with the token", function ()
    local out = run("port=" .. live.free_port() .. [[;
      echo 0123456789abcdef > "$DIR/token"; echo 0123456789abcdeX > "$DIR/wrong"
      start --tcp 127.0.0.1:$port --token-file "$DIR/token" || exit 1
      "$ALLOT" call --socket 127.0.0.1:$port cycle --token-file "$DIR/token" || exit 2
      "$ALLOT" call --socket 127.0.0.1:$port cycle --token-file "$DIR/wrong"; echo $?
      "$ALLOT" call --socket 127.0.0.1:$port cycle; echo $?
      python3 -B -c 'import sys; sys.path.insert(0, "examples/clients"); import allot
print(allot.Service("127.0.0.1:" + sys.argv[1], "0123456789abcdef").call("ping"))' $port
      stop]])
    if out then
      assert.truthy(out:find("^%b{}\n1\n1\n%b{}\n$"), out)
    end
  end)

  it("that are resource managers honour reclaims and graces", function ()
    local out, err = run [[
      start || exit 1
      manage() {
        python3 -B examples/clients/manager.py --socket "$SOCK" --leaf /b --file "$DIR/kept" \
          --length 3000 "$@"
      }
      manage --until started=30 --every 0.02 > "$DIR/first" || exit 2
      grep -q '"grants": *\[{' "$DIR/first" || exit 3
      call demand '{"consumer": "/a", "slots": 20}' > /dev/null
      manage --until killed=20 --every 6000 || exit 4
      stop]]
    if out then
      assert.truthy(out:find('"reclaims": *%[{'), out)
      local counts = {}
      for started, killed in err:gmatch('"started": (%d+).-"killed": (%d+)') do
        counts[#counts + 1] = { tonumber(started), tonumber(killed) }
      end
      -- 30 slots are all there are; 20 of them belong to who wants them now.
      assert.same({ { 30, 0 }, { 0, 20 } }, counts)
    end
  end)
end)
