/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* table_write.c: core.encode and core.list: a Lua value as JSON text, by lua/allot/encode.lua. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/module/module.h"
#include "script/sandbox/require.h"

enum { INDENT_MAX = 16 };
static const lua_Integer default_most = (lua_Integer)1 << 30; /* bytes */

/* ---- What Lua lacks -------------------------------------------------------------------------- */

/* next(table [, key]): without metamethods */
static int native_next(lua_State *L)
{
    lua_settop(L, 2);
    return lua_next(L, 1) ? 2 : 0;
}

static int native_quote(lua_State *L)
{
    size_t len;
    const char *string = luaL_checklstring(L, 1, &len);
    allot__text *text = lua_touserdata(L, lua_upvalueindex(1));
    text->len = 0;
    allot__text_json_len(text, string, len);
    if (text->failed)
        return luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    lua_pushlstring(L, text->bytes, text->len);
    return 1;
}

/* The fewest digits that give the same double; nil: infinite, or none. Whole numbers have no point:
 * in JSON 5.0 and 5 are the same number. */
static int native_number(lua_State *L)
{
    char text[48];
    double number = lua_tonumber(L, 1);
    if (lua_isinteger(L, 1)) {
        lua_tostring(L, 1);
        return 1;
    }
    if (!isfinite(number))
        return 0;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    char *point = strchr(text, *localeconv()->decimal_point);
    if (point)
        *point = '.';
    lua_pushstring(L, text);
    return 1;
}

static int native_marked(lua_State *L)
{
    bool marked = lua_getmetatable(L, 1);
    if (marked) {
        luaL_getmetatable(L, ALLOT__LIST_TYPE);
        marked = lua_rawequal(L, -1, -2);
    }
    lua_pushboolean(L, marked);
    return 1;
}

/* ---- core.encode ----------------------------------------------------------------------------- */

static lua_Integer option(lua_State *L, const char *name, lua_Integer most, lua_Integer otherwise)
{
    if (!lua_istable(L, 2) || lua_getfield(L, 2, name) == LUA_TNIL)
        return otherwise;
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 0 || lua_tointeger(L, -1) > most)
        luaL_error(L, "option %s is a number from 0 to %I", name, (LUAI_UACINT)most);
    return lua_tointeger(L, -1);
}

/* Pushes the function of lua/allot/encode.lua. */
static void push_encoder(lua_State *L)
{
    static const luaL_Reg functions[] = {{"next", native_next},
                                         {"quote", native_quote},
                                         {"number", native_number},
                                         {"marked", native_marked},
                                         {NULL, NULL}};
    const allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    const allot__embedded *it = allot__embedded_find("allot.encode");
    allot__embedded_run(L, it->name, it->text, it->len, 0);
    luaL_newlibtable(L, functions);
    allot__text_push(L, module->engine);
    luaL_setfuncs(L, functions, 1);
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    lua_call(L, 1, 1);
}

/* core.encode(value [, {indent = , most = }]); the module keeps the encoder once it is needed. */
int allot__module_encode(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 2);
    allot__module_options(L, 2, (const char *const[]){"indent", "most", NULL});
    lua_Integer indent = option(L, "indent", INDENT_MAX, 0);
    lua_Integer most = option(L, "most", default_most, default_most);
    if (lua_getiuservalue(L, lua_upvalueindex(1), 1) == LUA_TNIL) {
        push_encoder(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, lua_upvalueindex(1), 1);
    }
    lua_pushvalue(L, 1);
    lua_pushinteger(L, indent);
    lua_pushinteger(L, most);
    lua_call(L, 3, 2);
    if (lua_isnil(L, -2))
        return allot__module_fail(L, lua_tostring(L, -1));
    lua_pop(L, 1);
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
