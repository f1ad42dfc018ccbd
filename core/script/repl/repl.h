/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.h: what the files of a session share.
 *
 * The REPL, lua/allot/repl, lives in the session's sandbox. It is trusted, and has what a user's
 * piece does not have: the engine, files through the host, and marks on tables. A user's piece
 * cannot reach them: they are upvalues and metatables, and the library opens neither.
 */
#ifndef ALLOT_SCRIPT_REPL_REPL_H
#define ALLOT_SCRIPT_REPL_REPL_H

#include <allot/repl.h>

#include "script/sandbox/sandbox.h"

struct allot_repl {
    allot__sandbox box;
    allot_repl_host host;
    volatile sig_atomic_t interrupted;
    int words, env; /* in Lua's registry: the REPL's functions, and what pieces see as globals */
    /* The piece that is evaluated: */
    const char *text, *name;
    size_t len;
    int32_t line;
    bool syntax_fault, incomplete, quit;
    int failure; /* the status that the REPL failed with; ALLOT_OK: it did not */
};

/* repl.c: pushes function `name` of the REPL. Raises. */
void allot__repl_push(lua_State *L, const allot_repl *session, const char *name);

/* words.c: pushes the table of what the REPL can do that pieces cannot. Raises. */
void allot__repl_native(lua_State *L, allot_repl *session);

/* chunk.c: what to compile, and where it begins. */
typedef struct allot__piece {
    const char *text, *name; /* "=repl" */
    size_t len;
    int32_t line;
    bool expression; /* its values are wanted */
} allot__piece;
/* Pushes the piece as a function of the session, and returns LUA_OK; else the message. Raises when
 * there is no memory. */
int allot__repl_compile(lua_State *L, allot_repl *session, const allot__piece *piece);
/* The same as an expression or, if it is none, as a chunk; *incomplete: it could go on. */
int allot__repl_load(lua_State *L, allot_repl *session, const allot__piece *piece,
                     bool *incomplete);
/* Pushes the table that pieces see as their globals, over the library's. Raises. */
void allot__repl_globals(lua_State *L);
/* Runs a module of the REPL: allot__repl_require(L, "allot.repl") pushes what it returns. */
void allot__repl_require(lua_State *L, allot_repl *session, const char *name);

#endif
