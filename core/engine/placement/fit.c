/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fit.c: alternates distribution and matching until hosts have room for all grants. */
#include "engine/placement/grant.h"

#include <string.h>

#include "base/least.h"
#include "engine/placement/distribute.h"

void allot__grant_add(allot__work *work, int32_t row, int64_t slots)
{
    for (; row >= 0; row = allot__above(work, row)) {
        int32_t family = allot__family_of(work, row);
        work->received[row] += (int32_t)slots;
        if (family != 0)
            work->sums[family].received += slots;
    }
    work->sums[0].received += slots;
    work->idle_left -= slots;
}

int64_t allot__grant_allowed(const allot__work *work, int32_t row)
{
    int32_t limit = work->hosts->limit[row];
    int64_t room = limit != ALLOT_NONE ? (int64_t)limit - work->allocated[row] - work->received[row]
                                       : ALLOT_AMOUNT_MAX;
    for (int32_t at = allot__above(work, row); at >= 0; at = allot__above(work, at)) {
        int64_t held = work->sums[allot__family_of(work, at)].allocated;
        if (work->limit[at] != ALLOT_NONE)
            room = allot__least(room, work->limit[at] - held - work->received[at]);
    }
    return room > 0 ? room : 0;
}

/* Finds hosts for all received slots; is there room for them? */
static bool push_all(allot__granter *it)
{
    const allot__work *work = it->work;
    bool all = true;
    allot__match_reset(&it->match);
    for (int32_t i = 0; i < it->leaf_count && it->base; i++) {
        int32_t row = it->leaves[i];
        allot__match_push(&it->match, it->match.class_of[row], it->base[row]);
    }
    for (int32_t i = 0; i < it->leaf_count; i++) {
        int32_t row = it->leaves[i], want = work->received[row];
        it->got[row] = (int32_t)allot__match_push(&it->match, it->match.class_of[row], want);
        all = all && it->got[row] == want;
    }
    for (int32_t i = 0; i < it->match.classes; i++)
        it->open[i] = !allot__match_tight(&it->match, i);
    return all;
}

int allot__grant_fit(allot__granter *it)
{
    allot__work *work = it->work;
    for (;;) {
        int status = allot__distribute(work);
        if (status != ALLOT_OK || push_all(it))
            return status;
        for (int32_t i = 0; i < it->leaf_count; i++) {
            int32_t row = it->leaves[i];
            if (it->open[it->match.class_of[row]] == 0)
                work->room[row] = it->got[row];
        }
    }
}
