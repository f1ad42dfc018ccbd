/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* asker.c: finds the leaves whose tasks start whole, and lays out their sides. */
#include "engine/whole/asker.h"

#include <string.h>

#include "engine/rows/flight.h"
#include "engine/victims/victim.h"

/* While askers are made. */
typedef struct making {
    allot__whole_all *all;
    const allot__tasks *tasks;
    uint8_t *coupled;      /* by consumer: a task of it has slots of several groups */
    int32_t *head;         /* room, by side */
    allot__side *sides;    /* room for sides of askers in one group */
    int32_t *task, *slots; /* of the asker: what waits */
} making;

static int32_t waiting_count(const allot__work *work, int32_t consumer)
{
    int32_t count;
    allot__waiting_of(&work->state->tasks, work->index, consumer, &count);
    return count;
}

static int32_t unit_count(const allot__work *work, int32_t consumer)
{
    const allot__units *units = allot__units_of(work);
    return units ? units->end[consumer] - units->first[consumer] : 0;
}

int32_t allot__side_units(const allot__side *side)
{
    return unit_count(side->work, side->asker->consumer);
}

static bool has_tasks(const allot__work *work, int32_t consumer)
{
    return unit_count(work, consumer) > 0 || waiting_count(work, consumer) > 0;
}

/* ---- What runs ------------------------------------------------------------------------------- */

/* Is a unit going, so that its tasks wait again? */
static bool leaves(const allot__victims *victims, int32_t unit)
{
    uint8_t mark = victims->ineligible[unit];
    return mark == ALLOT__INELIGIBLE_GOING || mark == ALLOT__INELIGIBLE_CLOSED;
}

/* Records picked rows in order, from `at` on. */
static void note(allot__side *side, const allot__queue *queue, const allot__picked *picked,
                 int32_t at)
{
    for (int32_t i = 0; i < picked->count; i++) {
        int32_t n, unit = queue->rows.base + picked->rows[i];
        side->task[at + i] = allot__unit_tasks(queue->rows.units, unit, &n)[0];
        side->slots[at + i] = queue->rows.units->slots[unit];
    }
}

/* Room for a side's units. */
static int take_lists(const allot__whole_all *all, allot__side *side)
{
    size_t count = (size_t)unit_count(side->work, side->asker->consumer) + 1;
    return side->task ? ALLOT_OK
                      : ALLOT__TAKE_ALL(all->arena, ALLOT__EACH(count, side->task, side->slots),
                                        ALLOT__WANTED(side->gone, count));
}

/* Makes the queue of the side's leaf, with all candidates in order. */
static int line_up(const allot__whole_all *all, allot__side *side, allot__unit_rows *tables,
                   allot__queue *queue)
{
    allot__work *work = side->work;
    allot__victims *victims = all->victims[work->index];
    victims->over = NULL; /* to be computed for the present quotas of sessions */
    int status = take_lists(all, side);
    if (status == ALLOT_OK)
        status = allot__victims_begin(victims, tables, side->asker->consumer, queue);
    if (status == ALLOT_OK)
        status = allot__pick_all(&queue->pick, work->arena, &queue->picked);
    victims->over = NULL;
    side->count = status == ALLOT_OK ? queue->picked.count : 0;
    side->may = status == ALLOT_OK ? queue->picked.slots : 0;
    side->anew = queue->pick.anew != NULL;
    side->lined = true;
    if (status == ALLOT_OK)
        note(side, queue, &queue->picked, 0);
    return status;
}

/* Adds units that go already behind the candidates, in the same order. */
static int line_up_going(const allot__whole_all *all, allot__side *side, allot__queue *queue)
{
    const allot__victims *victims = all->victims[side->work->index];
    const uint8_t *before = queue->pick.ineligible;
    int32_t count = queue->pick.count;
    allot__picked picked;
    uint8_t *stays = allot__zeroed(side->work, (size_t)count, 1);
    bool some = false;
    if (!stays)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        stays[i] = !leaves(victims, queue->rows.base + i);
        some = some || !stays[i];
    }
    queue->pick.ineligible = stays;
    int status = some ? allot__pick_all(&queue->pick, side->work->arena, &picked) : ALLOT_OK;
    queue->pick.ineligible = before;
    if (some && status == ALLOT_OK)
        note(side, queue, &picked, side->count);
    side->going = some && status == ALLOT_OK ? picked.count : 0;
    return status;
}

/* Sorts a side's running tasks in the order in which they would go at that quota. */
static int order_for(const allot__whole_all *all, allot__side *side, int64_t quota)
{
    allot__work *work = side->work;
    allot__arena arena, *mine = work->arena;
    int32_t own = work->quota[side->row];
    allot__unit_rows tables;
    allot__queue queue;
    allot__arena_init(&arena, work->plan->engine);
    work->arena = &arena;
    work->quota[side->row] = (int32_t)quota;
    allot__unit_rows_init(&tables, work);
    int status = allot__sessions(work);
    if (status == ALLOT_OK)
        status = line_up(all, side, &tables, &queue);
    work->quota[side->row] = own;
    work->arena = mine;
    allot__arena_free(&arena);
    return status;
}

