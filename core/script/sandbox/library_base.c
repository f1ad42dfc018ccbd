/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* library_base.c: the global functions. */
#include <string.h>

#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"

static int check_error_value(lua_State *L, int index)
{
    int type = lua_type(L, index);
    if (type != LUA_TSTRING && type != LUA_TTABLE)
        return luaL_error(L, "an error is a string or a table, not a %s", luaL_typename(L, index));
    return type;
}

static int base_error(lua_State *L)
{
    int level = (int)luaL_optinteger(L, 2, 1);
    lua_settop(L, 1);
    if (check_error_value(L, 1) == LUA_TSTRING && level > 0) {
        luaL_where(L, level);
        lua_insert(L, 1);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int base_assert(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_toboolean(L, 1))
        return lua_gettop(L);
    if (lua_gettop(L) < 2)
        return luaL_error(L, "assertion failed!");
    check_error_value(L, 2);
    lua_settop(L, 2);
    return lua_error(L);
}

/* Once the fuel is gone no pcall returns: the error goes on outwards. */
static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
    allot__sandbox_charge(L, 16);
    if (status == LUA_OK)
        return lua_gettop(L);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

static int base_type(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushstring(L, luaL_typename(L, 1));
    return 1;
}

static int base_tonumber(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    size_t len = 0;
    if (lua_type(L, 1) == LUA_TNUMBER)
        return 1;
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &len) : NULL;
    if (text && lua_stringtonumber(L, text) == len + 1)
        return 1;
    lua_pushnil(L);
    return 1;
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    allot__library_text(L, 1);
    return 1;
}

static int base_select(lua_State *L)
{
    int n = lua_gettop(L);
    allot__sandbox_charge(L, n);
    if (lua_type(L, 1) == LUA_TSTRING && strcmp(lua_tostring(L, 1), "#") == 0) {
        lua_pushinteger(L, n - 1);
        return 1;
    }
    lua_Integer first = luaL_checkinteger(L, 1);
    if (first < 0)
        first = n + first;
    luaL_argcheck(L, first >= 1, 1, "index out of range");
    return first >= n ? 0 : n - (int)first;
}

static int next_item(lua_State *L)
{
    lua_Integer i = luaL_checkinteger(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    i = luaL_intop(+, i, 1);
    lua_pushinteger(L, i);
    return lua_rawgeti(L, 1, i) == LUA_TNIL ? 1 : 2;
}

static int base_ipairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushcfunction(L, next_item);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

/* ---- pairs --------------------------------------------------------------------------------- */

static int key_class(lua_State *L, int index)
{
    int type = lua_type(L, index);
    return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2;
}

/* Numbers, then strings by bytes, then false and true. */
static int key_less(lua_State *L)
{
    int a = key_class(L, -2), b = key_class(L, -1);
    if (a != b)
        return a < b;
    if (a == 0)
        return lua_compare(L, -2, -1, LUA_OPLT);
    if (a == 2)
        return lua_toboolean(L, -2) < lua_toboolean(L, -1);
    size_t x_len, y_len;
    const char *x = lua_tolstring(L, -2, &x_len), *y = lua_tolstring(L, -1, &y_len);
    int order = memcmp(x, y, x_len < y_len ? x_len : y_len);
    return order ? order < 0 : x_len < y_len;
}

/* Upvalues: table, its keys in order, the current place. */
static int next_pair(lua_State *L)
{
    lua_settop(L, 0);
    lua_Integer i = lua_tointeger(L, lua_upvalueindex(3));
    for (;;) {
        if (lua_rawgeti(L, lua_upvalueindex(2), ++i) == LUA_TNIL)
            return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
            break;
        lua_settop(L, 0); /* gone in the meantime */
    }
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
}

/* An empty table that was large still takes its former size to walk through; the memory in use
 * bounds that size. */
static int64_t walk_cost(lua_State *L)
{
    return allot__sandbox_of(L)->used / 1024;
}

static int base_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    allot__sandbox_charge(L, walk_cost(L));
    lua_newtable(L);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        int type = lua_type(L, -2);
        if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
            return luaL_error(L, "pairs: a %s as key has no place in the order of keys",
                              luaL_typename(L, -2));
        lua_pushvalue(L, -2);
        lua_rawseti(L, 2, ++n);
    }
    allot__sandbox_charge(L, 4 * n);
    allot__library_sort(L, 2, n, key_less);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    return 1;
}

static int base_print(lua_State *L)
{
    allot__sandbox_say(L, "print");
    return 0;
}

static int base_log(lua_State *L)
{
    allot__sandbox_say(L, "log");
    return 0;
}

void allot__library_base(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"assert", base_assert}, {"error", base_error},       {"ipairs", base_ipairs},
        {"log", base_log},       {"pairs", base_pairs},       {"pcall", base_pcall},
        {"print", base_print},   {"select", base_select},     {"tonumber", base_tonumber},
        {"type", base_type},     {"tostring", base_tostring}, {NULL, NULL}};
    luaL_newlib(L, functions);
}
