/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leavers.c: from the last task on, a task stays if it fits into the slots left of each group. */
#include "engine/victims/leavers.h"

#include <string.h>

enum { STAYS = 0, GOES, OPEN };

static int32_t keep_one(const allot__tasks *tasks, allot__leavers *side, int32_t *place,
                        int32_t *went)
{
    int32_t count = 0;
    for (int32_t k = side->count - 1; k >= 0; k--) {
        place[side->task[k]] = k;
        side->gone[k] = side->slots[k] > side->left;
        if (!side->gone[k])
            side->left -= side->slots[k];
        else if (went)
            went[count] = allot__task_first(tasks, side->task[k]);
        count += side->gone[k];
    }
    return count;
}

/* ---- Several groups -------------------------------------------------------------------------- */

typedef struct keeping {
    const allot__tasks *tasks;
    allot__leavers *sides;
    int32_t count;
    const int32_t *place; /* by number: where it stands, if it does */
} keeping;

/* A task's place on a side; -1: it is no candidate there. */
static int32_t place_on(const keeping *it, const allot__leavers *side, int32_t there)
{
    int32_t place = there >= 0 ? it->place[there] : -1;
    return place >= 0 && place < side->count && side->task[place] == there ? place : -1;
}

/* Is a task the next one on all sides on which it is a candidate? */
static bool is_next(const keeping *it, int32_t task)
{
    for (int32_t i = 0; i < it->count; i++) {
        const allot__leavers *side = &it->sides[i];
        int32_t place = place_on(it, side, allot__task_in(it->tasks, task, side->group));
        if (place >= 0 && place != side->head)
            return false;
    }
    return true;
}

/* Is task a looked at before task b? */
static bool stays_before(const keeping *it, int32_t a, int32_t b)
{
    const allot__task *one = allot__task_at(it->tasks, a);
    const allot__task *other = allot__task_at(it->tasks, b);
    if (one->started != other->started)
        return one->started < other->started;
    return strcmp(one->thing.id, other->thing.id) < 0;
}

/* The task to look at next; -1: none is left. If groups order tasks differently, there may be no
 * task that is next on all sides: then the first side's next one. */
static int32_t next_task(const keeping *it)
{
    int32_t best = -1, any = -1;
    for (int32_t i = 0; i < it->count; i++) {
        const allot__leavers *side = &it->sides[i];
        if (side->head < 0)
            continue;
        int32_t task = side->task[side->head];
        any = any < 0 ? task : any;
        if (is_next(it, task) && (best < 0 || stays_before(it, task, best)))
            best = task;
    }
    return best >= 0 ? best : any;
}

static bool fits(const keeping *it, int32_t task)
{
    for (int32_t i = 0; i < it->count; i++) {
        const allot__leavers *side = &it->sides[i];
        int32_t place = place_on(it, side, allot__task_in(it->tasks, task, side->group));
        if (place >= 0 && side->slots[place] > side->left)
            return false;
    }
    return true;
}

/* Records on each side whether a task stays. */
static void settle(const keeping *it, int32_t task, bool stays)
{
    for (int32_t i = 0; i < it->count; i++) {
        allot__leavers *side = &it->sides[i];
        int32_t there = allot__task_in(it->tasks, task, side->group);
        int32_t place = place_on(it, side, there);
        if (place < 0 && there >= 0 && !stays)
            side->freed += allot__task_at(it->tasks, there)->slots;
        if (place < 0)
            continue;
        side->gone[place] = stays ? STAYS : GOES;
        side->left -= stays ? side->slots[place] : 0;
        while (side->head >= 0 && side->gone[side->head] != OPEN)
            side->head--;
    }
}

int32_t allot__leavers_keep(const allot__tasks *tasks, allot__leavers *sides, int32_t count,
                            int32_t *place, int32_t *went)
{
    keeping it = {tasks, sides, count, place};
    int32_t task, gone = 0;
    for (int32_t i = 0; i < count; i++)
        sides[i].freed = 0;
    if (count == 1)
        return keep_one(tasks, sides, place, went);
    for (int32_t i = 0; i < count; i++) {
        if (sides[i].count > 0)
            memset(sides[i].gone, OPEN, (size_t)sides[i].count);
        sides[i].head = sides[i].count - 1;
        for (int32_t k = 0; k < sides[i].count; k++)
            place[sides[i].task[k]] = k;
    }
    while ((task = next_task(&it)) >= 0) {
        bool stays = fits(&it, task);
        settle(&it, task, stays);
        if (!stays && went)
            went[gone] = allot__task_first(tasks, task);
        gone += !stays;
    }
    return gone;
}

/* ---- Victims --------------------------------------------------------------------------------- */

typedef struct choosing {
    allot__leaver_groups *all;
    const allot__tasks *tasks;
    allot__arena *arena;
    allot__unit_rows *tables; /* by group */
    allot__leavers *sides;    /* ... of the leaf at hand */
    int32_t *place;
    uint8_t *chosen;
} choosing;

