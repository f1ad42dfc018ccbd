/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * table_write.c: core.encode: a Lua value as JSON text.
 *
 * Keys come in the order of their bytes and integers are exact, so that the same value gives the
 * same text.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/module/module.h"

/* DEEPEST: the most levels that texts have, too. */
enum { DEEPEST = 1000, INDENT_MAX = 16 };
static const size_t default_most = (size_t)1 << 30; /* bytes */

typedef struct key {
    const char *text; /* the table's own */
    size_t len;
} key;

/* A table that is being written, inside another (NULL: none). */
typedef struct frame {
    const struct frame *outer;
    int depth, index; /* index: of the table, on Lua's stack */
    bool list;
    lua_Integer at, count; /* items written, and in all */
    const key *keys;       /* of an object, sorted */
} frame;

typedef struct writer {
    lua_State *L;
    allot__text *out;
    size_t most;
    int indent; /* blanks a level; 0: all on one line */
} writer;

/* ---- Failing: messages name the place in the value ------------------------------------------- */

static void add_step(luaL_Buffer *path, const frame *frame)
{
    char number[32];
    if (frame->list) {
        snprintf(number, sizeof number, "[%lld]", (long long)frame->at);
        luaL_addstring(path, number);
        return;
    }
    const key *key = &frame->keys[frame->at - 1];
    bool bare = key->len > 0 && !strpbrk(key->text, "/\" .[]") && strlen(key->text) == key->len;
    luaL_addstring(path, bare ? (luaL_bufflen(path) > 0 ? "." : "") : "[\"");
    luaL_addlstring(path, key->text, key->len < 100 ? key->len : 100);
    luaL_addstring(path, bare ? "" : "\"]");
}

/* The message, with the path to the fault in table `in` (NULL: the value itself). */
static const char *wrong(lua_State *L, const frame *in, const char *message)
{
    const frame *frames[DEEPEST];
    luaL_Buffer path;
    int depth = 0;
    for (; in; in = in->outer) {
        frames[in->depth - 1] = in;
        depth = in->depth > depth ? in->depth : depth;
    }
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    luaL_buffinit(L, &path);
    for (int i = 0; i < depth && i < 20 && frames[i]->at > 0; i++)
        add_step(&path, frames[i]);
    if (luaL_bufflen(&path) > 0)
        luaL_addstring(&path, ": ");
    luaL_addstring(&path, message);
    luaL_pushresult(&path);
    return lua_tostring(L, -1);
}

/* ---- Scalars --------------------------------------------------------------------------------- */

static void put(const writer *it, const char *text, size_t len)
{
    if (allot__text_sink(it->out, text, len))
        luaL_error(it->L, "%s", allot_status_text(ALLOT_ENOMEM));
}

static void put_text(const writer *it, const char *text, size_t len)
{
    allot__text_json_len(it->out, text, len);
    if (it->out->failed)
        luaL_error(it->L, "%s", allot_status_text(ALLOT_ENOMEM));
}

/* Writes the fewest digits that give the same double. Whole numbers have no point: in JSON 5.0 and
 * 5 are the same number. */
static bool put_float(const writer *it, double number)
{
    char text[48];
    if (!isfinite(number))
        return false;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    char *point = strchr(text, *localeconv()->decimal_point);
    if (point)
        *point = '.';
    put(it, text, strlen(text));
    return true;
}

static bool put_number(const writer *it, int index)
{
    if (!lua_isinteger(it->L, index))
        return put_float(it, lua_tonumber(it->L, index));
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(it->L, index));
    put(it, text, strlen(text));
    return true;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const key *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Pushes the keys of the frame's table; returns NULL, or the fault of a key. */
