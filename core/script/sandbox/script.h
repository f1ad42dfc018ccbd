/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * script.h: a loaded policy script: its sandbox, its functions, and its faults.
 *
 * A script becomes a policy in two steps. policy/load.c runs the file; read.c makes a policy of the
 * returned table, which it does not trust. From then on the policy owns the script, and compute.c
 * calls its functions.
 */
#ifndef ALLOT_SCRIPT_SANDBOX_SCRIPT_H
#define ALLOT_SCRIPT_SANDBOX_SCRIPT_H

#include "script/sandbox/sandbox.h"
#include <stdbool.h>
#include <lauxlib.h>
#include <lua.h>

/* The most functions of a policy: fills, the keys of all orders, and both amounts of every fill may
 * each be one; so may keys of victims, guards, requirements, tests, and some members of sessions'
 * fills.
 */
enum {
    ALLOT__COLUMNS_MAX = ALLOT_TASK_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX, /* tasks have the most */
    ALLOT__FUNCTIONS_MAX = ALLOT_FILLS_MAX * (2 + ALLOT_KEYS_MAX) + 5 * ALLOT_KEYS_MAX + 2 +
                           ALLOT_GUARDS_MAX + ALLOT_REQUIREMENTS_MAX + 3 * ALLOT_FILLS_MAX +
                           2 * ALLOT_TESTS_MAX,
    ALLOT__PROPERTIES_MAX = 32,
    ALLOT__PARAMETERS_MAX = 32 /* of a requirement */
};

_Static_assert((int)ALLOT_COLUMN_COUNT <= (int)ALLOT_TASK_COLUMN_COUNT &&
                   (int)ALLOT_LEASE_COLUMN_COUNT <= (int)ALLOT_TASK_COLUMN_COUNT,
               "a call has room for the columns of all kinds of rows");
_Static_assert((int)ALLOT__COLUMNS_MAX <= 64, "a bit for every column of a call");

/* The kind of a function's result. */
typedef enum allot__result {
    ALLOT__RESULT_NUMBER,
    ALLOT__RESULT_AMOUNT, /* 0 ... ALLOT_AMOUNT_MAX */
    ALLOT__RESULT_FLAG,   /* true or false: 1 or 0 */
    ALLOT__RESULT_SIDE    /* "consumer", nothing or "provider": 1, 0 or -1 */
} allot__result;

/* A function of a script, as the core will call it. */
typedef struct allot__call {
    int ref;      /* in Lua's registry */
    int32_t line; /* where it begins */
    allot_rows rows;
    allot__result answer;
    bool view;           /* takes one row view instead of columns */
    bool pair;           /* takes views of two rows: it tests who may take from whom */
    int claimant;        /* its parameter that is the claimant's row, from 1; 0: none */
    bool loop_free;      /* ends by itself: needs no budget */
    const char *role;    /* "by", "up_to", "key", ...; static */
    int64_t round, took; /* of the time (script.h) that it is in: microseconds */
    int32_t count; /* columns; of hosts: parameters, by whose names their attributes are found */
    uint8_t columns[ALLOT__COLUMNS_MAX];
    uint64_t flags;                 /* bits by the place in columns: those are true or false */
    allot_script_function function; /* what it has taken in all */
} allot__call;

/* A function among the tests of a relation of queues. */
typedef struct allot__test {
    int ref;      /* in Lua's registry */
    int32_t line; /* where the function begins; 0: not in the script's file */
    bool loop_free;
    char name[LUA_IDSIZE + 32]; /* ... and where it is, for explanations */
} allot__test;

/* Which queues may preempt which: all tests must hold. */
typedef struct allot__relating {
    int32_t test_count, tests[ALLOT_TESTS_MAX]; /* as allot_policy_tests takes them */
    int32_t count;
    allot__test functions[ALLOT_TESTS_MAX]; /* of these tests */
    int views[2];                           /* of the two queues, in Lua's registry */
    /* While a test runs: */
    const allot__test *test;
    const allot_plan *plan; /* NULL: none does */
    int32_t numbers[2];
    allot_queue queues[2]; /* the preempting one first */
    int32_t answer;        /* -1: the result is neither true nor false, but: */
    const char *found;
} allot__relating;

