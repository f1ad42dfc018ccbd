/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * table_read.c: core.decode: JSON text as a Lua value.
 *
 * Open values are on Lua's stack: a list, or an object with the key of its next value.
 */
#include <string.h>

#include "script/module/module.h"

/* The reader and report of a text; __gc frees both, whatever Lua does. */
typedef struct reader {
    allot_json *json;
    allot_report *report;
} reader;

static void close_reader(reader *it)
{
    allot_json_close(it->json);
    allot_report_free(it->report);
    *it = (reader){NULL, NULL};
}

static int collect(lua_State *L)
{
    close_reader(lua_touserdata(L, 1));
    return 0;
}

static reader *push_reader(lua_State *L, allot_engine *engine)
{
    reader *it = lua_newuserdatauv(L, sizeof *it, 0);
    *it = (reader){NULL, NULL};
    if (luaL_newmetatable(L, "allot.reader")) {
        lua_pushcfunction(L, collect);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    if (allot_report_new(engine, &it->report) != ALLOT_OK)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    return it;
}

void allot__table_list(lua_State *L)
{
    luaL_newmetatable(L, ALLOT__LIST_TYPE);
    lua_setmetatable(L, -2);
}

/* Puts the value on top into the open value around it; the outermost value stays. */
static void put(lua_State *L, const allot_json_event *event)
{
    if (event->depth == 0)
        return;
    if (event->member)
        lua_rawset(L, -3);
    else
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* Pushes the event's key; false: the object on top has it already. */
static bool push_key(lua_State *L, const allot_json_event *event)
{
    lua_pushlstring(L, event->text, event->len);
    lua_pushvalue(L, -1);
    bool fresh = lua_rawget(L, -3) == LUA_TNIL;
    lua_pop(L, 1);
    return fresh;
}

static void push_value(lua_State *L, const allot_json_event *event)
{
    switch (event->kind) {
    case ALLOT_JSON_WHOLE:
        lua_pushinteger(L, event->whole);
        break;
    case ALLOT_JSON_NUMBER:
        lua_pushnumber(L, event->number);
        break;
    case ALLOT_JSON_TEXT:
        lua_pushlstring(L, event->text, event->len);
        break;
    case ALLOT_JSON_NULL:
        lua_pushlightuserdata(L, NULL);
        break;
    default:
        lua_pushboolean(L, event->kind == ALLOT_JSON_TRUE);
        break;
    }
}

/* Takes one event; false: a fault (reported). */
static bool take(lua_State *L, reader *it, const allot_json_event *event)
{
    luaL_checkstack(L, 6, "lists and objects nest too deep");
    switch (event->kind) {
    case ALLOT_JSON_OBJECT:
    case ALLOT_JSON_LIST:
        lua_newtable(L);
        if (event->kind == ALLOT_JSON_LIST)
            allot__table_list(L);
        return true;
    case ALLOT_JSON_KEY:
        if (push_key(L, event))
            return true;
        lua_pushfstring(L, "found the key \"%s\" again, allowed once in an object", event->text);
        allot_json_fault(it->json, "E-duplicate-key", NULL, lua_tostring(L, -1));
        return false;
    case ALLOT_JSON_OBJECT_END:
    case ALLOT_JSON_LIST_END:
        put(L, event);
        return true;
    default:
        push_value(L, event);
        put(L, event);
        return true;
    }
}

/* core.decode(text [, {file = , relaxed = }]) */
int allot__module_decode(lua_State *L)
{
    allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    size_t len;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *text = lua_tolstring(L, 1, &len);
    lua_settop(L, 2);
    allot__module_options(L, 2, (const char *const[]){"file", "relaxed", NULL});
    const char *file = allot__module_option(L, 2, "file", "json");
    bool relaxed = lua_istable(L, 2) && (lua_getfield(L, 2, "relaxed"), lua_toboolean(L, -1));
    reader *it = push_reader(L, module->engine);
    allot_json_event event;
    int status =
        allot_json_open(module->engine, text, len, file, 1, relaxed, it->report, &it->json);
    while (status == ALLOT_OK && allot_json_next(it->json, &event))
        status = take(L, it, &event) ? ALLOT_OK : ALLOT_EINVALID;
    if (status != ALLOT_OK)
        return allot__module_return_failure(L, it->report, status);
    close_reader(it); /* a collector that lacks memory may drop it */
    return 1;
}
