/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flight.c: reclaims in flight, which the state lists under their serial numbers.
 *
 * Slots that come back serve the reclaim's claims, first to last: they are a reclaim of their own,
 * returned, so that the next cycle gives them to their claimants. Carrying out that cycle's
 * decision ends it.
 */
#include "simulate/sim.h"

bool allot__flight_at(const allot_simulation *sim, int32_t i, allot_in_flight *out, int32_t *serial)
{
    if (allot_state_reclaim_at(sim->state, i, out) != ALLOT_OK || out->gone > 0)
        return false;
    *serial = allot__get_number(out->id);
    return true;
}

int allot__flight_add(allot_simulation *sim, const allot_in_flight *like, int64_t slots,
                      bool returned, int32_t serial)
{
    char id[ALLOT__ID];
    allot_in_flight flight = *like;
    if (allot__vector_room(sim->engine, &sim->claims, (size_t)like->claim_count + 1,
                           sizeof(allot_claim)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot_claim *claims = sim->claims.items;
    int64_t left = slots;
    int32_t count = 0;
    for (; count < like->claim_count && left > 0; count++) {
        claims[count] = like->claims[count];
        claims[count].slots = claims[count].slots < left ? claims[count].slots : left;
        left -= claims[count].slots;
    }
    *allot__put_number(id, serial) = '\0';
    flight.id = id;
    flight.slots = slots;
    flight.claims = claims;
    flight.claim_count = count;
    flight.task_count = 0;
    flight.gone = returned;
    flight.deadline = returned ? sim->now : like->deadline;
    return allot_state_in_flight(sim->state, &flight);
}

int allot__flight_back(allot_simulation *sim, int32_t serial, int64_t slots)
{
    char id[ALLOT__ID];
    allot_in_flight flight;
    *allot__put_number(id, serial) = '\0';
    int status = allot_state_get(sim->state, ALLOT_ITEM_RECLAIM, id, &flight);
    if (status == ALLOT_OK)
        status = allot__flight_add(sim, &flight, slots, true, sim->serial++);
    if (status != ALLOT_OK)
        return status;
    return slots < flight.slots ? allot_state_reclaim_back(sim->state, id, slots)
                                : allot_state_end(sim->state, ALLOT_ITEM_RECLAIM, id);
}

int64_t allot__flight_deadline(const allot_simulation *sim)
{
    int64_t first = ALLOT__NEVER;
    for (int32_t i = 0; i < allot_state_reclaims(sim->state); i++) {
        allot_in_flight flight;
        int32_t serial;
        if (allot__flight_at(sim, i, &flight, &serial) && flight.deadline < first)
            first = flight.deadline;
    }
    return first;
}
