/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: objects that a script's functions read: rows, queues, sides of leases. */
#include "script/sandbox/script.h"

/* Upvalue: its name in messages. */
static int refuse_change(lua_State *L)
{
    return luaL_error(L, "%s is only read; it cannot be changed",
                      lua_tostring(L, lua_upvalueindex(1)));
}

void allot__view_fields(lua_State *L, const char *const *names, int32_t count)
{
    lua_createtable(L, 0, count);
    for (int32_t i = 0; i < count; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, names[i]);
    }
}

int allot__view_make(lua_State *L, void *ud, lua_Integer number, lua_CFunction index,
                     const char *what)
{
    lua_newuserdatauv(L, 1, 0);
    lua_createtable(L, 0, 2);
    lua_pushlightuserdata(L, ud);
    lua_pushinteger(L, number);
    lua_rotate(L, -5, -1); /* the fields, from below */
    lua_pushcclosure(L, index, 3);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, what);
    lua_pushcclosure(L, refuse_change, 1);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}
