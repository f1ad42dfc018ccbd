/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reserve.c: slots reserved for jobs that wait. */
#include "engine/jobs/reserve.h"

#include "base/least.h"
#include "base/sort.h"

/* More than the slots of any host: what an exclusive job has of its host. */
#define WHOLE ((int64_t)1 << 40)

static const allot__job_brief *brief(const allot__turns *turns, int32_t job)
{
    return &turns->jobs->briefs[job];
}

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
}

static void part_all(const allot__host_view *view, allot__reserve *reserve, int32_t *numbers)
{
    reserve->cells = 1;
    for (int32_t set = 0; set < view->set_count; set++)
        reserve->cells = part(view, reserve, view->sets[set], numbers);
    for (int32_t host = 0; host < view->count; host++)
        if (view->exclusive || (view->owner && view->owner[host] >= 0))
            reserve->cell_of[host] = reserve->cells++;
    number(view, reserve, numbers);
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
    int status = ALLOT__ZEROED_ALL(
        turns->work->arena, ALLOT__WANTED(reserve->cell_of, hosts),
        ALLOT__WANTED(reserve->host_of, 2 * hosts), ALLOT__WANTED(reserve->profiles, 2 * hosts),
        ALLOT__WANTED(reserve->left, 2 * hosts), ALLOT__WANTED(reserve->free, hosts),
        ALLOT__WANTED(reserve->gone, jobs), ALLOT__WANTED(turns->out->reserved, jobs),
        ALLOT__WANTED(numbers, 2 * hosts + 2));
    if (status != ALLOT_OK)
        return status;
    part_all(view, reserve, numbers);
    for (size_t i = 0; i < jobs; i++)
        turns->out->reserved[i] = INT64_MAX;
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
    allot__vector_free(turns->work->plan->engine, &reserve->list);
    allot__vector_free(turns->work->plan->engine, &reserve->parts);
    allot__vector_free(turns->work->plan->engine, &reserve->releases);
}

void allot__reserve_reset(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    if (!reserve)
        return;
    const allot__reservation *list = reserve->list.items;
    for (size_t i = 0; i < reserve->list.count; i++)
        turns->out->reserved[list[i].job] = INT64_MAX;
    reserve->list.count = reserve->parts.count = 0;
    reserve->changes = 0;
    reserve->first = -1;
}

/* ---- The forecast ---------------------------------------------------------------------------- */

/* When a job that runs, or would from now on, ends by its run limit: later than now even if it has
 * run longer. */
static int64_t end_of(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    int64_t now = turns->work->state->now, end;
    if (job->run_limit == ALLOT_NONE)
        return ALLOT__FOREVER;
    int64_t ran = job->state == ALLOT_PENDING ? 0 : allot__job_ran(job, now);
    int64_t left = allot__most(job->run_limit - allot__least(ran, job->run_limit), 1);
    return __builtin_add_overflow(now, left, &end) ? ALLOT__FOREVER : end;
}

/* Notes when a job's slots become free. */
static int note(allot__turns *turns, int32_t job, const allot__job_place *places, int32_t count,
                bool alone)
{
    allot__reserve *reserve = turns->reserve;
    int64_t end = end_of(turns, job);
    size_t at = reserve->releases.count;
    if (end == ALLOT__FOREVER)
        return ALLOT_OK;
    int status = allot__vector_room(turns->work->plan->engine, &reserve->releases, (size_t)count,
                                    sizeof(allot__release));
    allot__release *releases = reserve->releases.items;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        releases[at] =
            (allot__release){.at = end, .slots = places[i].slots, .host = host, .alone = alone};
        at += host >= 0;
    }
    reserve->releases.count = at;
    return status;
}

