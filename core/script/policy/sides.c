/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sides.c: a lease's provider and consumer, as its function sees them; and the function's answer.
 */
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

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
        lua_pushnil(L); /* unknown */
    else
        lua_pushinteger(L, value);
    return 1;
}

void allot__side_views(lua_State *L, allot__script *script)
{
    static const int32_t first[] = {ALLOT_LEASE_PROVIDER_AVAILABLE, ALLOT_LEASE_CONSUMER_AVAILABLE};
    for (int side = 0; side < 2; side++) {
        allot__view_fields(L, fields, FIELDS);
        script->sides[side] =
            allot__view_make(L, script, first[side], side_index, "a lease's side");
    }
}

int32_t allot__side_answer(lua_State *L, int index)
{
    if (lua_isnil(L, index))
        return 0;
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    return strcmp(word, "provider") == 0 ? -1 : strcmp(word, "consumer") == 0 ? 1 : 2;
}
