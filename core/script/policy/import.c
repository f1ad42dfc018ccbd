/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * import.c: a plan from configuration files of LSF, by lua/allot/import.
 *
 * Those files are our own, so they run in a state of their own with Lua's string library; the text
 * that they read is data.
 */
#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <allot/script.h>

#include "script/sandbox/require.h"

typedef struct import {
    allot_engine *engine;
    const allot_lsf_file *files;
    int32_t count;
    allot_sink sink;
    void *sink_ud;
    allot_lsf_note note;
    void *note_ud;
    allot_report *report; /* what the plan's check says */
    int status;
} import;

static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    return allot_engine_alloc(ud, ptr, ptr ? old_size : 0, new_size);
}

static int require(lua_State *L)
{
    return allot__embedded_require(L, allot__embedded_find, 0, "no module %s is built in");
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

/* What makes a plan of the files: the stack then has the plan's text, where its parts come from,
 * and the notes. */
static int make(lua_State *L)
{
    const import *job = lua_touserdata(L, 1);
    open_library(L);
    push_module(L, "allot.import.plan");
    lua_getfield(L, -1, "of");
    push_files(L, job);
    lua_call(L, 1, 3); /* the plan, the notes, and where tables come from */
    push_module(L, "allot.import.text");
    lua_getfield(L, -1, "of");
    lua_pushvalue(L, -5);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 2);
    lua_pushvalue(L, -5);
    return 3;
}

enum { TEXT = 1, SPANS, NOTES };

/* ---- What the plan's check says ----------------------------------------------------------------
 */

static int load_ready(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                      const allot_use_option *options, int32_t count, allot_policy **out,
                      allot_report *report)
{
    size_t len;
    const char *text = allot_ready_policy_text(use, &len);
    (void)ud;
    (void)plan_file;
    return !text ? ALLOT_ENOENT
                 : allot_script_load(engine, text, len, use, options, count, NULL, report, out);
}

/* Reads the plan as `check` does; faults go to the report. */
static int check(const import *job, const char *text, size_t len, allot_report *report)
{
    static const allot_policy_loader loader = {.load = load_ready};
    allot_plan *plan = NULL;
    int status = allot_plan_read(job->engine, text, len, "plan", &loader, report, &plan);
    allot_plan_free(plan);
    return status;
}

/* ---- Telling -----------------------------------------------------------------------------------
 */

static int32_t number_of(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number > 0 && number <= INT32_MAX ? (int32_t)number : 1;
}

/* The file's line, for people; NULL: no such line. `copy` is made of it by Lua, on its stack. */
static const char *source_of(lua_State *L, const import *job, const char *file, int32_t line)
{
    for (int32_t i = 0; i < job->count; i++) {
        if (job->files[i].len == 0 || strcmp(job->files[i].name, file) != 0)
            continue;
        const char *at = job->files[i].text, *end = at + job->files[i].len;
        for (int32_t n = 1; n < line && at && at < end; n++) {
            at = memchr(at, '\n', (size_t)(end - at));
            at = at ? at + 1 : NULL;
        }
        if (!at || at >= end)
            return NULL;
        const char *to = memchr(at, '\n', (size_t)(end - at));
        to = to ? to : end;
        return lua_pushlstring(L, at, (size_t)(to - at - (to > at && to[-1] == '\r')));
    }
    return NULL;
}

/* Passes the finding in the table on top, which has a place. */
static void tell(lua_State *L, const import *job, allot_severity severity, const char *code,
                 const char *message, const char *hint)
{
    int table = lua_gettop(L);
    lua_getfield(L, table, "file");
    allot_diagnostic finding = {.severity = severity,
                                .code = code,
                                .file = lua_tostring(L, -1),
                                .line = number_of(L, table, "line"),
                                .col = number_of(L, table, "col"),
                                .message = message,
                                .hint = hint,
                                .consumer = -1,
                                .group = -1,
                                .field = -1};
    if (severity == ALLOT_ERROR)
        finding.source = source_of(L, job, finding.file, finding.line);
    job->note(job->note_ud, &finding);
    lua_settop(L, table);
}

