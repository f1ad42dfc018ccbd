/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_diff.c: allot.diff: two decisions compared, as a table: the document's, decoded. */
#include "script/module/module.h"

/* Pushes a text with the members; ENOMEM. */
static int push_document(lua_State *L, allot_engine *engine, const allot_decision *a,
                         const allot_decision *b, bool all)
{
    allot__text *out = allot__text_push(L, engine);
    allot_diff *diff = NULL;
    int status = allot_diff_new(a, b, all, &diff);
    allot__text_puts(out, "{");
    if (status == ALLOT_OK)
        status = allot_diff_write(diff, 0, allot__text_sink, out);
    allot__text_puts(out, "}");
    allot_diff_free(diff);
    if (status == ALLOT_OK && out->failed)
        status = ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        lua_pushlstring(L, out->bytes, out->len);
    return status;
}

/* allot.diff(a, b [, {all = }]): {same =, groups = {...}, consumers = {...}, ...} */
int allot__module_diff(lua_State *L)
{
    const allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    const allot__box *a = allot__box_check(L, 1, ALLOT__DECISION);
    const allot__box *b = allot__box_check(L, 2, ALLOT__DECISION);
    lua_settop(L, 3);
    if (!lua_isnil(L, 3))
        luaL_checktype(L, 3, LUA_TTABLE);
    bool all = !lua_isnil(L, 3) && (lua_getfield(L, 3, "all"), lua_toboolean(L, -1));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, allot__module_decode, 1);
    int decode = lua_gettop(L);
    int status = push_document(L, module->engine, a->it, b->it, all);
    if (status)
        return allot__module_fail(L, allot_status_text(status));
    lua_replace(L, decode + 1);
    lua_settop(L, decode + 1);
    lua_call(L, 1, LUA_MULTRET);
    return lua_gettop(L) - decode + 1;
}
