/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* replay.h: shared by the files of replay, which runs books through a record again. */
#ifndef ALLOT_SERVICE_REPLAY_REPLAY_H
#define ALLOT_SERVICE_REPLAY_REPLAY_H

#include <allot/service.h>

#include "service/books/books.h"
#include "service/store/store.h"
#include "service/generation/generation.h"

/* An event held until the next cycle's plan is known: it may name things that the current plan
 * lacks. */
typedef struct allot__replay_waits {
    char *method, *params;
    size_t params_len;
    int64_t seq, at;
} allot__replay_waits;

typedef struct allot__replay {
    allot_engine *engine;
    const allot_replay_config *config;
    const allot_replay_visitor *visitor;
    allot_report *report;
    allot__store *store;
    char *file; /* policies' paths are relative to it */
    allot__generation *generation;
    allot__store_pair names;  /* of `generation`, in the record */
    allot__generation *other; /* the same plan with the other policy; NULL: none */
    allot__books *books;
    allot__event_reader *reader;
    allot__replay_waits *held;
    size_t held_count, held_capacity;
    allot__error fault;
    int64_t told, plan_told; /* cycles reported; of this plan */
    int64_t unrounded;       /* the last cycle whose graces were not rounded up */
    bool refused;            /* the books refused a recorded event */
    bool left_out;           /* an event that no state can have was skipped, as at recording */
    bool over;               /* a regular end: a cycle differed, or `to` is passed */
} allot__replay;

/* Computes a cycle, and reports it if it is wanted. Nonzero ends the reading. */
int allot__replay_cycle(allot__replay *replay, const allot__cycle_row *row);

/* Reports the end of the plan, if any of its cycles was reported. */
void allot__replay_over(allot__replay *replay);
/* Loads the plan of that sha256 with the policies that decided in a cycle, and moves the books to
 * it; policies that the store lacks come from disk. ENOENT: the store has no such plan. */
int allot__replay_turn(allot__replay *replay, const char *plan, int64_t cycle);
/* Enters an event, or holds it for the next cycle's plan. */
int allot__replay_event(allot__replay *replay, const allot__event_row *row);
/* Enters the held events; drops them. EINVALID with `refused` (report): the books refuse one. */
int allot__replay_release(allot__replay *replay);
void allot__replay_forget(allot__replay *replay);

#endif