/* A batch while it is computed. */
typedef struct allot__batch_run {
    const allot__call *call;
    const allot_batch *batch; /* NULL: none is being computed */
    int64_t *out;
    int32_t row;
    const char *fault; /* the message's format for a result that is not an answer; or NULL */
    char found[64];    /* ... and that result */
} allot__batch_run;

/* A property that the policy declares. */
typedef struct allot__property {
    int ref;      /* its function in Lua's registry; LUA_NOREF: the core's own, by its name */
    int32_t line; /* where the function begins */
} allot__property;

typedef struct allot__script {
    allot__sandbox box;
    int64_t instructions; /* per load and per 1000 rows; below 0: no budget */
    char *chunk, *text;   /* owned */
    size_t text_len;
    int32_t call_count;
    allot__call calls[ALLOT__FUNCTIONS_MAX];
    int views[ALLOT_HOSTS];        /* the row views by the kind of rows, in Lua's registry */
    int sides[2];                  /* views of a lease's provider and consumer, likewise */
    int pairs[ALLOT_TASKS + 1][2]; /* of two consumers or tasks, the taker first */
    int claimant;                  /* the view of the claimant, */
    uint64_t claimant_flags;       /* ... bits by column: those are true or false, */
    int32_t claimant_columns;      /* ... and how many columns it has */
    allot__relating relating;
    allot__batch_run run;
    int32_t property_count;
    allot__property properties[ALLOT__PROPERTIES_MAX];
    bool keeps_table; /* the file's result stays in the registry, under the script */
    allot_script_meter *meter;
    allot_script_time *time; /* NULL: no clock */
} allot__script;

/* ---- load.c ---------------------------------------------------------------------------------- */

/* A script with its sandbox, of a text that is copied. EBUDGET: too little memory for any; ENOMEM.
 */
int allot__script_new(allot_engine *engine, const char *text, size_t len, const char *chunk,
                      const allot_script_limits *limits, allot__script **out);
/* Runs the file, with fuel from now on, and leaves its result on top. Raises; then *syntax_fault is
 * true if the file is not Lua. */
void allot__script_file(lua_State *L, allot__script *script, bool *syntax_fault);

/* As allot_script_load; the table that the file returned is kept. */
int allot__script_load_kept(allot_engine *engine, const char *text, size_t len, const char *chunk,
                            const allot_use_option *options, int32_t count, allot_report *report,
                            allot_policy **out);

/* ---- loop_free.c ----------------------------------------------------------------------------- */

/* Is the function on top without loops and calls, so that it always ends? */
bool allot__script_loop_free(lua_State *L);

/* ---- view.c: raises. ------------------------------------------------------------------------- */

/* An object that can only be read, and only while a function runs. */
typedef struct allot__view {
    const char *name, *field; /* in messages: "a row", "column" */
    /* Pushes the field of that place of object `number`; false: no function runs. */
    bool (*push)(lua_State *L, const void *ud, int number, int field);
} allot__view;

/* A field that is a member of a struct. */
typedef struct allot__view_field {
    const char *name;
    enum {
        ALLOT__FIELD_TEXT,  /* const char *; NULL: nil */
        ALLOT__FIELD_SMALL, /* int32_t */
        ALLOT__FIELD_FLAG,  /* int32_t, true or false */
        ALLOT__FIELD_KNOWN, /* int64_t; below 0: nil */
        ALLOT__FIELD_LONG,  /* int64_t; INT64_MIN: nil */
        ALLOT__FIELD_NAME   /* allot_record_name */
    } type;
    size_t at;
} allot__view_field;

/* Pushes such a field of a thing. */
void allot__view_push(lua_State *L, const allot__view_field *field, const void *thing);
/* Pushes the numbers 0, 1, ... of fields by name; names are `size` bytes apart. */
void allot__view_fields(lua_State *L, const void *names, size_t size, int32_t count);
/* Makes such an object; its reference in Lua's registry. */
int allot__view_make(lua_State *L, const allot__view *view, void *ud, int number, const void *names,
                     size_t size, int32_t count);

/* ---- compute.c ------------------------------------------------------------------------------- */

