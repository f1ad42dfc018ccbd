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

int allot__used_make(allot__work *work)
{
    size_t rows = (size_t)work->tree->rows + 1;
    allot__spans *spans = allot__arena_zeroed(work->arena, 1, sizeof *spans);
    allot__used *used = allot__arena_take(work->arena, 1, sizeof *used);
    if (!spans || !used ||
        ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, used->usage, used->rest)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        allot__usage usage = {.slot_seconds = 0};
        if (allot__family_of(work, row) == 0)
            usage = allot__usage_now(work->state, work->index, allot__handle(work, row), spans);
        used->usage[row] = usage.slot_seconds;
        used->rest[row] = usage.millionths;
    }
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int64_t *sum = &used->usage[work->group->parent[family]];
        for (int32_t row = work->tree->first[family]; row < work->tree->first[family + 1]; row++)
            *sum = allot__used_sum(*sum, used->usage[row]);
    }
    work->used = used;
    return ALLOT_OK;
}

/* Does a row of the family own anything, by a policy that uses ownership? */
static bool owns(const allot__work *work, int32_t row)
{
    if (work->configured[row] > 0 || !allot__rules_at(work, row)->owns)
        return allot__rules_at(work, row)->owns;
    int32_t family = allot__siblings_of(work, row);
    for (int32_t i = work->tree->first[family]; i < work->tree->first[family + 1]; i++)
        if (work->configured[i] > 0)
            return true;
    return false;
}

int64_t allot__used_value(const allot__work *work, int32_t column, int32_t row)
{
    int64_t usage = work->used ? work->used->usage[row] : 0;
    if (column == ALLOT_USAGE || usage == 0)
        return usage;
    int64_t of = owns(work, row) ? work->configured[row] : work->group->columns[ALLOT_SHARE][row];
    allot__u128 over = of > 0 ? (allot__u128)usage * 1000 / (allot__u128)of : 0;
    bool most = over > (allot__u128)ALLOT__USAGE_MOST || (of <= 0 && usage > 0);
    return most ? ALLOT__USAGE_MOST : (int64_t)over;
}
