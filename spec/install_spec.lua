-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What `cmake --install` leaves: others build against it by pkg-config and by find_package, run
--- the command, and load the Lua module.

local shell = require "spec.support.shell"

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
    for _, name in ipairs {
      "bin/allot", "include/allot/allot.h", "include/allot/script.h", "/liballot.a",
      "/liballot.so.0", "/pkgconfig/allot.pc", "/cmake/allot/allotConfig.cmake",
      "lib/lua/5.4/allot/core.so", "share/lua/5.4/allot/init.lua",
      "share/allot/policies/hybrid.lua", "share/bash-completion/completions/allot",
      "lib/systemd/system/allot.service", "share/zsh/site-functions/_allot",
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
    for _, line in ipairs(shell.lines("nm -D --defined-only " .. library() .. "/liballot.so")) do
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

  it("builds and runs examples/embed.c by pkg-config", function ()
    local out = succeed(([[
      export PKG_CONFIG_PATH=%s/pkgconfig
      cc -std=c11 -Wall -Wextra -Wpedantic -Werror examples/embed.c -o %s/embed \
        $(pkg-config --cflags --libs allot) && LD_LIBRARY_PATH=%s %s/embed]])
      :format(library(), top, library(), top))
    assert.equal(EMBED, out)
    assert.equal("0.1.0", succeed(("PKG_CONFIG_PATH=%s/pkgconfig pkg-config --modversion allot")
      :format(library())):match("%S+"))
  end)

  it("builds and runs it by find_package, shared and static", function ()
    local source = here .. "/examples/embed.c"
    succeed("mkdir " .. top .. "/other")
    shell.write(top .. "/other/CMakeLists.txt", PROJECT:format(source, source))
    succeed(("cmake -S %s/other -B %s/other/build -DCMAKE_PREFIX_PATH=%s"):format(top, top, prefix))
    succeed(("cmake --build %s/other/build"):format(top))
    for _, name in ipairs { "shared", "static" } do
      assert.equal(EMBED, succeed(("%s/other/build/%s"):format(top, name)))
    end
  end)

  it("runs the command", function ()
    assert.equal("allot 0.1.0\n", succeed(prefix .. "/bin/allot version"):match("^[^\n]*\n"))
  end)

  it("loads the Lua library and its module", function ()
    local out = succeed(([[
      cd / && LUA_PATH='%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua' \
      LUA_CPATH='%s/lib/lua/5.4/?.so' lua5.4 -e 'print(require("allot").version)']])
      :format(prefix, prefix, prefix))
    assert.truthy(out:find("0.1.0", 1, true), out)
  end)
end)
