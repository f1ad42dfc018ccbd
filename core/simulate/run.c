/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * run.c: jobs of an account: waiting jobs, the highest priority first, then the first submitted;
 * running segments, by account and by end; and starts, ends and kills of tasks of leaves.
 */
#include <string.h>

#include "simulate/sim.h"

/* ---- Waiting --------------------------------------------------------------------------------- */

int allot__touch(allot_simulation *sim, allot__account *account)
{
    sim->due = account->stale = true;
    if (account->dirty)
        return ALLOT_OK;
    int32_t *added = allot__push(sim->engine, &sim->dirty, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = (int32_t)(account - sim->accounts);
    account->dirty = true;
    return ALLOT_OK;
}

/* Jobs number in the order of submission. */
static bool goes_before(const allot_simulation *sim, int32_t a, int32_t b)
{
    int32_t one = allot__job_of(sim, a)->priority, other = allot__job_of(sim, b)->priority;
    return one != other ? one > other : a < b;
}

static int32_t *waiting_of(const allot__account *account)
{
    return (int32_t *)account->waiting.items + account->gone;
}

/* How many waiting jobs go before a job. */
static size_t place_of(const allot_simulation *sim, const allot__account *account, int32_t job)
{
    const int32_t *list = waiting_of(account);
    size_t low = 0, high = allot__waits(account);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (goes_before(sim, list[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int allot__wait_put(allot_simulation *sim, allot__account *account, int32_t job)
{
    size_t at = place_of(sim, account, job), behind = allot__waits(account) - at;
    if (!allot__push(sim->engine, &account->waiting, sizeof job))
        return ALLOT_ENOMEM;
    int32_t *list = waiting_of(account);
    memmove(list + at + 1, list + at, behind * sizeof *list);
    list[at] = job;
    allot__job_of(sim, job)->queued = 1;
    return ALLOT_OK;
}

int32_t allot__wait_at(const allot__account *account, size_t i)
{
    return i < allot__waits(account) ? waiting_of(account)[i] : -1;
}

static void wait_remove(allot_simulation *sim, allot__account *account, int32_t job)
{
    size_t at = place_of(sim, account, job), behind = allot__waits(account) - 1 - at;
    int32_t *list = waiting_of(account);
    allot__job_of(sim, job)->queued = 0;
    if (at > 0) {
        memmove(list + at, list + at + 1, behind * sizeof *list);
        account->waiting.count--;
    } else if (++account->gone > account->waiting.count / 2) {
        memmove(account->waiting.items, list + 1, behind * sizeof *list);
        account->waiting.count = behind;
        account->gone = 0;
    }
}

/* ---- The heap of ends ------------------------------------------------------------------------ */

static int32_t *heap_of(const allot_simulation *sim)
{
    return sim->ends.items;
}

/* By time, then by job, so that the order does not depend on a segment's number. */
static bool ends_before(const allot_simulation *sim, int32_t a, int32_t b)
{
    const allot__segment *one = allot__segment_of(sim, a), *other = allot__segment_of(sim, b);
    if (one->end != other->end)
        return one->end < other->end;
    return one->job != other->job ? one->job < other->job : a < b;
}

static void place(const allot_simulation *sim, size_t at, int32_t segment)
{
    heap_of(sim)[at] = segment;
    allot__segment_of(sim, segment)->place = (int32_t)at;
}

static void rise(const allot_simulation *sim, size_t at, int32_t segment)
{
    for (; at > 0 && ends_before(sim, segment, heap_of(sim)[(at - 1) / 2]); at = (at - 1) / 2)
        place(sim, at, heap_of(sim)[(at - 1) / 2]);
    place(sim, at, segment);
}

static void sink(const allot_simulation *sim, size_t at, int32_t segment)
{
    size_t count = sim->ends.count;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && ends_before(sim, heap_of(sim)[child + 1], heap_of(sim)[child]))
            child++;
        if (child >= count || !ends_before(sim, heap_of(sim)[child], segment))
            break;
        place(sim, at, heap_of(sim)[child]);
        at = child;
    }
    place(sim, at, segment);
}

static void heap_drop(allot_simulation *sim, int32_t segment)
{
    int32_t at = allot__segment_of(sim, segment)->place;
    if (at < 0)
        return;
    int32_t last = heap_of(sim)[--sim->ends.count];
    allot__segment_of(sim, segment)->place = -1;
    if (last == segment)
        return;
    sink(sim, (size_t)at, last);
    rise(sim, (size_t)allot__segment_of(sim, last)->place, last);
}

int32_t allot__segment_next(const allot_simulation *sim)
{
    return sim->ends.count > 0 ? heap_of(sim)[0] : -1;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static void link_last(allot_simulation *sim, allot__account *account, int32_t i)
{
    allot__segment *segment = allot__segment_of(sim, i);
    segment->prev = account->last;
    segment->next = -1;
    if (account->last >= 0)
        allot__segment_of(sim, account->last)->next = i;
    else
        account->first = i;
    account->last = i;
}

static void unlink_segment(allot_simulation *sim, allot__account *account, int32_t i)
{
    const allot__segment *segment = allot__segment_of(sim, i);
    if (segment->prev >= 0)
        allot__segment_of(sim, segment->prev)->next = segment->next;
    else
        account->first = segment->next;
    if (segment->next >= 0)
        allot__segment_of(sim, segment->next)->prev = segment->prev;
    else
        account->last = segment->prev;
}

/* Adds a segment to its account and, if it has an end, to the heap; -1: out of memory. */
static int32_t put(allot_simulation *sim, const allot__segment *made)
{
    if (allot__vector_room(sim->engine, &sim->ends, 1, sizeof(int32_t)) != ALLOT_OK)
        return -1;
    int32_t i = sim->free_segment;
    if (i >= 0)
        sim->free_segment = allot__segment_of(sim, i)->next;
    else if (allot__push(sim->engine, &sim->segments, sizeof *made))
        i = (int32_t)sim->segments.count - 1;
    else
        return -1;
    *allot__segment_of(sim, i) = *made;
    link_last(sim, allot__account_of(sim, made), i);
    if (made->end != ALLOT__NEVER)
        rise(sim, sim->ends.count++, i);
    return i;
}

static void drop(allot_simulation *sim, int32_t i)
{
    allot__segment *segment = allot__segment_of(sim, i);
    heap_drop(sim, i);
    unlink_segment(sim, allot__account_of(sim, segment), i);
    segment->next = sim->free_segment;
    sim->free_segment = i;
}

int allot__segment_start(allot_simulation *sim, int32_t job, int32_t count, int64_t end,
                         int32_t host)
{
    allot__sim_job *of = allot__job_of(sim, job);
    allot__account *account = &sim->accounts[of->account];
    int32_t i = put(sim, &(allot__segment){.start = sim->now,
                                           .end = end,
                                           .job = job,
                                           .count = count,
                                           .flight = -1,
                                           .place = -1,
                                           .host = host});
    if (i < 0 || allot__touch(sim, account) != ALLOT_OK)
        return ALLOT_ENOMEM;
    of->segment = i;
    of->pending -= count;
    account->pending -= count;
    account->running += count;
    sim->counts.starts++;
    return ALLOT_OK;
}

int32_t allot__segment_split(allot_simulation *sim, int32_t segment, int32_t count, int32_t flight)
{
    allot__segment *of = allot__segment_of(sim, segment);
    if (of->count == count) {
        of->flight = flight;
        return segment;
    }
    allot__segment part = *of;
    part.count = count;
    part.flight = flight;
    part.place = -1;
    int32_t made = put(sim, &part); /* may move all segments */
    if (made >= 0)
        allot__segment_of(sim, segment)->count -= count;
    return made;
}

void allot__segment_stop(allot_simulation *sim, int32_t segment, int32_t count, bool ended)
{
    allot__segment *of = allot__segment_of(sim, segment);
    allot__account *account = allot__account_of(sim, of);
    *(ended ? &account->useful : &account->lost) += allot__area(count, sim->now - of->start);
    account->running -= count;
    of->count -= count;
    if (of->count == 0)
        drop(sim, segment);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

void allot__gather(allot_simulation *sim, allot__account *account, int64_t slots)
{
    account->gathered_sum += allot__area(account->gathered, sim->now - account->busy_since);
    account->busy_since = sim->now;
    account->gathered = slots;
}

static int64_t end_of(const allot_simulation *sim, const allot__sim_job *job)
{
    return job->standing ? ALLOT__NEVER : sim->now + job->run;
}

int allot__start(allot_simulation *sim, allot__account *account, int64_t slots, int32_t host)
{
    int status = ALLOT_OK;
    while (status == ALLOT_OK && slots > 0 && allot__waits(account) > 0) {
        int32_t first = allot__wait_at(account, 0);
        const allot__sim_job *job = allot__job_of(sim, first);
        int32_t count = slots < job->pending ? (int32_t)slots : job->pending;
        slots -= count;
        if (count == job->pending)
            wait_remove(sim, account, first);
        status = allot__segment_start(sim, first, count, end_of(sim, job), host);
    }
    return status;
}

int allot__start_whole(allot_simulation *sim, int32_t job, int32_t host)
{
    const allot__sim_job *of = allot__job_of(sim, job);
    int32_t count = of->rigid ? of->slots : 1;
    if (count == of->pending)
        wait_remove(sim, &sim->accounts[of->account], job);
    return allot__segment_start(sim, job, count, end_of(sim, of), host);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

int allot__segment_end(allot_simulation *sim, int32_t segment)
{
    const allot__segment *of = allot__segment_of(sim, segment);
    allot__sim_job *job = allot__job_of(sim, of->job);
    allot__account *account = &sim->accounts[job->account];
    int32_t count = of->count, flight = of->flight;
    allot__segment_stop(sim, segment, count, true);
    sim->counts.ends++;
    job->left -= count;
    if (job->left == 0) {
        job->fate = ALLOT_FATE_ENDED;
        job->wait = sim->now - job->submit - job->run;
        sim->ended++;
        sim->over++;
    }
    int status = allot__touch(sim, account);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* Standing demand loses nothing: it is not work that begins anew. */
int allot__kill(allot_simulation *sim, int32_t segment, int32_t count)
{
    const allot__segment *of = allot__segment_of(sim, segment);
    int32_t number = of->job, flight = of->flight;
    allot__sim_job *job = allot__job_of(sim, number);
    allot__account *account = &sim->accounts[job->account];
    allot__segment_stop(sim, segment, count, job->standing);
    job->pending += count;
    job->preempted += count;
    job->times++;
    account->pending += count;
    account->preemptions += count;
    account->killed += count;
    sim->counts.kills++;
    int status = allot__touch(sim, account);
    if (status == ALLOT_OK && !job->queued)
        status = allot__wait_put(sim, account, number);
    return status == ALLOT_OK && flight >= 0 ? allot__flight_back(sim, flight, count) : status;
}

/* ---- Standing demand ------------------------------------------------------------------------- */

/* The job of the last segment goes first: newest first. */
static int stop_some(allot_simulation *sim, allot__account *account, int64_t slots)
{
    int status = ALLOT_OK;
    for (int32_t i = account->last; i >= 0 && slots > 0 && status == ALLOT_OK;) {
        const allot__segment *segment = allot__segment_of(sim, i);
        int32_t before = segment->prev, flight = segment->flight;
        if (segment->job == account->standing) {
            int32_t count = slots < segment->count ? (int32_t)slots : segment->count;
            allot__segment_stop(sim, i, count, true);
            sim->counts.ends++;
            slots -= count;
            if (flight >= 0)
                status = allot__flight_back(sim, flight, count);
        }
        i = before;
    }
    return status;
}

int allot__level(allot_simulation *sim, int32_t number, int64_t slots)
{
    allot__account *account = &sim->accounts[number];
    allot__sim_job *job = allot__job_of(sim, account->standing);
    int64_t running = job->slots - job->pending, fewer = running - slots;
    int status = fewer > 0 ? stop_some(sim, account, fewer) : ALLOT_OK;
    int32_t pending = fewer > 0 ? 0 : (int32_t)(slots - running);
    account->pending += pending - job->pending;
    job->pending = pending;
    job->slots = (int32_t)slots;
    if (pending == 0 && job->queued)
        wait_remove(sim, account, account->standing);
    if (pending > 0 && !job->queued && status == ALLOT_OK)
        status = allot__wait_put(sim, account, account->standing);
    return status == ALLOT_OK ? allot__touch(sim, account) : status;
}
