/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lower.c: rule 4: lowers the demand of leaves to what they use, one leaf after another. */
#include "engine/whole/lower.h"

#include <string.h>

#include "base/least.h"
#include "engine/whole/again.h"
#include "engine/victims/leavers.h"
#include "engine/whole/asker.h"

/* ---- Begin ----------------------------------------------------------------------------------- */

static int begin_group(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    size_t rows = (size_t)work->tree->rows;
    allot__whole *whole = allot__zeroed(work, 1, sizeof *whole);
    if (!whole)
        return ALLOT_ENOMEM;
    whole->stated = work->demand;
    whole->skip = work->group->options[ALLOT_OPTION_PENDING] != 0;
    if (ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(whole->demand, rows),
                          ALLOT__WANTED(work->whole_part, rows), ALLOT__WANTED(whole->sides, rows),
                          ALLOT__EACH(rows, whole->fine_from, whole->fine_to),
                          ALLOT__WANTED(whole->exhausted, rows)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        whole->fine_to[row] = INT32_MAX;
    memcpy(whole->demand, work->demand, rows * sizeof *whole->demand);
    work->demand = whole->demand;
    work->whole = whole;
    int status = allot__victims_protect(work, all->victims[group]);
    return status == ALLOT_OK ? allot__whole_keep(all, group) : status;
}

static bool take_room(allot__whole_all *all)
{
    int32_t waits = 0, runs = 0;
    for (int32_t i = 0; i < all->asker_count; i++) {
        int32_t count = 0;
        for (int32_t k = 0; k < all->askers[i].side_count; k++)
            count += allot__side_units(&all->askers[i].sides[k]);
        waits = all->askers[i].waits > waits ? all->askers[i].waits : waits;
        runs = count > runs ? count : runs;
    }
    allot__whole_room *room = &all->room;
    size_t tasks = allot__task_count(&all->works[0]->state->tasks);
    return ALLOT__ZEROED_ALL(all->works[0]->arena, ALLOT__WANTED(all->uses, (size_t)all->count),
                             ALLOT__WANTED(all->marks, (size_t)waits),
                             ALLOT__WANTED(room->used, (size_t)all->count),
                             ALLOT__WANTED(room->more, (size_t)all->count),
                             ALLOT__WANTED(room->left, (size_t)all->count),
                             ALLOT__WANTED(room->slots, (size_t)all->count),
                             ALLOT__WANTED(room->ended, (size_t)all->count),
                             ALLOT__WANTED(room->leavers, (size_t)all->count),
                             ALLOT__WANTED(room->place, tasks),
                             ALLOT__WANTED(room->went, (size_t)runs)) == ALLOT_OK;
}

int allot__whole_begin(allot__whole_all *all)
{
    int status = ALLOT_OK;
    all->arena = all->works[0]->arena;
    all->again = allot__arena_take(all->arena, (size_t)all->count, sizeof *all->again);
    if (!all->again)
        return ALLOT_ENOMEM;
    for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
        status = begin_group(all, group);
    if (status == ALLOT_OK)
        status = allot__askers_make(all);
    return status == ALLOT_OK && !take_room(all) ? ALLOT_ENOMEM : status;
}

/* ---- Rule 4 ---------------------------------------------------------------------------------- */

/* The last leaf that uses less than it could, in the first group that has one; NULL: none. */
static int find_last(allot__whole_all *all, allot__asker **out)
{
    int status = ALLOT_OK;
    *out = NULL;
    for (int32_t group = 0; group < all->count && !*out && status == ALLOT_OK; group++) {
        const allot__work *work = all->works[group];
        const allot__whole_again *again = &all->again[group];
        status = allot__whole_order(all, group);
        for (int32_t i = again->leaves.count - 1; i >= 0 && !*out && status == ALLOT_OK; i--) {
            int32_t row = again->leaves.row[i];
            bool yes;
            status = allot__whole_is_short(all, work, row, &yes);
            *out = yes ? work->whole->sides[row]->asker : NULL;
        }
    }
    return status;
}

/* Lowers an asker's demand to its use (all->uses), on each side that uses less than it could. */
static int lower(allot__whole_all *all, allot__asker *asker)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < asker->side_count; i++) {
        allot__side *side = &asker->sides[i];
        const allot__use *use = &all->uses[i];
        int32_t *demand = &side->work->whole->demand[side->row];
        if (use->used < allot__least(use->quota, *demand)) {
            *demand = (int32_t)use->used;
            status = allot__whole_redivide(all, side->work->index, side->row);
        }
        if (status != ALLOT_OK)
            break;
    }
    return status;
}

static int lower_all(allot__whole_all *all)
{
    int32_t done;
    int status = allot__whole_walk(all, &done);
    for (;;) {
        allot__asker *asker = NULL;
        if (status == ALLOT_OK)
            status = allot__whole_batch(all, &done);
        if (status == ALLOT_OK && done == 0)
            status = find_last(all, &asker);
        if (status == ALLOT_OK && asker)
            status = lower(all, asker);
        if (status != ALLOT_OK || (done == 0 && !asker))
            return status;
    }
}

/* Copies needs and sums before demands are lowered, for people. */
static int keep_needs(allot__work *work)
{
    size_t rows = (size_t)work->tree->rows, families = (size_t)work->tree->families;
    int32_t *need = allot__arena_take(work->arena, rows + 1, sizeof *need);
    allot__sums *sums = allot__arena_take(work->arena, families, sizeof *sums);
    if (!need || !sums)
        return ALLOT_ENOMEM;
    memcpy(need, work->need, rows * sizeof *need);
    memcpy(sums, work->sums, families * sizeof *sums);
    work->whole->need = need;
    work->whole->sums = sums;
    return ALLOT_OK;
}

int allot__whole_lower(allot__whole_all *all)
{
    int status = ALLOT_OK;
    for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
        status = keep_needs(all->works[group]);
    for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
        status = allot__whole_know(all, group);
    if (status == ALLOT_OK)
        status = lower_all(all);
    if (status == ALLOT_OK)
        status = allot__whole_rest(all);
    for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
        if (all->again[group].open)
            status = allot__whole_settle(all, group);
    allot__whole_let_go(all);
    return status;
}
