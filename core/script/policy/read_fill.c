/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_fill.c: how a policy divides slots: fills, pools and loans, and what goes with them. */
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"

/* The last column that each stage can read. */
enum { IN_QUOTA = ALLOT_IN_FLIGHT, IN_DISTRIBUTION = ALLOT_QUOTA, IN_RECLAIM = ALLOT_OVER };

/* ---- Fills ----------------------------------------------------------------------------------- */

static const char *read_label(lua_State *L, allot__rule_fill *out)
{
    const char *at = allot__read_string(L, "at");
    out->label = allot__read_string(L, "label");
    if (out->label && strlen(out->label) > ALLOT_NAME_MAX)
        allot__read_fail(L, at, "a fill's label is too long");
    return at;
}

/* The cap in field `key`; nil: the need alone. */
static allot_source read_cap(lua_State *L, allot__reading *reading, const char *at, const char *key,
                             int32_t last)
{
    if (allot__read_push(L, key) != LUA_TNIL)
        return allot__read_source(L, reading, at, key, last);
    lua_pop(L, 1);
    return (allot_source){ALLOT_FROM_NEED, 0};
}

/* The `up_to` of a fill: a cap, or the word `part` or `held`. */
static allot_source read_up_to(lua_State *L, allot__reading *reading, const char *at, int32_t last)
{
    int type = allot__read_push(L, "up_to");
    const char *kind = type == LUA_TTABLE ? allot__read_string(L, "kind") : NULL;
    bool held = kind && strcmp(kind, "held") == 0;
    if (type == LUA_TTABLE && !held)
        allot__read_kind(L, "part", "up_to");
    lua_pop(L, 1);
    if (type == LUA_TTABLE)
        return (allot_source){held ? ALLOT_FROM_HELD : ALLOT_FROM_PART, 0};
    return read_cap(L, reading, at, "up_to", last);
}

void allot__read_fill(lua_State *L, allot__reading *reading, const char *what, int32_t last,
                      allot__rule_fill *out)
{
    bool levels = reading->rows == ALLOT_CONSUMERS && last == IN_QUOTA;
    allot__read_kind(L, "fill", what);
    const char *at = read_label(L, out);
    allot__read_push(L, "by");
    out->by = allot__read_source(L, reading, at, "by", last);
    out->up_to = read_up_to(L, reading, at, last);
    allot__read_push(L, "order");
    allot__read_order(L, reading, at, last, &out->order);
    if (allot__read_push(L, "again") != LUA_TNIL)
        allot__read_fail(L, at, "again is of slices alone");
    lua_pop(L, 1);
    out->level = allot__read_boolean(L, at, "level", false);
    if (out->level && !levels)
        allot__read_fail(L, at, "level is of fills in quota; %s has none", what);
    lua_pop(L, 1);
}

/* ---- Quota ----------------------------------------------------------------------------------- */

static int add_fill(lua_State *L, allot__reading *reading, const char *label)
{
    allot_policy *policy = reading->policy;
    allot__rule_fill fill;
    allot__read_fill(L, reading, "an item of quota", IN_QUOTA, &fill);
    int status =
        allot_policy_fill(policy, label, fill.by, fill.up_to, fill.order.keys, fill.order.count);
    return status || !fill.level ? status : allot_policy_fill_level(policy);
}

static int add_pool(lua_State *L, allot__reading *reading, const char *at, const char *label)
{
    allot__read_push(L, "by");
    allot_source by = allot__read_source(L, reading, at, "by", IN_QUOTA);
    allot_source up_to = read_cap(L, reading, at, "up_to", IN_QUOTA);
    lua_pop(L, 1);
    return allot_policy_pool(reading->policy, label, by, up_to);
}

static int add_loan(lua_State *L, allot__reading *reading, const char *at, const char *label)
{
    allot__rule_order order;
    allot_source lend = read_cap(L, reading, at, "lend_limit", IN_QUOTA);
    allot_source borrow = read_cap(L, reading, at, "borrow_limit", IN_QUOTA);
    allot__read_push(L, "borrowers");
    allot__read_order(L, reading, at, IN_QUOTA, &order);
    lua_pop(L, 1);
    return allot_policy_loan(reading->policy, label, lend, borrow, order.keys, order.count);
}

/* An item of quota. */
static void read_item(lua_State *L, allot__reading *reading, int32_t i)
{
    char label[ALLOT_NAME_MAX + 1];
    const char *kind = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "kind") : "";
    allot__rule_fill item = {.label = NULL};
    const char *at = lua_type(L, -1) == LUA_TTABLE ? read_label(L, &item) : NULL;
    if (item.label && *item.label)
        snprintf(label, sizeof label, "%s", item.label);
    else
        snprintf(label, sizeof label, "fill%d", (int)i + 1);
    int status = kind && strcmp(kind, "pool") == 0   ? add_pool(L, reading, at, label)
                 : kind && strcmp(kind, "loan") == 0 ? add_loan(L, reading, at, label)
                                                     : add_fill(L, reading, label);
    allot__read_made(L, reading, status, "fill", label);
}

