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

typedef struct starting {
    allot__whole_all *all;
    allot__asker *asker;
    int64_t *left;  /* by side: slots that are there */
    int64_t *slots; /* ... and that tasks start on */
    bool *ended;
} starting;

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

static int begin(starting *it)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        allot__side *side = &it->asker->sides[i];
        const allot__work *work = side->work;
        it->all->uses[i].quota = work->quota[side->row];
        side->there =
            work->received[side->row] - moved(side) + own_idle(side, work->quota[side->row]);
        it->left[i] = side->there;
        it->slots[i] = 0;
        it->ended[i] = false;
    }
    int status = allot__whole_use(it->all, it->asker, it->all->uses, it->all->marks);
    for (int32_t i = 0; i < it->asker->side_count; i++)
        it->asker->sides[i].stays = it->all->uses[i].stays;
    return status;
}

static bool can_start(const starting *it, int32_t task)
{
    bool can = task >= it->asker->going && it->all->marks[task] != 0;
    for (int32_t i = 0; i < it->asker->side_count && can; i++) {
        int32_t slots = allot__waits_for(it->asker, task, i);
        can = slots == 0 || (!it->ended[i] && slots <= it->left[i]);
    }
    return can;
}

/* Takes a task's slots off what is there; or nothing of the list starts behind it. */
static void pass(starting *it, int32_t task, bool starts, bool skip)
{
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const allot__side *side = &it->asker->sides[i];
        allot__whole *whole = side->work->whole;
        int32_t slots = allot__waits_for(it->asker, task, i);
        it->ended[i] = it->ended[i] || (!starts && !skip && slots > 0);
        if (!starts || slots == 0)
            continue;
        it->left[i] -= slots;
        it->slots[i] += slots;
        int32_t at = whole->start_first[side->row] + side->work->starting[side->row]++;
        whole->starts[at] = it->asker->task[task];
    }
}

static int start_leaf(allot__whole_all *all, allot__asker *asker)
{
    starting it = {.all = all,
                   .asker = asker,
                   .left = all->room.used,
                   .slots = all->room.more,
                   .ended = all->room.ended};
    bool skip = asker->sides[0].work->whole->skip;
    int status = begin(&it);
    for (int32_t i = 0; i < asker->waits && status == ALLOT_OK; i++)
        pass(&it, i, can_start(&it, i), skip);
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        int64_t own = own_idle(side, all->uses[i].quota);
        int64_t granted = it.slots[i] > own ? it.slots[i] - own : 0;
        side->work->granted[side->row] = (int32_t)(granted + moved(side));
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
