/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * script.h: a loaded policy script: its sandbox, its functions, and what is wrong with it.
 *
 * A script becomes a policy in three steps. load.c runs the file; read.c turns the table that it
 * returns into a draft, trusting nothing in it; build.c makes the policy from the draft, without
 * Lua. From then on the policy owns the script, and compute.c answers for its functions.
 */
#ifndef ALLOT_SCRIPT_SCRIPT_H
#define ALLOT_SCRIPT_SCRIPT_H

#include "script/sandbox.h"

/* Fills, the keys of all orders, and both amounts of every fill may each be a function. */
enum {
    ALLOT__COLUMNS_MAX = ALLOT_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX,
    ALLOT__FUNCTIONS_MAX = ALLOT_FILLS_MAX * (2 + ALLOT_KEYS_MAX) + 2 * ALLOT_KEYS_MAX + 1
};

/* A function of a script, as the core will call it. */
typedef struct allot__call {
    int ref;          /* in Lua's registry */
    int32_t line;     /* where it begins */
    bool amount;      /* must be 0 ... ALLOT_AMOUNT_MAX */
    bool view;        /* takes one row view instead of columns */
    bool straight;    /* ends by itself: needs no budget */
    const char *role; /* "by", "up_to", "key"; static */
    int32_t count;
    uint8_t columns[ALLOT__COLUMNS_MAX];
} allot__call;

/* A batch while it is computed. */
typedef struct allot__batch_run {
    const allot__call *call;
    const allot_batch *batch; /* NULL: none is being computed */
    int64_t *out;
    int32_t row;
    const char *fault; /* what came back that is no answer: the format of a message; or NULL */
    char found[64];    /* ... and what it was */
} allot__batch_run;

typedef struct allot__script {
    allot__sandbox box;
    int64_t instructions; /* per load and per 1000 rows; below 0: no budget */
    char *chunk, *text;   /* owned */
    size_t text_len;
    int32_t call_count;
    allot__call calls[ALLOT__FUNCTIONS_MAX];
    int32_t names_count; /* columns that a row view knows */
    char names[ALLOT__COLUMNS_MAX][ALLOT_NAME_MAX + 1];
    int view; /* the row view, in Lua's registry */
    allot__batch_run run;
} allot__script;

/* A policy in plain C, before it is made. Strings are Lua's, and live as long as the table. */
typedef struct allot__draft_order {
    bool given;
    int32_t count;
    allot_key keys[ALLOT_KEYS_MAX];
} allot__draft_order;

typedef enum allot__draft_kind {
    ALLOT__DRAFT_FILL,
    ALLOT__DRAFT_POOL,
    ALLOT__DRAFT_LOAN
} allot__draft_kind;

/* Of a loan `by` is the lend limit and `up_to` the borrow limit. */
typedef struct allot__draft_fill {
    allot__draft_kind kind;
    char label[ALLOT_NAME_MAX + 1];
    allot_source by, up_to;
    allot__draft_order order;
} allot__draft_fill;

enum { ALLOT__VALUES_MAX = 16 };
typedef struct allot__draft_option {
    const char *name;
    allot_attribute_type type;
    int64_t min, max, value; /* of a string: its place among the values */
    int32_t value_count;     /* 0: it is no string */
    const char *values[ALLOT__VALUES_MAX];
} allot__draft_option;

typedef struct allot__draft {
    const char *name;
    int32_t attribute_count, option_count, fill_count;
    allot_attribute attributes[ALLOT_ATTRIBUTES_MAX];
    allot__draft_option options[ALLOT_ATTRIBUTES_MAX];
    allot__draft_fill fills[ALLOT_FILLS_MAX];
    bool scale;
    allot_rounding rounding;
    allot__draft_order distribute;
    bool reclaim_given;
    allot__draft_fill reclaim;
    bool switches[ALLOT_SWITCH_COUNT];
} allot__draft;

/* What the steps of reading work on. */
typedef struct allot__reading {
    allot__script *script;
    allot__draft *draft;
    const allot_use_option *use;
    int32_t use_count;
    allot_report *report;
    bool syntax_fault; /* the file is no Lua */
    bool option_fault; /* an option of the plan is wrong: the report says so */
} allot__reading;

/* ---- read.c: protected by allot__sandbox_run with the reading as ud; raise. ---- */

/* Reads the policy table on top of the stack into the draft and the script's calls. */
int allot__read_policy(lua_State *L, allot__reading *reading);

/* ---- source.c: amounts, keys and functions; raise. ---- */

/* Fails with a message, placed by `at` ("fair.lua:3: ", may be NULL). Does not return. */
int allot__read_fail(lua_State *L, const char *at, const char *format, ...);
/* The source on top of the stack (popped): a column, a number, a function. `last` is the last
 * built-in column that the stage knows. */
allot_source allot__read_source(lua_State *L, allot__reading *reading, const char *at,
                                const char *role, int32_t last);
/* The order on top of the stack (popped); nil: not given. */
void allot__read_order(lua_State *L, allot__reading *reading, const char *at, int32_t last,
                       allot__draft_order *out);
/* The string in field `key` of the table on top, borrowed from it; NULL: nil. Raises for others. */
const char *allot__read_string(lua_State *L, const char *key);

/* ---- straight.c ---- */

/* Does the function on top end by itself, having no loop and calling nothing? */
bool allot__script_straight(lua_State *L);

/* ---- option.c ---- */

/* Gives the draft's options the values that the plan states. False: the report says what is wrong
 * with them, without a file and with the option's name as path. */
bool allot__read_options(allot__reading *reading);

/* ---- build.c ---- */

/* Makes the policy; it owns the script when this returns ALLOT_OK. EPOLICY (report), ENOMEM. */
int allot__build_policy(allot__script *script, const allot__draft *draft, allot_report *report,
                        allot_policy **out);

/* ---- compute.c ---- */

/* Fills `provider` with the script's. */
void allot__script_provider(allot__script *script, allot_provider *provider);
/* Makes the row view, once the script's names are known. Raises. */
void allot__script_view(lua_State *L, allot__script *script);
/* Ends a script and its sandbox; NULL is fine. */
void allot__script_free(allot__script *script);

/* ---- fault.c ---- */

/* Tells the report of the error on top of the sandbox's stack (popped), which `status` is of, and
 * returns the status to give back: EBUDGET, ENOMEM, or `otherwise`. `code` names other errors;
 * `finding` may say more of what it is about (path, consumer, group); NULL: nothing. */
int allot__fault(allot__script *script, int status, int otherwise, const char *code,
                 const allot_diagnostic *finding, allot_report *report);
/* Tells the report a message about a line of the script. */
void allot__fault_say(const allot__script *script, const char *code, int32_t line,
                      const char *message, const allot_diagnostic *finding, allot_report *report);

#endif