static void read_quota(lua_State *L, allot__reading *reading)
{
    if (allot__read_ruled(L, reading, "quota") != LUA_TTABLE)
        allot__read_fail(L, NULL, "quota is a %s, not a list of fills", luaL_typename(L, -1));
    lua_Unsigned count = lua_rawlen(L, -1);
    if (count < 1 || count > ALLOT_FILLS_MAX)
        allot__read_fail(L, NULL, "quota has %I fills; 1 to %d are allowed", (LUAI_UACINT)count,
                         ALLOT_FILLS_MAX);
    allot__read_each(L, reading, "quota", ALLOT_FILLS_MAX, read_item);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The number of a key's word, of up to three; 0: not given. */
static int read_word(lua_State *L, const allot__reading *reading, const char *key,
                     const char *const words[3], const char *allowed)
{
    int type = allot__read_ruled(L, reading, key), number = 0;
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

static void read_switches(lua_State *L, allot__reading *reading)
{
    static const struct {
        const char *key, *allowed;
        const char *words[3]; /* the first changes nothing */
        allot_switch which[3];
    } switches[] = {
        {"shared",
         "\"reclaim\", \"keep\" or \"adjust\"",
         {"reclaim", "keep", "adjust"},
         {0, ALLOT_SWITCH_KEEP_SHARED, ALLOT_SWITCH_ADJUST_SHARED}},
        {"recall", "\"last\" or \"first\"", {"last", "first"}, {0, ALLOT_SWITCH_RECALL_FIRST}},
        {"enforce", "\"parent\" or \"leaf\"", {"parent", "leaf"}, {0, ALLOT_SWITCH_ACROSS}}};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        int word = read_word(L, reading, switches[i].key, switches[i].words, switches[i].allowed);
        if (word > 0)
            allot_policy_switch(reading->policy, switches[i].which[word], 1);
    }
}

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

/* ---- The rest -------------------------------------------------------------------------------- */

static void read_reclaim(lua_State *L, allot__reading *reading)
{
    allot_policy *policy = reading->policy;
    allot__rule_fill reclaim;
    int type = allot__read_ruled(L, reading, "reclaim");
    if (type == LUA_TNIL || (type == LUA_TBOOLEAN && !lua_toboolean(L, -1))) {
        allot_policy_switch(policy, ALLOT_SWITCH_NO_RECLAIM, type == LUA_TBOOLEAN);
        lua_pop(L, 1);
        return;
    }
    allot__read_fill(L, reading, "reclaim", IN_RECLAIM, &reclaim);
    bool over = reclaim.up_to.kind == ALLOT_FROM_COLUMN && reclaim.up_to.value == ALLOT_OVER;
    if (reclaim.up_to.kind != ALLOT_FROM_NEED && !over)
        allot__read_fail(L, NULL, "reclaim takes what is over; its up_to is \"over\" or left out");
    allot__read_made(
        L, reading,
        allot_policy_reclaim(policy, reclaim.by, reclaim.order.keys, reclaim.order.count), "policy",
        "reclaim");
}

/* The option of that name that a policy can state, or -1. */
static int option_of(const char *name)
{
    static const allot_option options[] = {ALLOT_OPTION_HOLD_ROUNDING, ALLOT_OPTION_DEAD_ZONE,
                                           ALLOT_OPTION_MOST_RECLAIMED,
                                           ALLOT_OPTION_RECLAIM_INTERVAL, ALLOT_OPTION_CLAIM_DELAY};
    for (size_t i = 0; name && i < sizeof options / sizeof *options; i++)
        if (strcmp(name, allot_option_name(options[i])) == 0)
            return options[i];
    return -1;
}

/* Reads the key and value on top; the core checks the value's range. */
static void read_damp(lua_State *L, allot__reading *reading)
{
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    int option = option_of(name);
    bool flag = option == ALLOT_OPTION_HOLD_ROUNDING;
    if (option < 0)
        allot__read_fail(L, NULL, "unknown key of damping: %s", name ? name : luaL_typename(L, -2));
    if (flag ? lua_type(L, -1) != LUA_TBOOLEAN : !lua_isinteger(L, -1))
        allot__read_fail(L, NULL, "damping: %s is %s", name,
                         flag ? "true or false" : "a whole number");
    int64_t value = flag ? lua_toboolean(L, -1) : lua_tointeger(L, -1);
    allot__read_made(L, reading, allot_policy_damp(reading->policy, option, value), "damping",
                     name);
}

static void read_damping(lua_State *L, allot__reading *reading)
{
    int type = allot__read_ruled(L, reading, "damping");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "damping is a %s, not a table", luaL_typename(L, -1));
    if (type == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
            read_damp(L, reading);
    lua_pop(L, 1);
}

void allot__read_division(lua_State *L, allot__reading *reading)
{
    allot_policy *policy = reading->policy;
    read_quota(L, reading);
    allot_policy_scale(policy, allot__read_boolean(L, NULL, "scale", true));
    read_switches(L, reading);
    allot__read_made(L, reading, allot_policy_round(policy, read_round(L)), "policy", "round");
    allot__read_push(L, "distribute");
    allot__read_set_order(L, reading, "distribute", IN_DISTRIBUTION, allot_policy_distribute);
    read_reclaim(L, reading);
    read_damping(L, reading);
}
