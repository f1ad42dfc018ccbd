/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* inside.c: leaf by leaf, behind all other decisions: what it adds changes no quota. */
#include "engine/whole/inside.h"

#include <string.h>

#include "base/least.h"
#include "engine/rows/pairs.h"
#include "engine/victims/units.h"
#include "engine/whole/asker.h"

/* ---- Tasks as rows --------------------------------------------------------------------------- */

static int64_t session_value(const allot__work *work, const allot__task *task, int32_t column)
{
    const allot__tasks *tasks = &work->state->tasks;
    int32_t number = allot__task_session(tasks, task);
    if (number < 0)
        return 0;
    const allot_session *session = (const allot_session *)tasks->sessions.items + number;
    return column == ALLOT_TASK_CREATED ? session->created : session->preemption_rank;
}

static int64_t attribute_value(const allot__rowset *rows, int32_t number, int32_t own)
{
    static const allot_task none = {.tag_count = 0};
    const allot_plan *plan = rows->work->plan;
    const allot__tasks *tasks = &rows->work->state->tasks;
    const allot_task *rest =
        allot__task_rest(allot__task_at(tasks, allot__task_first(tasks, number)));
    const allot_task *more = rest ? rest : &none;
    return allot__attribute_of(plan, more->tags, more->tag_count, more->values, more->value_count,
                               allot__task_attribute_of(plan, rows->rules->policy, own));
}

/* A row is a task's number. Running or pending, a task has its own priority. */
static const int64_t *read_task(const allot__rowset *rows, int32_t column, int32_t first, int32_t n,
                                int64_t *room)
{
    const allot__work *work = rows->work;
    for (int32_t i = 0; i < n; i++) {
        const allot__task *task = allot__task_at(&work->state->tasks, first + i);
        switch (column) {
        case ALLOT_TASK_SLOTS:
            room[i] = task->slots;
            break;
        case ALLOT_TASK_STARTED:
            room[i] = task->pending ? 0 : task->started;
            break;
        case ALLOT_TASK_SUBMITTED:
            room[i] = task->submitted;
            break;
        case ALLOT_TASK_RAN:
        case ALLOT_TASK_LEAST_RAN:
        case ALLOT_TASK_UNINTERRUPTED:
            room[i] = task->pending ? 0 : allot__ran(work->state->now, task->started);
            break;
        case ALLOT_TASK_WAITED:
            room[i] = allot__waited(work->state->now, task->submitted);
            break;
        case ALLOT_TASK_PREEMPTED:
            room[i] = task->preempted;
            break;
        case ALLOT_TASK_PRIORITY:
            room[i] = task->priority;
            break;
        case ALLOT_TASK_PREEMPTION_RANK:
        case ALLOT_TASK_CREATED:
            room[i] = session_value(work, task, column);
            break;
        default:
            room[i] = column < ALLOT_TASK_COLUMN_COUNT
                          ? 0
                          : attribute_value(rows, first + i, column - ALLOT_TASK_COLUMN_COUNT);
        }
    }
    return room;
}

static int32_t first_number(const allot__rowset *rows, int32_t row)
{
    return allot__task_first(&rows->work->state->tasks, row);
}

/* ---- One pending task ------------------------------------------------------------------------ */

typedef struct inside {
    allot__whole_all *all;
    allot__orders *const *orders;
    allot__asker *asker;
    const allot_policy *policy;
    allot__rowset rows;
    uint8_t *taken;   /* by number of a task: its place is taken in this cycle */
    int32_t *victims; /* first numbers, in the order in which they were taken */
    int32_t count;
    int64_t *lacks; /* by side: slots that the task at hand lacks there */
    uint8_t *may;   /* room, by candidate */
} inside;

/* Adds the slots of a victim on each side to what is lacking (1), or takes them off it (-1). */
static void count_victim(const inside *it, int32_t first, int64_t times)
{
    const allot__tasks *tasks = &it->rows.work->state->tasks;
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        int32_t there = allot__task_in(tasks, first, it->asker->sides[i].work->index);
        it->lacks[i] += there >= 0 ? times * allot__task_at(tasks, there)->slots : 0;
    }
}

static bool fits(const inside *it)
{
    bool fit = true;
    for (int32_t i = 0; i < it->asker->side_count; i++)
        fit = fit && it->lacks[i] <= 0;
    return fit;
}

