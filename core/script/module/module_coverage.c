/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * module_coverage.c: allot.coverage: which lines of policies ran, and how often.
 *
 * Lines run while the library works, when no Lua may be called: they are counted here, and become
 * a Lua table on request.
 */
#include <stddef.h>
#include <string.h>

#include "base/name.h"
#include "script/module/module.h"

/* A line of a file as part of a function, which begins at another (0: the file itself). */
typedef struct ran {
    uint32_t file; /* where its name begins */
    int32_t line, function;
    int64_t times;
} ran;

typedef struct allot__coverage {
    bool on, failed;     /* failed: out of memory, so some lines were not counted */
    allot__text names;   /* of files, each ended by a NUL */
    allot__vector lines; /* of ran */
    allot__index index;  /* of them */
} allot__coverage;

/* ---- Counting ------------------------------------------------------------------------------ */

/* The offset of a file's name, by a linear search: names are few. */
static bool name_of(allot__coverage *it, const char *file, uint32_t *out)
{
    size_t at = 0;
    while (at < it->names.len && strcmp(it->names.bytes + at, file) != 0)
        at += strlen(it->names.bytes + at) + 1;
    *out = (uint32_t)at;
    return at < it->names.len || allot__text_sink(&it->names, file, strlen(file) + 1) == 0;
}

/* The line's count, made if it is new; NULL: out of memory. */
static ran *count_of(allot__coverage *it, allot_engine *engine, const ran *key)
{
    uint32_t hash = allot__hash(0, (const char *)key, offsetof(ran, times)), probe = 0;
    ran *lines = it->lines.items;
    for (int32_t at; (at = allot__index_next(&it->index, hash, &probe)) >= 0;)
        if (memcmp(&lines[at], key, offsetof(ran, times)) == 0)
            return &lines[at];
    ran *made = allot__index_room(engine, &it->index) == 0
                    ? allot__push(engine, &it->lines, sizeof *made)
                    : NULL;
    if (!made)
        return NULL;
    *made = *key;
    allot__index_add(&it->index, hash, (int32_t)it->lines.count - 1);
    return made;
}

static void count_line(void *ud, const char *file, int32_t line, int32_t function)
{
    const allot__module *module = ud;
    allot__coverage *it = module->coverage;
    ran key = {.line = line, .function = function};
    if (!it || !it->on)
        return;
    ran *of = name_of(it, file, &key.file) ? count_of(it, module->engine, &key) : NULL;
    if (of)
        of->times++;
    else
        it->failed = true;
}

/* ---- Asking -------------------------------------------------------------------------------- */

void allot__module_uncover(allot__module *module)
{
    allot__coverage *it = module->coverage;
    if (!it)
        return;
    allot__vector_free(module->engine, &it->lines);
    allot__index_free(module->engine, &it->index);
    allot__text_free(&it->names);
    allot_engine_alloc(module->engine, it, sizeof *it, 0);
    module->coverage = NULL;
}

/* Begins to count, from 0, lines of policies that are loaded from now on. */
static bool begin(allot__module *module)
{
    allot_policy_loader files;
    allot__module_uncover(module);
    module->limits.ran = count_line;
    module->limits.ran_ud = module;
    if (allot_script_loader_new(module->engine, &module->limits, &files) != ALLOT_OK)
        return false;
    allot_script_loader_free(module->engine, &module->files);
    module->files = files;
    module->coverage = allot_engine_alloc(module->engine, NULL, 0, sizeof *module->coverage);
    if (!module->coverage)
        return false;
    *module->coverage = (allot__coverage){.on = true, .names = {.engine = module->engine}};
    return true;
}

static void push_place(lua_State *L, const ran *place)
{
    lua_createtable(L, 0, 3);
    FIELDS(L, "line from times", place->line, place->function, place->times);
}

/* Pushes {file = {{line =, from =, times =} ...}}. */
static void push_counts(lua_State *L, const allot__coverage *it)
{
    lua_newtable(L);
    for (size_t i = 0; it && i < it->lines.count; i++) {
        const ran *place = (const ran *)it->lines.items + i;
        if (lua_getfield(L, -1, it->names.bytes + place->file) == LUA_TNIL) {
            lua_pop(L, 1);
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_setfield(L, -3, it->names.bytes + place->file);
        }
        push_place(L, place);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        lua_pop(L, 1);
    }
}

/* allot.coverage(true): begins to count; (false): stops; (): the counts */
int allot__module_coverage(lua_State *L)
{
    allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    if (lua_isnoneornil(L, 1)) {
        if (module->coverage && module->coverage->failed)
            return allot__module_fail(L, allot_status_text(ALLOT_ENOMEM));
        push_counts(L, module->coverage);
        return 1;
    }
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    if (lua_toboolean(L, 1) && !begin(module))
        return allot__module_fail(L, allot_status_text(ALLOT_ENOMEM));
    if (!lua_toboolean(L, 1)) {
        if (module->coverage)
            module->coverage->on = false;
        module->limits.ran = NULL;
    }
    lua_pushboolean(L, 1);
    return 1;
}
