/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * explain.c: explanations: the engine has the facts, lua/allot/explain/ the words.
 *
 * A state of Lua that has read the words stays with the engine for the next explanation, unless it
 * failed or has grown.
 */
#include <lauxlib.h>
#include <lua.h>

#include <allot/dispatch.h>
#include <allot/lease.h>

#include "base/memory.h"
#include "script/module/module.h"
#include "script/sandbox/require.h"

/* An explanation in the making, and who gets its sentences. */
typedef struct telling {
    allot__module module; /* for the reader of facts */
    allot__text facts;
    const char *kind;
    void (*line)(void *ud, const char *text);
    void *ud;
} telling;

static int tell(lua_State *L)
{
    const telling *it = lua_touserdata(L, lua_upvalueindex(1));
    it->line(it->ud, luaL_checkstring(L, 1));
    return 0;
}

/* Pushes the function that has the words; the first time it reads them. */
static void push_words(lua_State *L)
{
    const allot__embedded *words = allot__embedded_find("allot.explain");
    if (lua_getfield(L, LUA_REGISTRYINDEX, words->name) != LUA_TNIL)
        return;
    allot__own_libraries(L);
    lua_newtable(L);
    allot__own_require(L);
    allot__embedded_run(L, words->name, words->text, words->len, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, words->name);
}

static int run(lua_State *L)
{
    telling *it = lua_touserdata(L, 1);
    push_words(L);
    lua_pushstring(L, it->kind);
    lua_pushlightuserdata(L, &it->module);
    lua_pushcclosure(L, allot__module_decode, 1);
    lua_pushlstring(L, it->facts.bytes, it->facts.len);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1))
        return luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    lua_pushlightuserdata(L, it);
    lua_pushcclosure(L, tell, 1);
    lua_call(L, 3, 0);
    return 0;
}

static void end_teller(void *teller)
{
    lua_close(teller);
}

/* Runs an explanation. `line` may ask for another one, which then has a state of its own. */
static int run_kept(allot_engine *engine, telling *it)
{
    enum { KEPT_MOST = 1024 /* KiB */ };
    lua_State *L = engine->teller ? engine->teller : allot__own_state(engine);
    if (!L)
        return ALLOT_ENOMEM;
    engine->teller = NULL;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, it);
    int status = allot__own_status(L, lua_pcall(L, 1, 0, 0));
    if (status != ALLOT_OK || engine->teller || lua_gc(L, LUA_GCCOUNT) > KEPT_MOST) {
        lua_close(L);
        return status;
    }
    engine->teller = L;
    engine->teller_end = end_teller;
    return status;
}

static int explain(const allot_decision *decision, allot_subject subject, const char *id,
                   int32_t number, int32_t group, telling it)
{
    static const char *const kinds[] = {"consumer", "task", "job", "lease"};
    if (!decision || !it.line)
        return ALLOT_EUSAGE;
    it.kind = kinds[subject];
    it.module.engine = it.facts.engine = allot_plan_engine(allot_decision_plan(decision));
    int status =
        allot_explain_facts(decision, subject, id, number, group, allot__text_sink, &it.facts);
    if (status == ALLOT_OK)
        status = run_kept(it.module.engine, &it);
    else if (status == ALLOT_EIO)
        status = ALLOT_ENOMEM;
    allot__text_free(&it.facts);
    return status;
}

int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                  void (*line)(void *ud, const char *text), void *ud)
{
    return explain(decision, ALLOT_OF_CONSUMER, NULL, consumer, group,
                   (telling){.line = line, .ud = ud});
}

int allot_explain_task(const allot_decision *decision, const char *id,
                       void (*line)(void *ud, const char *text), void *ud)
{
    return explain(decision, ALLOT_OF_TASK, id, 0, 0, (telling){.line = line, .ud = ud});
}

int allot_explain_job(const allot_decision *decision, const char *id,
                      void (*line)(void *ud, const char *text), void *ud)
{
    return explain(decision, ALLOT_OF_JOB, id, 0, 0, (telling){.line = line, .ud = ud});
}

int allot_explain_lease(const allot_decision *decision, int32_t lease,
                        void (*line)(void *ud, const char *text), void *ud)
{
    return explain(decision, ALLOT_OF_LEASE, NULL, lease, 0, (telling){.line = line, .ud = ud});
}
