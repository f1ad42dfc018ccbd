-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The floor plan, as a test: who may include and require whom, and what every file looks like.

local circles = require "spec.support.house.circles"
local shell = require "spec.support.house.shell"

-- What a folder of core/ may include besides the public headers, and what from outside.
local FLOORS = {
  cmake = { outside = { "lua.h", "lauxlib.h" } },
  base = { "base" },
  model = { "base", "model" },
  engine = { "base", "model", "engine" },
  json = { "base", "json", outside = { "cjson/cJSON.h" } },
  simulate = { "base", "simulate", outside = { "zlib.h" } },
  script = { "base", "script", outside = { "lua.h", "lauxlib.h", "lualib.h" } },
  service = {
    "base", "service", outside = { "uv.h", "sqlite3.h", "libpq-fe.h", "libwebsockets.h" },
  },
  bench = { "base", "bench", "cli" },
  cli = { "base", "cli", "bench", outside = { "histedit.h", "expat.h", "yaml.h" } },
  test = {
    "base", "model", "engine", "json", "simulate", "script", "service", "bench", "cli", "test",
    outside = { "lua.h", "lauxlib.h", "lualib.h", "zlib.h", "uv.h", "sqlite3.h" },
  },
}

-- Public headers, each may include those before it.
local PUBLIC = {
  "report", "column", "policy", "plan", "queue", "state", "job", "decision", "dispatch",
  "lease", "members", "stated", "apply", "trace", "diff", "allot", "json", "simulate", "script",
  "tool", "repl", "service",
}

-- Folders of a floor, from the ground up: each may include headers and call functions of those
-- before it, and of its own.
local FOLDERS = {
  model = { "names", "items", "policy", "plan", "windows", "jobs", "seal", "state" },
  engine = {
    "rows", "fill", "ownership", "quota", "hosts", "reclaim", "placement", "victims", "whole",
    "follow", "jobs/limits", "jobs/preempt", "jobs", "decision", "explain", "compare",
  },
  json = { "text", "plan", "jobs", "state", "decision", "" },
  simulate = { "log", "" },
  script = { "sandbox", "policy", "module", "repl" },
  service = {
    "base", "events", "store", "books", "generation", "instance", "wire", "lists", "sync", "replay",
    "reload", "shadow", "view", "notify", "",
  },
  cli = { "term", "decide", "simulate", "diff", "author", "serve", "" },
}

-- Files that call each other in a circle: no others may, and none of more than three files.
local CIRCLES = {
  ["engine/jobs/back.c engine/jobs/fit.c"] = "what is taken back is fitted or searched for again",
  ["service/instance/clock.c service/instance/log.c"] = "a line has a time, a jump is logged",
  ["service/reload/guard.c service/reload/reload.c service/reload/step.c"]
    = "steps of one attempt, in the order in which libuv calls them",
  ["service/wire/connection.c service/wire/feed.c service/wire/rpc.c"]
    = "a line is a call, which asks what its connection may; a connection's end ends its feed",
}

-- Folders of lua/allot, from the ground up: each may require modules of those before it, and of its
-- own. "" is lua/allot itself.
local LUA = {
  "language", "fixture", "reference/api", "reference", "check", "repl", "explain", "text", "import",
  "plot", "top", "service", "slurm", "command", "bench", "",
}

-- Modules written in C, and the folder that may require each.
local IN_C = { ["allot.core"] = "any", ["allot.repl.native"] = "repl" }

-- C headers whose use tells a floor apart.
local GUARDED = {
  ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["luaconf.h"] = true,
  ["cjson/cJSON.h"] = true, ["cJSON.h"] = true, ["uv.h"] = true, ["sqlite3.h"] = true,
  ["libpq-fe.h"] = true,
  ["zlib.h"] = true, ["histedit.h"] = true, ["libwebsockets.h"] = true, ["expat.h"] = true,
  ["yaml.h"] = true,
}

local TOP = {
  "CMakeLists.txt", "LICENSE", "README.md", "core", "examples", "lua",
  "policies", "spec", "build",
}

local function rank_of(list)
  local rank = {}
  for i, name in ipairs(list) do
    rank[name] = i
  end
  return rank
end

local function files(folders, pattern)
  return shell.lines(("find %s -type f -name '%s' | LC_ALL=C sort"):format(folders, pattern))
end

local function includes(path)
  return shell.read(path):gmatch("#%s*include%s*([<\"])([^>\"]+)[>\"]")