/* Takes candidates of a side until the task fits there. */
static int take_side(inside *it, int32_t number, allot__side *side)
{
    const allot__tasks *tasks = &it->rows.work->state->tasks;
    const int64_t *lacks = &it->lacks[side->index];
    int status =
        *lacks > 0 ? allot__side_order(it->all, side, side->work->quota[side->row]) : ALLOT_OK;
    if (status == ALLOT_OK && *lacks > 0)
        status = allot__pairs_may(&it->rows, number, &it->rows, &it->policy->inside, side->task,
                                  side->count, it->may);
    for (int32_t k = 0; k<side->count && * lacks> 0 && status == ALLOT_OK; k++) {
        int32_t first = allot__task_first(tasks, side->task[k]);
        if (it->may[k] && !it->taken[first]) {
            it->taken[first] = 1;
            it->victims[it->count++] = first;
            count_victim(it, first, -1);
        }
    }
    return status;
}

/* Finds the victims of a pending task; they are it->victims from `from` on, none if it cannot fit.
 */
static int find_victims(inside *it, int32_t number)
{
    int32_t from = it->count, kept = from;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->asker->side_count && status == ALLOT_OK; i++)
        status = take_side(it, number, &it->asker->sides[i]);
    bool fit = fits(it);
    for (int32_t i = it->count - 1; i >= from; i--) {
        count_victim(it, it->victims[i], 1);
        if (fit && fits(it))
            it->taken[it->victims[i]] = 0;
        else
            count_victim(it, it->victims[i], -1);
    }
    for (int32_t i = from; i < it->count; i++) {
        int32_t first = it->victims[i];
        if (!fit)
            it->taken[first] = 0;
        if (it->taken[first])
            it->victims[kept++] = first;
    }
    it->count = kept;
    return status;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Adds one at the end of a group's reclaims. */
static int append(const allot__work *work, allot__orders *orders, allot__order_back order,
                  allot_claim claim)
{
    size_t count = (size_t)orders->reclaim_count, claims = 0;
    for (size_t i = 0; i < count; i++)
        claims = (size_t)allot__most((int64_t)claims,
                                     orders->reclaims[i].first + orders->reclaims[i].count);
    allot__order_back *more = allot__arena_take(work->arena, count + 1, sizeof *more);
    allot_claim *all = allot__arena_take(work->arena, claims + 1, sizeof *all);
    if (!more || !all)
        return ALLOT_ENOMEM;
    if (count > 0)
        memcpy(more, orders->reclaims, count * sizeof *more);
    if (claims > 0)
        memcpy(all, orders->claims, claims * sizeof *all);
    order.first = (int32_t)claims;
    order.count = 1;
    more[count] = order;
    all[claims] = claim;
    orders->reclaims = more;
    orders->claims = all;
    orders->reclaim_count++;
    return ALLOT_OK;
}

/* Would a leaf give more than most_reclaimed lets it with the victims from `from` on? One task
 * takes its place in any case. */
static bool is_beyond(const inside *it, int32_t from)
{
    const allot__tasks *tasks = &it->rows.work->state->tasks;
    bool beyond = false;
    for (int32_t i = 0; i < it->asker->side_count; i++) {
        const allot__side *side = &it->asker->sides[i];
        const allot__work *work = side->work;
        const int64_t *options = allot__rules_at(work, side->row)->options;
        int64_t slots = work->reclaimed[side->row];
        int64_t most = work->allocated[side->row] * options[ALLOT_OPTION_MOST_RECLAIMED] / 100;
        bool gives = slots > 0;
        for (int32_t k = from; k < it->count; k++) {
            int32_t there = allot__task_in(tasks, it->victims[k], work->index);
            slots += there >= 0 ? allot__task_at(tasks, there)->slots : 0;
        }
        beyond = beyond || (gives && slots > most);
    }
    return beyond;
}

/* Lets the victims from `from` on stay. */
static void drop(inside *it, int32_t from)
{
    while (it->count > from)
        it->taken[it->victims[--it->count]] = 0;
}

