/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pass.c: the family at hand: its columns, levels and aims. */
#include "engine/quota/pass.h"

#include <string.h>

#include "engine/rows/own.h"

bool allot__quota_take(allot__quota_pass *pass, void *slot, size_t size)
{
    void *room = allot__arena_take(pass->work->arena, (size_t)pass->work->widest + 1, size);
    memcpy(slot, &room, sizeof room);
    return room != NULL;
}

static const int32_t *from_row(const allot__amounts *amounts, int32_t first)
{
    return amounts->number < 0 ? amounts->column : amounts->column + first;
}

void allot__quota_columns(allot__quota_pass *pass, int32_t fill, int32_t family)
{
    const allot__fill_columns *columns = &pass->fills[fill];
    int32_t first = allot__family_first(pass->work, family);
    allot__pour *rows = &pass->rows;
    rows->need = pass->work->need + first;
    rows->weight = from_row(&columns->by, first);
    rows->cap = from_row(&columns->up_to, first);
    rows->cap_part = pass->zeros;
    if (columns->up_to.own) {
        allot__own_family(pass->work, family, pass->own, pass->own_part);
        rows->cap = pass->own;
        rows->cap_part = rows->unit == 1 ? pass->zeros : pass->own_part;
    }
}

bool allot__quota_pour(allot__quota_pass *pass, int32_t fill, allot__pour *rows,
                       bool (*pour)(allot__pour *))
{
    if (pass->rules->policy->fills[fill].level)
        return allot__pour_level(rows, pour, pass->zeros, pass->totals);
    return pour(rows);
}

void allot__quota_next(allot__quota_pass *pass)
{
    allot__pour *rows = &pass->rows;
    int32_t spare = rows->aim == pass->whole[0];
    rows->level = rows->aim;
    rows->aim = pass->whole[spare];
    if (rows->unit != 1) {
        rows->level_part = rows->aim_part;
        rows->aim_part = pass->part[spare];
    }
}

void allot__quota_note(const allot__quota_pass *pass, const allot__shares *shares)
{
    size_t size = (size_t)shares->count * sizeof *pass->low;
    if (!pass->low)
        return;
    memcpy(pass->low, shares->floor, size);
    memcpy(pass->rest, shares->rest, size);
}

void allot__quota_begin(allot__quota_pass *pass, int32_t family, int64_t slots)
{
    allot__pour *rows = &pass->rows;
    rows->count = allot__family_size(pass->work, family);
    rows->left = slots;
    rows->left_part = 0;
    rows->level = pass->zeros;
    rows->level_part = pass->zeros;
    rows->aim = pass->whole[0];
    rows->aim_part = pass->part[0];
}