/* Slots that a leaf gives back in a group, except those with named tasks. */
static int64_t owed_by(const allot__orders *orders, int32_t row)
{
    int64_t owed = 0;
    for (int32_t i = 0; i < orders->reclaim_count; i++)
        if (orders->reclaims[i].row == row && !orders->reclaims[i].tasks)
            owed += orders->reclaims[i].slots;
    return owed;
}

/* Lists a leaf's candidates in a group. */
static int line_up(choosing *it, int32_t group, int32_t leaf, allot__leavers *side)
{
    allot__work *work = it->all->works[group];
    allot__queue queue;
    int status = allot__victims_begin(it->all->victims[group], &it->tables[group], leaf, &queue);
    if (status == ALLOT_OK)
        status = allot__pick_all(&queue.pick, it->arena, &queue.picked);
    if (status != ALLOT_OK)
        return status;
    size_t count = (size_t)queue.picked.count + 1;
    int32_t *task = allot__arena_take(it->arena, count, sizeof *task);
    int32_t *slots = allot__arena_take(it->arena, count, sizeof *slots);
    int64_t owed =
        owed_by(it->all->orders[group], allot__row(work->plan, group, leaf)) - queue.idle;
    *side = (allot__leavers){.group = group,
                             .count = queue.picked.count,
                             .task = task,
                             .slots = slots,
                             .left = owed > 0 ? -owed : 0};
    side->gone = allot__arena_take(it->arena, count, 1);
    if (!task || !slots || !side->gone)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < queue.picked.count; i++) {
        int32_t n, unit = queue.rows.base + queue.picked.rows[i];
        task[i] = allot__unit_tasks(queue.rows.units, unit, &n)[0];
        slots[i] = queue.rows.units->slots[unit];
        side->left += slots[i];
    }
    return ALLOT_OK;
}

static bool has_units(const allot__work *work, int32_t leaf)
{
    const allot__units *units = allot__units_of(work);
    return units && units->first[leaf] < units->end[leaf];
}

static int choose_leaf(choosing *it, int32_t leaf)
{
    int32_t sides = 0;
    bool gives = false;
    int status = ALLOT_OK;
    for (int32_t group = 0; group < it->all->count; group++) {
        int32_t row = allot__row(it->all->works[group]->plan, group, leaf);
        gives = gives || owed_by(it->all->orders[group], row) > 0;
    }
    for (int32_t group = 0; gives && group < it->all->count && status == ALLOT_OK; group++)
        if (has_units(it->all->works[group], leaf))
            status = line_up(it, group, leaf, &it->sides[sides++]);
    if (!gives || status != ALLOT_OK)
        return status;
    allot__leavers_keep(it->tasks, it->sides, sides, it->place, NULL);
    for (int32_t i = 0; i < sides; i++) {
        for (int32_t k = 0; k < it->sides[i].count; k++) {
            int32_t first = allot__task_first(it->tasks, it->sides[i].task[k]);
            if (it->sides[i].gone[k] == GOES)
                it->chosen[first / 8] |= (uint8_t)(1 << first % 8);
        }
    }
    return ALLOT_OK;
}

/* Flags leaves that have a running task with slots of several groups. */
static uint8_t *find_coupled(choosing *it)
{
    allot__work *work = it->all->works[0];
    uint8_t *coupled = allot__zeroed(work, (size_t)work->tree->rows, 1);
    for (size_t i = 0; coupled && i < allot__task_count(it->tasks); i++) {
        const allot__task *task = allot__task_at(it->tasks, (int32_t)i);
        coupled[task->consumer] |= task->part > 0 && !task->pending;
    }
    return coupled;
}

int allot__leavers_choose(allot__leaver_groups *all)
{
    allot__work *work = all->works[0];
    choosing it = {.all = all, .tasks = &work->state->tasks, .arena = work->arena};
    size_t groups = (size_t)all->count, tasks = allot__task_count(it.tasks);
    if (it.tasks->coupled == 0)
        return ALLOT_OK;
    uint8_t *coupled = find_coupled(&it);
    if (!coupled || ALLOT__ZEROED_ALL(work->arena, ALLOT__EACH(groups, it.tables, it.sides),
                                      ALLOT__WANTED(it.place, tasks),
                                      ALLOT__WANTED(it.chosen, tasks / 8 + 1)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < all->count; i++) {
        all->works[i]->chosen = it.chosen;
        all->works[i]->coupled = coupled;
        allot__unit_rows_init(&it.tables[i], all->works[i]);
    }
    for (int32_t leaf = 0; leaf < work->tree->rows && status == ALLOT_OK; leaf++)
        if (coupled[leaf])
            status = choose_leaf(&it, leaf);
    return status;
}
