/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* records.c: a few states, newest first. */
#include "service/records.h"

#include <string.h>
#include <uv.h>

enum { LEAST_NS = 1000000000, SHARE = 100 };

static allot_state *copy_of(const allot_state *state, const allot_plan *plan)
{
    allot_state *copy = NULL;
    if (allot_state_copy(state, plan, NULL, &copy) != ALLOT_OK)
        return NULL;
    if (allot_state_seal(copy, NULL) == ALLOT_OK)
        return copy;
    allot_state_free(copy);
    return NULL;
}

void allot__records_add(allot__records *records, const allot_decision *decision, int64_t cycle,
                        int64_t took)
{
    uint64_t now = uv_hrtime();
    if (now < records->next)
        return;
    allot_state *copy = copy_of(allot_decision_state(decision), allot_decision_plan(decision));
    uint64_t cost = (uv_hrtime() - now) * SHARE;
    records->next = now + (cost > LEAST_NS ? cost : LEAST_NS);
    if (copy == NULL)
        return; /* no memory: one record less */
    if (records->count == ALLOT__ATTEMPT_CYCLES)
        allot_state_free(records->items[--records->count].state);
    memmove(records->items + 1, records->items, (size_t)records->count * sizeof records->items[0]);
    records->items[0] = (allot__record){.state = copy, .cycle = cycle, .took = took};
    records->count++;
}

void allot__records_clear(allot__records *records)
{
    while (records->count > 0)
        allot_state_free(records->items[--records->count].state);
}