/* Jobs that ran before the cycle, and run by now. */
static int note_running(allot__turns *turns)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; (size_t)i < turns->jobs->list.count && status == ALLOT_OK; i++) {
        if (brief(turns, i)->state != ALLOT_RUNNING || turns->states[i] != ALLOT_RUNNING ||
            turns->reserve->gone[i])
            continue;
        const allot__job *job = allot__job_at(turns->jobs, i);
        status =
            note(turns, i, allot__job_places(job), job->place_count, brief(turns, i)->exclusive);
        if (status == ALLOT_OK)
            status = note(turns, i, allot__job_grown(job), job->grown_count, false);
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
        bool starts =
            orders[i].kind < ALLOT_ORDER_RESIZE && brief(turns, job)->state != ALLOT_RUNNING;
        if ((grows || starts) && turns->states[job] == ALLOT_RUNNING) {
            const allot__job_place *of;
            int32_t count =
                allot__order_places(turns->work, &orders[i], places, turns->back_places, &of);
            status = note(turns, job, of, count, starts && brief(turns, job)->exclusive);
        }
        places = places ? places + orders[i].place_count : NULL;
    }
    return status;
}

/* Slots of a host that a job may have, if `free` are left. */
static int64_t usable(const allot__host_view *view, int32_t host, int64_t free)
{
    return allot__least(allot__most(free, 0), view->slots[host]);
}

static int put_now(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    int status = ALLOT_OK;
    for (int32_t cell = 0; cell < reserve->cells; cell++)
        reserve->left[cell] = reserve->profiles[cell].count = 0;
    for (int32_t host = 0; host < view->count; host++) {
        reserve->free[host] =
            view->free[host] + (reserve->all ? view->kept[host] : 0) - view->alone[host] * WHOLE;
        reserve->left[reserve->cell_of[host]] += usable(view, host, reserve->free[host]);
    }
    for (int32_t cell = 0; cell < reserve->cells && status == ALLOT_OK; cell++)
        status = allot__profile_put(turns->work->arena, &reserve->profiles[cell],
                                    turns->work->state->now, reserve->left[cell]);
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

static int put_releases(allot__turns *turns)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    const allot__release *releases = reserve->releases.items;
    int32_t *rows = NULL;
    int status = sort_releases(turns, &rows);
    for (size_t i = 0; i < reserve->releases.count && status == ALLOT_OK; i++) {
        const allot__release *release = &releases[rows[i]];
        int64_t *free = &reserve->free[release->host];
        allot__profile *profile = &reserve->profiles[reserve->cell_of[release->host]];
        int64_t before = usable(view, release->host, *free);
        *free += release->slots + (release->alone ? WHOLE : 0);
        int64_t more = usable(view, release->host, *free) - before;
        if (more > 0)
            status = allot__profile_put(turns->work->arena, profile, release->at,
                                        profile->free[profile->count - 1] + more);
    }
    return status;
}

/* Takes the slots of a reservation's parts, from the one at `first` on. */
static int take(allot__turns *turns, const allot__reservation *it)
{
    allot__reserve *reserve = turns->reserve;
    const allot__reservation *list = reserve->list.items, *end = list + reserve->list.count;
    const allot__reserved_part *parts = reserve->parts.items;
    size_t last = it + 1 < end ? (size_t)it[1].first : reserve->parts.count;
    int status = ALLOT_OK;
    for (size_t i = (size_t)it->first; i < last && status == ALLOT_OK; i++)
        status = allot__profile_take(turns->work->arena, &reserve->profiles[parts[i].cell],
                                     allot__most(it->at, turns->work->state->now), it->until,
                                     parts[i].slots);
    return status;
}

/* `all`: as if no suspended job kept slots. */
static int forecast(allot__turns *turns, bool all)
{
    allot__reserve *reserve = turns->reserve;
    if (reserve->changes == turns->out->view.changes && reserve->all == all)
        return ALLOT_OK;
    reserve->all = all;
    reserve->releases.count = 0;
    int status = note_running(turns);
    status = status ? status : note_orders(turns);
    status = status ? status : put_now(turns);
    status = status ? status : put_releases(turns);
    const allot__reservation *list = reserve->list.items;
    for (size_t i = 0; i < reserve->list.count && status == ALLOT_OK; i++)
        status = take(turns, &list[i]);
    reserve->changes = status == ALLOT_OK ? turns->out->view.changes : 0;
    return status;
}

