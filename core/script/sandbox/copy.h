/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* copy.h: plain data from one Lua state into another. */
#ifndef ALLOT_SCRIPT_SANDBOX_COPY_H
#define ALLOT_SCRIPT_SANDBOX_COPY_H

#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

/*
 * Pushes onto `to` a copy of what is on top of `from`: numbers, strings, booleans, and tables of
 * such, with raw access; other values in a table are left out. False: another value, or a table
 * deeper than 64.
 *
 * Raises only in `to`. After an error or false both stacks have more values.
 */
bool allot__copy_across(lua_State *from, lua_State *to);

#endif
