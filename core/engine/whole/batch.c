/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * batch.c: lowers several leaves, computing quotas once.
 *
 * Exact shares never fall when another leaf's demand does (quota/again.h). So at each step that
 * lowers these leaves one by one, shares lie between those before and those after all steps. The
 * share of a leaf at its turn is at most that after all others, and exceeds that before by at most
 * the slots that leaves lowered until then left. The steps certainly lower just these leaves, to
 * just these demands, if for each whole number of slots between its bounds
 *  - a lowered leaf uses the same number, less than it could, and once lowered all of its quota;
 *  - a leaf behind, or between them, does not use less than it could.
 */
#include <string.h>

#include "base/least.h"
#include "base/simd.h"
#include "engine/whole/again.h"
#include "engine/whole/lower.h"

enum { MOST = 64, BLOCK = 64, WIDEST = 8 /* bounds that are looked at, number by number */ };

typedef struct allot__batch {
    int32_t size; /* to try next */
    int32_t count;
    int32_t row[MOST], demand[MOST], need[MOST];
    int32_t used[MOST];
    int32_t *quota, *low; /* by row, before */
    int32_t *high;        /* by row, now: the most that a quota can be */
} batch;

static int make(allot__whole_all *all)
{
    allot__work *work = all->works[0];
    batch *it = allot__arena_take(all->arena, 1, sizeof *it);
    size_t rows = (size_t)work->tree->rows;
    if (!it)
        return ALLOT_ENOMEM;
    *it = (batch){.size = 8};
    all->room.batch = it;
    return ALLOT__TAKE_ALL(all->arena, ALLOT__EACH(rows, it->quota, it->low, it->high));
}

/* The slots that a side uses of a quota. */
static int use_of(allot__whole_all *all, const allot__side *side, int64_t quota, int64_t *used)
{
    int status = ALLOT_OK;
    all->uses[0].quota = quota;
    if (side->looked != quota)
        status = allot__whole_use(all, side->asker, all->uses, NULL);
    *used = side->used;
    return status;
}

/* The last of the rows first ... before - 1 that is not known to use each of the quotas low ...
 * high as far as it could; first - 1: none. With one family all rows are leaves, in order. */
ALLOT__CLONES static int32_t last_unknown(const allot__whole *whole, const int32_t *restrict low,
                                          const int32_t *restrict high, int32_t first,
                                          int32_t before)
{
    const int32_t *restrict from = whole->fine_from, *restrict to = whole->fine_to;
    for (int32_t end = before; end > first; end -= BLOCK) {
        int32_t begin = end - first > BLOCK ? end - BLOCK : first, open = 0;
#pragma omp simd reduction(| : open)
        for (int32_t i = begin; i < end; i++)
            open |= (low[i] < from[i]) | (high[i] > to[i]);
        for (int32_t i = end - 1; open && i >= begin; i--)
            if (low[i] < from[i] || high[i] > to[i])
                return i;
    }
    return first - 1;
}

/* Collects the last leaves that use less than they could. */
static int collect(allot__whole_all *all, batch *it)
{
    const allot__work *work = all->works[0];
    const allot__whole_again *again = &all->again[0];
    int status = ALLOT_OK;
    int32_t row = again->leaves.count;
    it->count = 0;
    while (it->count < it->size && status == ALLOT_OK &&
           (row = last_unknown(work->whole, work->quota, work->quota, 0, row)) >= 0) {
        bool yes;
        status = allot__whole_look(all, work->whole->sides[row], &yes);
        if (!yes)
            continue;
        it->row[it->count] = row;
        it->demand[it->count] = work->demand[row];
        it->need[it->count] = work->need[row];
        it->used[it->count++] = (int32_t)all->uses[0].used;
    }
    return status;
}

/* Does a leaf use the same of each number of slots between its bounds, less than it could, and all
 * of its quota once lowered? Checks the ends: a larger quota never lowers use. `left`: slots left
 * by leaves before it. The first leaf's quota is known. */
static int is_same(allot__whole_all *all, const batch *it, int32_t k, int64_t left, bool *yes)
{
    const allot__work *work = all->works[0];
    int32_t row = it->row[k], used = it->used[k];
    const allot__side *side = work->whole->sides[row];
    int64_t low = it->low[row], high = allot__quota_most(all->again[0].kept, row, it->need[k]);
    int64_t of = used, above = low + 1 + left;
    int64_t at[] = {low, allot__least(high, above), used};
    *yes = used < low && used < it->demand[k] && work->reserve[row] <= used;
    int status = ALLOT_OK;
    for (int i = k > 0 ? 0 : 2; i < 3 && *yes && status == ALLOT_OK; i++) {
        if (at[i] != it->quota[row] && at[i] > 0)
            status = use_of(all, side, at[i], &of);
        *yes = (at[i] == 0 || of == used) && !side->anew; /* known once tasks are in order */
    }
    if (*yes && status == ALLOT_OK)
        allot__whole_note_fine(side, used, used);
    return status;
}

