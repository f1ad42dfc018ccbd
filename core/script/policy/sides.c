/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sides.c: views of a lease's provider and consumer for its function, and the function's answer. */
#include <string.h>

#include "script/sandbox/script.h"

/* Fields of a side, in the order of its columns. */
static const char *const fields[] = {"available", "used", "idle", "demand"};
enum { FIELDS = sizeof fields / sizeof *fields, DEMAND = FIELDS - 1 };

/* `number` is the side's first column. */
static bool push_field(lua_State *L, const void *ud, int number, int field)
{
    const allot__batch_run *run = &((const allot__script *)ud)->run;
    if (!run->batch || run->call->rows != ALLOT_LEASES)
        return false;
    int64_t value = run->batch->columns[number + field][run->row];
    if (field == DEMAND && value < 0)
        lua_pushnil(L); /* unknown */
    else
        lua_pushinteger(L, value);
    return true;
}

void allot__side_views(lua_State *L, allot__script *script)
{
    static const allot__view view = {"a lease's side", "field of a lease's side", push_field};
    static const int first[] = {ALLOT_LEASE_PROVIDER_AVAILABLE, ALLOT_LEASE_CONSUMER_AVAILABLE};
    for (int side = 0; side < 2; side++)
        script->sides[side] = allot__view_make(L, &view, script, first[side], fields, FIELDS);
}

int32_t allot__side_answer(lua_State *L, int index)
{
    if (lua_isnil(L, index))
        return 0;
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    return strcmp(word, "provider") == 0 ? -1 : strcmp(word, "consumer") == 0 ? 1 : 2;
}
