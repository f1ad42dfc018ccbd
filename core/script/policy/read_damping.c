/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_damping.c: what a policy lets its consumers keep, as a parsed policy. */
#include <string.h>

#include "script/sandbox/script.h"

/* The option of that name that a policy can state, or -1. */
static int option_of(const char *name)
{
    static const allot_option options[] = {ALLOT_OPTION_HOLD_ROUNDING, ALLOT_OPTION_DEAD_ZONE,
                                           ALLOT_OPTION_MOST_RECLAIMED,
                                           ALLOT_OPTION_RECLAIM_INTERVAL, ALLOT_OPTION_CLAIM_DELAY};
    for (size_t i = 0; name && i < sizeof options / sizeof *options; i++)
        if (strcmp(name, allot_option_name(options[i])) == 0)
            return options[i];
    return -1;
}

/* The value on top; its range is the core's to check. */
static int64_t read_value(lua_State *L, int option)
{
    bool flag = option == ALLOT_OPTION_HOLD_ROUNDING;
    if (flag ? lua_type(L, -1) != LUA_TBOOLEAN : !lua_isinteger(L, -1))
        allot__read_fail(L, NULL, "damping: %s is %s", allot_option_name(option),
                         flag ? "true or false" : "a whole number");
    return flag ? lua_toboolean(L, -1) : lua_tointeger(L, -1);
}

void allot__read_damping(lua_State *L, allot__parsed *parsed)
{
    int type = allot__read_ruled(L, parsed, "damping");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "damping is a %s, not a table", luaL_typename(L, -1));
    if (type == LUA_TTABLE) {
        for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
            const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
            int option = option_of(name);
            if (option < 0) {
                allot__read_fail(L, NULL, "unknown key of damping: %s",
                                 name ? name : luaL_typename(L, -2));
                return; /* it has raised */
            }
            parsed->damping[option] = read_value(L, option);
            parsed->damping_set |= UINT32_C(1) << option;
        }
    }
    lua_pop(L, 1);
}