int allot__side_order(const allot__whole_all *all, allot__side *side, int64_t quota)
{
    allot__work *work = side->work;
    allot__queue queue;
    int status = ALLOT_OK;
    if (!side->lined && unit_count(work, side->asker->consumer) > 0)
        status = line_up(all, side, &all->tables[work->index], &queue);
    return status == ALLOT_OK && side->anew ? order_for(all, side, quota) : status;
}

/* Counts slots in use, and unused ones (C-8; `idle`, if tasks are lined up): without running tasks,
 * all slots of a leaf but those of unlisted work are unused. */
static void count_running(allot__side *side, int64_t idle, const allot__victims *victims)
{
    const allot__work *work = side->work;
    const int32_t *unlisted = work->state->groups[work->index].unlisted;
    int32_t consumer = side->asker->consumer;
    const allot__units *units = allot__units_of(work);
    int64_t held = work->allocated[side->row] - (work->in_flight ? work->in_flight[side->row] : 0);
    int64_t listed = units ? allot__units_held(units, consumer) : 0, stays = listed;
    for (int32_t i = 0; victims->ineligible && i < unit_count(work, consumer); i++)
        if (leaves(victims, units->first[consumer] + i))
            stays -= units->slots[units->first[consumer] + i];
    side->idle = side->lined ? idle : held - listed - (unlisted ? unlisted[consumer] : 0);
    side->idle = side->idle < held ? side->idle : held;
    side->idle = side->idle > 0 ? side->idle : 0;
    side->running = held > side->idle ? held - side->idle : 0;
    side->unlisted = side->running > stays ? side->running - stays : 0;
}

static int line_up_all(const allot__whole_all *all, allot__side *side, int64_t *idle)
{
    int32_t group = side->work->index;
    allot__queue queue;
    int status = line_up(all, side, &all->tables[group], &queue);
    if (status == ALLOT_OK && all->victims[group]->ineligible)
        status = line_up_going(all, side, &queue);
    *idle = status == ALLOT_OK ? queue.idle : 0;
    return status;
}

/* Tasks of one group all of which may go are lined up once some have to (allot__side_order). */
static int take_units(making *it, allot__side *side)
{
    const allot__victims *victims = it->all->victims[side->work->index];
    bool some = unit_count(side->work, side->asker->consumer) > 0;
    int64_t idle = 0;
    int status = ALLOT_OK;
    if (some && (victims->ineligible || it->coupled[side->asker->consumer]))
        status = line_up_all(it->all, side, &idle);
    count_running(side, idle, victims);
    return status;
}

/* ---- What waits ------------------------------------------------------------------------------ */

/* Adds a task: its slots on each side. */
static void add_task(making *it, allot__asker *asker, int32_t number)
{
    int32_t *slots = it->slots + (size_t)asker->waits * (size_t)asker->side_count;
    for (int32_t i = 0; i < asker->side_count; i++) {
        int32_t there = allot__task_in(it->tasks, number, asker->sides[i].work->index);
        slots[i] = there >= 0 ? allot__task_at(it->tasks, there)->slots : 0;
    }
    it->task[asker->waits++] = allot__task_first(it->tasks, number);
}

static bool has_task(const making *it, const allot__asker *asker, int32_t first)
{
    for (int32_t i = 0; i < asker->waits; i++)
        if (it->task[i] == first)
            return true;
    return false;
}

/* Adds tasks that go but still run, the last one first; the first of several tasks that share a
 * slot stands for all. */
static void add_going(making *it, allot__asker *asker)
{
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        for (int32_t k = side->count + side->going - 1; k >= side->count; k--)
            if (i == 0 || !has_task(it, asker, allot__task_first(it->tasks, side->task[k])))
                add_task(it, asker, side->task[k]);
    }
    asker->going = asker->waits;
}

/* The side whose next task starts before those of the others, or -1. */
static int32_t next_side(const making *it, const allot__asker *asker, int32_t *task)
{
    int32_t best = -1;
    for (int32_t i = 0; i < asker->side_count; i++) {
        int32_t end, group = asker->sides[i].work->index;
        const int32_t *list = allot__waiting_of(it->tasks, group, asker->consumer, &end);
        while (it->head[i] < end &&
               allot__task_first(it->tasks, list[it->head[i]]) != list[it->head[i]])
            it->head[i]++; /* it comes with the side of its own group */
        if (it->head[i] < end &&
            (best < 0 || allot__task_starts_before(it->tasks, list[it->head[i]], *task))) {
            best = i;
            *task = list[it->head[i]];
        }
    }
    return best;
}

