/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: Lua files that are built in, run when they are required, each once; and states of
 * their own for them. */
#include "script/sandbox/require.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>
#include <allot/script.h>

const allot__embedded *allot__embedded_find(const char *name)
{
    for (int32_t i = 0; i < allot__embedded_lua_count; i++)
        if (strcmp(allot__embedded_lua[i].name, name) == 0)
            return &allot__embedded_lua[i];
    return NULL;
}

void allot__embedded_run(lua_State *L, const char *name, const char *text, size_t len, int globals)
{
    lua_pushfstring(L, "=%s", name);
    if (luaL_loadbufferx(L, text, len, lua_tostring(L, -1), NULL) != LUA_OK)
        lua_error(L);
    if (globals) {
        lua_pushvalue(L, globals);
        lua_setupvalue(L, -2, 1);
    }
    lua_call(L, 0, 1);
    lua_remove(L, -2);
}

int allot__embedded_require(lua_State *L, const allot__embedded *(*find)(const char *name),
                            int globals, const char *refusal)
{
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const allot__embedded *it = find(name);
    if (!it)
        return luaL_error(L, refusal, name);
    allot__embedded_run(L, it->name, it->text, it->len, globals);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, lua_upvalueindex(1));
    return 1;
}

/* ---- States of our own ----------------------------------------------------------------------- */

static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    return allot_engine_alloc(ud, ptr, ptr ? old_size : 0, new_size);
}

lua_State *allot__own_state(allot_engine *engine)
{
    return lua_newstate(allocate, engine);
}

void allot__own_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8}, {NULL, NULL}};
    static const char *const removed[] = {"dofile", "loadfile", NULL};
    for (const luaL_Reg *library = libraries; library->name; library++) {
        luaL_requiref(L, library->name, library->func, 1);
        lua_pop(L, 1);
    }
    for (const char *const *name = removed; *name; name++) {
        lua_pushnil(L);
        lua_setglobal(L, *name);
    }
}

static int require(lua_State *L)
{
    return allot__embedded_require(L, allot__embedded_find, 0, "no module %s is built in");
}

void allot__own_require(lua_State *L)
{
    lua_pushcclosure(L, require, 1);
    lua_setglobal(L, "require");
}

/* Out of memory is reported to Lua as a plain text, since building an error table may fail as well.
 */
int allot__own_status(lua_State *L, int status)
{
    const char *message = status == LUA_OK ? "" : lua_tostring(L, -1);
    bool lacks = status == LUA_ERRMEM || status == LUA_ERRERR || !message ||
                 strstr(message, allot_status_text(ALLOT_ENOMEM));
    return status == LUA_OK ? ALLOT_OK : lacks ? ALLOT_ENOMEM : ALLOT_EINTERNAL;
}

/* ---- Ready-made policies --------------------------------------------------------------------- */

int32_t allot_ready_policies(void)
{
    return allot__embedded_policies_count;
}

const char *allot_ready_policy_name(int32_t i)
{
    return i >= 0 && i < allot__embedded_policies_count ? allot__embedded_policies[i].name : NULL;
}

const char *allot_ready_policy_text(const char *name, size_t *len)
{
    for (int32_t i = 0; name && i < allot__embedded_policies_count; i++) {
        if (strcmp(allot__embedded_policies[i].name, name) != 0)
            continue;
        if (len)
            *len = allot__embedded_policies[i].len;
        return allot__embedded_policies[i].text;
    }
    return NULL;
}
