/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sides.c: a lease's provider and consumer, as its function sees them; and what it answers. */
#include <string.h>

#include "script/library.h"
#include "script/script.h"

/* Fields of a side, in the order of its columns. */
static const char *const fields[] = {"available", "used", "idle", "demand"};
enum { FIELDS = sizeof fields / sizeof *fields, DEMAND = FIELDS - 1 };

/* Upvalues: the script, the side's first column, the numbers of fields by name. */
static int side_index(lua_State *L)
{
    const allot__script *script = lua_touserdata(L, lua_upvalueindex(1));
    const allot__batch_run *run = &script->run;
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(3)) == LUA_TNIL) {
        lua_pushvalue(L, lua_upvalueindex(3));
        return allot__library_unknown(L, NULL, "field of a lease's side", 4, 2);
    }
    if (!run->batch || run->call->rows != ALLOT_LEASES)
        return luaL_error(L, "a lease's side can only be read while its function runs");
    lua_Integer field = lua_tointeger(L, -1);
    int64_t value = run->batch->columns[lua_tointeger(L, lua_upvalueindex(2)) + field][run->row];
    if (field == DEMAND && value < 0)
        lua_pushnil(L); /* nobody told */
    else
        lua_pushinteger(L, value);
    return 1;
}

static int side_newindex(lua_State *L)
{
    return luaL_error(L, "a lease's side is only read; it cannot be changed");
}

static int make_view(lua_State *L, allot__script *script, int32_t first)
{
    lua_newuserdatauv(L, 1, 0);
    lua_createtable(L, 0, 2);
    lua_pushlightuserdata(L, script);
    lua_pushinteger(L, first);
    lua_createtable(L, 0, FIELDS);
    for (int i = 0; i < FIELDS; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, fields[i]);
    }
    lua_pushcclosure(L, side_index, 3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, side_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

void allot__side_views(lua_State *L, allot__script *script)
{
    script->sides[0] = make_view(L, script, ALLOT_LEASE_PROVIDER_AVAILABLE);
    script->sides[1] = make_view(L, script, ALLOT_LEASE_CONSUMER_AVAILABLE);
}

int32_t allot__side_answer(lua_State *L, int index)
{
    if (lua_isnil(L, index))
        return 0;
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    return strcmp(word, "provider") == 0 ? -1 : strcmp(word, "consumer") == 0 ? 1 : 2;
}
