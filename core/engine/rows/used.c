/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* used.c: leaves' use, and sums from the last family up to the first. */
#include "engine/rows/used.h"

#include <math.h>

#include "base/simd.h"

enum { BLOCK = 256 };

bool allot__used_read(const allot__work *work)
{
    bool any = false;
    int32_t named;
    for (int32_t i = 0; i < work->rules_count && work->state->groups[work->index].usage; i++)
        any = any || allot__policy_reads_use(work->rules[i].policy, &named);
    return any;
}

/* A row's whole slot-seconds by the state's `above`; false: they are not certain. Exact use is
 * rounded to millionths, and doubles have 53 bits. */
ALLOT__INLINE int32_t guess(double comes, double more, int64_t *whole)
{
    double use = comes + more, off = 5e-6 + (comes + fabs(more)) * 0x1p-44;
    *whole = (int64_t)use; /* below 2^63 */
    double rest = use - (double)*whole;
    return ((rest > off) & (rest < 1 - off)) | ((comes == 0) & (more == 0));
}

/* The same of the rows first ... end - 1; false: of some they are not. */
ALLOT__CLONES static bool guess_all(const allot__work *work, double left, int64_t *restrict out,
                                    int32_t first, int32_t end)
{
    const double *restrict above = work->state->groups[work->index].above;
    const int32_t *restrict allocated = work->allocated;
    const double lasting = work->plan->fades->lasting;
    int32_t sure = 1;
#pragma omp simd reduction(& : sure)
    for (int32_t row = first; row < end; row++)
        sure &= guess(lasting * (double)allocated[row], above[row] * left, &out[row]);
    return sure != 0;
}

/* The same of leaves, computed where that is not certain. */
static void fill_each(const allot__work *work, double left, int64_t *out, int32_t first,
                      int32_t end)
{
    const double *above = work->state->groups[work->index].above;
    const double lasting = work->plan->fades->lasting;
    for (int32_t row = first; row < end; row++)
        if (allot__family_of(work, row) == 0 &&
            (left < 0 ||
             !guess(lasting * (double)work->allocated[row], above[row] * left, &out[row])))
            out[row] =
                allot__usage_now(work->state, work->index, allot__handle(work, row)).slot_seconds;
}

/* Whole slot-seconds of leaves. */
static void fill_leaves(const allot__work *work, int64_t *out)
{
    const allot__decay *decay = work->plan->fades;
    const allot_state *state = work->state;
    int32_t rows = work->tree->rows;
    double left = -1;
    if (decay->pace.part != 0)
        left = allot__left_near(decay, allot__seconds_between(state->above_at, state->now));
    for (int32_t first = 0; first < rows; first += BLOCK) {
        int32_t end = rows - first > BLOCK ? first + BLOCK : rows;
        if (left < 0 || !guess_all(work, left, out, first, end))
            fill_each(work, left, out, first, end);
    }
}

/* The sum of a family's use, cut, by halves of 31 and 32 bits; and whether its rows own anything.
 */
ALLOT__CLONES static int64_t sum_up(const allot__work *work, const int64_t *usage, int32_t first,
                                    int32_t end, bool *owns)
{
    const int32_t *configured = work->configured;
    int64_t low = 0, high = 0;
    int32_t owned = 0;
#pragma omp simd reduction(+ : low, high) reduction(| : owned)
    for (int32_t row = first; row < end; row++) {
        low += usage[row] & UINT32_MAX;
        high += usage[row] >> 32;
        owned |= configured[row];
    }
    *owns = owned > 0;
    high += low >> 32;
    return high >= ALLOT__USAGE_MOST >> 32 ? ALLOT__USAGE_MOST : high << 32 | (low & UINT32_MAX);
}

int allot__used_make(allot__work *work)
{
    size_t rows = (size_t)work->tree->rows + 1, families = (size_t)work->tree->families;
    allot__used *used = allot__arena_zeroed(work->arena, 1, sizeof *used);
    if (!used || ALLOT__TAKE_ALL(work->arena, ALLOT__WANTED(used->usage, rows),
                                 ALLOT__WANTED(used->owns, families)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    fill_leaves(work, used->usage);
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        const int32_t *first = &work->tree->first[family];
        int64_t sum = sum_up(work, used->usage, first[0], first[1], &used->owns[family]);
        if (family > 0)
            used->usage[work->group->parent[family]] = sum;
    }
    work->used = used;
    return ALLOT_OK;
}

int32_t allot__used_rest(const allot__work *work, int32_t row)
{
    return allot__family_of(work, row) != 0
               ? 0
               : allot__usage_now(work->state, work->index, allot__handle(work, row)).millionths;
}

int64_t allot__used_of(const allot__work *work, int32_t row, bool *owned)
{
    *owned = allot__rules_at(work, row)->owns && work->used->owns[allot__siblings_of(work, row)];
    return *owned ? work->configured[row] : work->group->columns[ALLOT_SHARE][row];
}

int64_t allot__used_value(const allot__work *work, int32_t column, int32_t row)
{
    int64_t usage = work->used ? work->used->usage[row] : 0;
    if (column == ALLOT_USAGE || usage == 0)
        return usage;
    bool owned;
    int64_t of = allot__used_of(work, row, &owned);
    if (of > 0 && usage < ALLOT__USAGE_MOST / 1000)
        return usage * 1000 / of;
    allot__u128 over = of > 0 ? (allot__u128)usage * 1000 / (allot__u128)of : 0;
    bool most = over > (allot__u128)ALLOT__USAGE_MOST || (of <= 0 && usage > 0);
    return most ? ALLOT__USAGE_MOST : (int64_t)over;
}
