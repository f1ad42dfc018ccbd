/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sample.h: states that were decided about lately, to try the next generation on.
 *
 * A state is taken from the books at most once a second, and so seldom that making another takes no
 * more than a hundredth of the time; the oldest goes. They are of one plan, and are freed before
 * it. A store's last cycles behind its newest snapshot are the first ones.
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
    uint64_t taken, next; /* when the last was, and not before when the next is (uv_hrtime) */
} allot__sample_states;

/* Keeps a copy of what a cycle decided about, which the books have still, and how many microseconds
 * it took (-1: not known), if it is time for one. */
void allot__sample_states_add(allot__sample_states *samples, allot__books *books, int64_t cycle,
                              int64_t took);
/* Keeps a state whatever the time is. */
void allot__sample_states_put(allot__sample_states *samples, allot_state *state, int64_t cycle,
                              int64_t took);
void allot__sample_states_clear(allot__sample_states *samples);

#endif
