/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.c: the table that a policy file returns, as a draft.
 *
 * lua/allot checks a policy with good messages before it comes here. A table made by hand comes
 * here unchecked, so everything is checked again, and nothing but raw access is used.
 */
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

/* What each stage knows: columns up to this one. */
enum { IN_QUOTA = ALLOT_IN_FLIGHT, IN_DISTRIBUTION = ALLOT_QUOTA, IN_RECLAIM = ALLOT_OVER };

static const char *const policy_keys[] = {
    "kind",     "name",       "doc",      "at",           "options",
    "round",    "attributes", "reclaim",  "quota",        "distribute",
    "scale",    "recall",     "shared",   "enforce",      "task_attributes",
    "victims",  "guards",     "sessions", "requirements", "dispatch",
    "preempts", "fewest",     "lift",     "job_types",    "slices",
    "lease",    "said",       "damping",  "properties"};

int allot__read_push(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    return lua_rawget(L, -2);
}

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

void allot__read_kind(lua_State *L, const char *kind, const char *what)
{
    const char *found = NULL;
    if (lua_type(L, -1) == LUA_TTABLE)
        found = allot__read_string(L, "kind");
    if (!found || strcmp(found, kind) != 0)
        allot__read_fail(L, NULL, "%s is no %s: make it with %s { ... }", what, kind, kind);
}

/* ---- Attributes and options ---------------------------------------------------------------- */

static int32_t read_integer(lua_State *L, const char *key, int32_t fallback)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN && !lua_isinteger(L, -1))
        allot__read_fail(L, NULL, "%s is a %s, not a whole number", key, luaL_typename(L, -1));
    lua_Integer value = type == LUA_TNIL       ? fallback
                        : type == LUA_TBOOLEAN ? lua_toboolean(L, -1)
                                               : lua_tointeger(L, -1);
    if (value < -ALLOT_AMOUNT_MAX || value > ALLOT_NONE)
        allot__read_fail(L, NULL, "%s is out of range", key);
    lua_pop(L, 1);
    return (int32_t)value;
}

static allot_attribute_type type_of(const char *name)
{
    if (name && strcmp(name, "boolean") == 0)
        return ALLOT_BOOLEAN;
    return name && strcmp(name, "tag") == 0 ? ALLOT_TAG : ALLOT_INTEGER;
}

allot_attribute allot__read_declaration(lua_State *L)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        allot__read_fail(L, NULL, "a declaration is a table, not a %s", luaL_typename(L, -1));
    const char *type = allot__read_string(L, "type");
    allot_attribute made = {.name = allot__read_string(L, "name"),
                            .doc = allot__read_string(L, "doc"),
                            .type = type_of(type),
                            .min = read_integer(L, "min", 0),
                            .fallback = read_integer(L, "default", 0)};
    made.max = read_integer(L, "max", made.type == ALLOT_INTEGER ? ALLOT_AMOUNT_MAX : 1);
    allot__read_push(L, "limit");
    made.limit = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!made.name || strlen(made.name) > ALLOT_NAME_MAX)
        allot__read_fail(L, NULL, "a declaration needs a name");
    return made;
}

int32_t allot__read_list(lua_State *L, const char *key, int32_t most)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "%s is a %s, not a list", key, luaL_typename(L, -1));
    lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    if (count > (lua_Unsigned)most)
        allot__read_fail(L, NULL, "at most %d %s are allowed", most, key);
    return (int32_t)count;
}

static void read_attributes(lua_State *L, allot__draft *draft)
{
    int32_t count = allot__read_list(L, "attributes", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        draft->attributes[i] = allot__read_declaration(L);
        lua_pop(L, 1);
        draft->attribute_count++;
    }
    lua_pop(L, 1);
}

/* The strings of the option on top of the stack. */
static void read_values(lua_State *L, allot__draft_option *option)
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

