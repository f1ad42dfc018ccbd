-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- For `luarocks --lua-version 5.4 make lua/allot-0.1.0-1.rockspec`, in the repository.
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
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    ALLOT_LUADIR = "$(LUADIR)",
    ALLOT_LUA_CDIR = "$(LIBDIR)",
  },
}
