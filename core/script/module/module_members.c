/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_members.c: allot.members: members of tasks, sessions, jobs and so on; allot.columns:
 * columns that rules can read. */
#include <allot/members.h>

#include "script/module/module.h"

static void push_words(lua_State *L, const allot_member *member)
{
    const char *word;
    lua_newtable(L);
    for (int i = 0; (word = member->word(i)); i++) {
        if (i == 0 && member->flags & ALLOT_MEMBER_FALSE)
            lua_pushboolean(L, 0);
        else
            lua_pushstring(L, word);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_members(lua_State *L, const allot_member *members, int32_t count);

static void push_member(lua_State *L, const allot_member *member)
{
    static const char *const types[] = {
        [ALLOT_MEMBER_TEXT] = "text",         [ALLOT_MEMBER_CONSUMER] = "consumer",
        [ALLOT_MEMBER_LEAF] = "leaf",         [ALLOT_MEMBER_GROUP] = "group",
        [ALLOT_MEMBER_QUEUE] = "queue",       [ALLOT_MEMBER_WHOLE] = "integer",
        [ALLOT_MEMBER_TIME] = "time",         [ALLOT_MEMBER_WORD] = "word",
        [ALLOT_MEMBER_FLAG] = "boolean",      [ALLOT_MEMBER_TEXTS] = "texts",
        [ALLOT_MEMBER_PLACES] = "places",     [ALLOT_MEMBER_AMOUNTS] = "amounts",
        [ALLOT_MEMBER_CLAIMS] = "claims",     [ALLOT_MEMBER_SLOTS] = "slots",
        [ALLOT_MEMBER_VALUES] = "attributes", [ALLOT_MEMBER_OBJECT] = "object",
        [ALLOT_MEMBER_THOUSANDTHS] = "number"};
    lua_createtable(L, 0, 8);
    lua_pushstring(L, member->name); /* "" is one, too */
    lua_setfield(L, -2, "name");
    FIELDS(L, "type unit doc rule required? nullable? digits? passed? key?", types[member->type],
           member->unit, member->doc, member->rule, member->flags & ALLOT_MEMBER_REQUIRED,
           member->flags & ALLOT_MEMBER_NULLABLE, member->flags & ALLOT_MEMBER_DIGITS,
           member->flags & ALLOT_MEMBER_PASSED, member->flags & ALLOT_MEMBER_KEY);
    if (member->type == ALLOT_MEMBER_WHOLE || member->type == ALLOT_MEMBER_TIME ||
        member->type == ALLOT_MEMBER_SLOTS)
        FIELDS(L, "least most unset", member->least, member->most, member->unset);
    if (member->word) {
        push_words(L, member);
        lua_setfield(L, -2, "words");
        FIELDS(L, "unset", member->unset);
    }
    if (member->member_count > 0) {
        push_members(L, member->members, member->member_count);
        lua_setfield(L, -2, "members");
    }
}

static void push_members(lua_State *L, const allot_member *members, int32_t count)
{
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        push_member(L, &members[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* allot.members(item): a list of {name = , type = , doc = , ...} */
int allot__module_members(lua_State *L)
{
    const char *names[ALLOT_ITEMS + 1] = {NULL};
    for (int i = 0; i < ALLOT_ITEMS; i++)
        names[i] = allot_members_of((allot_item)i)->name;
    const allot_members *of = allot_members_of((allot_item)luaL_checkoption(L, 1, NULL, names));
    push_members(L, of->items, of->count);
    return 1;
}

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
        FIELDS(L, "name doc", name, allot_rows_column_doc(rows, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}
