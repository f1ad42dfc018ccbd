/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* own.c: the slots owned now: own' (C-1), of one row or a family. */
#include <string.h>

#include "base/simd.h"
#include "engine/rows/work.h"

/* owned * times, cut. */
ALLOT__CLONES static void scale_rows(const int32_t *restrict owned, int32_t *restrict own,
                                     int32_t count, int64_t times)
{
    for (int32_t i = 0; i < count; i++) {
        int64_t all = owned[i] * times;
        own[i] = all > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)all;
    }
}

/* floor(owned * times / unit) and the part above it. A double, cut at 10^9, guesses the floor
 * within one; the remainder, between -unit and 2 * unit and so exact in 32 bits, corrects it.
 */
ALLOT__CLONES static void split_rows(const int32_t *restrict owned, int32_t *restrict own,
                                     int32_t *restrict part, int32_t count, uint32_t times,
                                     int32_t unit)
{
    double ratio = (double)times / (double)unit;
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
        double guess = ratio * (double)owned[i];
        int32_t whole = (int32_t)(guess < ALLOT_AMOUNT_MAX + 1.0 ? guess : ALLOT_AMOUNT_MAX + 1.0);
        int32_t rest = (int32_t)((uint32_t)owned[i] * times - (uint32_t)whole * (uint32_t)unit);
        int32_t low = rest < 0;
        int32_t high = rest >= unit;
        int32_t beyond = whole + high - low >= ALLOT_AMOUNT_MAX;
        own[i] = beyond ? ALLOT_AMOUNT_MAX : whole + high - low;
        part[i] = beyond ? 0 : rest + (low ? unit : 0) - (high ? unit : 0);
    }
}

int32_t allot__own(const allot__work *work, const allot__rules *rules, int32_t row, int32_t *part)
{
    int64_t owned = work->configured[row];
    int64_t all = rules->policy->exact ? owned : owned * work->times / work->unit;
    if (part) {
        bool whole = rules->policy->exact || all >= ALLOT_AMOUNT_MAX;
        *part = whole ? 0 : (int32_t)(owned * work->times % work->unit);
    }
    return all > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)all;
}

/* Corrects rows of exact policies, whose ownership does not scale (H-15). */
static void mend_exact(const allot__work *work, int32_t family, int32_t *own, int32_t *part)
{
    int32_t first = allot__family_first(work, family);
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        const allot__rules *rules =
            family == 0 ? allot__rules_at(work, first + i) : allot__rules_of(work, family);
        if (!rules->policy->exact) {
            if (family != 0)
                return; /* a family has one policy */
            continue;
        }
        own[i] = work->configured[first + i];
        if (work->unit != 1)
            part[i] = 0;
    }
}

void allot__own_family(const allot__work *work, int32_t family, int32_t *own, int32_t *part)
{
    const int32_t *owned = work->configured + allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    if (work->unit != 1)
        split_rows(owned, own, part, count, (uint32_t)work->times, (int32_t)work->unit);
    else if (work->times != 1)
        scale_rows(owned, own, count, work->times);
    else
        memcpy(own, owned, (size_t)count * sizeof *own);
    if (work->rules_count > 1 || work->rules[0].policy->exact)
        mend_exact(work, family, own, part);
}
