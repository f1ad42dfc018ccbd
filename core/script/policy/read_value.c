/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_value.c: fields of a policy's tables, and the messages about wrong ones. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"

int allot__read_fail(lua_State *L, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lua_pushstring(L, at ? at : "");
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

void allot__read_made(lua_State *L, allot__reading *reading, int status, const char *what,
                      const char *name)
{
    char message[400];
    if (status == ALLOT_OK)
        return;
    reading->lacks_memory = status == ALLOT_ENOMEM;
    snprintf(message, sizeof message, "%s \"%.128s\": %s", what, name ? name : "",
             allot_status_text(status));
    allot__read_fail(L, NULL, "%s", message);
}

int allot__read_push(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    return lua_rawget(L, -2);
}

const char *allot__read_string(lua_State *L, const char *key)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TSTRING && type != LUA_TNIL)
        allot__read_fail(L, NULL, "%s is a %s, not a string", key, luaL_typename(L, -1));
    const char *text = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

bool allot__read_boolean(lua_State *L, const char *at, const char *key, bool otherwise)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        allot__read_fail(L, at, "%s is true or false, not a %s", key, luaL_typename(L, -1));
    bool value = type == LUA_TNIL ? otherwise : lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

void allot__read_kind(lua_State *L, const char *kind, const char *what)
{
    const char *found = lua_type(L, -1) == LUA_TTABLE ? allot__read_string(L, "kind") : NULL;
    if (!found || strcmp(found, kind) != 0)
        allot__read_fail(L, NULL, "%s is no %s: make it with %s { ... }", what, kind, kind);
}

/* The length of the list on top, which `key` names. */
static int32_t length(lua_State *L, const char *key, int32_t most)
{
    int type = lua_type(L, -1);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "%s is a %s, not a list", key, luaL_typename(L, -1));
    lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    if (count > (lua_Unsigned)most)
        allot__read_fail(L, NULL, "at most %d %s are allowed", most, key);
    return (int32_t)count;
}

int32_t allot__read_list(lua_State *L, const char *key, int32_t most)
{
    allot__read_push(L, key);
    return length(L, key, most);
}

void allot__read_each(lua_State *L, allot__reading *reading, const char *key, int32_t most,
                      void (*item)(lua_State *L, allot__reading *reading, int32_t i))
{
    int list = lua_gettop(L);
    int32_t count = length(L, key, most);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, i + 1);
        item(L, reading, i);
        lua_settop(L, list);
    }
    lua_pop(L, 1);
}

/* ---- Declarations ---------------------------------------------------------------------------- */

static int32_t read_integer(lua_State *L, const char *key, int32_t fallback)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN && !lua_isinteger(L, -1))
        allot__read_fail(L, NULL, "%s is a %s, not a whole number", key, luaL_typename(L, -1));
    lua_Integer value = type == LUA_TNIL       ? fallback
                        : type == LUA_TBOOLEAN ? lua_toboolean(L, -1)
                                               : lua_tointeger(L, -1);
    if (value < -ALLOT_AMOUNT_MAX || value > ALLOT_NONE)
        allot__read_fail(L, NULL, "%s is out of range", key);
    lua_pop(L, 1);
    return (int32_t)value;
}

static allot_attribute_type type_of(const char *name)
{
    if (name && strcmp(name, "boolean") == 0)
        return ALLOT_BOOLEAN;
    return name && strcmp(name, "tag") == 0 ? ALLOT_TAG : ALLOT_INTEGER;
}

allot_attribute allot__read_declaration(lua_State *L)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        allot__read_fail(L, NULL, "a declaration is a table, not a %s", luaL_typename(L, -1));
    allot_attribute made = {.name = allot__read_string(L, "name"),
                            .doc = allot__read_string(L, "doc"),
                            .type = type_of(allot__read_string(L, "type")),
                            .min = read_integer(L, "min", 0),
                            .fallback = read_integer(L, "default", 0)};
    made.max = read_integer(L, "max", made.type == ALLOT_INTEGER ? ALLOT_AMOUNT_MAX : 1);
    allot__read_push(L, "limit");
    made.limit = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!made.name || strlen(made.name) > ALLOT_NAME_MAX)
        allot__read_fail(L, NULL, "a declaration needs a name");
    return made;
}
