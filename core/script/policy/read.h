/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.h: the table that a policy file returns, read into a policy.
 *
 * lua/allot/language/read.lua reads the table and calls the functions of read.c. All of this
 * raises.
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
    allot_rows rows;   /* the rows of the rule being read */
    bool dispatches;   /* it has none of the rules that divide slots among consumers */
    bool syntax_fault; /* the file is not Lua */
    bool option_fault; /* an option of the plan is wrong (reported) */
    bool lacks_memory; /* the core is out of memory */
} allot__reading;

/* An order of a rule. */
typedef struct allot__rule_order {
    int32_t count;
    allot_key keys[ALLOT_KEYS_MAX];
} allot__rule_order;

/* ---- read.c ---------------------------------------------------------------------------------- */

/* Pushes the reader of policies' tables; before a policy's own instructions are counted. */
void allot__read_begin(lua_State *L);
/* Reads the table on top, above the reader, into the policy and the script's calls. */
int allot__read_policy(lua_State *L, allot__reading *reading);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* The columns of rows of that kind under the policy, and their names. */
int32_t allot__read_columns(const allot_policy *policy, allot_rows rows);
const char *allot__read_column_name(const allot_policy *policy, allot_rows rows, int32_t column);
/* The column of that name, or -1. */
int32_t allot__read_column(const allot_policy *policy, allot_rows rows, const char *name);
/* Is the column use over time, which the plan does not count? */
bool allot__uncounted(const allot_plan *plan, int32_t column);
/* Raises the error that such a column, whose name is the second argument, needs one that does. */
int allot__refuse_uncounted(lua_State *L);
/* Is such a column true or false? */
bool allot__read_flag(const allot_policy *policy, allot_rows rows, int32_t column);

/* ---- source.c: amounts, keys and functions. -------------------------------------------------- */

/* Fails with a message, placed by `at` ("fair.lua:3: ", may be NULL). Does not return. */
int allot__read_fail(lua_State *L, const char *at, const char *format, ...);
/* Fails if the policy refused `what` of that name. */
void allot__read_made(lua_State *L, allot__reading *reading, int status, const char *what,
                      const char *name);

/* The kind of a value that a word of the language made ("part"); "": none did. */
const char *allot__read_word(lua_State *L, int index);
/* The source on top of the stack (popped): a column, a number, a function, the word `part`, `held`
 * or `percent`, or nothing: the need. `last` is the last built-in column that the stage knows. */
allot_source allot__read_source(lua_State *L, allot__reading *reading, const char *at,
                                const char *role, int32_t last);
/* The function on top of the stack (popped), by its role; `at` is the place of a fault. */
allot_source allot__read_function(lua_State *L, allot__reading *reading, const char *at,
                                  const char *role, int32_t last);
/* The order at `index`, whose place may stand at 2; nil: no keys. */
void allot__read_order(lua_State *L, allot__reading *reading, int index, int32_t last,
                       allot__rule_order *out);
/* Fails if a column that depends on the preempting queue is a key of an order of dispatch. */
void allot__read_impartial(lua_State *L, const allot__reading *reading,
                           const allot__rule_order *order);

/* Fails where a function of the script takes a boolean for a number. */
void allot__flags_check(lua_State *L, allot__reading *reading);

#endif
