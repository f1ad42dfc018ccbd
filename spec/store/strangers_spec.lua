-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What others do beside a service: bind its path, ask half a request, write into its store.

local live = require "spec.support.service.live"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"
local socket = require "socket"
local unix = require "socket.unix"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 5}, {"name": "b", "owned": 5}]}]]

describe("a service among strangers", function ()
  local world = live.world()
  before_each(function () shell.write(world.folder .. "/plan.json", PLAN) end)

  it("leaves a socket to whom bound it since", function ()
    world.start()
    local path = world.folder .. "/sock"
    assert(os.remove(path))
    local other = (unix.stream or unix) ()
    assert(other:bind(path))
    assert(other:listen())
    world.stop()
    local peer = (unix.stream or unix) ()
    assert(peer:connect(path))
    peer:close()
    other:close()
  end)

  it("has no decisions for a subscriber beyond the next", function ()
    local it_runs = world.start()
    local _, refused = it_runs:call("subscribe", { from = 3 })
    assert.equal("E-range", refused.data.code)
    assert(it_runs:call("subscribe", { from = 1 }))
  end)

  it("answers /healthz beside requests that never end", function ()
    local port = live.free_port()
    world.start("--http 127.0.0.1:" .. port)
    local halves = {}
    for i = 1, 300 do
      halves[i] = socket.tcp()
      halves[i]:settimeout(5)
      if halves[i]:connect("127.0.0.1", port) then halves[i]:send "GET /status HT" end
    end
    for _ = 1, 3 do
      assert.same({ "200" }, shell.lines(("curl -s -o /dev/null -m 5 -w '%%{http_code}\\n' "
        .. "http://127.0.0.1:%d/healthz || :"):format(port)))
    end
    for _, half in ipairs(halves) do half:close() end
  end)
end)

describe("a store that somebody wrote into", function ()
  local world = service.world(PLAN)

  it("is damaged, and says where: no reader of it ends with a fault", function ()
    if not world.run [[start --snapshot 1 || exit 1
      for i in 1 2 3; do
        call demand "{\"consumer\": \"/a\", \"slots\": $i}" > /dev/null && call cycle > /dev/null
      done
      kill -9 $SERVICE; wait $SERVICE; true]] then
      return
    end
    for _, case in ipairs {
      { "UPDATE snapshots SET seq = 9223372036854775807", "serve",
        "`seq` of row 3 in `snapshots` is a whole number that cannot be" },
      { "ALTER TABLE cycles RENAME TO old; CREATE TABLE cycles AS SELECT * FROM old; "
        .. "DROP TABLE old; UPDATE cycles SET plan = NULL WHERE cycle = 2", "replay",
        "`plan` of row 2 in `cycles` is " },
    } do
      local store = service.altered(world.folder, case[1])
      local status, _, err = shell.run((case[2] == "serve"
        and "timeout 60 %s serve %s/plan.json --socket %s/s --store %s"
        or "timeout 60 %s replay --plan %s/plan.json --to 9 %.0s%s"):format(shell.allot,
          world.folder, world.folder, store))
      assert.equal(5, status, err)
      assert.truthy(err:find(case[3], 1, true), err)
    end
  end)
end)
