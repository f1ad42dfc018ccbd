/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* replay.h: what the files of replay share: books that go through a record once more. */
#ifndef ALLOT_SERVICE_REPLAY_REPLAY_H
#define ALLOT_SERVICE_REPLAY_REPLAY_H

#include <allot/service.h>

#include "service/books/books.h"
#include "service/store/store.h"
#include "service/generation/generation.h"

/* Events that wait for the plan that the cycle behind them has: they may name what the one before
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
    char *file; /* what policies are relative to */
    allot__generation *generation;
    allot__store_pair names;  /* of it, as the record has them */
    allot__generation *other; /* the same plan with the other policy; NULL: none */
    allot__books *books;
    allot__event_reader *reader;
    allot__replay_waits *held;
    size_t held_count, held_capacity;
    allot__error fault;
    int64_t told, plan_told; /* cycles; of this plan */
    int64_t unrounded;       /* the last cycle whose graces were not rounded up */
    bool refused;            /* an event that is in the record */
    bool left_out;           /* one that no state can have, as when the record was read */
    bool over;               /* as it should be: one differed, or `to` is behind */
} allot__replay;

/* Computes a cycle, and tells it if it is wanted. Nonzero ends the reading. */
int allot__replay_cycle(allot__replay *replay, const allot__cycle_row *row);

/* Tells that the plan is over, if any of its cycles was told. */
void allot__replay_over(allot__replay *replay);
/* Brings the plan of that sha256 with the policies that decided in a cycle, and the books under
 * them; policies that the store lacks are those on disk. ENOENT: the store has no such plan. */
int allot__replay_turn(allot__replay *replay, const char *plan, int64_t cycle);
/* Enters an event, or holds it for the next cycle's plan. */
int allot__replay_event(allot__replay *replay, const allot__event_row *row);
/* Enters those that were held, and forgets them. EINVALID with `refused` (report): the books do not
 * take one. */
int allot__replay_release(allot__replay *replay);
void allot__replay_forget(allot__replay *replay);

#endif
