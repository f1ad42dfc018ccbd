/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.c: passes on what scripts print and log: one line a call, up to a limit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

/* Bytes of a line, and the fuel that a line takes. */
enum { LINE_MAX_BYTES = 2000, PRICE = 64 };

typedef struct line {
    char text[LINE_MAX_BYTES + 4];
    size_t len;
    bool full;
} line;

/* Adds what fits; cut only between characters. */
static void add(line *out, const char *text, size_t len)
{
    size_t room = LINE_MAX_BYTES - out->len, fits = len < room ? len : room;
    while (fits < len && fits > 0 && ((unsigned char)text[fits] & 0xC0) == 0x80)
        fits--;
    memcpy(out->text + out->len, text, fits);
    out->len += fits;
    out->full = fits < len;
    if (out->full) {
        memcpy(out->text + out->len, "...", 3);
        out->len += 3;
    }
}

static void join(lua_State *L, line *out)
{
    int n = lua_gettop(L);
    for (int i = 1; i <= n && !out->full; i++) {
        size_t len;
        allot__library_text(L, i);
        const char *text = lua_tolstring(L, -1, &len);
        if (i > 1)
            add(out, "\t", 1);
        if (!out->full)
            add(out, text, len);
        lua_pop(L, 1);
    }
    out->text[out->len] = '\0';
}

static void tell(allot__sandbox *box, lua_State *L, const char *level, const char *text)
{
    lua_Debug ar = {.currentline = 0};
    const char *chunk = box->chunk ? box->chunk : box->source;
    if (L && lua_getstack(L, 1, &ar) && lua_getinfo(L, "Sl", &ar) &&
        strcmp(ar.short_src, box->source) != 0)
        chunk = ar.short_src;
    box->say(box->say_ud, chunk, ar.currentline > 0 ? ar.currentline : 0, level, text);
}

void allot__sandbox_say(lua_State *L, const char *level)
{
    allot__sandbox *box = allot__sandbox_of(L);
    line made = {.len = 0};
    allot__sandbox_charge(L, PRICE);
    if (!box->say || box->said++ >= box->said_max)
        return;
    join(L, &made);
    tell(box, L, level, made.text);
}

void allot__sandbox_hush(allot__sandbox *box)
{
    char text[64];
    if (box->say && box->said > box->said_max) {
        snprintf(text, sizeof text, "(%" PRId64 " more lines were left out)",
                 box->said - box->said_max);
        tell(box, NULL, "log", text);
    }
    box->said = 0;
}
