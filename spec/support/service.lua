-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A running service for specs, in a PID namespace of its own: whatever happens, nothing is left.

local shell = require "spec.support.shell"

local service = {}

-- As nobody but its own user, which is root there alone.
local NAMESPACE = "unshare --user --map-root-user --pid --fork --kill-child --mount-proc "

function service.is_allowed()
  return (shell.run(NAMESPACE .. "true >/dev/null 2>&1")) == 0
end

-- $ALLOT, $DIR, $PLAN, $SOCK, $STORE and $SERVICE, its process, are there for the script.
local FRAME = [[
start() {
  "$ALLOT" serve "$PLAN" --socket "$SOCK" --store "$STORE" "$@" 2>> "$DIR/log" & SERVICE=$!
  for i in $(seq 500); do
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
  return shell.run("export ASAN_OPTIONS=detect_leaks=0; " .. NAMESPACE .. "timeout 120 sh "
    .. folder .. "/script.sh")
end

return service