/* Reclaims what the victims from `from` on have in a group, for their own leaf. */
static int order_side(const inside *it, const allot__side *side, int32_t pending, int32_t from)
{
    const allot__work *work = side->work;
    const allot__tasks *tasks = &work->state->tasks;
    size_t count = (size_t)(it->count - from);
    int32_t *list = allot__arena_take(work->arena, count, sizeof *list);
    allot__order_back order = {.row = side->row,
                               .unowed = ALLOT__BY_INSIDE,
                               .grace = work->group->columns[ALLOT_GRACE][side->row],
                               .tasks = list,
                               .pending = pending};
    if (!list)
        return ALLOT_ENOMEM;
    for (int32_t i = from; i < it->count; i++) {
        int32_t there = allot__task_in(tasks, it->victims[i], work->index);
        if (there >= 0) {
            list[order.task_count++] = it->victims[i];
            order.slots += allot__task_at(tasks, there)->slots;
        }
    }
    allot_claim claim = {it->asker->consumer, order.slots};
    side->work->reclaimed[side->row] += (int32_t)order.slots;
    return order.slots > 0 ? append(work, it->orders[work->index], order, claim) : ALLOT_OK;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* Do several tasks of the leaf share a slot? No task takes such a place. */
static bool shares(const allot__side *side)
{
    const allot__units *units = allot__units_of(side->work);
    int32_t consumer = side->asker->consumer, count = 1;
    for (int32_t unit = units ? allot__units_first(units, consumer) : 0;
         units && unit < allot__units_end(units, consumer) && count == 1; unit++)
        allot__unit_tasks(units, unit, &count);
    return count > 1;
}

/* Rule 1. */
static bool is_still(const allot__asker *asker)
{
    bool still = true;
    for (int32_t i = 0; i < asker->side_count; i++) {
        const allot__side *side = &asker->sides[i];
        const allot__work *work = side->work;
        still = still && work->reclaimed[side->row] == 0 && asker->going == 0 &&
                (!work->in_flight || work->in_flight[side->row] == 0) &&
                (!work->moved || work->moved[side->row] == 0) && !shares(side) &&
                side->running <= work->quota[side->row];
    }
    return still;
}

/* Rules 2 and 3 for the pending task at that place; *ends: no task behind it takes a place. */
static int turn(inside *it, int32_t at, bool *ends)
{
    const allot__asker *asker = it->asker;
    allot__use *uses = it->all->uses;
    int32_t from = it->count;
    for (int32_t i = 0; i < asker->side_count; i++)
        it->lacks[i] = allot__waits_for(asker, at, i) - uses[i].rest;
    for (int32_t i = 0; i < asker->side_count; i++)
        it->lacks[i] = allot__waits_for(asker, at, i) > 0 ? it->lacks[i] : 0;
    bool fit = fits(it);
    int status = fit ? ALLOT_OK : find_victims(it, asker->task[at]);
    if (is_beyond(it, from))
        drop(it, from);
    if (!fit && it->count == from) {
        *ends = !asker->sides[0].work->whole->skip;
        return status;
    }
    for (int32_t i = 0; i < asker->side_count && status == ALLOT_OK; i++) {
        if (allot__waits_for(asker, at, i) > 0)
            uses[i].rest = -it->lacks[i];
        if (it->count > from)
            status = order_side(it, &asker->sides[i], asker->task[at], from);
    }
    return status;
}

static int take_room(inside *it)
{
    const allot__tasks *tasks = &it->rows.work->state->tasks;
    size_t count = allot__task_count(tasks) + 1;
    allot__arena *arena = it->all->arena;
    if (it->taken)
        return ALLOT_OK;
    return ALLOT__ZEROED_ALL(arena, ALLOT__EACH(count, it->taken, it->victims, it->may)) ||
                   ALLOT__TAKE_ALL(arena, ALLOT__WANTED(it->lacks, (size_t)it->all->count))
               ? ALLOT_ENOMEM
               : ALLOT_OK;
}

static int swap_leaf(inside *it)
{
    allot__asker *asker = it->asker;
    bool ends = false;
    int status = take_room(it);
    if (status == ALLOT_OK)
        status = allot__whole_use_now(it->all, asker, it->all->marks);
    for (int32_t i = 0; i < asker->waits && !ends && status == ALLOT_OK; i++)
        if (!it->all->marks[i])
            status = turn(it, i, &ends);
    return status;
}

int allot__inside(allot__whole_all *all, allot__orders *const *orders)
{
    inside it = {.all = all, .orders = orders};
    int status = ALLOT_OK;
    for (int32_t i = 0; i < all->asker_count && status == ALLOT_OK; i++) {
        allot__asker *asker = &all->askers[i];
        const allot__work *work = asker->sides[0].work;
        const allot__rules *rules = allot__rules_at(work, asker->sides[0].row);
        it.asker = asker;
        it.policy = rules->policy;
        it.rows = (allot__rowset){.work = work,
                                  .rules = rules,
                                  .kind = ALLOT_TASKS,
                                  .leaf = asker->consumer,
                                  .column = read_task,
                                  .item = first_number};
        if (it.policy->inside.count > 0 && asker->waits > 0 && is_still(asker))
            status = swap_leaf(&it);
    }
    return status;
}
