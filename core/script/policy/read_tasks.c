/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_tasks.c: what a policy says of tasks, sessions and hosts, as a parsed policy. */
#include <string.h>

#include "script/sandbox/script.h"

/* ---- Attributes of tasks --------------------------------------------------------------------- */

static void add_attribute(lua_State *L, allot__parsed *parsed, const allot_attribute *attribute)
{
    if (parsed->task_attribute_count == ALLOT_ATTRIBUTES_MAX)
        allot__read_fail(L, NULL, "at most %d attributes of tasks are allowed, tags included",
                         ALLOT_ATTRIBUTES_MAX);
    parsed->task_attributes[parsed->task_attribute_count++] = *attribute;
}

/* The column of a tag, or -1. */
static int32_t find_tag(const allot__parsed *parsed, const char *tag)
{
    for (int32_t i = 0; i < parsed->task_attribute_count; i++) {
        const allot_attribute *it = &parsed->task_attributes[i];
        if (it->type == ALLOT_TAG && strcmp(it->name, tag) == 0)
            return ALLOT_TASK_COLUMN_COUNT + i;
    }
    return -1;
}

/* The tag in the guard on top becomes an attribute where it is none yet. */
static void add_tag(lua_State *L, allot__parsed *parsed)
{
    const char *tag = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "tag") : NULL;
    if (tag && strlen(tag) > ALLOT_NAME_MAX)
        allot__read_fail(L, NULL, "a tag is at most %d bytes", ALLOT_NAME_MAX);
    if (tag && find_tag(parsed, tag) < 0)
        add_attribute(L, parsed, &(allot_attribute){.name = tag, .type = ALLOT_TAG, .max = 1});
}

/* Pushes the list of guards, or of what a function of the options returns; its length. */
static int32_t push_guards(lua_State *L, const allot__parsed *parsed)
{
    int type = allot__read_ruled(L, parsed, "guards");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "guards is a %s, not a list", luaL_typename(L, -1));
    lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    if (count > ALLOT_GUARDS_MAX)
        allot__read_fail(L, NULL, "at most %d guards are allowed", ALLOT_GUARDS_MAX);
    return (int32_t)count;
}

