/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * library.c: the globals of a sandbox, built up from nothing.
 *
 * Scripts read globals through an empty table, so that every assignment is detected and refused.
 */
#include "script/sandbox/library.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include <allot/script.h>

#include "script/sandbox/sandbox.h"
#include "script/sandbox/require.h"

/* ---- Unknown names ------------------------------------------------------------------------- */

/* The most names that a message lists or searches; more than the library has. */
enum { NAMES_MAX = 64 };

/* Pushes a block with the table's names in order, and returns their number, or NAMES_MAX + 1 if
 * there are more. */
static size_t list_names(lua_State *L, int table)
{
    size_t count = 0;
    const char **names = lua_newuserdatauv(L, NAMES_MAX * sizeof *names, 0);
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        allot__sandbox_charge(L, 8);
        if (!name)
            continue;
        if (count == NAMES_MAX) {
            lua_pop(L, 2);
            return NAMES_MAX + 1;
        }
        size_t i = count++;
        for (; i > 0 && strcmp(name, names[i - 1]) < 0; i--)
            names[i] = names[i - 1];
        names[i] = name;
    }
    return count;
}

/* Pushes "; known are a, b" of the block of names on top. */
static void push_known(lua_State *L, size_t count)
{
    const char **names = lua_touserdata(L, -1);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (size_t i = 0; i < count && count <= NAMES_MAX; i++) {
        luaL_addstring(&buffer, i ? ", " : "; known are ");
        luaL_addstring(&buffer, names[i]);
    }
    luaL_pushresult(&buffer);
}

static bool is_column(const char *name, size_t len)
{
    for (int rows = 0; rows < ALLOT_HOSTS; rows++)
        if (allot_rows_column_find((allot_rows)rows, name, len) >= 0)
            return true;
    return false;
}

/* Pushes a message for a name that is a column, not a global; false: not a column. */
static bool push_column(lua_State *L, const char *what, int key)
{
    size_t len;
    const char *name = lua_tolstring(L, key, &len);
    if (strcmp(what, "name") != 0 || !is_column(name, len))
        return false;
    lua_pushfstring(L, "unknown name '%s', which is a column; did you mean \"%s\", quoted?", name,
                    name);
    return true;
}

typedef struct unknown {
    const char *name, *near; /* the nearest known global; NULL: none is near */
    int32_t line;
} unknown;

static int push_unknown(lua_State *L, const void *ud)
{
    const unknown *it = ud;
    lua_pushinteger(L, it->line);
    lua_pushstring(L, it->name);
    lua_pushstring(L, it->near);
    return 3;
}

/* The nearest name of all, locals included, that the running function may have meant. Reading the
 * text is the script's cost, which it pays later: the message about the name comes first. */
static const char *near_local(lua_State *L, const char *name, const char *near,
                              allot__text_answer *answer)
{
    allot__sandbox *box = allot__sandbox_of(L);
    lua_Debug caller;
    if (!box->text || !lua_getstack(L, 1, &caller) || !lua_getinfo(L, "l", &caller))
        return near;
    const unknown asked = {name, near, caller.currentline};
    allot__sandbox_burn(box, (int64_t)box->text_len);
    if (allot__sandbox_ask(box, "near", push_unknown, &asked, answer) != ALLOT_OK)
        return near;
    return answer->line > 0 ? answer->name : near;
}

