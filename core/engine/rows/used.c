/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* used.c: leaves' use, and sums from the last family up to the first. */
#include "engine/rows/used.h"

bool allot__used_read(const allot__work *work)
{
    bool any = false;
    int32_t named;
    for (int32_t i = 0; i < work->rules_count && work->state->groups[work->index].usage; i++)
        any = any || allot__policy_reads_use(work->rules[i].policy, &named);
    return any;
}

/* Whole slot-seconds of leaves. */
static void fill_leaves(const allot__work *work, int64_t *restrict out)
{
    const allot__usage *usage = work->state->groups[work->index].usage;
    const allot__decay *decay = work->plan->fades;
    const int32_t *allocated = work->allocated, *family_of = work->group->family_of;
    int32_t rows = work->tree->rows;
    int64_t now = work->state->now;
    for (int32_t row = 0; row < rows; row++) {
        int32_t consumer = allot__handle(work, row);
        const allot__usage *of = &usage[consumer];
        if (family_of[row] != 0)
            continue;
        int64_t soon = of->at < now ? allot__usage_soon(of, allocated[row], now, decay) : -1;
        out[row] = soon >= 0 ? (int64_t)((uint64_t)soon / ALLOT__MILLION)
                             : allot__usage_now(work->state, work->index, consumer).slot_seconds;
    }
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
        int64_t sum = 0, owned = 0;
        for (int32_t row = work->tree->first[family]; row < work->tree->first[family + 1]; row++) {
            sum = allot__used_sum(sum, used->usage[row]);
            owned |= work->configured[row];
        }
        used->owns[family] = owned > 0;
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
