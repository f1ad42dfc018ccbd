/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.c: the table that a policy file returns, as a parsed policy.
 *
 * lua/allot checks a policy with good messages before it comes here. A table made by hand comes
 * here unchecked, so everything is checked again, and nothing but raw access is used.
 */
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

/* What each stage knows: columns up to this one. */
enum { IN_DISTRIBUTION = ALLOT_QUOTA, IN_RECLAIM = ALLOT_OVER };

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

/* ---- Attributes and options ------------------------------------------------------------------ */

static void read_attributes(lua_State *L, allot__parsed *parsed)
{
    int32_t count = allot__read_list(L, "attributes", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        parsed->attributes[i] = allot__read_declaration(L);
        lua_pop(L, 1);
        parsed->attribute_count++;
    }
    lua_pop(L, 1);
}

/* The strings of the option on top of the stack. */
static void read_values(lua_State *L, allot__parsed_option *option)
{
    int32_t count = allot__read_list(L, "values", ALLOT__VALUES_MAX);
    for (int32_t i = 0; i < count; i++, option->value_count++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TSTRING)
            allot__read_fail(L, NULL, "values is a list of strings");
        option->values[i] = allot__read_text(L);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    bool outside = option->value < 0 || option->value >= (option->words ? 1 << count : count);
    if (count > 0 && outside)
        allot__read_fail(L, NULL, "default is none of the values");
}

static void read_options(lua_State *L, allot__parsed *parsed)
{
    int32_t count = allot__read_list(L, "options", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        allot_attribute made = allot__read_declaration(L);
        parsed->options[i] = (allot__parsed_option){made.name,     made.type, made.min, made.max,
                                                    made.fallback, false,     0,        {NULL}};
        const char *type = allot__read_string(L, "type");
        parsed->options[i].words = type && strcmp(type, "words") == 0;
        read_values(L, &parsed->options[i]);
        lua_pop(L, 1);
        parsed->option_count++;
    }
    lua_pop(L, 1);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Not given: owned slots scale. */
static bool read_scale(lua_State *L)
{
    int type = allot__read_push(L, "scale");
    bool scale = type == LUA_TNIL || lua_toboolean(L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        allot__read_fail(L, NULL, "scale is true or false, not a %s", luaL_typename(L, -1));
    lua_pop(L, 1);
    return scale;
}

/* The word in field `key`, or what a function of the options returns: is it the second of the two?
 * Not given: no. */
static allot_rounding read_round(lua_State *L)
{
    static const char *const names[] = {"rank", "ceil_in_order", "largest_remainder", "webster"};
    const char *name = allot__read_string(L, "round");
    for (int i = 0; name && i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (allot_rounding)i;
    if (name) {
        const char *near = allot_nearest(name, strlen(name), names, 4);
        allot__read_fail(L, NULL, "unknown rounding '%s'%s%s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return ALLOT_ROUND_RANK;
}

static void read_reclaim(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    allot__parsed_fill *reclaim = &parsed->reclaim;
    int type = allot__read_ruled(L, parsed, "reclaim");
    parsed->switches[ALLOT_SWITCH_NO_RECLAIM] = type == LUA_TBOOLEAN && !lua_toboolean(L, -1);
    parsed->reclaim_given = type != LUA_TNIL && !parsed->switches[ALLOT_SWITCH_NO_RECLAIM];
    if (!parsed->reclaim_given) {
        lua_pop(L, 1);
        return;
    }
    allot__read_fill(L, reading, "reclaim", IN_RECLAIM, reclaim);
    bool over = reclaim->up_to.kind == ALLOT_FROM_COLUMN && reclaim->up_to.value == ALLOT_OVER;
    if (reclaim->up_to.kind != ALLOT_FROM_NEED && !over)
        allot__read_fail(L, NULL, "reclaim takes what is over; its up_to is \"over\" or left out");
}

/* What divides slots among consumers. */
static void read_division(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    allot__read_quota(L, reading);
    parsed->scale = read_scale(L);
    allot__read_switches(L, parsed);
    parsed->rounding = read_round(L);
    allot__read_push(L, "distribute");
    allot__read_order(L, reading, NULL, IN_DISTRIBUTION, &parsed->distribute);
    read_reclaim(L, reading);
    allot__read_damping(L, parsed);
}

/* ---- The whole ------------------------------------------------------------------------------- */

int allot__read_policy(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    if (lua_type(L, -1) != LUA_TTABLE)
        return allot__read_fail(L, NULL,
                                "the file returns a %s; it ends with return policy { ... }",
                                luaL_typename(L, -1));
    allot__read_kind(L, "policy", "what the file returns");
    check_keys(L, policy_keys, sizeof policy_keys / sizeof *policy_keys);
    parsed->name = allot__read_string(L, "name");
    read_attributes(L, parsed);
    read_options(L, parsed);
    if (!allot__read_options(reading)) {
        reading->option_fault = true;
        return 0;
    }
    allot__read_task_attributes(L, reading);
    parsed->dispatches = allot__read_dispatches(L);
    parsed->scale = true;
    if (!parsed->dispatches)
        read_division(L, reading);
    allot__read_tasks(L, reading);
    if (parsed->dispatches)
        allot__read_queues(L, reading);
    allot__read_properties(L, reading);
    for (int rows = 0; rows < ALLOT_HOSTS; rows++)
        allot__script_view(L, reading->script, parsed, (allot_rows)rows);
    allot__relate_views(L, reading->script);
    allot__side_views(L, reading->script);
    return 0;
}
