/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * text.h: text that grows outside Lua, while no Lua may be called, and still belongs to it.
 */
#ifndef ALLOT_SCRIPT_SANDBOX_TEXT_H
#define ALLOT_SCRIPT_SANDBOX_TEXT_H

#include <stdbool.h>

#include <lua.h>

#include <allot/report.h>

typedef struct allot__growing {
    allot_engine *engine;
    char *at; /* no string: `len` bytes */
    size_t len, size;
    bool failed; /* out of memory: something was dropped */
} allot__growing;

/* Pushes an empty text, a userdata, whose memory comes from the engine and ends with it. Raises. */
allot__growing *allot__growing_push(lua_State *L, allot_engine *engine);
/* An allot_sink: adds bytes. Nonzero: out of memory. */
int allot__growing_add(void *text, const char *piece, size_t len);
/* Adds a JSON string of these bytes; what is no UTF-8 becomes U+FFFD. Nonzero: out of memory. */
int allot__growing_quote(allot__growing *text, const char *at, size_t len);
/* Gives the memory back; the text is empty then. */
void allot__growing_end(allot__growing *text);

#endif