int allot__library_unknown(lua_State *L, const char *place, const char *what, int table, int key)
{
    size_t len = 0;
    if (place)
        lua_pushstring(L, place);
    else
        luaL_where(L, 1);
    if (lua_type(L, key) != LUA_TSTRING) {
        lua_pushfstring(L, "unknown %s: a %s", what, luaL_typename(L, key));
    } else if (!push_column(L, what, key)) {
        const char *name = lua_tolstring(L, key, &len);
        size_t count = list_names(L, table);
        const char **names = lua_touserdata(L, -1);
        push_known(L, count);
        const char *near = count <= NAMES_MAX ? allot_nearest(name, len, names, count) : NULL;
        allot__text_answer answer;
        if (!place && strcmp(what, "name") == 0)
            near = near_local(L, name, near, &answer);
        lua_pushfstring(L, near ? "unknown %s '%s'%s; did you mean '%s'?" : "unknown %s '%s'%s",
                        what, name, lua_tostring(L, -1), near);
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    lua_concat(L, 2);
    return lua_error(L);
}

/* __index of a strict table: upvalue 1 is what its names are called. */
static int strict_index(lua_State *L)
{
    lua_settop(L, 2);
    return allot__library_unknown(L, NULL, lua_tostring(L, lua_upvalueindex(1)), 1, 2);
}

void allot__library_strict(lua_State *L, const char *what)
{
    lua_createtable(L, 0, 1);
    lua_pushstring(L, what);
    lua_pushcclosure(L, strict_index, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

static int refuse_global(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "globals cannot be set");
    return luaL_error(L, "assignment to global '%s'; did you mean 'local %s'?", lua_tostring(L, 2),
                      lua_tostring(L, 2));
}

/* ---- require ------------------------------------------------------------------------------- */

/* A module that a sandbox can require; the rest of lua/ is not for scripts. */
static const allot__embedded *find_module(const char *name)
{
    static const char language[] = "allot.language";
    if (strcmp(name, "allot") == 0)
        return allot__embedded_find(language);
    return strncmp(name, language, sizeof language - 1) == 0 ? allot__embedded_find(name) : NULL;
}

static int require(lua_State *L)
{
    return allot__embedded_require(L, find_module, 0,
                                   "no module '%s' here; a policy can require \"allot\" alone");
}

int allot__library_ready(lua_State *L)
{
    lua_newtable(L);
    for (int32_t i = 0; i < allot_ready_policies(); i++) {
        lua_pushstring(L, allot_ready_policy_name(i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* The policy that a ready-made file returns, or nil; without a name the list of names. */
static int ready(lua_State *L)
{
    size_t len;
    if (lua_isnoneornil(L, 1))
        return allot__library_ready(L);
    const char *name = luaL_checkstring(L, 1);
    const char *text = allot_ready_policy_text(name, &len);
    if (!text)
        return 0;
    lua_pushfstring(L, "=%s", name);
    if (luaL_loadbufferx(L, text, len, lua_tostring(L, -1), "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    return 1;
}

static void push_require(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, allot__library_placed);
    lua_setfield(L, -2, "allot.language.placed");
    lua_pushcfunction(L, ready);
    lua_setfield(L, -2, "allot.language.ready");
    lua_pushcclosure(L, require, 1);
}

/* ---- Words that are blamed where they are used --------------------------------------------- */

/* A key of the table that word `policy` takes on a line. */
typedef struct sought {
    int32_t line;
    lua_State *from; /* where the path lies, on top */
} sought;

static int push_sought(lua_State *L, const void *ud)
{
    enum { DEEPEST = 4 };
    const sought *it = ud;
    int n = 0;
    lua_pushinteger(L, it->line);
    lua_pushliteral(L, "policy");
    while (n < DEEPEST && lua_rawgeti(it->from, -1, n + 1) == LUA_TSTRING) {
        lua_pushstring(L, lua_tostring(it->from, -1));
        lua_pop(it->from, 1);
        n++;
    }
    if (n < DEEPEST)
        lua_pop(it->from, 1);
    return n + 2;
}

/* Pushes the place of a fault: the third result of `check`, at `where` (a place, or a path of keys
 * of the table that word `policy` takes), else the place of the call, at 1. */
static void push_fault_place(lua_State *L, int where)
{
    const allot__sandbox *box = allot__sandbox_of(L);
    const char *place = lua_tostring(L, 1), *text = place;
    int32_t col = 0, line = allot__fault_place(box->source, &text, &col);
    if (lua_type(L, where) == LUA_TTABLE && box->text && line > 0) {
        allot__text_answer found;
        const sought sought = {line, L};
        lua_pushvalue(L, where);
        allot__sandbox_ask(box, "key", push_sought, &sought, &found);
        if (found.line > 0)
            place = lua_pushfstring(L, "%s:%d:%d: ", box->source, (int)found.line, (int)found.col);
    } else if (lua_type(L, where) == LUA_TSTRING) {
        place = lua_tostring(L, where);
    }
    lua_pushstring(L, place ? place : "");
}

/* Raises all faults of the list at `list`, each { message, where }, a line each. */
static int raise_all(lua_State *L, int list)
{
    enum { MOST = ALLOT__STRING_MAX / 2 }; /* after this many bytes no more is added */
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_pushliteral(L, "");
    for (int i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE && lua_rawlen(L, -2) < MOST; i++) {
        int item = lua_gettop(L), text = item - 1;
        lua_rawgeti(L, item, 2);
        push_fault_place(L, item + 1);
        lua_pushvalue(L, text);
        lua_insert(L, -2);
        lua_rawgeti(L, item, 1);
        lua_pushstring(L, "\n");
        lua_concat(L, 4);
        lua_replace(L, text);
        lua_settop(L, text);
    }
    lua_pop(L, 1);
    return lua_error(L);
}

/* Upvalue 1: check(place, ...). A C function leaves its caller on the stack, also of a `return`. */
static int call_placed(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_where(L, 1);
    lua_insert(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_rotate(L, 2, 2);
    lua_call(L, n + 1, 3);
    if (!lua_isnil(L, -3)) {
        lua_settop(L, 2);
        return 1;
    }
    int where = lua_gettop(L);
    if (lua_type(L, where - 1) == LUA_TTABLE)
        return raise_all(L, where - 1);
    const char *message = lua_tostring(L, where - 1);
    push_fault_place(L, where);
    lua_pushstring(L, message ? message : "wrong use");
    lua_concat(L, 2);
    return lua_error(L);
}

int allot__library_placed(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushcclosure(L, call_placed, 1);
    return 1;
}

/* ---- Globals ------------------------------------------------------------------------------- */

/* No random numbers, and no functions whose last digit depends on the machine's library. */
static void push_math(lua_State *L)
{
    static const char *const names[] = {"abs", "ceil",       "floor",     "fmod",       "huge",
                                        "max", "maxinteger", "min",       "mininteger", "modf",
                                        "pi",  "sqrt",       "tointeger", "type",       "ult"};
    lua_pushcfunction(L, luaopen_math);
    lua_call(L, 0, 1);
    lua_newtable(L);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, -2, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_remove(L, -2);
}

/* Pushes the table of all globals. */
static void push_globals(lua_State *L)
{
    allot__library_base(L);
    push_require(L);
    lua_setfield(L, -2, "require");
    push_math(L);
    allot__library_strict(L, "function of math");
    lua_setfield(L, -2, "math");
    allot__library_table(L);
    allot__library_strict(L, "function of table");
    lua_setfield(L, -2, "table");
    allot__library_string(L);
    allot__library_strict(L, "function of string");
    lua_createtable(L, 0, 1); /* the metatable of strings: ("x"):rep(3) */
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "");
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setfield(L, -2, "string");
    allot__library_strict(L, "name");
}

static void add_language(lua_State *L, int globals)
{
    lua_getfield(L, globals, "require");
    lua_pushliteral(L, "allot");
    lua_call(L, 1, 1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, globals);
    }
    lua_pop(L, 1);
}

void allot__library_open(lua_State *L)
{
    push_globals(L);
    int globals = lua_gettop(L);
    lua_newtable(L);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, globals);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_global);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    add_language(L, globals);
    lua_pop(L, 1);
}
