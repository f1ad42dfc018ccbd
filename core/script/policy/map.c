/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * map.c: a map of a trace's records by a function in Lua.
 *
 * This file owns: struct allot_script_map.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

enum { ROWS = 1000, FUEL_LEAST = 10000, TEXT_MOST = 1024 * 1024 };

struct allot_script_map {
    allot__script *script;
    int view; /* of the job, in Lua's registry */
    bool syntax_fault;
    /* While it runs: */
    const allot_record *record;
    allot_mapped *out;
};

/* ---- The job --------------------------------------------------------------------------------- */

#define OF(type, member)                                                                           \
    {                                                                                              \
#member, ALLOT__FIELD_##type, offsetof(allot_record, member)                               \
    }
static const allot__view_field fields[] = {
    OF(NAME, id),          OF(KNOWN, at),      OF(KNOWN, slots),  OF(KNOWN, run),
    OF(KNOWN, requested),  OF(KNOWN, waited),  OF(KNOWN, status), OF(LONG, priority),
    OF(NAME, user),        OF(NAME, group),    OF(NAME, queue),   OF(NAME, partition),
    OF(NAME, application), OF(TEXT, consumer), OF(TEXT, session)};
enum { FIELDS = sizeof fields / sizeof *fields };

static bool push_field(lua_State *L, const void *ud, int number, int field)
{
    const allot_record *record = ((const allot_script_map *)ud)->record;
    (void)number;
    if (record)
        allot__view_push(L, &fields[field], record);
    return record != NULL;
}

static const allot__view job_view = {"a job", "field of a job", push_field};

/* ---- What comes back ------------------------------------------------------------------------- */

typedef enum type_of_key { A_TEXT, A_NUMBER, A_FLAG } type_of_key;

static const struct {
    const char *name;
    type_of_key type;
    size_t at; /* in allot_mapped */
} keys[] = {{"consumer", A_TEXT, offsetof(allot_mapped, consumer)},
            {"queue", A_TEXT, offsetof(allot_mapped, queue)},
            {"group", A_TEXT, offsetof(allot_mapped, group)},
            {"session", A_TEXT, offsetof(allot_mapped, session)},
            {"priority", A_NUMBER, offsetof(allot_mapped, priority)},
            {"slots", A_NUMBER, offsetof(allot_mapped, slots)},
            {"run", A_NUMBER, offsetof(allot_mapped, run)},
            {"run_limit", A_NUMBER, offsetof(allot_mapped, run_limit)},
            {"rigid", A_FLAG, offsetof(allot_mapped, rigid)}};

enum { KEYS = sizeof keys / sizeof *keys };

static int refuse_key(lua_State *L, int key)
{
    static const char *const wanted[] = {"a text", "a whole number", "true or false"};
    return luaL_error(L, "the mapping's '%s' is %s, not a %s", keys[key].name,
                      wanted[keys[key].type], luaL_typename(L, -1));
}

static void take_value(lua_State *L, int key, allot_mapped *out)
{
    void *to = (char *)out + keys[key].at;
    int type = lua_type(L, -1);
    switch (keys[key].type) {
    case A_TEXT:
        if (type != LUA_TSTRING)
            refuse_key(L, key);
        *(const char **)to = lua_tostring(L, -1);
        break;
    case A_NUMBER:
        if (!lua_isinteger(L, -1))
            refuse_key(L, key);
        *(int64_t *)to = lua_tointeger(L, -1);
        break;
    case A_FLAG:
        if (type != LUA_TBOOLEAN)
            refuse_key(L, key);
        *(int32_t *)to = lua_toboolean(L, -1);
        break;
    }
}

static int find_key(lua_State *L, int index)
{
    for (int i = 0; i < KEYS && lua_type(L, index) == LUA_TSTRING; i++)
        if (strcmp(lua_tostring(L, index), keys[i].name) == 0)
            return i;
    lua_settop(L, index);
    allot__view_fields(L, keys, sizeof *keys, KEYS);
    return allot__library_unknown(L, "", "key of the mapping", index + 1, index);
}

static void take_table(lua_State *L, int table, allot_mapped *out)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        take_value(L, find_key(L, lua_gettop(L) - 1), out);
        lua_pop(L, 1);
    }
}

/* Its argument is the map. The function's result stays in the registry until the next call, since
 * strings borrowed from it are in use. */
