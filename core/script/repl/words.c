/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * words.c: `allot.repl.native`: what the REPL can do that pieces cannot.
 *
 * Marks are metatables of one table each: what a table is to the REPL, and what belongs to it.
 */
#include <string.h>

#include "script/module/module.h"
#include "script/repl/repl.h"
#include "script/sandbox/require.h"

static allot_repl *session_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* out(text) */
static int native_out(lua_State *L)
{
    size_t len;
    const allot_repl *it = session_of(L);
    const char *text = luaL_checklstring(L, 1, &len);
    it->host.tool.out(it->host.tool.ud, text, len);
    return 0;
}

/* say(text): something that was printed */
static int native_say(lua_State *L)
{
    size_t len;
    const allot_repl_host *host = &session_of(L)->host;
    const char *text = luaL_checklstring(L, 1, &len);
    host->say(host->tool.ud, text, len);
    return 0;
}

static int fail(lua_State *L, int status, const char *why)
{
    luaL_pushfail(L);
    lua_pushstring(L, *why ? why : allot_status_text(status));
    return 2;
}

/* read(path): text, or nil and why */
static int native_read(lua_State *L)
{
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot_repl *it = session_of(L);
    const allot_tool_host *host = &it->host.tool;
    const char *path = luaL_checkstring(L, 1);
    allot__text *text = allot__text_push(L, it->box.engine);
    int status = host->read(host->ud, path, allot__text_sink, text, why);
    if (status || text->failed)
        return fail(L, text->failed ? ALLOT_ENOMEM : status, text->failed ? "" : why);
    lua_pushlstring(L, text->bytes ? text->bytes : "", text->len);
    allot__text_free(text);
    return 1;
}

/* write(path, text): true, or nil and why */
static int native_write(lua_State *L)
{
    size_t len;
    char why[ALLOT_TOOL_WHY_MAX] = "";
    const allot_tool_host *host = &session_of(L)->host.tool;
    const char *path = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &len);
    int status = host->write(host->ud, path, text, len, why);
    if (status)
        return fail(L, status, why);
    lua_pushboolean(L, 1);
    return 1;
}

/* clock(): microseconds, or nil */
static int native_clock(lua_State *L)
{
    const allot_repl_host *host = &session_of(L)->host;
    if (!host->clock)
        return 0;
    lua_pushinteger(L, host->clock(host->tool.ud));
    return 1;
}

/* width(): columns to write in; 0: as many as it takes */
static int native_width(lua_State *L)
{
    const allot_repl_host *host = &session_of(L)->host;
    lua_pushinteger(L, host->width ? host->width(host->tool.ud) : 0);
    return 1;
}

/* json(): are results wanted as JSON? */
static int native_json(lua_State *L)
{
    lua_pushboolean(L, session_of(L)->host.json);
    return 1;
}

/* decision(userdata): shows it */
static int native_decision(lua_State *L)
{
    const allot_repl_host *host = &session_of(L)->host;
    host->decision(host->tool.ud, allot__box_check(L, 1, ALLOT__DECISION)->it);
    return 0;
}

/* close(userdata): gives back at once what the collector would some time */
static int native_close(lua_State *L)
{
    luaL_callmeta(L, 1, "__close");
    return 0;
}

/* mark(table, kind, extra): the table */
static int native_mark(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 3);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "kind");
    lua_pushvalue(L, 3);
    lua_setfield(L, -2, "extra");
    lua_setmetatable(L, 1);
    lua_settop(L, 1);
    return 1;
}

/* kind(value): kind and extra of a marked table; "list" of a list, though it be empty; or nil */
static int native_kind(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TTABLE || !lua_getmetatable(L, 1))
        return 0;
    luaL_getmetatable(L, ALLOT__LIST_TYPE);
    if (lua_rawequal(L, 2, 3)) {
        lua_pushliteral(L, "list");
        return 1;
    }
    lua_getfield(L, 2, "kind");
    lua_getfield(L, 2, "extra");
    return 2;
}

/* copy(table, key, ...): a new table of the same, without these keys */
static int native_copy(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, 1);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, n + 1);
    }
    for (int i = 2; i <= n; i++) {
        lua_pushvalue(L, i);
        lua_pushnil(L);
        lua_rawset(L, n + 1);
    }
    return 1;
}

/* count(table): how many keys it has */
static int native_count(lua_State *L)
{
    lua_Integer count = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        count++;
    lua_pushinteger(L, count);
    return 1;
}

