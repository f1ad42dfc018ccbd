/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: objects that a script's functions read: rows, queues, sides of leases, jobs. */
#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

/* Upvalues of both: the view, its ud, its number, the numbers of the fields by
 * name. */
static int read_field(lua_State *L)
{
    const allot__view *view = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(4)) == LUA_TNIL) {
        lua_pushvalue(L, lua_upvalueindex(4));
        return allot__library_unknown(L, NULL, view->field, 4, 2);
    }
    if (!view->push(L, lua_touserdata(L, lua_upvalueindex(2)),
                    (int)lua_tointeger(L, lua_upvalueindex(3)), (int)lua_tointeger(L, -1)))
        return luaL_error(L, "%s can only be read while its function runs", view->name);
    return 1;
}

static int refuse_change(lua_State *L)
{
    const allot__view *view = lua_touserdata(L, lua_upvalueindex(1));
    return luaL_error(L, "%s is only read; it cannot be changed", view->name);
}

void allot__view_fields(lua_State *L, const char *const *names, int32_t count)
{
    lua_createtable(L, 0, count);
    for (int32_t i = 0; i < count; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, names[i]);
    }
}

int allot__view_make(lua_State *L, const allot__view *view, void *ud, int number,
                     const char *const *names, int32_t count)
{
    lua_newuserdatauv(L, 1, 0);
    lua_createtable(L, 0, 2);
    lua_pushlightuserdata(L, (void *)view);
    lua_pushlightuserdata(L, ud);
    lua_pushinteger(L, number);
    allot__view_fields(L, names, count);
    lua_pushcclosure(L, read_field, 4);
    lua_setfield(L, -2, "__index");
    lua_pushlightuserdata(L, (void *)view);
    lua_pushcclosure(L, refuse_change, 1);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}
