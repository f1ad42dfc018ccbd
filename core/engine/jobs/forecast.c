/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* forecast.c: what will be free, by the run limits of the jobs that run. */
#include "base/least.h"
#include "base/sort.h"
#include "engine/jobs/reserve.h"

/* More than the slots of any host: what an exclusive job has of its host. */
#define WHOLE ((int64_t)1 << 40)

/* ---- When jobs end --------------------------------------------------------------------------- */

/* How long a job runs in all: its run limit; of one that has run so long, twice that, four times,
 * ..., as the first guess was wrong. */
static int64_t length_of(int64_t limit, int64_t ran)
{
    int64_t length = allot__most(limit, 1);
    while (length <= ran)
        if (__builtin_mul_overflow(length, 2, &length))
            return ALLOT__FOREVER;
    return length;
}

int64_t allot__forecast_end(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    int64_t now = turns->work->state->now, end;
    if (job->run_limit == ALLOT_NONE)
        return ALLOT__FOREVER;
    int64_t ran = job->state == ALLOT_PENDING ? 0 : allot__job_ran(job, now);
    int64_t length = length_of(job->run_limit, ran);
    return length == ALLOT__FOREVER || __builtin_add_overflow(now, length - ran, &end)
               ? ALLOT__FOREVER
               : end;
}

/* Notes when a job's slots become free. */
static int note_slots(allot__turns *turns, int64_t end, const allot__job_place *places,
                      int32_t count, bool alone)
{
    allot__reserve *reserve = turns->reserve;
    size_t at = reserve->releases.count;
    int status = allot__vector_room(turns->work->plan->engine, &reserve->releases, (size_t)count,
                                    sizeof(allot__release));
    allot__release *releases = reserve->releases.items;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        releases[at] =
            (allot__release){.at = end, .slots = places[i].slots, .of = host, .alone = alone};
        at += host >= 0;
    }
    reserve->releases.count = at;
    return status;
}

/* ... and what it uses of allowances. */
static int note_uses(allot__turns *turns, int32_t job, int64_t end, allot_order_kind kind,
                     const allot__job_place *places, int32_t count)
{
    allot__reserve *reserve = turns->reserve;
    reserve->wants.count = 0;
    int status = allot__allowance_parts(turns, job, kind, places, count, &reserve->wants);
    const allot__bound_part *parts = reserve->wants.items;
    for (size_t i = 0; i < reserve->wants.count && status == ALLOT_OK; i++) {
        allot__release *release =
            allot__push(turns->work->plan->engine, &reserve->releases, sizeof *release);
        if (!release)
            return ALLOT_ENOMEM;
        *release = (allot__release){
            .at = end, .slots = parts[i].amount, .of = parts[i].bound, .allowance = true};
    }
    return status;
}

/* Notes slots that a job has had since an order of a kind; one resumed counted as it started. */
static int note(allot__turns *turns, int32_t job, allot_order_kind kind,
                const allot__job_place *places, int32_t count)
{
    int64_t end = allot__forecast_end(turns, job);
    bool grows = kind == ALLOT_ORDER_RESIZE;
    if (end == ALLOT__FOREVER || count == 0)
        return ALLOT_OK;
    int status = note_slots(turns, end, places, count,
                            !grows && allot__reserve_brief(turns, job)->exclusive);
    return status == ALLOT_OK
               ? note_uses(turns, job, end, grows ? kind : ALLOT_ORDER_START, places, count)
               : status;
}

/* Jobs that ran before the cycle, and run by now. */
static int note_running(allot__turns *turns)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; (size_t)i < turns->jobs->list.count && status == ALLOT_OK; i++) {
        if (allot__reserve_brief(turns, i)->state != ALLOT_RUNNING ||
            turns->states[i] != ALLOT_RUNNING || turns->reserve->gone[i])
            continue;
        const allot__job *job = allot__job_at(turns->jobs, i);
        status = note(turns, i, ALLOT_ORDER_START, allot__job_places(job), job->place_count);
        if (status == ALLOT_OK)
            status = note(turns, i, ALLOT_ORDER_RESIZE, allot__job_grown(job), job->grown_count);
    }
    return status;
}

