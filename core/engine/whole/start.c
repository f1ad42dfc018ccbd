/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * start.c: which tasks start, once it is known what leaves receive.
 *
 * Of the waiting tasks within a leaf's quota, a task starts if slots are there for it: slots that
 * the leaf received, or had and did not use. In a strict list none starts behind one that cannot.
 */
#include <string.h>

#include "base/least.h"
#include "engine/whole/whole.h"

/* Slots that a side gets elsewhere for as many that it gives (H-19). */
static int64_t moved(const allot__side *side)
{
    return side->work->moved ? side->work->moved[side->row] : 0;
}

/* Slots that it had and did not use, as far as it may keep them. */
static int64_t own_idle(const allot__side *side, int64_t quota)
{
    int64_t own = allot__least(side->idle, quota - side->running);
    return own > 0 ? own : 0;
}

/* Marks the waiting tasks within quotas; of uses, what is left becomes the slots that are there. */
static int begin(allot__whole_all *all, allot__asker *asker)
{
    int status = allot__whole_use_now(all, asker, all->marks);
    for (int32_t i = 0; i < asker->side_count; i++) {
        allot__side *side = &asker->sides[i];
        allot__use *use = &all->uses[i];
        side->stays = use->stays;
        side->there = side->work->received[side->row] - moved(side) + own_idle(side, use->quota);
        use->rest = use->wants = side->there;
        use->ended = false;
    }
    return status;
}

/* Lists a task as starting. */
static void add(const allot__asker *asker, int32_t task)
{
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        allot__whole *whole = side->work->whole;
        if (allot__waits_for(asker, task, i) > 0) {
            int32_t at = whole->start_first[side->row] + side->work->starting[side->row]++;
            whole->starts[at] = asker->task[task];
        }
    }
}

/* Has a leaf of one group, whose use is known, no slot to start on? */
static bool is_full(const allot__asker *asker)
{
    const allot__side *side = &asker->sides[0];
    const allot__work *work = side->work;
    return asker->side_count == 1 && side->looked == work->quota[side->row] &&
           work->received[side->row] == moved(side) && own_idle(side, side->looked) == 0;
}

static int start_leaf(allot__whole_all *all, allot__asker *asker)
{
    if (is_full(asker)) {
        asker->sides[0].there = 0;
        asker->sides[0].work->granted[asker->sides[0].row] = (int32_t)moved(&asker->sides[0]);
        return ALLOT_OK;
    }
    int status = begin(all, asker);
    for (int32_t i = 0; i < asker->waits && status == ALLOT_OK; i++) {
        bool starts =
            i >= asker->going && all->marks[i] != 0 && allot__whole_fits(asker, i, all->uses);
        allot__whole_put(asker, i, starts, all->uses);
        if (starts)
            add(asker, i);
    }
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        int64_t slots = side->there - all->uses[i].rest;
        int64_t own = own_idle(side, all->uses[i].quota);
        side->work->granted[side->row] = (int32_t)(allot__most(slots - own, 0) + moved(side));
    }
    return status;
}

/* How many tasks of a row wait. */
static size_t waits(const allot__whole *whole, size_t row)
{
    return whole->sides[row] ? (size_t)whole->sides[row]->asker->waits : 0;
}

/* Where each leaf's tasks that start are to stand. */
static int take_room(allot__work *work)
{
    allot__whole *whole = work->whole;
    size_t rows = (size_t)work->tree->rows, count = 0;
    for (size_t row = 0; row < rows; row++)
        count += waits(whole, row);
    if (ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(whole->starts, count),
                          ALLOT__WANTED(whole->start_first, rows),
                          ALLOT__WANTED(work->granted, rows),
                          ALLOT__WANTED(work->starting, rows)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    count = 0;
    for (size_t row = 0; row < rows; row++) {
        whole->start_first[row] = (int32_t)count;
        work->granted[row] = -1;
        count += waits(whole, row);
    }
    return ALLOT_OK;
}

int allot__whole_start(allot__whole_all *all)
{
    int status = ALLOT_OK;
    for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++)
        status = take_room(all->works[group]);
    for (int32_t i = 0; i < all->asker_count && status == ALLOT_OK; i++)
        if (all->askers[i].waits > all->askers[i].going)
            status = start_leaf(all, &all->askers[i]);
    return status;
}
