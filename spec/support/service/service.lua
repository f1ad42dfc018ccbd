-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A running service for specs, in a PID namespace of its own: whatever happens, nothing is left.

local busted = require "busted"
local dkjson = require "dkjson"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

local service = {}

-- As nobody but its own user, which is root there alone; what is mounted there is there alone too.
local NAMESPACE = "unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc "

--- Whether a line of shell can be run there; without one whether anything can.
function service.is_allowed(line)
  return (shell.run(NAMESPACE .. (line or "true") .. " >/dev/null 2>&1")) == 0
end

--- Runs a line of shell there; $DIR/log of the folder is what services said.
function service.enclose(folder, line)
  local status, out, err = shell.run("export ASAN_OPTIONS=detect_leaks=0; " .. NAMESPACE .. line)
  local log = folder .. "/log"
  heard(err .. out .. (shell.exists(log) and shell.read(log) or ""))
  return status, out, err
end

--- For a `describe`: each of its tests has a folder of its own, `folder`; run(script) and
-- run_line(line) are service.run there with that plan and service.enclose, which must succeed.
-- Standard output and error; nil where the system does not allow it: the test is pending.
function service.world(plan)
  local world = {}
  busted.before_each(function () world.folder = shell.directory() end)
  busted.after_each(function () shell.remove(world.folder) end)

  local function sound(run, ...)
    if not service.is_allowed() then
      busted.pending "unshare is not allowed here: no service ran"
      return nil
    end
    local status, out, err = run(world.folder, ...)
    assert(status == 0, ("status %d: %s%s"):format(status, err, out))
    return out, err
  end

  function world.run(script) return sound(service.run, plan, script) end
  function world.run_line(line) return sound(service.enclose, line) end
  return world
end

--- Declares specs about what a service left that ran before them all, if has_run() says it did.
function service.it_ran(has_run)
  return function (name, test)
    busted.it(name, function ()
      if not has_run() then
        return busted.pending "unshare is not allowed here: no service ran"
      end
      test()
    end)
  end
end

-- $ALLOT, $DIR, $PLAN, $SOCK, $STORE and $SERVICE, its process, are there for the script.
local FRAME = [[
start() {
  "$ALLOT" serve "$PLAN" --socket "$SOCK" --store "$STORE" "$@" 2>> "$DIR/log" & SERVICE=$!
  for i in $(seq 3000); do
    "$ALLOT" call --socket "$SOCK" ping > "$DIR/ping" 2>&1 && return
    kill -0 $SERVICE 2>/dev/null || { cat "$DIR/log" >&2; exit 99; }
    sleep 0.02
  done
  cat "$DIR/ping" "$DIR/log" >&2
  exit 98
}
call() { "$ALLOT" call --socket "$SOCK" "$@"; }
stop() { kill -TERM $SERVICE; wait $SERVICE; }
]]

--- Runs a script of shell in a folder with a plan (its text): `start WORD...`, `call METHOD PARAMS`
-- and `stop` are there. Returns the exit status, standard output and standard error.
function service.run(folder, plan, script)
  local here = shell.lines("pwd")[1]
  local command = shell.allot:sub(1, 1) == "/" and shell.allot or here .. "/" .. shell.allot
  shell.write(folder .. "/plan.json", plan)
  shell.write(folder .. "/script.sh", ("ALLOT=%s DIR=%s PLAN=$DIR/plan.json SOCK=$DIR/sock "
    .. "STORE=$PLAN.db HERE=%s\n"):format(command, folder, here) .. FRAME .. script)
  return service.enclose(folder, "timeout 600 sh " .. folder .. "/script.sh")
end

--- What a scenario of serve.py found.
function service.play(scenario)
  local status, out, err = shell.run(
    ("timeout 600 python3 spec/support/service/serve.py %s %s"):format(shell.allot, scenario))
  assert(status == 0 and err == "", err)
  local told = assert(dkjson.decode(out))
  heard(told.said)
  return told.found
end

--- A copy of the folder's store after some SQL: its path.
function service.altered(folder, sql)
  local copy = folder .. "/copy.db"
  shell.lines(("rm -f %s*; cp %s/plan.json.db %s; cp %s/plan.json.db-wal %s-wal || :")
    :format(copy, folder, copy, folder, copy))
  local script = "import sqlite3, sys\nit = sqlite3.connect(sys.argv[1])\n"
    .. "it.executescript(sys.argv[2])\nit.commit()\n"
  shell.lines(("python3 -c %s %s %s"):format(shell.quote(script), copy, shell.quote(sql)))
  return copy
end

return service
