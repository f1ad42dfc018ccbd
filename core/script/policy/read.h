/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.h: the table that a policy file returns, read into a policy.
 *
 * Values go into the policy at once, without pointers to Lua's strings: functions of the policy
 * called during reading may change the table. lua/allot checks a policy first, with good messages.
 * A table made by hand comes here unchecked, so everything is checked again, by raw access only.
 * All of this raises.
 */
#ifndef ALLOT_SCRIPT_POLICY_READ_H
#define ALLOT_SCRIPT_POLICY_READ_H

#include "script/sandbox/script.h"

/* The state of reading a policy. */
typedef struct allot__reading {
    allot__script *script;
    allot_policy *policy; /* the result */
    const allot_use_option *use;
    int32_t use_count;
    allot_report *report;
    int options;       /* their values by name, in Lua's registry */
    allot_rows rows;   /* the rows of the rule being read */
    bool dispatches;   /* it has none of the rules that divide slots among consumers */
    bool syntax_fault; /* the file is not Lua */
    bool option_fault; /* an option of the plan is wrong (reported) */
    bool lacks_memory; /* the core is out of memory */
} allot__reading;

/* An order of a rule, and a fill. */
typedef struct allot__rule_order {
    bool given;
    int32_t count;
    allot_key keys[ALLOT_KEYS_MAX];
} allot__rule_order;

typedef struct allot__rule_fill {
    const char *label; /* the table's; NULL: none */
    allot_source by, up_to;
    allot__rule_order order;
    bool level;
} allot__rule_fill;

/* ---- read_value.c: fields of tables. --------------------------------------------------------- */

/* Fails with a message, placed by `at` ("fair.lua:3: ", may be NULL). Does not return. */
int allot__read_fail(lua_State *L, const char *at, const char *format, ...);
/* Fails if the policy refused `what` of that name. */
void allot__read_made(lua_State *L, allot__reading *reading, int status, const char *what,
                      const char *name);
/* The string in field `key` of the table on top, which keeps it; NULL: nil. Fails for others. */
const char *allot__read_string(lua_State *L, const char *key);
/* Pushes field `key` of the table on top; its type. */
int allot__read_push(lua_State *L, const char *key);
/* Is field `key` true? Fails for other types; `otherwise`: the value for nil. */
bool allot__read_boolean(lua_State *L, const char *at, const char *key, bool otherwise);
/* Pushes the list in field `key`, and returns its length, at most `most`; nil is an empty one. */
int32_t allot__read_list(lua_State *L, const char *key, int32_t most);
/* Passes each item of the list on top (its key: `key`; at most `most` items) to `item`, on top and
 * with its place from 0. Pops the list; nil is an empty one. */
void allot__read_each(lua_State *L, allot__reading *reading, const char *key, int32_t most,
                      void (*item)(lua_State *L, allot__reading *reading, int32_t i));
/* The value on top must be a table that the word `kind` made; `what` is its name in messages. */
void allot__read_kind(lua_State *L, const char *kind, const char *what);
/* The declaration on top, which keeps the strings. */
allot_attribute allot__read_declaration(lua_State *L);

/* ---- options.c ------------------------------------------------------------------------------- */

/* Reads the options of the policy table on top, with the values that the plan states. False: the
 * report has faults, without a file and with the option's name as path. */
bool allot__read_options(lua_State *L, allot__reading *reading);
/* Pushes field `key`, or the result of a function of the options in that field; returns the type.
 */
int allot__read_ruled(lua_State *L, const allot__reading *reading, const char *key);

/* ---- read.c: protected by allot__sandbox_run with the reading as ud. ------------------------- */

/* Reads the policy table on top of the stack into the policy and the script's calls. */
int allot__read_policy(lua_State *L, allot__reading *reading);

/* ---- read_fill.c: how a policy divides slots. ------------------------------------------------ */

/* Reads quota, reclaim and so on of the policy table on top. */
void allot__read_division(lua_State *L, allot__reading *reading);
/* The fill on top, popped; consumers' columns up to `last`. */
void allot__read_fill(lua_State *L, allot__reading *reading, const char *what, int32_t last,
                      allot__rule_fill *out);

/* ---- read_tasks.c: rules for tasks, sessions and hosts. -------------------------------------- */

/* Reads the attributes of tasks of the policy table on top, tags of guards included. */
void allot__read_task_attributes(lua_State *L, allot__reading *reading);
/* Reads guards, victims, sessions and requirements. */
void allot__read_tasks(lua_State *L, allot__reading *reading);

/* ---- read_queues.c: rules for queues and leases. --------------------------------------------- */

/* Has the policy table on top rules for queues or leases? */
bool allot__read_dispatches(lua_State *L);
/* Reads these rules. */
void allot__read_queues(lua_State *L, allot__reading *reading);

/* ---- judge.c --------------------------------------------------------------------------------- */

/* Reads the properties of the policy table on top. */
void allot__read_properties(lua_State *L, allot__reading *reading);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* The columns of rows of that kind under the policy, and their names. */
int32_t allot__read_columns(const allot_policy *policy, allot_rows rows);
const char *allot__read_column_name(const allot_policy *policy, allot_rows rows, int32_t column);
/* The column of that name, or -1. */
int32_t allot__read_column(const allot_policy *policy, allot_rows rows, const char *name);
/* Is such a column true or false? */
bool allot__read_flag(const allot_policy *policy, allot_rows rows, int32_t column);

/* ---- source.c: amounts, keys and functions. -------------------------------------------------- */

/* The source on top of the stack (popped): a column, a number, a function. `last` is the last
 * built-in column that the stage knows. */
allot_source allot__read_source(lua_State *L, allot__reading *reading, const char *at,
                                const char *role, int32_t last);
/* The function on top of the stack (popped), by its role; `at` is the place of a fault. */
allot_source allot__read_function(lua_State *L, allot__reading *reading, const char *at,
                                  const char *role, int32_t last);
/* Fails if a column that depends on the preempting queue is a key of an order without one. */
void allot__read_impartial(lua_State *L, const allot__reading *reading, const char *who,
                           const allot__rule_order *order);
/* The order on top of the stack (popped); nil: not given. */
void allot__read_order(lua_State *L, allot__reading *reading, const char *at, int32_t last,
                       allot__rule_order *out);
/* The same, given to the policy by `set`; `key` names it. */
void allot__read_set_order(lua_State *L, allot__reading *reading, const char *key, int32_t last,
                           int (*set)(allot_policy *policy, const allot_key *keys, int32_t n));

/* ---- flags.c --------------------------------------------------------------------------------- */

/* Fails where a function of the script takes a boolean for a number. */
void allot__flags_check(lua_State *L, allot__reading *reading);
/* Fails if a column in place of such a function is a boolean, and `role` wants numbers: only
 * orders take booleans; false comes first. */
void allot__flags_source(lua_State *L, const allot__reading *reading, const char *at,
                         const char *role, int32_t column);

#endif
