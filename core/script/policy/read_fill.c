/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_fill.c: how a policy divides slots: fills, pools and loans. */
#include <string.h>

#include "script/sandbox/script.h"

/* The last column that the stage knows. */
enum { IN_QUOTA = ALLOT_IN_FLIGHT };

static const char *read_label(lua_State *L, allot__parsed_fill *out)
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
static bool read_part(lua_State *L, allot__reading *reading, allot__parsed_fill *out)
{
    const char *kind = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "kind") : NULL;
    bool pool = kind && strcmp(kind, "pool") == 0, loan = kind && strcmp(kind, "loan") == 0;
    if (!pool && !loan)
        return false;
    const char *at = read_label(L, out);
    out->kind = pool ? ALLOT__PARSED_POOL : ALLOT__PARSED_LOAN;
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
                      allot__parsed_fill *out)
{
    bool levels = reading->rows == ALLOT_CONSUMERS && last == IN_QUOTA;
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
    lua_pop(L, 1);
    int level = allot__read_push(L, "level");
    out->level = level == LUA_TBOOLEAN && lua_toboolean(L, -1);
    if (level != LUA_TNIL && level != LUA_TBOOLEAN)
        allot__read_fail(L, at, "level is true or false, not a %s", luaL_typename(L, -1));
    if (out->level && !levels)
        allot__read_fail(L, at, "level is of fills in quota; %s has none", what);
    lua_pop(L, 2);
}

void allot__read_quota(lua_State *L, allot__reading *reading)
{
    allot__parsed *parsed = reading->parsed;
    if (allot__read_ruled(L, parsed, "quota") != LUA_TTABLE)
        allot__read_fail(L, NULL, "quota is a %s, not a list of fills", luaL_typename(L, -1));
    lua_Unsigned count = lua_rawlen(L, -1);
    if (count < 1 || count > ALLOT_FILLS_MAX)
        allot__read_fail(L, NULL, "quota has %I fills; 1 to %d are allowed", (LUAI_UACINT)count,
                         ALLOT_FILLS_MAX);
    for (; parsed->fill_count < (int32_t)count; parsed->fill_count++) {
        lua_rawgeti(L, -1, parsed->fill_count + 1);
        allot__parsed_fill *fill = &parsed->fills[parsed->fill_count];
        if (!read_part(L, reading, fill))
            allot__read_fill(L, reading, "an item of quota", IN_QUOTA, fill);
    }
    lua_pop(L, 1);
}
