/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * module.c: require "allot.core".
 *
 * This file owns: the engine of a Lua state.
 */
#include "script/module/module.h"
#include "script/sandbox/embedded.h"

static const char module_key[] = "allot.core", engine_key[] = "allot.engine";

static int module_close(lua_State *L)
{
    allot__module *module = lua_touserdata(L, 1);
    if (module->engine) {
        allot_script_loader_free(module->engine, &module->files);
        allot__module_uncover(module);
        if (!module->borrowed)
            allot_engine_free(module->engine);
    }
    module->engine = NULL;
    return 0;
}

/* Pushes the module's userdata. It is made before every other, so that it is collected last. */
static void push_module(lua_State *L)
{
    allot__module *module = lua_newuserdatauv(L, sizeof *module, 1);
    *module = (allot__module){.limits = {.say = allot__module_hear, .say_ud = module}};
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, module_close);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_getfield(L, LUA_REGISTRYINDEX, engine_key);
    module->engine = lua_touserdata(L, -1);
    module->borrowed = module->engine != NULL;
    lua_pop(L, 1);
    if ((!module->borrowed && allot_engine_new(NULL, NULL, &module->engine) != ALLOT_OK) ||
        allot_script_loader_new(module->engine, &module->limits, &module->files) != ALLOT_OK)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
}

void allot__module_engine(lua_State *L, allot_engine *engine)
{
    lua_pushlightuserdata(L, engine);
    lua_setfield(L, LUA_REGISTRYINDEX, engine_key);
}

static void make_types(lua_State *L, int module)
{
    static const luaL_Reg plan[] = {
        {"consumers", allot__module_consumers}, {"use", allot__module_use}, {NULL, NULL}};
    static const luaL_Reg state[] = {{"json", allot__module_state_json}, {NULL, NULL}};
    static const luaL_Reg policy[] = {
        {"declared", allot__module_declared}, {"judge", allot__module_judge}, {NULL, NULL}};
    static const luaL_Reg decision[] = {{"json", allot__module_json},
                                        {"explain", allot__module_explain},
                                        {"apply", allot__module_apply},
                                        {NULL, NULL}};
    allot__box_type(L, ALLOT__PLAN, plan, module);
    allot__box_type(L, ALLOT__STATE, state, module);
    allot__box_type(L, ALLOT__DECISION, decision, module);
    allot__box_type(L, ALLOT__POLICY, policy, module);
}

int luaopen_allot_core(lua_State *L)
{
    static const luaL_Reg functions[] = {{"plan", allot__module_plan},
                                         {"state", allot__module_state},
                                         {"cycle", allot__module_cycle},
                                         {"diff", allot__module_diff},
                                         {"coverage", allot__module_coverage},
                                         {"policy", allot__module_policy},
                                         {"ready", allot__module_ready},
                                         {"columns", allot__module_columns},
                                         {"decode", allot__module_decode},
                                         {"encode", allot__module_encode},
                                         {"list", allot__module_list},
                                         {"members", allot__module_members},
                                         {"time", allot__module_time},
                                         {"peer", allot__module_peer},
                                         {NULL, NULL}};
    luaL_checkversion(L);
    /* A second load gives the same module, since all objects belong to its engine. */
    if (lua_getfield(L, LUA_REGISTRYINDEX, module_key) == LUA_TTABLE)
        return 1;
    lua_pop(L, 1);
    push_module(L);
    int module = lua_gettop(L);
    make_types(L, module);
    luaL_newlibtable(L, functions);
    lua_pushvalue(L, module);
    luaL_setfuncs(L, functions, 1);
    lua_pushstring(L, allot_version());
    lua_setfield(L, -2, "version");
    lua_pushlstring(L, allot__embedded_rules->text, allot__embedded_rules->len);
    lua_setfield(L, -2, "rules");
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    allot__module_limits(L);
    lua_setfield(L, -2, "limits");
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, module_key);
    return 1;
}
