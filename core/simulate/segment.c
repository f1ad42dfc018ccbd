/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* segment.c: what runs, by cell, and by when it ends. */
#include "simulate/sim.h"

/* ---- The heap of ends ------------------------------------------------------------------------ */

static int32_t *heap_of(const allot_simulation *sim)
{
    return sim->ends.items;
}

/* By time, then by job: so that nothing depends on where a chunk lies. */
static bool ends_before(const allot_simulation *sim, int32_t a, int32_t b)
{
    const allot__chunk *one = allot__chunk_of(sim, a), *other = allot__chunk_of(sim, b);
    if (one->end != other->end)
        return one->end < other->end;
    return one->job != other->job ? one->job < other->job : a < b;
}

static void place(const allot_simulation *sim, size_t at, int32_t chunk)
{
    heap_of(sim)[at] = chunk;
    allot__chunk_of(sim, chunk)->place = (int32_t)at;
}

static void rise(const allot_simulation *sim, size_t at, int32_t chunk)
{
    for (; at > 0 && ends_before(sim, chunk, heap_of(sim)[(at - 1) / 2]); at = (at - 1) / 2)
        place(sim, at, heap_of(sim)[(at - 1) / 2]);
    place(sim, at, chunk);
}

static void sink(const allot_simulation *sim, size_t at, int32_t chunk)
{
    size_t count = sim->ends.count;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && ends_before(sim, heap_of(sim)[child + 1], heap_of(sim)[child]))
            child++;
        if (child >= count || !ends_before(sim, heap_of(sim)[child], chunk))
            break;
        place(sim, at, heap_of(sim)[child]);
        at = child;
    }
    place(sim, at, chunk);
}

static void heap_drop(allot_simulation *sim, int32_t chunk)
{
    int32_t at = allot__chunk_of(sim, chunk)->place;
    if (at < 0)
        return;
    int32_t last = heap_of(sim)[--sim->ends.count];
    allot__chunk_of(sim, chunk)->place = -1;
    if (last == chunk)
        return;
    sink(sim, (size_t)at, last);
    rise(sim, (size_t)allot__chunk_of(sim, last)->place, last);
}

int32_t allot__chunk_next(const allot_simulation *sim)
{
    return sim->ends.count > 0 ? heap_of(sim)[0] : -1;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void link_last(allot_simulation *sim, allot__cell *cell, int32_t i)
{
    allot__chunk *chunk = allot__chunk_of(sim, i);
    chunk->prev = cell->last;
    chunk->next = -1;
    if (cell->last >= 0)
        allot__chunk_of(sim, cell->last)->next = i;
    else
        cell->first = i;
    cell->last = i;
}

static void unlink_chunk(allot_simulation *sim, allot__cell *cell, int32_t i)
{
    const allot__chunk *chunk = allot__chunk_of(sim, i);
    if (chunk->prev >= 0)
        allot__chunk_of(sim, chunk->prev)->next = chunk->next;
    else
        cell->first = chunk->next;
    if (chunk->next >= 0)
        allot__chunk_of(sim, chunk->next)->prev = chunk->prev;
    else
        cell->last = chunk->prev;
}

/* A chunk as told, in its cell and, where it ends, in the heap; -1 when out of memory. */
static int32_t put(allot_simulation *sim, const allot__chunk *made)
{
    if (allot__vector_room(sim->engine, &sim->ends, 1, sizeof(int32_t)) != ALLOT_OK)
        return -1;
    int32_t i = sim->free_chunk;
    if (i >= 0)
        sim->free_chunk = allot__chunk_of(sim, i)->next;
    else if (allot__push(sim->engine, &sim->chunks, sizeof *made))
        i = (int32_t)sim->chunks.count - 1;
    else
        return -1;
    *allot__chunk_of(sim, i) = *made;
    link_last(sim, allot__cell_of(sim, made), i);
    if (made->end != ALLOT__NEVER)
        rise(sim, sim->ends.count++, i);
    return i;
}

static void drop(allot_simulation *sim, int32_t i)
{
    allot__chunk *chunk = allot__chunk_of(sim, i);
    heap_drop(sim, i);
    unlink_chunk(sim, allot__cell_of(sim, chunk), i);
    chunk->next = sim->free_chunk;
    sim->free_chunk = i;
}

int allot__chunk_start(allot_simulation *sim, int32_t job, int32_t count, int64_t end, int32_t host,
                       int32_t *out)
{
    allot__sim_job *of = allot__job_of(sim, job);
    allot__cell *cell = &sim->cells[of->cell];
    int32_t i = put(sim, &(allot__chunk){.start = sim->now,
                                         .end = end,
                                         .job = job,
                                         .count = count,
                                         .flight = -1,
                                         .place = -1,
                                         .host = host});
    if (i < 0 || allot__touch(sim, cell) != ALLOT_OK)
        return ALLOT_ENOMEM;
    of->pending -= count;
    cell->pending -= count;
    cell->running += count;
    sim->counts.starts++;
    if (out)
        *out = i;
    return ALLOT_OK;
}

int32_t allot__chunk_doom(allot_simulation *sim, int32_t chunk, int32_t count, int32_t flight)
{
    allot__chunk *of = allot__chunk_of(sim, chunk);
    if (of->count == count) {
        of->flight = flight;
        return chunk;
    }
    allot__chunk part = *of;
    part.count = count;
    part.flight = flight;
    part.place = -1;
    int32_t made = put(sim, &part); /* may move all chunks */
    if (made >= 0)
        allot__chunk_of(sim, chunk)->count -= count;
    return made;
}

void allot__chunk_stop(allot_simulation *sim, int32_t chunk, int32_t count, bool ended)
{
    allot__chunk *of = allot__chunk_of(sim, chunk);
    allot__cell *cell = allot__cell_of(sim, of);
    allot__area_add(ended ? &cell->useful : &cell->lost, count, sim->now - of->start);
    cell->running -= count;
    of->count -= count;
    if (of->count == 0)
        drop(sim, chunk);
}
