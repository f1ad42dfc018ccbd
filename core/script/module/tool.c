/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tool.c: a state for our own Lua: built-in modules, allot.core, and a host.
 *
 * The host's functions write into a text that Lua owns, so that no C memory is lost when Lua jumps.
 */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "script/module/module.h"
#include "script/module/tool.h"
#include "script/sandbox/require.h"

/* ---- The host -------------------------------------------------------------------------------- */

static allot__host_use *use_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static void need(lua_State *L, bool there, const char *name)
{
    if (!there)
        luaL_error(L, "this host has no %s", name);
}

static int host_out(lua_State *L)
{
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    const allot__host_use *it = use_of(L);
    need(L, it->host->out != NULL, "out");
    it->host->out(it->host->ud, text, len);
    return 0;
}

static int fail(lua_State *L, int status, const char *why)
{
    luaL_pushfail(L);
    lua_pushstring(L, *why ? why : allot_status_text(status));
    lua_pushinteger(L, status);
    return 3;
}

/* Returns the host's text, on top of the stack, or the reason of its failure. */
static int give(lua_State *L, allot__text *text, int status, const char *why)
{
    if (text->failed)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    if (status)
        return fail(L, status, why);
    lua_pushlstring(L, text->bytes ? text->bytes : "", text->len);
    allot__text_free(text);
    return 1;
}

static int host_read(lua_State *L)
{
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot__host_use *it = use_of(L);
    const char *path = luaL_checkstring(L, 1);
    need(L, it->host->read != NULL, "read");
    allot__text *text = allot__text_push(L, it->engine);
    int status = it->host->read(it->host->ud, path, allot__text_sink, text, why);
    return give(L, text, status, why);
}

/* call(name [, text]): what only this host can do */
static int host_call(lua_State *L)
{
    size_t len;
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot__host_use *it = use_of(L);
    const char *name = luaL_checkstring(L, 1), *asked = luaL_optlstring(L, 2, "", &len);
    need(L, it->host->call != NULL, name);
    allot__text *text = allot__text_push(L, it->engine);
    int status = it->host->call(it->host->ud, name, asked, len, allot__text_sink, text, why);
    return give(L, text, status, why);
}

static int host_write(lua_State *L)
{
    size_t len;
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot__host_use *it = use_of(L);
    const char *path = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &len);
    need(L, it->host->write != NULL, "write");
    int status = it->host->write(it->host->ud, path, text, len, why);
    if (status)
        return fail(L, status, why);
    lua_pushboolean(L, 1);
    return 1;
}

/* An allot_sink: each piece is a name. */
static int add_name(void *ud, const char *name, size_t len)
{
    return allot__text_sink(ud, name, len) || allot__text_sink(ud, "", 1);
}

static int host_list(lua_State *L)
{
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot__host_use *it = use_of(L);
    const char *path = luaL_checkstring(L, 1);
    need(L, it->host->list != NULL, "list");
    allot__text *names = allot__text_push(L, it->engine);
    int status = it->host->list(it->host->ud, path, add_name, names, why);
    if (names->failed)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    if (status)
        return fail(L, status, why);
    lua_newtable(L);
    const char *at = names->bytes, *end = names->bytes + names->len;
    for (lua_Integer i = 1; at < end; at += strlen(at) + 1, i++) {
        lua_pushstring(L, at);
        lua_rawseti(L, -2, i);
    }
    lua_getglobal(L, "table");
    lua_getfield(L, -1, "sort");
    lua_pushvalue(L, -3);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
    return 1;
}

static int host_option(lua_State *L)
{
    const allot__host_use *it = use_of(L);
    const char *name = luaL_checkstring(L, 1);
    need(L, it->host->option != NULL, "option");
    lua_pushstring(L, it->host->option(it->host->ud, name));
    return 1;
}

static int host_progress(lua_State *L)
{
    const allot__host_use *it = use_of(L);
    lua_Integer done = luaL_checkinteger(L, 1), total = luaL_optinteger(L, 2, 0);
    const char *text = luaL_optstring(L, 3, "");
    if (it->host->progress)
        it->host->progress(it->host->ud, done, total, text);
    return 0;
}

/* clock(): microseconds, or nil */
static int host_clock(lua_State *L)
{
    const allot__host_use *it = use_of(L);
    if (!it->host->clock)
        return 0;
    lua_pushinteger(L, it->host->clock(it->host->ud));
    return 1;
}

static int host_say(lua_State *L)
{
    const allot__host_use *it = use_of(L);
    allot_diagnostic finding = allot__finding_read(L, 1);
    if (it->tool->say)
        it->tool->say(it->host->ud, &finding);
    else
        allot_report_add(it->report, &finding);
    return 0;
}

