/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * module_log.c: passes what policies print and log to the function that a plan was made with.
 *
 * Policies print while the library works, when no Lua may be called: their lines are kept, and
 * passed on in order once the library is done.
 */
#include <stdio.h>
#include <string.h>

#include "script/module/module.h"

enum { LINES_MAX = 1000 };

void allot__module_log(lua_State *L, int index, allot__box *plan)
{
    allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    int box = lua_gettop(L);
    if (lua_isnoneornil(L, index))
        return;
    if (lua_getfield(L, index, "log") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (!lua_isfunction(L, -1))
        luaL_error(L, "option log is a function, not a %s", luaL_typename(L, -1));
    lua_setiuservalue(L, box, ALLOT__PLAN_LOG);
    plan->said = allot__text_push(L, module->engine);
    lua_setiuservalue(L, box, ALLOT__PLAN_LINES);
}

void allot__module_listen(allot__module *module, const allot__box *plan)
{
    module->saying = plan->said;
    module->said = module->unsaid = 0;
}

static void keep(allot__text *lines, const char *text)
{
    allot__text_sink(lines, text, strlen(text) + 1);
}

void allot__module_hear(void *ud, const char *chunk, int32_t line, const char *level,
                        const char *text)
{
    allot__module *module = ud;
    allot__text *lines = module->saying;
    char where[320];
    if (!lines)
        return;
    if (module->said == LINES_MAX || lines->failed) {
        module->unsaid++;
        return;
    }
    snprintf(where, sizeof where, line > 0 ? "%.300s:%d" : "%.300s", chunk, (int)line);
    size_t before = lines->len;
    keep(lines, level);
    keep(lines, text);
    keep(lines, where);
    if (lines->failed)
        lines->len = before;
    module->said += !lines->failed;
    module->unsaid += lines->failed;
}

/* Calls the function at `log` with three strings. */
static const char *tell_line(lua_State *L, int log, const char *at)
{
    lua_pushvalue(L, log);
    for (int i = 0; i < 3; i++) {
        lua_pushstring(L, at);
        at += strlen(at) + 1;
    }
    lua_call(L, 3, 0);
    return at;
}

static void tell_rest(lua_State *L, int log, int32_t count)
{
    if (count == 0)
        return;
    lua_pushvalue(L, log);
    lua_pushliteral(L, "log");
    lua_pushfstring(L, "(%d more lines were left out)", (int)count);
    lua_pushliteral(L, "");
    lua_call(L, 3, 0);
}

/* Pushes the function of the plan whose box, or one that was made from it, is on top. */
static void push_log(lua_State *L)
{
    lua_pushvalue(L, -1);
    while (lua_getiuservalue(L, -1, ALLOT__PARENT) == LUA_TUSERDATA)
        lua_remove(L, -2);
    lua_pop(L, 1);
    lua_getiuservalue(L, -1, ALLOT__PLAN_LOG);
    lua_remove(L, -2);
}

void allot__module_tell(lua_State *L, allot__module *module)
{
    allot__text *lines = module->saying;
    int32_t rest = module->unsaid, said = module->said;
    int top = lua_gettop(L);
    module->saying = NULL;
    if (!lines || said + rest == 0)
        return;
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    push_log(L);
    /* The function may decide again, and so be called for that decision's lines. */
    allot__text *told = allot__text_push(L, module->engine);
    allot__text empty = *told;
    *told = *lines;
    *lines = empty;
    const char *at = told->bytes, *end = at + told->len;
    while (at < end)
        at = tell_line(L, top + 1, at);
    tell_rest(L, top + 1, rest);
    allot__text_free(told);
    lua_settop(L, top);
}
