/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * module.h: what the files of the Lua module "allot.core" share.
 *
 * Wrong use raises; a failed operation returns nil, a message and a list of diagnostics.
 *
 * Lua functions may leave a C function by a jump, whenever Lua is out of memory. So everything that
 * C owns hangs on a userdata before anything more is asked of Lua, and nothing of Lua is called
 * from the library's callbacks.
 */
#ifndef ALLOT_SCRIPT_MODULE_H
#define ALLOT_SCRIPT_MODULE_H

#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#include <allot/allot.h>
#include <allot/json.h>
#include <allot/script.h>

/* A loaded module: one for each Lua state that requires it. Upvalue 1 of its functions. */
typedef struct allot__module {
    allot_engine *engine;
    allot_policy_loader files; /* ready-made policies, and files beside the plan */
} allot__module;

typedef enum allot__kind { ALLOT__PLAN, ALLOT__STATE, ALLOT__DECISION, ALLOT__POLICY } allot__kind;

/* A plan, state or decision as a userdata. What it was made from outlives it: as a user value for
 * the collector, and by counted holds when it is closed early. */
typedef struct allot__box {
    allot__kind kind;
    void *it;             /* NULL: not made, or ended */
    allot_report *report; /* warnings of its making */
    struct allot__box *parent;
    int32_t holds; /* boxes made from this one */
    bool closed;
    allot_script_meter meter; /* of a plan: of its policies that were given as texts */
} allot__box;

/* Pushes an empty box with its report; it keeps the value at `parent` (0: none) alive. */
allot__box *allot__box_new(lua_State *L, allot__module *module, allot__kind kind, int parent);
/* The open box of that kind at `index`; raises for anything else. */
allot__box *allot__box_check(lua_State *L, int index, allot__kind kind);
/* The results of a function whose box, on top of the stack, was made or not: box and warnings, or
 * nil, message and diagnostics. */
int allot__box_return(lua_State *L, allot__box *box, int status, void *made, allot__box *parent);
/* nil, a message and an empty list. */
int allot__module_fail(lua_State *L, const char *message);

/* allot.plan, allot.state, allot.cycle, allot.columns */
int allot__module_plan(lua_State *L);
int allot__module_state(lua_State *L);
int allot__module_cycle(lua_State *L);
int allot__module_columns(lua_State *L);
/* plan:consumers, decision:json, decision:explain */
int allot__module_consumers(lua_State *L);
int allot__module_json(lua_State *L);
int allot__module_explain(lua_State *L);
/* allot.core's policy and ready; policy:declared, policy:judge; plan:use */
int allot__module_policy(lua_State *L);
int allot__module_ready(lua_State *L);
int allot__module_declared(lua_State *L);
int allot__module_judge(lua_State *L);
int allot__module_use(lua_State *L);

#endif