/* Fills `provider` with the script's. */
void allot__script_provider(allot__script *script, allot_provider *provider);
/* Makes the row view of such rows, whose columns the policy has. Raises. */
void allot__script_view(lua_State *L, allot__script *script, const allot_policy *policy,
                        allot_rows rows);
/* Ends a script and its sandbox; NULL is fine. */
void allot__script_free(allot__script *script);

/* ---- judge.c --------------------------------------------------------------------------------- */

typedef struct allot__verdict {
    bool holds;
    char message[512]; /* the function's text if the property does not hold; "": none */
} allot__verdict;

/* The script of a policy; NULL: none. */
allot__script *allot__script_of(const allot_policy *policy);
/* Tests the policy's own property `i`, from 0, on a case: a copy of the table on top of `from`.
 * ESCRIPT, EBUDGET (report), ENOENT: no such property, or one of the core's. */
int allot__judge(allot__script *script, int32_t i, lua_State *from, allot__verdict *out,
                 allot_report *report);

/* ---- relate.c -------------------------------------------------------------------------------- */

/* Makes the views of the two queues of a relation. Raises. */
void allot__relate_views(lua_State *L, allot__script *script);
/* An allot_provider's relate, and its refusal. */
int allot__relate(void *ud, int32_t function, const allot_plan *plan, int32_t high, int32_t low,
                  int32_t *out, allot_report *report);
const char *allot__relate_refusal(void *ud, int32_t function, int32_t refusal);

/* ---- view.c ---------------------------------------------------------------------------------- */

/* Makes the views of two such rows: their columns, and who they are. Raises. */
void allot__pair_views(lua_State *L, allot__script *script, const allot_policy *policy,
                       allot_rows rows);
/* Makes the view of the claimant, a consumer. */
void allot__claimant_view(lua_State *L, allot__script *script, const allot_policy *policy);
/* Makes the views of provider and consumer of a lease. Raises. */
void allot__side_views(lua_State *L, allot__script *script);
/* The answer at `index`: -1, 0, 1; 2: not an answer. */
int32_t allot__side_answer(lua_State *L, int index);

/* ---- fault.c --------------------------------------------------------------------------------- */

/* Cuts "; did you mean ...?" off a message: what stands behind the semicolon, or NULL. */
const char *allot__fault_hint(char *message);
/* Adds the error on top of the sandbox's stack (popped) to the report; `status` is the error's.
 * Returns the status to return: EBUDGET, ENOMEM, or `otherwise`. `code` is the code of other
 * errors; `finding` may give path, consumer and group; NULL: none. */
int allot__fault(allot__script *script, int status, int otherwise, const char *code,
                 const allot_diagnostic *finding, allot_report *report);
/* Adds a message about a line of the script to the report. */
void allot__fault_say(const allot__script *script, const char *code, int32_t line,
                      const char *message, const allot_diagnostic *finding, allot_report *report);

/* Reports that the time was over before the script's function began. EBUDGET. */
int allot__time_over(allot__script *script, allot_report *report);

/* ---- time.c: what functions take of a cycle's time ------------------------------------------- */

/* Is a batch of `rows` rows worth a look at the clock? */
bool allot__time_counts(const allot__script *script, const allot__call *call, int32_t rows);
/* Notes that a call took `took` microseconds. */
void allot__time_note(const allot__script *script, allot__call *call, int64_t took);
/* Before and after a batch: its share of what the function takes in all. `began` is the result of
 * the first, below 0: this batch is not measured. */
int64_t allot__time_work(const allot__script *script, allot__call *call, int32_t rows);
void allot__time_worked(const allot__script *script, allot__call *call, int32_t rows,
                        int64_t began);
/* The script's functions leave the list of the time. */
void allot__time_leave(allot__script *script);
/* The message that the time is over. */
void allot__time_say(const allot_script_time *time, char *buf, size_t size);

/*
 * Pushes onto `to` a copy of what is on top of `from`: numbers, strings, booleans, and tables of
 * such, with raw access. In a table a function is { kind = "function" }, and other values are left
 * out. False: another value, or a table deeper than 64.
 *
 * Raises only in `to`. After an error or false both stacks have more values.
 */
bool allot__copy_across(lua_State *from, lua_State *to);

#endif
