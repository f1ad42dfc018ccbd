/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * import.c: a plan from configuration files of LSF, by lua/allot/lsf*.lua.
 *
 * Those files are our own, so they run in a state of their own with Lua's string library; the text
 * that they read is data.
 */
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <allot/script.h>

#include "script/require.h"

typedef struct import {
    const allot_lsf_file *files;
    int32_t count;
    allot_sink sink;
    void *sink_ud;
    allot_lsf_note note;
    void *note_ud;
    int status; /* EIO: the sink's */
} import;

static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    return allot_engine_alloc(ud, ptr, ptr != NULL ? old_size : 0, new_size);
}

static const allot__embedded *find_module(const char *name)
{
    return allot__embedded_find(allot__embedded_importers, allot__embedded_importers_count, name);
}

static int require(lua_State *L)
{
    return allot__embedded_require(L, find_module, 0, "no module %s is built in");
}

static void push_module(lua_State *L, const char *name)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
}

static void open_library(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 1);
    lua_settop(L, 1);
    lua_newtable(L);
    lua_pushcclosure(L, require, 1);
    lua_setglobal(L, "require");
}

static void push_files(lua_State *L, const import *job)
{
    lua_createtable(L, job->count, 0);
    for (int32_t i = 0; i < job->count; i++) {
        lua_createtable(L, 0, 2);
        lua_pushstring(L, job->files[i].name);
        lua_setfield(L, -2, "name");
        lua_pushlstring(L, job->files[i].text, job->files[i].len);
        lua_setfield(L, -2, "text");
        lua_rawseti(L, -2, i + 1);
    }
}

static int32_t place_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

/* Tells the notes of the list on top. */
static void tell_notes(lua_State *L, const import *job)
{
    lua_Unsigned count = lua_rawlen(L, -1);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);
        lua_getfield(L, -1, "file");
        lua_getfield(L, -2, "text");
        allot_diagnostic finding = {.severity = ALLOT_WARNING,
                                    .code = "W-import",
                                    .file = lua_tostring(L, -2),
                                    .message = lua_tostring(L, -1),
                                    .consumer = -1,
                                    .group = -1,
                                    .field = -1};
        lua_rotate(L, -3, -1);
        finding.line = place_of(L, "line");
        finding.col = place_of(L, "col");
        job->note(job->note_ud, &finding);
        lua_pop(L, 3);
    }
}

static int run(lua_State *L)
{
    import *job = lua_touserdata(L, 1);
    size_t len;
    open_library(L);
    push_module(L, "allot.lsf_plan");
    lua_getfield(L, -1, "of");
    push_files(L, job);
    lua_call(L, 1, 2); /* the plan, and the notes */
    push_module(L, "allot.lsf_text");
    lua_getfield(L, -1, "of");
    lua_pushvalue(L, -4);
    lua_call(L, 1, 1);
    const char *text = lua_tolstring(L, -1, &len);
    if (job->sink(job->sink_ud, text, len) != 0) {
        job->status = ALLOT_EIO;
        return 0;
    }
    lua_pushvalue(L, -3);
    tell_notes(L, job);
    return 0;
}

int allot_lsf_import(allot_engine *engine, const allot_lsf_file *files, int32_t n, allot_sink sink,
                     void *sink_ud, allot_lsf_note note, void *note_ud)
{
    struct import job = {files, n, sink, sink_ud, note, note_ud, ALLOT_OK};
    if (engine == NULL || (files == NULL && n > 0) || n < 0 || sink == NULL || note == NULL)
        return ALLOT_EUSAGE;
    lua_State *L = lua_newstate(allocate, engine);
    if (L == NULL)
        return ALLOT_ENOMEM;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &job);
    int status = lua_pcall(L, 1, 0, 0);
    lua_close(L);
    if (status == LUA_ERRMEM)
        return ALLOT_ENOMEM;
    return status == LUA_OK ? job.status : ALLOT_ESCRIPT;
}
