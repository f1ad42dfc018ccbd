/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * candidate.h: the next generation of the plan, made and tried beside the one that decides.
 *
 * A candidate has memory of its own. It is made on the loop; allot__candidate_build and
 * allot__candidate_try do its work on another thread, between which the loop has it again.
 */
#ifndef ALLOT_SERVICE_GENERATION_CANDIDATE_H
#define ALLOT_SERVICE_GENERATION_CANDIDATE_H

#include "service/generation/plan_file.h"
#include "service/generation/plan_texts.h"
#include "service/generation/watch_path.h"
#include "service/generation/generation.h"

/* Random cases that a policy which changed must pass, as of `allot check`. */
#define ALLOT__CANDIDATE_CASES 32
/* Recorded cycles that are tried at most, and milliseconds after which no further one is begun. */
#define ALLOT__CANDIDATE_CYCLES 8
#define ALLOT__CANDIDATE_BUDGET 60
/* A cycle may take as long as the live one's, times this, and so many microseconds more. */
#define ALLOT__CANDIDATE_SLOWER 20
#define ALLOT__CANDIDATE_SLACK  50000

typedef enum allot__outcome {
    ALLOT__SAME = 0, /* the files are as they were when they were last tried */
    ALLOT__AS_LIVE,  /* or as those of what decides now */
    ALLOT__MADE,     /* there is a generation */
    ALLOT__REFUSED   /* `status` and the report say why */
} allot__outcome;

typedef struct allot__candidate {
    allot_engine *engine;
    allot_report *report;
    char *file, *instead; /* of the plan; the policy in place of its own, or NULL */
    allot_script_limits limits;
    int64_t cycle_limit;        /* ms, of the functions of a cycle; 0: none */
    int64_t (*clock)(void *ud); /* microseconds, by which cycles are tried; NULL: those that the */
    void *clock_ud;             /* thread works */
    char *text;                 /* the plan's, in place of what is in the file; NULL: the file's */
    size_t len;
    allot__plan_file old; /* ... and what was there before that was written */
    const allot__plan_texts
        *back;    /* made of those texts alone: they decided before; NULL: of files */
    bool forced;  /* made even of files that are the same */
    bool lasting; /* `instead` holds only as long as the plan's file is as trusted */
    /* What was tried last; and what decides now: policies that are in it pass without a check. They
     * outlive it; NULL: nothing. */
    const allot__sources *before, *trusted;
    allot__text list; /* so do those of that list (generation.h); empty: none is known */
    const allot__generation
        *live; /* the same, only to be read, as long as this lives; NULL: none */
    allot__outcome outcome;
    int status;
    allot__generation *generation; /* MADE */
    allot_plan_map *ids;           /* from the live one's plan to its own; NULL: none was live */
    allot__sources sources;
    allot__watch_paths paths;
    bool replaced;          /* REFUSED, and what decides is not what decided last */
    int32_t checked, tried; /* policies, and recorded cycles */
    int64_t build_us;       /* on the clock */
} allot__candidate;

/* `file` and `instead` are copied. ENOMEM. */
int allot__candidate_new(const char *file, const char *instead, const allot_script_limits *limits,
                         allot__candidate **out);
void allot__candidate_free(allot__candidate *candidate);
/* Has it made of that plan, which is copied, and not of what is in the file. ENOMEM. */
int allot__candidate_text(allot__candidate *candidate, const char *text, size_t len);

/* Looks at the files and, unless they are the same, makes a generation of them and checks policies
 * that changed. Blocks. */
void allot__candidate_build(allot__candidate *candidate);
/* A copy of a state under the generation's plan, sealed: to be freed before it. What was decided
 * about once may be gone from the plan with good reason: then *out is NULL; what is in the books
 * may not, `strict`: ENOENT, EINVALID (report). ENOMEM. */
int allot__candidate_copy(allot__candidate *candidate, const allot_state *from, bool strict,
                          allot_state **out);
/* Lets the generation decide about a state of its plan, sealed, that the live one decided about in
 * `live_us` microseconds (-1: not known). ESCRIPT, EBUDGET (report): it may not go on; ENOMEM. */
int allot__candidate_try(allot__candidate *candidate, const allot_state *state, int64_t live_us);
/* Refuses it for a status, of which the report tells already, or nothing. States of its plan are
 * freed before. */
void allot__candidate_refuse(allot__candidate *candidate, int status);

/* Tries a policy's text, as it was read, on random cases, as `allot check` does. EPOLICY (report):
 * it does not keep what it, or any policy, promises. ENOMEM. */
int allot__policy_check(allot_engine *engine, const allot__source *policy, int32_t cases,
                        allot_report *report);

#endif