/* compile(text, name): a function of the session, or nil and why */
static int native_compile(lua_State *L)
{
    bool incomplete = false;
    allot__piece piece = {.line = 1};
    piece.text = luaL_checklstring(L, 1, &piece.len);
    piece.name = luaL_checkstring(L, 2);
    if (allot__repl_load(L, session_of(L), &piece, &incomplete) == LUA_OK)
        return 1;
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
}

/* help(topic): shows what there is to say, and returns true; or nil and why */
static int native_help(lua_State *L)
{
    const allot_repl *it = session_of(L);
    const char *args[] = {luaL_checkstring(L, 1)};
    allot_report *report = NULL;
    int answer = 1;
    int status = allot_report_new(it->box.engine, &report);
    if (!status)
        status = allot_tool_run(it->box.engine, &it->host.tool, "reference", "help", args, 1,
                                &answer, report);
    bool told = allot_report_count(report) > 0;
    char message[400] = "", hint[200] = "";
    if (told) {
        const allot_diagnostic *finding = allot_report_at(report, 0);
        strncat(message, finding->message, sizeof message - 1);
        strncat(hint, finding->hint ? finding->hint : "", sizeof hint - 1);
    }
    allot_report_free(report);
    lua_pushboolean(L, !status && answer == 0);
    lua_pushstring(L, told ? message : allot_status_text(status));
    lua_pushstring(L, hint);
    return 3;
}

/* Pushes the globals that pieces see, and the library's behind them. */
static void push_globals(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, session_of(L)->env);
    lua_getmetatable(L, -1);
    lua_getfield(L, -1, "__index");
    lua_getupvalue(L, -1, 1);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* global(name): its value, or nil */
static int native_global(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    push_globals(L);
    for (int table = 2; table <= 3; table++) {
        lua_pushvalue(L, 1);
        if (lua_rawget(L, table) != LUA_TNIL)
            return 1;
    }
    return 0;
}

/* globals(): their names, in no order */
static int native_globals(lua_State *L)
{
    lua_Integer count = 0;
    lua_settop(L, 0);
    push_globals(L);
    lua_newtable(L);
    for (int table = 1; table <= 2; table++) {
        for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
            lua_pushvalue(L, -2);
            lua_rawseti(L, 3, ++count);
        }
    }
    return 1;
}

/* quit(): when the piece is done, the user wants to leave */
static int native_quit(lua_State *L)
{
    session_of(L)->quit = true;
    return 0;
}

/* nearest(name, table): the key of the table, a text, that is nearest to the name, or nil */
static int native_nearest(lua_State *L)
{
    size_t len, count = 0, n = 0;
    const char *name = luaL_checklstring(L, 1, &len);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        count++;
    const char **keys = lua_newuserdatauv(L, (count + 1) * sizeof *keys, 0);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            keys[n++] = lua_tostring(L, -2);
    lua_pushstring(L, allot_nearest(name, len, keys, n));
    return 1;
}

void allot__repl_native(lua_State *L, allot_repl *session)
{
    static const luaL_Reg functions[] = {{"out", native_out},         {"say", native_say},
                                         {"read", native_read},       {"write", native_write},
                                         {"clock", native_clock},     {"width", native_width},
                                         {"json", native_json},       {"decision", native_decision},
                                         {"close", native_close},     {"mark", native_mark},
                                         {"kind", native_kind},       {"copy", native_copy},
                                         {"count", native_count},     {"compile", native_compile},
                                         {"help", native_help},       {"quit", native_quit},
                                         {"global", native_global},   {"globals", native_globals},
                                         {"nearest", native_nearest}, {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, session);
    luaL_setfuncs(L, functions, 1);
}

/* ---- The REPL's modules ---------------------------------------------------------------------- */

/* Upvalue 2: what the modules see as globals. */
static int require(lua_State *L)
{
    return allot__embedded_require(L, allot__embedded_find, lua_upvalueindex(2),
                                   "no module %s is built in");
}

void allot__repl_require(lua_State *L, allot_repl *session, const char *name)
{
    allot__repl_globals(L);
    int globals = lua_gettop(L);
    lua_newtable(L);
    allot__module_engine(L, session->box.engine);
    lua_pushcfunction(L, luaopen_allot_core);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, "allot.core");
    allot__repl_native(L, session);
    lua_setfield(L, -2, "allot.repl.native");
    lua_pushvalue(L, globals);
    lua_pushcclosure(L, require, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, globals, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
    lua_remove(L, globals);
}
