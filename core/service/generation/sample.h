/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sample.h: states of recent cycles, on which the next generation is tried.
 *
 * A state is copied from the books at most once a second, and so seldom that copying takes at most
 * a thousandth of the time; the oldest is dropped. All are of one plan, and are freed before it.
 * The first samples are the store's last cycles after its newest snapshot.
 */
#ifndef ALLOT_SERVICE_GENERATION_SAMPLE_H
#define ALLOT_SERVICE_GENERATION_SAMPLE_H

#include <stdbool.h>

#include <allot/allot.h>

#include "service/generation/candidate.h"
#include "service/books/books.h"

typedef struct allot__sample_state {
    allot_state *state; /* sealed */
    int64_t cycle, took;
} allot__sample_state;

typedef struct allot__sample_states {
    allot__sample_state items[ALLOT__CANDIDATE_CYCLES]; /* newest first */
    int32_t count;
    uint64_t taken, next; /* when the last was taken; the earliest time of the next (uv_hrtime) */
} allot__sample_states;

/* If one is due, keeps a copy of the state that a cycle decided about, which is still in the books,
 * and the microseconds it took (-1: not known). */
void allot__sample_states_add(allot__sample_states *samples, allot__books *books, int64_t cycle,
                              int64_t took);
/* Keeps a state even if none is due. */
void allot__sample_states_put(allot__sample_states *samples, allot_state *state, int64_t cycle,
                              int64_t took);
void allot__sample_states_clear(allot__sample_states *samples);

#endif