int allot__reserve_started(allot__turns *turns, int32_t number, int64_t changes)
{
    allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    if (reserve->changes != changes || reserve->all || brief(turns, number)->exclusive ||
        allot__bits_next(&view->keepers, 0) < view->keepers.bound)
        return ALLOT_OK; /* the forecast is made anew */
    int64_t until = end_of(turns, number);
    for (int32_t i = 0; i < turns->place_count; i++) {
        int32_t host = allot__host_view_host(view, turns->places[i].site);
        int status =
            allot__profile_take(turns->work->arena, &reserve->profiles[reserve->cell_of[host]],
                                turns->work->state->now, until, turns->places[i].slots);
        if (status != ALLOT_OK)
            return status;
    }
    reserve->changes = view->changes;
    return ALLOT_OK;
}

/* ---- What may start beside it ---------------------------------------------------------------- */

/* What a job may have of a cell; an exclusive one has whole hosts. */
static int64_t worth(const allot__turns *turns, int32_t cell, bool exclusive, int64_t free)
{
    int64_t whole = turns->out->view.slots[turns->reserve->host_of[cell]];
    return !exclusive || free >= whole ? allot__most(free, 0) : 0;
}

bool allot__reserve_bind(allot__turns *turns, int32_t number, bool resumes)
{
    allot__reserve *reserve = turns->reserve;
    if (!allot__reserve_some(turns))
        return false;
    int status = forecast(turns, resumes);
    if (status != ALLOT_OK) {
        reserve->status = status;
        return false;
    }
    int64_t until = end_of(turns, number);
    for (int32_t cell = 0; cell < reserve->cells; cell++)
        reserve->left[cell] = worth(
            turns, cell, brief(turns, number)->exclusive,
            allot__profile_look(&reserve->profiles[cell], turns->work->state->now, until, 0).least);
    reserve->binds = true;
    return true;
}

void allot__reserve_unbind(allot__turns *turns)
{
    if (turns->reserve)
        turns->reserve->binds = false;
}

/* May jobs of the queue have slots of the cell? */
static bool serves(const allot__turns *turns, int32_t cell, int32_t queue)
{
    const allot__host_view *view = &turns->out->view;
    int32_t host = turns->reserve->host_of[cell];
    return allot__host_view_has(view, turns->queues->set_of[queue], host) &&
           (!view->owner || view->owner[host] < 0 || view->owner[host] == queue);
}

int32_t allot__reserve_before(const allot__turns *turns, int32_t number)
{
    const allot__reserve *reserve = turns->reserve;
    const allot__reservation *list = reserve->list.items;
    const allot__reserved_part *parts = reserve->parts.items;
    int64_t until = end_of(turns, number);
    for (size_t i = 0, part = 0; i < reserve->list.count; i++) {
        size_t end = i + 1 < reserve->list.count ? (size_t)list[i + 1].first : reserve->parts.count;
        for (; part < end; part++)
            if (list[i].at < until && serves(turns, parts[part].cell, brief(turns, number)->queue))
                return list[i].job;
    }
    return list[0].job;
}

/* ---- Reservations ---------------------------------------------------------------------------- */

/* How long a job that waits would run. */
static int64_t until_of(const allot__turns *turns, int32_t number, int64_t at)
{
    int64_t end = end_of(turns, number), until;
    if (end == ALLOT__FOREVER || __builtin_add_overflow(at, end - turns->work->state->now, &until))
        return ALLOT__FOREVER;
    return until;
}

