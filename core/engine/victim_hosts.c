/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * victim_hosts.c: victims where hosts are not all alike (E-30): for every claimant first what runs
 * on hosts that serve it; what is still owed then comes from anywhere.
 */
#include <string.h>

#include "engine/reach.h"
#include "engine/victim.h"

enum { ALLOT__STAYS_ELSEWHERE = UINT8_MAX }; /* no guard has this number */

typedef struct host_pick {
    const allot__work *work;
    allot__queue *queue;
    uint8_t *stays; /* by row: who was no candidate at first, or is picked already */
    uint8_t *mask;  /* ... or runs on a host that does not serve the claimant at hand */
    int32_t *rows;  /* all that are picked */
    int32_t count;
    int64_t slots;
} host_pick;

static int begin(host_pick *it)
{
    size_t n = (size_t)it->queue->pick.count;
    allot__arena *arena = it->work->arena;
    it->stays = allot__arena_take(arena, n + 1, 1);
    it->mask = allot__arena_take(arena, n + 1, 1);
    it->rows = allot__arena_take(arena, n + 1, sizeof *it->rows);
    if (it->stays == NULL || it->mask == NULL || it->rows == NULL) {
        return ALLOT_ENOMEM;
    }
    memset(it->stays, 0, n);
    if (it->queue->pick.stays != NULL) {
        memcpy(it->stays, it->queue->pick.stays, n);
    }
    return ALLOT_OK;
}

/* Picks what covers `owed` among those that `stays` lets go. */
static int pick(host_pick *it, const uint8_t *stays, int64_t owed)
{
    const uint8_t *before = it->queue->pick.stays;
    allot__picked picked;
    it->queue->pick.stays = stays;
    int status = allot__pick_fast(&it->queue->pick, owed, it->work->arena, &picked);
    it->queue->pick.stays = before;
    for (int32_t i = 0; status == ALLOT_OK && i < picked.count; i++) {
        it->rows[it->count++] = picked.rows[i];
        it->stays[picked.rows[i]] = ALLOT__STAYS_ELSEWHERE;
    }
    it->slots += status == ALLOT_OK ? picked.slots : 0;
    return status;
}

static int pick_for(host_pick *it, int32_t claimant, int64_t owed)
{
    const allot__unit_rows *rows = &it->queue->rows;
    for (int32_t i = 0; i < it->queue->pick.count; i++) {
        int32_t site = rows->units->site[rows->base + i];
        bool helps = allot__rack_helps_at(it->work, claimant, site);
        it->mask[i] = helps ? it->stays[i] : ALLOT__STAYS_ELSEWHERE;
    }
    return pick(it, it->mask, owed);
}

/* Who of the claimants is served: those who look at hosts, the others, and the first once more with
 * what goes for nobody, since a host is of use to an exclusive consumer only once it is empty. */
typedef enum round { PICKY, COMMON, BEYOND, ROUNDS } round;

static int pick_claims(host_pick *it, const allot_claim *claims, int32_t count, round round)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int64_t left = it->queue->owed - it->slots;
        int64_t owed = claims[i].slots < left && round != BEYOND ? claims[i].slots : left;
        int32_t claimant = allot__row(it->work->plan, it->work->index, claims[i].consumer);
        if (owed > 0 && allot__rack_picky(it->work->rack, claimant) == (round != COMMON)) {
            status = pick_for(it, claimant, owed);
        }
    }
    return status;
}

int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count)
{
    if (work->reach == NULL) {
        return allot__pick_fast(&queue->pick, queue->owed, work->arena, &queue->picked);
    }
    host_pick it = {.work = work, .queue = queue};
    int status = begin(&it);
    for (int32_t i = 0; i < ROUNDS * count && status == ALLOT_OK; i++) {
        const allot__order_back *order = &of[i % count];
        if (order->tasks == NULL) {
            status =
                pick_claims(&it, orders->claims + order->first, order->count, (round)(i / count));
        }
    }
    if (status == ALLOT_OK && it.slots < queue->owed) {
        status = pick(&it, it.stays, queue->owed - it.slots);
    }
    queue->picked = (allot__picked){.rows = it.rows, .count = it.count, .slots = it.slots};
    return status;
}
