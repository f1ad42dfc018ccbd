/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* take.c: what a leaf gives back: the tasks that a reclaim names go at once, or run on for the
 * grace.
 */
#include <string.h>

#include "simulate/sim.h"

/* A reclaim while it is carried out. */
typedef struct taking {
    allot_simulation *sim;
    const allot_reclaim *reclaim;
    int32_t account;
    int64_t left; /* slots that are still to be found */
    allot_claim *claims;
    int32_t claim_count;
} taking;

/* Whom slots are for that were found first: takes them off the claims. */
static int serve(taking *it, int64_t slots)
{
    int status = allot__flight_return(it->sim, it->account, slots, it->claims, it->claim_count);
    for (int32_t i = 0; i < it->claim_count; i++) {
        int64_t served = it->claims[i].slots < slots ? it->claims[i].slots : slots;
        it->claims[i].slots -= served;
        slots -= served;
    }
    return status;
}

/* Marks on segments how many of their tasks go; returns their slots. */
static int64_t mark(taking *it)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < it->reclaim->task_count && slots < it->left; i++) {
        int32_t number = allot__told_at(it->sim, it->reclaim->tasks[i]).segment;
        allot__segment *segment = allot__segment_of(it->sim, number);
        if (segment->flight >= 0)
            continue;
        int32_t count = allot__job_of(it->sim, segment->job)->rigid ? segment->count : 1;
        segment->taken += count;
        slots += count;
    }
    return slots;
}

/* What the marks say is done; `serial` -1: at once. */
static int carry_out(taking *it, int32_t serial)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->reclaim->task_count && status == ALLOT_OK; i++) {
        int32_t number = allot__told_at(it->sim, it->reclaim->tasks[i]).segment;
        allot__segment *segment = allot__segment_of(it->sim, number);
        int32_t count = segment->taken;
        if (count == 0)
            continue;
        segment->taken = 0;
        if (serial < 0)
            status = allot__kill(it->sim, number, count);
        else if (allot__segment_split(it->sim, number, count, serial) < 0)
            status = ALLOT_ENOMEM;
    }
    return status;
}

static int take_tasks(taking *it, bool *again)
{
    int64_t slots = mark(it);
    int32_t serial = -1;
    if (slots == 0)
        return ALLOT_OK;
    if (it->reclaim->deadline > it->sim->now) {
        int status = allot__flight_add(it->sim, it->account, slots, it->reclaim->deadline,
                                       it->claims, it->claim_count, &serial);
        return status == ALLOT_OK ? carry_out(it, serial) : status;
    }
    *again = true;
    int status = carry_out(it, -1);
    return status == ALLOT_OK ? serve(it, slots) : status;
}

int allot__take_back(allot_simulation *sim, const allot_reclaim *reclaim, bool *again)
{
    taking it = {.sim = sim,
                 .reclaim = reclaim,
                 .account = reclaim->group * sim->consumers + reclaim->consumer,
                 .left = reclaim->slots,
                 .claim_count = reclaim->claim_count};
    allot__account *account = &sim->accounts[it.account];
    account->reclaims++;
    account->reclaimed_sum += reclaim->slots;
    account->reclaimed += reclaim->slots;
    sim->counts.reclaims++;
    int status = allot__touch(sim, account);
    if (status == ALLOT_OK && it.claim_count > 0) {
        size_t size = (size_t)it.claim_count * sizeof *it.claims;
        it.claims = allot__new(sim->engine, 1, size);
        if (!it.claims)
            return ALLOT_ENOMEM;
        memcpy(it.claims, reclaim->claims, size);
    }
    if (status == ALLOT_OK)
        status = take_tasks(&it, again);
    allot__free(sim->engine, it.claims, 1, (size_t)it.claim_count * sizeof *it.claims);
    return status;
}
