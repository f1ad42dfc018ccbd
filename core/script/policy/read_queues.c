/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_queues.c: a policy's rules for queues and leases. */
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"

static const char *const keys[] = {"dispatch",  "preempts", "fewest", "lift",
                                   "job_types", "slices",   "lease"};
/* Rules that divide slots among consumers. */
static const char *const others[] = {"quota",  "attributes", "distribute", "reclaim",
                                     "recall", "shared",     "enforce",    "sessions"};

/* Does the table on top have the field, other than nil and an empty list? */
static bool has(lua_State *L, const char *key)
{
    int type = allot__read_push(L, key);
    bool empty = type == LUA_TNIL || (type == LUA_TTABLE && lua_rawlen(L, -1) == 0);
    lua_pop(L, 1);
    return !empty;
}

bool allot__read_dispatches(lua_State *L)
{
    bool any = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        any = allot__read_push(L, keys[i]) != LUA_TNIL || any;
        lua_pop(L, 1);
    }
    return any;
}

static void refuse_others(lua_State *L)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has(L, others[i]))
            allot__read_fail(L, NULL, "a policy that dispatches jobs has no %s", others[i]);
    const char *round = allot__read_string(L, "round");
    if (round && strcmp(round, "ceil_in_order") != 0)
        allot__read_fail(L, NULL, "slices are rounded up: round = \"ceil_in_order\"");
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The place of the text among names; -1: not found. */
static int32_t place_of(const char *text, const char *const *names, int32_t count)
{
    for (int32_t i = 0; text && i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static void read_fewest(lua_State *L, allot__reading *reading)
{
    const char *names[ALLOT_OPTIMAL_MINI_JOB + 1];
    for (int i = 0; i <= ALLOT_OPTIMAL_MINI_JOB; i++)
        names[i] = allot_fewest_name(i);
    int type = allot__read_ruled(L, reading, "fewest");
    int32_t place = place_of(type == LUA_TSTRING ? lua_tostring(L, -1) : NULL, names,
                             ALLOT_OPTIMAL_MINI_JOB + 1);
    lua_pop(L, 1);
    if (type == LUA_TNIL)
        return;
    if (place < 0)
        allot__read_fail(L, NULL, "fewest is \"no\", \"mini_job\" or \"optimal_mini_job\"");
    allot__read_made(L, reading, allot_policy_fewest(reading->policy, (allot_fewest)place),
                     "policy", "fewest");
}

/* The list of words in field `key`, as bits by their places, given to the policy by `set`. */
static void read_set(lua_State *L, allot__reading *reading, const char *key,
                     const char *const *names, int32_t count,
                     int (*set)(allot_policy *policy, int32_t bits))
{
    int32_t bits = 0;
    int type = allot__read_ruled(L, reading, key);
    lua_Unsigned items = type == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    if ((type != LUA_TTABLE && type != LUA_TNIL) || items > (lua_Unsigned)count)
        allot__read_fail(L, NULL, "%s is a list of at most %d words", key, (int)count);
    for (lua_Unsigned i = 1; i <= items; i++) {
        bool text = lua_rawgeti(L, -1, (lua_Integer)i) == LUA_TSTRING;
        int32_t place = place_of(text ? lua_tostring(L, -1) : NULL, names, count);
        if (place >= 0)
            bits |= 1 << place;
        else
            allot__read_fail(L, NULL, "%s has a word that is not known", key);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (type != LUA_TNIL)
        allot__read_made(L, reading, set(reading->policy, bits), "policy", key);
}

static void read_sets(lua_State *L, allot__reading *reading)
{
#define LIFT(name, text, doc) text,
    static const char *const lifts[] = {ALLOT_LIFT_MAP(LIFT)};
#undef LIFT
    static const char *const types[] = {"exclusive", "backfill"}; /* ALLOT_PREEMPT_... */
    read_set(L, reading, "lift", lifts, ALLOT_LIFT_COUNT, allot_policy_lift);
    read_set(L, reading, "job_types", types, 2, allot_policy_job_types);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static void read_field(lua_State *L, const char *at, allot__test *out)
{
    const char *field = allot__read_string(L, "field");
    if (field && strcmp(field, "priority") == 0)
        out->refusal = ALLOT_REFUSED_PRIORITY;
    else if (field && strcmp(field, "slot_share") == 0)
        out->refusal = ALLOT_REFUSED_SLOT_SHARE;
    else
        allot__read_fail(L, at, "higher takes \"priority\" or \"slot_share\"");
}

/* The function in the test on top. */
static void read_function(lua_State *L, const allot__script *script, const char *test_at,
                          allot__test *out)
{
    lua_Debug ar;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">Su", &ar);
    if (*ar.what == 'C')
        allot__read_fail(L, test_at, "a test is a function of the library; write one in Lua");
    char at[LUA_IDSIZE + 16];
    snprintf(at, sizeof at, "%s:%d: ", ar.short_src, ar.linedefined);
    if (ar.isvararg || ar.nparams > 2)
        allot__read_fail(L, at, "a test is a function of two: the preempting queue and the other");
    bool own = strcmp(ar.short_src, script->box.source) == 0;
    *out = (allot__test){.refusal = ALLOT_REFUSED_TEST - (int32_t)(out - script->relating.tests),
                         .line = own ? ar.linedefined : 0};
    snprintf(out->name, sizeof out->name, "the function at %s:%d", ar.short_src, ar.linedefined);
    out->loop_free = allot__script_loop_free(L);
    lua_pushvalue(L, -1);
    out->ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* The test on top, popped. */
static void read_test(lua_State *L, const allot__script *script, allot__test *out)
{
    allot__read_kind(L, "test", "an item of a relation");
    const char *at = allot__read_string(L, "at");
    int type = allot__read_push(L, "test");
    const char *word = type == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (type == LUA_TFUNCTION)
        read_function(L, script, at, out);
    lua_pop(L, 1);
    if (strcmp(word, "higher") == 0)
        read_field(L, at, out);
    else if (strcmp(word, "preemptive_or_preemptable") == 0)
        out->refusal = ALLOT_REFUSED_QUEUES;
    else if (type != LUA_TFUNCTION)
        allot__read_fail(L, at, "a test is a word of relations or a function");
    lua_pop(L, 1);
}

static void read_preempts(lua_State *L, allot__reading *reading)
{
    allot__relating *out = &reading->script->relating;
    int type = allot__read_push(L, "preempts");
    bool nobody = type == LUA_TBOOLEAN && !lua_toboolean(L, -1);
    if (type != LUA_TNIL && !nobody) {
        allot__read_kind(L, "relation", "preempts");
        lua_Unsigned count = lua_rawlen(L, -1);
        if (count < 1 || count > ALLOT__TESTS_MAX)
            allot__read_fail(L, NULL, "a relation has 1 to %d tests", ALLOT__TESTS_MAX);
        for (; out->count < (int32_t)count; out->count++) {
            lua_rawgeti(L, -1, out->count + 1);
            read_test(L, reading->script, &out->tests[out->count]);
        }
    }
    if (type != LUA_TNIL)
        allot__read_made(L, reading,
                         allot_policy_preempts(reading->policy, nobody ? ALLOT_NOBODY : 0),
                         "policy", "preempts");
    lua_pop(L, 1);
}

/* ---- Orders, slices, leases ------------------------------------------------------------------ */

static void read_dispatch(lua_State *L, allot__reading *reading)
{
    allot__rule_order order;
    reading->rows = ALLOT_TASKS;
    allot__read_ruled(L, reading, "dispatch");
    allot__read_order(L, reading, NULL, 0, &order);
    allot__read_impartial(L, reading, "dispatch", &order);
    if (order.given)
        allot__read_made(L, reading,
                         allot_policy_dispatch(reading->policy, order.keys, order.count), "policy",
                         "dispatch");
}

/* Is the fill on top one that slices may use, apart from its order? */
static bool slices_sound(lua_State *L)
{
    allot__read_push(L, "again");
    bool sound = lua_toboolean(L, -1);
    lua_pop(L, 1);
    allot__read_push(L, "by");
    sound = sound && lua_isinteger(L, -1) && lua_tointeger(L, -1) == 1;
    lua_pop(L, 1);
    const char *kind =
        allot__read_push(L, "up_to") == LUA_TTABLE ? allot__read_string(L, "kind") : NULL;
    lua_pop(L, 1);
    return sound && kind && strcmp(kind, "percent") == 0;
}

static void read_slices(lua_State *L, allot__reading *reading)
{
    allot__rule_order order;
    if (allot__read_ruled(L, reading, "slices") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    allot__read_kind(L, "fill", "slices");
    const char *at = allot__read_string(L, "at");
    if (!slices_sound(L))
        allot__read_fail(L, at, "a slice goes up to percent \"slot_share\", again = true");
    reading->rows = ALLOT_QUEUES;
    allot__read_push(L, "order");
    allot__read_order(L, reading, at, 0, &order);
    if (!order.given)
        allot__read_fail(L, at, "slices are cut in an order");
    allot__read_made(L, reading, allot_policy_slices(reading->policy, order.keys, order.count),
                     "policy", "slices");
    lua_pop(L, 1);
}

static void read_lease(lua_State *L, allot__reading *reading)
{
    int type = allot__read_push(L, "lease");
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (type != LUA_TFUNCTION)
        allot__read_fail(L, NULL, "lease is a function of provider and consumer, not a %s",
                         luaL_typename(L, -1));
    reading->rows = ALLOT_LEASES;
    int32_t function = allot__read_function(L, reading, NULL, "lease", 0).value;
    allot__read_made(L, reading, allot_policy_lease(reading->policy, function), "policy", "lease");
}

void allot__read_queues(lua_State *L, allot__reading *reading)
{
    refuse_others(L);
    read_dispatch(L, reading);
    read_fewest(L, reading);
    read_sets(L, reading);
    read_preempts(L, reading);
    read_slices(L, reading);
    read_lease(L, reading);
    reading->rows = ALLOT_CONSUMERS;
}
