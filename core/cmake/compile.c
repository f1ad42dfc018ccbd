/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * compile.c: a program of the build: compiles Lua files, which the library then need not parse each
 * time that it runs them.
 *
 *   compile FOLDER OUT FILE...
 *
 * FOLDER/allot/check/draw.lua becomes OUT/allot.check.draw.lua, FOLDER/allot/check/init.lua
 * OUT/allot.check.lua. Lines of the source stay known, for messages.
 */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

static int add_bytes(lua_State *L, const void *bytes, size_t len, void *file)
{
    (void)L;
    return fwrite(bytes, 1, len, file) != len;
}

/* Pushes the name by which `require` knows the file. */
static void push_module(lua_State *L, const char *folder, const char *path)
{
    const char *from = path + strlen(folder) + 1;
    lua_pushlstring(L, from, strlen(from) - strlen(".lua"));
    luaL_gsub(L, lua_tostring(L, -1), "/", ".");
    size_t len;
    const char *name = lua_tolstring(L, -1, &len);
    if (len > 5 && strcmp(name + len - 5, ".init") == 0)
        lua_pushlstring(L, name, len - 5);
}

static int compile(lua_State *L, const char *path, const char *name, const char *out)
{
    luaL_Buffer text;
    char piece[4096];
    FILE *file = fopen(path, "rb");
    luaL_buffinit(L, &text);
    for (size_t len; file && (len = fread(piece, 1, sizeof piece, file)) > 0;)
        luaL_addlstring(&text, piece, len);
    if (!file || fclose(file) != 0)
        return luaL_error(L, "%s cannot be read", path);
    luaL_pushresult(&text);
    size_t len;
    const char *source = lua_tolstring(L, -1, &len), *chunk = lua_pushfstring(L, "=%s", name);
    if (luaL_loadbufferx(L, source, len, chunk, "t") != LUA_OK)
        return lua_error(L);
    file = fopen(lua_pushfstring(L, "%s/%s.lua", out, name), "wb");
    lua_pushvalue(L, -2);
    if (!file || lua_dump(L, add_bytes, file, 0) != 0 || fclose(file) != 0)
        return luaL_error(L, "%s cannot be written", name);
    return 0;
}

static int compile_all(lua_State *L)
{
    char **args = lua_touserdata(L, 1);
    for (char **path = args + 3; *path; path++) {
        push_module(L, args[1], *path);
        compile(L, *path, lua_tostring(L, -1), args[2]);
        lua_settop(L, 1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    lua_State *L = argc > 3 ? luaL_newstate() : NULL;
    if (!L)
        return 2;
    lua_pushcfunction(L, compile_all);
    lua_pushlightuserdata(L, argv);
    int status = lua_pcall(L, 1, 0, 0);
    if (status != LUA_OK)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return status;
}
