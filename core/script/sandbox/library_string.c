/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* library_string.c: strings, without patterns; every function takes time in proportion to text. */
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

typedef struct text {
    const char *at;
    size_t len;
} text;

static text check_text(lua_State *L, int index)
{
    text made;
    made.at = luaL_checklstring(L, index, &made.len);
    return made;
}

/* The first place of `what` in `in` from `start` on, or -1. Charges for the steps it takes. */
static ptrdiff_t seek(lua_State *L, text in, text what, size_t start)
{
    size_t steps = 0;
    ptrdiff_t found = -1;
    for (size_t i = start; found < 0 && what.len <= in.len && i <= in.len - what.len; i++) {
        size_t same = 0;
        while (same < what.len && in.at[i + same] == what.at[same])
            same++;
        steps += same + 1;
        if (same == what.len)
            found = (ptrdiff_t)i;
    }
    allot__sandbox_charge(L, (int64_t)(steps / 4));
    return found;
}

/* string.find(s, text [, init [, plain]]): never a pattern. */
static int string_find(lua_State *L)
{
    text in = check_text(L, 1), what = check_text(L, 2);
    lua_Integer init = luaL_optinteger(L, 3, 1);
    if (init < 0)
        init = (lua_Integer)in.len + init + 1;
    if (init < 1)
        init = 1;
    ptrdiff_t at = init > (lua_Integer)in.len + 1 ? -1 : seek(L, in, what, (size_t)init - 1);
    if (at < 0) {
        luaL_pushfail(L);
        return 1;
    }
    lua_pushinteger(L, at + 1);
    lua_pushinteger(L, at + (ptrdiff_t)what.len);
    return 2;
}

/* string.split(s, separator): the pieces, in a list. */
enum { PIECE_COST = 16 };

static int string_split(lua_State *L)
{
    text in = check_text(L, 1), separator = check_text(L, 2);
    luaL_argcheck(L, separator.len > 0, 2, "an empty separator splits nothing");
    lua_newtable(L);
    size_t start = 0;
    for (lua_Integer i = 1;; i++) {
        ptrdiff_t at = seek(L, in, separator, start);
        lua_pushlstring(L, in.at + start, (at < 0 ? in.len : (size_t)at) - start);
        lua_rawseti(L, 3, i);
        allot__sandbox_charge(L, PIECE_COST);
        if (at < 0)
            return 1;
        start = (size_t)at + separator.len;
    }
}

static int string_starts(lua_State *L)
{
    text in = check_text(L, 1), what = check_text(L, 2);
    lua_pushboolean(L, what.len <= in.len && memcmp(in.at, what.at, what.len) == 0);
    return 1;
}

static int string_ends(lua_State *L)
{
    text in = check_text(L, 1), what = check_text(L, 2);
    lua_pushboolean(L, what.len <= in.len &&
                           memcmp(in.at + in.len - what.len, what.at, what.len) == 0);
    return 1;
}

/* string.glob(s, pattern): `*` is any text, `?` any one byte. Only the last star is retried, so the
 * steps, which are charged, are at most the product of the lengths. */
static int string_glob(lua_State *L)
{
    text in = check_text(L, 1), pattern = check_text(L, 2);
    size_t i = 0, p = 0, star = pattern.len, taken = 0, steps = 0;
    bool fits = true;
    for (; fits && i < in.len; steps++) {
        if (p < pattern.len && pattern.at[p] == '*') {
            star = p++;
            taken = i;
        } else if (p < pattern.len && (pattern.at[p] == '?' || pattern.at[p] == in.at[i])) {
            p++;
            i++;
        } else if (star < pattern.len) {
            p = star + 1;
            i = ++taken;
        } else {
            fits = false;
        }
    }
    while (p < pattern.len && pattern.at[p] == '*')
        p++;
    allot__sandbox_charge(L, (int64_t)(steps / 4));
    lua_pushboolean(L, fits && p == pattern.len);
    return 1;
}

/* Pushes n times s, with the separator between. */
static void push_repeated(lua_State *L, text s, text separator, size_t n)
{
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            luaL_addlstring(&buffer, separator.at, separator.len);
        luaL_addlstring(&buffer, s.at, s.len);
    }
    luaL_pushresult(&buffer);
}

static int string_rep(lua_State *L)
{
    text s = check_text(L, 1), separator = {"", 0};
    lua_Integer n = luaL_checkinteger(L, 2);
    if (!lua_isnoneornil(L, 3))
        separator = check_text(L, 3);
    if (n <= 0 || s.len + separator.len == 0)
        n = 0;
    if (n > ALLOT__STRING_MAX || (size_t)n * (s.len + separator.len) > ALLOT__STRING_MAX)
        return luaL_error(L, "string.rep would make more than %d bytes", ALLOT__STRING_MAX);
    push_repeated(L, s, separator, (size_t)n);
    return 1;
}

/* Writing a large number in full costs as much as hundreds of instructions. */
enum { CONVERSION_COST = 32, BYTE_COST = 2 };

/* %p prints an address; as does %s of a table, in stock Lua. */
static void check_format(lua_State *L, const char *format)
{
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "-+ #0123456789.");
        luaL_argcheck(L, *at != 'p', 1, "'%p' is not there: addresses differ from run to run");
        if (*at)
            at++;
        allot__sandbox_charge(L, CONVERSION_COST);
    }
}

/* Upvalue 1: the stock function. */
static int string_format(lua_State *L)
{
    int n = lua_gettop(L);
    check_format(L, luaL_checkstring(L, 1));
    for (int i = 2; i <= n; i++) {
        int type = lua_type(L, i);
        if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA) {
            allot__library_text(L, i);
            lua_replace(L, i);
        }
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, n, 1);
    allot__sandbox_charge(L, (int64_t)lua_rawlen(L, -1) * BYTE_COST);
    return 1;
}

/* Takes over stock functions that are safe unchanged: linear, on short strings. */
static void take_stock(lua_State *L, int made)
{
    static const char *const names[] = {"byte", "char", "len", "lower", "reverse", "sub", "upper"};
    lua_pushcfunction(L, luaopen_string);
    lua_call(L, 0, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, -1, names[i]);
        lua_setfield(L, made, names[i]);
    }
    lua_getfield(L, -1, "format");
    lua_pushcclosure(L, string_format, 1);
    lua_setfield(L, made, "format");
    lua_pop(L, 1);
}

void allot__library_string(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"ends", string_ends}, {"find", string_find},   {"glob", string_glob},
        {"rep", string_rep},   {"split", string_split}, {"starts", string_starts},
        {NULL, NULL}};
    luaL_newlib(L, functions);
    take_stock(L, lua_gettop(L));
}

void allot__library_text(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TNUMBER:
        lua_pushvalue(L, index);
        lua_tostring(L, -1);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    default:
        lua_pushstring(L, luaL_typename(L, index));
        break;
    }
}
