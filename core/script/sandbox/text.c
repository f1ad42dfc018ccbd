/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * text.c: questions about a script's text, apart from running it.
 *
 * lua/allot/check/text.lua reads it, in a state of its own: there the script's limits do not hold,
 * and a script cannot reach it.
 */
#include <stdio.h>

#include "script/sandbox/require.h"
#include "script/sandbox/sandbox.h"

typedef struct asking {
    const allot__sandbox *box;
    const char *function;
    int (*push)(lua_State *L, const void *ud);
    const void *ud;
    allot__text_answer *out;
} asking;

static int ask(lua_State *L)
{
    const asking *it = lua_touserdata(L, 1);
    const allot__embedded *file = allot__embedded_find("allot.check.text");
    allot__own_libraries(L);
    lua_newtable(L); /* what it requires */
    allot__own_require(L);
    allot__embedded_run(L, file->name, file->text, file->len, 0);
    lua_getfield(L, -1, it->function);
    lua_pushlstring(L, it->box->text, it->box->text_len);
    lua_call(L, it->push(L, it->ud) + 1, 2);
    it->out->line = (int32_t)lua_tointeger(L, -2);
    if (lua_isinteger(L, -1))
        it->out->col = (int32_t)lua_tointeger(L, -1);
    else if (lua_isstring(L, -1))
        snprintf(it->out->name, sizeof it->out->name, "%s", lua_tostring(L, -1));
    return 0;
}

int allot__sandbox_ask(const allot__sandbox *box, const char *function,
                       int (*push)(lua_State *L, const void *ud), const void *ud,
                       allot__text_answer *out)
{
    asking it = {box, function, push, ud, out};
    lua_State *L = allot__own_state(box->engine);
    *out = (allot__text_answer){.line = 0};
    if (!L)
        return ALLOT_ENOMEM;
    lua_pushcfunction(L, ask);
    lua_pushlightuserdata(L, &it);
    int status = lua_pcall(L, 1, 0, 0);
    lua_close(L);
    return status == LUA_OK ? ALLOT_OK : status == LUA_ERRMEM ? ALLOT_ENOMEM : ALLOT_EINTERNAL;
}