static const char *push_keys(lua_State *L, frame *frame)
{
    lua_Integer count = 0;
    key *keys = lua_newuserdatauv(L, (size_t)frame->count * sizeof *keys, 0);
    for (lua_pushnil(L); lua_next(L, frame->index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            return frame->list
                       ? "a table is a list (1, 2, ...) or an object (texts), and this is a mixture"
                       : "a key that is no text; the keys of an object are texts";
        key *key = &keys[count++];
        key->text = lua_tolstring(L, -2, &key->len);
    }
    qsort(keys, (size_t)count, sizeof *keys, compare);
    frame->keys = keys;
    return frame->list ? "a list that has other keys than 1, 2, ..." : NULL;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool is_marked(lua_State *L, int index)
{
    bool marked = false;
    if (lua_getmetatable(L, index)) {
        luaL_getmetatable(L, ALLOT__LIST_TYPE);
        marked = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    return marked;
}

static lua_Integer count_keys(lua_State *L, int index)
{
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        count++;
    return count;
}

static void new_line(const writer *it, int depth)
{
    static const char blanks[] = "                ";
    put(it, "\n", 1);
    for (int i = 0; i < depth; i++)
        put(it, blanks, (size_t)it->indent);
}

static const char *put_value(const writer *it, const frame *in);

/* Begins the next item of the table, and pushes its value. */
static void next_item(const writer *it, frame *frame)
{
    if (frame->at++ > 0)
        put(it, it->indent > 0 ? "," : ", ", it->indent > 0 ? 1 : 2);
    if (it->indent > 0)
        new_line(it, frame->depth);
    if (frame->list) {
        lua_rawgeti(it->L, frame->index, frame->at);
        return;
    }
    const key *key = &frame->keys[frame->at - 1];
    put_text(it, key->text, key->len);
    put(it, ": ", 2);
    lua_pushlstring(it->L, key->text, key->len);
    lua_rawget(it->L, frame->index);
}

/* The fault of the frame's table, or NULL. */
static const char *look(lua_State *L, frame *it)
{
    if (it->depth > DEEPEST)
        return "tables nest deeper than 1000 levels";
    for (const frame *outer = it->outer; outer; outer = outer->outer)
        if (lua_rawequal(L, outer->index, it->index))
            return "a table that is inside itself";
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_Integer length = (lua_Integer)lua_rawlen(L, it->index);
    it->count = count_keys(L, it->index);
    it->list = is_marked(L, it->index) || length > 0;
    return it->list && length == it->count ? NULL : push_keys(L, it);
}

/* Writes the table on top, and pops it; returns NULL, or the fault. */
static const char *put_table(const writer *it, const frame *in)
{
    frame own = {.outer = in, .depth = in ? in->depth + 1 : 1, .index = lua_gettop(it->L)};
    const char *fault = look(it->L, &own);
    if (fault)
        return wrong(it->L, in, fault);
    put(it, own.list ? "[" : "{", 1);
    while (own.at < own.count) {
        if (it->out->len > it->most)
            return wrong(it->L, &own, "a text of more bytes than are allowed");
        next_item(it, &own);
        fault = put_value(it, &own);
        if (fault)
            return fault;
    }
    if (own.count > 0 && it->indent > 0)
        new_line(it, own.depth - 1);
    put(it, own.list ? "]" : "}", 1);
    lua_settop(it->L, own.index - 1);
    return NULL;
}

/* Writes the value on top, and pops it; returns NULL, or the fault. `in`: the table that has it. */
static const char *put_value(const writer *it, const frame *in)
{
    lua_State *L = it->L;
    size_t len;
    switch (lua_type(L, -1)) {
    case LUA_TTABLE:
        return put_table(it, in);
    case LUA_TNUMBER:
        if (!put_number(it, -1))
            return wrong(L, in, "a number that is infinite or none (NaN)");
        break;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(L, -1, &len);
        put_text(it, text, len);
        break;
    }
    case LUA_TBOOLEAN:
        put(it, lua_toboolean(L, -1) ? "true" : "false", lua_toboolean(L, -1) ? 4 : 5);
        break;
    case LUA_TLIGHTUSERDATA:
        put(it, "null", 4);
        break;
    default:
        return wrong(L, in,
                     lua_pushfstring(L, "a %s, which is no value of JSON", luaL_typename(L, -1)));
    }
    lua_pop(L, 1);
    return NULL;
}

static lua_Integer option(lua_State *L, const char *name, lua_Integer most, lua_Integer otherwise)
{
    if (!lua_istable(L, 2) || lua_getfield(L, 2, name) == LUA_TNIL)
        return otherwise;
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 0 || lua_tointeger(L, -1) > most)
        luaL_error(L, "option %s is a number from 0 to %I", name, (LUAI_UACINT)most);
    return lua_tointeger(L, -1);
}

/* core.encode(value [, {indent = , most = }]) */
int allot__module_encode(lua_State *L)
{
    allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    luaL_checkany(L, 1);
    lua_settop(L, 2);
    allot__module_options(L, 2, (const char *const[]){"indent", "most", NULL});
    writer it = {.L = L};
    it.indent = (int)option(L, "indent", INDENT_MAX, 0);
    it.most = (size_t)option(L, "most", (lua_Integer)default_most, (lua_Integer)default_most);
    it.out = allot__text_push(L, module->engine);
    lua_pushvalue(L, 1);
    const char *fault = put_value(&it, NULL);
    if (fault)
        return allot__module_fail(L, fault);
    if (it.indent > 0)
        put(&it, "\n", 1);
    lua_pushlstring(L, it.out->bytes, it.out->len);
    allot__text_free(it.out);
    return 1;
}

/* core.list([table]): marks the table (or a new one) as a list, also if it is empty. */
int allot__module_list(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    allot__table_list(L);
    return 1;
}
