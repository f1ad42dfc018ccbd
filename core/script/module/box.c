/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * box.c: the module's objects as userdata, and the results of its functions.
 *
 * This file owns: the metatables.
 */
#include "script/module/module.h"
#include <lauxlib.h>

static const char *const type_names[] = {"allot.plan", "allot.state", "allot.decision",
                                         "allot.policy"};

static void end_object(allot__box *box)
{
    if (box->kind == ALLOT__PLAN)
        allot_plan_free(box->it);
    else if (box->kind == ALLOT__STATE)
        allot_state_free(box->it);
    else if (box->kind == ALLOT__DECISION)
        allot_decision_free(box->it);
    else
        allot_policy_free(box->it);
    box->it = NULL;
}

/* Frees a closed object that no other object holds, and then perhaps the object it was made from.
 */
static void box_release(allot__box *box)
{
    while (box && box->closed && box->holds == 0) {
        allot__box *parent = box->parent;
        end_object(box);
        allot_report_free(box->report);
        box->report = NULL;
        box->parent = NULL;
        if (parent)
            parent->holds--;
        box = parent;
    }
}

/* __gc and __close */
static int box_close(lua_State *L)
{
    allot__box *box = lua_touserdata(L, 1);
    if (!box->closed) {
        box->closed = true;
        box_release(box);
    }
    return 0;
}

void allot__box_type(lua_State *L, allot__box_kind kind, const luaL_Reg *methods, int module)
{
    static const luaL_Reg life[] = {{"__gc", box_close}, {"__close", box_close}, {NULL, NULL}};
    luaL_newmetatable(L, type_names[kind]);
    lua_pushvalue(L, module);
    luaL_setfuncs(L, life, 1);
    lua_newtable(L);
    lua_pushvalue(L, module);
    luaL_setfuncs(L, methods, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

allot__box *allot__box_new(lua_State *L, allot__module *module, allot__box_kind kind, int parent)
{
    allot__box *box = lua_newuserdatauv(L, sizeof *box, ALLOT__USER_VALUES);
    *box = (allot__box){.kind = kind};
    luaL_setmetatable(L, type_names[kind]);
    if (parent) {
        lua_pushvalue(L, parent);
        lua_setiuservalue(L, -2, ALLOT__PARENT);
    }
    if (allot_report_new(module->engine, &box->report) != ALLOT_OK)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    return box;
}

allot__box *allot__box_check(lua_State *L, int index, allot__box_kind kind)
{
    allot__box *box = luaL_checkudata(L, index, type_names[kind]);
    luaL_argcheck(L, box->it && !box->closed, index, "it is closed");
    return box;
}

/* ---- Results ------------------------------------------------------------------------------- */

void allot__set_facts(lua_State *L, const char *names, const allot__fact *facts)
{
    allot__named_fact it;
    while (allot__fact_next(&names, &facts, &it)) {
        lua_pushlstring(L, it.name, it.len);
        if (it.flag)
            lua_pushboolean(L, 1);
        else if (it.of->text)
            lua_pushstring(L, it.of->text);
        else
            lua_pushinteger(L, it.of->number);
        lua_rawset(L, -3);
    }
}

void allot__report_push(lua_State *L, const allot_report *report)
{
    int32_t count = allot_report_count(report);
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        allot__finding_push(L, allot_report_at(report, i));
        lua_rawseti(L, -2, i + 1);
    }
}

/* "plan.json:3:5: text" of the first error. */
static void push_message(lua_State *L, const allot_report *report, int status)
{
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_ERROR)
            continue;
        if (finding->file && finding->line > 0)
            lua_pushfstring(L, "%s:%d:%d: %s", finding->file, (int)finding->line, (int)finding->col,
                            finding->message);
        else
            lua_pushfstring(L, "%s%s%s", finding->file ? finding->file : "",
                            finding->file ? ": " : "", finding->message);
        return;
    }
    lua_pushstring(L, allot_status_text(status));
}

int allot__box_return(lua_State *L, allot__box *box, int status, void *made, allot__box *parent)
{
    if (status == ALLOT_OK) {
        box->it = made;
        box->parent = parent;
        if (parent)
            parent->holds++;
    }
    allot__module_tell(L, lua_touserdata(L, lua_upvalueindex(1)));
    if (status == ALLOT_OK) {
        allot__report_push(L, box->report);
        return 2;
    }
    return allot__module_return_failure(L, box->report, status);
}

int allot__module_return_failure(lua_State *L, const allot_report *report, int status)
{
    luaL_pushfail(L);
    push_message(L, report, status);
    allot__report_push(L, report);
    return 3;
}

int allot__module_fail(lua_State *L, const char *message)
{
    luaL_pushfail(L);
    lua_pushstring(L, message);
    lua_newtable(L);
    return 3;
}
