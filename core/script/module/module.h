/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * module.h: shared by the files of the Lua module "allot.core".
 *
 * Wrong use raises; a failed operation returns nil, a message and a list of diagnostics.
 *
 * Lua functions may leave a C function by a jump, whenever Lua is out of memory. So everything that
 * C owns hangs on a userdata before anything more is asked of Lua, and nothing of Lua is called
 * from the library's callbacks.
 */
#ifndef ALLOT_SCRIPT_MODULE_MODULE_H
#define ALLOT_SCRIPT_MODULE_MODULE_H

#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#include <allot/allot.h>
#include <allot/json.h>
#include <allot/script.h>
#include <allot/report.h>

#include "base/text.h"

ALLOT_API int luaopen_allot_core(lua_State *L);

/* A loaded module: one for each Lua state that requires it. Upvalue 1 of its functions. */
typedef struct allot__module {
    allot_engine *engine;
    bool borrowed;             /* the engine is the state's, not the module's own */
    allot_policy_loader files; /* ready-made policies, and files beside the plan */
    allot_script_limits limits;
    allot__text *saying;  /* gets lines that policies print and log at present; NULL: lines are
                             dropped */
    int32_t said, unsaid; /* lines in it, and lines left out */
    struct allot__coverage *coverage; /* lines that ran; NULL: not counted */
} allot__module;

typedef enum allot__box_kind {
    ALLOT__PLAN,
    ALLOT__STATE,
    ALLOT__DECISION,
    ALLOT__POLICY
} allot__box_kind;

/* A plan, state or decision as a userdata. The object it was made from outlives it: by a user value
 * for the collector, and by counted holds when it is closed early. */
typedef struct allot__box {
    allot__box_kind kind;
    void *it;             /* NULL: not made, or ended */
    allot_report *report; /* warnings of its making */
    struct allot__box *parent;
    allot__text *said; /* of a plan with a log function: its policies' lines */
    int32_t holds;     /* boxes made from this one */
    bool closed;
    allot_script_meter meter; /* of a plan: of its policies that were given as texts */
} allot__box;

/* User values of the userdata: what it was made from; and of a plan the function for lines and the
 * lines, its text and its options. */
enum {
    ALLOT__PARENT = 1,
    ALLOT__PLAN_LOG,
    ALLOT__PLAN_LINES,
    ALLOT__PLAN_TEXT,
    ALLOT__PLAN_OPTIONS,
    ALLOT__USER_VALUES = ALLOT__PLAN_OPTIONS
};

/* Makes the metatable of a kind, with its methods; it keeps the userdata at `module` alive. */
void allot__box_type(lua_State *L, allot__box_kind kind, const luaL_Reg *methods, int module);
/* Pushes an empty box with its report; it keeps the value at `parent` (0: none) alive. */
allot__box *allot__box_new(lua_State *L, allot__module *module, allot__box_kind kind, int parent);
/* The open box of that kind at `index`; raises for anything else. */
allot__box *allot__box_check(lua_State *L, int index, allot__box_kind kind);
/* The results of a function with its box on top of the stack: box and warnings, or after a failure
 * nil, message and diagnostics. */
int allot__box_return(lua_State *L, allot__box *box, int status, void *made, allot__box *parent);
/* nil, a message and an empty list. */
int allot__module_fail(lua_State *L, const char *message);

/* nil, the message and the diagnostics of a report. */
int allot__module_return_failure(lua_State *L, const allot_report *report, int status);

/* Raises for options of the table at `index` that are not among `names` (ended by NULL). */
void allot__module_options(lua_State *L, int index, const char *const *names);
/* Pushes the option of that name, a text, or `fallback`. */
const char *allot__module_option(lua_State *L, int index, const char *key, const char *fallback);

/* Pushes a consumer's path. */
void allot__module_path(lua_State *L, const allot_plan *plan, int32_t consumer);
/* FIELDS(L, "slots path closed?", value, ...) sets fields of the table on top (base/text.h). */
void allot__set_facts(lua_State *L, const char *names, const allot__fact *facts);
#define FIELDS(L, names, ...) allot__set_facts(L, names, ALLOT__FACTS(__VA_ARGS__))

/* Pushes an empty text, a userdata, whose memory comes from the engine and ends with it. Raises. */
allot__text *allot__text_push(lua_State *L, allot_engine *engine);

/* Pushes a table of the diagnostic's fields, without empty ones. */
void allot__finding_push(lua_State *L, const allot_diagnostic *finding);
/* Pushes the list of a report's diagnostics. */
void allot__report_push(lua_State *L, const allot_report *report);
/* The diagnostic that the table at `table` describes, which keeps its strings. */
allot_diagnostic allot__finding_read(lua_State *L, int table);

/* ---- module_log.c: what policies print and log, for the function that a plan was made with --- */

/* Takes the option `log` of the table at `index` for the box on top. */
void allot__module_log(lua_State *L, int index, allot__box *plan);
/* Begins to collect what policies of that plan print and log; the second function passes the lines
 * to the plan's function, with the box of the plan, or of an object made from it, on top of the
 * stack. */
void allot__module_listen(allot__module *module, const allot__box *plan);
void allot__module_tell(lua_State *L, allot__module *module);
/* allot_script_limits' `say`; the module as ud. */
void allot__module_hear(void *ud, const char *chunk, int32_t line, const char *level,
                        const char *text);

/* ---- table_read.c, table_write.c ---- */

/* The name of the metatable that marks lists, also empty ones. */
#define ALLOT__LIST_TYPE "allot.list"
/* Marks the table on top. */
void allot__table_list(lua_State *L);
/* core.decode, core.encode, core.list */
int allot__module_decode(lua_State *L);
int allot__module_encode(lua_State *L);
int allot__module_list(lua_State *L);

/* ---- module_verbs.c, module_text.c ---- */

/* Sets the engine that the module uses instead of its own; before it is opened. */
void allot__module_engine(lua_State *L, allot_engine *engine);

/* allot.plan, allot.state, allot.cycle, allot.columns, allot.members, allot.time */
int allot__module_plan(lua_State *L);
int allot__module_state(lua_State *L);
int allot__module_cycle(lua_State *L);
int allot__module_columns(lua_State *L);
int allot__module_members(lua_State *L);
int allot__module_time(lua_State *L);
/* allot.diff, allot.coverage */
int allot__module_diff(lua_State *L);
int allot__module_coverage(lua_State *L);
/* Frees the counts of coverage. */
void allot__module_uncover(allot__module *module);
/* plan:consumers, state:json, decision:json, decision:explain, decision:apply */
int allot__module_consumers(lua_State *L);
int allot__module_state_json(lua_State *L);
int allot__module_json(lua_State *L);
int allot__module_explain(lua_State *L);
int allot__module_apply(lua_State *L);
/* allot.core's policy and ready; policy:declared, policy:judge; plan:use */
int allot__module_policy(lua_State *L);
int allot__module_ready(lua_State *L);
int allot__module_peer(lua_State *L);
int allot__module_declared(lua_State *L);
int allot__module_judge(lua_State *L);
int allot__module_use(lua_State *L);
/* Pushes allot.core.limits. */
void allot__module_limits(lua_State *L);

#endif
