/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.h: shared by the files of a session.
 *
 * The REPL, lua/allot/repl, lives in the session's sandbox. It is trusted, and has the engine,
 * files through the host, and metatables. A user's piece cannot reach these: they are upvalues and
 * metatables, and the library opens neither.
 */
#ifndef ALLOT_SCRIPT_REPL_REPL_H
#define ALLOT_SCRIPT_REPL_REPL_H

#include <allot/repl.h>

#include "script/module/tool.h"
#include "script/sandbox/sandbox.h"

struct allot_repl {
    allot__sandbox box;
    allot_repl_host host;
    allot__host_use tools; /* the host's functions that tools have, too */
    volatile sig_atomic_t interrupted;
    int words, env; /* in Lua's registry: the REPL's functions, and the globals of pieces */
    /* The piece that is evaluated, or the document that is taken by `function`: */
    const char *text, *name, *function;
    size_t len;
    int32_t line;
    bool syntax_fault, incomplete, quit;
};

/* ---- native.c -------------------------------------------------------------------------------- */

/* Pushes a text, whose lines are counted from `line` on, as a function of the session named `name`
 * ("=repl"), and returns LUA_OK; else the message. An expression returns its values. *incomplete:
 * the text could go on. Raises when there is no memory. */
int allot__repl_load(lua_State *L, const allot_repl *session, const char *name, int32_t line,
                     bool *incomplete);

/* Runs a module of the REPL: allot__repl_require(L, session, "allot.repl") pushes what it returns.
 * Raises. */
void allot__repl_require(lua_State *L, allot_repl *session, const char *name);

#endif