end

--- The names that Lua text requires, comments left out.
local function requires(text)
  return text:gsub("%-%-[^\n]*", ""):gmatch("require%s*%(?%s*[\"']([^\"']+)")
end

local function faults_in(list, check)
  local faults = {}
  for _, path in ipairs(list) do
    check(path, shell.read(path), function (format, ...)
      faults[#faults + 1] = path .. ": " .. format:format(...)
    end)
  end
  assert.same({}, faults)
end

local function contains(list, value)
  for _, each in ipairs(list or {}) do
    if each == value then
      return true
    end
  end
  return false
end

describe("floors of core/", function ()
  it("include downwards only", function ()
    local sources = files("core", "*.[ch]")
    assert.is_true(#sources > 20)
    faults_in(sources, function (path, _, fault)
      local floor = FLOORS[path:match("^core/([^/]+)/")]
      if not floor then
        return assert(path:find("^core/include/"), path .. " stands on no floor")
      end
      for mark, name in includes(path) do
        if mark == '"' and not contains(floor, name:match("^([^/]+)/")) then
          fault('may not include "%s"', name)
        elseif mark == "<" and GUARDED[name] and not contains(floor.outside, name) then
          fault("may not include <%s>", name)
        end
      end
    end)
  end)

  it("keep public headers in order", function ()
    local rank = rank_of(PUBLIC)
    local headers = files("core/include", "*.h")
    assert.is_true(#headers > 5)
    faults_in(headers, function (path, _, fault)
      local own = rank[path:match("^core/include/allot/([%w_]+)%.h$")]
      assert(own, path .. " is not in the list of public headers")
      for _, name in includes(path) do
        local other = name:match("^allot/(.+)%.h$")
        if other and not (rank[other] and rank[other] < own) or GUARDED[name] then
          fault("may not include <%s>", name)
        end
      end
    end)
  end)

  --- The floor of a file and its folder there: "engine", "jobs/limits".
  local function place_of(path)
    local floor, folder = path:match("^core/([^/]+)/(.-)/?[^/]+$")
    return floor, folder
  end

  local function check_edge(from, to, fault, what)
    local floor, own = place_of(from)
    local other_floor, other = place_of(to)
    local rank = FOLDERS[floor] and floor == other_floor and rank_of(FOLDERS[floor])
    if rank and not (rank[own] and rank[other] and rank[other] <= rank[own]) then
      fault("%s/ stands before %s/ and may not %s", own, other, what)
    end
  end

  --- Of each C file what it calls in others: {path = {name = path}}; nil: nothing is built.
  local known_calls
  local function calls_of_files()
    local objects = files(shell.plain .. "/CMakeFiles", "*.c.o")
    if known_calls or #objects == 0 then return known_calls end
    local home, needs = {}, {}
    for _, line in ipairs(shell.lines("nm -A " .. table.concat(objects, " "))) do
      local source, kind, name = line:match("%.dir/(core/.+%.c)%.o:.* (%a) ([%w_.]+)$")
      if source and not source:find("^core/test/") then
        needs[source] = needs[source] or {}
        if kind == "U" then
          needs[source][name] = true
        elseif kind:find("[TDRB]") then
          home[name] = source
        end
      end
    end
    known_calls = {}
    for source, names in pairs(needs) do
      if shell.exists(source) then
        known_calls[source] = {}
        for name in pairs(names) do known_calls[source][name] = home[name] end
      end
    end
    return known_calls
  end

  it("have folders that include only what is below", function ()
    faults_in(files("core", "*.[ch]"), function (path, _, fault)
      for _, name in includes(path) do
        check_edge(path, "core/" .. name, fault, "include " .. name)
      end
    end)
  end)

  it("have folders that call only what is below", function ()
    local calls = calls_of_files()
    if not calls then return pending(shell.plain .. " is not built") end
    local sources = {}
    for source in pairs(calls) do sources[#sources + 1] = source end
    table.sort(sources)
    assert.is_true(#sources > 300)
    faults_in(sources, function (path, _, fault)
      for name, other in pairs(calls[path]) do check_edge(path, other, fault, "call " .. name) end
    end)
  end)

  it("have no circles of files but those that are named", function ()
    local calls = calls_of_files()
    if not calls then return pending(shell.plain .. " is not built") end
    local found, named = {}, {}
    for _, circle in ipairs(circles.of(calls)) do
      found[#found + 1] = table.concat(circle, " "):gsub("core/", "")
      assert.is_true(#circle <= 3, found[#found])
    end
    for name in pairs(CIRCLES) do named[#named + 1] = name end
    table.sort(named)
    assert.same(named, found)
  end)

  it("have each file in a folder of the order", function ()
    for floor, folders in pairs(FOLDERS) do
      local rank = rank_of(folders)
      for _, path in ipairs(files("core/" .. floor, "*.[ch]")) do
        local _, folder = place_of(path)
        assert(rank[folder], path .. " is in no folder of " .. floor)
      end
    end
  end)

  it("notice a circle", function ()
    local calls = { a = { f = "b" }, b = { g = "c" }, c = { h = "b" }, d = { f = "a" } }
    assert.same({ { "b", "c" } }, circles.of(calls))
  end)

  it("notice an upward include", function ()
    local path = os.tmpname()
    shell.write(path, '#include "cli/term/cli.h"\n#  include <lua.h>\n')
    local seen = {}
    for mark, name in includes(path) do
      seen[#seen + 1] = mark .. name
    end
    os.remove(path)
    assert.same({ '"cli/term/cli.h', "<lua.h" }, seen)
    assert.is_false(contains(FLOORS.engine, "cli"))
    assert.is_false(contains(FLOORS.engine.outside, "lua.h"))
  end)
end)

describe("floors of Lua", function ()
  local rank = rank_of(LUA)

  local function folder_of(path)
    return path:match("^lua/allot/(.-)/?[^/]+$")
  end

  --- The file of a module; nil: there is none.
  local function file_of(name)
    local base = "lua/" .. name:gsub("%.", "/")
    for _, path in ipairs { base .. ".lua", base .. "/init.lua" } do
      if shell.exists(path) then return path end
    end
  end

  it("require downwards only in lua/allot", function ()
    faults_in(files("lua", "*.lua"), function (path, text, fault)
      local own = folder_of(path)
      assert(rank[own], path .. " is in no folder of the list")
      for name in requires(text) do
        local file = file_of(name)
        local may = file and (rank[folder_of(file)] or #LUA + 1) <= rank[own]
          or IN_C[name] == "any" or IN_C[name] == own
        if not may then fault("may not require %s", name) end
      end
    end)
  end)

  it("are told in lua/README.md, each in a sentence", function ()
    local told = shell.read "lua/README.md"
    for _, name in ipairs(shell.lines "ls -p lua/allot") do
      assert.truthy(told:find("\n| `" .. name .. "` | [^\n]+ |\n"), name)
    end
  end)

  it("have no modules that require each other", function ()
    local seen = {}
    local function walk(path, way)
      assert(seen[path] ~= "open", way .. " -> " .. path)
      if seen[path] then return end
      seen[path] = "open"
      for name in requires(shell.read(path)) do
        if not IN_C[name] then walk(file_of(name), way .. " -> " .. path) end
      end
      seen[path] = "done"
    end
    for _, path in ipairs(files("lua", "*.lua")) do walk(path, "") end
  end)

  it("require nothing but allot in policies", function ()
    faults_in(files("policies", "*.lua"), function (_, text, fault)
      for name in requires(text) do
        if not name:find("^allot") then
          fault("may not require %s", name)
        end
      end
    end)
  end)
end)

describe("the engine library", function ()
  local library = shell.plain .. "/lib/liballot_engine.a"

  --- Symbols of some kinds: {{name, kind} ...}.
  local function symbols(kinds)
    local found = {}
    for _, line in ipairs(shell.lines("nm " .. library .. " 2>/dev/null")) do
      local kind, name = line:match("(%a) ([%w_.]+)$")
      if kind and kinds:find(kind, 1, true) then
        found[#found + 1] = name
      end
    end
    return found
  end

  local function need_library()
    if not shell.exists(library) then
      pending(library .. " is not built")
      return false
    end
    return true
  end

  it("needs no Lua, no JSON, no loop", function ()
    if not need_library() then
      return
    end
    local undefined, bad = symbols("U"), {}
    assert.is_true(#undefined > 10)
    for _, name in ipairs(undefined) do
      if name:find("^luaL?_") or name:find("^uv_") or name:find("^cJSON_") then
        bad[#bad + 1] = name
      end
    end
    assert.same({}, bad)
  end)

  it("reads no clock, no file, no environment, no random number", function ()
    if not need_library() then
      return
    end
    local forbidden = rank_of {
      "time", "clock", "clock_gettime", "gettimeofday", "rand", "random", "getenv", "fopen",
      "open", "read", "write", "printf", "puts", "exit", "abort", "setlocale",
    }
    local bad = {}
    for _, name in ipairs(symbols("U")) do
      if forbidden[name] then
        bad[#bad + 1] = name
      end
    end
    assert.same({}, bad)
  end)

  it("has no writable globals", function ()
    if not need_library() then
      return
    end
    -- .data.rel.ro is const: pointers that the loader fills in and then protects.
    local bad, seen = {}, 0
    for _, line in ipairs(shell.lines("objdump -t " .. library)) do
      local section, name = line:match("^%x+ [%a ]+ ([%w_.*]+)\t%x+ (.+)$")
      seen = seen + (section and 1 or 0)
      if section and name ~= section and not section:find("^%.data%.rel%.ro")
        and (section:find("^%.data") or section:find("^%.bss") or section == "*COM*") then
        bad[#bad + 1] = name .. " in " .. section
      end
    end
    assert.is_true(seen > 50)
    assert.same({}, bad)
  end)
end)

describe("every folder", function ()
  it("has at most 25 entries", function ()
    local large = {}
    for _, folder in ipairs(shell.lines "find core lua policies examples spec -type d | sort") do
      local count = #shell.lines("ls " .. folder)
      if count > 25 then large[#large + 1] = ("%s: %d"):format(folder, count) end
    end
    assert.same({}, large)
  end)
end)

describe("every file", function ()
  local sources = {}
  for _, list in ipairs {
    files("core examples", "*.[ch]"), files("lua policies spec examples", "*.lua"),
  } do
    table.move(list, 1, #list, #sources + 1, sources)
  end

  it("begins with its licence", function ()
    faults_in(sources, function (_, text, fault)
      local first, second = text:match("^([^\n]*)\n([^\n]*)\n")
      first = first or ""
      if not first:find("SPDX-License-Identifier: MIT", 1, true)
        or not second:find("Copyright the allot authors", 1, true) then
        fault("no SPDX line and copyright on top")
      end
    end)
  end)

  it("has at most 600 lines of at most 100 columns", function ()
    faults_in(sources, function (_, text, fault)
      local count = 0
      for line in text:gmatch("([^\n]*)\n") do
        count = count + 1
        if utf8.len(line) and utf8.len(line) > 100 then
          fault("line %d has %d columns", count, utf8.len(line))
        end
        if line:find("[ \t\r]$") then
          fault("line %d ends in a blank", count)
        end
      end
      if count > 600 then
        fault("%d lines", count)
      end
      if text:sub(-1) ~= "\n" then
        fault("no newline at its end")
      end
    end)
  end)

  it("has C functions of at most 40 lines", function ()
    faults_in(files("core examples", "*.c"), function (_, text, fault)
      local number, start = 0, nil
      for line in text:gmatch("([^\n]*)\n") do
        number = number + 1
        if line == "{" then
          start = number
        elseif line == "}" and start then
          if number - start - 1 > 40 then
            fault("the function at line %d has %d lines", start, number - start - 1)
          end
          start = nil
        end
      end
    end)
  end)
end)

describe("public headers", function ()
  for _, path in ipairs(files("core/include", "*.h")) do
    it(path:match("[^/]+$") .. " stands alone", function ()
      local status, _, err = shell.run(
        "cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Icore/include -x c " .. path)
      assert.equal("", err)
      assert.equal(0, status)
    end)
  end
end)

describe("rules", function ()
  it("that are cited stand in core/RULES.md", function ()
    local rules = shell.read "core/RULES.md"
    local cited = shell.lines("grep -rhoE '\\b[CHEAQ]-[0-9]+\\b' core/include core/engine"
      .. " core/model core/json core/script core/cli lua policies README.md | sort -u")
    assert.is_true(#cited > 20)
    local missing = {}
    for _, rule in ipairs(cited) do
      if not rules:find(rule:gsub("%-", "%%-") .. "%f[%D]") then missing[#missing + 1] = rule end
    end
    assert.same({}, missing)
  end)
end)

describe("the top level", function ()
  it("is fixed", function ()
    local known, strange = rank_of(TOP), {}
    for _, name in ipairs(shell.lines("ls -1")) do
      if not known[name] and not name:find("^build%-") then
        strange[#strange + 1] = name
      end
    end
    assert.same({}, strange)
  end)
end)
