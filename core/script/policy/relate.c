/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * relate.c: which queues may preempt which, by a function of a script's relation, which is called
 * in the sandbox. The words of relations are tests of the engine's own.
 */
#include <stdio.h>

#include "base/report.h"
#include "script/sandbox/script.h"

/* The fuel for a pair of queues: 1 / PAIRS of that for 1000 rows, and at least FUEL_LEAST. */
enum { PAIRS = 1000, FUEL_LEAST = 1000 };

/* ---- The view of a queue --------------------------------------------------------------------- */

static const allot__view_field fields[] = {
    {"name", ALLOT__FIELD_TEXT, offsetof(allot_queue, name)},
    {"priority", ALLOT__FIELD_SMALL, offsetof(allot_queue, priority)},
    {"preemptive", ALLOT__FIELD_FLAG, offsetof(allot_queue, preemptive)},
    {"preemptable", ALLOT__FIELD_FLAG, offsetof(allot_queue, preemptable)},
    {"slot_pool", ALLOT__FIELD_TEXT, offsetof(allot_queue, slot_pool)},
    {"slot_share", ALLOT__FIELD_SMALL, offsetof(allot_queue, slot_share)}};
enum { FIELDS = sizeof fields / sizeof *fields };

static bool push_field(lua_State *L, const void *ud, int number, int field)
{
    const allot__relating *it = &((const allot__script *)ud)->relating;
    if (it->plan)
        allot__view_push(L, &fields[field], &it->queues[number]);
    return it->plan != NULL;
}

void allot__relate_views(lua_State *L, allot__script *script)
{
    static const allot__view view = {"a queue", "field of a queue", push_field};
    for (int which = 0; which < 2; which++)
        script->relating.views[which] =
            allot__view_make(L, &view, script, which, fields, sizeof *fields, FIELDS);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Asks the function of the test; its argument is the script. */
static int ask(lua_State *L)
{
    allot__script *script = lua_touserdata(L, 1);
    allot__relating *it = &script->relating;
    lua_rawgeti(L, LUA_REGISTRYINDEX, it->test->ref);
    lua_rawgeti(L, LUA_REGISTRYINDEX, it->views[0]);
    lua_rawgeti(L, LUA_REGISTRYINDEX, it->views[1]);
    lua_call(L, 2, 1);
    it->answer = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : -1;
    it->found = luaL_typename(L, -1);
    return 0;
}

static int64_t fuel_for(const allot__script *script)
{
    if (script->instructions < 0 || script->relating.test->loop_free)
        return -1;
    int64_t fuel = script->instructions / PAIRS;
    return fuel > FUEL_LEAST ? fuel : FUEL_LEAST;
}

static int tell(allot__script *script, int status, allot_report *report)
{
    const allot__relating *it = &script->relating;
    char about[2 * ALLOT_NAME_MAX + 32], message[128];
    snprintf(about, sizeof about, "queues %s and %s", it->queues[0].name, it->queues[1].name);
    allot_diagnostic finding = allot__error(NULL, NULL);
    finding.path = about;
    if (status)
        return allot__fault(script, status, ALLOT_ESCRIPT, "E-policy-run", &finding, report);
    snprintf(message, sizeof message, "the function of preempts returned a %s, not true or false",
             it->found);
    allot__fault_say(script, "E-policy-run", it->test->line, message, &finding, report);
    return ALLOT_ESCRIPT;
}

static int ask_function(allot__script *script, allot_report *report)
{
    allot__relating *it = &script->relating;
    lua_gc(script->box.L, LUA_GCSTOP);
    allot__sandbox_arm(&script->box, fuel_for(script));
    int status = allot__sandbox_run(&script->box, ask, script);
    allot__sandbox_disarm(&script->box);
    int result = status || it->answer < 0 ? tell(script, status, report) : ALLOT_OK;
    allot__sandbox_sweep(&script->box);
    return result;
}

const char *allot__relate_refusal(void *ud, int32_t function, int32_t refusal)
{
    const allot__relating *it = &((const allot__script *)ud)->relating;
    int32_t i = ALLOT_REFUSED_TEST - refusal;
    (void)function;
    return i >= 0 && i < it->count ? it->functions[i].name : NULL;
}

int allot__relate(void *ud, int32_t function, const allot_plan *plan, int32_t high, int32_t low,
                  int32_t *out, allot_report *report)
{
    allot__script *script = ud;
    allot__relating *it = &script->relating;
    if (function < 0 || function >= it->count ||
        allot_plan_queue_at(plan, high, &it->queues[0]) != ALLOT_OK ||
        allot_plan_queue_at(plan, low, &it->queues[1]) != ALLOT_OK)
        return ALLOT_EINTERNAL;
    it->plan = plan;
    it->answer = 1;
    it->test = &it->functions[function];
    int status = ask_function(script, report);
    it->plan = NULL;
    if (status == ALLOT_OK)
        *out = it->answer == 1 ? 1 : ALLOT_REFUSED_TEST - function;
    return status;
}