/* findings(): the report so far, and how many diagnostics it counted */
static int host_findings(lua_State *L)
{
    const allot_report *report = use_of(L)->report;
    allot__report_push(L, report);
    lua_pushinteger(L, allot_report_total(report, ALLOT_ERROR) +
                           allot_report_total(report, ALLOT_WARNING));
    return 2;
}

/* print, as a part of the result. */
static int print(lua_State *L)
{
    const allot__host_use *it = use_of(L);
    int n = lua_gettop(L);
    need(L, it->host->out != NULL, "out");
    for (int i = 1; i <= n; i++) {
        size_t len;
        const char *text = luaL_tolstring(L, i, &len);
        if (i > 1)
            it->host->out(it->host->ud, "\t", 1);
        it->host->out(it->host->ud, text, len);
        lua_pop(L, 1);
    }
    it->host->out(it->host->ud, "\n", 1);
    return 0;
}

/* ---- The state ------------------------------------------------------------------------------- */

static void open_libraries(lua_State *L, allot__host_use *it)
{
    allot__own_libraries(L);
    lua_pushlightuserdata(L, it);
    lua_pushcclosure(L, print, 1);
    lua_setglobal(L, "print");
    allot__module_engine(L, it->engine);
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_allot_core);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, "allot.core");
    allot__own_require(L);
}

void allot__tool_host(lua_State *L, allot__host_use *use)
{
    static const luaL_Reg functions[] = {{"out", host_out},
                                         {"read", host_read},
                                         {"write", host_write},
                                         {"list", host_list},
                                         {"option", host_option},
                                         {"progress", host_progress},
                                         {"say", host_say},
                                         {"clock", host_clock},
                                         {"call", host_call},
                                         {"rows", allot__host_rows},
                                         {"consumers", allot__host_consumers},
                                         {"findings", host_findings},
                                         {"explain", allot__host_explain},
                                         {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, use);
    luaL_setfuncs(L, functions, 1);
}

static int run(lua_State *L)
{
    allot__host_use *it = lua_touserdata(L, 1);
    const allot__tool *tool = it->tool;
    open_libraries(L, it);
    allot__embedded_run(L, tool->name, tool->text, tool->len, 0);
    if (lua_getfield(L, -1, tool->function) != LUA_TFUNCTION)
        return luaL_error(L, "it has no function %s", tool->function);
    allot__tool_host(L, it);
    lua_createtable(L, tool->count, 0);
    for (int32_t i = 0; i < tool->count; i++) {
        lua_pushstring(L, tool->args[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_call(L, 2, 1);
    it->answer = (int)luaL_optinteger(L, -1, 0);
    return 0;
}

/* Turns an error into a text with its traceback. */
static int describe(lua_State *L)
{
    const char *message = luaL_tolstring(L, 1, NULL);
    luaL_traceback(L, L, message, 1);
    return 1;
}

static int fail_tool(const char *name, const char *message, allot_report *report)
{
    allot_report_say(report, ALLOT_ERROR, allot_status_name(ALLOT_EINTERNAL),
                     "the tool %s failed: %s", name, message);
    return ALLOT_EINTERNAL;
}

int allot__tool_run(allot_engine *engine, const allot_tool_host *host, const allot__tool *tool,
                    int *answer, allot_report *report)
{
    allot__host_use it = {engine, host, tool, 0, report};
    int result = ALLOT_OK;
    lua_State *L = allot__own_state(engine);
    if (!L)
        return ALLOT_ENOMEM;
    lua_pushcfunction(L, describe);
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &it);
    result = allot__own_status(L, lua_pcall(L, 1, 0, 1));
    if (result == ALLOT_OK)
        *answer = it.answer;
    else if (result == ALLOT_EINTERNAL)
        fail_tool(tool->name, lua_tostring(L, -1), report);
    lua_close(L);
    return result;
}

int allot_tool_run(allot_engine *engine, const allot_tool_host *host, const char *module,
                   const char *function, const char *const *args, int32_t n, int *answer,
                   allot_report *report)
{
    char name[ALLOT_NAME_MAX + 8];
    if (!engine || !host || !module || !function || n < 0 || (n > 0 && !args) || !answer)
        return ALLOT_EUSAGE;
    snprintf(name, sizeof name, "allot.%s", module);
    const allot__embedded *it = allot__embedded_find(name);
    if (!it)
        return fail_tool(name, "it is not built in", report);
    const allot__tool tool = {name, it->text, it->len, function, args, n, NULL};
    return allot__tool_run(engine, host, &tool, answer, report);
}
