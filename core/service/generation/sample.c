/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sample.c: keeps a few states, newest first. */
#include "service/generation/sample.h"

#include <string.h>
#include <uv.h>

enum { LEAST_NS = 1000000000, PATIENCE = 30, SHARE = 1000 };

void allot__sample_states_put(allot__sample_states *samples, allot_state *state, int64_t cycle,
                              int64_t took)
{
    if (samples->count == ALLOT__CANDIDATE_CYCLES)
        allot_state_free(samples->items[--samples->count].state);
    memmove(samples->items + 1, samples->items, (size_t)samples->count * sizeof samples->items[0]);
    samples->items[0] = (allot__sample_state){.state = state, .cycle = cycle, .took = took};
    samples->count++;
}

/* Copies take at most a thousandth of the time; slow ones come at most every PATIENCE seconds. */
void allot__sample_states_add(allot__sample_states *samples, allot__books *books, int64_t cycle,
                              int64_t took)
{
    uint64_t now = uv_hrtime();
    allot_state *state;
    uint64_t least = (uint64_t)LEAST_NS * (allot__books_few(books) ? 1 : PATIENCE);
    bool early = samples->taken > 0 && now - samples->taken < least;
    if (early || now < samples->next || allot__books_copy(books, &state) != ALLOT_OK)
        return;
    samples->taken = now;
    samples->next = now + (uv_hrtime() - now) * SHARE;
    allot__sample_states_put(samples, state, cycle, took);
}

void allot__sample_states_clear(allot__sample_states *samples)
{
    while (samples->count > 0)
        allot_state_free(samples->items[--samples->count].state);
}
