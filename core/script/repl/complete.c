/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* complete.c: what may stand where the cursor is. */
#include "script/repl/repl.h"

typedef struct completing {
    allot_repl *session;
    const char *text;
    size_t len, cursor, from;
    void (*each)(void *ud, const char *candidate);
    void *ud;
} completing;

static int complete(lua_State *L)
{
    completing *it = lua_touserdata(L, 1);
    allot__repl_push(L, it->session, "complete");
    lua_pushlstring(L, it->text, it->cursor);
    lua_call(L, 1, 2);
    it->from = (size_t)luaL_checkinteger(L, -2);
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
        it->each(it->ud, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return 0;
}

void allot_repl_complete(allot_repl *session, const char *text, size_t len, size_t cursor,
                         size_t *from, void (*each)(void *ud, const char *candidate), void *ud)
{
    completing it = {session, text, len, cursor < len ? cursor : len, cursor, each, ud};
    session->interrupted = 0;
    allot__sandbox_arm(&session->box, INT64_MAX);
    if (allot__sandbox_run(&session->box, complete, &it) != LUA_OK)
        lua_pop(session->box.L, 1);
    allot__sandbox_disarm(&session->box);
    *from = it.from < cursor ? it.from : cursor;
}
