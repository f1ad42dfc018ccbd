-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The READMEs' console blocks: `$ allot ...` and what it prints.
--
-- As a program it writes what the command prints now into a README, to be read before it is
-- committed: lua5.4 spec/support/house/readme.lua build/release/bin/allot README.md

local readme = {}

--- Calls on_block(command, printed) for each block and puts what it returns in its place.
function readme.map(text, on_block)
  return (text:gsub("```console\n%$ ([^\n]+)\n(.-)```", function (command, printed)
    return ("```console\n$ %s\n%s```"):format(command, on_block(command, printed))
  end))
end

--- The README's first shell block that starts a service, or nil.
function readme.service(text)
  return text:match "```sh\n(export ALLOT_SOCKET=[^\n]*\nallot serve [^\n]* &.-)```"
end

--- A script that runs a README's `service` block in a copy of the examples, as it stands there, and
-- then the command.
local BESIDE = [[
set -e
PATH=$(cd "$(dirname %s)" && pwd):$PATH
folder=$(mktemp -d)
trap 'kill $pid; wait $pid; rm -rf "$folder"' EXIT
cp -r examples "$folder"
cd "$folder"
{
%s
allot call cycle
} >log 2>&1
%s
]]

--- It ends by itself should the shell be killed.
local function beside(service, command, allot)
  service = service:gsub("(allot serve %S+ &)[^\n]*", "timeout 600 %1 pid=$!")
  return BESIDE:format(allot, service, command)
end

local function printed_by(script)
  local pipe = assert(io.popen("unset LD_PRELOAD; exec 2>&1; " .. script))
  local printed = pipe:read("a")
  pipe:close()
  return printed
end

--- What a command line of the README prints; `allot` is the path of the command, which may take its
-- time; `service`: the README's, for a command that asks one.
function readme.output(command, allot, service)
  if command:find("--socket ", 1, true) then
    return printed_by(beside(assert(service, "no service is started"), command, allot))
  end
  command = command:gsub("^allot check", "%0 --seconds 0")
  return printed_by((command:gsub("^allot", allot)))
end

function readme.read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

if arg and arg[0] and arg[0]:find("readme.lua", 1, true) then
  local path = assert(arg[2], "a README is wanted")
  local before = readme.read(path)
  local text = readme.map(before, function (command)
    return readme.output(command, assert(arg[1], "the path of the command is wanted"),
      readme.service(before))
  end)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

return readme
