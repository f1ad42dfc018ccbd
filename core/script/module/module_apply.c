/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_apply.c: decision:apply: the state after a decision, played by a simple cluster. */
#include <stdio.h>
#include <string.h>

#include <allot/apply.h>

#include "script/module/module.h"

typedef enum returns { AT_ONCE, LATER, AT_DEADLINE } returns;
static const char *const return_names[] = {"at once", "later", "at deadline", NULL};

static returns get_returns(lua_State *L, int index)
{
    int at = 0;
    if (lua_isnoneornil(L, index) || lua_getfield(L, index, "returns") == LUA_TNIL)
        return AT_ONCE;
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    while (return_names[at] && strcmp(return_names[at], name) != 0)
        at++;
    if (!return_names[at])
        luaL_error(L, "option returns is \"at once\", \"later\" or \"at deadline\", not %s",
                   luaL_tolstring(L, -1, NULL));
    return (returns)at;
}

static lua_Integer get_seconds(lua_State *L, int index)
{
    int whole = 1;
    if (lua_isnoneornil(L, index) || lua_getfield(L, index, "seconds") == LUA_TNIL)
        return 1;
    lua_Integer seconds = lua_tointegerx(L, -1, &whole);
    if (!whole || seconds < 0)
        luaL_error(L, "option seconds is a whole number from 0 on, not %s",
                   luaL_tolstring(L, -1, NULL));
    return seconds;
}

/* Does some task of the state wait? Then reclaimed tasks wait again. */
static bool some_wait(const allot_state *state)
{
    allot_task task;
    for (int32_t i = 0; i < allot_state_tasks(state); i++)
        if (allot_state_task_at(state, i, &task) == ALLOT_OK && task.state == ALLOT_TASK_PENDING)
            return true;
    return false;
}

/* Is the reclaim back by `now`? `old`: it was in flight before the decision. */
static bool is_due(const allot_in_flight *reclaim, bool old, returns when, int64_t now)
{
    if (when == AT_DEADLINE)
        return reclaim->deadline <= now;
    return when == AT_ONCE || old;
}

/* Returns reclaims; slots that are back at once are for their claimants until the next cycle. */
static int give_back(allot_state *state, int32_t old, returns when, int64_t now, int32_t how)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_reclaims(state) && status == ALLOT_OK; i++) {
        allot_in_flight reclaim;
        if (allot_state_reclaim_at(state, i, &reclaim) != ALLOT_OK)
            continue; /* the reclaim has ended */
        bool claimed = i >= old && when == AT_ONCE && reclaim.claim_count > 0;
        if (is_due(&reclaim, i < old, when, now))
            status =
                allot_state_reclaim_return(state, i, how | (claimed ? ALLOT_RECLAIM_STAYS : 0));
    }
    return status;
}

/* Turns a copy of the decision's state into the state that follows. */
static int play(allot_state *state, const allot_decision *decision, returns when, int64_t seconds)
{
    char ids[32];
    int64_t from = allot_decision_now(decision);
    int64_t now = from > INT64_MAX - seconds ? INT64_MAX : from + seconds;
    int32_t old = allot_state_reclaims(state), how = some_wait(state) ? ALLOT_TASKS_WAIT : 0;
    snprintf(ids, sizeof ids, "r%lld-", (long long)from);
    allot_apply apply = {.starts = 1, .task_ids = "step-", .reclaim_ids = ids};
    int status = allot_state_apply(state, decision, &apply);
    if (status == ALLOT_OK)
        status = allot_state_now(state, now);
    return status == ALLOT_OK ? give_back(state, old, when, now, how) : status;
}

/* decision:apply([{seconds = , returns = }]) */
int allot__module_apply(lua_State *L)
{
    allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    const allot__box *decision = allot__box_check(L, 1, ALLOT__DECISION);
    allot__box *plan = decision->parent->parent;
    lua_settop(L, 2);
    allot__module_options(L, 2, (const char *const[]){"seconds", "returns", NULL});
    returns when = get_returns(L, 2);
    lua_Integer seconds = get_seconds(L, 2);
    lua_getiuservalue(L, 1, 1);  /* the decision's state, */
    lua_getiuservalue(L, -1, 1); /* ... and the plan of that */
    allot__box *box = allot__box_new(L, module, ALLOT__STATE, lua_gettop(L));
    allot__module_listen(module, plan);
    allot_state *state = NULL;
    int status = allot_state_copy(decision->parent->it, plan->it, box->report, &state);
    if (status == ALLOT_OK)
        status = play(state, decision->it, when, seconds);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, box->report);
    if (status != ALLOT_OK)
        allot_state_free(state);
    return allot__box_return(L, box, status, state, plan);
}
