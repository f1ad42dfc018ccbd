/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_diff.c: allot.diff: two decisions compared, as a table. */
#include "script/module/module.h"

/* A userdata owns the diff while Lua makes tables. */
static int diff_gc(lua_State *L)
{
    allot_diff **diff = lua_touserdata(L, 1);
    allot_diff_free(*diff);
    *diff = NULL;
    return 0;
}

static allot_diff **push_diff(lua_State *L)
{
    allot_diff **diff = lua_newuserdatauv(L, sizeof *diff, 0);
    *diff = NULL;
    if (luaL_newmetatable(L, "allot.diff")) {
        lua_pushcfunction(L, diff_gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return diff;
}

static void set_path(lua_State *L, const allot_diff *diff, const char *key,
                     const int32_t consumer[2])
{
    int side = consumer[0] < 0;
    const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, side));
    if (consumer[side] < 0)
        return;
    allot__module_path(L, plan, consumer[side]);
    lua_setfield(L, -2, key);
}

static void set_group(lua_State *L, const allot_diff *diff, const int32_t group[2])
{
    int side = group[0] < 0;
    if (group[side] < 0)
        return;
    const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, side));
    allot__set_text(L, "group", allot_plan_group_name(plan, group[side]));
}

static void set_measures(lua_State *L, const allot_change *row)
{
    char name[32];
    for (int m = 0; m < allot_diff_measures(row->kind); m++) {
        allot_diff_measure_name(row->kind, m, name, sizeof name);
        lua_createtable(L, 0, 3);
        allot__set_number(L, "a", row->value[0][m]);
        allot__set_number(L, "b", row->value[1][m]);
        allot__set_number(L, "change", row->value[1][m] - row->value[0][m]);
        lua_setfield(L, -2, name);
    }
}

static void set_job(lua_State *L, const allot_diff *diff, const allot_change *row)
{
    allot_job job;
    int side = row->item[0] < 0;
    if (row->kind == ALLOT_DIFF_PLACE && row->item[side] >= 0 &&
        allot_state_job_at(allot_decision_state(allot_diff_side(diff, side)), row->item[side],
                           &job) == ALLOT_OK)
        allot__set_text(L, "job", job.id);
}

static void push_row(lua_State *L, const allot_diff *diff, const allot_change *row)
{
    bool whole = row->kind == ALLOT_DIFF_GROUP, leaf = row->kind == ALLOT_DIFF_CONSUMER;
    const int32_t *about = whole ? row->group : leaf ? row->consumer : row->item;
    lua_createtable(L, 0, 12);
    set_group(L, diff, row->group);
    set_path(L, diff, row->kind == ALLOT_DIFF_LOAN ? "lender" : "consumer", row->consumer);
    set_path(L, diff, row->kind == ALLOT_DIFF_LOAN ? "borrower" : "for", row->other);
    set_job(L, diff, row);
    allot__set_text(L, row->kind == ALLOT_DIFF_PLACE ? "host" : "id", row->name);
    if ((about[0] < 0) != (about[1] < 0))
        allot__set_text(L, "only", about[0] < 0 ? "b" : "a");
    set_measures(L, row);
}

static void push_rows(lua_State *L, const allot_diff *diff, int kind)
{
    allot_change row;
    lua_createtable(L, allot_diff_count(diff, kind), 0);
    for (int32_t i = 0; allot_diff_at(diff, kind, i, &row) == ALLOT_OK; i++) {
        push_row(L, diff, &row);
        lua_rawseti(L, -2, i + 1);
    }
}

/* allot.diff(a, b [, {all = }]): {same =, groups = {...}, consumers = {...}, ...} */
int allot__module_diff(lua_State *L)
{
    const allot__box *a = allot__box_check(L, 1, ALLOT__DECISION);
    const allot__box *b = allot__box_check(L, 2, ALLOT__DECISION);
    lua_settop(L, 3);
    if (!lua_isnil(L, 3))
        luaL_checktype(L, 3, LUA_TTABLE);
    bool all = !lua_isnil(L, 3) && (lua_getfield(L, 3, "all"), lua_toboolean(L, -1));
    allot_diff **diff = push_diff(L);
    int status = allot_diff_new(a->it, b->it, all, diff);
    if (status)
        return allot__module_fail(L, allot_status_text(status));
    lua_createtable(L, 0, ALLOT_DIFF_KINDS + 1);
    lua_pushboolean(L, !allot_diff_differs(*diff));
    lua_setfield(L, -2, "same");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++) {
        push_rows(L, *diff, kind);
        lua_setfield(L, -2, allot_diff_kind_name(kind));
    }
    return 1;
}