/* What orders of this cycle gave to jobs. */
static int note_orders(allot__turns *turns)
{
    const allot_job_order *orders = turns->out->orders.items;
    const allot_place *places = turns->out->places.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < turns->out->orders.count && status == ALLOT_OK; i++) {
        int32_t job = orders[i].job;
        bool grows = orders[i].kind == ALLOT_ORDER_RESIZE && turns->grown[job];
        bool starts = orders[i].kind < ALLOT_ORDER_RESIZE &&
                      allot__reserve_brief(turns, job)->state != ALLOT_RUNNING;
        if ((grows || starts) && turns->states[job] == ALLOT_RUNNING) {
            const allot__job_place *of;
            int32_t count =
                allot__order_places(turns->work, &orders[i], places, turns->back_places, &of);
            status = note(turns, job, orders[i].kind, of, count);
        }
        places = places ? places + orders[i].place_count : NULL;
    }
    return status;
}

/* ---- What is free ---------------------------------------------------------------------------- */

/* Slots of a host that a job may have, if `free` are left. */
static int64_t usable(const allot__host_view *view, int32_t host, int64_t free)
{
    return allot__least(allot__most(free, 0), view->slots[host]);
}

static int put(allot__turns *turns, int32_t cell, int64_t at, int64_t free)
{
    allot__arena *arena = turns->work->arena;
    int status = allot__profile_put(arena, &turns->reserve->profiles[cell], at, free);
    return status == ALLOT_OK
               ? allot__profile_put(arena, &turns->reserve->unreserved[cell], at, free)
               : status;
}

static int put_now(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    int status = ALLOT_OK;
    for (int32_t cell = 0; cell < reserve->cells; cell++)
        reserve->left[cell] = reserve->profiles[cell].count = reserve->unreserved[cell].count = 0;
    for (int32_t host = 0; host < view->count; host++) {
        reserve->free[host] =
            view->free[host] + (reserve->all ? view->kept[host] : 0) - view->alone[host] * WHOLE;
        reserve->left[reserve->cell_of[host]] += usable(view, host, reserve->free[host]);
    }
    for (int32_t cell = 0; cell < reserve->cells && status == ALLOT_OK; cell++)
        status = put(turns, cell, turns->work->state->now, reserve->left[cell]);
    return status;
}

/* The order in which slots become free. ENOMEM. */
static int sort_releases(allot__turns *turns, int32_t **out)
{
    const allot__release *releases = turns->reserve->releases.items;
    size_t count = turns->reserve->releases.count;
    int64_t *times = NULL;
    int32_t *rows = NULL, *other = NULL;
    if (ALLOT__TAKE_ALL(turns->work->arena, ALLOT__WANTED(times, count), ALLOT__WANTED(rows, count),
                        ALLOT__WANTED(other, count)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        times[i] = releases[i].at;
        rows[i] = (int32_t)i;
    }
    allot__sort_rows(rows, other, times, 0, (int32_t)count);
    *out = rows;
    return ALLOT_OK;
}

static int put_slots(allot__turns *turns, const allot__release *release)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    int64_t *free = &reserve->free[release->of];
    int32_t cell = reserve->cell_of[release->of];
    const allot__profile *profile = &reserve->profiles[cell];
    int64_t before = usable(view, release->of, *free);
    *free += release->slots + (release->alone ? WHOLE : 0);
    int64_t more = usable(view, release->of, *free) - before;
    if (more <= 0)
        return ALLOT_OK;
    return put(turns, cell, release->at, profile->free[profile->count - 1] + more);
}

static int put_releases(allot__turns *turns)
{
    const allot__release *releases = turns->reserve->releases.items;
    int32_t *rows = NULL;
    int status = sort_releases(turns, &rows);
    for (size_t i = 0; i < turns->reserve->releases.count && status == ALLOT_OK; i++) {
        const allot__release *it = &releases[rows[i]];
        status = it->allowance ? allot__allowance_free(turns, it->of, it->at, it->slots)
                               : put_slots(turns, it);
    }
    return status;
}

