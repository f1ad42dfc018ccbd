/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* copy.c: plain data from one Lua state into another. */
#include "script/sandbox/script.h"

enum { DEPTH_MAX = 64 };

/* Pushes a copy of the value on top of `from`; false: it is neither plain nor a table. */
static bool push_plain(lua_State *from, lua_State *to)
{
    size_t len;
    const char *text;
    switch (lua_type(from, -1)) {
    case LUA_TBOOLEAN:
        lua_pushboolean(to, lua_toboolean(from, -1));
        return true;
    case LUA_TNUMBER:
        if (lua_isinteger(from, -1))
            lua_pushinteger(to, lua_tointeger(from, -1));
        else
            lua_pushnumber(to, lua_tonumber(from, -1));
        return true;
    case LUA_TSTRING:
        text = lua_tolstring(from, -1, &len);
        lua_pushlstring(to, text, len);
        return true;
    default:
        return false;
    }
}

/* A function as { kind = "function", first =, last = }: the lines that it stands on. */
static void push_function(lua_State *from, lua_State *to)
{
    lua_Debug info;
    lua_pushvalue(from, -1);
    lua_getinfo(from, ">S", &info);
    lua_createtable(to, 0, 3);
    lua_pushliteral(to, "function");
    lua_setfield(to, -2, "kind");
    lua_pushinteger(to, info.linedefined);
    lua_setfield(to, -2, "first");
    lua_pushinteger(to, info.lastlinedefined);
    lua_setfield(to, -2, "last");
}

/* Copies the entry on top of `from`, key and value, into the table on top of `to`; of a value that
 * is a table, only its beginning. Returns by how much deeper the copy is now. */
static int copy_entry(lua_State *from, lua_State *to)
{
    lua_pushvalue(from, -2);
    bool plain = push_plain(from, to);
    lua_pop(from, 1);
    if (plain && lua_type(from, -1) == LUA_TTABLE) {
        lua_newtable(to);
        lua_pushnil(from);
        return 1;
    }
    bool calls = lua_type(from, -1) == LUA_TFUNCTION;
    if (plain && calls)
        push_function(from, to);
    if (plain && (calls || push_plain(from, to)))
        lua_rawset(to, -3);
    else if (plain)
        lua_pop(to, 1);
    lua_pop(from, 1);
    return 0;
}

bool allot__copy_across(lua_State *from, lua_State *to)
{
    luaL_checkstack(to, 2 * DEPTH_MAX + LUA_MINSTACK, NULL);
    if (!lua_checkstack(from, 2 * DEPTH_MAX + LUA_MINSTACK))
        return false;
    if (lua_type(from, -1) != LUA_TTABLE)
        return push_plain(from, to);
    lua_newtable(to);
    lua_pushnil(from);
    for (int depth = 1; depth > 0;) {
        if (lua_next(from, -2)) {
            depth += copy_entry(from, to);
            if (depth > DEPTH_MAX)
                return false;
        } else if (--depth > 0) {
            lua_pop(from, 1);
            lua_rawset(to, -3);
        }
    }
    return true;
}
