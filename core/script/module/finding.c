/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* finding.c: a diagnostic as a table of Lua, and a table as a diagnostic. */
#include "script/module/module.h"

#include <string.h>

#include <lauxlib.h>

#include "base/report.h"

/* The fields except severity; text fields come first. */
static const struct {
    const char *name;
    size_t at; /* in allot_diagnostic */
} fields[] = {
    {"code", offsetof(allot_diagnostic, code)},  {"file", offsetof(allot_diagnostic, file)},
    {"path", offsetof(allot_diagnostic, path)},  {"message", offsetof(allot_diagnostic, message)},
    {"hint", offsetof(allot_diagnostic, hint)},  {"source", offsetof(allot_diagnostic, source)},
    {"line", offsetof(allot_diagnostic, line)},  {"col", offsetof(allot_diagnostic, col)},
    {"width", offsetof(allot_diagnostic, width)}};
enum { TEXTS = 6, FIELDS = sizeof fields / sizeof *fields };

void allot__finding_push(lua_State *L, const allot_diagnostic *finding)
{
    lua_createtable(L, 0, FIELDS + 1);
    lua_pushstring(L, finding->severity == ALLOT_WARNING ? "warning" : "error");
    lua_setfield(L, -2, "severity");
    for (size_t i = 0; i < FIELDS; i++) {
        const char *at = (const char *)finding + fields[i].at;
        if (i < TEXTS)
            lua_pushstring(L, *(const char *const *)at);
        else if (*(const int32_t *)at > 0)
            lua_pushinteger(L, *(const int32_t *)at);
        else
            continue;
        lua_setfield(L, -2, fields[i].name);
    }
}

static const char *text_of(lua_State *L, const char *key)
{
    int type = lua_type(L, -1);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(L, "say: %s is a string, not a %s", key, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

static int32_t number_of(lua_State *L)
{
    lua_Integer number = luaL_optinteger(L, -1, 0);
    return number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

allot_diagnostic allot__finding_read(lua_State *L, int table)
{
    allot_diagnostic finding = allot__error(NULL, NULL);
    luaL_checktype(L, table, LUA_TTABLE);
    lua_getfield(L, table, "severity");
    const char *severity = text_of(L, "severity");
    finding.severity = severity && strcmp(severity, "warning") == 0 ? ALLOT_WARNING : ALLOT_ERROR;
    lua_pop(L, 1);
    for (size_t i = 0; i < FIELDS; i++) {
        char *at = (char *)&finding + fields[i].at;
        lua_getfield(L, table, fields[i].name);
        if (i < TEXTS)
            *(const char **)at = text_of(L, fields[i].name);
        else
            *(int32_t *)at = number_of(L);
        lua_pop(L, 1);
    }
    if (!finding.code || !finding.message)
        luaL_error(L, "say: a diagnostic has a code and a message");
    return finding;
}
