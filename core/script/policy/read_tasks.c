/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_tasks.c: a policy's rules for tasks, sessions and hosts. */
#include <string.h>

#include "script/policy/read.h"

/* ---- Attributes of tasks --------------------------------------------------------------------- */

static void add_attribute(lua_State *L, allot__reading *reading, const allot_attribute *attribute)
{
    allot_policy *policy = reading->policy;
    if (allot_policy_task_attributes(policy) == ALLOT_ATTRIBUTES_MAX)
        allot__read_fail(L, NULL, "at most %d attributes of tasks are allowed, tags included",
                         ALLOT_ATTRIBUTES_MAX);
    allot__read_made(L, reading, allot_policy_task_attribute(policy, attribute), "task attribute",
                     attribute->name);
}

/* The column of a tag, or -1. */
static int32_t find_tag(const allot_policy *policy, const char *tag)
{
    const allot_attribute *it;
    for (int32_t i = 0; (it = allot_policy_task_attribute_at(policy, i)); i++)
        if (it->type == ALLOT_TAG && strcmp(it->name, tag) == 0)
            return ALLOT_TASK_COLUMN_COUNT + i;
    return -1;
}

/* Makes the tag in the guard on top an attribute, unless it is one already. */
static void read_tag(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    const char *tag = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "tag") : NULL;
    if (tag && strlen(tag) > ALLOT_NAME_MAX)
        allot__read_fail(L, NULL, "a tag is at most %d bytes", ALLOT_NAME_MAX);
    if (tag && find_tag(reading->policy, tag) < 0)
        add_attribute(L, reading, &(allot_attribute){.name = tag, .type = ALLOT_TAG, .max = 1});
}

static void read_attribute(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    allot_attribute made = allot__read_declaration(L);
    add_attribute(L, reading, &made);
}

void allot__read_task_attributes(lua_State *L, allot__reading *reading)
{
    allot__read_push(L, "task_attributes");
    allot__read_each(L, reading, "task_attributes", ALLOT_ATTRIBUTES_MAX, read_attribute);
    allot__read_ruled(L, reading, "guards");
    allot__read_each(L, reading, "guards", ALLOT_GUARDS_MAX, read_tag);
}

/* ---- Guards ---------------------------------------------------------------------------------- */

static int64_t read_bound(lua_State *L, const char *at, const char *key, int64_t fallback)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && !lua_isinteger(L, -1))
        allot__read_fail(L, at, "%s is a %s, not a whole number", key, luaL_typename(L, -1));
    int64_t bound = type == LUA_TNIL ? fallback : lua_tointeger(L, -1);
    lua_pop(L, 1);
    return bound;
}

static void read_guard(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    allot_source value;
    allot__read_kind(L, "guard", "an item of guards");
    const char *at = allot__read_string(L, "at"), *tag = allot__read_string(L, "tag");
    const char *label = allot__read_string(L, "label");
    if (!label)
        allot__read_fail(L, at, "a guard needs a label");
    int64_t min = read_bound(L, at, "min", INT64_MIN), max = read_bound(L, at, "max", INT64_MAX);
    if (tag) {
        value = (allot_source){ALLOT_FROM_COLUMN, find_tag(reading->policy, tag)};
    } else if (allot__read_push(L, "test") == LUA_TFUNCTION) {
        value = allot__read_function(L, reading, at, "guard", 0);
        min = max = 1;
    } else {
        lua_pop(L, 1);
        allot__read_push(L, "value");
        value = allot__read_source(L, reading, at, "value", 0);
    }
    allot__read_made(L, reading, allot_policy_guard(reading->policy, label, value, min, max),
                     "guard", label);
}

/* ---- Sessions and requirements --------------------------------------------------------------- */

/* A fill of the scheduling whose place among those is on the stack below its list. */
static void read_session_fill(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    allot_scheduling scheduling = (allot_scheduling)lua_tointeger(L, -3);
    allot__rule_fill fill;
    allot__read_fill(L, reading, "a fill of sessions", 0, &fill);
    if (fill.up_to.kind == ALLOT_FROM_PART || fill.up_to.kind == ALLOT_FROM_HELD)
        allot__read_fail(L, NULL, "sessions take neither part nor held");
    allot__read_made(L, reading,
                     allot_policy_session_fill(reading->policy, scheduling, fill.by, fill.up_to,
                                               fill.order.keys, fill.order.count),
                     "sessions", allot_scheduling_name(scheduling));
}

static void read_sessions(lua_State *L, allot__reading *reading)
{
    int type = allot__read_push(L, "sessions");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "sessions is a %s, not a table", luaL_typename(L, -1));
    for (int i = 0; type == LUA_TTABLE && i < ALLOT_SCHEDULING_COUNT; i++) {
        const char *name = allot_scheduling_name(i);
        allot__read_push(L, name);
        lua_pushinteger(L, i);
        lua_insert(L, -2);
        allot__read_each(L, reading, name, ALLOT_FILLS_MAX, read_session_fill);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_requirement(lua_State *L, allot__reading *reading, int32_t i)
{
    (void)i;
    allot__read_kind(L, "requirement", "an item of requirements");
    const char *name = allot__read_string(L, "name");
    if (allot__read_push(L, "test") != LUA_TFUNCTION)
        allot__read_fail(L, NULL, "a requirement is a function, not a %s", luaL_typename(L, -1));
    int32_t function = allot__read_function(L, reading, NULL, "requirement", 0).value;
    allot__read_made(L, reading, allot_policy_requirement(reading->policy, name, function),
                     "requirement", name);
}

void allot__read_tasks(lua_State *L, allot__reading *reading)
{
    reading->rows = ALLOT_TASKS;
    int type = allot__read_push(L, "guards");
    allot_policy_switch(reading->policy, ALLOT_SWITCH_UNGUARDED, type != LUA_TNIL);
    allot__read_each(L, reading, "guards", ALLOT_GUARDS_MAX, read_guard);
    allot__read_ruled(L, reading, "victims");
    allot__read_set_order(L, reading, "victims", 0, allot_policy_victims);
    reading->rows = ALLOT_SESSIONS;
    read_sessions(L, reading);
    reading->rows = ALLOT_HOSTS;
    allot__read_push(L, "requirements");
    allot__read_each(L, reading, "requirements", ALLOT_REQUIREMENTS_MAX, read_requirement);
    reading->rows = ALLOT_CONSUMERS;
}