static void tell_notes(lua_State *L, const import *job, bool fatal)
{
    lua_Unsigned count = lua_rawlen(L, NOTES);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, NOTES, (lua_Integer)i);
        lua_getfield(L, -1, "fatal");
        lua_getfield(L, -2, "text");
        const char *text = lua_tostring(L, -1);
        bool is_fatal = lua_toboolean(L, -2);
        lua_pushvalue(L, -3);
        if (is_fatal == fatal)
            tell(L, job, fatal ? ALLOT_ERROR : ALLOT_WARNING, fatal ? "E-import" : "W-import", text,
                 NULL);
        lua_settop(L, NOTES);
    }
}

/* An error of the plan stands in the files where that part of it comes from. */
static void tell_error(lua_State *L, const import *job, const allot_diagnostic *error)
{
    push_module(L, "allot.import.text");
    lua_getfield(L, -1, "place");
    lua_pushvalue(L, TEXT);
    lua_pushvalue(L, SPANS);
    lua_pushinteger(L, error->line);
    lua_pushinteger(L, error->col);
    lua_call(L, 4, 1);
    if (lua_isnil(L, -1)) {
        lua_newtable(L);
        lua_pushstring(L, job->count > 0 ? job->files[0].name : "plan");
        lua_setfield(L, -2, "file");
    }
    tell(L, job, ALLOT_ERROR, error->code, error->message, error->hint);
    lua_settop(L, NOTES);
}

static int finish(lua_State *L)
{
    import *job = lua_touserdata(L, NOTES + 1);
    size_t len;
    const char *text = lua_tolstring(L, TEXT, &len);
    lua_settop(L, NOTES);
    if (job->status == ALLOT_EINVALID) {
        tell_notes(L, job, true);
        for (int32_t i = 0; i < allot_report_count(job->report); i++)
            if (allot_report_at(job->report, i)->severity == ALLOT_ERROR)
                tell_error(L, job, allot_report_at(job->report, i));
    } else if (job->sink(job->sink_ud, text, len) != 0) {
        job->status = ALLOT_EIO;
    } else {
        tell_notes(L, job, false);
    }
    return 0;
}

static bool is_fatal(lua_State *L)
{
    bool fatal = false;
    lua_Unsigned count = lua_rawlen(L, NOTES);
    for (lua_Unsigned i = 1; i <= count && !fatal; i++) {
        lua_rawgeti(L, NOTES, (lua_Integer)i);
        lua_pushliteral(L, "fatal");
        fatal = lua_rawget(L, -2) != LUA_TNIL;
        lua_settop(L, NOTES);
    }
    return fatal;
}

/* From the result of the Lua module to plan and notes; statuses of Lua. */
static int check_and_tell(lua_State *L, import *job)
{
    size_t len;
    const char *text = lua_tolstring(L, TEXT, &len);
    job->status = is_fatal(L) ? ALLOT_EINVALID : check(job, text, len, job->report);
    if (job->status != ALLOT_OK && job->status != ALLOT_EINVALID)
        return LUA_OK;
    lua_pushcfunction(L, finish);
    lua_insert(L, TEXT);
    lua_pushlightuserdata(L, job);
    return lua_pcall(L, NOTES + 1, 0, 0);
}

int allot_lsf_import(allot_engine *engine, const allot_lsf_file *files, int32_t n, allot_sink sink,
                     void *sink_ud, allot_lsf_note note, void *note_ud)
{
    if (!engine || (!files && n > 0) || n < 0 || !sink || !note)
        return ALLOT_EUSAGE;
    struct import job = {engine, files, n, sink, sink_ud, note, note_ud, NULL, ALLOT_OK};
    int status = allot_report_new(engine, &job.report);
    if (status != ALLOT_OK)
        return status;
    lua_State *L = lua_newstate(allocate, engine);
    status = LUA_ERRMEM;
    if (L) {
        lua_pushcfunction(L, make);
        lua_pushlightuserdata(L, &job);
        status = lua_pcall(L, 1, 3, 0);
        if (status == LUA_OK)
            status = check_and_tell(L, &job);
        lua_close(L);
    }
    allot_report_free(job.report);
    if (status == LUA_ERRMEM)
        return ALLOT_ENOMEM;
    return status == LUA_OK ? job.status : ALLOT_ESCRIPT;
}
