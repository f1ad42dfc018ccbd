/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_policy.c: policies by themselves: what they declare and use, and their properties. */
#include <string.h>

#include "script/sandbox/embedded.h"
#include "script/sandbox/library.h"
#include "script/sandbox/script.h"
#include "script/module/module.h"

static allot__module *module_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* ---- allot.core.policy(text [, {file = , options = }]) ------------------------------------- */

/* The option on top, with its name below. */
static allot_use_option option_of(lua_State *L)
{
    allot_use_option made = {.name = lua_tostring(L, -2), .mine = 1};
    if (lua_isboolean(L, -1)) {
        made.type = ALLOT_JSON_BOOLEAN;
        made.integer = lua_toboolean(L, -1);
    } else if (lua_isinteger(L, -1)) {
        made.type = ALLOT_JSON_INTEGER;
        made.integer = lua_tointeger(L, -1);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        made.type = ALLOT_JSON_STRING;
        made.string = lua_tostring(L, -1);
    } else {
        luaL_error(L, "a policy's option is a number, a boolean or a text, not a %s",
                   luaL_typename(L, -1));
    }
    return made;
}

/* Field `options` of the table at `index`, as options of a plan's `policy`; both are pushed. */
static const allot_use_option *push_options(lua_State *L, int index, int32_t *count)
{
    enum { MOST = ALLOT_ATTRIBUTES_MAX };
    allot_use_option *made = lua_newuserdatauv(L, MOST * sizeof *made, 0);
    *count = 0;
    if (lua_isnoneornil(L, index) || lua_getfield(L, index, "options") == LUA_TNIL)
        return made;
    luaL_checktype(L, -1, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || *count == MOST)
            luaL_error(L, "options is a table by name, of %d at most", MOST);
        made[(*count)++] = option_of(L);
    }
    return made;
}

int allot__module_policy(lua_State *L)
{
    allot__module *module = module_of(L);
    size_t len;
    int32_t count;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *text = lua_tolstring(L, 1, &len), *file = "policy.lua";
    lua_settop(L, 2);
    if (!lua_isnil(L, 2) && lua_getfield(L, 2, "file") == LUA_TSTRING)
        file = lua_tostring(L, -1);
    const allot_use_option *options = push_options(L, 2, &count);
    allot__box *box = allot__box_new(L, module, ALLOT__POLICY, 0);
    allot_policy *policy = NULL;
    int status = allot__script_load_kept(module->engine, text, len, file, options, count,
                                         box->report, &policy);
    return allot__box_return(L, box, status, policy, NULL);
}

/* allot.core.ready([name]): a ready-made policy's text, or nil; the list of names */
int allot__module_ready(lua_State *L)
{
    size_t len;
    if (lua_isnoneornil(L, 1))
        return allot__library_ready(L);
    const char *text = allot_ready_policy_text(luaL_checkstring(L, 1), &len);
    if (!text)
        return 0;
    lua_pushlstring(L, text, len);
    return 1;
}

/* allot.core.peer([name]): the text of another scheduler's rules, or nil; the list of names */
int allot__module_peer(lua_State *L)
{
    const char *name = luaL_optstring(L, 1, NULL);
    if (!name)
        lua_newtable(L);
    for (int32_t i = 0; i < allot__embedded_peers_count; i++) {
        const allot__embedded *it = &allot__embedded_peers[i];
        if (name && strcmp(it->name, name) == 0) {
            lua_pushlstring(L, it->text, it->len);
            return 1;
        }
        if (!name) {
            lua_pushstring(L, it->name);
            lua_rawseti(L, -2, i + 1);
        }
    }
    return name ? 0 : 1;
}

/* ---- Methods ------------------------------------------------------------------------------- */

/* policy:declared(): the table that its file returned; a function is { kind = "function",
 * first = , last = }, with its lines */
int allot__module_declared(lua_State *L)
{
    const allot__box *box = allot__box_check(L, 1, ALLOT__POLICY);
    allot__script *script = allot__script_of(box->it);
    lua_State *from = script->box.L;
    int top = lua_gettop(from);
    lua_rawgetp(from, LUA_REGISTRYINDEX, script);
    bool copied = allot__copy_across(from, L);
    lua_settop(from, top);
    return copied ? 1 : luaL_error(L, "the policy's table is too deep");
}

/* policy:judge(i, case): whether its i-th property, from 1, holds of a case, and the property's
 * message; nil, message and diagnostics after a failure */
int allot__module_judge(lua_State *L)
{
    const allot__box *box = allot__box_check(L, 1, ALLOT__POLICY);
    lua_Integer which = luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    allot__box *made = allot__box_new(L, module_of(L), ALLOT__POLICY, 0); /* for its report */
    lua_insert(L, 3);
    allot__verdict verdict;
    int status = ALLOT_ENOENT;
    if (which >= 1 && which <= ALLOT__PROPERTIES_MAX)
        status =
            allot__judge(allot__script_of(box->it), (int32_t)which - 1, L, &verdict, made->report);
    if (status != ALLOT_OK) {
        lua_pushvalue(L, 3);
        return allot__box_return(L, made, status, NULL, NULL);
    }
    lua_pushboolean(L, verdict.holds);
    lua_pushstring(L, verdict.message);
    return 2;
}

/* plan:use(): the most that the plan's policies given as texts have used */
int allot__module_use(lua_State *L)
{
    const allot__box *box = allot__box_check(L, 1, ALLOT__PLAN);
    lua_createtable(L, 0, 3);
    FIELDS(L, "instructions loading memory", box->meter.instructions, box->meter.loading,
           box->meter.memory);
    return 1;
}

/* allot.core.limits: a policy's limits */
void allot__module_limits(lua_State *L)
{
    lua_createtable(L, 0, 2);
    FIELDS(L, "instructions memory", ALLOT_SCRIPT_INSTRUCTIONS, ALLOT_SCRIPT_MEMORY);
}
