/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* read_value.c: fields of a policy's tables, and the messages about wrong ones. */
#include <stdarg.h>
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/script.h"

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

int allot__read_push(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    return lua_rawget(L, -2);
}

/* In Lua's registry: the strings that were read, each by its address. By itself as a key it would
 * not do: one that is long is as good there as another of the same text, which alone is kept. */
static const char anchors = 0;

const char *allot__read_text(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &anchors) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &anchors);
    }
    const char *text = lua_tostring(L, -2);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, text);
    lua_pop(L, 1);
    return text;
}

void allot__read_forget(lua_State *L)
{
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &anchors);
}

const char *allot__read_string(lua_State *L, const char *key)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TSTRING && type != LUA_TNIL)
        return allot__read_fail(L, NULL, "%s is a %s, not a string", key, luaL_typename(L, -1)),
               NULL;
    const char *text = type == LUA_TSTRING ? allot__read_text(L) : NULL;
    lua_pop(L, 1);
    return text;
}

void allot__read_kind(lua_State *L, const char *kind, const char *what)
{
    const char *found = NULL;
    if (lua_type(L, -1) == LUA_TTABLE)
        found = allot__read_string(L, "kind");
    if (!found || strcmp(found, kind) != 0)
        allot__read_fail(L, NULL, "%s is no %s: make it with %s { ... }", what, kind, kind);
}

int32_t allot__read_list(lua_State *L, const char *key, int32_t most)
{
    int type = allot__read_push(L, key);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        allot__read_fail(L, NULL, "%s is a %s, not a list", key, luaL_typename(L, -1));
    lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    if (count > (lua_Unsigned)most)
        allot__read_fail(L, NULL, "at most %d %s are allowed", most, key);
    return (int32_t)count;
}

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
    const char *type = allot__read_string(L, "type");
    allot_attribute made = {.name = allot__read_string(L, "name"),
                            .doc = allot__read_string(L, "doc"),
                            .type = type_of(type),
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

/* Pushes a table that says true or false of each word. */
static void push_words(lua_State *L, const allot__parsed_option *option)
{
    lua_createtable(L, 0, option->value_count);
    for (int32_t i = 0; i < option->value_count; i++) {
        lua_pushboolean(L, (int)(option->value >> i & 1));
        lua_setfield(L, -2, option->values[i]);
    }
    allot__library_strict(L, "word");
}

/* Pushes the options by name, as a quota function gets them. */
static void push_options(lua_State *L, const allot__parsed *parsed)
{
    lua_newtable(L);
    for (int32_t i = 0; i < parsed->option_count; i++) {
        const allot__parsed_option *option = &parsed->options[i];
        lua_pushstring(L, option->name);
        if (option->words)
            push_words(L, option);
        else if (option->value_count > 0)
            lua_pushstring(L, option->values[option->value]);
        else if (option->type == ALLOT_BOOLEAN)
            lua_pushboolean(L, option->value != 0);
        else
            lua_pushinteger(L, option->value);
        lua_rawset(L, -3);
    }
    allot__library_strict(L, "option");
}

int allot__read_ruled(lua_State *L, const allot__parsed *parsed, const char *key)
{
    if (allot__read_push(L, key) == LUA_TFUNCTION) {
        push_options(L, parsed);
        lua_call(L, 1, 1);
        lua_pushstring(L, key); /* the function is called once, however often the field is read */
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    return lua_type(L, -1);
}
