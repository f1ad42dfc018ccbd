/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_verbs.c: allot.plan, allot.state, allot.cycle. */
#include <string.h>

#include "script/module/module.h"

static allot__module *module_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static bool is_known(const char *key, const char *const *names)
{
    while (*names && strcmp(*names, key) != 0)
        names++;
    return *names != NULL;
}

static int unknown_option(lua_State *L, const char *key, const char *const *names)
{
    lua_pushfstring(L, "unknown option '%s'; known are %s", key, *names);
    while (*++names)
        lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), *names);
    return luaL_error(L, "%s", lua_tostring(L, -1));
}

void allot__module_options(lua_State *L, int index, const char *const *names)
{
    if (lua_isnoneornil(L, index))
        return;
    luaL_checktype(L, index, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (!is_known(key, names))
            unknown_option(L, key, names);
    }
}

const char *allot__module_option(lua_State *L, int index, const char *key, const char *fallback)
{
    if (lua_isnoneornil(L, index) || lua_getfield(L, index, key) == LUA_TNIL)
        lua_pushstring(L, fallback);
    if (lua_type(L, -1) != LUA_TSTRING && lua_type(L, -1) != LUA_TNIL)
        luaL_error(L, "option %s is a string, not a %s", key, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

/* ---- Policies given as text ---------------------------------------------------------------- */

typedef struct given {
    const char *name, *text; /* the caller's strings, which its table keeps */
    size_t len;
} given;

typedef struct given_loader {
    const allot__module *module;
    allot_script_limits limits;
    int32_t count;
    given items[];
} given_loader;

static int load_given(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                      const allot_use_option *options, int32_t count, allot_policy **out,
                      allot_report *report)
{
    const given_loader *loader = ud;
    for (int32_t i = 0; i < loader->count; i++) {
        const given *item = &loader->items[i];
        if (strcmp(item->name, use) == 0)
            return allot_script_load(engine, item->text, item->len, use, options, count,
                                     &loader->limits, report, out);
    }
    const allot_policy_loader *files = &loader->module->files;
    return files->load(files->ud, engine, use, plan_file, options, count, out, report);
}

static int zone_given(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                      allot_report *report)
{
    const given_loader *loader = ud;
    const allot_policy_loader *files = &loader->module->files;
    return files->zone(files->ud, engine, name, data, len, report);
}

/* Counts the table at `index` and checks that it has texts by name. */
static size_t count_given(lua_State *L, int index)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            luaL_error(L, "option policies is a table of policy texts by name");
        count++;
    }
    return count;
}

/* Pushes the option `policies` and a block made of it. */
static given_loader *push_loader(lua_State *L, int index, const allot__module *module)
{
    size_t count = 0;
    if (lua_isnoneornil(L, index) || lua_getfield(L, index, "policies") == LUA_TNIL)
        lua_newtable(L);
    int table = lua_gettop(L);
    if (lua_type(L, table) != LUA_TTABLE)
        luaL_error(L, "option policies is a table, not a %s", luaL_typename(L, table));
    count = count_given(L, table);
    given_loader *loader = lua_newuserdatauv(L, sizeof *loader + count * sizeof(given), 0);
    *loader = (given_loader){.module = module, .limits = module->limits};
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        given *item = &loader->items[loader->count++];
        item->name = lua_tostring(L, -2);
        item->text = lua_tolstring(L, -1, &item->len);
    }
    return loader;
}

/* Warnings of the plan and the state become warnings of the decision. */
static void hand_on(allot_report *to, const allot_report *from)
{
    for (int32_t i = 0; i < allot_report_count(from); i++)
        allot_report_add(to, allot_report_at(from, i));
}

/* ---- Verbs --------------------------------------------------------------------------------- */

/* Reads the plan whose text and options are at `text` and `text` + 1 into a new box, which it
 * pushes; `from` (0: none) is the box of the plan that it adds the newcomers in `report` to. */