static void read_options(lua_State *L, allot__draft *draft)
{
    int32_t count = allot__read_list(L, "options", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        allot_attribute made = allot__read_declaration(L);
        draft->options[i] = (allot__draft_option){made.name,     made.type, made.min, made.max,
                                                  made.fallback, false,     0,        {NULL}};
        const char *type = allot__read_string(L, "type");
        draft->options[i].words = type && strcmp(type, "words") == 0;
        read_values(L, &draft->options[i]);
        lua_pop(L, 1);
        draft->option_count++;
    }
    lua_pop(L, 1);
}

/* ---- Rules --------------------------------------------------------------------------------- */

static const char *read_label(lua_State *L, allot__draft_fill *out)
{
    const char *at = allot__read_string(L, "at"), *label = allot__read_string(L, "label");
    out->label[0] = '\0';
    if (label && strlen(label) >= sizeof out->label)
        allot__read_fail(L, at, "a fill's label is too long");
    if (label)
        strcpy(out->label, label);
    return at;
}

/* The cap in field `key`; nil: the need alone. */
static allot_source read_cap(lua_State *L, allot__reading *reading, const char *at, const char *key)
{
    if (allot__read_push(L, key) != LUA_TNIL)
        return allot__read_source(L, reading, at, key, IN_QUOTA);
    lua_pop(L, 1);
    return (allot_source){ALLOT_FROM_NEED, 0};
}

/* The item of quota on top, popped, when it is a pool or a loan. */
static bool read_part(lua_State *L, allot__reading *reading, allot__draft_fill *out)
{
    const char *kind = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "kind") : NULL;
    bool pool = kind && strcmp(kind, "pool") == 0, loan = kind && strcmp(kind, "loan") == 0;
    if (!pool && !loan)
        return false;
    const char *at = read_label(L, out);
    out->kind = pool ? ALLOT__DRAFT_POOL : ALLOT__DRAFT_LOAN;
    if (pool) {
        allot__read_push(L, "by");
        out->by = allot__read_source(L, reading, at, "by", IN_QUOTA);
        out->up_to = read_cap(L, reading, at, "up_to");
    } else {
        out->by = read_cap(L, reading, at, "lend_limit");
        out->up_to = read_cap(L, reading, at, "borrow_limit");
        allot__read_push(L, "borrowers");
        allot__read_order(L, reading, at, IN_QUOTA, &out->order);
    }
    lua_pop(L, 1);
    return true;
}

void allot__read_fill(lua_State *L, allot__reading *reading, const char *what, int32_t last,
                      allot__draft_fill *out)
{
    allot__read_kind(L, "fill", what);
    const char *at = read_label(L, out);
    allot__read_push(L, "by");
    out->by = allot__read_source(L, reading, at, "by", last);
    out->up_to = (allot_source){ALLOT_FROM_NEED, 0};
    if (allot__read_push(L, "up_to") == LUA_TTABLE) {
        const char *kind = allot__read_string(L, "kind");
        bool held = kind && strcmp(kind, "held") == 0;
        if (!held)
            allot__read_kind(L, "part", "up_to");
        out->up_to.kind = held ? ALLOT_FROM_HELD : ALLOT_FROM_PART;
        lua_pop(L, 1);
    } else if (!lua_isnil(L, -1)) {
        out->up_to = allot__read_source(L, reading, at, "up_to", last);
    } else {
        lua_pop(L, 1);
    }
    allot__read_push(L, "order");
    allot__read_order(L, reading, at, last, &out->order);
    if (allot__read_push(L, "again") != LUA_TNIL)
        allot__read_fail(L, at, "again is of slices alone");
    lua_pop(L, 2);
}

/* Pushes a table that says true or false of each word. */
static void push_words(lua_State *L, const allot__draft_option *option)
{
    lua_createtable(L, 0, option->value_count);
    for (int32_t i = 0; i < option->value_count; i++) {
        lua_pushboolean(L, (int)(option->value >> i & 1));
        lua_setfield(L, -2, option->values[i]);
    }
    allot__library_strict(L, "word");
}

