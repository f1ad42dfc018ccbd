/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* free.c: bottom-up by reserve, or top-down by ownership. */
#include "engine/quota/free.h"

#include <string.h>

#include "engine/fill/pour.h"
#include "engine/fill/round.h"

static bool anybody_wants(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0 && work->demand[row] > work->allocated[row])
            return true;
    return false;
}

static void by_reserve(const allot__work *work, int32_t *out)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t spare = work->reserve[row] - work->allocated[row];
        out[row] = spare > 0 ? spare : 0;
    }
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t parent = work->group->parent[family];
        int64_t spare = work->reserve[parent] - work->sums[family].allocated;
        int64_t sum = 0;
        for (int32_t i = 0; i < allot__family_size(work, family); i++)
            sum += out[allot__family_first(work, family) + i];
        spare = spare > sum ? spare : sum;
        out[parent] = spare > 0 ? (int32_t)spare : 0;
    }
}

/* Divides slots in one family; the arrays of `rows` fit the widest. */
static void split_family(const allot__work *work, int32_t family, int64_t slots, allot__pour *rows,
                         int32_t *out)
{
    int32_t first = allot__family_first(work, family);
    size_t count = (size_t)allot__family_size(work, family);
    rows->count = (int32_t)count;
    rows->left = slots;
    rows->left_part = 0;
    rows->weight = work->configured + first;
    allot__pour_aims(rows);
    if (!allot__pour_exact(rows)) {
        memset(out + first, 0,
               count * sizeof *out); /* no consumer owns anything, or nothing is idle */
        return;
    }
    allot__shares shares = {.count = rows->count,
                            .whole = slots,
                            .floor = rows->floor,
                            .rest = rows->rest,
                            .quota = out + first};
    allot__round(ALLOT_ROUND_RANK, &shares);
}

static int by_ownership(allot__work *work, int32_t *out)
{
    size_t widest = (size_t)work->tree->widest + 1;
    int32_t *room = allot__arena_take(work->arena, 5 * widest, sizeof *room);
    if (!room)
        return ALLOT_ENOMEM;
    allot__pour rows = {.unit = 1,
                        .level = room,
                        .aim = room + widest,
                        .floor = room + 2 * widest,
                        .rest = room + 3 * widest,
                        .need = room + 4 * widest,
                        .cap = room + 4 * widest};
    memset(room, 0, widest * sizeof *room);
    /* No row can reach this aim, so every fill with an owner is critical. */
    for (size_t i = 0; i < widest; i++)
        room[4 * widest + i] = ALLOT_AMOUNT_MAX + 1;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int64_t slots = family == 0 ? work->idle : out[work->group->parent[family]];
        split_family(work, family, slots, &rows, out);
    }
    return ALLOT_OK;
}

int allot__free_slots(allot__work *work, int32_t **out)
{
    int32_t *free_slots =
        allot__arena_take(work->arena, (size_t)work->tree->rows + 1, sizeof *free_slots);
    if (!free_slots)
        return ALLOT_ENOMEM;
    if (anybody_wants(work)) {
        by_reserve(work, free_slots);
    } else {
        int status = by_ownership(work, free_slots);
        if (status != ALLOT_OK)
            return status;
    }
    *out = free_slots;
    return ALLOT_OK;
}
