/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slices.c: an ordered fill, rounded up in order, poured again until nothing moves. */
#include "engine/jobs/slices.h"

#include "base/least.h"
#include "base/wide.h"

/* Rule 3, for what is left; returns what is left then. */
static int64_t pour(allot__slice_row *rows, int32_t count, int64_t base)
{
    int64_t left = base;
    for (int32_t i = 0; i < count && left > 0; i++) {
        int64_t part = (base * rows[i].share + 99) / 100;
        int64_t lacks = rows[i].wants - rows[i].slice;
        part = allot__least(allot__least(part, lacks > 0 ? lacks : 0), left);
        rows[i].slice += part;
        left -= part;
    }
    return left;
}

void allot__slices_cut(allot__slice_row *rows, int32_t count, int64_t base, bool again)
{
    for (int32_t i = 0; i < count; i++)
        rows[i].slice = 0;
    int64_t left = pour(rows, count, base);
    for (int32_t i = 0; i < count; i++)
        rows[i].first = rows[i].slice;
    for (int64_t before = again ? base : left; left > 0 && left < before;) {
        before = left;
        left = pour(rows, count, left);
    }
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].slice < rows[i].used)
            rows[i].slice = rows[i].used;
        if (rows[i].first < rows[i].used)
            rows[i].first = rows[i].used;
    }
}
