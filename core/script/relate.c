/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * relate.c: who may preempt whom, by a script's relation.
 *
 * Tests that are words are answered here; a function is asked in the sandbox, once for every two
 * queues of a plan for which the tests before it hold.
 */
#include <stdio.h>
#include <string.h>

#include "script/library.h"
#include "script/script.h"

/* Fuel for every pair of queues is that part of what 1000 rows have, and this at least. */
enum { PAIRS = 1000, FUEL_LEAST = 1000 };

/* ---- The view of a queue ------------------------------------------------------------------- */

enum { NAME, PRIORITY, PREEMPTIVE, PREEMPTABLE, SLOT_POOL, SLOT_SHARE, FIELDS };
static const char *const fields[FIELDS] = {"name",        "priority",  "preemptive",
                                           "preemptable", "slot_pool", "slot_share"};

static void push_field(lua_State *L, const allot_queue *queue, lua_Integer field)
{
    switch (field) {
    case NAME:
        lua_pushstring(L, queue->name);
        break;
    case PRIORITY:
        lua_pushinteger(L, queue->priority);
        break;
    case PREEMPTIVE:
        lua_pushboolean(L, queue->preemptive);
        break;
    case PREEMPTABLE:
        lua_pushboolean(L, queue->preemptable);
        break;
    case SLOT_POOL:
        lua_pushstring(L, queue->slot_pool); /* nil: none */
        break;
    default:
        lua_pushinteger(L, queue->slot_share);
        break;
    }
}

/* Upvalues: the script, which of the two queues, the numbers of fields by name. */
static int queue_index(lua_State *L)
{
    const allot__script *script = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(3)) == LUA_TNIL) {
        lua_pushvalue(L, lua_upvalueindex(3));
        return allot__library_unknown(L, NULL, "field of a queue", 4, 2);
    }
    if (!script->relating.plan)
        return luaL_error(L, "a queue can only be read while its function runs");
    lua_Integer which = lua_tointeger(L, lua_upvalueindex(2));
    push_field(L, &script->relating.queues[which], lua_tointeger(L, -1));
    return 1;
}

static int queue_newindex(lua_State *L)
{
    return luaL_error(L, "a queue is only read; it cannot be changed");
}

void allot__relate_views(lua_State *L, allot__script *script)
{
    for (int which = 0; which < 2; which++) {
        lua_newuserdatauv(L, 1, 0);
        lua_createtable(L, 0, 2);
        lua_pushlightuserdata(L, script);
        lua_pushinteger(L, which);
        lua_createtable(L, 0, FIELDS);
        for (int i = 0; i < FIELDS; i++) {
            lua_pushinteger(L, i);
            lua_setfield(L, -2, fields[i]);
        }
        lua_pushcclosure(L, queue_index, 3);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, queue_newindex);
        lua_setfield(L, -2, "__newindex");
        lua_setmetatable(L, -2);
        script->relating.views[which] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
}