/* ---- What is reserved ------------------------------------------------------------------------ */

/* Under `easy` a job keeps its part of allowances from now on: once others used that up, if only
 * until then, it would wait for a limit, and have no reservation. */
int allot__forecast_take(allot__turns *turns, const allot__reservation *it)
{
    allot__reserve *reserve = turns->reserve;
    const allot__reservation *list = reserve->list.items, *end = list + reserve->list.count;
    const allot__reserved_part *parts = reserve->parts.items;
    const allot__bound_part *uses = reserve->uses.items;
    bool last = it + 1 >= end;
    size_t part_end = last ? reserve->parts.count : (size_t)it[1].first;
    size_t use_end = last ? reserve->uses.count : (size_t)it[1].first_use;
    int64_t at = allot__most(it->at, turns->work->state->now);
    int64_t kept_from = reserve->how == ALLOT_EASY ? turns->work->state->now : at;
    int status = ALLOT_OK;
    for (size_t i = (size_t)it->first; i < part_end && status == ALLOT_OK; i++)
        status = allot__profile_take(turns->work->arena, &reserve->profiles[parts[i].cell], at,
                                     it->until, parts[i].slots);
    for (size_t i = (size_t)it->first_use; i < use_end && status == ALLOT_OK; i++)
        status = allot__allowance_take(turns, uses[i].bound, kept_from, it->until, uses[i].amount);
    return status;
}

int allot__forecast(allot__turns *turns, bool all)
{
    allot__reserve *reserve = turns->reserve;
    if (reserve->changes == turns->out->view.changes && reserve->all == all)
        return ALLOT_OK;
    reserve->all = all;
    reserve->releases.count = 0;
    allot__allowances_clear(turns);
    int status = note_running(turns);
    status = status ? status : note_orders(turns);
    status = status ? status : put_now(turns);
    status = status ? status : put_releases(turns);
    const allot__reservation *list = reserve->list.items;
    for (size_t i = 0; i < reserve->list.count && status == ALLOT_OK; i++)
        status = allot__forecast_take(turns, &list[i]);
    reserve->changes = status == ALLOT_OK ? turns->out->view.changes : 0;
    return status;
}

/* ... where what is left now includes it already, an allowance without steps only lacks its end. */
static int place_use(allot__turns *turns, const allot__bound_part *use, int64_t until, bool counted)
{
    if (!counted || allot__allowance_at(turns, use->bound))
        return allot__allowance_take(turns, use->bound, turns->work->state->now, until,
                                     use->amount);
    return until == ALLOT__FOREVER ? ALLOT_OK
                                   : allot__allowance_free(turns, use->bound, until, use->amount);
}

int allot__forecast_place(allot__turns *turns, int32_t number, allot_order_kind kind,
                          const allot__job_place *places, int32_t count, bool counted)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    bool exclusive = allot__reserve_brief(turns, number)->exclusive;
    allot__arena *arena = turns->work->arena;
    int64_t now = turns->work->state->now, until = allot__forecast_end(turns, number);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host < 0)
            continue;
        int32_t cell = reserve->cell_of[host];
        int64_t slots = exclusive ? view->slots[host] : places[i].slots;
        status = allot__profile_take(arena, &reserve->profiles[cell], now, until, slots);
        if (status == ALLOT_OK)
            status = allot__profile_take(arena, &reserve->unreserved[cell], now, until, slots);
    }
    reserve->wants.count = 0;
    if (status == ALLOT_OK)
        status = allot__allowance_parts(turns, number, kind, places, count, &reserve->wants);
    const allot__bound_part *uses = reserve->wants.items;
    for (size_t i = 0; i < reserve->wants.count && status == ALLOT_OK; i++)
        status = place_use(turns, &uses[i], until, counted);
    return status;
}
