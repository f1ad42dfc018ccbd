/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* judge.c: tests the properties that a policy declares. */
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"
#include "script/sandbox/script.h"

typedef struct asking {
    allot__script *script;
    const allot__property *property;
    lua_State *from;
    allot__verdict *out;
    const char *found; /* the type of a result that is not an answer */
    bool strange;      /* the case cannot be copied */
} asking;

static int ask(lua_State *L)
{
    asking *it = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, it->property->ref);
    it->strange = !allot__copy_across(it->from, L);
    if (it->strange)
        return 0;
    allot__sandbox_arm(&it->script->box, it->script->instructions);
    lua_call(L, 1, 2);
    it->out->holds = lua_toboolean(L, -2);
    if (!lua_isboolean(L, -2) && !lua_isnil(L, -2))
        it->found = luaL_typename(L, -2);
    else if (lua_type(L, -1) == LUA_TSTRING)
        snprintf(it->out->message, sizeof it->out->message, "%s", lua_tostring(L, -1));
    return 0;
}

static int tell(const asking *it, int status, allot_report *report)
{
    char message[128];
    if (status)
        return allot__fault(it->script, status, ALLOT_ESCRIPT, "E-policy-run", NULL, report);
    snprintf(message, sizeof message,
             "the property returned a %s; it returns true, or false and what is wrong", it->found);
    allot__fault_say(it->script, "E-policy-run", it->property->line, message, NULL, report);
    return ALLOT_ESCRIPT;
}

allot__script *allot__script_of(const allot_policy *policy)
{
    allot_provider mine;
    const allot_provider *provider = allot_policy_provides(policy);
    allot__script_provider(NULL, &mine);
    return provider && provider->compute == mine.compute ? provider->ud : NULL;
}

int allot__judge(allot__script *script, int32_t i, lua_State *from, allot__verdict *out,
                 allot_report *report)
{
    if (i < 0 || i >= script->property_count || script->properties[i].ref == LUA_NOREF)
        return ALLOT_ENOENT;
    *out = (allot__verdict){.holds = false};
    asking it = {.script = script, .property = &script->properties[i], .from = from, .out = out};
    int top = lua_gettop(from);
    lua_gc(script->box.L, LUA_GCSTOP);
    int status = allot__sandbox_run(&script->box, ask, &it);
    allot__sandbox_disarm(&script->box);
    lua_settop(from, top);
    int result = status || it.found ? tell(&it, status, report) : ALLOT_OK;
    allot__sandbox_sweep(&script->box);
    return it.strange && result == ALLOT_OK ? ALLOT_EUSAGE : result;
}
