/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* library_table.c: tables, by raw access only, charged by length. */
#include <lauxlib.h>
#include <lualib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

/* The length of the table at 1, which is charged. */
static lua_Integer check_list(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    allot__sandbox_charge(L, 2 * n);
    return n;
}

static int table_insert(lua_State *L)
{
    lua_Integer n = check_list(L), at = n + 1;
    int count = lua_gettop(L);
    luaL_argcheck(L, count == 2 || count == 3, count, "table.insert(list, [position,] value)");
    if (count == 3) {
        at = luaL_checkinteger(L, 2);
        luaL_argcheck(L, at >= 1 && at <= n + 1, 2, "position out of the list");
        for (lua_Integer i = n; i >= at; i--) {
            lua_rawgeti(L, 1, i);
            lua_rawseti(L, 1, i + 1);
        }
    }
    lua_settop(L, count);
    lua_rawseti(L, 1, at);
    return 0;
}

static int table_remove(lua_State *L)
{
    lua_Integer n = check_list(L), at = luaL_optinteger(L, 2, n);
    luaL_argcheck(L, at == n || (at >= 1 && at <= n), 2, "position out of the list");
    lua_rawgeti(L, 1, at);
    for (lua_Integer i = at; i < n; i++) {
        lua_rawgeti(L, 1, i + 1);
        lua_rawseti(L, 1, i);
    }
    if (n > 0) {
        lua_pushnil(L);
        lua_rawseti(L, 1, n);
    }
    return 1;
}

static int table_concat(lua_State *L)
{
    lua_Integer n = check_list(L);
    size_t len = 0;
    const char *separator = luaL_optlstring(L, 2, "", &len);
    size_t most = allot__sandbox_of(L)->string_max;
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (lua_Integer i = 1; i <= n; i++) {
        int type = lua_rawgeti(L, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER)
            return luaL_error(L, "table.concat: value %I is a %s", (LUAI_UACINT)i,
                              luaL_typename(L, -1));
        luaL_addvalue(&buffer);
        if (i < n)
            luaL_addlstring(&buffer, separator, len);
        if (luaL_bufflen(&buffer) > most)
            return luaL_error(L, "table.concat would make more than %d bytes", (int)most);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int table_unpack(lua_State *L)
{
    lua_Integer n = check_list(L);
    if (n > ALLOT__ARGUMENTS_MAX || !lua_checkstack(L, (int)n))
        return luaL_error(L, "table.unpack: more than %d values", ALLOT__ARGUMENTS_MAX);
    for (lua_Integer i = 1; i <= n; i++)
        lua_rawgeti(L, 1, i);
    return (int)n;
}

/* ---- Sorting ------------------------------------------------------------------------------- */

/* Merges from[low ... middle-1] and from[middle ... high-1] into `into`, the first where equal. */
static void merge(lua_State *L, int from, int into, lua_Integer low, lua_Integer middle,
                  lua_Integer high, int (*less)(lua_State *L))
{
    lua_Integer a = low, b = middle;
    for (lua_Integer i = low; i < high; i++) {
        bool second = a >= middle;
        if (!second && b < high) {
            lua_rawgeti(L, from, b);
            lua_rawgeti(L, from, a);
            second = less(L) != 0;
            lua_pop(L, 2);
        }
        lua_rawgeti(L, from, second ? b++ : a++);
        lua_rawseti(L, into, i);
    }
}

/* Runs of 1, 2, 4, ... are merged back and forth between the list and a second one. */
void allot__library_sort(lua_State *L, int table, lua_Integer n, int (*less)(lua_State *L))
{
    if (n < 2)
        return;
    lua_createtable(L, n < INT_MAX ? (int)n : 0, 0);
    int from = table, into = lua_gettop(L);
    for (lua_Integer width = 1; width < n; width *= 2) {
        allot__sandbox_charge(L, 4 * n);
        for (lua_Integer low = 1; low <= n; low += 2 * width) {
            lua_Integer middle = low + width <= n ? low + width : n + 1;
            lua_Integer high = middle + width <= n ? middle + width : n + 1;
            merge(L, from, into, low, middle, high, less);
        }
        int swap = from;
        from = into;
        into = swap;
    }
    for (lua_Integer i = 1; from != table && i <= n; i++) {
        lua_rawgeti(L, from, i);
        lua_rawseti(L, table, i);
    }
    lua_pop(L, 1);
}

static int natural_less(lua_State *L)
{
    return lua_compare(L, -2, -1, LUA_OPLT);
}

/* The script's function is at 2. */
static int called_less(lua_State *L)
{
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 1);
    int result = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return result;
}

static int table_sort(lua_State *L)
{
    lua_Integer n = check_list(L);
    lua_settop(L, 2);
    if (!lua_isnil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_rawgeti(L, 1, i) == LUA_TNIL)
            return luaL_error(L, "table.sort: the list has a hole at %I", (LUAI_UACINT)i);
        lua_pop(L, 1);
    }
    allot__library_sort(L, 1, n, lua_isnil(L, 2) ? natural_less : called_less);
    return 0;
}

void allot__library_table(lua_State *L)
{
    static const luaL_Reg functions[] = {{"concat", table_concat}, {"insert", table_insert},
                                         {"remove", table_remove}, {"sort", table_sort},
                                         {"unpack", table_unpack}, {NULL, NULL}};
    luaL_newlib(L, functions);
}
