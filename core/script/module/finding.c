/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* finding.c: a table of Lua as a diagnostic. */
#include <string.h>

#include "script/module/module.h"

static const char *text_of(lua_State *L, int table, const char *key)
{
    int type = lua_getfield(L, table, key);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(L, "say: %s is a string, not a %s", key, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

static int32_t number_of(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    lua_Integer number = luaL_optinteger(L, -1, 0);
    return number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

void allot__finding_add(lua_State *L, int table, allot_report *report)
{
    int top = lua_gettop(L);
    luaL_checktype(L, table, LUA_TTABLE);
    luaL_checkstack(L, 16, NULL);
    const char *severity = text_of(L, table, "severity");
    bool warning = severity && strcmp(severity, "warning") == 0;
    allot_diagnostic finding = {.severity = warning ? ALLOT_WARNING : ALLOT_ERROR,
                                .code = text_of(L, table, "code"),
                                .file = text_of(L, table, "file"),
                                .line = number_of(L, table, "line"),
                                .col = number_of(L, table, "col"),
                                .width = number_of(L, table, "width"),
                                .path = text_of(L, table, "path"),
                                .message = text_of(L, table, "message"),
                                .hint = text_of(L, table, "hint"),
                                .source = text_of(L, table, "source"),
                                .consumer = -1,
                                .group = -1,
                                .field = -1};
    if (!finding.code || !finding.message)
        luaL_error(L, "say: a diagnostic has a code and a message");
    allot_report_add(report, &finding);
    lua_settop(L, top);
}
