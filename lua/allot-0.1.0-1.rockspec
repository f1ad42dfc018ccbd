-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The Lua module as a rock, without command and service: in the repository,
-- luarocks --lua-version 5.4 make lua/allot-0.1.0-1.rockspec
rockspec_format = "3.0"
package = "allot"
version = "0.1.0-1"
source = { url = "file://." }
description = {
  summary = "Policies that decide who gets how many slots",
  license = "MIT",
}
dependencies = { "lua ~> 5.4" }
external_dependencies = { CJSON = { header = "cjson/cJSON.h" }, ZLIB = { header = "zlib.h" } }
build = {
  type = "command",
  build_command = "cmake -S . -B build/rock -DCMAKE_BUILD_TYPE=Release "
    .. "-DALLOT_LTO=OFF -DALLOT_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) "
    .. "-DALLOT_LUADIR=$(LUADIR) -DALLOT_LUA_CDIR=$(LIBDIR) "
    .. "&& cmake --build build/rock --target allot_lua",
  install_command = "cmake --install build/rock --component lua",
}
