/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * library.h: functions that a script can call.
 *
 * Base: assert error ipairs log pairs pcall print require select tonumber tostring type. math: abs
 * ceil floor fmod huge max maxinteger min mininteger modf pi sqrt tointeger type ult. string: byte
 * char ends find format glob len lower rep reverse split starts sub upper. table: concat insert
 * remove sort unpack. And the words of the policy language, from lua/allot/language.
 *
 * What differs from stock Lua: pairs goes in order of the keys (numbers, strings, booleans);
 * table.sort is stable; string.find takes no patterns; tostring shows no addresses; error takes
 * strings and tables; reading or setting a global that does not exist is an error. print and log go
 * to `say` of the limits (say.c), and never fail.
 */
#ifndef ALLOT_SCRIPT_SANDBOX_LIBRARY_H
#define ALLOT_SCRIPT_SANDBOX_LIBRARY_H

#include <lua.h>

/* Makes the globals of a new state, reading lua/allot/language. Raises. */
void allot__library_open(lua_State *L);

/* Each pushes a table of functions. Raise. */
void allot__library_base(lua_State *L);
void allot__library_string(lua_State *L);
void allot__library_table(lua_State *L);

/* Makes unknown keys of the table on top an error: allot__library_unknown. */
void allot__library_strict(lua_State *L, const char *what);
/* Raises "unknown `what` 'x'; known are y, z; did you mean 'y'?" for the value at `key`, with the
 * names of the table at `table`; `place` comes in front (NULL: the current place). */
int allot__library_unknown(lua_State *L, const char *place, const char *what, int table, int key);

/* Pushes tostring's text of the value at `index`: no addresses, no metamethods. */
void allot__library_text(lua_State *L, int index);
/* Sorts t[1 ... n] of the table at `table`, stably; `less` compares the two values on top and
 * leaves them there. Raises the errors of `less`. */
void allot__library_sort(lua_State *L, int table, lua_Integer n, int (*less)(lua_State *L));

/* Pushes the list of the ready-made policies' names and returns 1. Raises. */
int allot__library_ready(lua_State *L);

/* Function `check(place, ...)` as a word whose errors have the place of its use:
 * language/placed.lua. */
int allot__library_placed(lua_State *L);

#endif
