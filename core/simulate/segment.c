/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* segment.c: what runs, by account, and by when it ends. */
#include "simulate/sim.h"

/* ---- The heap of ends ------------------------------------------------------------------------ */

static int32_t *heap_of(const allot_simulation *sim)
{
    return sim->ends.items;
}

/* By time, then by job: so that nothing depends on where a segment lies. */
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

/* A segment as given, in its account and, where it ends, in the heap; -1 when out of memory. */
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
                         int32_t host, int32_t *out)
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
    of->pending -= count;
    account->pending -= count;
    account->running += count;
    sim->counts.starts++;
    if (out)
        *out = i;
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
    allot__area_add(ended ? &account->useful : &account->lost, count, sim->now - of->start);
    account->running -= count;
    of->count -= count;
    if (of->count == 0)
        drop(sim, segment);
}
