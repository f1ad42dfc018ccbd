/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reserve.c: slots reserved for jobs that wait. */
#include "engine/jobs/reserve.h"

#include "base/heap.h"
#include "base/least.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Tells hosts of a cell apart that differ: `bits` has those with some property. */
static int32_t part(const allot__host_view *view, allot__reserve *reserve, const uint64_t *bits,
                    int32_t *numbers)
{
    int32_t cells = 0;
    for (int32_t i = 0; i < 2 * reserve->cells; i++)
        numbers[i] = -1;
    for (int32_t host = 0; host < view->count; host++) {
        bool has = bits[host / 64] >> host % 64 & 1;
        int32_t *number = &numbers[2 * reserve->cell_of[host] + has];
        *number = *number < 0 ? cells++ : *number;
        reserve->cell_of[host] = *number;
    }
    return cells;
}

/* Numbers cells in the plan's order of their first hosts. */
static void number(const allot__host_view *view, allot__reserve *reserve, int32_t *numbers)
{
    int32_t sites = view->host_of ? view->work->state->tasks.site_count : 1, cells = 0;
    for (int32_t i = 0; i < reserve->cells; i++)
        numbers[i] = -1;
    for (int32_t site = 0; site < sites; site++) {
        int32_t host = allot__host_view_host(view, site);
        if (host < 0)
            continue;
        int32_t *cell = &numbers[reserve->cell_of[host]];
        if (*cell < 0) {
            reserve->host_of[cells] = host;
            *cell = cells++;
        }
        reserve->cell_of[host] = *cell;
    }
    reserve->cells = cells;
}

/* Does any limit go by hosts? Then each host is by itself. */
static bool limits_by_host(const allot__bounds *bounds)
{
    size_t limits = bounds->class_of ? allot__queues_of(bounds->work->plan)->limits.count : 0;
    for (size_t i = 0; i < limits; i++)
        if (allot__limit_trait(bounds, (int32_t)i)->by_host)
            return true;
    return false;
}

static void part_all(const allot__turns *turns, allot__reserve *reserve, int32_t *numbers)
{
    const allot__host_view *view = &turns->out->view;
    bool alone = view->exclusive || limits_by_host(&turns->out->bounds);
    reserve->cells = 1;
    for (int32_t set = 0; set < view->set_count; set++)
        reserve->cells = part(view, reserve, view->sets[set], numbers);
    for (int32_t host = 0; host < view->count; host++)
        if (alone || (view->owner && view->owner[host] >= 0))
            reserve->cell_of[host] = reserve->cells++;
    number(view, reserve, numbers);
}

static int take_room(const allot__turns *turns, allot__reserve *reserve, size_t hosts, size_t jobs)
{
    return ALLOT__ZEROED_ALL(
        turns->work->arena, ALLOT__WANTED(reserve->cell_of, hosts),
        ALLOT__WANTED(reserve->host_of, 2 * hosts), ALLOT__WANTED(reserve->profiles, 2 * hosts),
        ALLOT__WANTED(reserve->unreserved, 2 * hosts), ALLOT__WANTED(reserve->left, 2 * hosts),
        ALLOT__WANTED(reserve->worth, 2 * hosts), ALLOT__WANTED(reserve->event, 2 * hosts),
        ALLOT__WANTED(reserve->takes, 2 * hosts), ALLOT__WANTED(reserve->heap, 2 * hosts),
        ALLOT__WANTED(reserve->free, hosts), ALLOT__WANTED(reserve->gone, jobs),
        ALLOT__WANTED(reserve->others, (size_t)reserve->other_count),
        ALLOT__WANTED(turns->out->reserved, jobs));
}

int allot__reserve_make(allot__turns *turns)
{
    const allot__host_view *view = &turns->out->view;
    allot_backfill how = turns->work->rules[0].policy->backfill;
    size_t hosts = (size_t)view->count, jobs = turns->jobs->list.count;
    int32_t *numbers = NULL;
    if (how == ALLOT_FIRST_FIT)
        return ALLOT_OK;
    allot__reserve *reserve = allot__zeroed(turns->work, 1, sizeof *reserve);
    if (!reserve)
        return ALLOT_ENOMEM;
    reserve->how = how;
    reserve->first = -1;
    reserve->other_count = allot_plan_resources(turns->work->plan) + turns->queues->pool_count;
    int status = take_room(turns, reserve, hosts, jobs);
    if (status == ALLOT_OK)
        status = ALLOT__ZEROED_ALL(turns->work->arena, ALLOT__WANTED(numbers, 2 * hosts + 2));
    if (status != ALLOT_OK)
        return status;
    part_all(turns, reserve, numbers);
    for (size_t i = 0; i < jobs; i++)
        turns->out->reserved[i].at = INT64_MAX;
    turns->reserve = reserve;
    return ALLOT_OK;
}