static int read_plan(lua_State *L, int text, int from, const allot_report *report, allot_plan **out)
{
    allot__module *module = module_of(L);
    size_t len;
    const char *bytes = lua_tolstring(L, text, &len);
    const char *file = allot__module_option(L, text + 1, "file", "plan.json");
    given_loader *given = push_loader(L, text + 1, module);
    allot_policy_loader loader = {.ud = given, .load = load_given, .zone = zone_given};
    loader.instead = allot__module_option(L, text + 1, "instead", NULL);
    loader.newcomers = allot_report_newcomers(report, &loader.newcomer_count);
    allot__box *box = allot__box_new(L, module, ALLOT__PLAN, from);
    given->limits.meter = &box->meter;
    if (from)
        box->said = ((allot__box *)lua_touserdata(L, from))->said;
    else
        allot__module_log(L, text + 1, box);
    allot__module_listen(module, box);
    return allot_plan_read(module->engine, bytes, len, file, &loader, box->report, out);
}

/* allot.plan(text [, {file = , policies = , instead = , log = }]) */
int allot__module_plan(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TSTRING);
    lua_settop(L, 2);
    allot__module_options(L, 2, (const char *const[]){"file", "policies", "instead", "log", NULL});
    allot_plan *plan = NULL;
    int status = read_plan(L, 1, 0, NULL, &plan);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, ALLOT__PLAN_TEXT);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, ALLOT__PLAN_OPTIONS);
    return allot__box_return(L, lua_touserdata(L, -1), status, plan, NULL);
}

/* Pushes a box with the plan of the box at `from` and the newcomers in `report`; NULL: it failed,
 * for the reasons in `report`. */
static allot__box *push_grown(lua_State *L, int from, allot_report *report, int *status)
{
    allot_plan *plan = NULL;
    lua_getiuservalue(L, from, ALLOT__PLAN_TEXT);
    lua_getiuservalue(L, from, ALLOT__PLAN_OPTIONS);
    *status = read_plan(L, lua_gettop(L) - 1, from, report, &plan);
    allot__box *box = lua_touserdata(L, -1), *parent = lua_touserdata(L, from);
    if (*status != ALLOT_OK) {
        hand_on(report, box->report);
        return NULL;
    }
    box->it = plan;
    box->parent = parent;
    parent->holds++;
    return box;
}

/* allot.state(plan, text [, {file = }]) */
int allot__module_state(lua_State *L)
{
    size_t len;
    allot__box *plan = allot__box_check(L, 1, ALLOT__PLAN);
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *text = lua_tolstring(L, 2, &len);
    lua_settop(L, 3);
    allot__module_options(L, 3, (const char *const[]){"file", NULL});
    const char *file = allot__module_option(L, 3, "file", "state.json");
    allot__box *box = allot__box_new(L, module_of(L), ALLOT__STATE, 1);
    int made = lua_gettop(L);
    allot_state *state = NULL;
    allot__module_listen(module_of(L), plan);
    int status = allot_state_read(plan->it, text, len, file, box->report, &state);
    allot__box *grown = status == ALLOT_ENOENT ? push_grown(L, 1, box->report, &status) : NULL;
    if (grown) {
        lua_setiuservalue(L, made, ALLOT__PARENT);
        plan = grown;
        status = allot_state_read(plan->it, text, len, file, box->report, &state);
    }
    lua_settop(L, made);
    return allot__box_return(L, box, status, state, plan);
}

/* allot.cycle(plan, state) */
int allot__module_cycle(lua_State *L)
{
    allot__box *plan = allot__box_check(L, 1, ALLOT__PLAN);
    allot__box *state = allot__box_check(L, 2, ALLOT__STATE);
    luaL_argcheck(L, state->parent == plan || state->parent->parent == plan, 2,
                  "it is the state of another plan");
    plan = state->parent;
    allot__box *box = allot__box_new(L, module_of(L), ALLOT__DECISION, 2);
    allot_decision *decision = NULL;
    allot__module_listen(module_of(L), plan);
    int status = allot_cycle(plan->it, state->it, box->report, &decision);
    if (status == ALLOT_OK) {
        hand_on(box->report, plan->report);
        hand_on(box->report, state->report);
    }
    return allot__box_return(L, box, status, decision, state);
}
