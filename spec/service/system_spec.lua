-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a service is to the system that runs it: its manager, its user, its limits, its variables;
-- and the systemd unit, which systemd itself reads, where it is there.

local dkjson = require "dkjson"
local service = require "spec.support.service.service"
local shell = require "spec.support.house.shell"

local PLAN = [[{"version": 1, "slots": 10, "policy": "hybrid", "consumers": [
  {"name": "a", "owned": 10}]}]]

local function has(tool)
  return (shell.run("command -v " .. tool .. " >/dev/null")) == 0
end

describe("a service", function ()
  local world = service.world(PLAN)
  local run = world.run

  for kind, address in pairs { path = '"$DIR/notify"', abstract = '"@allot-$$"' } do
    it("tells its manager what it does, over an address that is " .. kind, function ()
      local out = run(([[
        python3 -B "$HERE/spec/support/service/manager.py" %s "$ALLOT" serve "$PLAN" \
          --socket "$SOCK" 2> "$DIR/log" || { cat "$DIR/log" >&2; exit 1; }]]):format(address))
      if not out then
        return
      end
      local at, ready, reloading, last = 0, {}, nil, nil
      for lines in out:gmatch "%b[]" do
        at, last = at + 1, lines
        if lines:find("'READY=1'", 1, true) then ready[#ready + 1] = at end
        -- Both in one datagram.
        if lines:find("'RELOADING=1', 'MONOTONIC_USEC=%d+'") then reloading = at end
      end
      assert.equal(1, ready[1])
      assert.truthy(reloading and ready[1] < reloading and reloading < ready[#ready], out)
      assert.truthy(last:find("'STOPPING=1'", 1, true), out)
      assert.truthy(out:find("'STATUS=0 events, 0 decisions, ", 1, true), out)
      assert.truthy(out:find("ended 0\n", 1, true), out)
    end)
  end

  it("goes on where its manager cannot be told, and says so once", function ()
    local _, err = run [[
      export NOTIFY_SOCKET=/nowhere/notify WATCHDOG_USEC=20000
      start && sleep 0.3 && call ping > /dev/null && stop; cat "$DIR/log" >&2]]
    if err then
      local _, count = err:gsub("the service manager cannot be told", "")
      assert.equal(1, count)
      assert.truthy(err:find("no such file or directory", 1, true), err)
    end
  end)

  it("is told by variables what options say", function ()
    local out = run [[
      ALLOT_SOCKET="$DIR/other" ALLOT_STORE="$DIR/it.db" ALLOT_LOG=json ALLOT_CLIENTS=1 \
        "$ALLOT" serve "$PLAN" 2> "$DIR/log" & SERVICE=$!
      for i in $(seq 3000); do [ -S "$DIR/other" ] && break; sleep 0.02; done
      ALLOT_SOCKET="$DIR/other" "$ALLOT" call ping > /dev/null || exit 1
      [ -f "$DIR/it.db" ] || exit 2
      stop; head -n 1 "$DIR/log"]]
    if out then
      assert.equal("{", out:sub(1, 1))
    end
  end)

  it("raises the limit of open files, or says that it may not", function ()
    local out = run [[
      ulimit -Sn 64
      start --clients 300 || exit 1
      grep 'Max open files' /proc/$SERVICE/limits | tr -s ' '
      stop
      start --clients 300 --http 0 || exit 2
      grep 'Max open files' /proc/$SERVICE/limits | tr -s ' '
      stop
      grep -c W-files "$DIR/log"
      ulimit -Hn 100; start --clients 300 || exit 3
      grep 'Max open files' /proc/$SERVICE/limits | tr -s ' '
      stop
      cat "$DIR/log"]]
    if out then
      assert.truthy(out:find("Max open files 428 ", 1, true), out)
      assert.truthy(out:find("Max open files 1076 ", 1, true), out)
      assert.truthy(out:find("\n0\n", 1, true), out)
      assert.truthy(out:find("Max open files 100 100 ", 1, true), out)
      local wanted, clients = out:match("all connections take (%d+) open files, and the system "
        .. "allows 100: at most (%d+) clients and 0 viewers at once")
      assert.is_true(tonumber(wanted) > 300 and tonumber(clients) > 20, out)
      assert.truthy(out:find("W-files", 1, true))
    end
  end)

  -- A listener that cannot accept and is asked again at once would take all of a processor.
  for scenario, limit in pairs { out_of_files = "ulimit -n 64", starved = "true" } do
    it("serves whom it has, spins not, and recovers: " .. scenario, function ()
      local out = run(([[
        printf '#!/bin/sh\n%s\nexec "%%s" "$@"\n' "$ALLOT" > "$DIR/limited"
        chmod +x "$DIR/limited"; ALLOT=$DIR/limited
        start --http 0 || exit 1
        port=$(call status | sed 's/.*"http": {[^}]*"port": \([0-9]*\).*/\1/')
        python3 -B "$HERE/spec/support/service/flood.py" %s $SERVICE $port "$SOCK" 100
        stop; cat "$DIR/log" >&2]]):format(limit, scenario))
      if out then
        local told = assert(dkjson.decode(out:match "%b{}"), out)
        -- Of a hundred looks: who spins is always running, who waits hardly ever.
        assert.is_true(told.asleep >= 25, out)
        assert.is_true(told.served >= 1 and told.served < told.came, out)
        assert.equal(200, told.well)
        assert.is_true(told.decides)
      end
    end)
  end

  it("needs no root", function ()
    if shell.lines("id -u")[1] ~= "0" then
      return -- all of the others have shown it
    end
    if shell.run("unshare --pid --fork --kill-child setpriv --reuid=65534 --regid=65534 "
      .. "--clear-groups true") ~= 0 then
      return pending("nobody else can be: the service ran as root")
    end
    local here = shell.lines("pwd")[1]
    local readable = shell.run(("setpriv --reuid=65534 --regid=65534 --clear-groups %s version")
      :format(shell.allot)) == 0
    if not readable then
      return pending("the build is not readable to others than root")
    end
    local folder = world.folder
    shell.write(folder .. "/plan.json", PLAN)
    shell.lines(("chmod 755 %s && mkdir %s/home && chown 65534 %s/home"):format(folder, folder,
                                                                               folder))
    shell.write(folder .. "/script.sh", ([[
      cd %s; export ASAN_OPTIONS=detect_leaks=0
      "%s" serve %s/plan.json --socket sock --store it.db 2> log & it=$!
      for i in $(seq 3000); do [ -S sock ] && break; sleep 0.02; done
      "%s" call --socket sock demand '{"consumer": "/a", "slots": 3}' || { cat log >&2; exit 1; }
      stat -c '%%U %%a' sock; grep '^Uid' /proc/$it/status | cut -f 2
      kill -TERM $it; wait $it]]):format(
      folder .. "/home", shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot,
      folder, shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot))
    local status, out, err = shell.run("unshare --pid --fork --kill-child --mount-proc setpriv "
      .. "--reuid=65534 --regid=65534 --clear-groups timeout 600 sh " .. folder .. "/script.sh")
    assert.equal(0, status, err .. out)
    assert.truthy(out:find("nobody 600\n65534\n", 1, true), out)
  end)
end)

describe("allot.service", function ()
  local folder, unit, text

  setup(function ()
    -- The command of this build in place of the one that is not installed.
    folder = shell.directory()
    unit = folder .. "/allot.service"
    local here = shell.lines("pwd")[1]
    text = shell.read(shell.build .. "/allot.service")
    local command = shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot
    shell.write(unit, (text:gsub("(\n%s*Exec%a+=)%S+", "%1" .. command:gsub("%%", "%%%%"))))
  end)

  teardown(function ()
    shell.remove(folder)
  end)

  it("says what the service does", function ()
    for _, line in ipairs {
      "Type=notify", "WatchdogSec=30", "LimitNOFILE=8192",
      "User=allot", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=",
    } do
      assert.truthy(("\n" .. text):find("\n" .. line .. "\n", 1, true), line)
    end
    assert.truthy(text:find("ExecStart=/%S+/bin/allot serve %$ALLOT_PLAN\n"))
    -- It asks, waits, and fails where the reload does (standing_in_spec).
    assert.truthy(text:find("ExecReload=/%S+/bin/allot call reload\n"))
  end)

  it("is a unit to systemd", function ()
    if not has "systemd-analyze" then
      return pending("systemd-analyze is not installed: not verified")
    end
    local status, out, err = shell.run("systemd-analyze verify --man=no " .. unit)
    assert.equal("", out .. err)
    assert.equal(0, status)
    -- It notices what is none.
    shell.write(folder .. "/wrong.service", "[Service]\nType=notifyy\nExecStart=/bin/true\n")
    local _
    _, out, err = shell.run("systemd-analyze verify --man=no " .. folder .. "/wrong.service")
    assert.truthy((out .. err):find("notifyy", 1, true))
  end)

  it("has one beside it for Slurm", function ()
    if not has "systemd-analyze" then
      return pending("systemd-analyze is not installed: not verified")
    end
    local slurm = shell.read(shell.build .. "/allot-slurm.service")
    local beside = folder .. "/allot-slurm.service"
    assert.truthy(slurm:find("ExecStopPost=/%S+/bin/allot slurm %-%-open %$ALLOT_PLAN\n"))
    local command = text:match "ExecStart=(%S+)"
    slurm = slurm:gsub(command:gsub("%p", "%%%0"), (shell.read(unit):match "ExecStart=(%S+)"))
    shell.write(beside, slurm)
    local status, out, err = shell.run("systemd-analyze verify --man=no " .. beside)
    assert.equal("", out .. err)
    assert.equal(0, status)
  end)

  it("leaves the service little to do harm with", function ()
    if not has "systemd-analyze" then
      return pending("systemd-analyze is not installed: not verified")
    end
    -- Tenths of 10, which is a service without any restriction.
    local status, out = shell.run("systemd-analyze security --offline=true --threshold=15 " .. unit)
    assert.equal(0, status, out)
  end)
end)