void allot__reserve_end(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    if (!reserve)
        return;
    const allot__reservation *list = reserve->list.items;
    for (size_t i = 0; i < reserve->list.count; i++)
        turns->out->due = allot__least(turns->out->due, list[i].at);
    allot__vector *vectors[] = {&reserve->by_bound, &reserve->list,  &reserve->parts,
                                &reserve->uses,     &reserve->wants, &reserve->releases,
                                &reserve->set};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        allot__vector_free(turns->work->plan->engine, vectors[i]);
}

void allot__reserve_reset(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    if (!reserve)
        return;
    const allot__reservation *list = reserve->list.items;
    for (size_t i = 0; i < reserve->list.count; i++)
        turns->out->reserved[list[i].job].at = INT64_MAX;
    reserve->list.count = reserve->parts.count = reserve->uses.count = 0;
    reserve->changes = 0;
    reserve->first = -1;
}

/* ---- Reservations ---------------------------------------------------------------------------- */

/* How long a job that waits would run. */
static int64_t until_of(const allot__turns *turns, int32_t number, int64_t at)
{
    int64_t end = allot__forecast_end(turns, number), until;
    if (end == ALLOT__FOREVER || __builtin_add_overflow(at, end - turns->work->state->now, &until))
        return ALLOT__FOREVER;
    return until;
}

/* Slots of a cell that limits by hosts leave the job, beside those that it tries already. */
static int64_t within(const allot__turns *turns, int32_t number, int32_t cell, int64_t slots)
{
    int32_t binding, host = turns->reserve->host_of[cell];
    slots = allot__least(slots, INT32_MAX);
    if (slots <= 0 || !allot__bounds_by_host(&turns->out->bounds, number))
        return slots;
    return allot__bounds_on_host(&turns->out->bounds, number, host, (int32_t)slots, &binding);
}

/* Slots of a cell that the job may have from a time on; an exclusive one has whole hosts. */
static int64_t free_in(const allot__turns *turns, int32_t number, int32_t cell, int64_t at,
                       int64_t until)
{
    const allot__profile *profile = &turns->reserve->profiles[cell];
    return allot__reserve_worth(turns, cell, allot__reserve_brief(turns, number)->exclusive,
                                allot__profile_look(profile, at, until, INT64_MIN).least);
}

/* Chooses the cells of a reservation, in reserve->left, and how many slots the job would use there,
 * in reserve->takes: first slots that are not free now, so that jobs may still start on those that
 * are; not so where limits go by hosts. Returns how many slots are lacking. */
static int64_t choose(allot__turns *turns, int32_t number, int64_t at, int64_t until)
{
    allot__reserve *reserve = turns->reserve;
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    int64_t left = job->slots;
    for (int32_t cell = 0; cell < reserve->cells; cell++)
        reserve->left[cell] = reserve->takes[cell] = 0;
    bool once = allot__bounds_by_host(&turns->out->bounds, number); /* as limits count once */
    for (int32_t i = once ? reserve->cells : 0; i < 2 * reserve->cells && left > 0; i++) {
        int32_t cell = i % reserve->cells;
        if (!allot__reserve_serves(turns, cell, job->queue))
            continue;
        int64_t free = free_in(turns, number, cell, at, until);
        int64_t is =
            allot__reserve_worth(turns, cell, job->exclusive, reserve->profiles[cell].free[0]);
        int64_t now = allot__least(free, is);
        int64_t slots = once ? free : i < reserve->cells ? free - now : now;
        int64_t takes = within(turns, number, cell, allot__least(slots, left));
        if (takes <= 0)
            continue;
        allot__bounds_try(&turns->out->bounds, number, reserve->host_of[cell], (int32_t)takes);
        reserve->left[cell] += job->exclusive ? slots : takes;
        reserve->takes[cell] += takes;
        left -= takes;
    }
    allot__bounds_tried(&turns->out->bounds, number);
    return left;
}