static int call(lua_State *L)
{
    allot_script_map *map = lua_touserdata(L, 1);
    allot_mapped *out = map->out;
    lua_rawgetp(L, LUA_REGISTRYINDEX, map);
    lua_rawgeti(L, LUA_REGISTRYINDEX, map->view);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &map->out);
    if (lua_type(L, 2) == LUA_TSTRING)
        out->consumer = out->queue = lua_tostring(L, 2);
    else if (lua_type(L, 2) == LUA_TTABLE)
        take_table(L, 2, out);
    else if (lua_type(L, 2) == LUA_TBOOLEAN && !lua_toboolean(L, 2))
        out->left_out = 1;
    else if (!lua_isnil(L, 2))
        return luaL_error(L,
                          "the mapping returned a %s; it is a table, a text, nothing (as without "
                          "it), or false (left out)",
                          luaL_typename(L, 2));
    return 0;
}

/* ---- The life of a map ----------------------------------------------------------------------- */

static int load(lua_State *L)
{
    allot_script_map *map = lua_touserdata(L, 1);
    map->view = allot__view_make(L, &job_view, map, 0, fields, sizeof *fields, FIELDS);
    allot__script_file(L, map->script, &map->syntax_fault);
    if (lua_type(L, -1) != LUA_TFUNCTION)
        return luaL_error(L, "the file returns a %s, not a function of a job",
                          luaL_typename(L, -1));
    lua_rawsetp(L, LUA_REGISTRYINDEX, map);
    return 0;
}

static int run_load(allot_script_map *map, allot_report *report)
{
    int status = allot__sandbox_run(&map->script->box, load, map);
    allot__sandbox_disarm(&map->script->box);
    if (status == LUA_OK)
        return ALLOT_OK;
    return allot__fault(map->script, status, ALLOT_EPOLICY,
                        map->syntax_fault ? "E-policy-syntax" : "E-map", NULL, report);
}

int allot_script_map_new(allot_engine *engine, const char *text, size_t len, const char *chunk,
                         const allot_script_limits *limits, allot_report *report,
                         allot_script_map **out)
{
    if (!engine || (!text && len > 0) || !chunk || !out || len > TEXT_MOST)
        return ALLOT_EUSAGE;
    allot_script_map *map = allot_engine_alloc(engine, NULL, 0, sizeof *map);
    if (!map)
        return ALLOT_ENOMEM;
    *map = (allot_script_map){.record = NULL};
    int status = allot__script_new(engine, text, len, chunk, limits, &map->script);
    if (status) {
        allot_engine_alloc(engine, map, sizeof *map, 0);
        return status;
    }
    status = run_load(map, report);
    if (status)
        allot_script_map_free(map);
    else
        *out = map;
    return status;
}

void allot_script_map_free(allot_script_map *map)
{
    if (!map)
        return;
    allot_engine *engine = map->script->box.engine;
    allot__script_free(map->script);
    allot_engine_alloc(engine, map, sizeof *map, 0);
}

static int64_t fuel_of(const allot__script *script)
{
    int64_t fuel = script->instructions / ROWS;
    if (script->instructions < 0)
        return -1;
    return fuel > FUEL_LEAST ? fuel : FUEL_LEAST;
}

static int fail(allot_script_map *map, int status, const allot_trace *trace, allot_report *report)
{
    char path[300];
    snprintf(path, sizeof path, "%.200s:%" PRId32, trace ? allot_trace_file(trace) : "job",
             map->record->line);
    allot_diagnostic finding = allot__error(NULL, NULL);
    finding.path = path;
    return allot__fault(map->script, status, ALLOT_ESCRIPT, "E-map", &finding, report);
}

int allot_script_map_record(void *ud, const allot_trace *trace, const allot_record *record,
                            allot_mapped *out, allot_report *report)
{
    allot_script_map *map = ud;
    allot__sandbox *box = &map->script->box;
    map->record = record;
    map->out = out;
    lua_gc(box->L, LUA_GCSTOP);
    allot__sandbox_arm(box, fuel_of(map->script));
    int status = allot__sandbox_run(box, call, map);
    allot__sandbox_disarm(box);
    int result = status ? fail(map, status, trace, report) : ALLOT_OK;
    map->record = NULL;
    allot__sandbox_sweep(box);
    return result;
}
