/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sandbox.c: a sandbox, and its memory cap.
 *
 * This file owns: the state and its allocator.
 */
#include "script/sandbox/sandbox.h"

#include <stdio.h>
#include <string.h>

#include "script/sandbox/library.h"

/* Bytes allocated for the price of an instruction. */
enum { BYTES_PER_FUEL = 32 };
/* The most lines passed on of one load or one batch of rows. */
enum { SAID_MAX = 100 };

void allot__sandbox_disarm(allot__sandbox *box)
{
    box->armed = false;
    lua_sethook(box->L, NULL, 0, 0);
    allot__sandbox_hush(box);
}

/* The line of the script that is being run. Allocates nothing. */
static int32_t find_line(const allot__sandbox *box)
{
    lua_Debug ar;
    for (int level = 0; lua_getstack(box->L, level, &ar); level++)
        if (lua_getinfo(box->L, "Sl", &ar) && ar.currentline > 0 &&
            strcmp(ar.short_src, box->source) == 0)
            return ar.currentline;
    return 0;
}

/* Lua answers a refusal with a full collection, so a refusal is charged for one. */
static void *deny(allot__sandbox *box, allot__denial why)
{
    box->denial = why;
    int32_t line = box->armed ? find_line(box) : 0;
    if (line > 0)
        box->line = line; /* a refusal while the error is raised has none */
    allot__sandbox_burn(box, box->used / BYTES_PER_FUEL + ALLOT__FUEL_INTERVAL);
    return NULL;
}

/* A new object comes with its type in place of an old size. */
static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    allot__sandbox *box = ud;
    size_t type = ptr ? 0 : old_size;
    old_size = ptr ? old_size : 0;
    if (new_size > old_size) {
        if (type == LUA_TSTRING && new_size > box->string_max + 64)
            return deny(box, ALLOT__DENIED_STRING);
        if (new_size - old_size > (size_t)(box->cap - box->used))
            return deny(box, ALLOT__DENIED_MEMORY);
        allot__sandbox_burn(box, (int64_t)(new_size / BYTES_PER_FUEL));
    }
    void *block = allot_engine_alloc(box->engine, ptr, old_size, new_size);
    if (new_size > 0 && !block)
        return deny(box, ALLOT__DENIED_ENGINE);
    box->used += (int64_t)new_size - (int64_t)old_size;
    if (box->used > box->peak)
        box->peak = box->used;
    return block;
}

/* Errors leave as strings, with the line of the script that is nearest to them. */
static int describe(lua_State *L)
{
    allot__sandbox *box = allot__sandbox_of(L);
    box->line = find_line(box);
    if (lua_type(L, 1) == LUA_TTABLE) {
        if (box->keeps_errors) {
            lua_pushvalue(L, 1);
            lua_rawsetp(L, LUA_REGISTRYINDEX, &box->keeps_errors);
        }
        lua_pushliteral(L, "message");
        lua_rawget(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            lua_pushliteral(L, "the script raised a table without a message");
        return 1;
    }
    if (lua_type(L, 1) != LUA_TSTRING)
        lua_pushliteral(L, "the script raised a value that is no string");
    return 1;
}

void allot__sandbox_error(allot__sandbox *box)
{
    lua_rawgetp(box->L, LUA_REGISTRYINDEX, &box->keeps_errors);
    lua_pushnil(box->L);
    lua_rawsetp(box->L, LUA_REGISTRYINDEX, &box->keeps_errors);
}

int allot__sandbox_run(allot__sandbox *box, lua_CFunction function, void *ud)
{
    lua_State *L = box->L;
    int base = lua_gettop(L);
    box->line = 0;
    lua_pushcfunction(L, describe);
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, ud);
    int status = lua_pcall(L, 1, 0, base + 1);
    lua_remove(L, base + 1);
    return status;
}

/* Lua makes this text, unprotected, after an error in an error handler. Once the text exists, Lua
 * finds it again without an allocation, which could fail. */
static void keep_last_words(lua_State *L)
{
    lua_pushliteral(L, "error in error handling");
    luaL_ref(L, LUA_REGISTRYINDEX);
}

static int set_up(lua_State *L)
{
    keep_last_words(L);
    allot__library_open(L);
    return 0;
}

int allot__sandbox_open(allot__sandbox *box, allot_engine *engine, int64_t cap)
{
    *box = (allot__sandbox){
        .engine = engine, .cap = cap, .string_max = ALLOT__STRING_MAX, .said_max = SAID_MAX};
    box->L = lua_newstate(allocate, box);
    if (!box->L)
        return box->denial == ALLOT__DENIED_MEMORY ? ALLOT_EBUDGET : ALLOT_ENOMEM;
    *(allot__sandbox **)lua_getextraspace(box->L) = box;
    int status = allot__sandbox_run(box, set_up, box);
    if (status == LUA_OK)
        return ALLOT_OK;
    allot__denial denial = box->denial;
    allot__sandbox_close(box);
    return denial == ALLOT__DENIED_MEMORY ? ALLOT_EBUDGET
           : status == LUA_ERRMEM         ? ALLOT_ENOMEM
                                          : ALLOT_EINTERNAL;
}

void allot__sandbox_close(allot__sandbox *box)
{
    if (box->L) {
        box->armed = false;
        lua_close(box->L);
    }
    box->L = NULL;
}

void allot__sandbox_name(lua_State *L, allot__sandbox *box, const char *chunk)
{
    lua_Debug ar;
    if (luaL_loadbufferx(L, "", 0, chunk, "t") != LUA_OK)
        lua_error(L);
    lua_getinfo(L, ">S", &ar);
    snprintf(box->source, sizeof box->source, "%s", ar.short_src);
}

void allot__sandbox_sweep(allot__sandbox *box)
{
    if (box->used < box->swept + box->swept / 2 + (int64_t)16 * ALLOT__STRING_MAX)
        return;
    lua_gc(box->L, LUA_GCCOLLECT);
    box->swept = box->used;
}
