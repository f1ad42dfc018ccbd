/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* chunk.c: pieces as functions, and their globals. */
#include <string.h>

#include "script/sandbox/library.h"
#include "script/repl/repl.h"

/* ---- Compiling ------------------------------------------------------------------------------- */

/* The text in up to three parts: empty lines before it, so that Lua counts right; "return "; it. */
typedef struct source {
    const allot__piece *piece;
    int32_t lines;
    int part;
} source;

static const char *next_part(lua_State *L, void *ud, size_t *len)
{
    static const char lines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
    source *it = ud;
    (void)L;
    if (it->lines > 0) {
        *len = it->lines < (int32_t)sizeof lines - 1 ? (size_t)it->lines : sizeof lines - 1;
        it->lines -= (int32_t)*len;
        return lines;
    }
    if (it->part == 0 && it->piece->expression) {
        it->part = 1;
        *len = 7;
        return "return ";
    }
    *len = it->part < 2 ? it->piece->len : 0;
    it->part = 2;
    return it->piece->text;
}

int allot__repl_compile(lua_State *L, allot_repl *session, const allot__piece *piece)
{
    source from = {piece, piece->line - 1, 0};
    int status = lua_load(L, next_part, &from, piece->name, "t");
    if (status == LUA_ERRMEM)
        return lua_error(L);
    if (status == LUA_OK) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, session->env);
        if (!lua_setupvalue(L, -2, 1))
            lua_pop(L, 1);
    }
    return status;
}

/* A message of a text that ends too soon. */
static bool ends_early(lua_State *L)
{
    static const char mark[] = "<eof>";
    size_t len;
    const char *message = lua_tolstring(L, -1, &len);
    return len >= sizeof mark - 1 && strcmp(message + len - (sizeof mark - 1), mark) == 0;
}

int allot__repl_load(lua_State *L, allot_repl *session, const allot__piece *piece, bool *incomplete)
{
    allot__piece as = *piece;
    as.expression = true;
    int status = allot__repl_compile(L, session, &as);
    if (status == LUA_OK)
        return status;
    *incomplete = ends_early(L);
    lua_pop(L, 1);
    as.expression = false;
    status = allot__repl_compile(L, session, &as);
    *incomplete = status != LUA_OK && (*incomplete || ends_early(L));
    return status;
}

/* ---- Globals --------------------------------------------------------------------------------- */

/* Pushes the table of the library's globals itself. */
static void push_library(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_getmetatable(L, -1);
    lua_getfield(L, -1, "__index");
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* Adds the names of the table at `index` to the block; how many it has then. */
static size_t add_names(lua_State *L, int index, const char **names, size_t count, size_t most)
{
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && count < most)
            names[count++] = lua_tostring(L, -2);
    return count;
}

/* __index of globals: upvalue 1 is the library. */
static int find_global(lua_State *L)
{
    enum { MOST = 512 };
    const char *names[MOST];
    size_t len;
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tolstring(L, 2, &len);
    if (strcmp(name, "help") == 0 || strcmp(name, "quit") == 0 || strcmp(name, "exit") == 0)
        return luaL_error(L, "there is no '%s' here; commands begin with a colon: :%s", name,
                          *name == 'e' ? "quit" : name);
    size_t count = add_names(L, 1, names, 0, MOST);
    count = add_names(L, lua_upvalueindex(1), names, count, MOST);
    const char *near = allot_nearest(name, len, names, count);
    return luaL_error(L,
                      near ? "there is no '%s' here; did you mean '%s'?" : "there is no '%s' here",
                      name, near);
}

void allot__repl_globals(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    push_library(L);
    lua_pushcclosure(L, find_global, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}