/* Do limits, resources and pools allow the job its slots all that time? */
static bool allowed(allot__turns *turns, int32_t number, int64_t at, int64_t until)
{
    int64_t slots = allot__reserve_brief(turns, number)->slots;
    int32_t binding;
    int status = allot__allowances_as_of(turns, number, at, until);
    if (status != ALLOT_OK)
        turns->reserve->status = status;
    bool fits = allot__allowances_let(turns, number, slots, &binding);
    if (fits && allot__bounds_by_host(&turns->out->bounds, number))
        fits = choose(turns, number, at, until) <= 0;
    allot__allowances_now(turns);
    return fits;
}

/* ---- The earliest time ----------------------------------------------------------------------- */

static bool sooner(const void *ud, int32_t a, int32_t b)
{
    const int64_t *event = ud;
    return event[a] != event[b] ? event[a] < event[b] : a < b;
}

/* Are there neither limits nor resources nor pools? */
static bool free_of_limits(const allot__turns *turns)
{
    return !turns->out->bounds.class_of && turns->reserve->other_count == 0;
}

/* Notes what a cell is worth from a time on, and until when that is so. */
static void look(const allot__turns *turns, int32_t number, int32_t cell, int64_t at)
{
    allot__reserve *reserve = turns->reserve;
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    const allot__profile *profile = &reserve->profiles[cell];
    int64_t until = until_of(turns, number, at), enough = INT64_MIN;
    if (job->exclusive)
        enough = turns->out->view.slots[reserve->host_of[cell]];
    else if (reserve->cells == 1)
        enough = job->slots;
    allot__profile_part part = allot__profile_look(profile, at, until, enough);
    int64_t worth = allot__reserve_worth(turns, cell, job->exclusive, part.least);
    int64_t event = part.next;
    bool most = part.least >= enough && enough != INT64_MIN; /* it is never worth more */
    event = most ? ALLOT__FOREVER : event;
    if (worth > 0 && part.least >= enough &&
        !(most && reserve->cells == 1 && free_of_limits(turns))) {
        int64_t fall = allot__profile_fall(profile, until, most ? enough : part.least);
        event = fall == ALLOT__FOREVER ? event : allot__least(event, fall - (until - at) + 1);
    }
    reserve->worth[cell] = worth;
    reserve->event[cell] = event;
}

/* The cells that serve the job, as a heap by when their worth changes. */
static int32_t look_at_all(const allot__turns *turns, int32_t number, int64_t *sum)
{
    allot__reserve *reserve = turns->reserve;
    int32_t count = 0;
    *sum = 0;
    for (int32_t cell = 0; cell < reserve->cells; cell++) {
        if (!allot__reserve_serves(turns, cell, allot__reserve_brief(turns, number)->queue))
            continue;
        look(turns, number, cell, turns->work->state->now);
        *sum += reserve->worth[cell];
        reserve->heap[count++] = cell;
    }
    allot__heap_make(reserve->heap, count, sooner, reserve->event);
    return count;
}

/* The earliest time from which on the job has enough slots for so long; ALLOT__FOREVER: none. Only
 * cells that change until then are looked at again. */
static int64_t earliest(allot__turns *turns, int32_t number)
{
    allot__reserve *reserve = turns->reserve;
    int64_t at = turns->work->state->now, sum, slots = allot__reserve_brief(turns, number)->slots;
    int32_t *heap = reserve->heap, count = look_at_all(turns, number, &sum);
    while (sum < slots || !allowed(turns, number, at, until_of(turns, number, at))) {
        int64_t next = count > 0 ? reserve->event[heap[0]] : ALLOT__FOREVER;
        if (sum >= slots)
            next = allot__least(next, allot__allowances_next(turns, number, at));
        if (next == ALLOT__FOREVER)
            return ALLOT__FOREVER;
        at = next;
        while (reserve->event[heap[0]] <= at) {
            sum -= reserve->worth[heap[0]];
            look(turns, number, heap[0], at);
            sum += reserve->worth[heap[0]];
            allot__heap_sink(heap, count, 0, sooner, reserve->event);
        }
    }
    return at;
}

/* ---- A reservation is made ------------------------------------------------------------------- */