void allot__read_task_attributes(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    int32_t count = allot__read_list(L, "task_attributes", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        allot_attribute made = allot__read_declaration(L);
        add_attribute(L, parsed, &made);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    count = push_guards(L, parsed);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        add_tag(L, parsed);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
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

/* The guard on top, popped. */
static void read_guard(lua_State *L, allot__reading *reading, allot__parsed_guard *out)
{
    allot__read_kind(L, "guard", "an item of guards");
    const char *at = allot__read_string(L, "at"), *tag = allot__read_string(L, "tag");
    out->label = allot__read_string(L, "label");
    if (!out->label)
        allot__read_fail(L, at, "a guard needs a label");
    out->min = read_bound(L, at, "min", INT64_MIN);
    out->max = read_bound(L, at, "max", INT64_MAX);
    if (tag) {
        out->value = (allot_source){ALLOT_FROM_COLUMN, find_tag(reading->parsed, tag)};
    } else if (allot__read_push(L, "test") == LUA_TFUNCTION) {
        out->value = allot__read_function(L, reading, at, "guard", 0);
        out->min = out->max = 1;
    } else {
        lua_pop(L, 1);
        allot__read_push(L, "value");
        out->value = allot__read_source(L, reading, at, "value", 0);
    }
    lua_pop(L, 1);
}

static void read_guards(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    int32_t count = push_guards(L, parsed);
    for (; parsed->guard_count < count; parsed->guard_count++) {
        lua_rawgeti(L, -1, parsed->guard_count + 1);
        read_guard(L, reading, &parsed->guards[parsed->guard_count]);
    }
    lua_pop(L, 1);
}

/* ---- Sessions and requirements --------------------------------------------------------------- */

static void read_scheduling(lua_State *L, allot__reading *reading, int scheduling)
{
    allot__parsed *parsed = reading->parsed;
    int32_t *made = &parsed->session_fill_count[scheduling];
    int32_t count = allot__read_list(L, allot_scheduling_name(scheduling), ALLOT_FILLS_MAX);
    for (; *made < count; ++*made) {
        lua_rawgeti(L, -1, *made + 1);
        allot__parsed_fill *fill = &parsed->session_fills[scheduling][*made];
        allot__read_fill(L, reading, "a fill of sessions", 0, fill);
        if (fill->up_to.kind == ALLOT_FROM_PART || fill->up_to.kind == ALLOT_FROM_HELD)
            allot__read_fail(L, NULL, "sessions take neither part nor held");
    }
    lua_pop(L, 1);
}

static void read_sessions(lua_State *L, allot__reading *reading)
{
    int type = allot__read_push(L, "sessions");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "sessions is a %s, not a table", luaL_typename(L, -1));
    for (int i = 0; type == LUA_TTABLE && i < ALLOT_SCHEDULING_COUNT; i++)
        read_scheduling(L, reading, i);
    lua_pop(L, 1);
}

static void read_requirements(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    int32_t count = allot__read_list(L, "requirements", ALLOT_REQUIREMENTS_MAX);
    for (int32_t i = 0; i < count; i++) {
        allot__parsed_requirement *it = &parsed->requirements[i];
        lua_rawgeti(L, -1, i + 1);
        allot__read_kind(L, "requirement", "an item of requirements");
        it->name = allot__read_string(L, "name");
        if (allot__read_push(L, "test") != LUA_TFUNCTION)
            allot__read_fail(L, NULL, "a requirement is a function, not a %s",
                             luaL_typename(L, -1));
        it->function = allot__read_function(L, reading, NULL, "requirement", 0).value;
        lua_pop(L, 1);
        parsed->requirement_count++;
    }
    lua_pop(L, 1);
}

void allot__read_tasks(lua_State *L, allot__reading *reading)
{
    reading->rows = ALLOT_TASKS;
    reading->parsed->switches[ALLOT_SWITCH_UNGUARDED] = allot__read_push(L, "guards") != LUA_TNIL;
    lua_pop(L, 1);
    read_guards(L, reading);
    allot__read_ruled(L, reading->parsed, "victims");
    allot__read_order(L, reading, NULL, 0, &reading->parsed->victims);
    reading->rows = ALLOT_SESSIONS;
    read_sessions(L, reading);
    reading->rows = ALLOT_HOSTS;
    read_requirements(L, reading);
    reading->rows = ALLOT_CONSUMERS;
}

/* ---- Words that switch ----------------------------------------------------------------------- */

/* The number of the word that a key says, of up to three; 0 where it says none. */
static int read_word(lua_State *L, const allot__parsed *parsed, const char *key,
                     const char *const words[3], const char *allowed)
{
    int type = allot__read_ruled(L, parsed, key), number = 0;
    if (type != LUA_TSTRING && type != LUA_TNIL)
        allot__read_fail(L, NULL, "%s is a %s, not a word", key, luaL_typename(L, -1));
    const char *word = lua_tostring(L, -1);
    while (word && number < 3 && words[number] && strcmp(word, words[number]) != 0)
        number++;
    if (number == 3 || !words[number])
        allot__read_fail(L, NULL, "%s is %s, not \"%s\"", key, allowed, word);
    lua_pop(L, 1);
    return number;
}

void allot__read_switches(lua_State *L, allot__parsed *parsed)
{
    int shared = read_word(L, parsed, "shared", (const char *[3]){"reclaim", "keep", "adjust"},
                           "\"reclaim\", \"keep\" or \"adjust\"");
    parsed->switches[ALLOT_SWITCH_KEEP_SHARED] = shared == 1;
    parsed->switches[ALLOT_SWITCH_ADJUST_SHARED] = shared == 2;
    parsed->switches[ALLOT_SWITCH_RECALL_FIRST] =
        read_word(L, parsed, "recall", (const char *[3]){"last", "first"}, "\"last\" or \"first\"");
    parsed->switches[ALLOT_SWITCH_ACROSS] = read_word(
        L, parsed, "enforce", (const char *[3]){"parent", "leaf"}, "\"parent\" or \"leaf\"");
}
