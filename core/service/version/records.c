/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* records.c: a few states, newest first. */
#include "service/version/records.h"

#include <string.h>
#include <uv.h>

enum { LEAST_NS = 1000000000, SHARE = 100, PATIENCE = 10 };

void allot__sample_states_put(allot__sample_states *records, allot_state *state, int64_t cycle,
                              int64_t took)
{
    if (records->count == ALLOT__ATTEMPT_CYCLES)
        allot_state_free(records->items[--records->count].state);
    memmove(records->items + 1, records->items, (size_t)records->count * sizeof records->items[0]);
    records->items[0] = (allot__sample_state){.state = state, .cycle = cycle, .took = took};
    records->count++;
}

/* What the next cycle takes longer is not known; no longer than this one took, nearly. */
void allot__sample_states_add(allot__sample_states *records, allot__books *books, int64_t cycle,
                              int64_t took)
{
    uint64_t now = uv_hrtime();
    if (now < records->next || (now < records->late && !allot__books_made_anew(books)))
        return;
    allot_state *state = allot__books_hand_over(books);
    if (!state)
        return;
    uint64_t cost = (uint64_t)(took > 0 ? took : 0) * 1000 * SHARE;
    uint64_t wait = cost > LEAST_NS ? cost : LEAST_NS;
    records->next = now + wait;
    records->late = now + wait * PATIENCE;
    allot__sample_states_put(records, state, cycle, took);
}

void allot__sample_states_clear(allot__sample_states *records)
{
    while (records->count > 0)
        allot_state_free(records->items[--records->count].state);
}