/* Pushes the options by name, as a quota function gets them. */
static void push_options(lua_State *L, const allot__draft *draft)
{
    lua_newtable(L);
    for (int32_t i = 0; i < draft->option_count; i++) {
        const allot__draft_option *option = &draft->options[i];
        lua_pushstring(L, option->name);
        if (option->words)
            push_words(L, option);
        else if (option->value_count > 0)
            lua_pushstring(L, option->values[option->value]);
        else if (option->type == ALLOT_BOOLEAN)
            lua_pushboolean(L, option->value != 0);
        else
            lua_pushinteger(L, option->value);
        lua_rawset(L, -3);
    }
    allot__library_strict(L, "option");
}

int allot__read_ruled(lua_State *L, const allot__draft *draft, const char *key)
{
    if (allot__read_push(L, key) == LUA_TFUNCTION) {
        push_options(L, draft);
        lua_call(L, 1, 1);
        lua_pushstring(L, key); /* it is asked once, however often the field is read */
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    return lua_type(L, -1);
}

static void read_quota(lua_State *L, allot__reading *reading)
{
    allot__draft *draft = reading->draft;
    if (allot__read_ruled(L, draft, "quota") != LUA_TTABLE)
        allot__read_fail(L, NULL, "quota is a %s, not a list of fills", luaL_typename(L, -1));
    lua_Unsigned count = lua_rawlen(L, -1);
    if (count < 1 || count > ALLOT_FILLS_MAX)
        allot__read_fail(L, NULL, "quota has %I fills; 1 to %d are allowed", (LUAI_UACINT)count,
                         ALLOT_FILLS_MAX);
    for (; draft->fill_count < (int32_t)count; draft->fill_count++) {
        lua_rawgeti(L, -1, draft->fill_count + 1);
        allot__draft_fill *fill = &draft->fills[draft->fill_count];
        if (!read_part(L, reading, fill))
            allot__read_fill(L, reading, "an item of quota", IN_QUOTA, fill);
    }
    lua_pop(L, 1);
}

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
    allot__draft *draft = reading->draft;
    allot__draft_fill *reclaim = &draft->reclaim;
    int type = allot__read_ruled(L, draft, "reclaim");
    draft->switches[ALLOT_SWITCH_NO_RECLAIM] = type == LUA_TBOOLEAN && !lua_toboolean(L, -1);
    draft->reclaim_given = type != LUA_TNIL && !draft->switches[ALLOT_SWITCH_NO_RECLAIM];
    if (!draft->reclaim_given) {
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
    allot__draft *draft = reading->draft;
    read_quota(L, reading);
    draft->scale = read_scale(L);
    allot__read_switches(L, draft);
    draft->rounding = read_round(L);
    allot__read_push(L, "distribute");
    allot__read_order(L, reading, NULL, IN_DISTRIBUTION, &draft->distribute);
    read_reclaim(L, reading);
    allot__read_damping(L, draft);
}

/* ---- The whole ----------------------------------------------------------------------------- */

int allot__read_policy(lua_State *L, allot__reading *reading)
{
    allot__draft *draft = reading->draft;
    if (lua_type(L, -1) != LUA_TTABLE)
        return allot__read_fail(L, NULL,
                                "the file returns a %s; it ends with return policy { ... }",
                                luaL_typename(L, -1));
    allot__read_kind(L, "policy", "what the file returns");
    check_keys(L, policy_keys, sizeof policy_keys / sizeof *policy_keys);
    draft->name = allot__read_string(L, "name");
    read_attributes(L, draft);
    read_options(L, draft);
    if (!allot__read_options(reading)) {
        reading->option_fault = true;
        return 0;
    }
    allot__read_task_attributes(L, reading);
    draft->dispatches = allot__read_dispatches(L);
    draft->scale = true;
    if (!draft->dispatches)
        read_division(L, reading);
    allot__read_tasks(L, reading);
    if (draft->dispatches)
        allot__read_queues(L, reading);
    allot__read_properties(L, reading);
    for (int rows = 0; rows < ALLOT_HOSTS; rows++)
        allot__script_view(L, reading->script, draft, (allot_rows)rows);
    allot__relate_views(L, reading->script);
    allot__side_views(L, reading->script);
    return 0;
}