static void add_pending(making *it, allot__asker *asker)
{
    int32_t side, task;
    memset(it->head, 0, (size_t)asker->side_count * sizeof *it->head);
    while ((side = next_side(it, asker, &task)) >= 0) {
        add_task(it, asker, task);
        it->head[side]++;
    }
}

static int take_waiting(making *it, allot__asker *asker)
{
    size_t most = 1;
    const allot__side *only = asker->sides;
    if (it->coupled[asker->consumer] == 0 && only->going == 0) { /* a list as it is */
        int32_t group = only->work->index;
        asker->task = allot__waiting_of(it->tasks, group, asker->consumer, &asker->waits);
        if (asker->waits > 0)
            asker->slots = allot__waiting_slots(it->tasks, group, asker->consumer);
        return ALLOT_OK;
    }
    for (int32_t i = 0; i < asker->side_count; i++)
        most += (size_t)unit_count(asker->sides[i].work, asker->consumer) +
                (size_t)waiting_count(asker->sides[i].work, asker->consumer);
    asker->task = it->task = allot__arena_take(it->all->arena, most, sizeof *it->task);
    asker->slots = it->slots =
        allot__arena_take(it->all->arena, most * (size_t)asker->side_count, sizeof *it->slots);
    if (!it->task || !it->slots)
        return ALLOT_ENOMEM;
    add_going(it, asker);
    add_pending(it, asker);
    return ALLOT_OK;
}

/* ---- Askers ---------------------------------------------------------------------------------- */

/* Adds an asker with sides in the groups `from` ... `to` - 1 in which the consumer has tasks. */
static int add_asker(making *it, int32_t consumer, int32_t from, int32_t to)
{
    allot__whole_all *all = it->all;
    allot__asker *asker = &all->askers[all->asker_count++];
    *asker = (allot__asker){.consumer = consumer};
    asker->sides = it->coupled[consumer] == 0
                       ? it->sides++
                       : allot__arena_take(all->arena, (size_t)(to - from), sizeof *asker->sides);
    int status = asker->sides ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t group = from; group < to && status == ALLOT_OK; group++) {
        allot__work *work = all->works[group];
        if (!has_tasks(work, consumer))
            continue;
        allot__side *side = &asker->sides[asker->side_count];
        *side = (allot__side){.work = work,
                              .asker = asker,
                              .index = asker->side_count++,
                              .looked = -1,
                              .row = allot__row(work->plan, group, consumer)};
        work->whole->sides[side->row] = side;
        work->whole->fine_to[side->row] = -1;
        status = take_units(it, side);
    }
    return status == ALLOT_OK ? take_waiting(it, asker) : status;
}

static int find_askers(making *it)
{
    allot__whole_all *all = it->all;
    int32_t rows = all->works[0]->tree->rows;
    int status = ALLOT_OK;
    for (int32_t consumer = 0; consumer < rows && status == ALLOT_OK; consumer++) {
        bool some = false;
        for (int32_t group = 0; group < all->count && status == ALLOT_OK; group++) {
            bool here = all->works[group]->state->groups[group].asks[consumer] != 0;
            some = some || here;
            if (here && it->coupled[consumer] == 0)
                status = add_asker(it, consumer, group, group + 1);
        }
        if (some && it->coupled[consumer] != 0 && status == ALLOT_OK)
            status = add_asker(it, consumer, 0, all->count);
    }
    return status;
}

int allot__askers_make(allot__whole_all *all)
{
    size_t groups = (size_t)all->count;
    size_t consumers = (size_t)all->works[0]->plan->tree.rows;
    making it = {.all = all, .tasks = &all->works[0]->state->tasks};
    all->tables = allot__arena_take(all->arena, groups, sizeof *all->tables);
    it.head = allot__arena_take(all->arena, groups, sizeof *it.head);
    it.coupled = allot__zeroed(all->works[0], consumers, 1);
    if (!all->tables || !it.head || !it.coupled)
        return ALLOT_ENOMEM;
    size_t count = 1;
    for (int32_t group = 0; group < all->count; group++)
        count += (size_t)all->works[group]->state->groups[group].asking;
    all->askers = allot__arena_take(all->arena, count, sizeof *all->askers);
    it.sides = allot__arena_take(all->arena, count, sizeof *it.sides);
    if (!all->askers || !it.sides)
        return ALLOT_ENOMEM;
    for (int32_t group = 0; group < all->count; group++)
        if (allot__units_of(all->works[group]))
            allot__unit_rows_init(&all->tables[group], all->works[group]);
    for (size_t i = 0; it.tasks->coupled > 0 && i < allot__task_count(it.tasks); i++) {
        const allot__task *task = allot__task_at(it.tasks, (int32_t)i);
        it.coupled[task->consumer] |= task->part > 0;
    }
    return find_askers(&it);
}
