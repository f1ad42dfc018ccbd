/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_columns.c: allot.columns: what rules can read. */
#include "script/module/module.h"

/* allot.columns(rows): a list of {name = , doc = } */
int allot__module_columns(lua_State *L)
{
    /* In the order of allot_rows. */
    static const char *const kinds[] = {"consumers", "tasks", "sessions", "queues", "leases", NULL};
    allot_rows rows = (allot_rows)luaL_checkoption(L, 1, NULL, kinds);
    const char *name;
    lua_newtable(L);
    for (int i = 0; (name = allot_rows_column_name(rows, i)); i++) {
        lua_createtable(L, 0, 2);
        allot__set_text(L, "name", name);
        allot__set_text(L, "doc", allot_rows_column_doc(rows, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}
