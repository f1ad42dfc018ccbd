/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.h: Lua files that are built in, run when they are required, each once. */
#ifndef ALLOT_SCRIPT_SANDBOX_REQUIRE_H
#define ALLOT_SCRIPT_SANDBOX_REQUIRE_H

#include <lua.h>

#include <allot/report.h>

#include "script/sandbox/embedded.h"

/* The file of a module; NULL: none. */
const allot__embedded *allot__embedded_find(const char *name);

/* Runs a text under that name and pushes its result; `globals`: the index of its table of globals,
 * 0: the state's. Raises. */
void allot__embedded_run(lua_State *L, const char *name, const char *text, size_t len, int globals);

/* The body of a function require(name), whose upvalue 1 keeps loaded modules by name. `find` finds
 * files; `refusal` is the message for other names, a format with one %s. Raises. */
int allot__embedded_require(lua_State *L, const allot__embedded *(*find)(const char *name),
                            int globals, const char *refusal);

/* A Lua state for our own files, with nothing in it; NULL: out of memory. */
lua_State *allot__own_state(allot_engine *engine);
/* Opens the libraries of Lua that our files use. Raises. */
void allot__own_libraries(lua_State *L);
/* Makes the table on top, of modules by name, those that `require` knows; the others are built in.
 * Pops it. Raises. */
void allot__own_require(lua_State *L);
/* What a call returned, as our status: ENOMEM; EINTERNAL: the reason is on top. */
int allot__own_status(lua_State *L, int status);

#endif
