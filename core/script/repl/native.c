/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* native.c: `allot.repl.native`: functions of the REPL that pieces cannot call. */
#include <string.h>

#include <lualib.h>

#include "script/module/module.h"
#include "script/repl/repl.h"
#include "script/sandbox/require.h"

static allot_repl *session_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* say(text): passes on a printed text */
static int native_say(lua_State *L)
{
    size_t len;
    const allot_repl_host *host = &session_of(L)->host;
    const char *text = luaL_checklstring(L, 1, &len);
    host->say(host->tool.ud, text, len);
    return 0;
}

/* width(): columns to write in; 0: no bound */
static int native_width(lua_State *L)
{
    const allot_repl_host *host = &session_of(L)->host;
    lua_pushinteger(L, host->width ? host->width(host->tool.ud) : 0);
    return 1;
}

/* decision(userdata): shows it */
static int native_decision(lua_State *L)
{
    const allot_repl_host *host = &session_of(L)->host;
    host->decision(host->tool.ud, allot__box_check(L, 1, ALLOT__DECISION)->it);
    return 0;
}

/* ---- Pieces as functions --------------------------------------------------------------------- */

/* Compiles the text at `text` with a prefix, so that its first line is `line`; as lua_load. */
static int compile(lua_State *L, const allot_repl *session, int text, const char *prefix,
                   const char *name, int32_t line)
{
    size_t len;
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (int32_t i = 1; i < line; i++)
        luaL_addchar(&buffer, '\n');
    luaL_addstring(&buffer, prefix);
    lua_pushvalue(L, text);
    luaL_addvalue(&buffer);
    luaL_pushresult(&buffer);
    const char *all = lua_tolstring(L, -1, &len);
    int status = luaL_loadbufferx(L, all, len, name, "t");
    if (status == LUA_ERRMEM)
        return lua_error(L);
    lua_remove(L, -2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, session->env);
    if (status != LUA_OK || !lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return status;
}

/* Is it the message for a text that ends too soon? */
static bool ends_early(lua_State *L)
{
    static const char mark[] = "<eof>";
    size_t len;
    const char *message = lua_tolstring(L, -1, &len);
    return len >= sizeof mark - 1 && strcmp(message + len - (sizeof mark - 1), mark) == 0;
}

int allot__repl_load(lua_State *L, const allot_repl *session, const char *name, int32_t line,
                     bool *incomplete)
{
    int text = lua_gettop(L), status = compile(L, session, text, "return ", name, line);
    if (status != LUA_OK) {
        bool early = ends_early(L);
        lua_settop(L, text);
        status = compile(L, session, text, "", name, line);
        *incomplete = status != LUA_OK && (early || ends_early(L));
    }
    lua_remove(L, text);
    return status;
}

/* ---- What the REPL calls --------------------------------------------------------------------- */

/* compile(text, name): a function of the session, or nil and why */
static int native_compile(lua_State *L)
{
    bool incomplete = false;
    const char *name = luaL_checkstring(L, 2);
    luaL_checkstring(L, 1);
    lua_pushvalue(L, 1);
    if (allot__repl_load(L, session_of(L), name, 1, &incomplete) == LUA_OK)
        return 1;
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
}

/* help(topic): shows help, and returns true; or false, the reason and a hint */
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

/* Adds to the table on top those of Lua's own functions that the library does
 * not open, and the library's table of globals itself. */
static void add_lua(lua_State *L)
{
    static const char *const names[] = {"next", "rawget", "getmetatable", "setmetatable"};
    lua_newtable(L); /* replaces the globals while Lua opens its own */
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushvalue(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 0);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, -1, names[i]);
        lua_setfield(L, -3, names[i]);
    }
    lua_pop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    luaL_getmetafield(L, -1, "__index");
    lua_setfield(L, -3, "library");
    lua_pop(L, 1);
}

static void push_native(lua_State *L, allot_repl *session)
{
    static const luaL_Reg functions[] = {{"say", native_say},           {"width", native_width},
                                         {"decision", native_decision}, {"compile", native_compile},
                                         {"help", native_help},         {NULL, NULL}};
    allot__tool_host(L, &session->tools);
    lua_pushlightuserdata(L, session);
    luaL_setfuncs(L, functions, 1);
    lua_pushboolean(L, session->host.json);
    lua_setfield(L, -2, "json");
    add_lua(L);
}

/* Upvalue 2: the globals of the modules. */
static int require(lua_State *L)
{
    return allot__embedded_require(L, allot__embedded_find, lua_upvalueindex(2),
                                   "no module %s is built in");
}

void allot__repl_require(lua_State *L, allot_repl *session, const char *name)
{
    lua_newtable(L); /* the library's globals, and a require of its own */
    int globals = lua_gettop(L);
    lua_createtable(L, 0, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, globals);
    lua_newtable(L);
    allot__module_engine(L, session->box.engine);
    lua_pushcfunction(L, luaopen_allot_core);
    lua_call(L, 0, 1);
    lua_setfield(L, -2, "allot.core");
    push_native(L, session);
    lua_setfield(L, -2, "allot.repl.native");
    lua_pushvalue(L, globals);
    lua_pushcclosure(L, require, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, globals, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
    lua_remove(L, globals);
}
