-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A PostgreSQL server of a spec's own: initdb in a folder, a Unix socket, an ordinary user. Needs
--- Debian's postgresql; where that or libpq is missing, specs say so and are left out.

local busted = require "busted"
local dkjson = require "dkjson"
local heard = require "spec.support.house.heard"
local shell = require "spec.support.house.shell"

local postgres = {}
postgres.__index = postgres

--- Where the server's programs are; nil: nowhere.
function postgres.bin()
  return shell.lines("ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1 || :")[1]
end

--- initdb refuses root.
local function user()
  return shell.lines("id -u")[1] == "0" and "setpriv --reuid=65534 --regid=65534 --clear-groups "
    or ""
end

--- Runs a program such that all that it starts ends with it; an ordinary user stays one.
function postgres.namespace()
  return user() ~= "" and "unshare --pid --fork --kill-child --mount-proc"
    or "unshare --user --map-current-user --pid --fork --kill-child --mount-proc"
end

--- Why there is no server; nil: there may be one.
function postgres.missing()
  local _, _, err = shell.command("replay", "postgresql:///none?host=/none")
  if err:find("built without", 1, true) or err:find("needs libpq", 1, true) then
    return "allot has no PostgreSQL here"
  end
  return not postgres.bin() and "Debian's postgresql is not installed" or nil
end

--- What a program here in Python found, which starts servers and services; its words are `format`
-- with the command, a folder and the server's programs. `before` is shell in its namespace, where
-- FOLDER is that folder. nil: the system does not allow it, and the test is pending.
function postgres.play(format, before)
  local missing = postgres.missing()
  before = before or "true"
  if not missing and (shell.run(postgres.namespace() .. " true")) ~= 0 then
    missing = "unshare is not allowed here"
  end
  if missing then
    busted.pending(missing)
    return nil
  end
  local folder = shell.directory()
  local line = before:gsub("FOLDER", folder) .. " && exec python3 -B spec/support/service/"
    .. format:format(shell.allot, folder, postgres.bin())
  local status, out, err = shell.run("export ASAN_OPTIONS=detect_leaks=0; timeout 3500 "
    .. postgres.namespace() .. " sh -c " .. shell.quote(line))
  for _, name in ipairs { "a", "b" } do
    local log = ("%s/%s/log"):format(folder, name)
    heard(shell.exists(log) and shell.read(log) or "")
  end
  shell.remove(folder)
  assert(status == 0, err .. out)
  return assert(dkjson.decode(out), out), out
end

--- Starts one; `url` is the store's, `folder` has its socket.
function postgres.start()
  local folder = shell.directory()
  local self = setmetatable({ folder = folder, url = "postgresql:///postgres?user=allot&host="
    .. folder }, postgres)
  shell.lines(("chmod 755 %s; mkdir %s/pg; %s"):format(folder, folder,
    user() ~= "" and "chown 65534:65534 " .. folder .. "/pg " .. folder or ":"))
  shell.lines(("cd /; %s %s/initdb -D %s/pg/data -N -A trust -U allot -E UTF8 --locale=C.UTF-8")
    :format(user(), postgres.bin(), folder))
  shell.write(folder .. "/conf", ("listen_addresses = ''\nfsync = off\n"
    .. "unix_socket_directories = '%s'\n"):format(folder))
  shell.lines(("cat %s/conf >> %s/pg/data/postgresql.conf"):format(folder, folder))
  self:run "start"
  return self
end

--- pg_ctl.
function postgres:run(words)
  shell.lines(("cd /; %s %s/pg_ctl -D %s/pg/data -l %s/pg/log -w %s"):format(user(), postgres.bin(),
    self.folder, self.folder, words))
end

--- What SQL says, a line a row.
function postgres:ask(sql)
  return shell.lines(("PGOPTIONS=-csearch_path=allot %s/psql -qAtXh %s -U allot postgres -c %s")
    :format(postgres.bin(), self.folder, shell.quote(sql)))
end

--- A new store in the same server.
function postgres:clear()
  self:ask "SET client_min_messages = error; DROP SCHEMA IF EXISTS allot CASCADE"
end

function postgres:stop()
  self:run "-m immediate stop"
  shell.remove(self.folder)
end

return postgres
