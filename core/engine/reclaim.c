/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reclaim.c: one sweep up the families; giveback.c takes each node's slots as they are found. */
#include "engine/reclaim.h"

#include "base/simd.h"
#include "engine/trace.h"

int64_t allot__target(const allot__work *work, int32_t row)
{
    int64_t target = work->quota[row];
    if (work->group->options[ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP] && work->times < work->unit &&
        !allot__rules_at(work, row)->policy->exact) {
        int64_t keep = work->configured[row];
        keep = keep < work->demand[row] ? keep : work->demand[row];
        target = target > keep ? target : keep;
    }
    return target;
}

int64_t allot__deficit(const allot__work *work, int32_t row)
{
    int64_t coming = work->earmarked != NULL ? work->earmarked[row] : 0;
    int64_t lack = (int64_t)work->quota[row] - work->allocated[row] - work->received[row] - coming;
    return lack > 0 ? lack : 0;
}

int64_t allot__spare_deficit(const allot__work *work, int32_t family)
{
    int64_t coming = work->earmarked != NULL ? work->earmarked[work->group->parent[family]] : 0;
    int64_t lack = allot__spare_quota(work, family) - work->spare[family] - coming;
    return lack > 0 ? lack : 0;
}

static int32_t over_of(const allot__work *work, int32_t row)
{
    int64_t going = work->in_flight != NULL ? work->in_flight[row] : 0;
    int64_t over = work->allocated[row] - going - allot__target(work, row);
    if (over > 0 && work->group->options[ALLOT_OPTION_HOLD_ROUNDING] &&
        allot__rounding_only(work, row)) {
        return 0;
    }
    return over > 0 ? (int32_t)over : 0;
}

/* Members as if all were leaves, without the options: what most families need. */
ALLOT__CLONES static int64_t plain_rows(allot__work *work, int32_t first, int32_t count,
                                        allot__sums *sums)
{
    const int32_t *restrict quota = work->quota + first;
    const int32_t *restrict allocated = work->allocated + first;
    const int32_t *restrict received = work->received + first;
    int32_t *restrict out = work->over + first;
    int32_t *restrict reclaimed = work->reclaimed + first;
    int64_t overs = 0;
    int64_t deficits = 0;
    int64_t quotas = 0;
#pragma omp simd reduction(+ : overs, deficits, quotas)
    for (int32_t i = 0; i < count; i++) {
        int32_t over = allocated[i] > quota[i] ? allocated[i] - quota[i] : 0;
        int32_t lack = quota[i] - allocated[i] - received[i];
        out[i] = over;
        reclaimed[i] = 0;
        overs += over;
        quotas += quota[i];
        deficits += lack > 0 ? lack : 0;
    }
    sums->over = overs;
    sums->deficit = deficits;
    return quotas;
}

static void any_rows(allot__work *work, int32_t first, int32_t count, allot__sums *sums)
{
    sums->over = 0;
    sums->deficit = 0;
    for (int32_t row = first; row < first + count; row++) {
        if (allot__family_of(work, row) == 0) {
            work->over[row] = over_of(work, row);
            work->reclaimed[row] = 0;
            sums->over += work->over[row];
            sums->deficit += allot__deficit(work, row);
        }
    }
}

static void leaves(allot__work *work, int32_t family, bool plain)
{
    allot__sums *sums = &work->sums[family];
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    if (plain && work->tree->inner[family] == 0) {
        int64_t quotas = plain_rows(work, first, count, sums);
        if (family > 0 && quotas < work->quota[work->group->parent[family]]) {
            sums->deficit += allot__spare_deficit(work, family);
        }
    } else {
        any_rows(work, first, count, sums);
        sums->deficit += family > 0 ? allot__spare_deficit(work, family) : 0;
    }
    sums->over_left = sums->over;
    sums->unmatched = sums->deficit;
    sums->reclaimed = 0;
}

static void parents(allot__work *work, int32_t family)
{
    allot__sums *sums = &work->sums[family];
    int32_t left = work->tree->inner[family];
    for (int32_t row = allot__family_first(work, family); left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (below == 0) {
            continue;
        }
        const allot__sums *inside = &work->sums[below];
        left--;
        work->over[row] = 0;
        work->reclaimed[row] = 0;
        sums->over += inside->over;
        sums->over_left += inside->over_left;
        sums->deficit += inside->deficit;
        sums->unmatched += inside->unmatched;
        sums->reclaimed += inside->reclaimed;
    }
}

/* What the node above a family takes (C-6). */
static int64_t due(const allot__work *work, int32_t family)
{
    const allot__sums *sums = &work->sums[family];
    int64_t promised = sums->allocated - sums->in_flight + sums->received + sums->earmarked +
                       sums->deficit - sums->reclaimed;
    int64_t slots;
    if (family == 0) {
        slots = promised - work->slots;
    } else {
        int32_t limit = work->limit[work->group->parent[family]];
        slots = sums->unmatched;
        if (limit != ALLOT_NONE && promised - limit > slots) {
            slots = promised - limit;
        }
    }
    slots = slots < sums->over_left ? slots : sums->over_left;
    return slots > 0 ? slots : 0;
}

static void take(allot__giveback *giveback, allot__reclaim_log *log, int32_t family, int64_t slots)
{
    allot__sums *sums = &giveback->work->sums[family];
    int64_t owed = slots < sums->unmatched ? slots : sums->unmatched;
    if (log != NULL) {
        log->node(log, family, slots, owed);
    }
    allot__giveback_take(giveback, family, slots);
    sums->over_left -= slots;
    sums->reclaimed += slots;
    sums->unmatched -= owed;
}

/* What a family's members are over and lack, those of the families inside being known. */
static void count_family(allot__work *work, int32_t family)
{
    const int64_t *options = work->group->options;
    bool plain = work->in_flight == NULL && !options[ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP] &&
                 !options[ALLOT_OPTION_HOLD_ROUNDING];
    leaves(work, family, plain);
    parents(work, family);
}

int allot__reclaim(allot__work *work, allot__reclaim_log *log)
{
    allot__giveback giveback;
    /* A policy's own rules may read what is over, so that must be there before they are asked. */
    for (int32_t family = work->tree->families - 1; family >= 0 && !allot__giveback_natural(work);
         family--) {
        count_family(work, family);
    }
    int status = allot__giveback_init(&giveback, work, log != NULL ? &log->taker : NULL);
    if (status != ALLOT_OK) {
        return status;
    }
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        count_family(work, family);
        int64_t slots = due(work, family);
        work->sums[family].ordered = slots;
        if (slots > 0) {
            take(&giveback, log, family, slots);
        }
    }
    return ALLOT_OK;
}
