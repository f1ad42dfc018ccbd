/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flags.c: finds functions that take a boolean for a number; see lua/allot/check/text.lua. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"

/* Flags of a queue. */
static const char *const of_queues[] = {"preemptive", "preemptable"};

/* Pushes the names of the parameters of a function of the script. */
static void push_parameters(lua_State *L, const allot__script *script, int function)
{
    lua_State *from = script->box.L;
    const char *name;
    lua_newtable(L);
    lua_rawgeti(from, LUA_REGISTRYINDEX, function);
    for (int n = 1; (name = lua_getlocal(from, NULL, n)); n++) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, n);
    }
    lua_pop(from, 1);
}

/* Adds a function to the list below the names of its flags, which are on top, and popped. */
static void add(lua_State *L, const allot__script *script, int function, int32_t line, bool fields)
{
    lua_createtable(L, 0, 4);
    lua_insert(L, -2);
    lua_setfield(L, -2, "flags");
    push_parameters(L, script, function);
    lua_setfield(L, -2, "parameters");
    lua_pushinteger(L, line);
    lua_setfield(L, -2, "line");
    lua_pushboolean(L, fields);
    lua_setfield(L, -2, "fields");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void add_call(lua_State *L, const allot__reading *reading, const allot__call *call)
{
    lua_newtable(L);
    for (int32_t i = 0, n = 0; i < call->count; i++) {
        if (!(call->flags >> i & 1))
            continue;
        lua_pushstring(L, allot__read_column_name(reading->policy, call->rows, call->columns[i]));
        lua_rawseti(L, -2, ++n);
    }
    add(L, reading->script, call->ref, call->line, call->view);
}

/* Pushes the list of functions of the script's own that read booleans. */
static int push_functions(lua_State *L, const void *ud)
{
    const allot__reading *reading = ud;
    const allot__script *script = reading->script;
    lua_newtable(L);
    for (int32_t i = 0; i < script->call_count; i++)
        if (script->calls[i].flags && script->calls[i].line > 0)
            add_call(L, reading, &script->calls[i]);
    for (int32_t i = 0; i < script->relating.count; i++) {
        const allot__test *test = &script->relating.tests[i];
        if (test->line == 0)
            continue;
        lua_newtable(L);
        for (int k = 0; k < 2; k++) {
            lua_pushstring(L, of_queues[k]);
            lua_rawseti(L, -2, k + 1);
        }
        add(L, script, test->ref, test->line, true);
    }
    return 1;
}

static bool says(const allot__script *script, const char *name)
{
    return memmem(script->text, script->text_len, name, strlen(name)) != NULL;
}

/* A function that takes a whole row could read all flags; it reads those that the text names. */
static bool reads_flags(const allot__reading *reading)
{
    const allot__script *script = reading->script;
    for (int32_t i = 0; i < script->call_count; i++) {
        const allot__call *call = &script->calls[i];
        for (int32_t c = 0; c < call->count && call->line > 0; c++)
            if (call->flags >> c & 1 &&
                says(script,
                     allot__read_column_name(reading->policy, call->rows, call->columns[c])))
                return true;
    }
    for (int32_t i = 0; i < script->relating.count; i++)
        if (script->relating.tests[i].line > 0)
            return says(script, of_queues[0]) || says(script, of_queues[1]);
    return false;
}

void allot__flags_check(lua_State *L, allot__reading *reading)
{
    const allot__sandbox *box = &reading->script->box;
    allot__text_answer found;
    char place[LUA_IDSIZE + 16];
    if (!reads_flags(reading))
        return;
    int status = allot__sandbox_ask(box, "flag", push_functions, reading, &found);
    allot__read_made(L, reading, status, "policy", "functions");
    if (found.line == 0)
        return;
    snprintf(place, sizeof place, "%s:%d: ", box->source, (int)found.line);
    allot__read_fail(L, place,
                     "'%s' is true or false, and no number; write %s, not %s, or (%s and 1 or 0)",
                     found.name, found.name, found.name, found.name);
}

void allot__flags_source(lua_State *L, const allot__reading *reading, const char *at,
                         const char *role, int32_t column)
{
    const char *name = allot__read_column_name(reading->policy, reading->rows, column);
    if (!allot__read_flag(reading->policy, reading->rows, column) || strcmp(role, "key") == 0)
        return;
    if (strcmp(role, "value") == 0)
        allot__read_fail(L, at,
                         "value = \"%s\" is true or false, and no number; write guard \"label\" "
                         "(function (%s) return not %s end)",
                         name, name, name);
    allot__read_fail(L, at,
                     "%s = \"%s\" is true or false, and no number; write %s = function (%s) "
                     "return %s and 1 or 0 end",
                     role, name, role, name, name);
}
