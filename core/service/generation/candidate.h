/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * candidate.h: a candidate for the next generation, built and tried beside the live one.
 *
 * A candidate has memory of its own. The loop creates it; allot__candidate_build and
 * allot__candidate_try run on another thread; between those calls it belongs to the loop.
 */
#ifndef ALLOT_SERVICE_GENERATION_CANDIDATE_H
#define ALLOT_SERVICE_GENERATION_CANDIDATE_H

#include "service/generation/file.h"
#include "service/generation/source.h"
#include "service/generation/generation.h"
#include "service/generation/pair.h"
#include <stdbool.h>
#include <allot/allot.h>
#include "service/books/books.h"

/* Random cases of `allot check` that a changed policy must pass. */
#define ALLOT__CANDIDATE_CASES 32
/* Most recorded cycles to try, and milliseconds after which no further one is begun. */
#define ALLOT__CANDIDATE_CYCLES 8
#define ALLOT__CANDIDATE_BUDGET 60
/* A cycle may take SLOWER times as long as the live one's, plus SLACK microseconds. */
#define ALLOT__CANDIDATE_SLOWER 20
#define ALLOT__CANDIDATE_SLACK  50000

typedef enum allot__outcome {
    ALLOT__SAME = 0, /* the files are as when last tried */
    ALLOT__AS_LIVE,  /* or as those of the live generation */
    ALLOT__ASIDE,    /* or as those that a rollback set aside */
    ALLOT__MADE,     /* there is a generation */
    ALLOT__GUARDED,  /* ... which is not adopted unless it is confirmed */
    ALLOT__REFUSED   /* `status` and the report say why */
} allot__outcome;

typedef struct allot__candidate {
    allot_engine *engine;
    allot_report *report;
    char *file, *instead; /* of the plan; the policy in place of its own, or NULL */
    allot_script_limits limits;
    int64_t cycle_limit;        /* ms, for the functions of a cycle; 0: none */
    int64_t (*clock)(void *ud); /* microseconds, to time trial cycles; NULL: those that the */
    void *clock_ud;             /* thread works */
    char *text;                 /* the plan's, instead of the file's content; NULL: the file's */
    size_t len;
    allot__plan_file old; /* ... and the file's content before `text` was written */
    const allot__plan_texts
        *back; /* made only of these texts, which decided before; NULL: of files */
    /* A rollback: the version with that number, 0: the newest that differs from the live one, is
     * read from the store into `own`, which `back` then is; `files` are what it stands against. */
    const char *store; /* NULL: no rollback */
    int64_t version;
    allot__plan_texts *own;
    allot__sources files;
    /* Newcomers that come with this one, beside those of the live one and of `list`; it owns them.
     * `grows`: they are all that differs. */
    allot_report *newcomers;
    bool grows;
    bool dry;     /* only compared with the live one */
    bool forced;  /* built even if the files are the same */
    bool lasting; /* `instead` holds only while the plan's file is as in `trusted` */
    /* The sources tried last; the live ones, whose policies pass without a check. They outlive it;
     * NULL: none. */
    const allot__sources *before, *trusted;
    allot__text list; /* policies of this list pass, too (generation.h); empty: none */
    const allot__generation
        *live; /* the live one, read-only, for this candidate's life; NULL: none */
    allot__outcome outcome;
    int status;
    allot__generation *generation; /* MADE */
    allot_plan_map *ids;           /* from the live plan to this one; NULL: none was live */
    allot__sources sources;
    allot__watch_paths paths;
    bool replaced; /* REFUSED, and another generation decides than decided last */
    bool aside;    /* its sources are what a rollback set aside */
    /* Compared with the live one: */
    allot__pair_found found;
    allot__text document;   /* allot/diff/v1; empty: it was not */
    char name[13];          /* of what was made, by its texts */
    int64_t since;          /* GUARDED: since when */
    int32_t checked, tried; /* numbers of policies, recorded cycles */
    int64_t build_us;       /* wall time */
} allot__candidate;

/* `file` and `instead` are copied. ENOMEM. */
int allot__candidate_new(const char *file, const char *instead, const allot_script_limits *limits,
                         allot__candidate **out);
void allot__candidate_free(allot__candidate *candidate);
/* Sets the plan's text (copied), to be used instead of the file's. ENOMEM. */
int allot__candidate_text(allot__candidate *candidate, const char *text);

/* Reads the files and, unless they are the same, makes a generation and checks changed policies.
 * Blocks. */
void allot__candidate_build(allot__candidate *candidate);
/* Checks changed policies on random cases, as `allot check` does. EPOLICY (report): one breaks an
 * invariant or one of its own properties. ENOMEM. */
int allot__candidate_check(allot__candidate *candidate);
/* The same, if there are some, on a state sealed under the plan, as `allot check --socket` does:
 * some seconds at most. */
int allot__candidate_check_live(allot__candidate *candidate, const allot_state *state);
/* Compares its decision about a state, which is of the live plan, with that of the live
 * generation's twin. As allot__generation_make, allot__candidate_try: also where the live one
 * cannot decide. */
int allot__candidate_compare(allot__candidate *candidate, const allot_state *state);
/* Lets the generation decide about a copy of a state under its plan, for which the live one took
 * `live_us` microseconds (-1: not known). *out (NULL: not wanted) gets the sealed copy, to be freed
 * before the generation. A state that does not fit the plan gives *out NULL; with `strict` (the
 * books' state) that is an error: ENOENT, EINVALID (report). ESCRIPT, EBUDGET (report): the
 * candidate fails; ENOMEM. */
int allot__candidate_try(allot__candidate *candidate, const allot_state *from, bool strict,
                         int64_t live_us, allot_state **out);
/* Refuses it for a status, which the report may explain. Free states of its plan before. */
void allot__candidate_refuse(allot__candidate *candidate, int status);

/*
 * States of recent cycles, on which the next generation is tried.
 *
 * A state is copied from the books at most once a second, and so seldom that copying takes at most
 * a thousandth of the time; the oldest is dropped. All are of one plan, and are freed before it.
 * The first are the store's last cycles after its newest snapshot.
 */
typedef struct allot__sample_state {
    allot_state *state; /* sealed */
    int64_t cycle, took;
} allot__sample_state;

typedef struct allot__sample_states {
    allot__sample_state items[ALLOT__CANDIDATE_CYCLES]; /* newest first */
    int32_t count;
    uint64_t taken, next; /* when the last was taken; the earliest time of the next (uv_hrtime) */
} allot__sample_states;

/* Tries samples in their order, none after `until` (uv_hrtime); copies of those that passed go to
 * `passed`. As allot__candidate_try. */
int allot__candidate_try_samples(allot__candidate *candidate, const allot__sample_states *samples,
                                 uint64_t until, allot__sample_states *passed);
/* If one is due, keeps a copy of the state that a cycle decided about, which is still in the books,
 * and the microseconds it took (-1: not known). */
void allot__sample_states_add(allot__sample_states *samples, allot__books *books, int64_t cycle,
                              int64_t took);
/* Keeps a state even if none is due. */
void allot__sample_states_put(allot__sample_states *samples, allot_state *state, int64_t cycle,
                              int64_t took);
void allot__sample_states_clear(allot__sample_states *samples);

#endif
