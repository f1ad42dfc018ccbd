/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read.c: the table that a policy file returns, as a policy. */
#include "script/policy/read.h"

#include <string.h>

static const char *const policy_keys[] = {
    "kind",     "name",       "doc",      "at",           "options",
    "round",    "attributes", "reclaim",  "quota",        "distribute",
    "scale",    "recall",     "shared",   "enforce",      "task_attributes",
    "victims",  "guards",     "sessions", "requirements", "dispatch",
    "preempts", "fewest",     "lift",     "job_types",    "slices",
    "lease",    "said",       "damping",  "properties"};

static void check_keys(lua_State *L, const char *const *keys, size_t n)
{
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        size_t i = 0;
        while (key && i < n && strcmp(key, keys[i]) != 0)
            i++;
        if (key && i < n)
            continue;
        const char *near = key ? allot_nearest(key, strlen(key), keys, n) : NULL;
        if (near)
            allot__read_fail(L, NULL, "unknown key of policy '%s'; did you mean '%s'?", key, near);
        allot__read_fail(L, NULL, "unknown key of policy: %s", key ? key : luaL_typename(L, -2));
    }
}

static void make_policy(lua_State *L, allot__reading *reading)
{
    const char *name = allot__read_string(L, "name");
    allot_engine *engine = reading->script->box.engine;
    int status = allot_policy_new(engine, name, &reading->policy);
    allot__read_made(L, reading, status, "policy name", name);
}

static void read_attribute(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    allot_attribute made = allot__read_declaration(L);
    allot__read_made(L, reading, allot_policy_attribute(reading->policy, &made), "attribute",
                     made.name);
}

int allot__read_policy(lua_State *L, allot__reading *reading)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        return allot__read_fail(L, NULL,
                                "the file returns a %s; it ends with return policy { ... }",
                                luaL_typename(L, -1));
    allot__read_kind(L, "policy", "what the file returns");
    check_keys(L, policy_keys, sizeof policy_keys / sizeof *policy_keys);
    make_policy(L, reading);
    allot__read_push(L, "attributes");
    allot__read_each(L, reading, "attributes", ALLOT_ATTRIBUTES_MAX, read_attribute);
    if (!allot__read_options(L, reading)) {
        reading->option_fault = true;
        return 0;
    }
    allot__read_task_attributes(L, reading);
    reading->dispatches = allot__read_dispatches(L);
    if (!reading->dispatches)
        allot__read_division(L, reading);
    allot__read_tasks(L, reading);
    if (reading->dispatches)
        allot__read_queues(L, reading);
    allot__read_properties(L, reading);
    allot__flags_check(L, reading);
    for (int rows = 0; rows < ALLOT_HOSTS; rows++)
        allot__script_view(L, reading->script, reading->policy, (allot_rows)rows);
    allot__relate_views(L, reading->script);
    allot__side_views(L, reading->script);
    return 0;
}
