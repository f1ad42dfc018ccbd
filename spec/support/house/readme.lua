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

--- What a command line of the README prints; `allot` is the path of the command, which may take its
-- time.
function readme.output(command, allot)
  command = command:gsub("^allot check", "%0 --seconds 0")
  local pipe = assert(io.popen("unset LD_PRELOAD; " .. command:gsub("^allot", allot) .. " 2>&1"))
  local printed = pipe:read("a")
  pipe:close()
  return printed
end

function readme.read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

if arg and arg[0] and arg[0]:find("readme.lua", 1, true) then
  local path = assert(arg[2], "a README is wanted")
  local text = readme.map(readme.read(path), function (command)
    return readme.output(command, assert(arg[1], "the path of the command is wanted"))
  end)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

return readme