/* Appends the chosen cells, and what the job will use of allowances there. ENOMEM. */
static int put_parts(allot__turns *turns, int32_t number)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    int32_t count = 0;
    for (int32_t cell = 0; cell < reserve->cells; cell++) {
        if (reserve->takes[cell] == 0)
            continue;
        allot__reserved_part *part =
            allot__push(turns->work->plan->engine, &reserve->parts, sizeof *part);
        if (!part)
            return ALLOT_ENOMEM;
        *part = (allot__reserved_part){.slots = reserve->left[cell], .cell = cell};
        turns->out->reserved[number].slots += reserve->left[cell];
        turns->places[count++] = (allot__job_place){.site = view->site[reserve->host_of[cell]],
                                                    .slots = (int32_t)reserve->takes[cell]};
    }
    return allot__allowance_parts(turns, number, ALLOT_ORDER_START, turns->places, count,
                                  &reserve->uses);
}

static int add(allot__turns *turns, int32_t number, int64_t at)
{
    allot__reserve *reserve = turns->reserve;
    int64_t until = until_of(turns, number, at);
    allot__reservation it = {.at = at,
                             .until = until,
                             .job = number,
                             .first = (int32_t)reserve->parts.count,
                             .first_use = (int32_t)reserve->uses.count};
    int status = allot__allowances_as_of(turns, number, at, until);
    turns->out->reserved[number].at = at;
    turns->out->reserved[number].slots = 0;
    if (status == ALLOT_OK)
        choose(turns, number, at, until);
    allot__allowances_now(turns);
    status = status == ALLOT_OK ? put_parts(turns, number) : status;
    allot__reservation *kept =
        status == ALLOT_OK ? allot__push(turns->work->plan->engine, &reserve->list, sizeof *kept)
                           : NULL;
    if (!kept)
        return ALLOT_ENOMEM;
    *kept = it;
    return allot__forecast_take(turns, kept);
}

/* Does the job lack slots, whatever limits by hosts leave it of those that are free? */
static bool lacks_slots(allot__turns *turns, int32_t number, allot_pending why)
{
    const allot__job_brief *job = allot__reserve_brief(turns, number);
    int32_t binding;
    if (why != ALLOT_PEND_LIMIT)
        return why == ALLOT_PEND_SLOTS || why == ALLOT_PEND_EXCLUSIVE || why == ALLOT_PEND_LEASE;
    if (!allot__bounds_allow(&turns->out->bounds, number, job->slots, &binding))
        return false;
    allot__host_view_as(&turns->out->view, job->queue);
    return allot__host_view_total(&turns->out->view, turns->queues->set_of[job->queue]) <
           job->slots;
}

int allot__reserve_wait(allot__turns *turns, int32_t number, allot_pending why)
{
    allot__reserve *reserve = turns->reserve;
    bool slots = lacks_slots(turns, number, why);
    bool other = why == ALLOT_PEND_BEHIND || why == ALLOT_PEND_LIMIT ||
                 why == ALLOT_PEND_RESOURCE || why == ALLOT_PEND_POOL;
    if ((!slots && !(other && reserve->how == ALLOT_CONSERVATIVE)) ||
        turns->out->jobs[number].why == ALLOT_PEND_HELD)
        return ALLOT_OK;
    if (reserve->how == ALLOT_NO_BACKFILL)
        reserve->first = reserve->first < 0 ? number : reserve->first;
    if (reserve->how == ALLOT_NO_BACKFILL || allot__reserve_full(turns))
        return ALLOT_OK;
    allot__host_view_as(&turns->out->view, allot__reserve_brief(turns, number)->queue);
    int status = allot__forecast(turns, false);
    int64_t at = status == ALLOT_OK ? earliest(turns, number) : ALLOT__FOREVER;
    return at != ALLOT__FOREVER ? add(turns, number, at) : status;
}

int allot__reserve_started(allot__turns *turns, int32_t number, int64_t changes)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    if (reserve->changes != changes || reserve->all ||
        allot__reserve_brief(turns, number)->exclusive ||
        allot__bits_next(&view->keepers, 0) < view->keepers.bound)
        return ALLOT_OK; /* the forecast is made anew */
    int status = allot__forecast_place(turns, number, ALLOT_ORDER_START, turns->places,
                                       turns->place_count, true);
    if (status == ALLOT_OK)
        reserve->changes = view->changes;
    return status;
}
