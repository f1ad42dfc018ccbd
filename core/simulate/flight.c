/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flight.c: reclaims whose tasks run on until a deadline, and slots that are back.
 *
 * Slots that come back serve the reclaim's claims, first to last. The state of the next cycle lists
 * them, so that they reach their claimants; then the reclaim is over.
 */
#include <string.h>

#include "simulate/sim.h"

static allot__on_way *way_at(const allot__vector *ways, size_t i)
{
    return (allot__on_way *)ways->items + i;
}

static void free_claims(allot_simulation *sim, allot__on_way *way)
{
    allot__free(sim->engine, way->claims, (size_t)way->claim_room, sizeof *way->claims);
}

void allot__ways_clear(allot_simulation *sim, allot__vector *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        free_claims(sim, way_at(ways, i));
    ways->count = 0;
}

void allot__ways_free(allot_simulation *sim, allot__vector *ways)
{
    allot__ways_clear(sim, ways);
    allot__vector_free(sim->engine, ways);
}

/* Adds a reclaim with the claims, first to last, as far as the slots suffice. */
static allot__on_way *add(allot_simulation *sim, allot__vector *ways, int32_t account,
                          int64_t slots, const allot_claim *claims, int32_t count)
{
    allot_claim *copy = NULL;
    if (count > 0) {
        copy = allot__new(sim->engine, (size_t)count, sizeof *copy);
        if (!copy)
            return NULL;
    }
    allot__on_way *way = allot__push(sim->engine, ways, sizeof *way);
    if (!way) {
        allot__free(sim->engine, copy, (size_t)count, sizeof *copy);
        return NULL;
    }
    *way = (allot__on_way){.account = account,
                           .slots = slots,
                           .deadline = sim->now,
                           .claims = copy,
                           .claim_room = count};
    for (int32_t i = 0; i < count && slots > 0; i++) {
        copy[i] = claims[i];
        copy[i].slots = claims[i].slots < slots ? claims[i].slots : slots;
        slots -= copy[i].slots;
        way->claim_count++;
    }
    return way;
}

int allot__flight_add(allot_simulation *sim, int32_t account, int64_t slots, int64_t deadline,
                      const allot_claim *claims, int32_t count, int32_t *serial)
{
    allot__on_way *way = add(sim, &sim->flights, account, slots, claims, count);
    if (!way)
        return ALLOT_ENOMEM;
    way->deadline = deadline;
    way->serial = *serial = sim->serial++;
    return ALLOT_OK;
}

int allot__flight_return(allot_simulation *sim, int32_t account, int64_t slots,
                         const allot_claim *claims, int32_t count)
{
    if (slots == 0)
        return ALLOT_OK;
    return add(sim, &sim->back, account, slots, claims, count) ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Takes `slots` from the claims, first to last. */
static void cut_claims(allot__on_way *way, int64_t slots)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < way->claim_count; i++) {
        int64_t served = way->claims[i].slots < slots ? way->claims[i].slots : slots;
        slots -= served;
        way->claims[i].slots -= served;
        if (way->claims[i].slots > 0)
            way->claims[kept++] = way->claims[i];
    }
    way->claim_count = kept;
}

int allot__flight_back(allot_simulation *sim, int32_t serial, int64_t slots)
{
    size_t i = 0;
    while (way_at(&sim->flights, i)->serial != serial)
        i++;
    allot__on_way *way = way_at(&sim->flights, i);
    int status = allot__flight_return(sim, way->account, slots, way->claims, way->claim_count);
    if (status != ALLOT_OK)
        return status;
    cut_claims(way, slots);
    way->slots -= slots;
    if (way->slots > 0)
        return ALLOT_OK;
    free_claims(sim, way);
    memmove(way, way + 1, (--sim->flights.count - i) * sizeof *way);
    return ALLOT_OK;
}

int64_t allot__flight_deadline(const allot_simulation *sim)
{
    int64_t first = ALLOT__NEVER;
    for (size_t i = 0; i < sim->flights.count; i++) {
        int64_t deadline = way_at(&sim->flights, i)->deadline;
        first = deadline < first ? deadline : first;
    }
    return first;
}