/* Does a leaf that is not lowered always use all it could? */
static int is_fine(allot__whole_all *all, const batch *it, int32_t row, bool *yes)
{
    const allot__work *work = all->works[0];
    const allot__whole *whole = work->whole;
    const allot__side *side = whole->sides[row];
    int64_t low = it->low[row], high = it->high[row];
    int status = ALLOT_OK;
    if (!side->anew)
        high = allot__least(high, allot__most(low, work->demand[row]));
    *yes = high - low < WIDEST;
    for (int64_t quota = low; quota <= high && *yes && status == ALLOT_OK; quota++) {
        int64_t used, could = allot__least(quota, work->demand[row]);
        if ((quota >= whole->fine_from[row] && quota <= whole->fine_to[row]) || could == 0)
            continue;
        status = use_of(all, side, quota, &used);
        *yes = used >= could;
    }
    if (*yes && status == ALLOT_OK)
        allot__whole_note_fine(side, low, high);
    return status;
}

/* Counts the leaves, from the first, for which the result is certain, given final quotas. */
static int count_certain(allot__whole_all *all, const batch *it, int32_t *count)
{
    const allot__work *work = all->works[0];
    const allot__quota_kept *kept = all->again[0].kept;
    int64_t left = 0;
    int32_t k = 0, row = all->again[0].leaves.count;
    int status = ALLOT_OK;
    bool yes = true;
    for (int32_t i = it->row[it->count - 1]; i < row; i++)
        it->high[i] = kept->low[i] + (kept->rest[i] != 0);
    while (k < it->count && yes && status == ALLOT_OK) {
        row = last_unknown(work->whole, it->low, it->high, it->row[k] + 1, row);
        if (row > it->row[k]) {
            status = is_fine(all, it, row, &yes);
            continue;
        }
        status = is_same(all, it, k, left, &yes);
        left += it->low[row] + 1 - it->used[k];
        k += yes;
    }
    *count = k;
    return status;
}

/* Sets the demands of all of them. */
static void demand(allot__whole_all *all, const batch *it, const int32_t *demands)
{
    for (int32_t k = 0; k < it->count; k++) {
        all->works[0]->whole->demand[it->row[k]] = demands[k];
        allot__quota_change(all->again[0].kept, it->row[k]);
    }
}

/* Lowers them; *certain: for how many the result is certain, at least for that many before; if not
 * for all, lowers none. */
static int try_batch(allot__whole_all *all, batch *it, int32_t *certain)
{
    allot__work *work = all->works[0];
    allot__quota_kept *kept = all->again[0].kept;
    size_t size = (size_t)work->tree->rows * sizeof(int32_t);
    memcpy(it->quota, work->quota, size);
    memcpy(it->low, kept->low, size);
    demand(all, it, it->used);
    allot__quota_again(kept);
    int status = it->count > *certain ? count_certain(all, it, certain) : ALLOT_OK;
    if (status != ALLOT_OK || *certain == it->count)
        return status;
    demand(all, it, it->demand);
    memcpy(work->quota, it->quota, size);
    memcpy(kept->low, it->low, size);
    return ALLOT_OK;
}

int allot__whole_batch(allot__whole_all *all, int32_t *done)
{
    const allot__quota_kept *kept = all->again[0].kept;
    int32_t certain = 1; /* the first is the last that is short */
    *done = 0;
    if (all->count > 1 || !kept || !kept->low)
        return ALLOT_OK;
    int status = all->room.batch ? ALLOT_OK : make(all);
    batch *it = all->room.batch;
    if (status == ALLOT_OK)
        status = collect(all, it);
    if (status != ALLOT_OK || it->count == 0)
        return status;
    do {
        status = try_batch(all, it, &certain);
        *done = it->count;
        it->size = certain == it->count ? 2 * certain : certain;
        it->size = it->size > 1 ? allot__least(it->size, MOST) : 1;
        it->count = certain = it->size;
    } while (status == ALLOT_OK && certain < *done);
    return status;
}
