/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* need.c: families from the last to the first, so that children come before their parents. */
#include "engine/need.h"

#include "base/simd.h"

/* owned * times, cut. */
ALLOT__CLONES static void scale_rows(allot__work *work, int32_t first, int32_t count)
{
    const int32_t *restrict owned = work->configured + first;
    int32_t *restrict own = work->own + first;
    int64_t times = work->times;
    for (int32_t i = 0; i < count; i++) {
        int64_t all = owned[i] * times;
        own[i] = all > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)all;
    }
}

/* floor(owned * times / unit) and what is above it. A double guesses the floor within one, since
 * it is cut at 10^9; the remainder, exact, mends it. */
ALLOT__CLONES static void split_rows(allot__work *work, int32_t first, int32_t count)
{
    const int32_t *restrict owned = work->configured + first;
    int32_t *restrict own = work->own + first;
    int32_t *restrict part = work->own_part + first;
    uint32_t times = (uint32_t)work->times;
    int32_t unit = (int32_t)work->unit;
    double ratio = (double)times / (double)unit;
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
        double guess = ratio * (double)owned[i];
        int32_t whole = (int32_t)(guess < ALLOT_AMOUNT_MAX + 1.0 ? guess : ALLOT_AMOUNT_MAX + 1.0);
        /* Between -unit and 2 * unit, so it is right in 32 bits. */
        int32_t rest = (int32_t)((uint32_t)owned[i] * times - (uint32_t)whole * (uint32_t)unit);
        int32_t low = rest < 0;
        int32_t high = rest >= unit;
        int32_t beyond = whole + high - low >= ALLOT_AMOUNT_MAX;
        own[i] = beyond ? ALLOT_AMOUNT_MAX : whole + high - low;
        part[i] = beyond ? 0 : rest + (low ? unit : 0) - (high ? unit : 0);
    }
}

/* Members as if all were leaves; parents among them are mended afterwards. */
ALLOT__CLONES static void need_rows(allot__work *work, int32_t first, int32_t count,
                                    allot__sums *sums)
{
    const int32_t *restrict own = (work->own ? work->own : work->configured) + first;
    const int32_t *restrict planned = work->group->columns[ALLOT_RESERVE] + first;
    const int32_t *restrict limit = work->limit + first;
    const int32_t *restrict demand = work->demand + first;
    const int32_t *restrict allocated = work->allocated + first;
    int32_t *restrict reserve = work->reserve + first;
    int32_t *restrict need = work->need + first;
    int64_t needs = 0;
    int64_t kept_slots = 0;
    int64_t held = 0;
#pragma omp simd reduction(+ : needs, kept_slots, held)
    for (int32_t i = 0; i < count; i++) {
        int32_t kept = planned[i] < own[i] ? planned[i] : own[i];
        int32_t want = demand[i] < limit[i] ? demand[i] : limit[i];
        int32_t most = want > kept ? want : kept;
        reserve[i] = kept;
        need[i] = most;
        needs += most;
        kept_slots += kept;
        held += allocated[i];
    }
    sums->demand = needs;
    sums->reserve = kept_slots;
    sums->allocated = held;
}

/* A parent's own numbers, from its family's. */
static void need_parent(allot__work *work, int32_t row, int32_t family)
{
    allot__sums *inside = &work->sums[family];
    int64_t own = work->own ? work->own[row] : work->configured[row];
    int64_t reserve = work->group->columns[ALLOT_RESERVE][row];
    reserve = reserve < own ? reserve : own;
    reserve = reserve > inside->reserve ? reserve : inside->reserve;
    int64_t limit = work->limit[row] == ALLOT_NONE ? INT64_MAX : work->limit[row];
    int64_t need = inside->demand < limit ? inside->demand : limit;
    inside->need = need > reserve ? need : reserve;
    work->reserve[row] = (int32_t)reserve; /* at most what the plan lets it own */
    work->need[row] = inside->need > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)inside->need;
}

/* Replaces what the leaves' loop took a family's parents for. */
static void mend_parents(allot__work *work, int32_t family, allot__sums *sums)
{
    int32_t first = allot__family_first(work, family);
    int32_t left = work->tree->inner[family];
    for (int32_t row = first; left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (below == 0) {
            continue;
        }
        left--;
        sums->demand -= work->need[row];
        sums->reserve -= work->reserve[row];
        need_parent(work, row, below);
        sums->reserve += work->reserve[row];
        sums->demand += work->sums[below].need;
        sums->allocated += work->sums[below].allocated;
        sums->in_flight += work->sums[below].in_flight;
        sums->earmarked += work->sums[below].earmarked;
    }
}

/* own' of a family's rows; where a policy says so, what is owned does not scale (H-15). */
static void own_rows(allot__work *work, int32_t family, int32_t first, int32_t count)
{
    const uint8_t *ruled = work->group->branch_ruled;
    if (work->own == NULL) {
        return;
    }
    if (work->own_part != NULL) {
        split_rows(work, first, count);
    } else {
        scale_rows(work, first, count);
    }
    for (int32_t row = first; row < first + count; row++) {
        int32_t rules = ruled == NULL ? 0
                        : family == 0 ? ruled[row]
                                      : work->group->family_ruled[family];
        if (!work->rules[rules].policy->exact) {
            if (family != 0 || ruled == NULL) {
                return; /* all are alike */
            }
            continue;
        }
        work->own[row] = work->configured[row];
        if (work->own_part != NULL) {
            work->own_part[row] = 0;
        }
    }
}

static void flights(const allot__work *work, int32_t first, int32_t count, allot__sums *sums)
{
    for (int32_t row = first; row < first + count; row++) {
        sums->in_flight += work->in_flight[row];
        sums->earmarked += work->earmarked[row];
    }
}

void allot__need(allot__work *work)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        allot__sums *sums = &work->sums[family];
        own_rows(work, family, first, count);
        need_rows(work, first, count, sums);
        if (work->in_flight != NULL) {
            flights(work, first, count, sums);
        }
        if (work->tree->inner[family] > 0) {
            mend_parents(work, family, sums);
        }
    }
}
