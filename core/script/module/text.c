/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.c: texts that grow outside Lua and end with it. */
#include "script/module/module.h"

static int collect(lua_State *L)
{
    allot__text_free(lua_touserdata(L, 1));
    return 0;
}

allot__text *allot__text_push(lua_State *L, allot_engine *engine)
{
    allot__text *text = lua_newuserdatauv(L, sizeof *text, 0);
    *text = (allot__text){.engine = engine};
    if (luaL_newmetatable(L, "allot.text")) {
        lua_pushcfunction(L, collect);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return text;
}
