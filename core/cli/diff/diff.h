/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.h: shared by the files of the verb `diff`: its two sides, its states, and their sums. */
#ifndef ALLOT_CLI_DIFF_DIFF_H
#define ALLOT_CLI_DIFF_DIFF_H

#include "cli/term/client.h"

/* ---- Sides (diff_side.c) --------------------------------------------------------------------- */

/* "PLAN", or "POLICY" in a plan; either with "@TIME". Beside a service the live plan is "". */
typedef struct allot__diff_side {
    const char *word;    /* as on the command line */
    allot__text what;    /* ... without the time */
    const char *at;      /* NULL: the state's own time */
    const char *plan;    /* the file; of the live plan its name in the service */
    const char *policy;  /* the policy that replaces the plan's own, or NULL */
    allot__remote *live; /* the service's plan and state; NULL: files only */
    bool is_live;        /* its plan is the live one */
    allot__documents docs;
} allot__diff_side;

/* Opens both plans; `live` NULL: from files. Close both with allot__diff_side_close, also after a
 * failure. */
int allot__sides_open(allot__cli *cli, allot__remote *live, allot__diff_side sides[2]);
void allot__diff_side_close(allot__cli *cli, allot__diff_side *side);
/* Decides about a state on both sides; allot__cli_forget ends that. */
int allot__sides_decide(allot__cli *cli, allot__diff_side sides[2], const allot__text *text,
                        const char *path);

/* ---- Sums over states (diff_sum.c) ----------------------------------------------------------- */

/* An extreme difference, B less A, over all states, and the first state with it. */
typedef struct allot__extreme {
    int64_t value;
    size_t state; /* the offset of its name */
} allot__extreme;

typedef struct allot__sum_row {
    int32_t side; /* the side of the numbers group and consumer */
    int32_t group, consumer;
    int32_t states;            /* the states in which its quota differs */
    int64_t before, after;     /* quotas, summed */
    allot__extreme gain, loss; /* 0: none */
} allot__sum_row;

typedef struct allot__diff_sums {
    allot_engine *engine;
    size_t states, differ;
    allot__text names;    /* of states, each with its NUL */
    int64_t total[2][5];  /* granted, held, reclaimed, tasks, lost; by side */
    int64_t added, saved; /* slots of reclaims that only one side orders */
    int64_t jobs[2][5];   /* orders by their kind */
    allot__sum_row *rows; /* by consumer and group; of both sides */
    size_t count, places;
    size_t *by_key; /* 1 + the row of a key; 0: none */
    bool failed;    /* out of memory */
} allot__diff_sums;

int allot__sums_new(allot__cli *cli, const allot__diff_side sides[2], allot__diff_sums *out);
void allot__sums_add(allot__diff_sums *sums, const allot_diff *diff, const char *state);
/* Sorts rows by the largest gain or loss in one state, largest first. */
void allot__sums_sort(allot__diff_sums *sums);
void allot__sums_free(allot__diff_sums *sums);

/* ---- The document ---------------------------------------------------------------------------- */

/* `people`: with names of rows, for lua/allot/text/diff.lua. */
void allot__diff_json(allot__text *out, const allot_diff *diff, const char *state, bool people);
void allot__diff_json_side(allot__text *out, const allot__diff_side *side);
void allot__diff_json_sums(allot__text *out, const allot__diff_sums *sums,
                           const allot__diff_side sides[2], bool people);

#endif
