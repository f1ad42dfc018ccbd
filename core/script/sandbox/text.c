/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.c: text that grows outside Lua, owned by a userdata. */
#include "script/sandbox/text.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

void allot__growing_end(allot__growing *text)
{
    if (text->at)
        allot_engine_alloc(text->engine, text->at, text->size, 0);
    text->at = NULL;
    text->len = text->size = 0;
}

static int collect(lua_State *L)
{
    allot__growing_end(lua_touserdata(L, 1));
    return 0;
}

allot__growing *allot__growing_push(lua_State *L, allot_engine *engine)
{
    allot__growing *text = lua_newuserdatauv(L, sizeof *text, 0);
    *text = (allot__growing){.engine = engine};
    if (luaL_newmetatable(L, "allot.text")) {
        lua_pushcfunction(L, collect);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return text;
}

int allot__growing_add(void *ud, const char *piece, size_t len)
{
    allot__growing *text = ud;
    if (len > text->size - text->len) {
        size_t need = text->len + len;
        size_t size = 2 * text->size > need ? 2 * text->size : need + 256;
        char *at = allot_engine_alloc(text->engine, text->at, text->size, size);
        text->failed |= !at;
        if (!at)
            return 1;
        text->at = at;
        text->size = size;
    }
    if (len > 0)
        memcpy(text->at + text->len, piece, len);
    text->len += len;
    return 0;
}

/* The bytes of the character at `at`; 0: it is no UTF-8. */
static size_t utf8(const unsigned char *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = *at < 0x80 ? 1 : *at < 0xC0 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    if (size < 2 || size > left)
        return size < 2 ? size : 0;
    uint32_t code = *at & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    bool good = *at < 0xF8 && code >= least[size] && code <= 0x10FFFF && code >> 11 != 0x1B;
    return good ? size : 0;
}

static int add_escaped(allot__growing *text, unsigned char c)
{
    static const char letters[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *letter = c ? strchr(letters, c) : NULL;
    char made[8] = {'\\', letter ? names[letter - letters] : 'u'};
    if (!letter)
        snprintf(made, sizeof made, "\\u%04x", c);
    return allot__growing_add(text, made, strlen(made));
}

int allot__growing_quote(allot__growing *text, const char *at, size_t len)
{
    size_t from = 0;
    int failed = allot__growing_add(text, "\"", 1);
    for (size_t i = 0; i < len && !failed;) {
        unsigned char c = (unsigned char)at[i];
        size_t size = utf8((const unsigned char *)at + i, len - i);
        if (size > 0 && c >= 0x20 && c != '"' && c != '\\') {
            i += size;
            continue;
        }
        failed = allot__growing_add(text, at + from, i - from) ||
                 (size > 0 ? add_escaped(text, c) : allot__growing_add(text, "\xEF\xBF\xBD", 3));
        from = ++i;
    }
    return failed || allot__growing_add(text, at + from, len - from) ||
           allot__growing_add(text, "\"", 1);
}
