-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Lua module as a rock: LuaRocks builds and installs it, and a program requires it.

local shell = require "spec.support.house.shell"

local BUILD = [[
mkdir %s/source && git ls-files -z | xargs -0 cp --parents -t %s/source && cd %s/source &&
  CMAKE_BUILD_PARALLEL_LEVEL=2 \
  luarocks --lua-version 5.4 make --tree %s/rocks lua/allot-0.1.0-1.rockspec]]

local USE = [[
cd / && eval "$(luarocks --lua-version 5.4 --tree %s/rocks path --no-bin)" && lua5.4 -e '
  print(require "allot".version, require "allot.core".version)
  assert(require "allot.fixture" "a{own=3}: a wants 1":settle())']]

describe("the rock", function ()
  it("is built, installed and required", function ()
    if shell.run "command -v luarocks && git rev-parse" ~= 0 then
      return pending "luarocks is not installed"
    end
    local top = shell.directory()
    local status, out, err = shell.run(BUILD:format(top, top, top, top))
    assert.equal(0, status, out .. err)
    status, out, err = shell.run(USE:format(top))
    shell.remove(top)
    assert.equal(0, status, out .. err)
    assert.equal("0.1.0\t0.1.0\n", out)
  end)
end)
