-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Runs programs and the command `allot` for specs.

local shell = {}

shell.build = os.getenv("ALLOT_BUILD") or "build/dev"
shell.plain = os.getenv("ALLOT_PLAIN") or "build/plain"
shell.allot = shell.build .. "/bin/allot"

function shell.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

function shell.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

function shell.exists(path)
  local file = io.open(path, "rb")
  return file ~= nil and file:close()
end

--- Whether the build is sanitized: such a program keeps what it freed, so its size says nothing.
function shell.is_sanitized()
  return (shell.run("grep -q __asan_init " .. shell.allot)) == 0
end

function shell.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- A new directory; ends with shell.remove.
function shell.directory()
  local pipe = assert(io.popen("mktemp -d"))
  local path = pipe:read("l")
  pipe:close()
  return path
end

function shell.remove(directory)
  os.execute("rm -rf " .. shell.quote(directory))
end

--- Runs a line of shell without the sanitizer that this process may have been started with.
-- Returns the exit status, standard output and standard error.
function shell.run(line)
  local err = os.tmpname()
  local full = ("unset LD_PRELOAD; ASAN_OPTIONS=detect_leaks=1; export ASAN_OPTIONS; "
    .. "{ %s\n} 2> %s; status=$?; echo; echo $status"):format(line, err)
  local pipe = assert(io.popen(full))
  local text = pipe:read("a")
  pipe:close()
  local out, status = text:match("^(.*)\n(%d+)\n$")
  local diagnostics = shell.read(err)
  os.remove(err)
  return tonumber(status), out, diagnostics
end

--- The lines that a command prints; the command must succeed.
function shell.lines(line)
  local status, out, err = shell.run(line)
  assert(status == 0, line .. ": " .. err)
  local list = {}
  for each in out:gmatch("[^\n]+") do
    list[#list + 1] = each
  end
  return list
end

--- Runs `allot` with words.
function shell.command(...)
  local words = { ... }
  for i, word in ipairs(words) do
    words[i] = shell.quote(word)
  end
  return shell.run(shell.allot .. " " .. table.concat(words, " "))
end

return shell
