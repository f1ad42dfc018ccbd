/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_test.c: the Lua module while Lua runs out of memory, and the life of its values.
 * What it decides is tested by the specs. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "test/support/check.h"
#include "test/support/oom.h"

int luaopen_allot_core(lua_State *L);

/* Lua tells the type of a new block where others tell no size, and may free nothing. */
static void *lua_alloc(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    if (!ptr && new_size == 0)
        return NULL;
    return oom_alloc(ud, ptr, ptr ? old_size : 0, new_size);
}

static int run(lua_State *L)
{
    /* A finalizer that finds no memory to be called with is lost, and so is what it would free:
     * Lua's way, and not what is tested here. */
    lua_gc(L, LUA_GCSTOP);
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    luaL_requiref(L, "allot", luaopen_allot_core, 1);
    lua_settop(L, 1);
    if (luaL_loadstring(L, lua_touserdata(L, 1)) != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

/* Runs a script in a state of its own; Lua's status. Prints errors that are not of memory. */
static int run_script(oom *memory, const char *script)
{
    lua_State *L = lua_newstate(lua_alloc, memory);
    if (!L)
        return LUA_ERRMEM;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, (void *)script);
    int status = lua_pcall(L, 1, 0, 0);
    if (status != LUA_OK && status != LUA_ERRMEM)
        printf("#   %s\n", lua_tostring(L, -1));
    memory->fail_at = 0; /* Lua needs memory to call finalizers */
    lua_close(L);
    return status;
}

#define PLAN                                                                                       \
    "local plan = assert(allot.plan([[{\"slots\": 30, \"consumers\": [{\"name\": \"A\", "          \
    "\"owned\": 15}, {\"name\": \"B\"}], \"policy\": \"site\"}]], { policies = { site = "          \
    "'return policy { name = [[site]], quota = { fill [[a]] { by = [[owned]] } } }' } }))\n"
#define STATE                                                                                      \
    "local state = assert(allot.state(plan, [[{\"now\": 0, \"consumers\": {\"/A\": "               \
    "{\"demand\": 9}}}]]))\n"

static const char *const everything = PLAN STATE
    "local decision = assert(allot.cycle(plan, state))\n"
    "assert(#decision:json() > 100)\n"
    "assert(#decision:explain('/A') > 1)\n"
    "assert(not decision:explain('/C'))\n"
    "assert(not decision:explain('/A', 'none'))\n"
    "assert(#plan:consumers() == 2)\n"
    "local policy = assert(allot.policy([[return policy { name = 'p', quota = { fill 'a' {} }, "
    "properties = { 'steady', property 'b' (function (case) return case.a[1] == 1, 'no' end) } "
    "}]], { file = 'p.lua', options = {} }))\n"
    "assert(policy:declared().properties[2].text == 'b')\n"
    "assert(policy:judge(2, { a = { 1 } }))\n"
    "assert(not policy:judge(2, { a = { 2 } }))\n"
    "assert(not policy:judge(1, {}))\n"
    "assert(not allot.policy('return 1'))\n"
    "assert(plan:use().memory > 0 and allot.ready('hybrid') and #allot.ready() > 3)\n"
    "assert(not allot.plan('{'))\n"
    "assert(not allot.state(plan, '{'))\n"
    "assert(not pcall(allot.plan, plan))\n"
    "local value = assert(allot.decode('{\"a\": [1, {\"b\": [\"x\"]}]}'))\n"
    "assert(allot.encode(value, { indent = 2 }))\n"
    "assert(not allot.decode('{\"a\": 1, \"a\": 2}'))\n"
    "assert(not allot.encode({ { allot.decode } }))\n"
    "local heard = 0\n"
    "local loud = assert(allot.plan([[{\"consumers\": [{\"name\": \"A\"}], "
    "\"policy\": \"loud\"}]], { log = function () heard = heard + 1 end, policies = { "
    "loud = 'log(1) log(2) return policy { name = [[loud]], quota = { fill [[a]] { by = 1 "
    "} } }' } }))\n"
    "assert(heard == 2)\n";

/* Nothing may be lost when Lua jumps out of a function: the sanitizers and valgrind see to that. */
static void lua_may_run_out_of_memory_anywhere(void)
{
    oom memory = {0};
    CHECK_EQ(run_script(&memory, everything), LUA_OK);
    CHECK(oom_clean(&memory));
    long calls = memory.calls;
    long failed = 0;
    for (long at = 1; at <= calls; at++) {
        memory = (oom){.fail_at = at, .fail_on = true};
        int status = run_script(&memory, everything);
        CHECK(status == LUA_ERRMEM || status == LUA_OK);
        CHECK(oom_clean(&memory));
        failed += status == LUA_ERRMEM;
    }
    CHECK(failed > calls - 20); /* Lua does without a few, such as tables made smaller */
}

static void succeeds(const char *script)
{
    oom memory = {0};
    CHECK_EQ(run_script(&memory, script), LUA_OK);
    CHECK(oom_clean(&memory));
}

static void what_is_closed_is_held_by_what_was_made_from_it(void)
{
    succeeds("local state\n"
             "do\n" PLAN "  local closed <close> = plan\n"
             "  state = allot.state(plan, '{\"now\": 5}')\n"
             "  local decision <close> = allot.cycle(plan, state)\n"
             "  kept = plan\n"
             "end\n"
             "local fine, message = pcall(allot.state, kept, '{}')\n"
             "assert(not fine and message:match('it is closed'), message)\n"
             "assert(not pcall(allot.cycle, kept, state))\n"
             "kept, state = nil, nil\n"
             "collectgarbage()\n");
}

static void parents_outlive_children(void)
{
    succeeds(PLAN STATE "local decision = allot.cycle(plan, state)\n"
                        "plan, state = nil, nil\n"
                        "collectgarbage()  collectgarbage()\n"
                        "assert(#decision:json() > 100)\n"
                        "for i = 1, 50 do\n" PLAN STATE "end\n"
                        "collectgarbage()  collectgarbage()\n"
                        "assert(#decision:json() > 100)\n");
}

static void wrong_use_raises(void)
{
    succeeds(PLAN STATE
             "local function wrong(f, ...) assert(not pcall(f, ...)) end\n"
             "wrong(allot.plan)  wrong(allot.plan, 5)  wrong(allot.plan, '{}', 5)\n"
             "wrong(allot.plan, '{}', { fil = 'x' })  wrong(allot.plan, '{}', { file = 5 })\n"
             "wrong(allot.plan, '{}', { policies = 5 })\n"
             "wrong(allot.plan, '{}', { policies = { 'x' } })\n"
             "wrong(allot.plan, '{}', { policies = { x = {} } })\n"
             "wrong(allot.state, state, '{}')  wrong(allot.cycle, state, plan)\n"
             "local other = allot.plan('{\"consumers\": [{\"name\": \"A\"}]}')\n"
             "wrong(allot.cycle, other, state)  wrong(plan.consumers, state)\n"
             "assert(getmetatable(plan) == false)\n");
}

int main(void)
{
    RUN(lua_may_run_out_of_memory_anywhere);
    RUN(what_is_closed_is_held_by_what_was_made_from_it);
    RUN(parents_outlive_children);
    RUN(wrong_use_raises);
    return check_done();
}