/* The earliest time from which on the job has enough slots for so long; ALLOT__FOREVER: none. */
static int64_t earliest(const allot__turns *turns, int32_t number)
{
    const allot__reserve *reserve = turns->reserve;
    const allot__host_view *view = &turns->out->view;
    const allot__job_brief *job = brief(turns, number);
    int64_t at = turns->work->state->now, slots = 0;
    while (at != ALLOT__FOREVER && slots < job->slots) {
        int64_t until = until_of(turns, number, at), next = ALLOT__FOREVER;
        slots = 0;
        for (int32_t cell = 0; cell < reserve->cells; cell++) {
            if (!serves(turns, cell, job->queue))
                continue;
            int64_t enough = job->exclusive        ? view->slots[reserve->host_of[cell]]
                             : reserve->cells == 1 ? job->slots
                                                   : INT64_MIN;
            allot__profile_part part =
                allot__profile_look(&reserve->profiles[cell], at, until, enough);
            slots += worth(turns, cell, job->exclusive, part.least);
            next = allot__least(next, part.next);
        }
        at = slots < job->slots ? next : at;
    }
    return at;
}

/* Reserves slots of its cells: first those that are not free now, so that jobs may still start on
 * those that are. */
static int reserve_parts(allot__turns *turns, int32_t number, int64_t at, int64_t until)
{
    allot__reserve *reserve = turns->reserve;
    const allot__job_brief *job = brief(turns, number);
    int64_t left = job->slots;
    for (int32_t i = 0; i < 2 * reserve->cells && left > 0; i++) {
        int32_t cell = i % reserve->cells;
        const allot__profile *profile = &reserve->profiles[cell];
        if (!serves(turns, cell, job->queue))
            continue;
        int64_t free = worth(turns, cell, job->exclusive,
                             allot__profile_look(profile, at, until, INT64_MIN).least);
        int64_t now = allot__least(free, worth(turns, cell, job->exclusive, profile->free[0]));
        int64_t slots = i < reserve->cells ? free - now : now;
        slots = job->exclusive ? slots : allot__least(slots, left);
        if (slots <= 0)
            continue;
        allot__reserved_part *part =
            allot__push(turns->work->plan->engine, &reserve->parts, sizeof *part);
        if (!part)
            return ALLOT_ENOMEM;
        *part = (allot__reserved_part){.slots = slots, .cell = cell};
        left -= slots;
    }
    return ALLOT_OK;
}

static int add(allot__turns *turns, int32_t number, int64_t at)
{
    allot__reserve *reserve = turns->reserve;
    int64_t until = until_of(turns, number, at);
    allot__reservation it = {
        .at = at, .until = until, .job = number, .first = (int32_t)reserve->parts.count};
    int status = reserve_parts(turns, number, at, until);
    allot__reservation *kept =
        status == ALLOT_OK ? allot__push(turns->work->plan->engine, &reserve->list, sizeof *kept)
                           : NULL;
    if (!kept)
        return ALLOT_ENOMEM;
    *kept = it;
    turns->out->reserved[number] = at;
    return take(turns, kept);
}

int allot__reserve_wait(allot__turns *turns, int32_t number, allot_pending why)
{
    allot__reserve *reserve = turns->reserve;
    bool slots = why == ALLOT_PEND_SLOTS || why == ALLOT_PEND_EXCLUSIVE || why == ALLOT_PEND_LEASE;
    bool behind = why == ALLOT_PEND_BEHIND && reserve->how == ALLOT_CONSERVATIVE;
    if ((!slots && !behind) || turns->out->jobs[number].why == ALLOT_PEND_HELD)
        return ALLOT_OK;
    if (reserve->how == ALLOT_NO_BACKFILL)
        reserve->first = reserve->first < 0 ? number : reserve->first;
    if (reserve->how == ALLOT_NO_BACKFILL || allot__reserve_full(turns))
        return ALLOT_OK;
    allot__host_view_as(&turns->out->view, brief(turns, number)->queue);
    int status = forecast(turns, false);
    int64_t at = status == ALLOT_OK ? earliest(turns, number) : ALLOT__FOREVER;
    return at != ALLOT__FOREVER ? add(turns, number, at) : status;
}
