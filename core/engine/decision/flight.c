/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flight.c: reading what a cycle found of reclaims in flight. */
#include "engine/decision/decision.h"

int32_t allot_decision_flights(const allot_decision *decision)
{
    return decision->flown.count;
}

int allot_decision_flight(const allot_decision *decision, int32_t i, allot_flight *out)
{
    if (i < 0 || i >= decision->flown.count)
        return ALLOT_EUSAGE;
    const allot__flight *flight = (const allot__flight *)decision->state->flights.items + i;
    const allot__flown *flown = &decision->flown.flights[i];
    *out = (allot_flight){.id = flight->id,
                          .group = flight->group,
                          .consumer = flight->consumer,
                          .slots = flight->slots,
                          .returned = flown->returned,
                          .deadline = flown->deadline,
                          .left = flown->left,
                          .phase = flown->phase};
    return ALLOT_OK;
}

int32_t allot_decision_kills(const allot_decision *decision)
{
    return decision->flown.kill_count;
}

int allot_decision_kill(const allot_decision *decision, int32_t i, allot_kill *out)
{
    if (i < 0 || i >= decision->flown.kill_count)
        return ALLOT_EUSAGE;
    *out = (allot_kill){
        .task = allot__task_first(&decision->state->tasks, decision->flown.kills[i].task),
        .flight = decision->flown.kills[i].flight,
        .reason = "grace-over"};
    return ALLOT_OK;
}
