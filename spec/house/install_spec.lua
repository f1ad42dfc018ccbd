-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `cmake --install` leaves: others build against it by pkg-config and by find_package, run
--- the command, and load the Lua module.

local shell = require "spec.support.house.shell"

local EMBED = [[
physics: quota 20, granted 2, gives back 0
chemistry: quota 4, granted 0, gives back 0
guests: quota 0, granted 0, gives back 10
]]

local PROJECT = [[
cmake_minimum_required(VERSION 3.25)
project(other C)
find_package(allot 0.1 REQUIRED)
add_executable(shared %s)
target_link_libraries(shared PRIVATE allot::allot)
add_executable(static %s)
target_link_libraries(static PRIVATE allot::allot_static)
]]

local LOOP = [[
cmake_minimum_required(VERSION 3.25)
project(loop C)
find_package(allot 0.1 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv)
foreach(kind service service_static)
  add_executable(${kind} %s)
  target_link_libraries(${kind} PRIVATE allot::${kind} PkgConfig::UV)
endforeach()
]]

local PLAN = [[{"version": 1, "slots": 12, "policy": "hybrid", "consumers": [
  {"name": "physics", "owned": 12}]}]]

describe("the installed package", function ()
  local top, prefix, here

  local function succeed(line)
    local status, out, err = shell.run(line)
    assert.equal(0, status, line .. "\n" .. out .. err)
    return out
  end

  setup(function ()
    here = shell.lines("pwd")[1]
    top = shell.directory()
    -- Moved after installing: nothing in the package may know where it was put.
    succeed(("cmake --install %s --prefix %s/first"):format(shell.plain, top))
    prefix = top .. "/moved"
    succeed(("mv %s/first %s"):format(top, prefix))
    prefix = shell.lines("cd " .. prefix .. " && pwd")[1]
  end)

  teardown(function ()
    shell.remove(top)
  end)

  local function library()
    return shell.lines(("dirname $(find %s -name 'liballot.so')"):format(prefix))[1]
  end

  it("has its files", function ()
    local found = succeed(("cd %s && find . -type f -o -type l | sort"):format(prefix))
    for _, path in ipairs(shell.lines "cd lua && find allot -name '*.lua'") do
      local name = "share/lua/5.4/" .. path
      assert.truthy(found:find(name .. "\n", 1, true), name .. " is missing in:\n" .. found)
    end
    for _, name in ipairs {
      "bin/allot", "include/allot/allot.h", "include/allot/script.h", "/liballot.a",
      "/liballot.so.0", "/pkgconfig/allot.pc", "/cmake/allot/allotConfig.cmake",
      "include/allot/service.h", "/liballot_service.a", "/liballot_service.so.0",
      "/pkgconfig/allot-service.pc",
      "lib/lua/5.4/allot/core.so",
      "share/allot/policies/hybrid.lua", "share/bash-completion/completions/allot",
      "lib/systemd/system/allot.service", "lib/systemd/system/allot-slurm.service",
      "share/zsh/site-functions/_allot",
      "share/fish/vendor_completions.d/allot.fish",
    } do
      assert.truthy(found:find(name .. "\n", 1, true), name .. " is missing in:\n" .. found)
    end
  end)

  it("has manual pages, where scdoc could make them", function ()
    if shell.run "command -v scdoc" ~= 0 then return pending "scdoc is not installed" end
    for _, page in ipairs { "man1/allot.1", "man5/allot-plan.5", "man7/allot-policy.7" } do
      assert.truthy(shell.read(("%s/share/man/%s"):format(prefix, page)):find "\n%.TH")
    end
  end)

  it("shows its own names only", function ()
    local strange = {}
    for _, line in ipairs(shell.lines(("nm -D --defined-only --quiet %s/liballot.so "
      .. "%s/liballot_service.so | grep ' '"):format(library(), library()))) do
      local name = line:match("%S+$")
      if not name:find("^allot_[^_]") then
        strange[#strange + 1] = name
      end
    end
    assert.same({}, strange)
    assert.same({ "luaopen_allot_core" }, (function ()
      local names = {}
      local module = prefix .. "/lib/lua/5.4/allot/core.so"
      for _, line in ipairs(shell.lines("nm -D --defined-only " .. module)) do
        names[#names + 1] = line:match("%S+$")
      end
      return names
    end)())
  end)

  it("leaves Lua to the program that loads the module", function ()
    local needed = succeed("readelf -d " .. prefix .. "/lib/lua/5.4/allot/core.so")
    assert.falsy(needed:find("liblua", 1, true))
    assert.truthy(needed:find("libcjson", 1, true))
  end)

  it("builds and runs examples/embed/embed.c by pkg-config", function ()
    local out = succeed(([[
      export PKG_CONFIG_PATH=%s/pkgconfig
      cc -std=c11 -Wall -Wextra -Wpedantic -Werror examples/embed/embed.c -o %s/embed \
        $(pkg-config --cflags --libs allot) && LD_LIBRARY_PATH=%s %s/embed]])
      :format(library(), top, library(), top))
    assert.equal(EMBED, out)
    local needed = succeed(("LD_LIBRARY_PATH=%s ldd %s/embed"):format(library(), top))
    assert.truthy(needed:find("liballot.so.0 => " .. prefix, 1, true), needed)
    for _, name in ipairs { "libuv", "libsqlite", "libwebsockets", "liballot_service" } do
      assert.falsy(needed:find(name, 1, true), needed)
    end
    assert.equal("0.1.0", succeed(("PKG_CONFIG_PATH=%s/pkgconfig pkg-config --modversion allot")
      :format(library())):match("%S+"))
  end)

  it("builds and runs it by find_package, shared and static", function ()
    local source = here .. "/examples/embed/embed.c"
    succeed("mkdir " .. top .. "/other")
    shell.write(top .. "/other/CMakeLists.txt", PROJECT:format(source, source))
    succeed(("cmake -S %s/other -B %s/other/build -DCMAKE_PREFIX_PATH=%s"):format(top, top, prefix))
    succeed(("cmake --build %s/other/build"):format(top))
    for _, name in ipairs { "shared", "static" } do
      assert.equal(EMBED, succeed(("%s/other/build/%s"):format(top, name)))
    end
  end)

  --- What examples/embed/embed_service.c prints: each event is answered, and then decided about.
  local function runs_on_its_own_loop(program)
    shell.write(top .. "/plan.json", PLAN)
    local out, granted, decisions = succeed(program .. " " .. top .. "/plan.json /physics"), 0, 0
    for i = 1, 3 do
      assert.truthy(out:find(('answer: {"jsonrpc": "2.0", "id": %d, "result": {"seq": %d}}\n')
        :format(5 * i, i), 1, true), out)
    end
    -- On a busy machine a decision may be about several events.
    for number, slots in out:gmatch 'decision (%d+): [^\n]-"slots": (%d+)' do
      decisions, granted = decisions + 1, granted + tonumber(slots)
      assert.equal(decisions, tonumber(number))
    end
    assert.equal(12, granted)
    local status, _, err = shell.run(program .. " /nowhere.json /physics")
    assert.equal(1, status)
    assert.truthy(err:find("/nowhere.json cannot be read", 1, true), err)
  end

  it("builds and runs examples/embed/embed_service.c by pkg-config", function ()
    succeed(([[
      export PKG_CONFIG_PATH=%s/pkgconfig
      cc -Wall -Wextra -Wpedantic -Werror examples/embed/embed_service.c -o %s/embed_service \
        $(pkg-config --cflags --libs allot-service libuv)]]):format(library(), top))
    runs_on_its_own_loop(("LD_LIBRARY_PATH=%s %s/embed_service"):format(library(), top))
  end)

  it("builds and runs that one by find_package, shared and static", function ()
    succeed("mkdir " .. top .. "/loop")
    shell.write(top .. "/loop/CMakeLists.txt",
      (LOOP:gsub("%%s", here .. "/examples/embed/embed_service.c")))
    succeed(("cmake -S %s/loop -B %s/loop/build -DCMAKE_PREFIX_PATH=%s"):format(top, top, prefix))
    succeed(("cmake --build %s/loop/build"):format(top))
    for _, name in ipairs { "service", "service_static" } do
      runs_on_its_own_loop(("%s/loop/build/%s"):format(top, name))
    end
  end)

  it("runs the command", function ()
    assert.equal("allot 0.1.0\n", succeed(prefix .. "/bin/allot version"):match("^[^\n]*\n"))
  end)

  it("loads the Lua library and its module", function ()
    local out = succeed(([[
      cd / && LUA_PATH='%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua' \
      LUA_CPATH='%s/lib/lua/5.4/?.so' lua5.4 -e 'print(require("allot").version)
        assert(require "allot.swf".open and require "allot.fixture" "a{own=1}: a wants 1":settle())
        assert(require "allot.core".version == require("allot").version)']])
      :format(prefix, prefix, prefix))
    assert.truthy(out:find("0.1.0", 1, true), out)
  end)
end)
